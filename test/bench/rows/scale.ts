// Whether a request gets slower as a database grows: creates, reads and lists at a constant rate on
// one that holds a million payments and three million deliveries and on one that holds a thousand,
// by turns.
import { join } from 'node:path';
import { startPostgres } from '../bench-postgres.js';
import { startChild } from '../child-calls.js';
import { type Bench, type Contender, type Figure, median, until } from '../comparison.js';
import { type PonteServer, startPonte } from '../ponte-server.js';
import type { ReceiverCalls } from '../receiver.js';
import { type Copies, copyRows, countedId, type Target } from '../row-copies.js';
import { createBody, createHeaders } from './create.js';

const SMALL = 1_000;
const RATE = 100;
const DELIVERIES_PER_PAYMENT = 3;
const RATIO_AT_MOST = 1.25;

export async function scale(bench: Bench): Promise<readonly Figure[]> {
  const postgres = await startPostgres();
  const onPostgres = async () => ({ PONTE_DATABASE_URL: await postgres.newDatabase() });
  const figures = [
    ...(await scaleOn(bench, 'SQLite', async () => ({}))),
    ...(await scaleOn(bench, 'PostgreSQL', onPostgres)),
  ];
  await postgres.end();
  return figures;
}

interface Filled {
  readonly server: PonteServer;
  readonly jobs: Readonly<Record<string, Contender['job']>>;
  /** p99 of each round, by job. */
  readonly p99sMs: Readonly<Record<string, number[]>>;
  next: number;
}

async function scaleOn(
  bench: Bench,
  database: string,
  newEnv: () => Promise<Readonly<Record<string, string>>>,
): Promise<readonly Figure[]> {
  const filled: Filled[] = [];
  for (const size of [SMALL, bench.size]) {
    const startedAtMs = performance.now();
    filled.push(await fill(await newEnv(), size));
    const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
    bench.say(`  ${database}: ${size} payments are there after ${seconds} s`);
  }
  for (let round = 0; round <= bench.rounds; round += 1) {
    for (const name of Object.keys(filled[0]?.jobs ?? {})) {
      for (const one of filled) await oneRound(bench, one, name, round > 0);
    }
  }
  for (const { server } of filled) await server.end();
  const [small, large] = filled;
  return Object.keys(small?.jobs ?? {}).map((name): Figure => {
    const [few, many] = [small?.p99sMs[name] ?? [], large?.p99sMs[name] ?? []];
    bench.say(`  ${database}, ${name}: p99 ${median(few).toFixed(1)} → ${median(many).toFixed(1)}`);
    return {
      row: 'scale',
      what: `${database}, ${name}, p99 at ${bench.size} payments`,
      unit: 'ms',
      value: median(many),
      against: { what: `at ${SMALL}`, value: median(few) },
      ratio: median(many.map((value, round) => value / (few[round] ?? 0))),
      goal: { kind: 'at most', value: RATIO_AT_MOST },
      notes: { deliveries: bench.size * DELIVERIES_PER_PAYMENT },
    };
  });
}

/** The first round only warms up. */
async function oneRound(bench: Bench, one: Filled, name: string, counts: boolean): Promise<void> {
  const job = one.jobs[name];
  if (job === undefined) throw new Error(`there is no ${name}`);
  const result = await bench.load({
    ...job,
    firstNumber: one.next,
    connections: bench.connections,
    ratePerSecond: RATE,
    warmUpMs: 500,
    durationMs: bench.roundMs,
  });
  one.next = result.nextNumber;
  const wrong = Object.keys(result.statuses).filter((status) => !status.startsWith('2'));
  if (wrong.length > 0) throw new Error(`${name} was answered ${wrong.join(', ')}`);
  if (counts) one.p99sMs[name]?.push(result.p99Ms);
}

async function fill(env: Readonly<Record<string, string>>, size: number): Promise<Filled> {
  const receiver = await startChild<ReceiverCalls>('receiver.ts');
  const first = await startPonte({ env });
  const hook = { url: await receiver.call('url'), eventTypes: ['payment_intent.*'] };
  const { id: subscriptionId } = await first.call('POST', '/v1/webhook-subscriptions', hook);
  const create = (path: string, externalId: string) =>
    first.call('POST', path, {
      externalId,
      amount: '250.00',
      buyer: { email: `${externalId}@buyer.example` },
      metadata: { order: '7', channel: 'web' },
    });
  const intent = await create('/v1/payment-intents', 'intent');
  const invoice = await create('/v1/invoices', 'invoice');
  await until(async () => (await receiver.call('received')).count === 1);
  // Nobody is sent what the filled rows and the load bring.
  await first.call('DELETE', `/v1/webhook-subscriptions/${subscriptionId}`);
  await first.end({ keep: true });
  const url = env['PONTE_DATABASE_URL'];
  const target: Target =
    url === undefined
      ? { kind: 'sqlite', file: join(first.dataDir, 'ponte.db') }
      : { kind: 'postgres', url };
  await copyRows(target, copiesOf(String(intent['id']), String(invoice['id']), size));
  await receiver.end();
  const server = await startPonte({ env, earlier: first });
  const jobs = jobsOf(server, String(intent['id']), String(subscriptionId), size);
  const p99sMs = Object.fromEntries(Object.keys(jobs).map((name) => [name, []]));
  return { server, jobs, p99sMs, next: 0 };
}

/** Half of the payments are invoices, which can be listed. */
function copiesOf(intentId: string, invoiceId: string, size: number): readonly Copies[] {
  const of = (paymentId: string, name: string): readonly Copies[] => [
    {
      table: 'payments',
      where: `id = '${paymentId}'`,
      count: size / 2,
      columns: {
        id: countedId('id'),
        public_id: `'${name}-public-' || $d`,
        external_id: `'${name}-' || $d`,
        buyer_id: countedId('buyer_id'),
        buyer_email: `'${name}-' || $d || '@buyer.example'`,
      },
    },
    {
      table: 'funds',
      where: `payment_id = '${paymentId}'`,
      count: size / 2,
      columns: { payment_id: countedId('payment_id') },
    },
    {
      table: 'buyers',
      where: `email_key = '${name}@buyer.example'`,
      count: size / 2,
      columns: {
        id: countedId('id'),
        email: `'${name}-' || $d || '@buyer.example'`,
        email_key: `'${name}-' || $d || '@buyer.example'`,
      },
    },
  ];
  return [
    ...of(intentId, 'intent'),
    ...of(invoiceId, 'invoice'),
    {
      table: 'deliveries',
      where: "status = 'delivered'",
      count: size * DELIVERIES_PER_PAYMENT,
      columns: { id: countedId('id') },
    },
  ];
}

function jobsOf(
  server: PonteServer,
  intentId: string,
  subscriptionId: string,
  size: number,
): Filled['jobs'] {
  const read = { urls: [server.url], method: 'GET', headers: { 'x-api-key': server.key } } as const;
  const stem = intentId.slice(0, -16);
  // Spread over all of them.
  const ids = Array.from({ length: 2_000 }, (_, at) => {
    const number = 1 + Math.floor(((at * 7_919) % 10_007) * ((size / 2 - 1) / 10_007));
    return `${stem}${`${number}`.padStart(16, '0')}`;
  });
  return {
    create: {
      urls: [server.url],
      method: 'POST',
      path: '/v1/payment-intents',
      ids: [],
      headers: createHeaders(server.key),
      body: createBody,
    },
    read: { ...read, path: '/v1/payment-intents/$i', body: null, ids },
    'list of invoices': { ...read, path: '/v1/invoices?limit=25', body: null, ids: [] },
    'list of deliveries': {
      ...read,
      path: `/v1/webhook-subscriptions/${subscriptionId}/deliveries`,
      body: null,
      ids: [],
    },
  };
}
