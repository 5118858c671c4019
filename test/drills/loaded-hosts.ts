// What drills of the database do their faults to: two hosts under a steady load of creates, and
// readers that wait for events. Afterwards everything is asked for again and counted.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Store } from '../../core/ports/storage.js';
import { checkBooks, checkPartner, readFeed } from '../support/scenes/after-faults.js';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.js';
import {
  backAfterMs,
  createOnce,
  type SteadyLoad,
  settledIds,
  settleLoad,
  startSteadyLoad,
} from '../support/servers/steady-load.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { DrillContext } from './drill.js';
import { type FeedWitness, witnessFeed } from './feed-witness.js';

const PER_SECOND = 20;
export const CALM_MS = 2_000;
/** Three seconds are promised, and one for what else a request does. */
const ANSWER_MAX_MS = 4_000;
export const BACK_MAX_MS = 5_000;
const READER_MS = 30_000;
const RETRY_MS = 100;
/** Commands of readers, beyond those of the load. */
const READERS_FROM = 1_000_000;

export interface LoadedHosts {
  readonly hosts: readonly HostProcess[];
  readonly load: SteadyLoad;
  readonly apiKey: string;
  readonly witness: FeedWitness;
  /** The file of what the partner remembers. */
  readonly partnerFile: string;
}

/** What `reckoned` judges in every drill, for the table. */
export const COMMON_BOUNDS =
  'no acknowledged create lost or doubled, nothing paid twice, no sequence with two contents, ' +
  'every answer within 4 s';

type Environment = Readonly<Record<string, string>>;

/** Two hosts on this database, under load. */
export function loadedHosts(context: DrillContext, url: string): Promise<LoadedHosts> {
  const env = { PONTE_DATABASE_URL: url };
  return hostsUnderLoad(context, [env, env]);
}

/** When this resolves, the load has run for a while without a fault. */
export async function hostsUnderLoad(
  { after }: DrillContext,
  settings: readonly Environment[],
): Promise<LoadedHosts> {
  const folder = temporaryFolder();
  const partnerFile = join(folder, 'partner.jsonl');
  const common = {
    PONTE_DATA_DIR: folder,
    PONTE_SECRET_KEYS: `a:${randomBytes(32).toString('base64')}`,
    PONTE_FAKE_PARTNER_DELAY_MS: '0',
    PONTE_FAKE_PARTNER_FILE: partnerFile,
    PONTE_RATE_LIMIT_PER_MINUTE: '0',
  };
  const hosts: HostProcess[] = [];
  for (const own of settings) {
    const host = await startHostProcess({ ...common, ...own });
    after(() => host.kill());
    hosts.push(host);
  }
  const apiKey = hosts[0]?.key ?? '';
  const urls = () => hosts.map((host) => host.url);
  const load = startSteadyLoad({ hosts: urls, apiKey, perSecond: PER_SECOND });
  after(() => load.stop());
  const witness = witnessFeed(urls(), apiKey);
  after(() => witness.stop());
  await wait(CALM_MS);
  return { hosts, load, apiKey, witness, partnerFile };
}

/**
 * Until each host has given the event of a payment that is created now to a waiting reader. `round`
 * distinguishes calls of one drill.
 */
export function eventsBackMs(
  { hosts, apiKey }: Pick<LoadedHosts, 'hosts' | 'apiKey'>,
  round = 0,
): Promise<readonly number[]> {
  const first = READERS_FROM + round * hosts.length;
  return Promise.all(hosts.map((host, at) => eventBackMs(host, apiKey, first + at)));
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

export async function isReady({ url }: HostProcess): Promise<boolean> {
  const response = await fetch(`${url}/readyz`);
  await response.arrayBuffer();
  return response.status === 200;
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

/** Ends the load, asks for everything again, and closes the store. */
export async function reckoned(
  { hosts, load, apiKey, witness, partnerFile }: LoadedHosts,
  store: Store,
  { sinceMs, eventMs }: Recovery,
): Promise<Outcome> {
  const eventsMs = Math.round(Math.max(...(await eventMs)));
  await load.stop();
  const urls = () => hosts.map(({ url }) => url);
  const counts = await settleLoad(load.asked, { hosts: urls, apiKey });
  const backMs = backAfterMs(load.asked, sinceMs);
  const paid = await settledIds(load.asked, { hosts: urls, apiKey });
  const twice = await checkBooks(store, paid)
    .then(() => checkPartner(store, paid, partnerFile))
    .then(
      () => null,
      (error: unknown) => String(error),
    );
  const contradictions = await witness.contradictions();
  // Gap-free and chained.
  const events = await readFeed(store, []);
  await store.close();
  return {
    counts: { ...counts, backMs, eventsMs, paid: paid.length, events: events.length },
    met: {
      [`a payment was paid twice, or not: ${twice}`]: twice === null,
      'an acknowledged create was lost': counts.lost === 0,
      'a create was doubled': counts.doubled === 0,
      [`the feed contradicts itself: ${contradictions[0]}`]: contradictions.length === 0,
      [`an answer took ${counts.worstMs} ms`]: counts.worstMs <= ANSWER_MAX_MS,
      [`creates were back after ${backMs} ms`]: backMs <= BACK_MAX_MS,
      [`events were back after ${eventsMs} ms`]: eventsMs <= BACK_MAX_MS,
    },
  };
}
