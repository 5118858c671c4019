// The simulator catches a service that is broken on purpose, each variant by the rule it breaks.
// The nightly run adds those that take long to catch.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { testCaught } from './mutant-search.js';
import { mutants } from './mutants.js';
import { slowMutants } from './slow-mutants.js';

for (const { name, file, edits } of mutants) {
  test(`the text is there once that this replaces: ${name}`, () => {
    const source = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
    for (const [find] of edits) assert.equal(source.split(find).length - 1, 1, find);
  });
}

test('the names of slow mutants are names of mutants', () => {
  const names = mutants.map(({ name }) => name);
  assert.deepEqual(
    slowMutants.filter((name) => !names.includes(name)),
    [],
  );
});

testCaught(mutants.filter(({ name }) => !slowMutants.includes(name)));
