// Tables of the command line: as wide as the terminal, numbers below each other, color for alarms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { counting } from '../../cli/operator.js';
import { fields, laidOut, type Paper, paperOf, sizeText, table } from '../../cli/output.js';
import { widthOf } from '../../cli/text-width.js';
import { runCommand } from '../support/servers/command.js';

const at = (columns: number): Paper => ({ columns, hasColor: false });
const headings = ['ID', 'STATUS', 'AMOUNT', 'ERROR'];
const rows = [
  ['pi_1', 'settled', '4.10 USD', null],
  ['pi_200', 'failed', '1250000.00 USD', 'no connection to the partner (ECONNREFUSED 10.0.0.1)'],
] as const;
const drawn = (paper: Paper) => laidOut(`Payments\n\n${table(headings, rows, 'None.')}\n2.`, paper);

test('numbers end below each other, and text around a table stays', () => {
  assert.equal(
    drawn(at(120)),
    [
      'Payments',
      '',
      'ID      STATUS           AMOUNT  ERROR',
      'pi_1    settled        4.10 USD  -',
      'pi_200  failed   1250000.00 USD  no connection to the partner (ECONNREFUSED 10.0.0.1)',
      '2.',
    ].join('\n'),
  );
  assert.equal(laidOut(table(headings, [], 'None.'), at(80)), 'None.');
});

test('columns that do not fit stand below their row, with their heading', () => {
  assert.equal(
    drawn(at(40)),
    [
      'Payments',
      '',
      'ID      STATUS           AMOUNT',
      'pi_1    settled        4.10 USD',
      'pi_200  failed   1250000.00 USD',
      '  ERROR: no connection to the partner',
      '    (ECONNREFUSED 10.0.0.1)',
      '2.',
    ].join('\n'),
  );
});

test('no line is wider than the terminal unless a word is, and no word is lost', () => {
  const word = fc.stringMatching(/^[a-z0-9._]{1,30}$/);
  const cell = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
  const cells = fc.tuple(word, cell, cell, cell);
  fc.assert(
    fc.property(
      fc.array(cells, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 40, max: 130 }),
      (made, columns) => {
        const text = laidOut(table(['A', 'B', 'C', 'D'], made, ''), at(columns));
        for (const line of text.split('\n')) assert.ok(line.length <= columns, line);
        for (const word of made.flat().flatMap((one) => one.split(' ')))
          assert.ok(text.includes(word));
      },
    ),
  );
});

test('a stored text has no codes of terminals and no line ends', () => {
  const text = laidOut(table(['A', 'B'], [['\x1b[31mred\x1f', 'two\nlines\x9b']], ''), at(80));
  assert.equal(text.split('\n').length, 2);
  assert.doesNotMatch(text, /[\p{Cc}&&[^\n]]/v);
});

test('no stored text reaches the line after it, in a table or not', () => {
  const hostile = 'red \x1b[31m \u202eCBA\u2066 \x9b';
  const text = `${fields({ name: hostile })}\n${table(['A'], [[hostile]], '')}\nEnd of ${hostile}.`;
  assert.doesNotMatch(laidOut(text, at(80)), /[[\p{Cc}\p{Bidi_Control}]--\n]/v);
  assert.match(laidOut(text, at(80)), /^name {2}red {2}\[31m {2}CBA/);
});

test('color is for alarms, on a terminal that wants it', () => {
  const terminal = { isTTY: true, columns: 100 };
  for (const [stream, env, expected] of [
    [terminal, {}, true],
    [terminal, { NO_COLOR: '1' }, false],
    [terminal, { NO_COLOR: '' }, true],
    [terminal, { TERM: 'dumb' }, false],
    [{}, {}, false],
  ] as const) {
    const text = drawn(paperOf(stream, env));
    assert.equal(/failed/.test(text), true);
    assert.equal(text.includes('\x1b'), expected, JSON.stringify(env));
    assert.equal(text.includes('\x1b[31mfailed '), expected);
  }
});

test('a terminal says its width; a pipe has 80 columns, or COLUMNS', () => {
  for (const [stream, env, columns] of [
    [{ isTTY: true, columns: 132 }, { COLUMNS: '60' }, 132],
    [{ isTTY: true, columns: 0 }, {}, 80],
    [{}, {}, 80],
    [{}, { COLUMNS: '200' }, 200],
    [{}, { COLUMNS: 'x' }, 80],
    [{ isTTY: true, columns: 5 }, {}, 40],
  ] as const) {
    assert.equal(paperOf(stream, env).columns, columns);
  }
});

test('sizes are in units that people read', () => {
  for (const [bytes, text] of [
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1_000, '1.0 kB'],
    [17_805_312, '17.8 MB'],
    [3_200_000_000, '3.2 GB'],
  ] as const) {
    assert.equal(sizeText(bytes), text);
  }
});

test('a terminal counts the seconds of long work from the second one on, a pipe has none', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  for (const isTTY of [true, false]) {
    const said: string[] = [];
    const stderr = { isTTY, write: (text: string) => said.push(text) };
    const work = Promise.withResolvers<string>();
    const done = counting({ stderr }, 'backup', () => work.promise);
    t.mock.timers.tick(1_000);
    assert.deepEqual(said, []);
    t.mock.timers.tick(2_000);
    work.resolve('made');
    assert.equal(await done, 'made');
    const counts = ['\rponte backup: 2 s', '\rponte backup: 3 s'];
    assert.deepEqual(said, isTTY ? [...counts, '\r\x1b[K'] : []);
  }
});

test('an error of usage has the prefix of all errors', async () => {
  const { stderr } = await runCommand({}, ['org', 'show']);
  assert.match(stderr, /^ponte: missing required argument/);
});

test('columns stay below each other with wide and combined characters', () => {
  const names = ['Lindqvist', '株式会社東京商事', '(주)한빛무역', 'Cafe\u0301 Azul', 'Porto 🌉'];
  const text = table(
    ['NAME', 'STATUS'],
    names.map((name) => [name, 'settled']),
    'None.',
  );
  const lines = laidOut(text, at(80)).split('\n');
  const starts = lines.map((line) => widthOf(line.slice(0, line.search(/STATUS|settled/))));
  assert.deepEqual(new Set(starts), new Set([18]));
  assert.equal(lines[2], '株式会社東京商事  settled');
  const widths: readonly (readonly [text: string, width: number])[] = [
    ['ｶﾅ', 2],
    ['カナ', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['\u200d', 0],
  ];
  for (const [sample, width] of widths) assert.equal(widthOf(sample), width, sample);
});
