import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeRef, readRef } from '../../../adapters/partner/fake-ref.js';
import { AssertionFailure } from '../../../core/errors.js';

const fields = fc
  .record({
    currency: fc.stringMatching(/^[A-Z]{3}$/),
    amountMinor: fc.bigInt({ min: 0n, max: 9_999_999_999_999_999n }),
    preparedAtMs: fc.integer({ min: 0, max: 9_000_000_000_000 }),
    when: fc.constantFrom('arrives', 'waits', 'arrived'),
    payee: fc.constantFrom('', 'fake_party_bGF0ZXI', 'fake_party_-_'),
    reference: fc.stringMatching(/^[A-Za-z0-9_-]{1,32}$/),
  })
  .map((all) => [
    all.when,
    all.currency,
    all.amountMinor,
    all.preparedAtMs,
    ...(all.payee === '' ? [] : [all.payee]),
    all.reference,
  ]);

test('an id gives back the fields that it was made of', () => {
  fc.assert(
    fc.property(fields, (given) => {
      const ref = makeRef('test', 'payin', given);
      assert.match(ref, /^fake_payin_[A-Za-z0-9_-]{30,160}$/);
      const read = readRef('test', 'payin', ref);
      // Without a payee its field is empty.
      if (given.length === 5) assert.equal(read?.[4], '');
      assert.deepEqual(
        read?.filter((field, at) => at !== 4 || field !== ''),
        given.map((field) => `${field}`),
      );
    }),
  );
});

test('an id is of one kind and one mode', () => {
  fc.assert(
    fc.property(fields, (given) => {
      const ref = makeRef('test', 'payin', given);
      assert.equal(readRef('live', 'payin', ref), null);
      for (const kind of ['party', 'pix', 'account', 'quote', 'payout', 'refund'] as const) {
        assert.equal(readRef('test', kind, ref), null);
        assert.equal(readRef('test', kind, ref.replace('fake_payin_', `fake_${kind}_`)), null);
      }
    }),
  );
});

test('any text is read without failing', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (left, right) => {
      const packed = Buffer.from(`${left}.${right}`).toString('base64url');
      for (const text of [left, `fake_payin_${left}`, `fake_payin_${packed}`]) {
        assert.equal(readRef('test', 'payin', text), null);
      }
    }),
  );
});

test('fields that do not fit the kind are a programmer’s error', () => {
  const ends = [1, 2, 'cmd_1'] as const;
  const odd = [
    ['later', 'USD', ...ends],
    ['waits', 'usd', ...ends],
    ['waits', 'USD', -1, 2, 'cmd_1'],
  ];
  for (const wrong of [[], ['USD'], ...odd, ['waits', 'USD', 1, 2, 'a.b']]) {
    assert.throws(() => makeRef('test', 'payin', wrong), AssertionFailure);
  }
});
