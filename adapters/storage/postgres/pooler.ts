// What may stand between a host and PostgreSQL, and what it left there. A pooler must give each
// client a session for as long as it is connected: statements are prepared, settings are set, one
// connection of each host listens and holds locks.
import type pg from 'pg';
import { LEADER_LOCK, SERVING_LOCK } from './cluster-channel.js';
import type { PostgresConnections } from './connections.js';
import { MIGRATION_LOCK } from './migrations.js';

export const TRANSACTION_POOLING =
  'PONTE_DATABASE_URL: a pooler gives each transaction another session. Set it to pool sessions ' +
  '(pool_mode = session), or name the server itself';

/** Neither a stack nor a ring of sessions looks like one session for each client. */
const turns = [0, 0, 1, 0, 1, 1] as const;

/** Whether two clients get sessions that others have too. */
export async function isTransactionPooled(
  connections: Pick<PostgresConnections, 'connect'>,
): Promise<boolean> {
  const clients = [await connections.connect(), await connections.connect()] as const;
  try {
    const seen = [new Set<number>(), new Set<number>()] as const;
    for (const turn of turns) seen[turn].add(await processIdOf(clients[turn]));
    // Two clients have two sessions, and keep them.
    return seen[0].size > 1 || seen[1].size > 1 || new Set([...seen[0], ...seen[1]]).size < 2;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function processIdOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query('select pg_backend_pid() as process_id');
  return rows[0].process_id;
}

/** Each host says something every second, and loses the lead when it is silent for ten. */
export const SILENT_SECONDS = 15;

/**
 * Locks of ours in sessions that have been silent for longer than any host is. A pooler keeps such
 * a session for its next client.
 */
const orphanedLocksSql = [
  'select l.classid::bigint as lock, a.pid, a.application_name as name, a.state_change as since',
  'from pg_locks l join pg_stat_activity a on a.pid = l.pid',
  "where l.locktype = 'advisory' and l.classid::bigint = any($1) and l.granted",
  'and l.database = (select oid from pg_database where datname = current_database())',
  "and a.state = 'idle' and a.state_change <= clock_timestamp() - make_interval(secs => $2)",
  'order by a.state_change',
].join(' ');

const lockNames = new Map([
  [MIGRATION_LOCK, 'of migrations'],
  [LEADER_LOCK, 'of the host that sequences'],
  [SERVING_LOCK, 'of a host that serves'],
]);

export async function orphanedLocks(
  connections: PostgresConnections,
  silentSeconds: number,
): Promise<readonly string[]> {
  const { rows } = await connections.use('repeatable', (client) =>
    client.query(orphanedLocksSql, [[...lockNames.keys()], silentSeconds]),
  );
  return rows.map(
    ({ lock, pid, name }) =>
      `the lock ${lockNames.get(lock)} is held by a session that says nothing, process ${pid} ` +
      `(${name}): if no host uses it, run select pg_terminate_backend(${pid})`,
  );
}
