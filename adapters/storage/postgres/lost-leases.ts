// Leases of lost hosts. Each connected host holds an advisory lock named by the owner of its
// leases; the leader ends leases whose owner holds none. A lease that ends too early does no harm:
// the results of its holder are not recorded.
import { SECOND_MS } from '../../../core/domain/base/instant.js';
import { leasedTables, releaseLeases } from '../claims.js';
import { text } from '../columns.js';
import { type Database, timeParam } from '../database.js';

const OWNER_LOCK = 0x706f6e04;
/** By then a host has replaced a broken connection. */
const GRACE_MS = 3 * SECOND_MS;

/** One database may hold several stores, each in a separate schema. */
const lockIdOf = (owner: string) => `hashtext(current_schema() || ${owner})`;

/** Locks the owner `$1` for this session. */
export const ownSql = `select pg_advisory_lock_shared(${OWNER_LOCK}, ${lockIdOf('$1::text')})`;

/** Lock numbers are unsigned, hashtext is signed. */
const held = [
  "from pg_locks l where l.locktype = 'advisory'",
  `and l.classid = ${OWNER_LOCK} and l.objsubid = 2 and l.granted`,
  'and l.database = (select oid from pg_database where datname = current_database())',
].join(' ');

const liveSql = `select l.objid::bigint::text as id ${held} order by l.objid`;

/** Leases of serving processes: only these hold a lock. */
const leasedIn = (table: string) =>
  `select split_part(lease_token, ':', 1) || ':' as owner from ${table} ` +
  "where due_at > $1 and lease_token like '%:%'";

const lostSql = [
  'select distinct owner from (',
  leasedTables.map(leasedIn).join(' union all '),
  `) leased where not exists (select 1 ${held}`,
  `and l.objid::bigint = ${lockIdOf('owner')}::bigint & 4294967295)`,
].join(' ');

/** Called periodically by the leader: ends lost leases and returns the number of their owners. */
export function lostLeases(database: Database): (nowMs: number) => Promise<number> {
  /** The held locks when all leases had a live owner. */
  let known: string | null = null;
  /** Owners without a lock, and since when. */
  const missing = new Map<string, number>();
  return async (nowMs) => {
    const rows = await database.read(liveSql, []);
    const live = rows.map((row) => text('id').read(row)).join();
    if (live === known) return 0;
    const lost = await database.read(lostSql, [timeParam(nowMs)]);
    const owners = lost.map((row) => text('owner').read(row));
    for (const owner of missing.keys()) if (!owners.includes(owner)) missing.delete(owner);
    let released = 0;
    for (const owner of owners) {
      const sinceMs = missing.get(owner) ?? nowMs;
      missing.set(owner, sinceMs);
      if (nowMs - sinceMs < GRACE_MS) continue;
      await releaseLeases(database, `${owner}%`, nowMs);
      missing.delete(owner);
      released += 1;
    }
    // A host that is starting may hold its lock later than its first lease.
    known = missing.size === 0 ? live : null;
    return released;
  };
}
