// Patroni with etcd, as adapters/docs/failover.md sets it up: the leader's machine dies under load,
// Patroni promotes the synchronous standby, and the old leader comes back as a standby.
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresStore } from '../../adapters/storage/postgres/store.js';
import {
  accepts,
  type PatroniCluster,
  type PatroniMember,
  startPatroni,
} from '../support/databases/patroni.js';
import { patroniMissing, patroniVersions } from '../support/databases/patroni-config.js';
import { brokenOf, type Drill, type DrillContext, type DrillResult } from './drill.js';
import { CALM_MS, COMMON_BOUNDS, eventsBackMs, loadedHosts, reckoned } from './loaded-hosts.js';

const READ_EVERY_MS = 50;

const bounds =
  `${COMMON_BOUNDS}, creates and events back within 5 s of the first commit that the new leader ` +
  'takes, no more than one primary after the rejoin';

const drillOf = (name: string, urlOf: (cluster: PatroniCluster) => string): Drill => ({
  name,
  bounds,
  async run(context): Promise<DrillResult> {
    const missing = patroniMissing();
    if (missing !== null) return { skipped: missing };
    context.say('starting');
    const cluster = await startPatroni(context.after);
    return drill(context, cluster, urlOf(cluster));
  },
});

export const patroniServers = drillOf('patroni', ({ url }) => url);
export const patroniBalanced = drillOf('patroni-haproxy', ({ balancedUrl }) => balancedUrl);

async function drill(
  context: DrillContext,
  cluster: PatroniCluster,
  url: string,
): Promise<DrillResult> {
  const scene = await loadedHosts(context, url);
  const killed = await cluster.leader();
  if (killed === null) throw new Error('no member leads');
  context.say(`killing ${killed.name}`);
  await cluster.kill(killed);
  const killedAtMs = performance.now();
  const others = cluster.members.filter((member) => member !== killed);
  const promoted = await firstToCommit(others);
  const sinceMs = performance.now();
  context.say(`${promoted.name} leads`);
  const eventMs = eventsBackMs(scene);
  await Promise.all([eventMs, wait(CALM_MS)]);
  cluster.start(killed);
  context.say(`${killed.name} rejoins`);
  await cluster.whole();
  await wait(CALM_MS);
  const primaries = await Promise.all(cluster.members.map(isPrimary));
  const { counts, met } = await reckoned(scene, openPostgresStore({ url }), { sinceMs, eventMs });
  return {
    counts: {
      versions: patroniVersions(),
      'promoted after ms': Math.round(sinceMs - killedAtMs),
      ...counts,
    },
    broken: brokenOf({
      ...met,
      'the old leader takes writes again': primaries.filter((is) => is).length === 1,
    }),
  };
}

/** The member that is the first to commit something, which a standby has. */
async function firstToCommit(members: readonly PatroniMember[]): Promise<PatroniMember> {
  for (;;) {
    const write = 'create temporary table written as select 1';
    const wrote = await Promise.all(members.map((member) => accepts(member, write)));
    const found = members.find((_, at) => wrote[at]);
    if (found !== undefined) return found;
    await wait(READ_EVERY_MS);
  }
}

function isPrimary(member: PatroniMember): Promise<boolean> {
  return accepts(member, 'select 1 / (not pg_is_in_recovery())::int');
}
