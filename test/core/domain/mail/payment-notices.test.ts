import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeOf, noticesOf } from '../../../../core/domain/mail/payment-notices.js';
import {
  isShortPaid,
  type PaymentAggregate,
  unchanged,
} from '../../../../core/domain/payments/change.js';
import type { Funds } from '../../../../core/domain/payments/funds.js';
import { type Payment, paymentStatuses } from '../../../../core/domain/payments/payment.js';
import { sampleInstructions } from '../../../support/samples/payin-samples.js';
import { sampleFunds, samplePayment } from '../../../support/samples/sample-rows.js';

interface State {
  readonly payment?: Partial<Payment>;
  readonly funds?: Partial<Funds>;
}

/** 100.00 USD, with a price, of a buyer that signed in by mail. */
function stateOf({ payment, funds }: State): PaymentAggregate {
  const shown = { quoteId: 'qt_1', buyerLocale: 'pt-BR' } as const;
  return {
    payment: { ...samplePayment, ...shown, ...payment },
    funds: { ...sampleFunds, ...funds },
  };
}

const waiting = { payment: { status: 'on_ramp_pending' } } as const;

function causes(to: State, from: State = waiting): readonly string[] {
  const change = { ...unchanged(stateOf(to)) };
  return noticesOf(stateOf(from), change).map(({ cause }) => cause);
}

const { id } = samplePayment;
const held = { receivedMinor: 10_000n };
const owed = { receivedMinor: 10_000n, refundOwedMinor: 10_000n, refund: 'refund_owed' } as const;

const colleagueApproval = {
  state: 'asked',
  email: 'cfo@buyer.example',
  askedAtMs: 1,
  decidedAtMs: null,
  reason: null,
} as const;

function decided(state: 'approved' | 'declined') {
  return { ...colleagueApproval, state, decidedAtMs: 2 };
}

test('each state of a payment has its notices', () => {
  const failed = { status: 'failed' } as const;
  const cases: readonly (readonly [string, State, readonly string[]])[] = [
    ['approved', { payment: { status: 'buyer_kyc_approved' } }, [`kyc_approved:${id}`]],
    ['not taken', { payment: { ...failed, quoteId: null } }, [`kyc_rejected:${id}`]],
    ['a price', { payment: { status: 'fx_quoted' } }, []],
    ['a colleague is asked', { payment: { status: 'fx_quoted', colleagueApproval } }, []],
    [
      'a colleague approved',
      { payment: { status: 'fx_quoted', colleagueApproval: decided('approved') } },
      [`approval_given:${id}:2`],
    ],
    [
      'a colleague declined',
      { payment: { status: 'fx_quoted', colleagueApproval: decided('declined') } },
      [`approval_declined:${id}:2`],
    ],
    ['approved and confirmed', { payment: { colleagueApproval: decided('approved') } }, []],
    ['short', { ...waiting, funds: { receivedMinor: 9_900n } }, [`money_short:${id}:9900`]],
    ['covered', { ...waiting, funds: held }, [`money_received:${id}`]],
    [
      'arrived',
      { payment: { status: 'on_chain_confirmed' }, funds: held },
      [`money_received:${id}`],
    ],
    ['paid', { payment: { status: 'settled' }, funds: held }, [`receipt:${id}`]],
    ['cancelled', { payment: { status: 'cancelled' } }, [`cancelled:${id}`]],
    ['expired', { payment: { status: 'expired' } }, [`expired:${id}`]],
    ['failed', { payment: failed }, [`failed:${id}:nothing held`]],
    ['failed with money', { payment: failed, funds: held }, [`failed:${id}:held`]],
    [
      'cancelled with money: one letter says everything',
      { payment: { status: 'cancelled' }, funds: owed },
      [`refund_ordered:${id}:10000 ordered`],
    ],
    [
      'failed, and the money goes back',
      { payment: failed, funds: { ...owed, refund: 'refund_ordered' } },
      [`refund_ordered:${id}:10000 ordered`],
    ],
    [
      'a person returns it',
      { payment: { status: 'expired' }, funds: { ...owed, refund: 'needs_review' } },
      [`refund_ordered:${id}:10000 by hand`],
    ],
    [
      'returned',
      { payment: { status: 'expired' }, funds: { refund: 'refunded', refundedMinor: 10_000n } },
      [`refunded:${id}:10000`],
    ],
    [
      'paid, and a surplus was returned',
      { payment: { status: 'settled' }, funds: { refund: 'refunded', refundedMinor: 500n } },
      [`receipt:${id}`, `refunded:${id}:500`],
    ],
    [
      'a surplus goes back while the payment runs: the letter about the money says so',
      { payment: { status: 'offramp_pending' }, funds: { ...owed, receivedMinor: 10_500n } },
      [`money_received:${id}`],
    ],
  ];
  for (const [name, to, expected] of cases) assert.deepEqual(causes(to), expected, name);
});

test('every end of a payment has a notice, with money and without', () => {
  const refunds = ['none', 'refund_owed', 'refund_ordered', 'refunded', 'needs_review'] as const;
  for (const status of ['settled', 'failed', 'cancelled', 'expired'] as const) {
    for (const refund of refunds) {
      const found = causes({ payment: { status }, funds: { refund } });
      assert.ok(found.length > 0, `${status} ${refund}`);
    }
  }
});

test('a notice is staged by the change that makes it true, and not again', () => {
  const short = { ...waiting, funds: { receivedMinor: 5_000n } };
  assert.deepEqual(causes(short, short), []);
  const more = { ...waiting, funds: { receivedMinor: 6_000n } };
  assert.deepEqual(
    causes(more, short),
    [`money_short:${id}:6000`],
    'another amount is another one',
  );
});

test('a buyer that did not sign in by mail before the change gets none', () => {
  for (const status of paymentStatuses) {
    const from = { payment: { ...waiting.payment, buyerLocale: null } };
    assert.deepEqual(causes({ payment: { status }, funds: owed }, from), [], status);
  }
});

/** Bank details with this check code, of a command from the start. */
function withDetails(bankDetailsCode: string, funds: Partial<Funds> = {}): PaymentAggregate {
  const payinInstructions = sampleInstructions();
  return stateOf({ payment: { ...waiting.payment, payinInstructions, bankDetailsCode }, funds });
}

test('bank details are mailed when they are given, and when others replace them', () => {
  const after = (was: PaymentAggregate, is: PaymentAggregate) =>
    noticesOf(was, unchanged(is)).map(({ cause }) => cause);
  const short = { receivedMinor: 9_900n };
  const [first, second] = [withDetails('A'), withDetails('B')];
  assert.deepEqual(after(stateOf(waiting), first), [`instructions_ready:${id}:A`]);
  assert.deepEqual(after(first, second), [`instructions_ready:${id}:B`]);
  assert.deepEqual(after(withDetails('A', short), withDetails('B', short)), [
    `instructions_ready:${id}:B`,
  ]);
  assert.deepEqual(after(first, first), []);
  assert.deepEqual(after(withDetails('A', held), withDetails('B', held)), []);
  assert.deepEqual(after(withDetails('A', held), withDetails('A', short)), [
    `money_short:${id}:9900`,
  ]);
});

test('what is not mailed while the approval is lost is mailed once it is restored', () => {
  const lost = (was: PaymentAggregate): PaymentAggregate => ({
    ...was,
    payment: { ...was.payment, approvalLostAtMs: 1 },
  });
  const after = (was: PaymentAggregate, is: PaymentAggregate) =>
    noticesOf(was, unchanged(is)).map(({ cause }) => cause);
  const ready = withDetails('A');
  const short = withDetails('A', { receivedMinor: 9_900n });
  const arrived = stateOf({ payment: { status: 'on_chain_confirmed' }, funds: held });
  for (const [state, causes] of [
    [ready, [`instructions_ready:${id}:A`]],
    [short, [`instructions_ready:${id}:A`, `money_short:${id}:9900`]],
    [arrived, [`money_received:${id}`]],
  ] as const) {
    assert.deepEqual(after(lost(stateOf(waiting)), lost(state)), []);
    assert.deepEqual(after(lost(state), state), causes);
  }
});

test('a notice is over once its state is', () => {
  const short = { ...waiting, funds: { receivedMinor: 5_000n } };
  assert.equal(causeOf('money_short', stateOf(short)), `money_short:${id}:5000`);
  assert.equal(causeOf('money_short', stateOf({ ...waiting, funds: held })), null);
  assert.equal(causeOf('money_received', stateOf({ payment: { status: 'settled' } })), null);
});

test('a payment of which a bank took a part back is short again', () => {
  const taken = { receivedMinor: 10_000n, refundedMinor: 4_000n };
  assert.equal(isShortPaid(stateOf({ ...waiting, funds: taken })), true);
  assert.equal(isShortPaid(stateOf({ ...waiting, funds: held })), false);
  const back = { ...taken, refundedMinor: 10_000n };
  assert.equal(isShortPaid(stateOf({ ...waiting, funds: back })), false, 'nothing is here');
});
