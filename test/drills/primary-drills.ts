// A primary that dies, or hangs and comes back, with a synchronous standby that is promoted: two
// hosts under a steady load, with a receiver that counts what it gets.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { openPostgresStore } from '../../adapters/storage/postgres.js';
import type { FeedEvent } from '../../core/ports.js';
import { readFeed } from '../support/after-faults.js';
import { type HostProcess, startHostProcess } from '../support/host-process.js';
import { type PostgresPair, postgresPair } from '../support/postgres-pair.js';
import {
  backAfterMs,
  type SteadyLoad,
  settleLoad,
  startSteadyLoad,
} from '../support/steady-load.js';
import { brokenOf, type Drill, type DrillContext, type DrillResult } from './drill.js';

const PER_SECOND = 20;
const CALM_MS = 2_000;
/** Three seconds are promised, and one for what else a request does. */
const ANSWER_MAX_MS = 4_000;
const BACK_MAX_MS = 5_000;
const READER_MS = 30_000;
const RETRY_MS = 100;

const bounds =
  'no acknowledged create lost or doubled, no sequence with two contents, every answer within ' +
  '4 s, creates and events back within 5 s of the promotion';

interface Scene {
  readonly pair: PostgresPair;
  readonly hosts: readonly HostProcess[];
  readonly load: SteadyLoad;
  readonly apiKey: string;
}

async function sceneOf({ after }: DrillContext): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-drill-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const pair = await postgresPair();
  after(() => pair.stop());
  const env = {
    PONTE_DATABASE_URL: pair.url,
    PONTE_DATA_DIR: folder,
    PONTE_SECRET_KEYS: `a:${randomBytes(32).toString('base64')}`,
    PONTE_FAKE_PARTNER_DELAY_MS: '0',
    PONTE_RATE_LIMIT_PER_MINUTE: '0',
  };
  const hosts = [await startHostProcess(env), await startHostProcess(env)];
  for (const host of hosts) after(() => host.kill());
  const apiKey = hosts[0]?.key ?? '';
  const urls = () => hosts.map(({ url }) => url);
  const load = startSteadyLoad({ hosts: urls, apiKey, perSecond: PER_SECOND });
  after(() => load.stop());
  await wait(CALM_MS);
  return { pair, hosts, load, apiKey };
}

/** Until a reader at this host that asks again when it is refused is given a new event. */
async function nextEventMs({ url }: HostProcess, apiKey: string): Promise<number> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < READER_MS) {
    const response = await fetch(`${url}/v1/events?after=latest&wait=30`, {
      headers: { 'x-api-key': apiKey },
      signal: AbortSignal.timeout(READER_MS),
    }).catch(() => null);
    const page = response?.ok ? ((await response.json()) as { data: readonly unknown[] }) : null;
    if (page !== null && page.data.length > 0) return performance.now() - startedMs;
    await wait(RETRY_MS);
  }
  return Number.POSITIVE_INFINITY;
}

interface Recovery {
  readonly promotedAtMs: number;
  /** When each host gave an event to a reader that waited for it. */
  readonly eventMs: Promise<readonly number[]>;
}

async function promoted({ pair, hosts, apiKey }: Scene): Promise<Recovery> {
  await pair.promoteStandby();
  const eventMs = Promise.all(hosts.map((host) => nextEventMs(host, apiKey)));
  return { promotedAtMs: performance.now(), eventMs };
}

interface Outcome {
  readonly counts: Readonly<Record<string, number>>;
  readonly met: Readonly<Record<string, boolean>>;
}

async function outcome(
  { pair, hosts, load, apiKey }: Scene,
  { promotedAtMs, eventMs }: Recovery,
): Promise<Outcome> {
  const eventsBackMs = Math.round(Math.max(...(await eventMs)));
  await load.stop();
  const urls = () => hosts.map(({ url }) => url);
  const counts = await settleLoad(load.asked, { hosts: urls, apiKey });
  const backMs = backAfterMs(load.asked, promotedAtMs);
  const store = openPostgresStore({ url: pair.url });
  // Gap-free and chained: a number has one content.
  const events: readonly FeedEvent[] = await readFeed(store, []).finally(() => store.close());
  return {
    counts: { ...counts, backMs, eventsBackMs, events: events.length },
    met: {
      'an acknowledged create was lost': counts.lost === 0,
      'a create was doubled': counts.doubled === 0,
      [`an answer took ${counts.worstMs} ms`]: counts.worstMs <= ANSWER_MAX_MS,
      [`creates were back after ${backMs} ms`]: backMs <= BACK_MAX_MS,
      [`events were back after ${eventsBackMs} ms`]: eventsBackMs <= BACK_MAX_MS,
    },
  };
}

export const killedPrimary: Drill = {
  name: 'killed-primary',
  bounds,
  async run(context): Promise<DrillResult> {
    const scene = await sceneOf(context);
    await scene.pair.killPrimary();
    await wait(1_000 + context.below(3_000));
    const recovery = await promoted(scene);
    await wait(CALM_MS);
    const { counts, met } = await outcome(scene, recovery);
    return { counts, broken: brokenOf(met) };
  },
};

export const frozenPrimary: Drill = {
  name: 'frozen-primary',
  bounds: `${bounds}; no session of a host is on the old primary after it resumed`,
  async run(context): Promise<DrillResult> {
    const scene = await sceneOf(context);
    const { pair } = scene;
    pair.freezePrimary();
    await wait(3_000 + context.below(2_000));
    const recovery = await promoted(scene);
    await wait(BACK_MAX_MS);
    pair.resumePrimary();
    const left = await sessionsLeft(pair.urls[0]);
    const { counts, met } = await outcome(scene, recovery);
    const there = { 'a host has sessions on the old primary': left === 0 };
    return { counts: { ...counts, sessionsLeft: left }, broken: brokenOf({ ...met, ...there }) };
  },
};

/** Of hosts on this server, once it had time to notice that they are gone. */
async function sessionsLeft(url: string): Promise<number> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  let left = 0;
  for (let looks = 0; looks < 20; looks += 1) {
    await wait(250);
    const { rowCount } = await client.query(
      "select from pg_stat_activity where application_name like 'ponte%'",
    );
    left = rowCount ?? 0;
  }
  await client.end();
  return left;
}
