// What orders to the partner do to the status of their payment, and to the orders that follow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MoneyCommand, OrderEnd } from '../../../core/domain/partner-command.js';
import { isTerminal, type PaymentStatus, paymentStatuses } from '../../../core/domain/payment.js';
import { MoneyScene, NOW_MS } from '../../support/money-scene.js';
import { completedPayin, orderOf, START_MS } from '../../support/sample-rows.js';

const payin = completedPayin('in', 10_000n);
const full = { end: 'completed', receivedMinor: 10_000n } as const;
const blocked = { state: 'refused', refusal: 'account_blocked' } as const;

/** How the pay-in stands. */
const payins = {
  'not ordered': null,
  pending: { state: 'pending', partnerRef: null },
  sent: { state: 'sent', partnerRef: null },
  'in doubt': { state: 'unknown', partnerRef: null },
  denied: { state: 'denied', partnerRef: null },
  open: {},
  'open with all received': { receivedMinor: 10_000n },
  'completed short': { end: 'completed', receivedMinor: 9_999n, confirmedMinor: 9_999n },
  completed: { ...full, confirmedMinor: 10_000n },
  failed: { end: 'failed' },
  returned: { ...full, end: 'returned', confirmedMinor: 10_000n },
  refused: blocked,
  'refused for its quote': { state: 'refused', refusal: 'quote_expired' },
  void: { state: 'void' },
} as const satisfies Readonly<Record<string, Partial<MoneyCommand> | null>>;

/** How the payout stands, its pay-in completed. */
const payouts = {
  pending: { state: 'pending', partnerRef: null },
  sent: { state: 'sent', partnerRef: null },
  'in doubt': { state: 'unknown', partnerRef: null },
  denied: { state: 'denied', partnerRef: null },
  open: {},
  completed: { end: 'completed' },
  failed: { end: 'failed' },
  returned: { end: 'returned' },
  refused: blocked,
} as const satisfies Readonly<Record<string, Partial<MoneyCommand>>>;

type Steps<Case extends string> = Readonly<Record<Case, PaymentStatus | 'stays'>>;

/** A pay-in was taken for refused, or a backup was restored: the payment goes the way to it. */
const beforePayin: Steps<keyof typeof payins> = {
  'not ordered': 'stays',
  pending: 'stays',
  sent: 'stays',
  'in doubt': 'stays',
  denied: 'stays',
  open: 'on_ramp_pending',
  'open with all received': 'on_ramp_pending',
  'completed short': 'on_ramp_pending',
  completed: 'on_chain_confirmed',
  failed: 'stays',
  returned: 'stays',
  refused: 'stays',
  'refused for its quote': 'stays',
  void: 'stays',
};

const payinSteps: Readonly<Partial<Record<PaymentStatus, Steps<keyof typeof payins>>>> = {
  awaiting_approval: beforePayin,
  approved: beforePayin,
  awaiting_buyer: beforePayin,
  buyer_kyc_pending: beforePayin,
  buyer_kyc_approved: beforePayin,
  fx_quoted: beforePayin,
  on_ramp_pending: {
    'not ordered': 'stays',
    pending: 'stays',
    sent: 'stays',
    'in doubt': 'stays',
    denied: 'stays',
    open: 'stays',
    'open with all received': 'stays',
    'completed short': 'stays',
    completed: 'on_chain_confirmed',
    failed: 'failed',
    returned: 'failed',
    refused: 'failed',
    'refused for its quote': 'fx_quoted',
    void: 'failed',
  },
};

const payoutSteps: Readonly<
  Record<'on_chain_confirmed' | 'offramp_pending', Steps<keyof typeof payouts>>
> = {
  on_chain_confirmed: {
    pending: 'stays',
    sent: 'offramp_pending',
    'in doubt': 'offramp_pending',
    denied: 'offramp_pending',
    open: 'offramp_pending',
    completed: 'settled',
    failed: 'failed',
    returned: 'failed',
    refused: 'failed',
  },
  offramp_pending: {
    pending: 'stays',
    sent: 'stays',
    'in doubt': 'stays',
    denied: 'stays',
    open: 'stays',
    completed: 'settled',
    failed: 'failed',
    returned: 'failed',
    refused: 'failed',
  },
};

for (const status of paymentStatuses) {
  test(`${status}: a pay-in moves it as the table says`, () => {
    for (const [name, fields] of Object.entries(payins)) {
      const order = fields === null ? [] : [orderOf('payin', 'in', fields)];
      const steps: Steps<string> | undefined = payinSteps[status];
      const expected = steps?.[name] ?? 'stays';
      const next = MoneyScene.at(status, order).changed(order);
      assert.equal(next.payment.status, expected === 'stays' ? status : expected, name);
    }
  });

  test(`${status}: a payout moves it as the table says`, () => {
    for (const [name, fields] of Object.entries(payouts)) {
      const orders = [payin, orderOf('payout', 'out', fields)];
      const steps: Steps<string> | undefined = payoutSteps[status as keyof typeof payoutSteps];
      // Before that, nothing was paid in yet, and so nothing is paid out.
      if (steps === undefined && !isTerminal(status)) continue;
      const expected = steps?.[name] ?? 'stays';
      const next = MoneyScene.at(status, orders).changed(orders.slice(1));
      assert.equal(next.payment.status, expected === 'stays' ? status : expected, name);
    }
  });
}

test('the reason of a failure is the refusal’s code, the partner’s words, or how the order ended', () => {
  const ended = (end: OrderEnd, reason: string | null) =>
    MoneyScene.at('on_ramp_pending', [orderOf('payin', 'in')]).report('in', { end, reason });
  assert.equal(ended('failed', 'bank closed').payment.failureReason, 'bank closed');
  assert.equal(ended('failed', null).payment.failureReason, 'pay-in failed');
  assert.equal(ended('returned', null).payment.failureReason, 'pay-in returned');
  const out = MoneyScene.at('offramp_pending', [payin, orderOf('payout', 'out')]);
  assert.equal(out.report('out', { end: 'failed' }).payment.failureReason, 'payout failed');
  const refused = out.changed([orderOf('payout', 'out', blocked)]);
  assert.equal(refused.payment.failureReason, 'payout refused: account_blocked');
});

test('a pay-in that completes orders the payout of the whole amount', () => {
  const next = MoneyScene.at('on_ramp_pending', [orderOf('payin', 'in')]).report('in', full);
  assert.deepEqual(
    [next.payment.status, next.funds.position, next.drafts()],
    ['on_chain_confirmed', 'received', ['payout 10000']],
  );
  const again = next.report('in', full);
  assert.deepEqual([again.drafts(), again.events(), again.postings()], [[], [], []]);
});

test('offramp_pending is set together with sending the payout', () => {
  const confirmed = MoneyScene.at('on_chain_confirmed', [
    payin,
    orderOf('payout', 'out', { state: 'pending' }),
  ]);
  const next = confirmed.send('out');
  assert.deepEqual(
    [next.payment.status, next.funds.position, next.order('out').state],
    ['offramp_pending', 'payout_ordered', 'sent'],
  );
});

test('settled only together with position paid; amount, fees, rate and end-to-end id are kept', () => {
  const paying = MoneyScene.at('offramp_pending', [payin, orderOf('payout', 'out')]);
  const next = paying.report('out', { end: 'completed' });
  assert.deepEqual([next.payment.status, next.funds.position], ['settled', 'paid']);
  assert.deepEqual(next.payment.settlement, {
    settled: { amountMinor: 51_480n, currency: 'BRL' },
    fees: { amountMinor: 100n, currency: 'USD' },
    fxRate: '5.20',
    endToEndId: 'E1',
  });
  assert.deepEqual(next.events(), ['payment_intent.settled', 'invoice.settled']);
  assert.deepEqual(next.postings(), ['payout_paid']);
});

test('each status has one event, in both namespaces', () => {
  const confirmed = MoneyScene.at('on_chain_confirmed', [
    payin,
    orderOf('payout', 'out', { state: 'unknown' }),
  ]);
  assert.deepEqual(confirmed.report('out', { end: 'completed' }).events(), [
    ...['payment_intent.offramp_pending', 'invoice.offramp_pending'],
    ...['payment_intent.settled', 'invoice.settled'],
  ]);
});

test('facts learned with an order are stored for a payment in any status, without an event', () => {
  for (const status of ['on_ramp_pending', 'cancelled', 'settled'] as const) {
    const scene = MoneyScene.at(status, [orderOf('payin', 'in')]);
    const learned = { instructions: '{"iban":"x"}', transactionHash: '0xabc' };
    const next = scene.changed([scene.order('in')], learned);
    assert.deepEqual(
      [next.payment.status, next.payment.payinInstructions, next.payment.transactionHash],
      [status, '{"iban":"x"}', '0xabc'],
    );
    assert.deepEqual(next.events(), []);
    const later = next.changed([scene.order('in')], { transactionHash: null });
    assert.equal(later.payment.transactionHash, '0xabc', 'what is known is not forgotten');
  }
});

test('a refused quote cannot be confirmed again', () => {
  const was = MoneyScene.at('on_ramp_pending', [orderOf('payin', 'in')], { quoteId: 'qt_1' });
  const next = was.changed([orderOf('payin', 'in', payins['refused for its quote'])]);
  assert.deepEqual(
    [next.payment.status, next.payment.quoteId, next.funds.position],
    ['fx_quoted', null, 'none'],
  );
  assert.deepEqual(next.events(), ['payment_intent.fx_quoted', 'invoice.fx_quoted']);
});

test('a late pay-in resumes its payment', () => {
  const refused = orderOf('payin', 'in', { ...payins['refused for its quote'], partnerRef: null });
  const requoted = MoneyScene.at('fx_quoted', [refused]);
  const next = requoted.report('in', full);
  assert.deepEqual([next.payment.status, next.drafts()], ['on_chain_confirmed', ['payout 10000']]);
  assert.deepEqual(next.events(), [
    ...['payment_intent.on_ramp_pending', 'invoice.on_ramp_pending'],
    ...['payment_intent.on_chain_confirmed', 'invoice.on_chain_confirmed'],
  ]);
});

test('a pay-in that exists after all is refused no more: when it fails, the payment does', () => {
  const refused = orderOf('payin', 'in', { ...payins['refused for its quote'], partnerRef: null });
  const found = MoneyScene.at('fx_quoted', [refused]).report('in', { end: 'open' });
  assert.equal(found.payment.status, 'on_ramp_pending');
  const { status, failureReason } = found.report('in', { end: 'failed' }).payment;
  assert.deepEqual([status, failureReason], ['failed', 'pay-in failed']);
});

test('a payment is covered, and does not expire, from when everything asked for is there', () => {
  const was = MoneyScene.at('on_ramp_pending', [orderOf('payin', 'in'), orderOf('payin', 'in_2')]);
  const short = was.report('in', { receivedMinor: 9_999n });
  assert.equal(short.payment.coveredAtMs, null);
  const covered = short.report('in', { receivedMinor: 10_000n });
  assert.deepEqual(
    [covered.payment.status, covered.payment.coveredAtMs],
    ['on_ramp_pending', NOW_MS],
  );
  const gone = short.report('in', { end: 'returned', receivedMinor: 9_999n });
  const part = gone.report('in_2', { receivedMinor: 9_999n });
  assert.equal(part.payment.coveredAtMs, null, 'what went back is not there');
  const known = MoneyScene.at('on_chain_confirmed', [payin], { coveredAtMs: START_MS });
  assert.equal(known.report('in', { receivedMinor: 20_000n }).payment.coveredAtMs, START_MS);
});

test('an ended payment orders nothing but refunds: what was not sent is void', () => {
  const states = ['pending', 'sent', 'unknown', 'denied', 'done', 'refused', 'void'] as const;
  for (const status of paymentStatuses.filter(isTerminal)) {
    for (const kind of ['payin', 'payout', 'refund'] as const) {
      for (const state of states) {
        const scene = MoneyScene.at(status, [payin, orderOf(kind, 'one', { state })]);
        const next = scene.changed([]);
        const expected = state === 'pending' && kind !== 'refund' ? 'void' : state;
        assert.equal(next.order('one').state, expected, `${status} ${kind} ${state}`);
      }
    }
  }
});

test('an order without effect waits, unless its payment has ended', () => {
  const pending = orderOf('payout', 'out', { state: 'pending', lastSentAtMs: START_MS });
  const sent = orderOf('payout', 'out', { state: 'sent', lastSentAtMs: START_MS });
  const waits = MoneyScene.at('offramp_pending', [payin, sent]).changed([pending]);
  assert.deepEqual(
    [waits.payment.status, waits.order('out').state],
    ['offramp_pending', 'pending'],
  );
  const ended = MoneyScene.at('failed', [payin, sent]).changed([pending]);
  assert.deepEqual([ended.order('out').state, ended.drafts()], ['void', ['refund 10000 of in']]);
});
