// Which instants a day of a zone has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, formatInstant, HOUR_MS } from '../../../../core/domain/base/instant.js';
import {
  DEFAULT_TIME_ZONE,
  dayOf,
  daysAfter,
  daysOf,
  endOfDay,
  localTime,
  rangeOf,
  readTimeZone,
  startOfDay,
  yearOf,
} from '../../../../core/domain/base/time-zone.js';

// From the IANA time zone database (https://www.iana.org/time-zones), files northamerica,
// southamerica, europe, africa, asia and australasia.
const days = [
  ['America/Sao_Paulo', '2027-03-31', '2027-03-31T03:00:00.000Z', 24, 'no summer time since 2019'],
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', 23, 'begins at 01:00'],
  ['America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00:00.000Z', 25, '23:00 comes twice'],
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z', 23, 'no 02:00'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z', 25, '01:00 comes twice'],
  ['Europe/London', '2026-03-29', '2026-03-29T00:00:00.000Z', 23, 'no 01:00'],
  ['Europe/London', '2026-10-25', '2026-10-24T23:00:00.000Z', 25, '01:00 comes twice'],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z', 23, 'begins at 01:00'],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z', 23, 'begins at 01:00'],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z', 25, '00:00 comes twice'],
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z', 0, 'a day that the zone skips'],
  ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z', 24, 'UTC+14'],
  ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z', 24, 'UTC+5:45'],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00.000Z', 24.5, 'half an hour twice'],
  ['UTC', '2026-12-31', '2026-12-31T00:00:00.000Z', 24, 'no zone'],
] as const;

test('a day begins at the first instant of its date and ends with the next day', () => {
  for (const [zone, day, start, hours, why] of days) {
    const [startMs, endMs] = [startOfDay(zone, day), endOfDay(zone, day)];
    assert.equal(formatInstant(startMs), start, `${zone} ${day}: ${why}`);
    assert.equal((endMs - startMs) / HOUR_MS, hours, `${zone} ${day}: ${why}`);
  }
});

test('law: the days of a zone follow each other, and each instant is in the day that is shown', () => {
  const zones = [...new Set(days.map(([zone]) => zone))];
  const instants = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) });
  fc.assert(
    fc.property(fc.constantFrom(...zones), instants, (zone, atMs) => {
      const day = dayOf(zone, atMs);
      assert.equal(endOfDay(zone, day), startOfDay(zone, daysAfter(day, 1)));
      assert.ok(startOfDay(zone, day) <= atMs && atMs < endOfDay(zone, day), `${zone} ${atMs}`);
      assert.equal(daysAfter(daysAfter(day, 1), -1), day);
    }),
  );
});

test('no day is beyond those that four digits can write', () => {
  assert.equal(daysAfter('9999-12-31', 1), '9999-12-31');
  assert.equal(daysAfter('0000-01-01', -1), '0000-01-01');
});

test('days of the first and the last years have an end', () => {
  for (const day of ['0001-02-01', '1582-10-10', '9999-12-31']) {
    const [startMs, endMs] = [startOfDay('America/Sao_Paulo', day), endOfDay('UTC', day)];
    assert.ok(endMs > startMs && endMs - startMs < 5 * DAY_MS, day);
  }
});

test('a month or a year has the days of the zone', () => {
  assert.deepEqual(daysOf({ year: 2028, month: 2 }), { from: '2028-02-01', to: '2028-02-29' });
  assert.deepEqual(daysOf({ year: 2026, month: 12 }), { from: '2026-12-01', to: '2026-12-31' });
  assert.deepEqual(daysOf({ year: 2026, month: null }), { from: '2026-01-01', to: '2026-12-31' });
  const { fromMs, beforeMs } = rangeOf(DEFAULT_TIME_ZONE, { year: 2027, month: 3 });
  assert.equal(formatInstant(fromMs), '2027-03-01T03:00:00.000Z');
  assert.equal(formatInstant(beforeMs), '2027-04-01T03:00:00.000Z');
  const evening = Date.parse('2027-01-01T02:59:59.999Z');
  assert.deepEqual(yearOf(DEFAULT_TIME_ZONE, evening), { year: 2026, month: null });
  assert.equal(localTime(DEFAULT_TIME_ZONE, evening), '2026-12-31 23:59:59');
});

test('a zone is a name of the IANA database, in any case; offsets and abbreviations are none', () => {
  for (const [text, expected] of [
    ['America/Sao_Paulo', 'America/Sao_Paulo'],
    [' america/sao_paulo ', 'America/Sao_Paulo'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['America/Port-au-Prince', 'America/Port-au-Prince'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Etc/GMT+3', 'Etc/GMT+3'],
    ['utc', 'UTC'],
    ['-03:00', null],
    ['UTC-3', null],
    ['GMT-3', null],
    ['BRT', null],
    ['EST', null],
    ['EST5EDT', null],
    ['São Paulo', null],
    ['America/São_Paulo', null],
    ['America/Sao Paulo', null],
    ['America/Nowhere', null],
    ['../etc/passwd', null],
    ['', null],
    [`America/${'a'.repeat(100)}`, null],
  ] as const) {
    assert.equal(readTimeZone(text), expected, text);
  }
});
