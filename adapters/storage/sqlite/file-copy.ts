// Copies an SQLite file while a host serves it, and checks whether a copy is sound.
//
// The copy is a snapshot: one read transaction is open from the first page to the last, so writes
// during the copy neither appear in it nor restart it. The write-ahead log cannot be reset until
// then and grows by those writes.
import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import type { StoredRows } from '../row-counts.js';
import { openReadOnlyConnection } from './connection.js';
import { sqliteRows } from './stored-rows.js';

/** Pages copied between two turns of the event loop: 1 MiB. */
const STEP_PAGES = 256;
/**
 * Steps between two syncs of the copy. A commit of the host may wait for dirty pages of the same
 * file system, so the copy leaves few.
 */
const SYNC_STEPS = 8;

/**
 * `to` is created with mode 0600, as one file without a log, and is synced to disk. Returns the row
 * counts of the snapshot.
 */
export async function copySqliteFile(from: string, to: string): Promise<StoredRows> {
  const descriptor = openSync(to, 'wx', 0o600);
  try {
    const source = openReadOnlyConnection(from);
    let rows: StoredRows;
    try {
      // The first read begins the snapshot.
      source.exec('begin');
      rows = sqliteRows(source);
      let steps = 0;
      const progress = () => {
        steps += 1;
        if (steps % SYNC_STEPS === 0) fdatasyncSync(descriptor);
        return STEP_PAGES;
      };
      await source.backup(to, { progress });
    } finally {
      source.close();
    }
    withoutLog(to);
    fdatasyncSync(descriptor);
    return rows;
  } finally {
    closeSync(descriptor);
  }
}

export function damageOf(path: string): string | null {
  try {
    const connection = openReadOnlyConnection(path);
    try {
      const found = connection.pragma('integrity_check(1)', { simple: true });
      return found === 'ok' ? null : String(found);
    } finally {
      connection.close();
    }
  } catch (error) {
    if (error instanceof SqliteConnection.SqliteError) return error.message;
    throw error;
  }
}

/** The copy has the journal mode of its source, in which even readers write log files. */
function withoutLog(path: string): void {
  const connection = new SqliteConnection(path);
  try {
    connection.pragma('journal_mode = delete');
  } finally {
    connection.close();
  }
}
