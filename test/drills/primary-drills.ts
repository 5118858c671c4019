// A primary that dies, or hangs and comes back, with a synchronous standby that is promoted: two
// hosts under a steady load, with a receiver that counts what it gets.
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { postgresConnections } from '../../adapters/storage/postgres/connections.js';
import { openPostgresStore } from '../../adapters/storage/postgres/store.js';
import { type PostgresPair, postgresPair } from '../support/databases/postgres-pair.js';
import { brokenOf, type Drill, type DrillContext, type DrillResult } from './drill.js';
import {
  BACK_MAX_MS,
  CALM_MS,
  COMMON_BOUNDS,
  eventsBackMs,
  type LoadedHosts,
  loadedHosts,
  type Recovery,
  reckoned,
} from './loaded-hosts.js';

const bounds = `${COMMON_BOUNDS}, creates and events back within 5 s of the promotion`;

interface Scene extends LoadedHosts {
  readonly pair: PostgresPair;
}

async function sceneOf(context: DrillContext): Promise<Scene> {
  const pair = await postgresPair();
  context.after(() => pair.stop());
  return { pair, ...(await loadedHosts(context, pair.url)) };
}

async function promoted(scene: Scene): Promise<Recovery> {
  await scene.pair.promoteStandby();
  return { sinceMs: performance.now(), eventMs: eventsBackMs(scene) };
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
    const { counts, met } = await reckoned(
      scene,
      openPostgresStore({ url: scene.pair.url }),
      recovery,
    );
    return { counts, broken: brokenOf(met) };
  },
};

export const frozenPrimary: Drill = {
  name: 'frozen-primary',
  bounds: `${bounds}; no session of a host, and no new one, is on the old primary after it resumed`,
  async run(context): Promise<DrillResult> {
    const scene = await sceneOf(context);
    const { pair } = scene;
    pair.freezePrimary();
    await wait(3_000 + context.below(2_000));
    const recovery = await promoted(scene);
    await wait(BACK_MAX_MS);
    pair.resumePrimary();
    const left = await sessionsLeft(pair.urls[0]);
    const { counts, met } = await reckoned(
      scene,
      openPostgresStore({ url: scene.pair.url }),
      recovery,
    );
    const kept = {
      'a host has sessions on the old primary': left === 0,
      'a process that starts now uses the old primary': await usesPromoted(pair.url),
    };
    return { counts: { ...counts, sessionsLeft: left }, broken: brokenOf({ ...met, ...kept }) };
  },
};

/** Both take writes now; the old primary is named first. */
async function usesPromoted(url: string): Promise<boolean> {
  const connections = postgresConnections({ url });
  try {
    const { rows } = await connections.use('once', (client) =>
      client.query('select pg_last_wal_replay_lsn() is not null as promoted'),
    );
    return rows[0].promoted;
  } finally {
    await connections.close();
  }
}

/** Of hosts on this server that stay: a look at the server is a session that ends by itself. */
async function sessionsLeft(url: string): Promise<number> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  let left: readonly number[] | null = null;
  for (let looks = 0; looks < 20; looks += 1) {
    await wait(250);
    const { rows } = await client.query<{ readonly pid: number }>(
      // A commit that waits for its standby keeps its process after the client has gone.
      "select pid from pg_stat_activity where application_name like 'ponte%' " +
        "and wait_event is distinct from 'SyncRep'",
    );
    const seen = rows.map(({ pid }) => pid);
    left = left === null ? seen : left.filter((pid) => seen.includes(pid));
  }
  await client.end();
  return left?.length ?? 0;
}
