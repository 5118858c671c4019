// The PostgreSQL session. Reads that are asked for at once go out as few statements, batches that
// wait are applied as one transaction in one round trip, so that one commit serves many callers. A
// batch that fails is told apart from those it went with, which are applied without it. It knows no
// aggregate.
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { assert, isCode, PonteError, StoreRefusal } from '../../core/errors.js';
import type { Sealer } from '../../core/ports.js';
import { type Database, type Param, type Row, type Statement, StoreConflict } from './database.js';
import { Gathering, type Waiting } from './gathering.js';
import { lostLeases } from './lost-leases.js';
import { loadMigrations } from './migrations.js';
import {
  type PostgresConnections,
  type PostgresOptions,
  postgresConnections,
} from './postgres-connections.js';
import { failureOf } from './postgres-failures.js';
import { type Batch, gathered, type Question, queriesOf, type Read } from './postgres-groups.js';
import { PostgresLine, serversSql } from './postgres-line.js';
import { migratePostgres, missingInPostgres, type Newer } from './postgres-migrations.js';
import { pipelined } from './postgres-pipeline.js';
import {
  isTransactionPooled,
  orphanedLocks,
  SILENT_SECONDS,
  TRANSACTION_POOLING,
} from './postgres-pooler.js';
import type { ServerIdentity } from './postgres-session.js';
import { type PreparedQuery, singleRead } from './postgres-text.js';
import { postgresRows } from './row-counts.js';
import { newSharedRateLimits } from './shared-rate-limits.js';
import { type HostLine, newStore, type ServedStore, type Server } from './store.js';
import { readNextDue } from './upkeep.js';
import { WriteWatch } from './write-watch.js';

/** Two, so that one group is being gathered and sent while the other one is under way. */
const READ_LANES = 2;
const WRITE_LANES = 2;
/** Larger groups hold their locks for longer, and cost more when one of them fails. */
const GROUP_MAX = 128;

/** Not `now()`, which is when the transaction began. */
const clockSql = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms';
const HEALTH_MAX_MS = 3_000;

/** SQLSTATEs of batches that lost a race: to be run again on what is there now. */
const conflicts: Readonly<Record<string, 'guard' | 'unique'>> = {
  // ponte_expect of the migrations.
  PT409: 'guard',
  '23505': 'unique',
  // Serialization failure, deadlock.
  '40001': 'guard',
  '40P01': 'guard',
};

export interface PostgresCounts {
  /** Round trips that read. */
  readonly reads: number;
  /** Transactions that were committed. */
  readonly commits: number;
  /** Batches that were applied in them. */
  readonly applied: number;
}

export interface PostgresStore extends ServedStore {
  readonly line: HostLine;
  readonly counts: PostgresCounts;
  readonly connections: PostgresConnections['counts'];
}

/** Connects when it is first used; `migrate` comes before that on a new database. */
export function openPostgresStore(
  options: PostgresOptions,
  sealer: Sealer | null = null,
  { silentSeconds = SILENT_SECONDS } = {},
): PostgresStore {
  const connections = postgresConnections(options);
  const database = new PostgresDatabase(connections, options.acquireTimeoutMs);
  const writes = new WriteWatch(database);
  const known = loadMigrations('postgres');
  let isServing = false;
  const parts = newStore(writes.database, sealer, () => (isServing ? ':' : '.'));
  const line = new PostgresLine(connections, {
    owner: () => parts.claims.owner,
    endLostLeases: lostLeases(writes.database),
  });
  // A newer host may migrate further while this one runs (ARCHITECTURE.md, "A newer schema").
  let newer: Newer = 'refused';
  return {
    ...parts,
    beginServing: () => {
      isServing = true;
      return 'together';
    },
    startThread: null,
    rateLimits: newSharedRateLimits(writes.database),
    nextDue: () => readNextDue(database),
    writeMark: () => null,
    onWrite: (written) => writes.onWrite(written),
    clockMs: () => clockOf(connections),
    keepWaits: async () => assert(false, 'hosts go by the clock of the database'),
    line,
    name: withoutPassword(options.url),
    async migrate() {
      // Before anything is locked in a session that is somebody else's too.
      if (await isTransactionPooled(connections)) throw new StoreRefusal(TRANSACTION_POOLING);
      const numbers = await migratePostgres(connections, known);
      newer = 'left aside';
      return numbers;
    },
    servers: () => serversOf(connections),
    connectionProblems: () => problemsOf(connections, silentSeconds),
    onLostCommits(hear) {
      const whileHeld = storeWhileHeld(connections, sealer);
      connections.onLostCommits((timeline) => hear(timeline, whileHeld));
    },
    isNew: async () => (await missingInPostgres(connections, known, newer)).length === known.length,
    rows: () => postgresRows(connections),
    async health() {
      try {
        const looked = missingInPostgres(connections, known, newer);
        const missing = await Promise.race([looked, tooLate()]);
        return { database: await writes.isWritable(), migrations: missing.length === 0 };
      } catch (error) {
        return { database: !isCode(error, 'StoreUnavailable'), migrations: false };
      }
    },
    async close() {
      await database.idle();
      await line.close();
      await connections.close();
    },
    get counts() {
      return database.counts;
    },
    get connections() {
      return connections.counts;
    },
  };
}

/** Works while all other work waits for the quarantine to begin. */
function storeWhileHeld(
  connections: PostgresConnections,
  sealer: Sealer | null,
): Pick<ServedStore, 'run'> {
  return newStore(new PostgresDatabase(connections.whileHeld), sealer);
}

async function problemsOf(
  connections: PostgresConnections,
  silentSeconds: number,
): Promise<readonly string[]> {
  if (await isTransactionPooled(connections)) return [TRANSACTION_POOLING];
  return orphanedLocks(connections, silentSeconds);
}

async function serversOf(connections: PostgresConnections): Promise<readonly Server[]> {
  const { rows } = await connections.use('repeatable', (client) => client.query(serversSql));
  return rows.map(({ name, since }) => ({ name: name ?? 'a host', sinceMs: since }));
}

async function clockOf(connections: PostgresConnections): Promise<number> {
  const { rows } = await connections.use('repeatable', (client) => client.query(clockSql));
  return rows[0].now_ms;
}

export class PostgresDatabase implements Database {
  readonly #connections: PostgresConnections['whileHeld'];
  readonly #reads: Gathering<Read>;
  readonly #batches: Gathering<Batch>;
  #readTrips = 0;
  #commits = 0;
  #applied = 0;

  constructor(connections: PostgresConnections['whileHeld'], waitMaxMs?: number) {
    this.#connections = connections;
    const options = { groupMax: GROUP_MAX, ...(waitMaxMs === undefined ? {} : { waitMaxMs }) };
    this.#reads = new Gathering({
      ...options,
      lanes: READ_LANES,
      work: (waiting) => this.#readNext(waiting),
    });
    this.#batches = new Gathering({
      ...options,
      lanes: WRITE_LANES,
      work: (waiting) => this.#applyNext(waiting),
    });
  }

  get counts(): PostgresCounts {
    return { reads: this.#readTrips, commits: this.#commits, applied: this.#applied };
  }

  read(sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => this.#reads.add({ sql, params, resolve, reject }));
  }

  batch(statements: readonly Statement[]): Promise<void> {
    return new Promise((resolve, reject) => this.#batches.add({ statements, resolve, reject }));
  }

  async immediate(sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    const { rows } = await this.#connections.use('once', (client) =>
      send(client, singleRead(sql, params)),
    );
    return rows;
  }

  async idle(): Promise<void> {
    await Promise.all([this.#reads.idle(), this.#batches.idle()]);
  }

  /** A group is taken when there is a connection for it: who waits too long for one is refused. */
  async #readNext(waiting: Waiting<Read>): Promise<void> {
    let group: readonly Read[] | null = null;
    const ask = async (client: pg.ClientBase) => {
      group = waiting.next();
      try {
        if (group.length > 0) await this.#askAll(client, group);
      } catch (error) {
        if (failureOf(error) !== null) group = waiting.giveBack(group);
        throw error;
      }
    };
    const error = await this.#tried(ask, (cause) => waiting.goesOn(cause));
    if (error !== null) for (const { reject } of group ?? waiting.next()) reject(error);
  }

  async #askAll(client: pg.ClientBase, group: readonly Read[]): Promise<void> {
    this.#readTrips += 1;
    const questions = gathered(group);
    try {
      const queries = questions.map(({ query }) => query);
      const results = await pipelined(client, queries, 'of all');
      for (const [index, { answer }] of questions.entries()) {
        answer((results[index] as pg.QueryResult).rows);
      }
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || questions.length === 1) throw error;
      await askEach(client, questions);
    }
  }

  async #applyNext(waiting: Waiting<Batch>): Promise<void> {
    let group: readonly Batch[] | null = null;
    const apply = async (client: pg.ClientBase, server: ServerIdentity) => {
      group = waiting.next();
      try {
        if (group.length > 0) await this.#commit(client, server, group);
      } catch (error) {
        // A commit that was lost may have happened: it is not done again.
        if (failureOf(error) === 'undone') group = waiting.giveBack(group);
        throw error;
      }
    };
    const error = await this.#tried(apply, (cause) => waiting.goesOn(cause));
    await this.#settle(group ?? waiting.next(), error);
  }

  async #applyAll(group: readonly Batch[]): Promise<void> {
    const apply: Trial = (client, server) => this.#commit(client, server, group);
    await this.#settle(group, await this.#tried(apply));
  }

  /** A group is applied as a whole or not at all. */
  async #commit(
    client: pg.ClientBase,
    server: ServerIdentity,
    group: readonly Batch[],
  ): Promise<void> {
    const queries = [...queriesOf(group), logPosition(server)];
    const results = await pipelined(client, queries, 'of the last');
    this.#connections.acknowledged(server, results.at(-1)?.rows[0]?.position ?? null);
  }

  async #settle(group: readonly Batch[], error: unknown): Promise<void> {
    if (group.length === 0) return;
    if (error === null) {
      this.#commits += 1;
      this.#applied += group.length;
      for (const { resolve } of group) resolve();
      return;
    }
    const mayBeOneOf = group.length > 1 && !isUnavailable(error);
    if (!mayBeOneOf) {
      for (const { reject } of group) reject(error);
      return;
    }
    // The halves are applied, but for what fails in them.
    const middle = group.length >> 1;
    await this.#applyAll(group.slice(0, middle));
    await this.#applyAll(group.slice(middle));
  }

  /** Null when it was done; a lost race comes back as a conflict. */
  async #tried(work: Trial, isWanted?: (cause: unknown) => boolean): Promise<unknown> {
    try {
      await this.#connections.use('once', work, isWanted);
      return null;
    } catch (error) {
      return asConflict(error);
    }
  }
}

type Trial = (client: pg.ClientBase, server: ServerIdentity) => Promise<void>;

/** Where the log is when everything of a batch is in it but its commit. */
function logPosition({ timeline }: ServerIdentity): PreparedQuery {
  const position = timeline === null ? 'null' : "(pg_current_wal_insert_lsn() - '0/0')::bigint";
  return singleRead(`select ${position} as position`, []);
}

/** One by one, after one of them has failed: who has its rows keeps them. */
async function askEach(client: pg.ClientBase, questions: readonly Question[]): Promise<void> {
  let failure: unknown = null;
  for (const { query, answer } of questions) {
    try {
      answer((await send(client, query)).rows);
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== null) throw failure;
}

async function send(client: pg.ClientBase, query: PreparedQuery): Promise<pg.QueryResult> {
  const [result] = await pipelined(client, [query], 'of all');
  assert(result !== undefined, 'a statement has a result');
  return result;
}

function asConflict(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const kind = conflicts[code];
  if (kind === undefined) return error;
  return new StoreConflict(kind, (error as Error).message, error);
}

/** A balancer that asks whether a host is ready does not wait for long. */
async function tooLate(): Promise<never> {
  await wait(HEALTH_MAX_MS, undefined, { ref: false });
  throw new PonteError('StoreUnavailable');
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:@/]*):[^@/]*@/, '$1@').replace(/\?.*$/, '');
}

function isUnavailable(error: unknown): boolean {
  return error instanceof PonteError;
}
