// The folder of backups, each in a folder. A backup gets its name once it is complete, verified and
// synced to disk. Before that, and while it is deleted, it has a name that readers ignore.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { formatInstant } from '../../core/domain/base/instant.js';
import {
  type BackedUpFile,
  isSameSource,
  MANIFEST_FILE,
  type Manifest,
  manifestText,
  readManifest,
  type Source,
} from './manifest.js';

/** Sorts by time, and is valid on every file system. */
const nameForm = /^ponte-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;
/** The machine and process of the writer, so that leftovers of dead processes are found. */
const partialForm = /^\.partial-(?<host>.+)-(?<pid>\d+)$/;
const REMOVED = '.removed-';

export interface Backup {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Makes a backup in `root`: `fill` writes and verifies its files. A failure deletes them. */
export async function writeBackup(
  root: string,
  takenAtMs: number,
  fill: (folder: string) => Promise<Manifest>,
): Promise<Backup> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  await removeLeftovers(root);
  const partial = join(root, `.partial-${hostname()}-${process.pid}`);
  const folder = join(root, `ponte-${formatInstant(takenAtMs).replace(/[:.]/g, '-')}`);
  await mkdir(partial, { mode: 0o700 });
  try {
    const manifest = await fill(partial);
    const path = join(partial, MANIFEST_FILE);
    await writeFile(path, manifestText(manifest), { mode: 0o600, flag: 'wx', flush: true });
    await syncFolder(partial);
    await rename(partial, folder);
    await syncFolder(root);
    return { folder, manifest };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** The newest complete backup of this source; null if there is none. */
export async function newestBackup(root: string, source: Source): Promise<Backup | null> {
  for (const name of await backupNames(root)) {
    const backup = await backupIn(join(root, name));
    if (backup !== null && isSameSource(backup.manifest.source, source)) return backup;
  }
  return null;
}

/** Deletes all rotating backups except the `keep` newest; returns the deleted folders. */
export async function removeOld(
  root: string,
  source: Source,
  keep: number,
): Promise<readonly string[]> {
  const backups = await Promise.all(
    (await backupNames(root)).map((one) => backupIn(join(root, one))),
  );
  const old = backups
    .filter((backup) => backup !== null)
    .filter(({ manifest }) => manifest.rotates && isSameSource(manifest.source, source))
    .slice(keep)
    .map(({ folder }) => folder);
  for (const folder of old) {
    // Renamed first: a partly deleted backup must not be found.
    const removed = join(root, `${REMOVED}${folder.slice(root.length + 1)}`);
    await rename(folder, removed);
    await rm(removed, { recursive: true, force: true });
  }
  return old;
}

export async function fileIn(folder: string, path: string): Promise<BackedUpFile> {
  const sum = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(join(folder, path)) as AsyncIterable<Buffer>) {
    sum.update(chunk);
    bytes += chunk.length;
  }
  return { path, bytes, sha256: sum.digest('hex') };
}

/** Makes new names in a folder survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Newest first. */
async function backupNames(root: string): Promise<readonly string[]> {
  const names = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names
    .filter((name) => nameForm.test(name))
    .toSorted()
    .toReversed();
}

/** Null unless the folder is a complete backup. */
async function backupIn(folder: string): Promise<Backup | null> {
  try {
    return { folder, manifest: await readManifest(folder) };
  } catch {
    return null;
  }
}

/** Leftovers of dead processes of this machine, and interrupted deletions. */
async function removeLeftovers(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const { host, pid } = partialForm.exec(name)?.groups ?? {};
    const isDead = host === hostname() && !isRunning(Number(pid));
    if (!isDead && !name.startsWith(REMOVED)) continue;
    await rm(join(root, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
