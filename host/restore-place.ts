// The place that a restore fills, and how a staged copy comes into it: by renames, each of which is
// undone when a later one fails. The documents are moved one by one, because their folder may be a
// mount point, which cannot be renamed. The database leaves first and comes last: a start between
// two renames finds no database and refuses.
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../adapters/backup/backup-folder.js';
import { DATABASE_FILE, DOCUMENTS_FOLDER } from '../adapters/backup/manifest.js';
import { StoreRefusal } from '../core/errors.js';

/** Beside the database and inside the folder of the documents, each on the disk of its place. */
const STAGE = '.restoring-';
const REPLACED = '.replaced-';
/** Documents and marks. What else lies in their folder is not Ponte's and stays. */
const ownDocumentForm = /^(doc_|database-)/;

/** Where the database and its documents are, or are to be. */
export interface Place {
  readonly file: string;
  readonly documents: string;
}

export interface Stage extends Place {
  /** Ends the stage: what still lies in it is deleted. */
  remove(): Promise<void>;
}

type Move = readonly [from: string, to: string];

/** What is in the place: files of the database first, then its documents. */
export function occupantsOf({ file, documents }: Place): readonly string[] {
  const files = [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path));
  return documentsIn(documents).length > 0 ? [...files, documents] : files;
}

/** By the file system: the database may be damaged. Null where there is none. */
export function writtenAtMs({ file }: Place): number | null {
  const found = [file, `${file}-wal`]
    .map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs)
    .filter((atMs) => atMs !== undefined);
  return found.length === 0 ? null : Math.floor(Math.max(...found));
}

/** Folders from which renames into the place stay on one file system. */
export async function stageIn({ file, documents }: Place): Promise<Stage> {
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

/** Yields where the files lie that were in the place; they stay there when a rename fails. */
export async function swap(
  stage: Place,
  place: Place,
  instant: string,
): Promise<readonly string[]> {
  const suffix = `${REPLACED}${instant.replace(/[:.]/g, '-')}`;
  const aside = join(place.documents, suffix);
  // SQLite finds a log by the name of its database.
  const files = ['', '-wal', '-shm']
    .map((log): Move => [`${place.file}${log}`, `${place.file}${suffix}${log}`])
    .filter(([from]) => existsSync(from));
  const replaced = documentsIn(place.documents);
  const restored = documentsIn(stage.documents);
  if (replaced.length > 0) await mkdir(aside, { mode: 0o700 });
  try {
    await moveAll([
      ...files,
      ...replaced.map((name): Move => [join(place.documents, name), join(aside, name)]),
      ...restored.map((name): Move => [join(stage.documents, name), join(place.documents, name)]),
      [stage.file, place.file],
    ]);
  } catch (error) {
    if (replaced.length > 0 && readdirSync(aside).length === 0) rmdirSync(aside);
    throw error;
  }
  for (const folder of [place.documents, dirname(place.file)]) await syncFolder(folder);
  const names = files.map(([, to]) => to);
  return replaced.length > 0 ? [...names, aside] : names;
}

/** All of them or none. */
async function moveAll(moves: readonly Move[]): Promise<void> {
  const moved: Move[] = [];
  try {
    for (const [from, to] of moves) {
      // A rename replaces what it finds.
      if (existsSync(to)) throw new StoreRefusal(`${to} is there. Move it away first.`);
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
