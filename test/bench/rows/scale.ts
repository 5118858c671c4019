// Whether a request gets slower as a database grows: creates, reads, lists and pages of the
// dashboard at a constant rate, on one that holds a million payments and three million deliveries
// and on one that holds a thousand, by turns.
import { join } from 'node:path';
import { createIds } from '../../../adapters/crypto/ids.js';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { openSqliteStore } from '../../../adapters/storage/sqlite/store.js';
import { makeMemberSession } from '../../../core/usecases/access/sessions.js';
import { startPostgres } from '../bench-postgres.js';
import { cpuMsOf, startChild } from '../child-calls.js';
import { type Bench, type Contender, type Figure, median, until } from '../comparison.js';
import { type PonteServer, startPonte } from '../ponte-server.js';
import type { ReceiverCalls } from '../receiver.js';
import { type Copies, copyRows, countedId, type Target } from '../row-copies.js';
import { createBody, createHeaders } from './create.js';

const SMALL = 1_000;
const RATE = 100;
/** Pages are opened by people. */
const PAGE_RATE = 50;
const DELIVERIES_PER_PAYMENT = 3;
const RATIO_AT_MOST = 1.2;

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

interface Round {
  readonly p99Ms: number;
  /** Of all threads, for one answer. */
  readonly cpuMs: number;
}

/** What a request costs. Other programs on the machine change the second much less. */
const costs = [
  { what: 'p99', unit: 'ms', of: ({ p99Ms }: Round) => p99Ms },
  { what: 'processor', unit: 'ms', of: ({ cpuMs }: Round) => cpuMs },
] as const;

interface Filled {
  readonly server: PonteServer;
  readonly jobs: Readonly<Record<string, Contender['job']>>;
  /** Of each round, by job. */
  readonly rounds: Readonly<Record<string, Round[]>>;
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
  return Object.keys(small?.jobs ?? {}).flatMap((name) => {
    const [few, many] = [small, large].map((one) => one?.rounds[name] ?? []);
    return costs.map(({ what, unit, of }): Figure => {
      const [less, more] = [few, many].map((rounds) => (rounds ?? []).map(of));
      if (!less?.length || !more?.length) throw new Error(`${name} was not played`);
      const [atSmall, atLarge] = [median(less), median(more)];
      bench.say(`  ${database}, ${name}: ${what} ${atSmall.toFixed(2)} → ${atLarge.toFixed(2)} ms`);
      return {
        row: 'scale',
        what: `${database}, ${name}, ${what} at ${bench.size} payments`,
        unit,
        value: atLarge,
        against: { what: `at ${SMALL}`, value: atSmall },
        ratio: median(more.map((value, round) => value / (less[round] ?? 0))),
        goal: { kind: 'at most', value: RATIO_AT_MOST },
        notes: { deliveries: bench.size * DELIVERIES_PER_PAYMENT },
      };
    });
  });
}

/** The first round only warms up. */
async function oneRound(bench: Bench, one: Filled, name: string, counts: boolean): Promise<void> {
  const job = one.jobs[name];
  if (job === undefined) throw new Error(`there is no ${name}`);
  const cpuBeforeMs = cpuMsOf(one.server.pid);
  const result = await bench.load({
    ...job,
    firstNumber: one.next,
    connections: bench.connections,
    ratePerSecond: job.path.startsWith('/dashboard') ? PAGE_RATE : RATE,
    warmUpMs: 500,
    durationMs: bench.roundMs,
  });
  const answers = result.nextNumber - one.next;
  one.next = result.nextNumber;
  // A search that finds one payment leads to it.
  const wrong = Object.keys(result.statuses).filter((status) => !/^(2..|303)$/.test(status));
  if (wrong.length > 0) throw new Error(`${name} was answered ${wrong.join(', ')}`);
  const cpuMs = (cpuMsOf(one.server.pid) - cpuBeforeMs) / answers;
  if (counts) one.rounds[name]?.push({ p99Ms: result.p99Ms, cpuMs });
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
  const { root, cookie } = await signIn(target);
  const server = await startPonte({ env, earlier: first });
  const ids = spreadIds(String(intent['id']), size);
  const jobs = {
    ...jobsOf(server, ids, String(subscriptionId)),
    ...pageJobs(server, ids, { root, cookie }),
  };
  const rounds = Object.fromEntries(Object.keys(jobs).map((name) => [name, []]));
  return { server, jobs, rounds, next: 0 };
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
        external_id_key: `'${name}-' || $d`,
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

interface SignedIn {
  /** The address of the test mode of the organization. */
  readonly root: string;
  readonly cookie: string;
}

/** The owner of the demo organization, without the mail. */
async function signIn(target: Target): Promise<SignedIn> {
  const store =
    target.kind === 'sqlite'
      ? openSqliteStore({ path: target.file })
      : openPostgresStore({ url: target.url });
  const [organization] = await store.run((tx) => tx.organizations.list());
  const orgId = organization?.id ?? '';
  const [owner] = await store.run((tx) => tx.members.list(orgId));
  const of = { personId: owner?.personId ?? '', began: 'mail' } as const;
  const { token, session } = makeMemberSession(
    { ids: createIds(), clock: { nowMs: Date.now } },
    of,
  );
  await store.run(async (tx) => tx.sessions.insert(session));
  await store.close();
  return { root: `/dashboard/${orgId}/test`, cookie: `ponte-member=${token}` };
}

/** Intents from all over the database. */
function spreadIds(intentId: string, size: number): readonly string[] {
  const stem = intentId.slice(0, -16);
  return Array.from({ length: 2_000 }, (_, at) => {
    const number = 1 + Math.floor(((at * 7_919) % 10_007) * ((size / 2 - 1) / 10_007));
    return `${stem}${`${number}`.padStart(16, '0')}`;
  });
}

function pageJobs(
  { url }: PonteServer,
  ids: readonly string[],
  { root, cookie }: SignedIn,
): Filled['jobs'] {
  const page = (path: string, of: readonly string[] = []) =>
    ({
      urls: [url],
      method: 'GET',
      path: `${root}${path}`,
      headers: { cookie },
      body: null,
      ids: of,
    }) as const;
  const numbers = ids.map((id) => id.slice(-16));
  return {
    'home page': page(''),
    'page of payments': page('/payments'),
    'page of open payments': page('/payments?status=buyer'),
    'page of invoices': page('/invoices'),
    'search by id': page('/payments?q=$i', ids),
    'search by reference': page('/payments?q=intent-$i', numbers),
    'search by address': page('/payments?q=intent-$i@buyer.example', numbers),
    'search by amount': page('/payments?q=250.00'),
    'page of a payment': page('/payments/$i', ids),
  };
}

function jobsOf(
  server: PonteServer,
  ids: readonly string[],
  subscriptionId: string,
): Filled['jobs'] {
  const read = { urls: [server.url], method: 'GET', headers: { 'x-api-key': server.key } } as const;
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
