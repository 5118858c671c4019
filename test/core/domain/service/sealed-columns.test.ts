// The table of sealed columns is complete: all code seals for a purpose of the table, so that a
// reseal finds every text under a retired key.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ts } from '@ts-morph/common';
import { sealedColumns } from '../../../../core/domain/service/sealed-columns.js';
import { projectFiles, type SourceFile } from '../../../support/source-tree.js';

/** A check value is removed with its key. */
const APART = 'core/usecases/service/secret-keys.ts';

/** The purpose of each `seal` call: the function that makes it, or the expression. */
function purposesIn({ path, text }: SourceFile): readonly string[] {
  if (!text.includes('seal')) return [];
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

/** A reseal takes the purpose from the table. */
function isResealed(path: string, purpose: string): boolean {
  return path === 'core/usecases/service/reseal.ts' && purpose === 'purpose';
}

test('all code seals for a column of the table', () => {
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
  const texts = purposes.flatMap((purpose) => ['a', 'b'].map((id) => purpose({ id, key: [id] })));
  assert.equal(new Set(texts).size, 2 * purposes.length);
});
