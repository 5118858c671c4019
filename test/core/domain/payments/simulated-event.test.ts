// Simulated events: when each is possible, and what it makes a command report.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import { type PaymentStatus, paymentStatuses } from '../../../../core/domain/payments/payment.js';
import {
  possibleEvents,
  type SimulatedEvent,
  type SimulationFacts,
  simulated,
  simulatedEvents,
} from '../../../../core/domain/payments/simulated-event.js';

function factsAt(status: PaymentStatus, fields: Partial<SimulationFacts> = {}): SimulationFacts {
  return {
    status,
    isVerifying: true,
    hasQuote: true,
    hasPayout: true,
    payin: received(0n),
    hasPayin: true,
    ...fields,
  };
}

function received(receivedMinor: bigint, amountMinor = 25_000n): SimulationFacts['payin'] {
  return { amount: money(amountMinor, 'USD'), receivedMinor, isShared: false };
}

const identity = [
  'identity_approved',
  'identity_rejected',
  'identity_documents_again',
  'identity_pending',
] as const;
const refunds = ['refund_completes', 'refund_fails'] as const;
const ended = [
  'money_twice',
  'money_unmatched',
  'money_late',
  'payout_completes',
  'payout_returns',
  ...refunds,
];

/** The events that are possible with all commands there and no money received. */
const possible: Readonly<Record<PaymentStatus, readonly string[]>> = {
  awaiting_approval: [],
  approved: [],
  awaiting_buyer: [],
  buyer_kyc_pending: identity,
  buyer_kyc_approved: ['rate_locked'],
  fx_quoted: ['quote_expired', 'rate_moved', 'rate_locked'],
  on_ramp_pending: [
    'money_arrives',
    'money_from_other',
    'money_short',
    'money_over',
    'money_twice',
    'money_unmatched',
    'money_fails',
    'payout_fails',
    'payout_returns',
    ...refunds,
  ],
  on_chain_confirmed: [
    'money_twice',
    'money_unmatched',
    'payout_fails',
    'payout_returns',
    ...refunds,
  ],
  offramp_pending: [
    'money_twice',
    'money_unmatched',
    'payout_completes',
    'payout_fails',
    'payout_returns',
    ...refunds,
  ],
  settled: ['money_twice', 'money_unmatched', 'payout_returns', ...refunds],
  failed: ended,
  cancelled: ended.filter((event) => !event.startsWith('payout')),
  expired: ended.filter((event) => !event.startsWith('payout')),
};

test('each status has its events', () => {
  for (const status of paymentStatuses) {
    assert.deepEqual(possibleEvents(factsAt(status)), possible[status], status);
  }
});

test('each event is possible in some status, and none without what it is about', () => {
  const nothing = { isVerifying: false, hasQuote: false, hasPayout: false };
  const bare = { ...nothing, payin: null, hasPayin: false };
  const known = paymentStatuses.flatMap((status) => possibleEvents(factsAt(status)));
  const short = possibleEvents(factsAt('on_ramp_pending', { payin: received(24_900n) }));
  const form = possibleEvents(factsAt('buyer_kyc_pending', { isVerifying: false }));
  assert.deepEqual(new Set([...known, ...short, ...form]), new Set(simulatedEvents));
  const without = paymentStatuses.flatMap((status) => possibleEvents(factsAt(status, bare)));
  // A form can be sent, a quote be asked for, and a failure be chosen for the next payout.
  const free = ['identity_sent', 'rate_locked', 'payout_fails', 'payout_returns'];
  assert.deepEqual([...new Set(without)].toSorted(), free.toSorted());
});

type MoneyCase = readonly [SimulatedEvent, PaymentStatus, before: bigint, after: bigint | null];

const moneyCases: readonly MoneyCase[] = [
  ['money_arrives', 'on_ramp_pending', 0n, 25_000n],
  ['money_arrives', 'on_ramp_pending', 1n, null],
  ['money_from_other', 'on_ramp_pending', 0n, 25_000n],
  ['money_short', 'on_ramp_pending', 0n, 24_900n],
  ['money_short', 'on_ramp_pending', 24_900n, null],
  ['money_top_up', 'on_ramp_pending', 24_900n, 25_000n],
  ['money_top_up', 'on_ramp_pending', 0n, null],
  ['money_over', 'on_ramp_pending', 0n, 26_000n],
  ['money_over', 'on_ramp_pending', 24_900n, 26_000n],
  ['money_twice', 'on_ramp_pending', 0n, 50_000n],
  ['money_twice', 'settled', 26_000n, 50_000n],
  ['money_twice', 'settled', 50_000n, null],
  ['money_fails', 'on_ramp_pending', 0n, 0n],
  ['money_fails', 'on_ramp_pending', 1n, null],
  ['money_late', 'cancelled', 0n, 25_000n],
  ['money_late', 'expired', 24_900n, 25_000n],
  ['money_late', 'expired', 25_000n, null],
];

test('money events report the total of the pay-in, completed once it covers the amount', () => {
  for (const [event, status, before, after] of moneyCases) {
    const outcome = simulated(event, factsAt(status, { payin: received(before) }));
    if (after === null) assert.equal(outcome, null, `${event} ${before}`);
    else {
      assert.ok(typeof outcome === 'object' && outcome?.kind === 'payin', event);
      assert.equal(outcome.receivedMinor, after, event);
      const end = after < 25_000n ? 'open' : 'completed';
      assert.equal(outcome.status, event === 'money_fails' ? 'failed' : end, event);
    }
  }
});

test('a surplus is at most the amount, and an amount of one unit cannot arrive short', () => {
  const small = factsAt('on_ramp_pending', { payin: received(0n, 100n) });
  const over = simulated('money_over', small);
  assert.ok(typeof over === 'object' && over?.kind === 'payin');
  assert.equal(over.receivedMinor, 200n);
  assert.equal(simulated('money_short', small), null);
});

test('one transfer for several payments does not fail and has the name of their buyer', () => {
  const alone = received(0n) ?? assert.fail();
  const possible = (payin: SimulationFacts['payin'], hasPayin: boolean) =>
    possibleEvents(factsAt('on_ramp_pending', { payin, hasPayin }));
  const refused = new Set<SimulatedEvent>(['money_from_other', 'money_fails', ...refunds]);
  const rest = possible(alone, true).filter((event) => !refused.has(event));
  assert.deepEqual(possible({ ...alone, isShared: true }, false), rest);
  assert.ok(rest.includes('money_arrives') && rest.includes('money_short'));
});
