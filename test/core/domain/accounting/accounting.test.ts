// Closed months: what their entries are never changes, and what is booked later is of the next one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bookAccounts } from '../../../../core/domain/accounting/account-name.js';
import {
  type Accounting,
  accountsOf,
  bookedEntry,
  chosenMonth,
  closingOf,
  noAccounting,
  startOfBookDay,
  withAccounts,
  withClosed,
} from '../../../../core/domain/accounting/accounting.js';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import { isCode } from '../../../../core/errors.js';
import { samplePostings } from '../../../support/samples/entry-samples.js';

const none = noAccounting({ orgId: 'org_a', mode: 'test' });
const timeZone = 'America/Sao_Paulo';
const at = (text: string) => Date.parse(text);
const booked = (of: Accounting, atMs: number, zone = timeZone) => {
  const [sample = assert.fail()] = samplePostings;
  return bookedEntry(of, zone, { ...sample, atMs });
};
const closed = (of: Accounting, month: string, text: string, zone = timeZone) =>
  closedBy(of, month, { nowMs: at(text), timeZone: zone });
const closedBy = (of: Accounting, month: string, by: Parameters<typeof closingOf>[2]) => {
  const closing = closingOf(of, month, by);
  return closing === null ? of : withClosed(of, { ...closing, balances: [] });
};

test('a month that is closed after its end has its days; later ones are as the calendar says', () => {
  const after = closed(none, '2026-11', '2026-12-03T12:00:00Z');
  for (const [text, day] of [
    ['2026-10-05T12:00:00Z', '2026-10-05'],
    ['2026-12-01T02:59:59Z', '2026-11-30'],
    ['2026-12-01T03:00:00Z', '2026-12-01'],
    ['2026-12-15T12:00:00Z', '2026-12-15'],
  ] as const)
    assert.equal(booked(after, at(text)).day, day);
});

test('a month is closed once it is over in the zone, and its last minute has appeared', () => {
  // An entry appears a minute after it is booked.
  for (const [zone, end] of [
    ['America/Sao_Paulo', '2026-12-01T03:01:00Z'],
    ['Pacific/Kiritimati', '2026-11-30T10:01:00Z'],
  ] as const) {
    const early = new Date(at(end) - 1).toISOString();
    assert.throws(
      () => closed(none, '2026-11', early, zone),
      (error) => isCode(error, 'ValidationError'),
    );
    const [month] = closed(none, '2026-11', end, zone).closed;
    assert.equal(month?.untilMs, at(end) - 60_000);
  }
});

test('names and zone of a closed month stay, and names change from then on', () => {
  const named = withAccounts(none, { seller: '1.1.2.01' });
  const after = withAccounts(closed(named, '2026-11', '2026-12-03T12:00:00Z'), { seller: '9.9' });
  const [old, next] = ['2026-12-01T02:30:00Z', '2026-12-05T12:00:00Z'].map((text) =>
    booked(after, at(text), 'UTC'),
  );
  assert.deepEqual([old?.day, old?.accounts.seller], ['2026-11-30', '1.1.2.01']);
  assert.deepEqual([next?.day, next?.accounts.seller], ['2026-12-05', '9.9']);
  assert.equal(accountsOf(withAccounts(named, { seller: '' })).seller, bookAccounts.seller);
  for (const seller of ['a b', 'a,b', '<x>', 'a'.repeat(101)])
    assert.throws(
      () => withAccounts(none, { seller }),
      (error) => isCode(error, 'ValidationError'),
    );
});

test('a month is closed once, and in order', () => {
  const after = closed(none, '2026-11', '2026-12-03T12:00:00Z');
  assert.equal(closed(after, '2026-11', '2026-12-04T12:00:00Z'), after);
  assert.equal(closed(after, '2026-09', '2026-12-04T12:00:00Z'), after, 'closed with it');
  for (const month of ['2026-13', '2027-01', '2026-1', 'May', ''])
    assert.throws(
      () => closed(after, month, '2026-12-04T12:00:00Z'),
      (error) => isCode(error, 'ValidationError'),
    );
  assert.throws(
    () => closed(none, '0099-12', '2026-12-04T12:00:00Z'),
    (error) => isCode(error, 'ValidationError'),
    'years of another century: their list would have no end',
  );
});

test('a page shows the month that is asked for, and offers it', () => {
  const latest = ['2026-02', '2026-01', '2025-12'];
  for (const [asked, usual, month, months] of [
    ['', 0, '2026-02', latest],
    ['', 1, '2026-01', latest],
    ['2025-12', 0, '2025-12', latest],
    ['2024-05', 0, '2024-05', [...latest, '2024-05']],
    ['2026-03', 1, '2026-01', latest],
    ['May', 1, '2026-01', latest],
  ] as const)
    assert.deepEqual(
      chosenMonth(asked, '2026-02-15', { count: 3, usual }),
      { month, months },
      asked,
    );
});

test('law: no closing changes an entry of a closed month, days never go back, ranges have no gap', () => {
  const zone = fc.constantFrom('UTC', 'America/Sao_Paulo', 'Pacific/Kiritimati', 'Pacific/Apia');
  const months = fc.constantFrom('2026-09', '2026-10', '2026-11', '2026-12', '2027-01');
  const step = fc.record({ month: months, zone, hours: fc.integer({ min: 1, max: 900 }) });
  const start = at('2026-09-01T00:00:00Z');
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 6 }),
      fc.array(fc.nat(180 * 24), { minLength: 2 }),
      (steps, hours) => {
        const moments = hours
          .map((hour) => start + hour * 3_600_000)
          .sort((one, other) => one - other);
        let [books, nowMs] = [none, start];
        for (const { month, zone: timeZoneOf, hours: passed } of steps) {
          nowMs += passed * 3_600_000;
          const was = books;
          try {
            books = closedBy(was, month, { nowMs, timeZone: timeZoneOf });
          } catch (error) {
            assert.ok(isCode(error, 'ValidationError'));
          }
          const untilMs = was.closed.at(-1)?.untilMs ?? 0;
          for (const atMs of moments.filter((one) => one < untilMs))
            assert.deepEqual(booked(books, atMs, timeZoneOf), booked(was, atMs, 'UTC'));
        }
        const days = moments.map((atMs) => booked(books, atMs, 'UTC').day);
        assert.deepEqual(days, days.toSorted());
        for (const [index, atMs] of moments.entries()) {
          const day = days[index] ?? '';
          const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
          assert.ok(startOfBookDay(books, 'UTC', day) <= atMs, `${day} has begun`);
          assert.ok(startOfBookDay(books, 'UTC', next) > atMs, `${next} has not`);
        }
      },
    ),
    { numRuns: 500 },
  );
});
