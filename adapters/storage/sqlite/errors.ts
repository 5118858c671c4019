// What an error of SQLite means to the caller: a lost race, a file that others hold for too long,
// or a machine that fails. Anything else is a fault of ours and stays as it is.
import SqliteConnection from 'better-sqlite3';
import { type ErrorCode, PonteError } from '../../../core/errors.js';
import { StoreConflict } from '../database.js';

/** By the beginning of SQLite's code, extended codes included. */
const refusals: readonly (readonly [code: string, refusal: ErrorCode])[] = [
  ['SQLITE_BUSY', 'StoreContention'],
  // The disk is full, or the quota is used up.
  ['SQLITE_FULL', 'StoreUnavailable'],
  ['SQLITE_IOERR', 'StoreUnavailable'],
  // A failing disk is often mounted again for reading only; no more files can be opened.
  ['SQLITE_READONLY', 'StoreUnavailable'],
  ['SQLITE_CANTOPEN', 'StoreUnavailable'],
  ['SQLITE_NOMEM', 'StoreUnavailable'],
  ['SQLITE_PROTOCOL', 'StoreUnavailable'],
  ['SQLITE_CORRUPT', 'StoreUnavailable'],
  ['SQLITE_NOTADB', 'StoreUnavailable'],
];

const uniqueCodes: readonly string[] = ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'];

export function meaningOf(error: unknown): unknown {
  if (!(error instanceof SqliteConnection.SqliteError)) return error;
  const { code, message } = error;
  if (uniqueCodes.includes(code)) return new StoreConflict('unique', message, error);
  const found = refusals.find(([beginning]) => code.startsWith(beginning));
  return found === undefined ? error : new PonteError(found[1], undefined, { cause: error });
}
