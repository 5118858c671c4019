// Reads of a payment intent by its id, against a framework that answers with a constant object; a
// list and a page of the feed, against what one would write by hand on SQLite.
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.js';
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
  const { servers, pontes } = await reading(bench);
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

/** Pages of 25, far from the ends. */
const pages = {
  'list of 25': '/v1/payments?limit=25',
  'feed of 25': '/v1/events?after=100&limit=25',
};

export async function lists(bench: Bench): Promise<readonly Figure[]> {
  const { servers, pontes } = await reading(bench);
  const args = [join(temporaryFolder(), 'lists.db'), `${PAYMENTS}`];
  const peer = await startChild<PeerCalls>('peers/fastify-lists.mjs', args);
  const { url, key } = await peer.call('address');
  const figures: Figure[] = [];
  for (const [page, path] of Object.entries(pages)) {
    const [mine, ...before] = pontes.map(({ what, job, ...of }) => {
      return { ...of, what: `${what}, ${page}`, job: { ...job, path } };
    });
    const headers = { 'x-api-key': key };
    const job = { method: 'GET', path, urls: [url], headers, body: null, ids: [] } as const;
    const byHand = { what: `Fastify + better-sqlite3, ${page}`, pids: [peer.pid], job };
    const all = [mine as Contender, byHand, ...before];
    const [first, second, was] = await compareThroughput(bench, all, '200');
    if (first === undefined || second === undefined) throw new Error('both were measured');
    figures.push(versus('lists', first, second, 0.7));
    if (was !== undefined) figures.push(versus('lists', first, was, null));
  }
  await peer.end();
  for (const server of servers) await server.end();
  return figures;
}

/** Ponte and, where one is given, its build before. */
async function reading({ before }: Bench) {
  const servers = [
    await startPonte(),
    ...(before === null ? [] : [await startPonte({ clone: before })]),
  ];
  const pontes = await Promise.all(
    servers.map((server, index) => ponteReading(index === 0 ? 'Ponte' : 'Ponte before', server)),
  );
  return { servers, pontes };
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
