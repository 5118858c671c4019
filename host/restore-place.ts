// The target of a restore, and the swap of a staged copy into it: by renames, which are undone when
// a later one fails. Documents are moved one by one, because their folder may be a mount point. The
// database is moved away first and in last: a start between two renames finds no database and
// refuses.
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../adapters/backup/backup-folder.js';
import { DATABASE_FILE, DOCUMENTS_FOLDER } from '../adapters/backup/manifest.js';
import { StoreRefusal } from '../core/errors.js';

/** Next to the database and in the documents folder, so that renames stay on one file system. */
const STAGE = '.restoring-';
const REPLACED = '.replaced-';
/** Documents and fingerprints. Other files in their folder are not Ponte's and stay. */
const ownDocumentForm = /^(doc_|database-)/;

export interface Place {
  readonly file: string;
  readonly documents: string;
}

export interface RestoreStage extends Place {
  /** Deletes the folder with the staged copy. */
  remove(): Promise<void>;
}

type Move = readonly [from: string, to: string];

export function occupantsOf({ file, documents }: Place): readonly string[] {
  const files = [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path));
  return documentsIn(documents).length > 0 ? [...files, documents] : files;
}

/** By the file system, since the database may be damaged. Null without a database. */
export function writtenAtMs({ file }: Place): number | null {
  const found = [file, `${file}-wal`]
    .map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs)
    .filter((atMs) => atMs !== undefined);
  return found.length === 0 ? null : Math.floor(Math.max(...found));
}

export async function stageIn({ file, documents }: Place): Promise<RestoreStage> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const made = mkdirSync(documents, { recursive: true, mode: 0o700 }) !== undefined;
  const folders = await Promise.all(
    [dirname(file), documents].map((folder) => mkdtemp(join(folder, STAGE))),
  );
  const [ofFile = '', ofDocuments = ''] = folders;
  return {
    file: join(ofFile, DATABASE_FILE),
    documents: join(ofDocuments, DOCUMENTS_FOLDER),
    remove: async () => {
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
      if (made && readdirSync(documents).length === 0) rmdirSync(documents);
    },
  };
}

/** Returns the new paths of the replaced files. When a rename fails, all files stay in place. */
export async function swap(
  staging: Place,
  place: Place,
  instant: string,
): Promise<readonly string[]> {
  const suffix = `${REPLACED}${instant.replace(/[:.]/g, '-')}`;
  const aside = join(place.documents, suffix);
  // SQLite finds the log by the name of the database.
  const files = ['', '-wal', '-shm']
    .map((log): Move => [`${place.file}${log}`, `${place.file}${suffix}${log}`])
    .filter(([from]) => existsSync(from));
  const replaced = documentsIn(place.documents);
  const restored = documentsIn(staging.documents);
  if (replaced.length > 0) await mkdir(aside, { mode: 0o700 });
  try {
    await moveAll([
      ...files,
      ...replaced.map((name): Move => [join(place.documents, name), join(aside, name)]),
      ...restored.map((name): Move => [join(staging.documents, name), join(place.documents, name)]),
      [staging.file, place.file],
    ]);
  } catch (error) {
    if (replaced.length > 0 && readdirSync(aside).length === 0) rmdirSync(aside);
    throw error;
  }
  for (const folder of [place.documents, dirname(place.file)]) await syncFolder(folder);
  const names = files.map(([, to]) => to);
  return replaced.length > 0 ? [...names, aside] : names;
}

async function moveAll(moves: readonly Move[]): Promise<void> {
  const moved: Move[] = [];
  try {
    for (const [from, to] of moves) {
      // A rename would replace an existing file.
      if (existsSync(to)) throw new StoreRefusal(`${to} exists. Move it away first.`);
      await rename(from, to);
      moved.push([from, to]);
    }
  } catch (error) {
    for (const [from, to] of moved.toReversed()) {
      await rename(to, from).catch((cause: unknown) => {
        const where = `${basename(from)} is now ${to}: move it back by hand`;
        throw new StoreRefusal(`The restore failed, and so did undoing it. ${where}.`, { cause });
      });
    }
    throw error;
  }
}

function documentsIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((it) => ownDocumentForm.test(it)) : [];
}
