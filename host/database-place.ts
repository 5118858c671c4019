// Checks the place of the database before anything is opened or created: the file may be missing,
// or empty although it was served.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from './config.js';
import { SECRET_FILE } from './development.js';

/** Another process may be creating the file: it counts as empty after this wait. */
const MAKING_MS = 200;

type Place = Pick<Config, 'dataDir' | 'database'>;

/**
 * Why no database can be opened there; null when one can. A missing SQLite file is a problem unless
 * the caller `makes` databases.
 */
export async function placeProblem(
  place: Place,
  { makes }: { readonly makes: boolean },
): Promise<string | null> {
  return (await emptiedDatabase(place)) ?? (makes ? null : absentDatabase(place));
}

function absentDatabase(place: Place): string | null {
  const { database } = place;
  if (database.kind !== 'sqlite' || sizeOf(database.file) > 0) return null;
  return noDatabase(place, database.file);
}

/** The problem with a database that holds no migration of ours. */
export function noDatabase({ database, dataDir }: Place, name: string): string {
  const isDefault = database.kind === 'sqlite' && database.file === join(dataDir, 'ponte.db');
  const variable = isDefault ? 'PONTE_DATA_DIR' : 'PONTE_DATABASE_URL';
  return `${variable}: there is no database at ${name}; ponte serve or ponte migrate makes one`;
}

/** An empty file that was served before. Served as new, it would hide the loss of all data. */
async function emptiedDatabase({ dataDir, database }: Place): Promise<string | null> {
  if (database.kind !== 'sqlite' || sizeOf(database.file) !== 0) return null;
  await wait(MAKING_MS);
  if (sizeOf(database.file) !== 0) return null;
  const { file } = database;
  const documents = join(dataDir, 'documents');
  const mark = namesIn(documents).find((name) => name.startsWith('database-'));
  const traces = [
    ...[join(dataDir, SECRET_FILE), `${file}.lock`, `${file}-wal`],
    ...(mark === undefined ? [] : [join(documents, mark)]),
  ];
  const trace = traces.find((path) => sizeOf(path) >= 0);
  if (trace === undefined) return null;
  const variable = file.startsWith(dataDir) ? 'PONTE_DATA_DIR' : 'PONTE_DATABASE_URL';
  return (
    `${variable}: ${file} is empty, but was served: ${trace} is there. ` +
    'Restore it from a backup; to begin anew, remove the empty file'
  );
}

/** -1 if there is no file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
