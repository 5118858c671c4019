// One serving process per SQLite file: its workers and its rate limits assume that.
// The lock is an operating system lock on a small file next to the database. It ends with the
// process, however that dies, so a restart need not wait.
import { closeSync, existsSync, openSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { formatInstant } from '../../../core/domain/base/instant.js';
import { StoreRefusal } from '../../../core/errors.js';

/** `servingProcess` holds the lock for a shorter time. */
const LOOK_TIMEOUT_MS = 100;

export interface LockHolder {
  readonly pid: number;
  readonly sinceMs: number;
}

export function acquireServingLock(databasePath: string): () => void {
  const path = lockPath(databasePath);
  // Who can open the file can lock it.
  closeSync(openSync(path, 'a', 0o600));
  const connection = new SqliteConnection(path, { timeout: LOOK_TIMEOUT_MS });
  try {
    // The holder is written first, so that it can be read while the lock is held. Two processes may
    // both write; the second statement lets one of them through.
    connection.exec(`create table if not exists server (
      pid integer not null, since_at integer not null
    ) strict`);
    connection.exec(`begin immediate; delete from server;
      insert into server (pid, since_at) values (${process.pid}, ${Date.now()}); commit`);
    connection.exec('begin immediate');
  } catch (error) {
    if (!isBusy(error)) throw error;
    const holder = holderOf(connection);
    connection.close();
    throw new StoreRefusal(refusal(databasePath, holder), { cause: error });
  }
  return () => connection.close();
}

/** The process that serves the file; null if there is none, `unknown` while one starts. */
export function servingProcess(databasePath: string): LockHolder | 'unknown' | null {
  const path = lockPath(databasePath);
  if (!existsSync(path)) return null;
  const connection = new SqliteConnection(path, { timeout: 0 });
  try {
    connection.exec('begin immediate; rollback');
    return null;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return holderOf(connection) ?? 'unknown';
  } finally {
    connection.close();
  }
}

function lockPath(databasePath: string): string {
  return `${databasePath}.lock`;
}

function refusal(databasePath: string, holder: LockHolder | null): string {
  if (holder === null) return `Another process already serves ${databasePath}. Stop it first.`;
  const { pid, sinceMs } = holder;
  return (
    `Process ${pid} already serves ${databasePath}. It began at ${formatInstant(sinceMs)}. ` +
    `Stop it first: kill ${pid}`
  );
}

/** Null while the other process is writing it. */
function holderOf(connection: SqliteConnection.Database): LockHolder | null {
  try {
    const row = connection
      .prepare<unknown[], LockHolder>('select pid, since_at as "sinceMs" from server')
      .get();
    return row ?? null;
  } catch (error) {
    if (error instanceof SqliteConnection.SqliteError) return null;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteConnection.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
