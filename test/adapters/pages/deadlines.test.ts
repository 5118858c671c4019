// A time to come that has passed is not named as if it still came.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isValidElement } from 'preact';
import { render } from 'preact-render-to-string';
import { catalogues } from '../../../adapters/pages/hosted/texts.js';
import { type DeadlineText, deadline } from '../../../core/domain/base/deadline.js';
import { DAY_MS } from '../../../core/domain/base/instant.js';
import { type Locale, locales } from '../../../core/domain/base/locale.js';
import { projectFiles } from '../../support/source-tree.js';
import { htmlOf, samples } from './buyer/page-samples.js';
import { textOf } from './visitor.js';

test('an instant is over once it has come, a day once the next one begins', () => {
  const text = { ahead: (when: string) => `by ${when}`, over: (when: string) => `was ${when}` };
  for (const [at, now, said] of [
    [2, 1, 'by X'],
    [1, 1, 'was X'],
    ['2026-11-30', '2026-11-30', 'by X'],
    ['2026-11-30', '2026-12-01', 'was X'],
  ] as const) {
    assert.equal(deadline<number | string, string>(at, now, 'X')(text), said, `${at} on ${now}`);
  }
});

/** Every sentence in two forms, with the part of the page that names the time left out. */
function pairsIn(value: unknown): readonly DeadlineText<string, unknown>[] {
  if (typeof value !== 'object' || value === null || isValidElement(value)) return [];
  if ('ahead' in value && 'over' in value) return [value as DeadlineText<string, unknown>];
  return Object.values(value).flatMap(pairsIn);
}

const MARK = '\u00a7';
const shown = (said: unknown) =>
  textOf(typeof said === 'string' ? said : render(said as Parameters<typeof render>[0])).trim();
const formOf = (said: unknown) => {
  const parts = shown(said).split(MARK);
  return new RegExp(
    parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.{4,60}?'),
  );
};

function said(locale: Locale, laterMs: number) {
  const texts = samples.map(({ view, ...sample }) => {
    const later = { ...view, nowMs: view.nowMs + laterMs };
    return textOf(htmlOf({ ...sample, view: later }, locale));
  });
  const isSaid = (form: RegExp) => texts.some((text) => form.test(text));
  const pairs = pairsIn(catalogues[locale]);
  return pairs.map(({ ahead, over }) => ({
    ahead: isSaid(formOf(ahead(MARK))),
    over: isSaid(formOf(over(MARK))),
    text: shown(ahead(MARK)),
  }));
}

test('every page says its deadlines as to come before them, and as over behind them', () => {
  for (const locale of locales) {
    const [before, behind] = [said(locale, 0), said(locale, 2_000 * DAY_MS)];
    assert.ok(before.length >= 7);
    for (const [at, { text, ahead }] of before.entries()) {
      assert.deepEqual([ahead, behind[at]?.ahead, behind[at]?.over], [true, false, true], text);
    }
  }
});

/** Times that are to come wherever their sentence is shown, each with what ends the sentence. */
const alwaysAhead: Readonly<Record<string, string>> = {
  'until {time': 'the page of a price ends with it',
  'due on {day': 'said of a due day that is further than the bank details last',
  'until ${at': 'a link that was just made, and a destination while it is held',
  'until ${to': 'a filter',
  'until ${moment': 'a mail, as it is sent',
  'until ${until': 'a mail, as it is sent',
  'ends on ${text': 'a link that was just made',
};
const times = 'when|day|until|at|time|end|moment|date|text|to|payBy|lastDay';
const named = new RegExp(`(?<!was )\\b(?:by|until|due on|ends on) \\$?\\{(?:${times})\\b`, 'g');
const bothForms = /ahead: [\s\S]*?over: [\s\S]*?(?=\n\s*\}|\s\})/g;

test('an English sentence with a time to come has both forms, or ends before that time', () => {
  const found = projectFiles()
    .filter(({ path }) => /^(adapters\/pages|core\/usecases)\//.test(path))
    .filter(({ path }) => !/\/(es|pt-br)[.-]|-(es|pt-br)\.|law-texts/.test(path))
    .flatMap(({ path, text }) =>
      [...text.replace(bothForms, '').matchAll(named)].map(([name]) => ({ path, name })),
    );
  assert.deepEqual(
    found.filter(({ name }) => alwaysAhead[name] === undefined),
    [],
  );
  const names = new Set(found.map(({ name }) => name));
  for (const name of Object.keys(alwaysAhead)) assert.ok(names.has(name), name);
});
