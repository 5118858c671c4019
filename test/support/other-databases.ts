// Runs whole test files on another database than the one that they run on by themselves: every
// file that gets its store from test-store.ts, however deep, so that a new one counts on arrival.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { importsOf, projectFiles, type SourceFile } from './source-tree.js';

const STORE = 'test/support/test-store.js';

/** Files that run on one database only, and why. */
const onceOnly: Readonly<Record<string, string>> = {
  'test/adapters/http/description.test.ts':
    'its examples are what the first calls of a process give, compared as text',
  'test/adapters/http/docs-page.test.ts': 'a browser looks at a page that needs no rows',
  'test/adapters/http/openapi.test.ts': 'the document is made of the routes alone',
};

/**
 * To be called in the body of an async suite: `chosen` is what PONTE_TEST_DATABASE is to say,
 * `folders` begin the paths of the files that are run.
 */
export function runOn(chosen: string, folders: readonly string[]): void {
  process.env['PONTE_TEST_DATABASE'] = chosen;
  const files = filesOverStore(projectFiles());
  for (const path of files.filter((file) => folders.some((at) => file.startsWith(at)))) {
    // What a file registers while it is loaded, its hooks included, belongs to its own suite.
    describe(path, async () => {
      await import(`../../${path}`);
    });
  }
}

/** The HTTP suite and the use cases, but for what reads no store. */
function filesOverStore(files: readonly SourceFile[]): readonly string[] {
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
    .filter(([name]) => /^test\/(adapters\/http|core)\/.*\.test\.js$/.test(name) && reaches(name))
    .map(([, { path }]) => path);
  for (const path of Object.keys(onceOnly)) assert.ok(found.includes(path), path);
  return found.filter((path) => onceOnly[path] === undefined);
}
