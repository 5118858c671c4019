// Which screen the hosted page shows in which state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { money } from '../../../../core/domain/base/money.js';
import {
  type Screen,
  type ScreenFacts,
  screenOf,
  screens,
} from '../../../../core/domain/hosted/hosted-screen.js';
import type { LimitHit } from '../../../../core/domain/payments/amount-limit.js';
import { noFunds, positions, refundStates } from '../../../../core/domain/payments/funds.js';
import type { PayinInstructions } from '../../../../core/domain/payments/payin-instructions.js';
import {
  isTerminal,
  type PaymentStatus,
  paymentStatuses,
} from '../../../../core/domain/payments/payment.js';
import { aLimitHit, aPayment, aQuote, T0 } from '../../../support/samples/domain-samples.js';

type Fields = Omit<Partial<ScreenFacts>, 'payment' | 'funds'> & {
  readonly limitHit?: LimitHit | null;
  readonly funds?: Partial<ScreenFacts['funds']>;
  readonly approvalLostAtMs?: number | null;
};

const instructions: PayinInstructions = {
  rails: [{ rail: 'ach', fields: [], arrivesWithinDays: null }],
  amount: money(25_000n, 'USD'),
  reference: '48120937',
  referenceRequired: true,
  holder: 'partner',
  payByMs: null,
};

function facts(
  status: PaymentStatus,
  { funds = {}, limitHit = null, approvalLostAtMs = null, ...fields }: Fields = {},
): ScreenFacts {
  const amount = money(25_000n, 'USD');
  const payment = aPayment({ status, amount, limitHit, approvalLostAtMs });
  return {
    payment,
    funds: { ...noFunds(payment), ...funds },
    kyc: 'form',
    quote: null,
    instructions: null,
    isOnHold: false,
    ...fields,
  };
}

const open = aQuote({ expiresAtMs: T0 + 1 });
const ended = aQuote({ expiresAtMs: T0 });
const day = aLimitHit({ untilMs: T0 + 1 });
const over = aLimitHit({ untilMs: T0 });
const lifted = aLimitHit({ untilMs: T0 + 1, isLifted: true });
const forever = aLimitHit({ period: 'payment', untilMs: null });
const received = (receivedMinor: bigint) => ({ receivedMinor, position: 'received' }) as const;

const lost: Fields = { kyc: 'rejected', approvalLostAtMs: T0 };
const late: Fields = { ...lost, funds: { payoutMinor: 25_000n } };
const surplus = { position: 'paid', refund: 'refund_owed' } as const;
const returned = { position: 'returned_to_buyer', refund: 'refunded' } as const;

const cases: readonly (readonly [name: string, facts: ScreenFacts, screen: Screen])[] = [
  ['no dossier', facts('buyer_kyc_pending'), 'kyc_form'],
  ['a dossier', facts('buyer_kyc_pending', { kyc: 'verifying' }), 'kyc_verifying'],
  ['corrections', facts('buyer_kyc_pending', { kyc: 'corrections' }), 'kyc_corrections'],
  ['approved', facts('buyer_kyc_approved', { kyc: 'approved' }), 'price_ask'],
  ['verified again', facts('buyer_kyc_approved', { kyc: 'verifying' }), 'kyc_verifying'],
  ['verified again', facts('fx_quoted', { kyc: 'corrections', quote: open }), 'kyc_corrections'],
  ['an open quote', facts('fx_quoted', { quote: open }), 'price'],
  ['an expired quote', facts('fx_quoted', { quote: ended }), 'price_expired'],
  ['over a limit', facts('buyer_kyc_approved', { limitHit: day }), 'price_limit'],
  ['the limit was lifted', facts('buyer_kyc_approved', { limitHit: lifted }), 'price_ask'],
  ['the day of the limit is over', facts('buyer_kyc_approved', { limitHit: over }), 'price_ask'],
  ['over a limit', facts('fx_quoted', { limitHit: forever, quote: ended }), 'price_limit'],
  ['a quote that was open', facts('fx_quoted', { limitHit: forever, quote: open }), 'price'],
  ['no instructions yet', facts('on_ramp_pending'), 'preparing'],
  ['instructions', facts('on_ramp_pending', { instructions }), 'bank_details'],
  ['checked', facts('on_ramp_pending', { instructions, isOnHold: true }), 'held'],
  ['short', facts('on_ramp_pending', { instructions, funds: received(24_900n) }), 'short'],
  [
    'all that came went back',
    facts('on_ramp_pending', {
      instructions,
      funds: { ...received(24_900n), refundedMinor: 24_900n },
    }),
    'bank_details',
  ],
  ['covered', facts('on_ramp_pending', { instructions, funds: received(25_000n) }), 'arrived'],
  ['too much', facts('on_ramp_pending', { instructions, funds: received(26_000n) }), 'arrived'],
  ['on chain', facts('on_chain_confirmed', { funds: received(25_000n) }), 'arrived'],
  ['payout', facts('offramp_pending'), 'on_the_way'],
  ['the buyer is rejected', facts('on_ramp_pending', { ...lost, instructions }), 'unapproved'],
  ['the buyer is rejected', facts('on_chain_confirmed', lost), 'unapproved'],
  ['rejected after the payout was sent', facts('offramp_pending', late), 'on_the_way'],
  ['settled', facts('settled'), 'paid'],
  ['settled, surplus owed', facts('settled', { funds: surplus }), 'paid'],
  ['settled, payout returned', facts('settled', { funds: returned }), 'refunded'],
  ['settled, paid again soon', facts('settled', { funds: received(25_000n) }), 'arrived'],
  [
    'settled, paid again',
    facts('settled', { funds: { position: 'payout_ordered' } }),
    'on_the_way',
  ],
  [
    'settled, payout back',
    facts('settled', { funds: { position: 'needs_review' } }),
    'needs_review',
  ],
  [
    'failed, but the payout was confirmed',
    facts('failed', { funds: { position: 'paid' } }),
    'paid',
  ],
  ['rejected', facts('failed', { kyc: 'rejected' }), 'kyc_rejected'],
  ['failed', facts('failed', { kyc: 'approved' }), 'failed'],
  ['payout lost', facts('failed', { funds: { position: 'needs_review' } }), 'needs_review'],
  ['refund owed', facts('failed', { funds: { refund: 'refund_owed' } }), 'refund_coming'],
  ['refund ordered', facts('cancelled', { funds: { refund: 'refund_ordered' } }), 'refund_coming'],
  ['refunded', facts('expired', { funds: { refund: 'refunded' } }), 'refunded'],
  ['refund refused', facts('expired', { funds: { refund: 'needs_review' } }), 'refund_review'],
  ['cancelled', facts('cancelled'), 'cancelled'],
  ['expired', facts('expired'), 'expired'],
];

for (const [name, given, screen] of cases) {
  test(`${given.payment.status}, ${name}: ${screen}`, () => {
    assert.equal(screenOf(given, T0), screen);
  });
}

test('every screen has a case', () => {
  assert.deepEqual(new Set(cases.map(([, , screen]) => screen)), new Set(screens));
});

test('a payment that ended never hides money that is owed, ordered or missing', () => {
  const quiet: readonly Screen[] = ['failed', 'kyc_rejected', 'cancelled', 'expired'];
  const ended = paymentStatuses.filter((status) => isTerminal(status) && status !== 'settled');
  const states = fc.record({
    status: fc.constantFrom(...ended),
    position: fc.constantFrom(...positions),
    refund: fc.constantFrom(...refundStates),
    kyc: fc.constantFrom('form', 'approved', 'rejected'),
  });
  fc.assert(
    fc.property(states, ({ status, position, refund, kyc }) => {
      const screen = screenOf(facts(status, { funds: { position, refund }, kyc }), T0);
      const silent = refund === 'none' && position !== 'needs_review' && position !== 'paid';
      assert.equal(quiet.includes(screen), silent);
    }),
  );
});
