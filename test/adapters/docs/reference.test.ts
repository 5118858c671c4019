// adapters/docs/reference/ shows what the code declares. `npm run -s docs` writes it after
// a change of a setting, a metric, a command or an error code.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { z } from 'zod';
import { variables } from '../../../host/config.js';
import { guidePages, referencePages } from './reference-pages.js';

const folder = new URL('../../../adapters/docs/reference/', import.meta.url);

const written = [
  ...Object.entries(referencePages),
  ...Object.entries(guidePages).map(([name, textOf]) => [`../guides/${name}`, textOf] as const),
];

for (const [name, textOf] of written) {
  test(`reference/${name} is what the code declares`, () => {
    const path = new URL(name, folder);
    const text = textOf();
    if (process.env['PONTE_WRITE_DOCS'] === '1') writeFileSync(path, text);
    assert.equal(readFileSync(path, 'utf8'), text, `${name} is stale: run npm run docs`);
  });
}

test('every page of the reference is written from the code', () => {
  assert.deepEqual(readdirSync(folder).sort(), Object.keys(referencePages).sort());
});

test('every setting says what it is, in sentences', () => {
  const forms = Object.entries<z.ZodType>(variables.shape);
  const silent = forms.filter(([, form]) => !/^\S.*\.$/.test(form.description ?? ''));
  assert.deepEqual(
    silent.map(([name]) => name),
    [],
  );
});
