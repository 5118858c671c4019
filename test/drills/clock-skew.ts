// A machine whose clock jumps an hour ahead, an hour behind and back under load, beside another
// host on the same PostgreSQL: what has a time goes by the clock of the database. The machine's
// clock is libfaketime's, which leaves alone what never goes back.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { verifyWebhook } from '../../adapters/client/verify.js';
import { openPostgresStore } from '../../adapters/storage/postgres/store.js';
import { temporaryPostgres } from '../support/databases/local-postgres.js';
import { readFeed } from '../support/scenes/after-faults.js';
import type { HostProcess } from '../support/servers/host-process.js';
import { startReceiver } from '../support/servers/local-receiver.js';
import { orderOf } from '../support/servers/payment-load.js';
import { brokenOf, type Drill, type DrillContext, type DrillResult } from './drill.js';
import {
  CALM_MS,
  COMMON_BOUNDS,
  eventsBackMs,
  hostsUnderLoad,
  isReady,
  type LoadedHosts,
  reckoned,
} from './loaded-hosts.js';

const HOUR_SECONDS = 3_600;
const READ_EVERY_MS = 50;
/** How soon a payment with a short end expires, and how long after its end it may. */
const SHORT_MS = 3_000;
const LATE_MAX_MS = 2_000;
/** Ends half an hour from now: too early for a clock that is an hour ahead. */
const LONG_MS = 1_800_000;
const DELIVERED_MAX_MS = 30_000;
/** Commands with an end, beyond those of the load and of readers. */
const ENDING_FROM = 2_000_000;

export const clockSkew: Drill = {
  name: 'clock-skew',
  bounds:
    `the wrong host is unready and the other ready; ${COMMON_BOUNDS}, no payment expires early ` +
    'or 2 s late, every webhook comes and verifies, events back within 5 s',
  async run(context): Promise<DrillResult> {
    const library = faketime();
    return library === null ? { skipped: 'libfaketime is not installed' } : drill(context, library);
  },
};

async function drill(context: DrillContext, library: string): Promise<DrillResult> {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-drill-clock-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const clock = join(folder, 'clock');
  const setClock = (seconds: number) =>
    writeFileSync(clock, seconds < 0 ? `${seconds}` : `+${seconds}`);
  setClock(0);
  const server = temporaryPostgres({ durable: true });
  context.after(() => server.end());
  const url = await server.newDatabase();
  const env = { PONTE_DATABASE_URL: url };
  const faked = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  // The first one leads, until its clock is wrong.
  const scene = await hostsUnderLoad(context, [{ ...env, ...faked }, env]);
  const [wrong, right] = scene.hosts as readonly [HostProcess, HostProcess];
  const webhooks = await receivedWebhooks(context, scene);
  const sinceMs = performance.now();
  const eventsMs: number[] = [];
  const expiries: Expiry[] = [];
  const readiness: string[] = [];
  for (const [round, seconds] of [HOUR_SECONDS, -HOUR_SECONDS, 0].entries()) {
    context.say(`the clock is ${seconds} s off`);
    setClock(seconds);
    while ((await isReady(wrong)) !== (seconds === 0)) await wait(READ_EVERY_MS);
    eventsMs.push(...(await eventsBackMs(scene, round)));
    expiries.push(...(await expire(scene, ENDING_FROM + expiries.length)));
    readiness.push(`${await isReady(wrong)} ${await isReady(right)}`);
    await wait(CALM_MS);
  }
  const eventMs = Promise.resolve(eventsMs);
  const store = openPostgresStore({ url });
  const { counts, met } = await reckoned(scene, store, { sinceMs, eventMs });
  const missing = await webhooks.missing(url);
  const lateMs = expiries.map(({ lateMs }) => lateMs);
  return {
    counts: {
      ...counts,
      webhooks: webhooks.bodies.size,
      'expired after ms': `${Math.min(...lateMs)} to ${Math.max(...lateMs)}`,
    },
    broken: brokenOf({
      ...met,
      [`ready: ${readiness}`]: `${readiness}` === 'false true,false true,true true',
      [`a payment expired ${Math.min(...lateMs)} ms after its end`]: Math.min(...lateMs) >= 0,
      [`a payment expired ${Math.max(...lateMs)} ms late`]: Math.max(...lateMs) <= LATE_MAX_MS,
      'a payment expired half an hour early': expiries.every(({ longIsOpen }) => longIsOpen),
      [`a webhook is not valid: ${webhooks.invalid[0]}`]: webhooks.invalid.length === 0,
      [`${missing} webhooks are missing`]: missing === 0,
    }),
  };
}

interface Expiry {
  /** From its end to the first look that found it expired; negative when that was too early. */
  readonly lateMs: number;
  /** Whether another one, that ends in half an hour, is still open. */
  readonly longIsOpen: boolean;
}

/** Creates payments with an end at each host and waits for those that end soon. */
function expire({ hosts, apiKey }: LoadedHosts, from: number): Promise<readonly Expiry[]> {
  return Promise.all(
    hosts.map(async ({ url }, at) => {
      const call = caller(url, apiKey);
      const create = (endsAtMs: number, name: string) => {
        const externalId = `${name}-${from + at}`;
        const order = { ...orderOf(from + at), externalId };
        return call('payment-intents', { ...order, expiresAt: new Date(endsAtMs).toISOString() });
      };
      const [endsAtMs, long] = [Date.now() + SHORT_MS, await create(Date.now() + LONG_MS, 'long')];
      const { id } = await create(endsAtMs, 'short');
      while ((await call(`payments/${id}`))['status'] !== 'expired') {
        if (Date.now() > endsAtMs + 10 * LATE_MAX_MS) break;
        await wait(READ_EVERY_MS);
      }
      const lateMs = Date.now() - endsAtMs;
      const { status } = await call(`payments/${long['id']}`);
      return { lateMs, longIsOpen: status !== 'expired' };
    }),
  );
}

/** A receiver of all events, which verifies each webhook when it comes. */
async function receivedWebhooks({ after }: DrillContext, { hosts, apiKey }: LoadedHosts) {
  const bodies = new Set<string>();
  const invalid: string[] = [];
  let secret = '';
  const receiver = await startReceiver((response, { headers, body }) => {
    const verified = verifyWebhook({ secret, header: headers['x-service-signature'], body });
    if (!verified.valid) invalid.push(verified.reason);
    bodies.add(body.toString('utf8'));
    response.writeHead(204).end();
  });
  after(() => receiver.close());
  const call = caller(hosts[0]?.url ?? '', apiKey);
  const hook = { url: receiver.url, eventTypes: ['*'] };
  secret = String((await call('webhook-subscriptions', hook))['secret']);
  const first = Number((await call('events?after=latest'))['nextAfter']);
  return {
    bodies,
    invalid,
    /** Events since then that did not come, although there was time. */
    async missing(url: string): Promise<number> {
      const store = openPostgresStore({ url });
      const events = await readFeed(store, []);
      await store.close();
      const due = events.filter(({ sequence }) => sequence > first);
      const endsAtMs = performance.now() + DELIVERED_MAX_MS;
      for (;;) {
        const missing = due.filter(({ body }) => !bodies.has(body)).length;
        if (missing === 0 || performance.now() > endsAtMs) return missing;
        await wait(READ_EVERY_MS);
      }
    },
  };
}

/** Calls the API of a host and fails on a refusal. */
function caller(url: string, apiKey: string) {
  return async (path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(`${url}/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
}

/** Where the library of several threads is; null where it is not installed. */
function faketime(): string | null {
  const folders = ['/usr/lib', '/usr/local/lib', ...foldersIn('/usr/lib')];
  const places = folders.map((folder) => join(folder, 'faketime/libfaketimeMT.so.1'));
  return places.find((place) => existsSync(place)) ?? null;
}

function foldersIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}
