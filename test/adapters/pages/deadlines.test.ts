// A time to come that has passed is not named as if it still came.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isValidElement } from 'preact';
import { render } from 'preact-render-to-string';
import { dashboardTexts } from '../../../adapters/pages/dashboard/dashboard-texts.js';
import { catalogues } from '../../../adapters/pages/hosted/texts.js';
import { formatOf } from '../../../adapters/pages/kit/format.js';
import {
  situationDeadlines,
  situationIn,
} from '../../../adapters/pages/letters/situation-texts.js';
import { type DeadlineText, deadline } from '../../../core/domain/base/deadline.js';
import { DAY_MS } from '../../../core/domain/base/instant.js';
import { type Locale, locales } from '../../../core/domain/base/locale.js';
import { createKey, unlimitedKey } from '../../../core/usecases/access/keys.js';
import { aBarePayment, T0 } from '../../support/samples/domain-samples.js';
import { sampleInstructions } from '../../support/samples/payin-samples.js';
import { sampleFunds } from '../../support/samples/sample-rows.js';
import { projectFiles } from '../../support/source-tree.js';
import { suiteEnd } from '../../support/suite-end.js';
import { htmlOf, samples } from './buyer/page-samples.js';
import { addSellers, memberToken, rootOf } from './dashboard/dashboard-site.js';
import { pageSite, textOf } from './visitor.js';

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

/** Where people read deadlines: their sentences, and what is shown so long after the samples. */
interface Surface {
  readonly pairs: (locale: Locale) => unknown;
  readonly shown: (locale: Locale, laterMs: number) => readonly string[] | Promise<string[]>;
}

const payment = aBarePayment({ expiresAtMs: T0 + 9 * DAY_MS, status: 'awaiting_buyer' });
const payinInstructions = sampleInstructions({ payByMs: T0 + 9 * DAY_MS });
const waiting = { ...payment, status: 'on_ramp_pending', payinInstructions } as const;
const views = [
  { payment, funds: sampleFunds },
  { payment: waiting, funds: sampleFunds },
  { payment: waiting, funds: { ...sampleFunds, position: 'received', receivedMinor: 1n } as const },
];

/** In days: more than any deadline of a sample. */
const LATER = 2_000;
const suite = suiteEnd();
const site = await pageSite(suite);
await addSellers(site);
const key = { ...unlimitedKey, ...site.tenant, createdBy: 'development', name: 'erp' } as const;

/** The pages of a seller that has to answer, and of a key whose former secret ends. */
async function dashboardPages(locale: Locale, laterMs: number): Promise<string[]> {
  const { key: made } = await createKey(site.world.deps, key);
  const root = rootOf(site);
  const signedIn = async () => {
    const cookie = `ponte-member=${await memberToken(site, 'owner')}; ponte-language=${locale}`;
    return site.visitor({ headers: { cookie } });
  };
  const own = await signedIn();
  await own.open(`${root}/keys/${made.id}/roll`);
  const rolled = await own.send('/roll', { name: 'erp', overlap: laterMs === 0 ? '24' : '0' });
  site.world.advanceClock(laterMs);
  const seller = await (await signedIn()).open(`${root}/sellers/acct_3`);
  site.world.advanceClock(-laterMs);
  return [rolled.text, seller.text].map(textOf);
}

const surfaces: Readonly<Record<string, Surface>> = {
  'pages of buyers': {
    pairs: (locale) => catalogues[locale],
    shown: (locale, laterMs) =>
      samples.map(({ view, ...sample }) => {
        const later = { ...view, nowMs: view.nowMs + laterMs };
        return textOf(htmlOf({ ...sample, view: later }, locale));
      }),
  },
  'what happens to a payment': {
    pairs: (locale) => situationDeadlines[locale],
    shown: (locale, laterMs) =>
      views.map((view) => {
        const at = { buyer: 'B', payee: 'P', timeZone: 'UTC', nowMs: T0 + laterMs };
        return situationIn(locale, formatOf(locale), { ...at, view }).next;
      }),
  },
  'pages of members': { pairs: (locale) => dashboardTexts[locale], shown: dashboardPages },
};

for (const [name, { pairs, shown: textsOf }] of Object.entries(surfaces)) {
  test(`${name}: deadlines are to come before them, and over behind them`, async () => {
    for (const locale of locales) {
      const [before, behind] = [await textsOf(locale, 0), await textsOf(locale, LATER * DAY_MS)];
      const found = pairsIn(pairs(locale));
      assert.ok(found.length >= 2);
      for (const pair of found) {
        const [ahead, over] = [formOf(pair.ahead(MARK)), formOf(pair.over(MARK))];
        const isSaid = (form: RegExp, texts: readonly string[]) =>
          texts.some((one) => form.test(one));
        assert.deepEqual(
          [isSaid(ahead, before), isSaid(ahead, behind), isSaid(over, behind)],
          [true, false, true],
          shown(pair.ahead(MARK)),
        );
      }
    }
  });
}

/** Times that are to come wherever their sentence is shown, each with what ends the sentence. */
const alwaysAhead: Readonly<Record<string, string>> = {
  'until ${time': 'the page of a price ends with it',
  'due on {day': 'said of a due day that is further than the bank details last',
  'until ${at': 'a link that was just made, and a destination while it is held',
  'until ${to': 'a filter',
  'until ${moment': 'a mail, as it is sent',
  'until ${until': 'a mail, as it is sent',
  'ends on ${text': 'a link that was just made',
  'by ${formatInstant': 'a key that was just replaced',
};
const times = 'when|day|until|at|time|end|moment|date|dueBy|text|to|payBy|lastDay|formatInstant';
const named = new RegExp(`(?<!was )\\b(?:by|until|due on|ends on) \\$?\\{(?:${times})\\b`, 'g');
const bothForms = /ahead: [\s\S]*?over: [\s\S]*?(?=\n\s*\}|\s\})/g;

test('an English sentence with a time to come has both forms, or ends before that time', () => {
  const found = projectFiles()
    .filter(({ path }) => /^(adapters\/pages|core\/(domain|usecases)|cli)\//.test(path))
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
