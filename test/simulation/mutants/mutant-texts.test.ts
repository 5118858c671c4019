// The texts that mutants replace: a change of the source that removes one is seen in a second.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mutants } from './mutants.js';

for (const { name, file, edits } of mutants) {
  test(`the text is there once that this replaces: ${name}`, () => {
    const source = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
    for (const [find] of edits) assert.equal(source.split(find).length - 1, 1, find);
  });
}
