// What an SQLite error means to the caller: a lost race, a file that is locked for too long, or a
// failing machine. Any other error is a bug and is passed on.
import SqliteConnection from 'better-sqlite3';
import { type ErrorCode, PonteError } from '../../../core/errors.js';
import { StoreConflict } from '../database.js';

/** By prefix of SQLite's code, which extended codes share. */
const refusals: readonly (readonly [code: string, refusal: ErrorCode])[] = [
  ['SQLITE_BUSY', 'StoreContention'],
  // The disk is full, or the quota is used up.
  ['SQLITE_FULL', 'StoreUnavailable'],
  ['SQLITE_IOERR', 'StoreUnavailable'],
  // A failing disk is often remounted read-only; or no more files can be opened.
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
