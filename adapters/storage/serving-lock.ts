// One serving process per SQLite file: its workers, its sequencer and its rate limits assume to be
// alone. The lock is one of the operating system's on a small file beside the database, so that it
// ends with the process, however that dies, and a restart need not wait for anything.
import { closeSync, openSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { StoreRefusal } from '../../core/errors.js';

/** Returns what lets go of the lock. */
export function acquireServingLock(databasePath: string): () => void {
  const path = `${databasePath}.lock`;
  // Whoever could open it could hold it.
  closeSync(openSync(path, 'a', 0o600));
  const connection = new SqliteConnection(path, { timeout: 0 });
  try {
    // Who holds the lock is written first and can be read while it is held. Two processes that come
    // at once may both write; the second statement lets one of them through.
    connection.exec('create table if not exists holder (pid integer not null) strict');
    connection.exec(`begin immediate; delete from holder;
      insert into holder (pid) values (${process.pid}); commit`);
    connection.exec('begin immediate');
  } catch (error) {
    if (!isBusy(error)) throw error;
    const holder = holderOf(connection);
    connection.close();
    throw new StoreRefusal(`${holder} already serves ${databasePath}. Stop it first.`, {
      cause: error,
    });
  }
  return () => connection.close();
}

/** Whether some process holds the lock; whoever wants it just then may be refused. */
export function isServingLocked(databasePath: string): boolean {
  try {
    acquireServingLock(databasePath)();
    return false;
  } catch (error) {
    if (error instanceof StoreRefusal) return true;
    throw error;
  }
}

function holderOf(connection: SqliteConnection.Database): string {
  try {
    const pid = connection.prepare('select pid from holder').pluck().get();
    return pid === undefined ? 'Another process' : `Process ${pid}`;
  } catch (error) {
    // The other process is just writing it, perhaps for the first time.
    if (error instanceof SqliteConnection.SqliteError) return 'Another process';
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteConnection.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
