// The table of what lies sealed is whole: whatever the code seals is sealed for a row of the table,
// so that nothing is left under a secret key that is taken out of use.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ts } from '@ts-morph/common';
import { sealedColumns } from '../../../core/domain/sealed-columns.js';
import { projectFiles, type SourceFile } from '../../support/source-tree.js';

/** The known text of a key goes with the key. */
const APART = 'core/usecases/secret-keys.ts';

/** What each call of `seal` is sealed for: the function called for it, or the text as it stands. */
function purposesIn({ path, text }: SourceFile): readonly string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const callee = ts.isCallExpression(node) ? node.expression : null;
    if (callee !== null && ts.isPropertyAccessExpression(callee) && callee.name.text === 'seal') {
      const [, purpose] = (node as ts.CallExpression).arguments;
      const isMade = purpose !== undefined && ts.isCallExpression(purpose);
      found.push((isMade ? purpose.expression : purpose)?.getText(source) ?? '');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const tree = projectFiles().filter(({ path }) => /^(core|adapters|host|cli)\/.*\.ts$/.test(path));

function unnamed(files: readonly SourceFile[]): readonly string[] {
  const names: readonly string[] = Object.values(sealedColumns).map(({ name }) => name);
  return files
    .filter(({ path }) => path !== APART)
    .flatMap((file) => purposesIn(file).map((purpose) => [file.path, purpose] as const))
    .filter(([path, purpose]) => !names.includes(purpose) && !isResealed(path, purpose))
    .map(([path, purpose]) => `${path}: ${purpose}`);
}

/** Sealed anew for what the table says. */
function isResealed(path: string, purpose: string): boolean {
  return path === 'core/usecases/reseal.ts' && purpose === 'purpose';
}

test('whatever is sealed is sealed for a column of the table', () => {
  for (const text of [
    "box.seal(text, 'pix:' + id)",
    'deps.secretBox.seal(JSON.stringify([a, b]), otherPurpose({ id }))',
    'secretBox.seal(text)',
  ]) {
    assert.equal(unnamed([{ path: 'core/a.ts', text }]).length, 1, text);
  }
  assert.deepEqual(unnamed(tree), []);
});

test('each purpose of the table is used, and binds a text to its column and row', () => {
  const used = new Set(tree.flatMap(purposesIn));
  const purposes = Object.values(sealedColumns);
  for (const { name } of purposes) assert.ok(used.has(name), name);
  const texts = purposes.flatMap((purpose) => ['a', 'b'].map((id) => purpose({ id })));
  assert.equal(new Set(texts).size, 2 * purposes.length);
});
