// The causes from the payout on: what was received is paid out, comes back, or is given back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Change,
  type Collection,
  cancelled,
  debtUnlessReturned,
  failedByOperator,
  orderPostponed,
  type PayoutReport,
  payinReported,
  payoutLost,
  payoutRefused,
  payoutReported,
  payoutTaken,
  refundContradicted,
  refundRefused,
  refundReported,
  refundTaken,
} from '../../../core/domain/collection.js';
import { type Funds, heldMinor, receiveFunds } from '../../../core/domain/funds.js';
import { type PartnerCommand, postponeCommand } from '../../../core/domain/partner-command.js';
import { paymentStatuses } from '../../../core/domain/payment.js';
import { AssertionFailure, PonteError } from '../../../core/errors.js';
import { commandIn, START_MS, sampleFunds, samplePayment } from '../../support/sample-rows.js';

const NOW_MS = START_MS + 1_000;
const usd = (amountMinor: bigint) => ({ amountMinor, currency: 'USD' });

const confirmed: Collection = {
  payment: { ...samplePayment, status: 'on_chain_confirmed', coveredAtMs: START_MS },
  funds: receiveFunds(sampleFunds, 10_000n).funds,
};
const paying: Collection = payoutTaken(confirmed, NOW_MS);
const given: Collection = failedByOperator(paying, [], 'by hand', NOW_MS);

const completed: PayoutReport = {
  status: 'completed',
  settled: { amountMinor: 51_480n, currency: 'BRL' },
  fxRate: '5.20',
  fees: usd(100n),
  endToEndId: 'E1',
  reason: null,
};

function told(was: Collection, status: PayoutReport['status'], reason: string | null = null) {
  const nothing = { settled: null, fxRate: null, fees: null, endToEndId: null };
  const report = status === 'completed' ? completed : { ...nothing, status, reason };
  return payoutReported(was, [], report, NOW_MS);
}

function returned(was: Collection, commands: readonly PartnerCommand[], receivedMinor = 10_000n) {
  const report = {
    status: 'returned',
    receivedMinor,
    transactionHash: null,
    reason: null,
  } as const;
  return payinReported(was, commands, report, NOW_MS);
}

const returnedPayin: PartnerCommand = {
  ...commandIn.done,
  id: 'cmd_payin',
  kind: 'payin',
  end: 'returned',
};

function amounts({ funds }: { readonly funds: Funds }): readonly bigint[] {
  const { payoutMinor, refundOwedMinor, refundOrderedMinor, refundedMinor } = funds;
  return [heldMinor(funds), payoutMinor, refundOwedMinor, refundOrderedMinor, refundedMinor];
}

function drafts({ commands }: Change): readonly string[] {
  return commands.map(({ kind, amount }) => `${kind} ${amount?.amountMinor}`);
}

test('offramp_pending is set together with taking the payout in hand', () => {
  const change = payoutTaken(confirmed, NOW_MS);
  assert.equal(change.payment.status, 'offramp_pending');
  assert.equal(change.funds.position, 'payout_ordered');
  assert.deepEqual(amounts(change), [0n, 10_000n, 0n, 0n, 0n]);
  for (const status of paymentStatuses) {
    if (status === 'on_chain_confirmed') continue;
    const was = { ...confirmed, payment: { ...samplePayment, status } };
    assert.throws(() => payoutTaken(was, NOW_MS), PonteError, status);
  }
});

test('never is more paid out than was received', () => {
  const short = { ...confirmed, funds: receiveFunds(sampleFunds, 9_999n).funds };
  assert.throws(() => payoutTaken(short, NOW_MS), AssertionFailure);
});

test('settled only together with position paid, and amount, rate and end-to-end id are kept', () => {
  const change = told(paying, 'completed');
  assert.deepEqual([change.payment.status, change.funds.position], ['settled', 'paid']);
  assert.deepEqual(change.payment.settlement, {
    settled: completed.settled,
    fxRate: '5.20',
    endToEndId: 'E1',
  });
  assert.deepEqual(
    change.events.map(({ type }) => type),
    ['payment_intent.settled', 'invoice.settled'],
  );
  assert.deepEqual(
    change.postings.map(({ kind }) => kind),
    ['payout_paid'],
  );
  const again = told(change, 'completed');
  assert.deepEqual([again.payment, again.funds, again.alerts], [change.payment, change.funds, []]);
});

test('an open payout is no news', () => {
  assert.equal(told(paying, 'open').payment, paying.payment);
});

test('a payout that failed fails the payment, and the money is for a person to look for', () => {
  const change = told(paying, 'failed', 'account closed');
  assert.deepEqual(
    [change.payment.status, change.payment.failureReason],
    ['failed', 'account closed'],
  );
  assert.equal(change.funds.position, 'operator');
  assert.deepEqual([amounts(change), drafts(change)], [[0n, 10_000n, 0n, 0n, 0n], []]);
  assert.equal(change.alerts.length, 1);
  assert.deepEqual(told(change, 'failed').alerts, [], 'told twice, alerted once');
});

test('only when the tokens came back may a refund be owed', () => {
  const failed = told(paying, 'failed');
  for (const was of [failed, paying, given]) {
    const change = told(was, 'returned');
    assert.equal(change.payment.status, 'failed');
    assert.deepEqual(amounts(change), [0n, 0n, 10_000n, 0n, 0n]);
    assert.deepEqual(drafts(change), ['refund 10000']);
    const again = told(change, 'returned');
    assert.deepEqual([again.funds, again.commands], [change.funds, []]);
  }
});

test('failed then completed: settled never follows failed, funds say paid, an alert is raised', () => {
  for (const was of [told(paying, 'failed'), given]) {
    const change = told(was, 'completed');
    assert.deepEqual([change.payment.status, change.events], ['failed', []]);
    assert.equal(change.funds.position, 'paid');
    assert.equal(change.alerts.length, 1);
    assert.equal(change.payment.settlement?.fxRate, '5.20', 'what was paid is told');
  }
});

test('contrary news of a payout changes nothing and is shown to a person', () => {
  const settled = told(paying, 'completed');
  const back = told(paying, 'returned');
  for (const change of [told(settled, 'failed'), told(settled, 'returned')]) {
    assert.deepEqual([change.payment, change.funds], [settled.payment, settled.funds]);
    assert.equal(change.alerts.length, 1);
  }
  const late = told(back, 'completed');
  assert.deepEqual([late.payment, late.funds], [back.payment, back.funds]);
  assert.equal(late.alerts.length, 1);
  assert.equal(told(back, 'failed').funds, back.funds, 'out of order');
});

test('a payout that the partner refuses for good fails the payment and is owed back', () => {
  for (const was of [confirmed, paying]) {
    const change = payoutRefused(was, [], 'account_blocked', NOW_MS);
    assert.equal(change.payment.status, 'failed');
    assert.match(change.payment.failureReason ?? '', /account_blocked/);
    assert.deepEqual(amounts(change), [0n, 0n, 10_000n, 0n, 0n]);
    assert.deepEqual(drafts(change), ['refund 10000']);
  }
  const late = payoutRefused(given, [], 'account_blocked', NOW_MS);
  assert.deepEqual([late.payment, late.events], [given.payment, []]);
  assert.deepEqual(drafts(late), ['refund 10000']);
});

test('a payout that nobody knows of is in doubt: no status, no debt, but an alert', () => {
  const change = payoutLost(paying);
  assert.deepEqual([change.payment, change.events], [paying.payment, []]);
  assert.equal(change.funds.position, 'operator');
  assert.deepEqual([amounts(change)[2], change.alerts.length], [0n, 1]);
  assert.equal(told(change, 'completed').payment.status, 'settled', 'it turned up');
});

test('failed by operations staff: a payout not sent is taken back, one sent is waited for', () => {
  const payout = { ...commandIn.pending, id: 'cmd_payout' };
  const takenBack = failedByOperator(paying, [payout], 'by hand', NOW_MS);
  assert.deepEqual(
    takenBack.changedCommands.map(({ state }) => state),
    ['void'],
  );
  assert.deepEqual(amounts(takenBack), [0n, 0n, 10_000n, 0n, 0n]);
  for (const command of [commandIn.sent, commandIn.unknown, commandIn.done]) {
    const change = failedByOperator(paying, [command], 'by hand', NOW_MS);
    assert.deepEqual(change.changedCommands, [], command.state);
    assert.deepEqual(amounts(change), [0n, 10_000n, 0n, 0n, 0n], command.state);
  }
});

test('an order that surely did not happen waits on, unless its payment ended meanwhile', () => {
  const payout = { ...commandIn.pending, kind: 'payout' as const };
  const waits = orderPostponed(paying, [payout], payout, NOW_MS);
  assert.deepEqual(waits.changedCommands, [payout]);
  assert.equal(waits.funds, paying.funds);

  const takenBack = orderPostponed(given, [payout], payout, NOW_MS);
  assert.deepEqual(
    takenBack.changedCommands.map(({ state }) => state),
    ['void'],
  );
  assert.equal(takenBack.funds.refundOwedMinor, 10_000n);
  assert.deepEqual(takenBack.commands, [{ kind: 'refund', amount: usd(10_000n) }]);

  for (const postponed of [
    { ...commandIn.unknown, kind: 'payout' as const },
    { ...commandIn.pending, kind: 'refund' as const },
  ]) {
    const { changedCommands } = orderPostponed(given, [postponed], postponed, NOW_MS);
    assert.deepEqual(changedCommands, [postponed], 'what may exist, and what is owed, goes on');
  }
});

test('a cancel before the payout is taken voids it, and the money is owed back', () => {
  const change = cancelled(confirmed, [commandIn.pending], 'order withdrawn', NOW_MS);
  assert.deepEqual(
    change.changedCommands.map(({ state }) => state),
    ['void'],
  );
  assert.deepEqual(drafts(change), ['refund 10000']);
});

test('money on a payment that is being paid out, or was, is surplus', () => {
  const more = { status: 'open', receivedMinor: 10_030n, transactionHash: null, reason: null };
  for (const was of [paying, told(paying, 'completed'), told(paying, 'failed')]) {
    const change = payinReported(was, [], { ...more, status: 'completed' }, NOW_MS);
    assert.equal(change.payment.status, was.payment.status);
    assert.deepEqual(drafts(change), ['refund 30'], was.payment.status);
  }
});

test('a pay-in returned before its payout was taken fails the payment and voids the payout', () => {
  const change = returned(confirmed, [commandIn.pending]);
  assert.equal(change.payment.status, 'failed');
  assert.deepEqual(
    change.changedCommands.map(({ state }) => state),
    ['void'],
  );
  assert.deepEqual([amounts(change), drafts(change)], [[0n, 0n, 0n, 0n, 10_000n], []]);
});

test('a pay-in returned after its payout was ordered is shown to a person, once', () => {
  const first = returned(paying, []);
  assert.equal(first.alerts.length, 1);
  assert.equal(first.payment.status, 'offramp_pending');
  const told = { ...commandIn.done, kind: 'payin', end: 'returned' } as const;
  assert.deepEqual(returned(paying, [told]).alerts, []);
});

test('a pay-in returned ends the debts that it covers, and no refund of it waits any more', () => {
  const owing = cancelled(confirmed, [], 'order withdrawn', NOW_MS);
  const pending: PartnerCommand = { ...commandIn.pending, id: 'cmd_2', kind: 'refund' };
  const change = returned(owing, [pending, commandIn.refused]);
  assert.deepEqual(amounts(change), [0n, 0n, 0n, 0n, 10_000n]);
  assert.deepEqual(
    change.changedCommands.map(({ id, state }) => `${id} ${state}`),
    ['cmd_2 void', 'cmd_1 void'],
  );
});

test('a refund taken in hand and not sent ends with its pay-in: its money is back too', () => {
  const taken = refundTaken(cancelled(confirmed, [], 'order withdrawn', NOW_MS), 10_000n);
  const postponed = postponeCommand({ ...commandIn.sent, kind: 'refund' }, 'busy', NOW_MS);
  const change = returned(taken, [postponed]);
  assert.deepEqual(
    change.changedCommands.map(({ state }) => state),
    ['void'],
  );
  assert.deepEqual([change.funds.refund, amounts(change)[4]], ['refunded', 10_000n]);
  const inDoubt = returned(taken, [{ ...commandIn.unknown, kind: 'refund' }]);
  assert.deepEqual([inDoubt.funds.refund, inDoubt.changedCommands], ['refund_ordered', []]);
});

test('what is freed later of a returned pay-in is with the buyer, not owed', () => {
  const was = returned(paying, []);
  assert.equal(was.payment.status, 'offramp_pending');
  const change = payoutRefused(was, [returnedPayin], 'insufficient_funds', NOW_MS);
  assert.deepEqual([amounts(change), drafts(change)], [[0n, 0n, 0n, 0n, 10_000n], []]);
});

const owing = cancelled(confirmed, [], 'order withdrawn', NOW_MS);
const ordered = refundTaken(owing, 10_000n);

test('a refund is taken in hand, then confirmed by the partner; only that ends the debt', () => {
  assert.deepEqual([ordered.funds.refund, amounts(ordered)[3]], ['refund_ordered', 10_000n]);
  const back = refundReported(ordered, [], 'completed', 10_000n, NOW_MS);
  assert.deepEqual([back.funds.refund, amounts(back)[4]], ['refunded', 10_000n]);
  assert.deepEqual(
    back.postings.map(({ kind }) => kind),
    ['refund_paid'],
  );
  assert.deepEqual([back.payment, back.events], [owing.payment, []]);
});

test('a refund that fails or is refused is a debt that a person sees', () => {
  const debts: readonly Change[] = [
    refundReported(ordered, [], 'failed', 10_000n, NOW_MS),
    refundRefused(ordered, [], 10_000n, true, NOW_MS),
    refundRefused(owing, [], 10_000n, false, NOW_MS),
  ];
  for (const debt of debts) {
    assert.deepEqual([debt.funds.refund, amounts(debt)[2]], ['operator', 10_000n]);
    assert.equal(debt.alerts.length, 1);
    assert.deepEqual(debt.commands, [], 'it is not ordered again by itself');
    assert.equal(refundTaken(debt, 10_000n).funds.refund, 'refund_ordered');
  }
});

test('a refund refused after its pay-in came back is no debt: the money is with the buyer', () => {
  const refund = { ...commandIn.sent, kind: 'refund' } as const;
  const was = returned(ordered, [refund]);
  const commands = [returnedPayin, refund];
  const change = refundRefused(was, commands, 10_000n, true, NOW_MS);
  assert.deepEqual([change.funds.refund, amounts(change)[4]], ['refunded', 10_000n]);
  assert.deepEqual(change.alerts, []);
  const { refused } = commandIn;
  assert.equal(debtUnlessReturned(refused, commands, NOW_MS).state, 'void');
  assert.equal(debtUnlessReturned(refused, [refund], NOW_MS), refused, 'else it is one');
  assert.equal(debtUnlessReturned(refund, commands, NOW_MS), refund);
});

test('a refund that was not done and whose pay-in came back meanwhile is not tried again', () => {
  const refund = { ...commandIn.sent, kind: 'refund' } as const;
  const was = returned(ordered, [refund]);
  const postponed = postponeCommand(refund, 'busy', NOW_MS);
  const change = orderPostponed(was, [returnedPayin, refund], postponed, NOW_MS);
  assert.deepEqual(
    change.changedCommands.map(({ state }) => state),
    ['void'],
  );
  assert.deepEqual([change.funds.refund, amounts(change)[4]], ['refunded', 10_000n]);
});

test('a refund completed after it had failed ends the debt, and is shown to a person', () => {
  const debt = refundReported(ordered, [], 'failed', 10_000n, NOW_MS);
  const paid = refundContradicted(debt, 'completed', 10_000n);
  assert.deepEqual([paid.funds.refund, amounts(paid)], ['refunded', [0n, 0n, 0n, 0n, 10_000n]]);
  const again = refundTaken(debt, 10_000n);
  for (const [was, status] of [
    [again, 'completed'],
    [paid, 'failed'],
  ] as const) {
    const change = refundContradicted(was, status, 10_000n);
    assert.equal(change.funds, was.funds, 'nothing is owed that it could end');
    assert.equal(change.alerts.length, 1);
  }
});
