// The notifications between hosts on one PostgreSQL, over a dedicated connection: that work was
// stored (coalesced, so that no write waits for it), and which host sequences. Workers do not rely
// on notifications, they look by themselves once a second. Long polls of the feed do: a host that
// reconnects therefore notifies all work, and wakes all its waiting readers.
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Tenant } from '../../../core/domain/tenant.js';
import type { Log, WorkKind } from '../../../core/ports.js';
import type { ClusterChannel, OnMessage } from '../store.js';
import type { PostgresConnections } from './connections.js';
import { ownSql } from './lost-leases.js';
import { endSession, inTime } from './session.js';

/** "ponte" and what the lock is for, as the number that PostgreSQL asks for. */
export const LEADER_LOCK = 0x706f6e02;
/** Until the session ends; one database may hold several stores, each in a schema of its own. */
export const leadSql = [
  `select pg_try_advisory_lock(${LEADER_LOCK},`,
  'hashtext(current_schema())) as locked',
].join(' ');
/** Each host holds it shared while it has a line, so that operators see who serves. */
export const SERVING_LOCK = 0x706f6e03;
const serveSql = [
  `select pg_advisory_lock_shared(${SERVING_LOCK}, hashtext(current_schema())),`,
  "set_config('application_name', $1, false)",
].join(' ');
/**
 * The session of a line that broke without a sign: the server keeps it, and the lead with it, until
 * it notices. Its name tells it from another session with its number.
 */
const endLeftSql =
  'select pg_terminate_backend(pid) from pg_stat_activity ' +
  'where pid = $1 and application_name = $2';
/** Lock numbers are unsigned, hashtext is signed. */
export const serversSql = [
  "select substr(a.application_name, length('ponte ') + 1) as name, a.backend_start as since",
  'from pg_locks l join pg_stat_activity a on a.pid = l.pid',
  `where l.locktype = 'advisory' and l.classid = ${SERVING_LOCK} and l.objsubid = 2`,
  'and l.objid::bigint = hashtext(current_schema())::bigint & 4294967295',
  'and l.database = (select oid from pg_database where datname = current_database())',
  'order by a.backend_start',
].join(' ');
const FLUSH_AFTER_MS = 10;
const RECONNECT_EVERY_MS = 250;
/**
 * Every host says something this often and takes a server that does not answer in time for gone:
 * one that hangs keeps its connections, because the kernel answers for it. So does a host that
 * hangs: who leads loses the lead to another host when it is silent for long.
 */
const BEAT_MS = 1_000;
const ANSWER_TIMEOUT_MS = 2_000;
/** Among the servers that the URL names, a newer one may take writes while this one still does. */
const LOOK_EVERY_BEATS = 5;
const LEAD_SILENCE = '10s';
/** Nothing happens where PostgreSQL is too old to have it. */
const limitSilenceSql = [
  `select set_config(name, '${LEAD_SILENCE}', false) from pg_settings`,
  "where name = 'idle_session_timeout'",
].join(' ');
const resignSql = [
  `select pg_advisory_unlock(${LEADER_LOCK}, hashtext(current_schema())),`,
  "(select set_config(name, '0', false) from pg_settings where name = 'idle_session_timeout')",
].join(' ');
const notifySql = 'select pg_notify($1, $2)';
/** Of the 8,000 bytes that a notification may have. */
const BYTES_MAX = 7_000;

/**
 * Those that have doubled since their last statistics: new ones end all plans of a table. Larger
 * ones are autovacuum's: what changes there no longer changes plans.
 */
const youngTablesSql = [
  'select s.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid',
  'where s.schemaname = current_schema()',
  'and n_live_tup < 200000 and n_live_tup > greatest(200, 2 * c.reltuples)',
].join(' ');
/** Which index a plan takes shows in 3,000 rows as in 30,000, which cost an eighth of all load. */
const smallSampleSql = 'set local default_statistics_target = 10';
/** A warning that a table may not be analyzed is none about a commit. */
const quietSql = 'set local client_min_messages = error';

/** Everything that may be there, where a word may have been missed. */
const everything = Object.keys({
  outbox: true,
  feed: true,
  commands: true,
  deliveries: true,
  inbox: true,
  advances: true,
  purges: true,
  mails: true,
} satisfies Record<WorkKind, true>) as readonly WorkKind[];

/** Work that waits, by kind; null tenants: any may have some. */
type Pending = Partial<Record<WorkKind, readonly Tenant[] | null>>;

/** Of this process, and those of processes that are gone. */
interface Leases {
  readonly owner: () => string;
  readonly endLostLeases: ClusterChannel['endLostLeases'];
}

export class PostgresClusterChannel implements ClusterChannel {
  readonly #connections: PostgresConnections;
  readonly #leases: Leases;
  #client: pg.Client | null = null;
  #channel = '';
  #processId: number | null = null;
  #leading = false;
  #asking: Promise<boolean> | null = null;
  #beats = 0;
  #closed = false;
  #pending: Pending = {};
  #flushTimer: NodeJS.Timeout | null = null;

  constructor(connections: PostgresConnections, leases: Leases) {
    this.#connections = connections;
    this.#leases = leases;
  }

  async open(onMessage: OnMessage, log: Log): Promise<void> {
    const first = await this.#connect(onMessage);
    void this.#keep(first, onMessage, log);
  }

  publish(work: WorkKind, tenants?: readonly Tenant[]): void {
    // Everything is told when there is a line again.
    if (this.#client === null) return;
    const known = this.#pending[work];
    const any = tenants === undefined || known === null;
    this.#pending[work] = any ? null : [...(known ?? []), ...tenants];
    this.#flushTimer ??= setTimeout(() => this.#flush(), FLUSH_AFTER_MS);
  }

  async leads(): Promise<boolean> {
    const line = this.#client;
    if (line === null || this.#leading) return this.#leading;
    // Once at a time: a lock that was taken twice must be given back twice.
    this.#asking ??= this.#lead(line).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #lead(line: pg.Client): Promise<boolean> {
    const { rows } = await asked(line, leadSql);
    if (rows[0]?.['locked'] !== true) return false;
    await asked(line, limitSilenceSql);
    if (this.#client !== line) return false;
    this.#leading = true;
    return true;
  }

  async resign(): Promise<void> {
    if (!this.#leading) return;
    this.#leading = false;
    // A line that ends meanwhile has no lead either.
    if (this.#client !== null) await asked(this.#client, resignSql).catch(() => undefined);
  }

  /**
   * Statistics of tables that grow from nothing. Without them the planner takes an index of the
   * tenant for one of the row, and autovacuum looks once a minute; statements that are prepared
   * are planned again when there are new ones.
   */
  async analyzeGrowingTables(): Promise<number> {
    return this.#connections.use('repeatable', async (client) => {
      const { rows } = await client.query(youngTablesSql);
      for (const { name } of rows) {
        const analyze = `analyze ${client.escapeIdentifier(name)}`;
        // One text is one transaction.
        await client.query([quietSql, smallSampleSql, analyze].join('; '));
      }
      return rows.length;
    });
  }

  endLostLeases(nowMs: number): Promise<number> {
    return this.#leases.endLostLeases(nowMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    if (this.#client !== null) await endSession({ client: this.#client });
  }

  async #connect(onMessage: OnMessage): Promise<pg.Client> {
    const fresh = await this.#connections.connect();
    try {
      await inTime(fresh, ANSWER_TIMEOUT_MS, () => this.#listen(fresh, onMessage));
    } catch (error) {
      await endSession({ client: fresh });
      throw error;
    }
    this.#client = fresh;
    return fresh;
  }

  async #listen(fresh: pg.Client, onMessage: OnMessage): Promise<void> {
    // One database may hold several stores, each in a schema of its own.
    const { rows } = await fresh.query(
      'select current_schema() as schema, pg_backend_pid() as process_id',
    );
    const [{ schema, process_id: own }] = rows;
    this.#channel = `ponte_${schema}`;
    fresh.on('notification', ({ processId, payload }) => {
      if (processId !== own && payload !== undefined) deliver(payload, onMessage);
    });
    const name = `ponte process ${process.pid} at ${hostname()}`;
    if (this.#processId !== null) await fresh.query(endLeftSql, [this.#processId, name]);
    this.#processId = own;
    await fresh.query(serveSql, [name]);
    await fresh.query(ownSql, [this.#leases.owner()]);
    await fresh.query(`listen ${fresh.escapeIdentifier(this.#channel)}`);
  }

  /** Connects again whenever the line ends, until it is closed. */
  async #keep(first: pg.Client, onMessage: OnMessage, log: Log): Promise<void> {
    for (let line = first; ; ) {
      await this.#ended(line);
      while (this.#client === null && !this.#closed) {
        await wait(RECONNECT_EVERY_MS, undefined, { ref: false });
        await this.#connect(onMessage).catch((err: unknown) => {
          log.warn('no line to other hosts', { err });
        });
      }
      if (this.#client === null) return;
      line = this.#client;
      for (const work of everything) {
        onMessage(work);
        this.publish(work);
      }
    }
  }

  #ended(line: pg.Client): Promise<void> {
    const beat = setInterval(() => this.#beat(line), BEAT_MS);
    return new Promise((resolve) => {
      line.once('end', () => {
        clearInterval(beat);
        if (this.#client === line) this.#client = null;
        this.#leading = false;
        resolve();
      });
    });
  }

  /** A line that ends is connected again, to the server that the other connections turn to. */
  #beat(line: pg.Client): void {
    asked(line, 'select').catch(() => undefined);
    this.#beats += 1;
    if (this.#beats % LOOK_EVERY_BEATS > 0) return;
    this.#connections.look().catch(() => undefined);
  }

  #flush(): void {
    this.#flushTimer = null;
    const payload = JSON.stringify(this.#pending);
    const short =
      payload.length <= BYTES_MAX ? payload : JSON.stringify(withoutTenants(this.#pending));
    this.#pending = {};
    if (this.#client === null) return;
    asked(this.#client, notifySql, [this.#channel, short]).catch(() => undefined);
  }
}

/** Destroys the line when the server does not answer: another host may lead then. */
function asked(line: pg.Client, text: string, values: readonly string[] = []) {
  return inTime(line, ANSWER_TIMEOUT_MS, () => line.query(text, [...values]));
}

function deliver(payload: string, onMessage: OnMessage): void {
  const told = JSON.parse(payload) as Pending;
  for (const [work, tenants] of Object.entries(told)) {
    onMessage(work as WorkKind, tenants ?? undefined);
  }
}

function withoutTenants(pending: Pending): Pending {
  return Object.fromEntries(Object.keys(pending).map((work) => [work, null]));
}
