// Detects a transaction pooler between a host and PostgreSQL, and locks that a pooler left behind.
// Ponte needs one session per client: it prepares statements, changes settings, and one connection
// of each host listens and holds locks.
import type pg from 'pg';
import { LEADER_LOCK, SERVING_LOCK } from './cluster-channel.js';
import type { PostgresConnections } from './connections.js';
import { MIGRATION_LOCK } from './migrations.js';

export const TRANSACTION_POOLING =
  'PONTE_DATABASE_URL: a pooler gives each transaction another session. Set it to pool sessions ' +
  '(pool_mode = session), or name the server itself';

/** In this order of clients, neither a stack nor a ring of sessions looks like one per client. */
const turns = [0, 0, 1, 0, 1, 1] as const;

/** Whether two clients share sessions. */
export async function isTransactionPooled(
  connections: Pick<PostgresConnections, 'connect'>,
): Promise<boolean> {
  const clients = [await connections.connect(), await connections.connect()] as const;
  try {
    const seen = [new Set<number>(), new Set<number>()] as const;
    for (const turn of turns) seen[turn].add(await processIdOf(clients[turn]));
    // Without a transaction pooler, two clients keep two sessions.
    return seen[0].size > 1 || seen[1].size > 1 || new Set([...seen[0], ...seen[1]]).size < 2;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function processIdOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query('select pg_backend_pid() as process_id');
  return rows[0].process_id;
}

/** A host sends a heartbeat every two seconds, and loses the lead after ten seconds of silence. */
export const SILENT_SECONDS = 15;

/**
 * Locks in sessions that have been silent for longer than any host. A pooler keeps such a session
 * for its next client.
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
  [LEADER_LOCK, 'of the leader'],
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
      `the lock ${lockNames.get(lock)} is held by a silent session, process ${pid} ` +
      `(${name}): if no host uses it, run select pg_terminate_backend(${pid})`,
  );
}
