// Creates of payment intents at full load: Ponte with every feature and a webhook subscription
// against what one would write by hand, on the same database under the same durability.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../child-calls.js';
import {
  type Bench,
  type Contender,
  compareThroughput,
  type Figure,
  until,
  versus,
} from '../comparison.js';
import { type PonteServer, startPonte } from '../ponte-server.js';
import type { ReceiverCalls } from '../receiver.js';

export type PeerCalls = {
  address(): Promise<{ readonly url: string; readonly key: string }>;
};

/** What every contender is asked. The buyer is one of a thousand. */
export const createBody = JSON.stringify({
  externalId: 'order-$n',
  amount: '250.00',
  buyer: { email: 'buyer-$k@buyer.example', name: 'Ana Buyer' },
  metadata: { order: '$n', channel: 'web' },
});

export const createRequest = { method: 'POST', path: '/v1/payment-intents', ids: [] } as const;

export function createHeaders(key: string): Readonly<Record<string, string>> {
  return { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': 'key-$n' };
}

/** Ponte under load, with one subscription to a receiver that answers at once. */
export async function ponteCreating(
  what: string,
  server: PonteServer,
): Promise<Contender & { readonly end: () => Promise<void> }> {
  const receiver = await startChild<ReceiverCalls>('receiver.ts');
  const url = await receiver.call('url');
  await server.call('POST', '/v1/webhook-subscriptions', { url, eventTypes: ['payment_intent.*'] });
  return {
    what,
    pid: server.pid,
    job: {
      ...createRequest,
      url: server.url,
      headers: createHeaders(server.key),
      body: createBody,
    },
    settle: async () => {
      // Everything that was created is told, and nothing has come for a while.
      let before = -1;
      await until(async () => {
        const { count } = await receiver.call('received');
        const quiet = count === before;
        before = count;
        return quiet;
      }, 400);
    },
    end: async () => {
      await server.end();
      await receiver.end();
    },
  };
}

export async function peerCreating(
  what: string,
  file: string,
  args: readonly string[],
): Promise<Contender & { readonly end: () => Promise<void> }> {
  const peer = await startChild<PeerCalls>(file, args);
  const { url, key } = await peer.call('address');
  const job = { ...createRequest, url, headers: createHeaders(key), body: createBody };
  return { what, pid: peer.pid, job, end: () => peer.end() };
}

export async function createOnSqlite(bench: Bench): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-bench-peer-'));
  const ponte = await ponteCreating('Ponte', await startPonte());
  const peer = await peerCreating('Fastify + better-sqlite3', 'peers/fastify-sqlite.mjs', [
    join(folder, 'peer.db'),
  ]);
  const before =
    bench.before === null
      ? []
      : [await ponteCreating('Ponte before', await startPonte({ clone: bench.before }))];
  const all = [ponte, peer, ...before];
  const [mine, others, was] = await compareThroughput(bench, all, '201');
  for (const { end } of all) await end();
  rmSync(folder, { recursive: true });
  if (mine === undefined || others === undefined) throw new Error('both were measured');
  return [
    versus('create-sqlite', mine, others, 2.2),
    ...(was === undefined ? [] : [versus('create-sqlite', mine, was, null)]),
    {
      row: 'create-sqlite',
      what: 'Ponte, resident memory at full load',
      unit: 'MB',
      value: mine.memoryMb,
      against: null,
      ratio: null,
      goal: { kind: 'at most', value: 200 },
      notes: {},
    },
  ];
}
