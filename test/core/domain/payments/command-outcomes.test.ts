// What commands to the partner do to the status of their payment, and to the commands that follow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandEnd, MoneyCommand } from '../../../../core/domain/commands/partner-command.js';
import { payoutDecided } from '../../../../core/domain/payments/command-outcomes.js';
import {
  isTerminal,
  type PaymentStatus,
  paymentStatuses,
} from '../../../../core/domain/payments/payment.js';
import { sampleInstructions } from '../../../support/samples/payin-samples.js';
import { commandOf, completedPayin, START_MS } from '../../../support/samples/sample-rows.js';
import { MoneyScene, NOW_MS } from '../../../support/scenes/money-scene.js';

const payin = completedPayin('in', 10_000n);
const full = { end: 'completed', receivedMinor: 10_000n } as const;
const blocked = { state: 'refused', refusal: 'account_blocked' } as const;
const requoted = { state: 'refused', refusal: 'quote_expired' } as const;

type Scene = Pick<MoneyScene, 'payment'>;
type Next = PaymentStatus | 'stays';
type Steps = readonly [Next, Next];

/**
 * Where a pay-in leads a payment before on_ramp_pending (the pay-in was taken for refused, or a
 * backup was restored), and a payment at on_ramp_pending.
 */
const payins: Readonly<Record<string, readonly [Partial<MoneyCommand> | null, ...Steps]>> = {
  'not ordered': [null, 'stays', 'stays'],
  pending: [{ state: 'pending', partnerRef: null }, 'stays', 'stays'],
  sent: [{ state: 'sent', partnerRef: null }, 'stays', 'stays'],
  'in doubt': [{ state: 'unknown', partnerRef: null }, 'stays', 'stays'],
  denied: [{ state: 'denied', partnerRef: null }, 'stays', 'stays'],
  open: [{}, 'on_ramp_pending', 'stays'],
  'open with all received': [{ receivedMinor: 10_000n }, 'on_ramp_pending', 'stays'],
  'completed short': [
    { end: 'completed', receivedMinor: 9_999n, confirmedMinor: 9_999n },
    'on_ramp_pending',
    'stays',
  ],
  completed: [{ ...full, confirmedMinor: 10_000n }, 'on_chain_confirmed', 'on_chain_confirmed'],
  failed: [{ end: 'failed' }, 'stays', 'failed'],
  returned: [{ ...full, end: 'returned', confirmedMinor: 10_000n }, 'stays', 'failed'],
  refused: [blocked, 'stays', 'failed'],
  'refused for its quote': [requoted, 'stays', 'fx_quoted'],
  void: [{ state: 'void' }, 'stays', 'failed'],
};

/** Where a payout leads a payment at on_chain_confirmed, and one at offramp_pending. */
const payouts: Readonly<Record<string, readonly [Partial<MoneyCommand>, ...Steps]>> = {
  pending: [{ state: 'pending', partnerRef: null }, 'stays', 'stays'],
  sent: [{ state: 'sent', partnerRef: null }, 'offramp_pending', 'stays'],
  'in doubt': [{ state: 'unknown', partnerRef: null }, 'offramp_pending', 'stays'],
  denied: [{ state: 'denied', partnerRef: null }, 'offramp_pending', 'stays'],
  open: [{}, 'offramp_pending', 'stays'],
  completed: [{ end: 'completed' }, 'settled', 'settled'],
  failed: [{ end: 'failed' }, 'failed', 'failed'],
  returned: [{ end: 'returned' }, 'failed', 'failed'],
  refused: [blocked, 'failed', 'failed'],
};

const beforePayin: readonly PaymentStatus[] = [
  ...(['awaiting_approval', 'approved', 'awaiting_buyer'] as const),
  ...(['buyer_kyc_pending', 'buyer_kyc_approved', 'fx_quoted'] as const),
];

for (const status of paymentStatuses) {
  test(`${status}: a pay-in moves it as the table says`, () => {
    for (const [name, [fields, early, waiting]] of Object.entries(payins)) {
      const command = fields === null ? [] : [commandOf('payin', 'in', fields)];
      const late = status === 'on_ramp_pending' ? waiting : 'stays';
      const expected: Next = beforePayin.includes(status) ? early : late;
      const next = MoneyScene.at(status, command).changed(command);
      assert.equal(next.payment.status, expected === 'stays' ? status : expected, name);
    }
  });

  // Before the pay-in is confirmed nothing is paid out.
  if (status === 'on_ramp_pending' || beforePayin.includes(status)) continue;
  test(`${status}: a payout moves it as the table says`, () => {
    for (const [name, [fields, confirmed, paying]] of Object.entries(payouts)) {
      const commands = [payin, commandOf('payout', 'out', fields)];
      const later: Next = status === 'offramp_pending' ? paying : 'stays';
      const expected: Next = status === 'on_chain_confirmed' ? confirmed : later;
      const next = MoneyScene.at(status, commands).changed(commands.slice(1));
      assert.equal(next.payment.status, expected === 'stays' ? status : expected, name);
    }
  });
}

test('the code of a failure names the command and its end; the reason has the partner’s words', () => {
  const input = (end: CommandEnd, reason: string | null) =>
    MoneyScene.at('on_ramp_pending', [commandOf('payin', 'in')]).report('in', { end, reason });
  const out = MoneyScene.at('offramp_pending', [payin, commandOf('payout', 'out')]);
  const payout = (end: CommandEnd) => out.report('out', { end, reason: null });
  const payoutToBuyer = (scene: MoneyScene) =>
    scene.after(payoutDecided(scene, scene.commands, scene.command('out'), 'buyer', scene.nowMs));
  const refusedPayin = MoneyScene.at('on_ramp_pending', [commandOf('payin', 'in')]);
  const table: readonly (readonly [Scene, code: string, reason: string])[] = [
    [input('failed', 'bank closed'), 'payin_failed', 'bank closed'],
    [input('failed', null), 'payin_failed', 'pay-in failed'],
    [input('returned', null), 'payin_returned', 'pay-in returned'],
    [
      refusedPayin.changed([commandOf('payin', 'in', blocked)]),
      'payin_refused',
      'pay-in refused: account_blocked',
    ],
    [payout('failed'), 'payout_failed', 'payout failed'],
    [payout('returned'), 'payout_returned', 'payout returned'],
    [
      payoutToBuyer(out.changed([commandOf('payout', 'out', blocked)])),
      'payout_refused',
      'payout refused: account_blocked',
    ],
  ];
  for (const [{ payment }, code, reason] of table) {
    assert.deepEqual([payment.failureCode, payment.failureReason], [code, reason]);
  }
});

test('a pay-in that completes sends the payout of the whole amount', () => {
  const next = MoneyScene.at('on_ramp_pending', [commandOf('payin', 'in')]).report('in', full);
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
    commandOf('payout', 'out', { state: 'pending' }),
  ]);
  const next = confirmed.send('out');
  assert.deepEqual(
    [next.payment.status, next.funds.position, next.command('out').state],
    ['offramp_pending', 'payout_ordered', 'sent'],
  );
});

test('settled only together with position paid; amount, fees, rate and end-to-end id are kept', () => {
  const paying = MoneyScene.at('offramp_pending', [payin, commandOf('payout', 'out')]);
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

test('settledAt is when the payout was reported as paid, also after it is reported again', () => {
  const paying = MoneyScene.at('offramp_pending', [payin, commandOf('payout', 'out')]);
  assert.equal(paying.payment.settledAtMs, null);
  const settled = paying.report('out', { end: 'completed' });
  assert.equal(settled.payment.settledAtMs, NOW_MS);
  const again = settled.later(1_000).report('out', { end: 'completed' });
  assert.equal(again.payment.settledAtMs, NOW_MS);
});

test('each status has one event, in both namespaces', () => {
  const confirmed = MoneyScene.at('on_chain_confirmed', [
    payin,
    commandOf('payout', 'out', { state: 'unknown' }),
  ]);
  assert.deepEqual(confirmed.report('out', { end: 'completed' }).events(), [
    'payment_intent.offramp_pending',
    'invoice.offramp_pending',
    'payment_intent.settled',
    'invoice.settled',
  ]);
});

test('facts learned with a command are stored for a payment in any status, without an event', () => {
  for (const status of ['on_ramp_pending', 'cancelled', 'settled'] as const) {
    const scene = MoneyScene.at(status, [commandOf('payin', 'in')]);
    const instructions = sampleInstructions();
    const learned = { instructions, transactionHash: '0xabc' };
    const next = scene.changed([scene.command('in')], learned);
    assert.deepEqual(
      [next.payment.status, next.payment.payinInstructions, next.payment.transactionHash],
      [status, instructions, '0xabc'],
    );
    assert.deepEqual(next.events(), []);
    const later = next.changed([scene.command('in')], { transactionHash: null });
    assert.equal(later.payment.transactionHash, '0xabc', 'what is known is not forgotten');
  }
});

test('a refused quote cannot be confirmed again', () => {
  const was = MoneyScene.at('on_ramp_pending', [commandOf('payin', 'in')], { quoteId: 'qt_1' });
  const next = was.changed([commandOf('payin', 'in', requoted)]);
  assert.deepEqual(
    [next.payment.status, next.payment.quoteId, next.funds.position],
    ['fx_quoted', null, 'none'],
  );
  assert.deepEqual(next.events(), ['payment_intent.fx_quoted', 'invoice.fx_quoted']);
});

test('a refused quote ends the payment of a buyer that was rejected in the meantime', () => {
  const lost = { quoteId: 'qt_1', approvalLostAtMs: 1 };
  const was = MoneyScene.at('on_ramp_pending', [commandOf('payin', 'in')], lost);
  const { payment } = was.changed([commandOf('payin', 'in', requoted)]);
  assert.deepEqual([payment.status, payment.failureReason], ['failed', 'buyer KYC rejected']);
});

test('a late pay-in resumes its payment', () => {
  const refused = commandOf('payin', 'in', { ...requoted, partnerRef: null });
  const scene = MoneyScene.at('fx_quoted', [refused]);
  const next = scene.report('in', full);
  assert.deepEqual([next.payment.status, next.drafts()], ['on_chain_confirmed', ['payout 10000']]);
  assert.deepEqual(next.events(), [
    'payment_intent.on_ramp_pending',
    'invoice.on_ramp_pending',
    'payment_intent.on_chain_confirmed',
    'invoice.on_chain_confirmed',
  ]);
});

test('a pay-in that exists after all is refused no more: when it fails, the payment does', () => {
  const refused = commandOf('payin', 'in', { ...requoted, partnerRef: null });
  const found = MoneyScene.at('fx_quoted', [refused]).report('in', { end: 'open' });
  assert.equal(found.payment.status, 'on_ramp_pending');
  const { status, failureReason } = found.report('in', { end: 'failed' }).payment;
  assert.deepEqual([status, failureReason], ['failed', 'pay-in failed']);
});

test('a payment is covered, and does not expire, from when everything asked for is there', () => {
  const was = MoneyScene.at('on_ramp_pending', [
    commandOf('payin', 'in'),
    commandOf('payin', 'in_2'),
  ]);
  const short = was.report('in', { receivedMinor: 9_999n });
  assert.equal(short.payment.coveredAtMs, null);
  const { payment: paid } = short.report('in', { receivedMinor: 10_000n });
  assert.partialDeepStrictEqual(paid, { status: 'on_ramp_pending', coveredAtMs: NOW_MS });
  const gone = short.report('in', { end: 'returned', receivedMinor: 9_999n });
  const part = gone.report('in_2', { receivedMinor: 9_999n });
  assert.equal(part.payment.coveredAtMs, null, 'what went back is not there');
  const known = MoneyScene.at('on_chain_confirmed', [payin], { coveredAtMs: START_MS });
  assert.equal(known.report('in', { receivedMinor: 20_000n }).payment.coveredAtMs, START_MS);
});

test('an ended payment sends nothing but refunds: what was not sent is void', () => {
  const states = ['pending', 'sent', 'unknown', 'denied', 'done', 'refused', 'void'] as const;
  for (const status of paymentStatuses.filter(isTerminal)) {
    for (const kind of ['payin', 'payout', 'refund'] as const) {
      for (const state of states) {
        const scene = MoneyScene.at(status, [payin, commandOf(kind, 'one', { state })]);
        const next = scene.changed([]);
        // The seller of a settled payment may be paid again.
        const isKept = kind === 'refund' || (kind === 'payout' && status === 'settled');
        const expected = state === 'pending' && !isKept ? 'void' : state;
        assert.equal(next.command('one').state, expected, `${status} ${kind} ${state}`);
      }
    }
  }
});

test('a command without effect waits, unless its payment has ended', () => {
  const pending = commandOf('payout', 'out', { state: 'pending', lastSentAtMs: START_MS });
  const sent = commandOf('payout', 'out', { state: 'sent', lastSentAtMs: START_MS });
  const waits = MoneyScene.at('offramp_pending', [payin, sent]).changed([pending]);
  assert.equal(waits.payment.status, 'offramp_pending');
  assert.equal(waits.command('out').state, 'pending');
  const ended = MoneyScene.at('failed', [payin, sent]).changed([pending]);
  assert.deepEqual([ended.command('out').state, ended.drafts()], ['void', ['refund 10000 of in']]);
});
