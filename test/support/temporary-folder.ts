// A folder for the files of a test. It is removed when the process ends, after every hook: hosts
// and databases of the tests may still write to it until then.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-test-'));
  folders.push(folder);
  return folder;
}
