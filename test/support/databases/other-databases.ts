// Runs test files that stand on a store on another database than SQLite in memory.
import assert from 'node:assert/strict';
import { describeFile } from '../file-suite.js';
import { importsOf, projectFiles, type SourceFile } from '../source-tree.js';

const files: readonly SourceFile[] = projectFiles();

const STORE = 'test/support/databases/test-store.js';

/** Files that run on one database only, and why. */
const onceOnly: Readonly<Record<string, string>> = {
  'test/adapters/http/docs/description.test.ts':
    'its examples are what the first calls of a process give, compared as text',
  'test/adapters/http/docs/openapi.test.ts': 'the document is made of the routes alone',
};

/**
 * Files whose outcome the database can change beyond what the contract of the store proves:
 * requests to all operations, and work that several hosts do at the same time.
 */
export const sensitiveFiles: readonly string[] = [
  'fuzz',
  'repeated-creates',
  'session-kinds',
  'command-runner',
  'delivery-lease',
  'delivery-dispatch',
  'document-purges',
  'due-work',
  'epochs',
  'event-deliveries',
  'feed',
  'feed-readers',
  'ledger-check',
  'prune',
  'fingerprints',
].map(testFile);

/** The names of files are unique. */
function testFile(name: string): string {
  const file = files.find(({ path }) => path.endsWith(`/${name}.test.ts`));
  assert.ok(file !== undefined, name);
  return file.path;
}

/** `chosen` is the value of PONTE_TEST_DATABASE. It is for a process that runs nothing else. */
export function runOn(chosen: string, paths: readonly string[]): void {
  process.env['PONTE_TEST_DATABASE'] = chosen;
  for (const path of paths) {
    describeFile(path, () => import(`../../../${path}`));
  }
}

/** Every file in the folder that gets its store from test-store.ts, directly or not. */
export function filesOverStore(folder: string): readonly string[] {
  const byName = new Map(files.map((file) => [file.path.replace(/\.ts$/, '.js'), file]));
  const known = new Map([[STORE, true]]);
  const reaches = (name: string): boolean => {
    const file = byName.get(name);
    if (file === undefined || !name.startsWith('test/')) return false;
    const does = known.get(name) ?? importsOf(file).some(reaches);
    known.set(name, does);
    return does;
  };
  const found = [...byName]
    .filter(([name]) => name.startsWith(folder) && name.endsWith('.test.js') && reaches(name))
    .map(([, { path }]) => path);
  for (const path of Object.keys(onceOnly))
    assert.ok(!path.startsWith(folder) || found.includes(path), path);
  return found.filter((path) => onceOnly[path] === undefined);
}
