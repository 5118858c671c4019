// Readings of the partner's books: how far back each goes, when it is due, and when it is late.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import {
  type BookReading,
  firstReading,
  isReadingDue,
  isReadingLate,
  pageRead,
  readingFailed,
  type Span,
  spanNames,
} from '../../../../core/domain/deposits/book-reading.js';

const T0 = 1_800_000_000_000;

function first(span: Span, nowMs = T0, firstCommandAtMs: number | null = null): BookReading {
  const of = { partner: 'fake', mode: 'test', book: 'payin', span } as const;
  return firstReading(of, firstCommandAtMs, nowMs);
}

test('each span has its window and its rest', () => {
  const known = { ...first('recent'), fromMs: T0 - 365 * DAY_MS };
  const shown = spanNames.map((span) => {
    const read = pageRead({ ...known, span }, null, T0);
    return [span, (T0 - read.sinceMs) / DAY_MS, (read.dueAtMs - T0) / MINUTE_MS];
  });
  assert.deepEqual(shown, [
    ['recent', 3, 15],
    ['watched', 17, 12 * 60],
    ['complete', 97, 24 * 60],
  ]);
});

test('what the partner had before the first reading and the first command is never read', () => {
  const { fromMs } = first('complete');
  assert.equal(fromMs, T0 - 3 * DAY_MS);
  assert.equal(first('complete', T0, T0 - 5 * DAY_MS).fromMs, T0 - 8 * DAY_MS);
  assert.equal(pageRead(first('complete'), null, T0 + HOUR_MS).sinceMs, fromMs);
});

test('the next reading begins where this one began, however many pages it took', () => {
  const page = pageRead({ ...first('recent'), fromMs: 0 }, 'next', T0);
  assert.deepEqual([page.cursor, page.dueAtMs, page.completedAtMs], ['next', T0, null]);
  const last = pageRead(page, null, T0 + HOUR_MS);
  assert.deepEqual([last.beganAtMs, last.completedAtMs], [T0, T0 + HOUR_MS]);
  assert.equal(last.sinceMs, T0 - 3 * DAY_MS);
});

test('a release makes older readings due at once, unless they just failed', () => {
  const read = pageRead(first('recent'), null, T0);
  const soonMs = T0 + MINUTE_MS;
  assert.equal(isReadingDue(read, null, soonMs), false);
  assert.equal(isReadingDue(read, soonMs, soonMs), true);
  const failed = readingFailed(read, { reason: 'busy', startsOver: false }, soonMs);
  assert.equal(isReadingDue(failed, soonMs, soonMs), false);
  assert.equal(isReadingDue(pageRead(read, null, soonMs), soonMs, soonMs), false);
});

test('a reading is late two hours after it is due', () => {
  const read = pageRead(first('complete'), null, T0);
  assert.equal(isReadingLate(read, T0 + 26 * HOUR_MS), false);
  assert.equal(isReadingLate(read, T0 + 26 * HOUR_MS + 1), true);
});
