// The table of waits: what must hold for each row, independent of its numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs, type Schedule, schedules } from '../../../../core/domain/base/schedules.js';
import { ATTEMPTS_MAX } from '../../../../core/domain/webhooks/webhook-delivery.js';

const rows: readonly (readonly [string, Schedule])[] = Object.entries(schedules);

test('the waits of a schedule never shrink, and have a reason', () => {
  for (const [name, { waitsMs, slower = [], reason }] of rows) {
    for (const waits of [waitsMs, slower.map(([ageMs]) => ageMs), slower.map(([, ms]) => ms)]) {
      assert.deepEqual(
        waits,
        waits.toSorted((left, right) => left - right),
        name,
      );
    }
    assert.ok(waitsMs[0] > 0 && reason.endsWith('.'), name);
  }
});

test('after the last wait the same wait comes again', () => {
  const { waitsMs } = schedules.call;
  const tries = [0, 1, waitsMs.length - 1, waitsMs.length, 1_000];
  const last = waitsMs.at(-1);
  assert.deepEqual(
    tries.map((count) => backoffMs('call', count)),
    [waitsMs[0], waitsMs[1], last, last, last],
  );
});

test('a webhook has one attempt more than waits', () => {
  assert.equal(ATTEMPTS_MAX, schedules.webhookAttempt.waitsMs.length + 1);
});
