// The known migrations, and which of them a database lacks. Numbered SQL files, applied in order
// and never edited. The sessions run them. A file is one text for both databases: it is written in
// the words of PostgreSQL, and those of SQLite are made of it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { assert, StoreRefusal } from '../../core/errors.js';
import { integer, text } from './columns.js';
import type { Row } from './database.js';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, in hex. */
  readonly checksum: string;
}

type DatabaseName = 'sqlite' | 'postgres';

const loaded = new Map<DatabaseName, readonly Migration[]>();

/** They do not change while a process runs, which may open many stores. */
export function loadMigrations(database: DatabaseName): readonly Migration[] {
  const known = loaded.get(database) ?? readMigrations(database);
  loaded.set(database, known);
  return known;
}

/** Next to this file, both in the sources and in the built package. */
function readMigrations(database: DatabaseName): readonly Migration[] {
  const folder = new URL('./migrations/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name, index) => {
    const number = index + 1;
    const expected = `${String(number).padStart(4, '0')}.sql`;
    assert(name === expected, `migrations are numbered without gaps: ${expected}, not ${name}`);
    const sql = readFileSync(new URL(name, folder), 'utf8');
    const checksum = createHash('sha256').update(sql).digest('hex');
    return { number, name, sql: sqlFor(database, sql), checksum };
  });
}

/** What PostgreSQL writes, and what SQLite writes for it. */
const wordsOfSqlite: readonly (readonly [postgres: RegExp, sqlite: string])[] = [
  [/ collate "C"/g, ''],
  [/\b(bigint|timestamptz)\b/g, 'integer'],
  [/\b(\w+) boolean([^,;\n]*)/g, '$1 integer$2 check ($1 in (0, 1))'],
  [/date_trunc\('milliseconds', now\(\)\)/g, "cast(unixepoch('subsec') * 1000 as integer)"],
  [/^\);$/gm, ') strict, without rowid;'],
  // A table whose rows are long.
  [/^\); -- with rowid$/gm, ') strict;'],
];

/**
 * What follows the line `-- PostgreSQL:` or `-- SQLite:` is for that database alone, up to the next
 * such line or `-- Both:`.
 */
export function sqlFor(database: DatabaseName, sql: string): string {
  const other = database === 'sqlite' ? 'PostgreSQL' : 'SQLite';
  const parts = sql.split(/^(?=-- (?:PostgreSQL|SQLite|Both):$)/m);
  const own = parts.filter((part) => !part.startsWith(`-- ${other}:`)).join('');
  if (database === 'postgres') return own;
  return wordsOfSqlite.reduce((text, [postgres, sqlite]) => text.replace(postgres, sqlite), own);
}

/**
 * The migrations that are not among the applied ones. A database with an unknown migration, or with
 * another text of one, is refused: older code must not write to it.
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly Row[],
): readonly Migration[] {
  for (const row of applied) {
    const number = integer('number').read(row);
    const migration = known.find((candidate) => candidate.number === number);
    if (migration === undefined) {
      throw new StoreRefusal(
        `The database is at migration ${number}, newer than this version of Ponte ` +
          `(${known.length}). Install the version that wrote it, or a later one.`,
      );
    }
    if (migration.checksum !== text('checksum').read(row)) {
      throw new StoreRefusal(
        `The database was migrated with another text of ${migration.name}. ` +
          'Install the version that wrote it, or a later one.',
      );
    }
  }
  return known.slice(applied.length);
}

/** A migration that the database rejects, such as for a table that exists already. */
export function unfit({ name }: Migration, cause: Error): StoreRefusal {
  return new StoreRefusal(
    `Migration ${name} cannot be applied, and changed nothing: ${cause.message}. ` +
      'If only a part of it is there, restore the database from a backup.',
    { cause },
  );
}
