// The store on SQLite: the parts of a serving process besides the session.
import type SqliteConnection from 'better-sqlite3';
import { assert } from '../../../core/errors.js';
import type { Sealer } from '../../../core/ports/storage.js';
import { readNextDue, keepWaits as shiftDueTimes } from '../due-times.js';
import { loadMigrations, type Migration } from '../migrations.js';
import { newStore, type ServedStore } from '../store.js';
import { WriteWatch } from '../write-watch.js';
import { isMemory } from './connection.js';
import { SqliteDatabase, type SqliteOptions } from './database.js';
import { appliedMigrations, migrateSqlite, missingMigrations } from './migrations.js';
import { newMemoryRateLimits } from './rate-limits.js';
import { acquireServingLock, servingProcess } from './serving-lock.js';
import { sqliteRows } from './stored-rows.js';
import type { WriterCounts } from './writer.js';

/** One process serves a file. Others may read and write it, but run no workers. */
export interface SqliteStore extends ServedStore {
  readonly counts: WriterCounts;
}

/** Only opens the file: call `migrate` before the first use of a new one. */
export function openSqliteStore(options: SqliteOptions, sealer: Sealer | null = null): SqliteStore {
  const database = new SqliteDatabase(options);
  const writes = new WriteWatch(database);
  const known = loadMigrations('sqlite');
  let releaseServing: (() => void) | null = null;
  return {
    ...newStore(writes.database, sealer),
    async migrate() {
      database.endReads();
      database.forget();
      return migrateSqlite(database.connection, known);
    },
    connectionProblems: async () => [],
    onLostCommits: () => undefined,
    async servers() {
      const holder = isMemory(options.path) ? null : servingProcess(options.path);
      if (holder === null) return [];
      if (holder === 'unknown') return [{ name: 'a process that is starting', sinceMs: null }];
      return [{ name: `process ${holder.pid}`, sinceMs: holder.sinceMs }];
    },
    async isNew() {
      missingMigrations(database.connection, known);
      return appliedMigrations(database.connection) === null;
    },
    rows: async () => sqliteRows(database.connection),
    async health() {
      const { migrations, database: isReadable } = healthOf(database.connection, known);
      const isWritable = database.isWritable && (await writes.isWritable());
      return { database: isReadable && isWritable, migrations };
    },
    async close() {
      await database.close();
      releaseServing?.();
      releaseServing = null;
    },
    acquireServing() {
      assert(releaseServing === null, 'a store is taken for serving once');
      if (!isMemory(options.path)) releaseServing = acquireServingLock(options.path);
      return 'exclusive';
    },
    serve: () => database.serve(),
    arrived: () => database.arrived(),
    rateLimits: newMemoryRateLimits(),
    nextDue: () => readNextDue(database),
    writeMark: () => database.writeMark(),
    onWrite: (written) => writes.onWrite(written),
    clockMs: null,
    shiftDueTimes: (step) => shiftDueTimes(writes.database, step),
    channel: null,
    deliveryMonths: null,
    name: options.path,
    get counts() {
      return database.counts;
    },
    connections: null,
  };
}

function healthOf(connection: SqliteConnection.Database, known: readonly Migration[]) {
  try {
    connection.prepare('select 1').get();
  } catch {
    return { database: false, migrations: false };
  }
  try {
    return { database: true, migrations: missingMigrations(connection, known).length === 0 };
  } catch {
    return { database: true, migrations: false };
  }
}
