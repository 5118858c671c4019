import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isQuoteExpired } from '../../../../core/domain/commands/quote.js';
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
