// Creates of payment intents at full load: Ponte with every feature and a webhook subscription
// against what one would write by hand, on the same database under the same durability.
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startPostgres } from '../bench-postgres.js';
import { type Child, startChild } from '../child-calls.js';
import {
  type Bench,
  type Contender,
  compareThroughput,
  type Figure,
  type Measured,
  until,
  versus,
} from '../comparison.js';
import { type PonteServer, startPonte } from '../ponte-server.js';
import type { ReceiverCalls } from '../receiver.js';

export type PeerCalls = { address(): Promise<{ readonly url: string; readonly key: string }> };

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
async function ponteCreating(
  what: string,
  server: PonteServer,
  beside: PonteServer | null = null,
): Promise<Creating> {
  const receiver = await startChild<ReceiverCalls>('receiver.ts');
  const url = await receiver.call('url');
  await server.call('POST', '/v1/webhook-subscriptions', { url, eventTypes: ['payment_intent.*'] });
  return {
    what,
    pids: beside === null ? [server.pid] : [server.pid, beside.pid],
    job: {
      ...createRequest,
      urls: beside === null ? [server.url] : [server.url, beside.url],
      headers: createHeaders(server.key),
      body: createBody,
    },
    settle: async () => allReceived(receiver),
    end: async () => {
      await beside?.end({ keep: true });
      await server.end();
      await receiver.end();
    },
  };
}

/** Every webhook has arrived: none has come for a while. */
async function allReceived(receiver: Child<ReceiverCalls>): Promise<void> {
  let before = -1;
  await until(async () => {
    const { count } = await receiver.call('received');
    const quiet = count === before;
    before = count;
    return quiet;
  }, 400);
}

async function peerCreating(
  what: string,
  file: string,
  args: readonly string[],
): Promise<Creating> {
  const peer = await startChild<PeerCalls>(file, args);
  const { url, key } = await peer.call('address');
  const job = { ...createRequest, urls: [url], headers: createHeaders(key), body: createBody };
  return { what, pids: [peer.pid], job, end: () => peer.end() };
}

export async function createOnSqlite(bench: Bench): Promise<readonly Figure[]> {
  const folder = temporaryFolder();
  const ponte = await ponteCreating('Ponte on SQLite', await startPonte());
  const receiver = await startChild<ReceiverCalls>('receiver.ts');
  const peer = (what: string, file: string, ...args: readonly string[]) =>
    peerCreating(what, 'peers/fastify-sqlite.mjs', [join(folder, file), ...args]);
  const url = await receiver.call('url');
  const sending = await peer('Fastify + better-sqlite3, a webhook', 'sending.db', url);
  const peers = [
    { ...sending, settle: async () => allReceived(receiver) },
    await peer('Fastify + better-sqlite3, none', 'silent.db'),
    {
      ...(await peerCreating(
        'node:http + better-sqlite3, the limit',
        'peers/prototype-sqlite.mjs',
        [join(folder, 'limit.db'), url],
      )),
      settle: async () => allReceived(receiver),
    },
  ];
  const before = await pontesBefore(bench, async () => ({}));
  const [mine, [withWebhook, without, limit], was] = await compared(bench, ponte, peers, before);
  await receiver.end();
  return [
    ...(withWebhook === undefined ? [] : [versus('create-sqlite', mine, withWebhook, 2.2)]),
    ...(without === undefined ? [] : [versus('create-sqlite', mine, without, null)]),
    ...(limit === undefined ? [] : [versus('create-sqlite', mine, limit, 0.6)]),
    ...was.map((one) => versus('create-sqlite', mine, one, null)),
    memory('create-sqlite', mine),
  ];
}

export async function createOnPostgres(bench: Bench): Promise<readonly Figure[]> {
  const postgres = await startPostgres();
  const onPostgres = async () => ({ PONTE_DATABASE_URL: await postgres.newDatabase() });
  const env = await onPostgres();
  const ponte = await ponteCreating('Ponte on PostgreSQL', await startPonte({ env }));
  const receiver = await startChild<ReceiverCalls>('receiver.ts');
  const peer = async (what: string, ...args: readonly string[]) =>
    peerCreating(what, 'peers/fastify-postgres.mjs', [await postgres.newDatabase(), ...args]);
  const url = await receiver.call('url');
  const sending = await peer('Fastify + pg, a transaction and a webhook', 'transaction', url);
  const peers = [
    { ...sending, settle: async () => allReceived(receiver) },
    await peer('Fastify + pg, one statement', 'statement'),
  ];
  const before = await pontesBefore(bench, onPostgres);
  const [mine, [withWebhook, statement], was] = await compared(bench, ponte, peers, before);
  await receiver.end();
  await postgres.end();
  return [
    ...(withWebhook === undefined ? [] : [versus('create-postgres', mine, withWebhook, 2.2)]),
    ...(statement === undefined ? [] : [versus('create-postgres', mine, statement, 0.8)]),
    ...was.map((one) => versus('create-postgres', mine, one, null)),
    memory('create-postgres', mine),
  ];
}

/** The limit is far above what is asked, so that it is counted and never reached. */
export async function rateLimit(bench: Bench): Promise<readonly Figure[]> {
  const postgres = await startPostgres();
  const limits = { PONTE_RATE_LIMIT_PER_MINUTE: '10000000', PONTE_RATE_LIMIT_BURST: '1000000' };
  const figures: Figure[] = [];
  for (const database of ['SQLite', 'PostgreSQL']) {
    const own = async (): Promise<Readonly<Record<string, string>>> =>
      database === 'SQLite' ? {} : { PONTE_DATABASE_URL: await postgres.newDatabase() };
    const limited = await startPonte({ env: { ...(await own()), ...limits } });
    const on = await ponteCreating(`Ponte on ${database}, rate limits on`, limited);
    const off = await ponteCreating('off', await startPonte({ env: await own() }));
    const [mine, [other]] = await compared(bench, on, [off], []);
    if (other !== undefined) figures.push(versus('rate-limit', mine, other, null));
  }
  await postgres.end();
  return figures;
}

/** Half of the clients at each of two hosts, against all of them at one. */
export async function hosts(bench: Bench): Promise<readonly Figure[]> {
  const postgres = await startPostgres();
  const [own, shared] = [await postgres.newDatabase(), await postgres.newDatabase()];
  const one = await ponteCreating('one', await startPonte({ env: { PONTE_DATABASE_URL: own } }));
  const env = { PONTE_DATABASE_URL: shared };
  const first = await startPonte({ env });
  const second = await startPonte({ env, earlier: first });
  const two = await ponteCreating('Ponte, two hosts on one PostgreSQL', first, second);
  const [mine, [other]] = await compared(bench, two, [one], []);
  await postgres.end();
  return other === undefined ? [] : [versus('hosts', mine, other, null)];
}

type Creating = Contender & { readonly end: () => Promise<void> };

/** Ponte, its peers and its builds before, in this order; all end. */
async function compared(
  bench: Bench,
  ponte: Creating,
  peers: readonly Creating[],
  before: readonly Creating[],
): Promise<readonly [mine: Measured, others: readonly Measured[], was: readonly Measured[]]> {
  const all = [ponte, ...peers, ...before];
  const [mine, ...rest] = await compareThroughput(bench, all, '201');
  for (const { end } of all) await end();
  if (mine === undefined) throw new Error('Ponte was measured');
  return [mine, rest.slice(0, peers.length), rest.slice(peers.length)];
}

async function pontesBefore(
  { before: clone }: Bench,
  newEnv: () => Promise<Readonly<Record<string, string>>>,
): Promise<readonly Creating[]> {
  if (clone === null) return [];
  return [await ponteCreating('Ponte before', await startPonte({ clone, env: await newEnv() }))];
}

function memory(row: string, { what, memoryMb: value }: Measured): Figure {
  const goal = { kind: 'at most', value: 200 } as const;
  const name = `${what}, resident memory at full load`;
  return { row, what: name, unit: 'MB', value, against: null, ratio: null, goal, notes: {} };
}
