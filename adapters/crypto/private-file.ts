// A file with a key, which only its owner may read, and which is written once.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';

/** What a file system without hard links answers: FAT, and many on a network or of a user. */
const WITHOUT_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Writes a new file, and leaves one that is there. It is written under another name and then
 * linked, so that no full disk or end of the process leaves a part of it, and no reader sees one.
 */
export function createPrivateFile(path: string, text: string): void {
  // In containers each process has the same id, also the one that was killed before.
  const part = `${path}.${randomUUID()}`;
  const file = openSync(part, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
    nameIt(part, path);
  } catch (error) {
    // Another process was first.
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    closeSync(file);
    rmSync(part);
  }
}

/** There is no other way without links that leaves a file which is there. */
function nameIt(part: string, path: string): void {
  try {
    linkSync(part, path);
  } catch (error) {
    if (!WITHOUT_LINKS.includes(codeOf(error))) throw error;
    copyFileSync(part, path, constants.COPYFILE_EXCL);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
