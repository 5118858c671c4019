// The PostgreSQL session. Concurrent reads go out as few statements; concurrent batches are applied
// as one transaction in one round trip, so one commit serves many callers. When a group fails, its
// halves are retried until the failing batch is alone, and the others are applied without it.
//
// Writes with the same template form one statement over arrays, and a guarded statement raises an
// error if its row is missing. `ponte_append` is the last statement: it locks the heads of feeds,
// in one order, until the commit. Two groups run at a time, so groups grow with the load. Waits for
// a connection, a lock and a statement are bounded and end in a retryable error. If a connection
// ends around a commit, the caller retries; the idempotency key or the version shows what happened.
import pg from 'pg';
import { assert, PonteError } from '../../../core/errors.js';
import {
  type CachedPage,
  type CachedRead,
  type Database,
  type Param,
  type Row,
  type Statement,
  StoreConflict,
} from '../database.js';
import type { PostgresConnections } from './connections.js';
import { failureOf } from './errors.js';
import { type BatchQueue, MicroBatcher } from './micro-batcher.js';
import { pipelined } from './pipeline.js';
import {
  gathered,
  type Question,
  queriesOf,
  type Read,
  type StatementBatch,
} from './query-groups.js';
import { type PreparedQuery, singleRead } from './query-text.js';
import type { ServerIdentity } from './session.js';

/** Two: one group is collected and sent while the other one is in progress. */
const READ_CONCURRENCY = 2;
const WRITE_CONCURRENCY = 2;
/** Larger groups hold locks for longer, and cost more when a batch fails. */
const GROUP_MAX = 128;

/** SQLSTATEs of batches that lost a race; the work runs again. */
const conflicts: Readonly<Record<string, 'guard' | 'unique'>> = {
  // ponte_expect of the migrations.
  PT409: 'guard',
  '23505': 'unique',
  // Serialization failure, deadlock.
  '40001': 'guard',
  '40P01': 'guard',
};

export interface PostgresCounts {
  readonly reads: number;
  readonly commits: number;
  readonly applied: number;
}

export class PostgresDatabase implements Database {
  // The group is applied again in halves.
  readonly refusesAlone = false;
  readonly #connections: PostgresConnections['whileSuspended'];
  readonly #reads: MicroBatcher<Read>;
  readonly #batches: MicroBatcher<StatementBatch>;
  #readTrips = 0;
  #commits = 0;
  #applied = 0;

  constructor(connections: PostgresConnections['whileSuspended'], waitMaxMs?: number) {
    this.#connections = connections;
    const options = { groupMax: GROUP_MAX, ...(waitMaxMs === undefined ? {} : { waitMaxMs }) };
    this.#reads = new MicroBatcher({
      ...options,
      concurrency: READ_CONCURRENCY,
      work: (queue) => this.#readNext(queue),
    });
    this.#batches = new MicroBatcher({
      ...options,
      concurrency: WRITE_CONCURRENCY,
      work: (queue) => this.#applyNext(queue),
    });
  }

  get counts(): PostgresCounts {
    return { reads: this.#readTrips, commits: this.#commits, applied: this.#applied };
  }

  read(sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => this.#reads.add({ sql, params, resolve, reject }));
  }

  /** Keeps nothing: other hosts write. */
  async cached<T>({ sql, read }: CachedRead<T>, params: readonly string[]): Promise<readonly T[]> {
    return (await this.read(sql, params)).map(read);
  }

  async page<T>({ sql, read }: CachedPage<T>, params: readonly Param[]): Promise<readonly T[]> {
    return (await this.read(sql, params)).map(read);
  }

  kept(): null {
    return null;
  }

  batch(statements: readonly Statement[]): Promise<void> {
    return new Promise((resolve, reject) => this.#batches.add({ statements, resolve, reject }));
  }

  /** The server syncs a commit before anybody sees it. */
  durable(): null {
    return null;
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

  /** Takes a group once there is a connection for it. */
  async #readNext(queue: BatchQueue<Read>): Promise<void> {
    let group: readonly Read[] | null = null;
    const ask = async (client: pg.ClientBase) => {
      group = queue.next();
      try {
        if (group.length > 0) await this.#askAll(client, group);
      } catch (error) {
        if (failureOf(error) !== null) group = queue.requeue(group);
        throw error;
      }
    };
    const error = await this.#tried(ask, (cause) => queue.isWanted(cause));
    if (error !== null) for (const { reject } of group ?? queue.next()) reject(error);
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

  async #applyNext(queue: BatchQueue<StatementBatch>): Promise<void> {
    let group: readonly StatementBatch[] | null = null;
    const apply = async (client: pg.ClientBase, server: ServerIdentity) => {
      group = queue.next();
      try {
        if (group.length > 0) await this.#commit(client, server, group);
      } catch (error) {
        // A lost commit may have succeeded: it is not repeated.
        if (failureOf(error) === 'undone') group = queue.requeue(group);
        throw error;
      }
    };
    const error = await this.#tried(apply, (cause) => queue.isWanted(cause));
    await this.#settle(group ?? queue.next(), error);
  }

  async #applyAll(group: readonly StatementBatch[]): Promise<void> {
    if (group.length === 0) return;
    const apply: Trial = (client, server) => this.#commit(client, server, group);
    await this.#settle(group, await this.#tried(apply));
  }

  async #commit(
    client: pg.ClientBase,
    server: ServerIdentity,
    group: readonly StatementBatch[],
  ): Promise<void> {
    const queries = [...queriesOf(group), logPosition(server)];
    const results = await pipelined(client, queries, 'of the last');
    this.#connections.acknowledged(server, results.at(-1)?.rows[0]?.position ?? null);
  }

  async #settle(group: readonly StatementBatch[], error: unknown): Promise<void> {
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
    // Each half is applied separately, to find the batch that fails.
    const middle = group.length >> 1;
    await this.#applyAll(group.slice(0, middle));
    await this.#applyAll(group.slice(middle));
  }

  /** Null on success; a lost race returns a StoreConflict. */
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

/** The log position of a group right before its commit. */
function logPosition({ timeline }: ServerIdentity): PreparedQuery {
  const position = timeline === null ? 'null' : "(pg_current_wal_insert_lsn() - '0/0')::bigint";
  return singleRead(`select ${position} as position`, []);
}

/** Repeats the reads one by one after one of them has failed. */
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

function isUnavailable(error: unknown): boolean {
  return error instanceof PonteError;
}
