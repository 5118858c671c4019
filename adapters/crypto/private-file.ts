// A file with a key, which only its owner may read, and which is written once.
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';

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
    linkSync(part, path);
  } catch (error) {
    // Another process was first.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    closeSync(file);
    rmSync(part);
  }
}
