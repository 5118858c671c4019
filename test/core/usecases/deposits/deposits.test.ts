// Money that nobody ordered: which payment it counts for, when a person decides, and that the books
// agree after all of it. The fake partner refuses refunds of money that it did not receive.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { shortIdOf } from '../../../../core/domain/payments/bank-record.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import type { PartnerFact } from '../../../../core/ports/partner.js';
import { applyPartnerUpdate } from '../../../../core/usecases/commands/partner-inbox.js';
import { payerOf } from '../../../../core/usecases/deposits/deposit-matching.js';
import { readProof } from '../../../../core/usecases/law/proofs.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { endQuarantine, quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { anAccount } from '../../../support/samples/domain-samples.js';
import {
  assignDeposit,
  listDeposits,
  refundDeposit,
  resolveDeposit,
} from '../../../support/scenes/deposit-decisions.js';
import { depositScene } from '../../../support/scenes/deposit-scene.js';

const WAITS = 'money that nobody ordered waits for a decision';

test('a deposit of the missing amount settles the one payment that waits for it', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  await scene.arrive('va_1');
  assert.equal(await scene.shown('va_1'), 'assigned completed amount');
  await at.pass(3);
  assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
  assert.equal((await at.read()).payment.transactionHash, '0xdeposit');
  assert.deepEqual(await scene.postings('va_1'), ['deposit_assigned', 'funds_received']);
});

test('the ordered pay-in that stays open fails no settled payment, and polls of it end', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  await scene.arrive('va_1');
  await at.pass(3);
  const own = async () => {
    const payins = await at.commands('payin');
    return payins.find(({ partnerRef }) => partnerRef !== 'va_1') ?? assert.fail('no command');
  };
  assert.deepEqual([(await own()).state, (await own()).end], ['done', 'open']);
  await at.pass(400, DAY_MS);
  assert.equal((await own()).dueAtMs, null, 'abandoned');
  const command = await own();
  const { reference, partnerRef } = command;
  const nothing = { received: money(0n, 'USD'), transactionHash: null, reason: 'x' };
  const report = { status: 'failed', ...nothing };
  const fact = { kind: 'payin', reference, partnerRef, report } as PartnerFact;
  await applyPartnerUpdate(scene.made.deps, command, fact);
  assert.equal((await own()).end, 'failed');
  assert.equal((await at.shown())[0], 'settled');
});

test('a second pay-in under the reference of a command waits for a person', async (t) => {
  for (const isTold of [true, false]) {
    const scene = await depositScene(t);
    const [one, other] = [await scene.awaiting(7_000n), await scene.awaiting(10_000n)];
    const { reference, partnerRef } = await one.command('payin');
    scene.deposit('va_2', { reference });
    if (isTold) await scene.tell('va_2', { reference });
    else await one.pass(30, HOUR_MS);
    assert.equal(await scene.shown('va_2'), 'waiting completed null', 'not of the other payment');
    assert.deepEqual(await scene.postings('va_2'), ['funds_received']);
    assert.equal(scene.alerts().filter((alert) => alert === WAITS).length, 1);
    const all = await other.commands('payin');
    assert.equal(all.length, 1);
    assert.equal((await one.command('payin')).partnerRef, partnerRef);
    await scene.made.booksAreRight();
    await scene.assign('va_2', one.id);
    await one.pass(3);
    assert.match(await one.summary(), /^settled paid \S+ 100 70 /);
  }
});

test('what came before a restore waits for a person, also by a clock that is ahead', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  const { deps, advanceClock } = scene.made;
  await quarantineRestored(deps);
  await endQuarantine(deps, { by: 'ana', forcedBecause: 'a test' });
  scene.deposit('va_1', { createdAtMs: deps.clock.nowMs() + MINUTE_MS / 2 });
  await scene.tell('va_1');
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
  advanceClock(2 * MINUTE_MS);
  await scene.arrive('va_2');
  await at.pass(3);
  assert.equal(await scene.shown('va_2'), 'assigned completed amount');
});

test('two payments that miss the same amount: a person decides', async (t) => {
  const scene = await depositScene(t);
  const [one, other] = [await scene.awaiting(), await scene.awaiting()];
  await scene.arrive('va_1');
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
  assert.deepEqual(scene.alerts(), [WAITS]);
  await scene.assign('va_1', other.id);
  await other.pass(3);
  assert.deepEqual(
    [(await one.shown())[0], (await other.shown())[0]],
    ['on_ramp_pending', 'settled'],
  );
});

/** What the page of a payment shows as its short id. */
async function nameOf(at: { read(): Promise<{ readonly payment: Pick<Payment, 'publicId'> }> }) {
  return shortIdOf((await at.read()).payment.publicId);
}

test('a text that names one payment decides between equals, in any status', async (t) => {
  const scene = await depositScene(t);
  const [one, other] = [await scene.awaiting(), await scene.awaiting(10_000n, 'order 7/2030')];
  const name = await nameOf(one);
  scene.transfer('va_1', `PAYMENT ${name.toLowerCase()} thanks`);
  scene.transfer('va_2', 'ORDER72030');
  for (const ref of ['va_1', 'va_2']) {
    await scene.tell(ref);
    assert.equal(await scene.shown(ref), 'assigned completed text');
  }
  await one.pass(3);
  assert.deepEqual([(await one.shown())[0], (await other.shown())[0]], ['settled', 'settled']);
  // The same payer pays once more: it is owed back.
  scene.transfer('va_3', `payment ${name}`);
  await scene.tell('va_3');
  assert.equal(await scene.shown('va_3'), 'assigned completed text');
  await one.pass(3);
  assert.equal(await one.summary(), 'settled paid needs_review 200 100 100 0 0');
});

test('a text that names two payments, or one of another party, leaves it to a person', async (t) => {
  const scene = await depositScene(t);
  await scene.awaiting(10_000n, 'order-1');
  await scene.awaiting(10_001n, 'order-2');
  await scene.pay('va_1', 'for order-1 and order-2');
  const stranger = await scene.made.newTenant();
  const id = await scene.made.newPayment(stranger, { externalId: 'order-3' });
  await scene.made.play(stranger, id, 'on_ramp_pending');
  await scene.pay('va_2', 'order-3', 7n);
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
  assert.equal(await scene.shown('va_2'), 'waiting completed null');
});

test('a name that a bank has changed finds its payment; one that is cut gives it to no other', async (t) => {
  const scene = await depositScene(t);
  const [one, other] = [await scene.awaiting(), await scene.awaiting(10_001n)];
  const name = await nameOf(one);
  const glued = name.replace('-', '').toLowerCase();
  const likeness: Readonly<Record<string, string>> = { '0': 'O', '1': 'I', '5': 'S', '8': 'B' };
  const read = name.replace(/[0158]/g, (digit) => likeness[digit] ?? digit);
  for (const [ref, text] of [
    ['va_1', `REF${glued}INVOICE2031`],
    ['va_2', `/ROC/${read}`],
  ] as const) {
    await scene.pay(ref, text, 1n);
    assert.equal(await scene.shown(ref), 'assigned completed text', text);
  }
  // The amount is that of the other payment.
  await scene.pay('va_3', `payment ${name.slice(0, 6)}`, 10_001n);
  assert.equal(await scene.shown('va_3'), 'waiting completed null');
  assert.equal((await other.shown())[0], 'on_ramp_pending');
});

test('money with the name of a payment to somebody else is given to no payment', async (t) => {
  const scene = await depositScene(t);
  await scene.awaiting(10_001n);
  const stranger = await scene.made.newTenant();
  const id = await scene.made.newPayment(stranger);
  await scene.made.play(stranger, id, 'on_ramp_pending');
  const payment = await scene.made.deps.store.run((tx) => tx.payments.get(stranger, id));
  const name = shortIdOf(payment?.publicId ?? '');
  await scene.pay('va_1', `for ${name}`, 10_001n);
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
});

test('money that waits for a person is not given to a payment that comes later', async (t) => {
  const scene = await depositScene(t);
  await scene.arrive('va_1');
  const at = await scene.awaiting();
  await scene.tell('va_1');
  await at.pass(30, HOUR_MS);
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
  assert.deepEqual(scene.alerts(), [WAITS]);
  assert.equal((await at.shown())[0], 'on_ramp_pending');
});

test('two deposits at a time for one payment: one counts, the other waits', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  scene.deposit('va_1');
  scene.deposit('va_2');
  await Promise.all([scene.tell('va_1'), scene.tell('va_2')]);
  await at.pass(3);
  const both = [await scene.shown('va_1'), await scene.shown('va_2')].toSorted();
  assert.deepEqual(both, ['assigned completed amount', 'waiting completed null']);
  assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
});

test('money of a seller pays for nothing of the organization, and the other way round', async (t) => {
  const scene = await depositScene(t);
  const { deps } = scene.made;
  const at = await scene.awaiting(10_000n, 'order-1');
  const seller = anAccount({ ...scene.tenant, externalId: 's1', partnerRef: 're_s1' });
  await deps.store.run(async (tx) => tx.accounts.insert(seller));
  await scene.pay('va_1', 'order-1', 10_000n, { partyRef: 're_s1' });
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
  assert.equal((await scene.found('va_1')).accountId, anAccount().id);
  await assert.rejects(scene.assign('va_1', at.id), { code: 'ValidationError' });
});

test('money does not carry a payment past the verification of its buyer', async (t) => {
  const scene = await depositScene(t);
  const id = await scene.made.newPayment(scene.tenant, { externalId: 'early-bird' });
  await scene.pay('va_1', 'early-bird');
  assert.equal(await scene.made.statusOf(id), 'awaiting_buyer');
  await assert.rejects(scene.assign('va_1', id), { code: 'PaymentStateConflict' });
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
});

test('short, then the rest: both count for the payment that a text names', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  await scene.pay('va_1', await nameOf(at), 9_900n);
  assert.equal(await at.summary(), 'on_ramp_pending received none 99 0 0 0 0');
  // What is missing, without a text.
  await scene.arrive('va_2', { amount: money(100n, 'USD') });
  assert.equal(await scene.shown('va_2'), 'assigned completed amount');
  await at.pass(3);
  assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
});

test('what a deposit has above the amount is owed back', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  await scene.pay('va_1', await nameOf(at), 12_500n);
  await at.pass(3);
  assert.equal(await at.summary(), 'settled paid needs_review 125 100 25 0 0');
});

test('more than twice of what a named payment asks for waits for a person', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  for (const [ref, amountMinor] of [
    ['va_huge', 9_000_000_000_000n],
    ['va_1', 20_001n],
  ] as const) {
    await scene.pay(ref, await nameOf(at), amountMinor);
    await at.pass(3);
    assert.equal(await scene.shown(ref), 'waiting completed null');
  }
  assert.deepEqual(scene.alerts(), [WAITS, WAITS]);
  assert.equal(await at.summary(), 'on_ramp_pending expected none 0 0 0 0 0');
  await scene.assign('va_1', at.id);
  await at.pass(3);
  assert.equal(await at.summary(), 'settled paid needs_review 200.01 100 100.01 0 0');
});

test('an assigned deposit that turns out to be in another currency waits for a person', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  await scene.arrive('va_1');
  await at.pass(3);
  scene.books.change('va_1', { amount: money(10_000n, 'EUR') });
  await at.pass(30, HOUR_MS);
  const payins = await at.commands('payin');
  const { review } = payins.find(({ partnerRef }) => partnerRef === 'va_1') ?? assert.fail();
  assert.match(review ?? '', /the money is in EUR, USD was requested/);
  assert.equal((await at.shown())[1], 'needs_review');
});

test('money for a payment that was cancelled is owed back', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  await cancelPayment(scene.made.deps, scene.tenant, at.id, 'withdrawn');
  await scene.arrive('va_1');
  assert.equal(await scene.shown('va_1'), 'waiting completed null', 'a person decides');
  await scene.pay('va_2', await nameOf(at));
  await at.pass(3);
  assert.equal(await at.summary(), 'cancelled returned_to_buyer needs_review 100 0 100 0 0');
});

test('an open deposit is no money yet; the books show its end', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  await scene.arrive('va_1', { status: 'open' });
  assert.equal(await scene.shown('va_1'), 'waiting open null');
  assert.deepEqual([await scene.postings('va_1'), scene.alerts()], [[], []]);
  await at.pass(2);
  scene.books.change('va_1', { status: 'completed' });
  await at.pass(20, MINUTE_MS);
  assert.equal(await scene.shown('va_1'), 'assigned completed amount');
  assert.equal((await at.shown())[0], 'settled');
});

for (const [what, amount] of [
  ['amount', money(5_000n, 'USD')],
  ['currency', money(10_000n, 'EUR')],
] as const) {
  test(`a corrected ${what} of a deposit is found without a message, and the ledger balances`, async (t) => {
    const scene = await depositScene(t);
    const at = await scene.awaiting(1_000n);
    await scene.arrive('va_1');
    scene.books.change('va_1', { amount });
    await at.pass(30, HOUR_MS);
    assert.deepEqual((await scene.found('va_1')).amount, amount);
    await scene.made.booksAreRight();
    await refundDeposit(scene.made.deps, (await scene.found('va_1')).id);
  });
}

test('a deposit that fails, or goes back before anyone decides, needs no decision', async (t) => {
  const scene = await depositScene(t);
  await scene.arrive('va_1', { status: 'open' });
  await scene.arrive('va_2');
  await scene.change('va_1', { status: 'failed' });
  await scene.change('va_2', { status: 'returned' });
  assert.equal(await scene.shown('va_1'), 'waiting failed null');
  assert.equal(await scene.shown('va_2'), 'returned returned null');
  assert.deepEqual(await scene.postings('va_2'), ['funds_received', 'returned_by_partner']);
  const listed = await listDeposits(scene.made.deps, { waiting: true, beforeId: null, limit: 9 });
  assert.deepEqual(listed, []);
  await scene.made.booksAreRight();
  // It comes once more.
  await scene.change('va_2', { status: 'completed' });
  assert.equal(await scene.shown('va_2'), 'waiting completed null');
});

test('a deposit that never had money makes no deposit', async (t) => {
  const scene = await depositScene(t);
  for (const status of ['failed', 'returned'] as const) {
    scene.deposit(status, { status });
    assert.equal(await scene.waits(await scene.tell(status)), false);
    assert.equal(await scene.stored(status), null);
  }
});

test('a deposit that the bank recalls later is noticed without a message', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting(1_000n);
  await scene.arrive('va_1');
  scene.books.change('va_1', { status: 'returned' });
  await at.pass(30, HOUR_MS);
  assert.equal(await scene.shown('va_1'), 'returned returned null');
  await scene.made.booksAreRight();
  const readsBefore = scene.books.reads;
  await at.pass(30, DAY_MS);
  assert.equal(scene.books.reads, readsBefore, 'and polls of it have ended');
});

test('an assigned deposit follows its payment: what the partner takes back is missing there', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  await scene.arrive('va_1');
  await at.pass(3);
  await scene.change('va_1', { status: 'returned' });
  await at.pass(3);
  assert.equal(await scene.shown('va_1'), 'assigned completed amount');
  assert.equal(await at.summary(), 'settled paid refunded 100 100 0 100 100');
});

test('money that an operator paid back or booked leaves suspense; a recall after it is a loss', async (t) => {
  const scene = await depositScene(t);
  const decisions = { va_1: refundDeposit, va_2: resolveDeposit } as const;
  for (const [ref, decide] of Object.entries(decisions)) {
    await scene.arrive(ref);
    const { id } = await scene.found(ref);
    await decide(scene.made.deps, id);
    await scene.made.booksAreRight();
    await assert.rejects(decide(scene.made.deps, id), { code: 'DepositDecided' });
    await scene.change(ref, { status: 'returned' });
  }
  const recall = ['funds_received', 'refund_by_hand', 'returned_by_partner'];
  assert.deepEqual(await scene.postings('va_1'), recall);
  assert.deepEqual(await scene.postings('va_2'), ['deposit_resolved', recall[0], recall[2]]);
  const recalled = 'the partner took back money that an operator had decided on';
  assert.deepEqual(scene.alerts(), [WAITS, recalled, WAITS, recalled]);
});

test('a person cannot assign money of another party, currency, or mode, nor money not here', async (t) => {
  const scene = await depositScene(t);
  const { deps } = scene.made;
  const at = await scene.awaiting(1_000n);
  const stranger = await scene.made.newTenant();
  const other = await scene.made.newPayment(stranger);
  await scene.made.play(stranger, other, 'on_ramp_pending');
  await scene.arrive('va_1');
  await scene.arrive('va_2', { amount: money(1_000n, 'EUR') });
  await scene.arrive('va_3', { status: 'open' });
  for (const [ref, paymentId, code] of [
    ['va_1', other, 'ValidationError'],
    ['va_1', 'pi_unknown', 'NotFound'],
    ['va_2', at.id, 'ValidationError'],
    ['va_3', at.id, 'DepositDecided'],
  ] as const) {
    await assert.rejects(scene.assign(ref, paymentId), { code });
  }
  await assert.rejects(assignDeposit(deps, 'dep_unknown', at.id), { code: 'NotFound' });
  // Of a party that nobody here knows, a person knows more.
  await scene.arrive('va_4', { partyRef: 're_unknown' });
  await scene.assign('va_4', other);
  assert.equal((await scene.found('va_4')).orgId, stranger.orgId);
});

test('a message twice, and two at a time, make one deposit and count once', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  scene.deposit('va_1');
  await Promise.all([scene.tell('va_1'), scene.tell('va_1'), scene.tell('va_1')]);
  await at.pass(10);
  assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
  assert.equal((await at.commands('payin')).length, 2);
});

test('without an answer of the books the message is tried again', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  scene.deposit('va_1');
  scene.books.problem = { outcome: 'later', reason: 'busy' };
  const messageId = await scene.tell('va_1');
  assert.deepEqual([await scene.waits(messageId), await scene.stored('va_1')], [true, null]);
  scene.books.problem = null;
  await at.pass(10);
  assert.equal(await scene.waits(messageId), false);
  assert.equal(await scene.shown('va_1'), 'assigned completed amount');
});

test('a partner without books is asked nothing: the message waits for its command', async (t) => {
  const scene = await depositScene(t);
  scene.deposit('va_1');
  Object.assign(scene.made.partner, { statement: undefined });
  assert.equal(await scene.waits(await scene.tell('va_1')), true);
  assert.deepEqual([await scene.stored('va_1'), scene.books.reads], [null, 0]);
});

test('what a message reports of a deposit is not believed: the books count', async (t) => {
  const scene = await depositScene(t);
  scene.deposit('va_1', { status: 'open' });
  const report = { status: 'completed', received: { amountMinor: '10000', currency: 'USD' } };
  await scene.tell('va_1', { kind: 'payin', report } as never);
  assert.equal(await scene.shown('va_1'), 'waiting open null');
});

test('of two pay-ins by two payers, each transfer of the proof names its own', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  await scene.pay('va_1', await nameOf(at), 4_000n);
  const ordered = (await at.commands('payin')).find(({ receivedMinor }) => receivedMinor === 0n);
  assert.ok(ordered);
  const payer = { name: 'BOB LTD', bank: 'Bank B', texts: [], trace: null };
  const received = money(6_000n, 'USD');
  const report = { status: 'completed', received, transactionHash: null, payer, reason: null };
  const { reference, partnerRef } = ordered;
  const fact = { kind: 'payin', reference, partnerRef, report } as PartnerFact;
  await applyPartnerUpdate(scene.made.deps, ordered, fact);
  await at.pass(3);
  const { transfers, payer: all } = await readProof(scene.made.deps, at.tenant, at.id, 'seller');
  const senders = transfers.map(({ amount, payerName, payerBank }) => {
    return [amount, payerName, payerBank];
  });
  assert.deepEqual(senders.toSorted(), [
    ['40.00', 'Ana Lima', null],
    ['60.00', 'BOB LTD', 'Bank B'],
  ]);
  assert.deepEqual(all?.told.map(({ name }) => name).toSorted(), ['Ana Lima', 'BOB LTD']);
});

test('who paid is sealed, and is in no log', async (t) => {
  const scene = await depositScene(t);
  await scene.pay('va_1', 'a very private text');
  const deposit = await scene.found('va_1');
  assert.doesNotMatch(
    JSON.stringify(deposit, (_, value) => `${value}`),
    /private|Ana Lima/,
  );
  assert.match(deposit.payerSealed ?? '', /^s1\./);
  assert.doesNotMatch(JSON.stringify(scene.made.log), /private|Ana Lima/);
  assert.deepEqual(payerOf(scene.made.deps, deposit)?.texts, ['a very private text']);
});
