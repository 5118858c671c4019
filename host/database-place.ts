// Checks whether there is a database before one is opened or created: it may be missing, or a
// served one may have been lost.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from './config.js';
import { SECRET_FILE } from './development.js';

/** Another process may be creating the file: it counts as lost after this wait. */
const CREATION_MS = 200;

type Place = Pick<Config, 'dataDir' | 'database'>;

/**
 * Whether a missing database is created. `first`: unless a database was served there before. `new`:
 * even then; an existing database is refused.
 */
export type Creation = 'none' | 'first' | 'new';

/** Why the database cannot be opened or created; null if it can. */
export async function databaseProblem(place: Place, creation: Creation): Promise<string | null> {
  if (creation === 'new') return existingDatabase(place);
  return (await lostDatabase(place)) ?? (creation === 'first' ? null : missingDatabase(place));
}

function existingDatabase({ database }: Place): string | null {
  if (database.kind === 'sqlite' && sizeOf(database.file) <= 0) return null;
  const where = database.kind === 'sqlite' ? database.file : 'the URL';
  return `There is a database at ${where}. Start without --new.`;
}

function missingDatabase(place: Place): string | null {
  const { database } = place;
  if (database.kind !== 'sqlite' || sizeOf(database.file) > 0) return null;
  return missingDatabaseText(place, database.file);
}

/** For a missing file, and for a database without our tables. */
export function missingDatabaseText({ database, dataDir }: Place, name: string): string {
  const isDefault = database.kind === 'sqlite' && database.file === join(dataDir, 'ponte.db');
  const variable = isDefault ? 'PONTE_DATA_DIR' : 'PONTE_DATABASE_URL';
  return (
    `There is no database at ${name}. If there should be one, check ${variable} and that its ` +
    'disk is mounted. ponte serve or ponte migrate creates a new one.'
  );
}

/**
 * A missing or empty file with traces of a server. A new database would hide the loss of all data.
 */
async function lostDatabase({ dataDir, database }: Place): Promise<string | null> {
  if (database.kind !== 'sqlite') return null;
  const { file } = database;
  if (sizeOf(file) > 0) return null;
  const trace = () => tracesOf(file, dataDir).find((path) => sizeOf(path) >= 0);
  if (trace() === undefined) return null;
  await wait(CREATION_MS);
  const [size, found] = [sizeOf(file), trace()];
  if (size > 0 || found === undefined) return null;
  return (
    `The database ${file} is ${size === 0 ? 'empty' : 'missing'}, but was served: ${found} ` +
    'exists. Mount its disk, restore a backup (ponte restore --from), or start empty with ' +
    'ponte serve --new.'
  );
}

function tracesOf(file: string, dataDir: string): readonly string[] {
  const documents = join(dataDir, 'documents');
  const fingerprints = namesIn(documents).filter((name) => name.startsWith('database-'));
  return [
    join(dataDir, SECRET_FILE),
    `${file}.lock`,
    `${file}-wal`,
    ...fingerprints.map((name) => join(documents, name)),
  ];
}

/** -1 if there is no file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

function namesIn(folder: string): readonly string[] {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? readdirSync(folder) : [];
}
