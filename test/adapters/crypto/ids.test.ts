import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createIds, seededBytes } from '../../../adapters/crypto/ids.js';
import { DAY_MS } from '../../../core/domain/base/instant.js';
import { AssertionFailure } from '../../../core/errors.js';
import { CELLS } from '../../../core/ports/outside.js';

const anyCell = fc.integer({ min: 0, max: CELLS - 1 });
const anyTimeMs = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test('an id is its prefix, then 26 characters of lower-case Crockford base32', () => {
  fc.assert(
    fc.property(anyTimeMs, (nowMs) => {
      assert.match(createIds().next('pi', nowMs), /^pi_[0-9a-hjkmnp-tv-z]{26}$/);
    }),
  );
});

test('ids sort by the time of their creation', () => {
  const ids = createIds();
  fc.assert(
    fc.property(anyTimeMs, anyTimeMs, (leftMs, rightMs) => {
      const [left, right] = [ids.next('evt', leftMs), ids.next('evt', rightMs)];
      if (leftMs !== rightMs) assert.equal(left < right, leftMs < rightMs);
    }),
  );
});

test('the characters are the 48 bits of time, the 10 of the cell and the 70 random bits', () => {
  const random = fc.uint8Array({ minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(anyTimeMs, random, anyCell, (nowMs, bytes, cell) => {
      const id = createIds(() => bytes, cell).next('qt', nowMs);
      let value = 0n;
      for (const character of id.slice(3)) {
        value = value * 32n + BigInt('0123456789abcdefghjkmnpqrstvwxyz'.indexOf(character));
      }
      const randomBits = BigInt(`0x${Buffer.from(bytes).toString('hex')}`) % 2n ** 70n;
      assert.equal(value, (BigInt(nowMs) << 80n) + (BigInt(cell) << 70n) + randomBits);
    }),
  );
});

test('each random bit changes the id', () => {
  const all = new Set([createIds(() => new Uint8Array(10)).next('qt', 1)]);
  for (let bit = 10; bit < 80; bit += 1) {
    const bytes = new Uint8Array(10);
    bytes[bit >> 3] = 0x80 >> (bit & 7);
    all.add(createIds(() => bytes).next('qt', 1));
  }
  assert.equal(all.size, 71);
});

test('characters 11 and 12 of an id name its cell, also of an API key', () => {
  const ids = createIds(undefined, 1_023);
  for (const id of [ids.next('pi', 5), ids.next('key', 6)]) {
    assert.equal(id.split('_')[1]?.slice(10, 12), 'zz');
  }
  assert.throws(() => createIds(undefined, CELLS), AssertionFailure);
});

test('a named id has the time and the cell of its id, and is the same in each cell', () => {
  const event = createIds(undefined, 1_023).next('evt', 5);
  const ids = [0, 1, 1_023].map((cell) => createIds(undefined, cell).named('whd', event, 'name'));
  assert.equal(new Set(ids).size, 1);
  assert.match(ids[0] ?? '', /^whd_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.equal(ids[0]?.slice(4, 16), event.slice(4, 16));
  assert.notEqual(createIds().named('whd', event, 'other'), ids[0]);
});

test('ids of one millisecond differ', () => {
  const ids = createIds();
  assert.equal(new Set(Array.from({ length: 10_000 }, () => ids.next('cmd', 5))).size, 10_000);
});

test('a time that is not whole milliseconds of 48 bits is refused', () => {
  for (const nowMs of [-1, 0.5, 2 ** 48, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => createIds().next('pi', nowMs), AssertionFailure);
  }
});

test('a seed decides every id and every byte', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.nat(100)), (seed, lengths) => {
      const [one, two] = [createIds(seededBytes(seed)), createIds(seededBytes(seed))];
      for (const length of lengths) {
        assert.equal(one.next('pi', length), two.next('pi', length));
        assert.deepEqual(one.randomBytes(length), two.randomBytes(length));
        assert.equal(one.randomBytes(length).length, length);
        two.randomBytes(length);
      }
    }),
  );
  assert.notEqual(
    createIds(seededBytes('a')).next('pi', 1),
    createIds(seededBytes('b')).next('pi', 1),
  );
});

test('seeded bytes are one stream, however they are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(70), { maxLength: 10 }), (lengths) => {
      const total = lengths.reduce((sum, length) => sum + length, 0);
      const cut = seededBytes('s');
      const parts = Buffer.concat(lengths.map((length) => cut(length)));
      assert.deepEqual(parts, Buffer.from(seededBytes('s')(total)));
    }),
  );
});

test('a posting is not before another one, also after the clock went back by less than a day', () => {
  const ids = createIds();
  const made = (nowMs: number) => ids.posting(nowMs).atMs;
  ids.postedUntil(DAY_MS);
  const times = [0, DAY_MS - 1, DAY_MS, 2 * DAY_MS, 2 * DAY_MS, DAY_MS + 5, DAY_MS + 6];
  const expected = [0, DAY_MS - 1, DAY_MS, 2 * DAY_MS, 2 * DAY_MS, 2 * DAY_MS + 1, 2 * DAY_MS + 2];
  assert.deepEqual(times.map(made), expected);
  const { id, atMs } = ids.posting(DAY_MS + 7);
  assert.ok(id > ids.next('pst', atMs - 1) && id < ids.next('pst', atMs + 1));
});
