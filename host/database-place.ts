// Checks the place of the database before anything is opened or created: there may be none, or one
// that was served may be missing or empty.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from './config.js';
import { SECRET_FILE } from './development.js';

/** Another process may be creating the file: it counts as lost after this wait. */
const MAKING_MS = 200;

type Place = Pick<Config, 'dataDir' | 'database'>;

/**
 * Where there is no database, `first` makes one unless one was served there before; `new` makes one
 * there too, and only where there is none.
 */
export type Making = 'none' | 'first' | 'new';

/** Why no database can be opened there; null when one can. */
export async function placeProblem(place: Place, making: Making): Promise<string | null> {
  if (making === 'new') return presentDatabase(place);
  return (await lostDatabase(place)) ?? (making === 'first' ? null : absentDatabase(place));
}

function presentDatabase({ database }: Place): string | null {
  if (database.kind === 'sqlite' && sizeOf(database.file) <= 0) return null;
  const where = database.kind === 'sqlite' ? database.file : 'the URL';
  return `There is a database at ${where}. Start without --new.`;
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
  return (
    `There is no database at ${name}. If there should be one, check ${variable} and that its ` +
    'disk is mounted. ponte serve or ponte migrate makes a new one.'
  );
}

/**
 * A file that is missing or empty beside traces of the process that served it. Served as new, it
 * would hide the loss of all data.
 */
async function lostDatabase({ dataDir, database }: Place): Promise<string | null> {
  if (database.kind !== 'sqlite') return null;
  const { file } = database;
  if (sizeOf(file) > 0) return null;
  const trace = () => tracesOf(file, dataDir).find((path) => sizeOf(path) >= 0);
  if (trace() === undefined) return null;
  await wait(MAKING_MS);
  const [size, found] = [sizeOf(file), trace()];
  if (size > 0 || found === undefined) return null;
  return (
    `The database ${file} is ${size === 0 ? 'empty' : 'missing'}, but was served: ${found} is ` +
    'there. Mount its disk, or restore a backup (ponte restore --from), or start empty with ' +
    'ponte serve --new.'
  );
}

function tracesOf(file: string, dataDir: string): readonly string[] {
  const documents = join(dataDir, 'documents');
  const marks = namesIn(documents).filter((name) => name.startsWith('database-'));
  return [
    ...[join(dataDir, SECRET_FILE), `${file}.lock`, `${file}-wal`],
    ...marks.map((mark) => join(documents, mark)),
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
