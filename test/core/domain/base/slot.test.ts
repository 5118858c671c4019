import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { freeSlot } from '../../../../core/domain/base/slot.js';

test('law: the slot is free and below the bound, or there is none', () => {
  const slots = fc.integer({ min: 0, max: 40 });
  fc.assert(
    fc.property(
      fc.array(slots),
      fc.integer({ min: 1, max: 30 }),
      fc.nat(255),
      (taken, max, byte) => {
        const below = new Set(taken.filter((one) => one < max));
        const free = () => freeSlot(taken, max, Uint8Array.of(byte), 'full');
        if (below.size === max) return assert.throws(free, { message: 'full' });
        const slot = free();
        assert.ok(slot >= 0 && slot < max && !below.has(slot), `${slot}`);
      },
    ),
  );
});

test('every free slot comes about', () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  const found = new Set(bytes.map((random) => freeSlot([1, 3], 5, random, 'full')));
  assert.deepEqual([...found].toSorted(), [0, 2, 4]);
});
