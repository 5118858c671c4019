import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { money, parseRate } from '../../../../core/domain/base/money.js';
import { effectiveRate, isQuoteExpired } from '../../../../core/domain/commands/quote.js';
import { sampleQuote } from '../../../support/samples/sample-rows.js';

test('a quote can be confirmed up to its expiry, and not at it', () => {
  const { expiresAtMs } = sampleQuote;
  assert.equal(isQuoteExpired(sampleQuote, expiresAtMs - 1), false);
  assert.equal(isQuoteExpired(sampleQuote, expiresAtMs), true);
  assert.equal(isQuoteExpired(sampleQuote, expiresAtMs + 1), true);
});

test('how long a rate is locked does not prolong the quote', () => {
  const lockedUntilMs = sampleQuote.expiresAtMs + 60_000;
  const locked = { ...sampleQuote, rateKind: 'locked', lockedUntilMs } as const;
  assert.equal(isQuoteExpired(locked, sampleQuote.expiresAtMs), true);
});

test('the effective rate is BRL received per unit paid, with no float in between', () => {
  for (const [paid, received, rate] of [
    [10_000n, 54_057n, '5.4057'],
    [10_000n, 54_000n, '5.40'],
    [3n, 1n, '0.33333333'],
    [9_007_199_254_740_993n, 9_007_199_254_740_993n, '1.00'],
    [0n, 54_057n, null],
    [10_000n, 0n, null],
  ] as const) {
    assert.equal(effectiveRate(money(paid, 'USD'), money(received, 'BRL')), rate);
  }
});

test('the effective rate gives the BRL received back to a half of its last digit', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });
  fc.assert(
    fc.property(amount, amount, (paid, received) => {
      const rate = effectiveRate(money(paid, 'USD'), money(received, 'BRL'));
      const scaled = rate === null ? 0n : (parseRate(rate)?.rateScaled ?? -1n);
      const off = scaled * paid - received * 10n ** 8n;
      assert.ok((off < 0n ? -off : off) * 2n <= paid, `${received} / ${paid} is not ${rate}`);
    }),
  );
});
