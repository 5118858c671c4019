// What drills of the database do their faults to: two hosts under a steady load of creates, and
// readers that wait for events. Afterwards everything is asked for again and counted.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresStore } from '../../adapters/storage/postgres/store.js';
import { checkBooks, readFeed } from '../support/after-faults.js';
import { type HostProcess, startHostProcess } from '../support/host-process.js';
import {
  backAfterMs,
  createOnce,
  type SteadyLoad,
  settledIds,
  settleLoad,
  startSteadyLoad,
} from '../support/steady-load.js';
import type { DrillContext } from './drill.js';

const PER_SECOND = 20;
export const CALM_MS = 2_000;
/** Three seconds are promised, and one for what else a request does. */
const ANSWER_MAX_MS = 4_000;
export const BACK_MAX_MS = 5_000;
const READER_MS = 30_000;
const RETRY_MS = 100;
/** Orders of readers, beyond those of the load. */
const READERS_FROM = 1_000_000;

export interface LoadedHosts {
  readonly hosts: readonly HostProcess[];
  readonly load: SteadyLoad;
  readonly apiKey: string;
}

/** When this resolves, the load has run for a while without a fault. */
export async function loadedHosts({ after }: DrillContext, url: string): Promise<LoadedHosts> {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-drill-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    PONTE_DATABASE_URL: url,
    PONTE_DATA_DIR: folder,
    PONTE_SECRET_KEYS: `a:${randomBytes(32).toString('base64')}`,
    PONTE_FAKE_PARTNER_DELAY_MS: '0',
    PONTE_RATE_LIMIT_PER_MINUTE: '0',
  };
  const hosts = [await startHostProcess(env), await startHostProcess(env)];
  for (const host of hosts) after(() => host.kill());
  const apiKey = hosts[0]?.key ?? '';
  const urls = () => hosts.map((host) => host.url);
  const load = startSteadyLoad({ hosts: urls, apiKey, perSecond: PER_SECOND });
  after(() => load.stop());
  await wait(CALM_MS);
  return { hosts, load, apiKey };
}

/** Until each host has given the event of a payment that is created now to a waiting reader. */
export function eventsBackMs({ hosts, apiKey }: LoadedHosts): Promise<readonly number[]> {
  return Promise.all(hosts.map((host, at) => eventBackMs(host, apiKey, READERS_FROM + at)));
}

async function eventBackMs({ url }: HostProcess, apiKey: string, index: number): Promise<number> {
  const startedMs = performance.now();
  const tookMs = () => performance.now() - startedMs;
  let [id, after]: [string | null, unknown] = [null, 'latest'];
  while (tookMs() < READER_MS) {
    if (after === 'latest') after = (await eventPage(url, apiKey, 'after=latest'))?.nextAfter;
    else if (id === null) ({ id } = await createOnce(url, apiKey, index));
    const query = `after=${after}&wait=1&limit=100`;
    const page = id === null ? null : await eventPage(url, apiKey, query);
    if (page !== null && JSON.stringify(page.data).includes(`"${id}"`)) return tookMs();
    after = page?.nextAfter ?? after ?? 'latest';
    if (page === null) await wait(RETRY_MS);
  }
  return Number.POSITIVE_INFINITY;
}

interface EventPage {
  readonly data: readonly unknown[];
  readonly nextAfter: number;
}

async function eventPage(url: string, apiKey: string, query: string): Promise<EventPage | null> {
  const response = await fetch(`${url}/v1/events?${query}`, {
    headers: { 'x-api-key': apiKey },
    signal: AbortSignal.timeout(READER_MS),
  }).catch(() => null);
  return response?.ok ? ((await response.json()) as EventPage) : null;
}

export interface Recovery {
  /** When the service could be back: a promotion, the end of a fault. */
  readonly sinceMs: number;
  /** How long after it each host gave an event to a reader that waited for it. */
  readonly eventMs: Promise<readonly number[]>;
}

export interface Outcome {
  readonly counts: Readonly<Record<string, number>>;
  readonly met: Readonly<Record<string, boolean>>;
}

/** Ends the load and asks for everything again. */
export async function reckoned(
  { hosts, load, apiKey }: LoadedHosts,
  url: string,
  { sinceMs, eventMs }: Recovery,
): Promise<Outcome> {
  const eventsMs = Math.round(Math.max(...(await eventMs)));
  await load.stop();
  const urls = () => hosts.map(({ url }) => url);
  const counts = await settleLoad(load.asked, { hosts: urls, apiKey });
  const backMs = backAfterMs(load.asked, sinceMs);
  const store = openPostgresStore({ url });
  const paid = await settledIds(load.asked, { hosts: urls, apiKey });
  const twice = await checkBooks(store, paid).then(
    () => null,
    (error: unknown) => String(error),
  );
  // Gap-free and chained: a number has one content.
  const events = await readFeed(store, []).finally(() => store.close());
  return {
    counts: { ...counts, backMs, eventsMs, paid: paid.length, events: events.length },
    met: {
      [`a payment was paid twice, or not: ${twice}`]: twice === null,
      'an acknowledged create was lost': counts.lost === 0,
      'a create was doubled': counts.doubled === 0,
      [`an answer took ${counts.worstMs} ms`]: counts.worstMs <= ANSWER_MAX_MS,
      [`creates were back after ${backMs} ms`]: backMs <= BACK_MAX_MS,
      [`events were back after ${eventsMs} ms`]: eventsMs <= BACK_MAX_MS,
    },
  };
}
