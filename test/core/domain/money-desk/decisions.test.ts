// The table of what operators may decide about money.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  commandOf,
  decisionNames,
  decisionOf,
} from '../../../../core/domain/money-desk/decisions.js';

const product = globSync('{core,cli,adapters,host}/**/*.{ts,tsx}').filter(
  (path) => !/(docs|texts|letters|storage)\//.test(path),
);

/** Other names are also words of sentences and of other tables. */
const names = decisionNames.filter((name) => name.includes('_'));

for (const name of names) {
  test(`${name} is named in its row, and with its effect alone`, () => {
    const spellings = [name, name.replace('_', '-')].map((spelling) => `\\b${spelling}\\b`);
    const pattern = new RegExp(spellings.join('|'));
    assert.deepEqual(
      product.filter((path) => pattern.test(readFileSync(path, 'utf8'))).toSorted(),
      ['core/domain/money-desk/decisions.ts', 'core/usecases/money-desk/desk-items.ts'],
    );
  });
}

test('the item or --as selects the decision of a command that has several', () => {
  const seen = decisionNames.flatMap((name) =>
    Object.keys(decisionOf(name).of).map((subject) =>
      [commandOf(name), decisionOf(name).as, subject, decisionOf(name).text === null].join(' '),
    ),
  );
  const twice = seen.filter((one, at) => seen.indexOf(one) !== at && !one.endsWith('true'));
  assert.deepEqual(twice, []);
});
