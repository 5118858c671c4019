// What a host costs that has nothing to do, and that its webhooks are as quick as ever: processor
// time and wake-ups from the kernel, transactions from the server, latency at the receiver.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { temporaryPostgres } from '../support/databases/local-postgres.js';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.js';
import { startReceiver } from '../support/servers/local-receiver.js';
import { brokenOf, type Drill, type DrillContext, type DrillResult } from './drill.js';

const WINDOW_SECONDS = 30;
/** The kernel counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
/** A process of the server reports what it has counted after ten idle seconds (pgstat.c). */
const SETTLE_MS = 15_000;
const WEBHOOKS = 100;
const MEDIAN_MAX_MS = 30;

/** Transactions of the store so far; null where the database does not count them. */
type Count = () => Promise<number | null>;

const sqliteIdle: Drill = {
  name: 'idle-sqlite',
  bounds: '< 0.3 % of a core; p50 of event to receiver < 30 ms',
  run: (context) => measured(context, {}, { cpuMax: 0.3, count: async () => null }),
};

const postgresIdle: Drill = {
  name: 'idle-postgres',
  bounds: '< 1 % of a core, <= 3 transactions/s; p50 of event to receiver < 30 ms',
  async run(context) {
    const server = temporaryPostgres();
    context.after(() => server.end());
    const url = await server.newDatabase();
    const observer = new pg.Client(await server.url());
    await observer.connect();
    context.after(() => observer.end());
    // What the server does by itself counts as transactions, too.
    await observer.query('alter system set autovacuum = off');
    await observer.query('select pg_reload_conf()');
    const sql =
      'select sum(xact_commit + xact_rollback)::int as transactions from pg_stat_database ' +
      'where datname = current_database()';
    const count: Count = async () => (await observer.query(sql)).rows[0].transactions;
    return measured(context, { PONTE_DATABASE_URL: url }, { cpuMax: 1, count });
  },
};

export const idleDrills: readonly Drill[] = [sqliteIdle, postgresIdle];

async function measured(
  context: DrillContext,
  env: Readonly<Record<string, string>>,
  { cpuMax, count }: { readonly cpuMax: number; readonly count: Count },
): Promise<DrillResult> {
  if (process.platform !== 'linux') return { skipped: 'reads /proc of Linux' };
  const folder = mkdtempSync(join(tmpdir(), 'ponte-idle-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const host = await startHostProcess({ PONTE_DATA_DIR: folder, ...env });
  context.after(() => host.kill());
  context.say('settling');
  await wait(SETTLE_MS);
  context.say(`idle for ${WINDOW_SECONDS} s`);
  const before = { ...spentBy(host), transactions: await count() };
  await wait(WINDOW_SECONDS * 1_000);
  const now = { ...spentBy(host), transactions: await count() };
  const cpu = ((now.ticks - before.ticks) / TICKS_PER_SECOND / WINDOW_SECONDS) * 100;
  const wakeUps = (now.wakeUps - before.wakeUps) / WINDOW_SECONDS;
  const perSecond =
    now.transactions === null || before.transactions === null
      ? null
      : (now.transactions - before.transactions) / WINDOW_SECONDS;
  context.say('webhooks');
  const medianMs = await eventToReceiver(host, context);
  return {
    counts: {
      'cpu %': cpu.toFixed(2),
      'wake-ups/s': wakeUps.toFixed(0),
      ...(perSecond === null ? {} : { 'transactions/s': perSecond.toFixed(1) }),
      'p50 ms': medianMs,
    },
    broken: brokenOf({
      [`under ${cpuMax} % of a core`]: cpu < cpuMax,
      'at most three transactions a second': (perSecond ?? 0) <= 3,
      [`p50 under ${MEDIAN_MAX_MS} ms`]: medianMs < MEDIAN_MAX_MS,
    }),
  };
}

/** Processor time and voluntary waits of the process and all its threads so far. */
function spentBy({ pid }: HostProcess): { readonly ticks: number; readonly wakeUps: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    ticks: Number(fields[11]) + Number(fields[12]),
    wakeUps: Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]),
  };
}

/** The median from a create to its webhook at the receiver, one at a time. */
async function eventToReceiver(host: HostProcess, { after }: DrillContext): Promise<number> {
  const arrivals = new Map<string, (atMs: number) => void>();
  const receiver = await startReceiver((response, { body }) => {
    const event = JSON.parse(body.toString()) as { readonly data: { readonly externalId: string } };
    arrivals.get(event.data.externalId)?.(performance.now());
    response.writeHead(204).end();
  });
  after(() => receiver.close());
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': host.key ?? '' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const { status } = await fetch(`${host.url}${path}`, request);
    if (status !== 201) throw new Error(`${path}: ${status}`);
  };
  const eventTypes = ['payment_intent.created'];
  await post('/v1/webhook-subscriptions', { url: receiver.url, eventTypes });
  const tookMs: number[] = [];
  for (let index = 0; index < WEBHOOKS; index += 1) {
    const externalId = `order-${index}`;
    const arrived = new Promise<number>((resolve) => arrivals.set(externalId, resolve));
    const buyer = { email: 'ana@buyer.example' };
    const startedMs = performance.now();
    await post('/v1/payment-intents', { externalId, amount: '250.00', buyer });
    tookMs.push((await arrived) - startedMs);
    await wait(50);
  }
  return Math.round(tookMs.toSorted((a, b) => a - b)[WEBHOOKS / 2] ?? 0);
}
