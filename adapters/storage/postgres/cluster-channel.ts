// Notifications between the hosts on one PostgreSQL, over a dedicated connection, and the lock that
// elects the leader. Notifications are coalesced, so no write waits for one. Queues do not rely on
// them: due-alarm.ts looks for due rows once a second. Long polls of the feed do: after a reconnect
// a host therefore notifies all work and wakes all its waiting readers.
//
// A host that dies loses its connection, and with it the lead. A paused host keeps its connection,
// so the server ends the session of a leader that is silent for ten seconds.
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { type WorkKind, workKinds } from '../../../core/ports/deps.js';
import type { Log } from '../../../core/ports/outside.js';
import type { ClusterChannel, OnMessage } from '../store.js';
import type { PostgresConnections } from './connections.js';
import { ownSql } from './lost-leases.js';
import { closeSession, inTime } from './session.js';

/** "pon" in ASCII and the number of the lock. */
export const LEADER_LOCK = 0x706f6e02;
/** Held until the session ends. A database may hold several stores, each in a separate schema. */
export const leadSql = [
  `select pg_try_advisory_lock(${LEADER_LOCK},`,
  'hashtext(current_schema())) as locked',
].join(' ');
/** Each host holds it shared while it is connected, so that operators see who serves. */
export const SERVING_LOCK = 0x706f6e03;
const serveSql = [
  `select pg_advisory_lock_shared(${SERVING_LOCK}, hashtext(current_schema())),`,
  "set_config('application_name', $1, false)",
].join(' ');
/**
 * Ends the session of a connection that broke silently: the server keeps it, and the lead with it,
 * until it notices. The name distinguishes it from a later session with the same process id.
 */
const endStaleSessionSql =
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
 * Interval of the heartbeat. A host gives up a server that does not answer in time: the kernel
 * keeps the connections of a hanging process open. For the same reason the leader loses the lead
 * when it is silent for LEAD_SILENCE.
 */
const BEAT_MS = 2_000;
const ANSWER_TIMEOUT_MS = 2_000;
/** Another server of the URL may be promoted while this one still accepts writes. */
const LOOK_EVERY_BEATS = 3;
const LEAD_SILENCE = '10s';
const limitSilenceSql = [
  `select set_config(name, '${LEAD_SILENCE}', false) from pg_settings`,
  "where name = 'idle_session_timeout'",
].join(' ');
const resignSql = [
  `select pg_advisory_unlock(${LEADER_LOCK}, hashtext(current_schema())),`,
  "(select set_config(name, '0', false) from pg_settings where name = 'idle_session_timeout')",
].join(' ');
const notifySql = "select pg_notify('ponte_' || current_schema(), $1)";
const BYTES_MAX = 7_000;

/**
 * Tables that have doubled since their last statistics; new statistics end the cached plans of a
 * table. Larger tables are left to autovacuum: their growth no longer changes plans.
 */
const youngTablesSql = [
  'select s.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid',
  'where s.schemaname = current_schema()',
  'and n_live_tup < 200000 and n_live_tup > greatest(200, 2 * c.reltuples)',
].join(' ');
/** 3,000 sampled rows choose the same index as 30,000, which cost an eighth of the total load. */
const smallSampleSql = 'set local default_statistics_target = 10';
/** Hides the warning that a table may not be analyzed: warnings count as unconfirmed commits. */
const quietSql = 'set local client_min_messages = error';

/** Work to publish, by kind. Null: of any tenant. */
type Pending = Partial<Record<WorkKind, readonly Tenant[] | null>>;

interface Leases {
  readonly owner: () => string;
  readonly endLostLeases: ClusterChannel['endLostLeases'];
}

export class PostgresClusterChannel implements ClusterChannel {
  readonly #connections: PostgresConnections;
  readonly #leases: Leases;
  #client: pg.Client | null = null;
  #processId: number | null = null;
  #leading = false;
  #leadRequest: Promise<boolean> | null = null;
  #beats = 0;
  #opened = false;
  #closed = false;
  #pending: Pending = {};
  #flushTimer: NodeJS.Timeout | null = null;
  #notified: Promise<void> = Promise.resolve();

  constructor(connections: PostgresConnections, leases: Leases) {
    this.#connections = connections;
    this.#leases = leases;
  }

  async open(onMessage: OnMessage, log: Log): Promise<void> {
    this.#opened = true;
    const first = await this.#connect(onMessage);
    void this.#keep(first, onMessage, log);
  }

  publish(work: WorkKind, tenants?: readonly Tenant[]): void {
    // After the reconnect, all work is published.
    if (this.#client === null && this.#opened) return;
    const known = this.#pending[work];
    const any = tenants === undefined || known === null;
    this.#pending[work] = any ? null : [...(known ?? []), ...tenants];
    this.#flushTimer ??= setTimeout(() => this.#flush(), FLUSH_AFTER_MS);
  }

  async leads(): Promise<boolean> {
    const client = this.#client;
    if (client === null || this.#leading) return this.#leading;
    // One request at a time: a lock that was taken twice must be released twice.
    this.#leadRequest ??= this.#lead(client).finally(() => {
      this.#leadRequest = null;
    });
    return this.#leadRequest;
  }

  async #lead(client: pg.Client): Promise<boolean> {
    const { rows } = await request(client, leadSql);
    if (rows[0]?.['locked'] !== true) return false;
    await request(client, limitSilenceSql);
    if (this.#client !== client) return false;
    this.#leading = true;
    return true;
  }

  async resign(): Promise<void> {
    if (!this.#leading) return;
    this.#leading = false;
    // A connection that ends loses the lead too.
    if (this.#client !== null) await request(this.#client, resignSql).catch(() => undefined);
  }

  /**
   * Without statistics, the planner uses an index of the tenant instead of one of the row.
   * Autovacuum only runs once a minute. New statistics make the server plan prepared statements
   * again.
   */
  async analyzeGrowingTables(): Promise<number> {
    return this.#connections.use('repeatable', async (client) => {
      const { rows } = await client.query(youngTablesSql);
      for (const { name } of rows) {
        const analyze = `analyze ${client.escapeIdentifier(name)}`;
        // Statements in one text are one transaction.
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
    if (this.#flushTimer !== null) {
      clearTimeout(this.#flushTimer);
      this.#flush();
    }
    await this.#notified;
    if (this.#client !== null) await closeSession({ client: this.#client });
  }

  async #connect(onMessage: OnMessage): Promise<pg.Client> {
    const fresh = await this.#connections.connect();
    try {
      await inTime(fresh, ANSWER_TIMEOUT_MS, () => this.#listen(fresh, onMessage));
    } catch (error) {
      await closeSession({ client: fresh });
      throw error;
    }
    this.#client = fresh;
    return fresh;
  }

  async #listen(fresh: pg.Client, onMessage: OnMessage): Promise<void> {
    // A database may hold several stores, each in a separate schema.
    const { rows } = await fresh.query(
      'select current_schema() as schema, pg_backend_pid() as process_id',
    );
    const [{ schema, process_id: own }] = rows;
    fresh.on('notification', ({ processId, payload }) => {
      if (processId !== own && payload !== undefined) deliver(payload, onMessage);
    });
    const name = `ponte process ${process.pid} at ${hostname()}`;
    if (this.#processId !== null) await fresh.query(endStaleSessionSql, [this.#processId, name]);
    this.#processId = own;
    await fresh.query(serveSql, [name]);
    await fresh.query(ownSql, [this.#leases.owner()]);
    await fresh.query(`listen ${fresh.escapeIdentifier(`ponte_${schema}`)}`);
  }

  async #keep(first: pg.Client, onMessage: OnMessage, log: Log): Promise<void> {
    for (let client = first; ; ) {
      await this.#ended(client);
      while (this.#client === null && !this.#closed) {
        await wait(RECONNECT_EVERY_MS, undefined, { ref: false });
        await this.#connect(onMessage).catch((err: unknown) => {
          log.warn('no connection to other hosts', { err });
        });
      }
      if (this.#client === null) return;
      client = this.#client;
      // Any notification may have been missed.
      for (const work of workKinds) {
        onMessage(work);
        this.publish(work);
      }
    }
  }

  async #notify(payload: string): Promise<void> {
    if (this.#client !== null) await request(this.#client, notifySql, [payload]);
    // A command is no host: it only notifies them.
    else if (!this.#opened) {
      await this.#connections.use('once', (client) => client.query(notifySql, [payload]));
    }
  }

  #ended(client: pg.Client): Promise<void> {
    const beat = setInterval(() => this.#beat(client), BEAT_MS);
    return new Promise((resolve) => {
      client.once('end', () => {
        clearInterval(beat);
        if (this.#client === client) this.#client = null;
        this.#leading = false;
        resolve();
      });
    });
  }

  /** Ends the connection when the server does not answer; it is opened to the server in use. */
  #beat(client: pg.Client): void {
    request(client, 'select').catch(() => undefined);
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
    // `close` waits for all of them.
    const sent = this.#notify(short).catch(() => undefined);
    this.#notified = this.#notified.then(() => sent);
  }
}

/** Destroys the connection when the server does not answer: another host may lead by then. */
function request(client: pg.Client, text: string, values: readonly string[] = []) {
  return inTime(client, ANSWER_TIMEOUT_MS, () => client.query(text, [...values]));
}

/** Any session of the database can send a message: one that cannot be used wakes everything. */
function deliver(payload: string, onMessage: OnMessage): void {
  try {
    for (const [work, tenants] of Object.entries(JSON.parse(payload) as Pending)) {
      onMessage(work as WorkKind, tenants ?? undefined);
    }
  } catch {
    for (const work of workKinds) onMessage(work);
  }
}

function withoutTenants(pending: Pending): Pending {
  return Object.fromEntries(Object.keys(pending).map((work) => [work, null]));
}
