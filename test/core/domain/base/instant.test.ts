import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  EARLIEST_MS,
  formatInstant,
  isCalendarDate,
  LATEST_MS,
  parseInstant,
} from '../../../../core/domain/base/instant.js';
import { AssertionFailure } from '../../../../core/errors.js';
import { lawRuns } from '../../../support/law-runs.js';

const anyInstant = fc.integer({ min: EARLIEST_MS, max: LATEST_MS });

test('law: an instant is written in UTC with milliseconds, as Date writes it', () => {
  fc.assert(
    fc.property(anyInstant, (atMs) => {
      assert.equal(formatInstant(atMs), new Date(atMs).toISOString());
    }),
    { numRuns: lawRuns(2_000) },
  );
});

test('every first and last millisecond of a day around leap days is right', () => {
  for (const year of [0, 4, 100, 400, 1600, 1900, 1970, 1999, 2000, 2024, 2026, 2100, 9999]) {
    for (const [month, day] of [
      [0, 1],
      [1, 28],
      [2, 1],
      [11, 31],
    ] as const) {
      const start = new Date(0);
      start.setUTCFullYear(year, month, day);
      for (const offsetMs of [-1, 0, 86_399_999, 86_400_000]) {
        const atMs = start.getTime() + offsetMs;
        if (atMs < EARLIEST_MS || atMs > LATEST_MS) continue;
        assert.equal(formatInstant(atMs), new Date(atMs).toISOString());
      }
    }
  }
});

test('what four digits of a year cannot write is a programmer error', () => {
  assert.equal(formatInstant(EARLIEST_MS), '0000-01-01T00:00:00.000Z');
  assert.equal(formatInstant(LATEST_MS), '9999-12-31T23:59:59.999Z');
  for (const atMs of [EARLIEST_MS - 1, LATEST_MS + 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => formatInstant(atMs), AssertionFailure);
  }
});

test('law: what is written is read back as the same instant', () => {
  fc.assert(
    fc.property(anyInstant, (atMs) => {
      assert.equal(parseInstant(formatInstant(atMs)), atMs);
    }),
  );
});

test('law: an instant written with any offset is the same instant', () => {
  const offsetMinutes = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 });
  fc.assert(
    fc.property(anyInstant, offsetMinutes, (atMs, minutes) => {
      const localMs = atMs + minutes * 60_000;
      fc.pre(localMs >= EARLIEST_MS && localMs <= LATEST_MS);
      const two = (value: number) => `${value}`.padStart(2, '0');
      const size = Math.abs(minutes);
      const sign = minutes < 0 ? '-' : '+';
      const offset = `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
      assert.equal(parseInstant(`${formatInstant(localMs).slice(0, -1)}${offset}`), atMs);
    }),
  );
});

const accepted: readonly (readonly [text: string, same: string])[] = [
  ['2026-02-28T10:00:00Z', '2026-02-28T10:00:00.000Z'],
  ['2026-02-28t10:00:00z', '2026-02-28T10:00:00.000Z'],
  ['2026-02-28T10:00:00.5Z', '2026-02-28T10:00:00.500Z'],
  ['2026-02-28T10:00:00.123456789Z', '2026-02-28T10:00:00.123Z'],
  ['2026-02-28T10:00:00-03:00', '2026-02-28T13:00:00.000Z'],
  ['2026-02-28T23:30:00+05:45', '2026-02-28T17:45:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
  // Leap seconds, as in RFC 3339, 5.8.
  ['1990-12-31T23:59:60Z', '1990-12-31T23:59:59.999Z'],
  ['1990-12-31T15:59:60-08:00', '1990-12-31T23:59:59.999Z'],
  ['2031-06-30T23:59:60.25Z', '2031-06-30T23:59:59.999Z'],
  ['2031-07-01T05:44:60+05:45', '2031-06-30T23:59:59.999Z'],
  ['9999-12-31T23:59:60Z', '9999-12-31T23:59:59.999Z'],
];

test('RFC 3339 with an offset or Z is read', () => {
  for (const [text, same] of accepted) {
    const atMs = parseInstant(text);
    assert.ok(atMs !== null, text);
    assert.equal(formatInstant(atMs), same, text);
  }
});

test('anything but RFC 3339 with an offset or Z is refused', () => {
  const refused = [
    '',
    '2026-02-28T10:00:00',
    '2026-02-28',
    '2026-02-28 10:00:00Z',
    '2026-02-28T10:00Z',
    '2026-02-28T10:00:00.Z',
    '2026-02-28T10:00:00,5Z',
    '2026-02-28T10:00:00+0300',
    '2026-02-28T10:00:00+24:00',
    '2026-02-28T10:00:00+03:60',
    '2026-02-29T10:00:00Z',
    '1900-02-29T10:00:00Z',
    '2026-04-31T10:00:00Z',
    '2026-00-10T10:00:00Z',
    '2026-13-10T10:00:00Z',
    '2026-01-00T10:00:00Z',
    '2026-01-32T10:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T10:00:60Z',
    '2026-06-30T23:59:60-08:00',
    '2026-06-30T22:59:60Z',
    '2026-06-30T23:59:61Z',
    '+02026-01-01T10:00:00Z',
    '0000-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    ' 2026-02-28T10:00:00Z',
    '2026-02-28T10:00:00Z\n',
    '1772272800000',
  ];
  for (const text of refused) assert.equal(parseInstant(text), null, JSON.stringify(text));
});

test('a calendar date is a day that exists, as YYYY-MM-DD', () => {
  for (const text of ['2030-01-31', '2028-02-29', '0000-01-01', '9999-12-31']) {
    assert.equal(isCalendarDate(text), true, text);
  }
  const refused = [
    '',
    '2030-02-29',
    '2030-13-01',
    '2030-00-10',
    '2030-1-31',
    '30-01-31',
    '2030/01/31',
    '2030-01-31T00:00:00Z',
    '2030-01-31\n',
    ' 2030-01-31',
    '20300131',
    '+2030-01-31',
  ];
  for (const text of refused) assert.equal(isCalendarDate(text), false, JSON.stringify(text));
});
