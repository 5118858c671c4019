// Reads of a payment intent by its id, against a framework that answers with a constant object.
import { startChild } from '../child-calls.js';
import {
  type Bench,
  type Contender,
  compareThroughput,
  type Figure,
  versus,
} from '../comparison.js';
import { type PonteServer, startPonte } from '../ponte-server.js';
import type { PeerCalls } from './create.js';

/** Enough that no cache of rows makes it one. */
const PAYMENTS = 500;

export async function read(bench: Bench): Promise<readonly Figure[]> {
  const servers = [
    await startPonte(),
    ...(bench.before === null ? [] : [await startPonte({ clone: bench.before })]),
  ];
  const pontes = await Promise.all(
    servers.map((server, index) => ponteReading(index === 0 ? 'Ponte' : 'Ponte before', server)),
  );
  const peer = await startChild<PeerCalls>('peers/fastify-constant.mjs');
  const { url } = await peer.call('address');
  const constant: Contender = {
    what: 'Fastify, a constant object',
    pids: [peer.pid],
    job: {
      method: 'GET',
      path: '/v1/payment-intents/$n',
      urls: [url],
      headers: {},
      body: null,
      ids: [],
    },
  };
  const [mine, others, was] = await compareThroughput(
    bench,
    [pontes[0] as Contender, constant, ...pontes.slice(1)],
    '200',
  );
  await peer.end();
  for (const server of servers) await server.end();
  if (mine === undefined || others === undefined) throw new Error('both were measured');
  return [
    versus('read', mine, others, 0.5),
    ...(was === undefined ? [] : [versus('read', mine, was, null)]),
  ];
}

async function ponteReading(what: string, server: PonteServer): Promise<Contender> {
  const ids: string[] = [];
  for (let at = 0; at < PAYMENTS; at += 1) {
    const buyer = { email: `buyer-${at}@buyer.example` };
    const body = {
      externalId: `order-${at}`,
      amount: '250.00',
      buyer,
      metadata: { order: `${at}` },
    };
    const { id } = await server.call('POST', '/v1/payment-intents', body);
    ids.push(String(id));
  }
  const headers = { 'x-api-key': server.key };
  const job = {
    method: 'GET',
    path: '/v1/payment-intents/$i',
    urls: [server.url],
    headers,
    body: null,
    ids,
  } as const;
  return { what, pids: [server.pid], job };
}
