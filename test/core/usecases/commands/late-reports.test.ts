// Money when the partner's reports are late, repeated, contradictory or nonsense.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import {
  convert,
  formatRate,
  money,
  parseRate,
  subtract,
} from '../../../../core/domain/base/money.js';
import {
  type PayinReport,
  type PayoutReport,
  reviewName,
} from '../../../../core/domain/commands/report-check.js';
import { retryCommand } from '../../../../core/usecases/commands/command-retries.js';
import { commandRunner } from '../../../../core/usecases/commands/command-runner.js';
import {
  applyPartnerUpdate,
  receivePartnerMessage,
} from '../../../../core/usecases/commands/partner-inbox.js';
import { decide } from '../../../../core/usecases/money-desk/money-desk.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { operatorDoes } from '../../../support/operator-action.js';
import { changePartner, changeReports } from '../../../support/partners/changed-partner.js';
import { open, paid, payin } from '../../../support/scenes/command-desk.js';
import { absent, fates, type Scene, scene, silent } from '../../../support/scenes/command-scene.js';
import { until } from '../../../support/wait.js';

const usd = (amountMinor: bigint) => money(amountMinor, 'USD');
const total = (amountMinor: bigint): PayinReport => ({
  ...payin,
  transactionHash: null,
  received: usd(amountMinor),
});
const payinBack: PayinReport = { ...total(10_000n), status: 'returned', reason: 'chargeback' };
const payoutBack: PayoutReport = { ...open, status: 'returned', reason: 'PIX devolution' };

/** The first pay-in is refused for its quote, and another one is paid. */
async function requoted(at: Scene): Promise<void> {
  const { payin } = at.made.partner;
  const expired = { outcome: 'refused', code: 'quote_expired', message: 'too late' } as const;
  changePartner(at.made.partner, { payin: { start: async () => expired, find: absent } });
  while ((await at.commands('payin'))[0]?.state !== 'refused') await at.pass(1);
  Object.assign(at.made.partner, { payin });
  await at.pass(20);
}

/** The partner had taken the refused pay-in after all, and the buyer paid it too. */
async function firstTaken(at: Scene, report: PayinReport): Promise<void> {
  const first = (await at.commands('payin')).find(({ state }) => state === 'refused');
  const fact = { kind: 'payin', reference: null, partnerRef: 'pay-in 1', report } as const;
  await applyPartnerUpdate(at.made.deps, first ?? assert.fail('none is refused'), fact);
}

test('money of two pay-ins is added, and the surplus goes back by the one that holds it', async (t) => {
  const at = await scene(t);
  await requoted(at);
  const [first, second] = await at.commands('payin');
  assert.deepEqual([first?.state, second?.end], ['refused', 'completed']);
  await firstTaken(at, total(10_000n));
  assert.equal(await at.summary(), 'settled paid refund_owed 200 100 100 0 0');
  assert.equal((await at.command('refund')).payinId, second?.id, 'a payout takes what came first');
  await at.made.booksAreRight();
  await at.pass(10);
  assert.equal(await at.summary(), 'settled paid refunded 200 100 0 100 0');
});

test('of two reads under way the newer one counts, and neither asks for another', async (t) => {
  const at = await scene(t);
  await at.pass(20);
  const { deps, partner } = at.made;
  const command = await at.command('payin');
  const twice = { ...total(20_000n), transactionHash: command.id };
  const answers: (() => void)[] = [];
  changeReports(partner, 'payin', async () => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return twice;
  });
  const runner = commandRunner(deps);
  const { partnerRef } = command;
  assert.ok(partnerRef !== null);
  const fact = { kind: 'payin', reference: null, partnerRef, report: twice } as const;
  for (const reads of [1, 2]) {
    await applyPartnerUpdate(deps, await at.command('payin'), fact);
    await runner.runOnce(deps.clock.nowMs(), 10);
    await until(() => answers.length === reads);
  }
  const [older, newer] = answers;
  older?.();
  await until(() => runner.inFlight() === 1);
  assert.equal(await runner.runOnce(deps.clock.nowMs(), 10), 0, 'a read is under way');
  newer?.();
  await runner.idle();
  // The surplus goes back.
  await runner.runOnce(deps.clock.nowMs(), 10);
  await runner.idle();
  assert.equal(answers.length, 2, 'no further read');
  assert.equal((await at.command('payin')).receivedMinor, 20_000n);
});

test('two pay-ins are refunded by separate commands', async (t) => {
  const at = await scene(t, 10_055n);
  await requoted(at);
  await firstTaken(at, { ...payinBack, status: 'open', received: usd(45n) });
  await cancelPayment(at.made.deps, at.tenant, at.id, 'withdrawn');
  const refunds = await at.commands('refund');
  assert.deepEqual(refunds.map(({ amount }) => amount?.amountMinor).toSorted(), [45n, 9_955n]);
  for (const field of ['payinId', 'reference'] as const) {
    assert.equal(new Set(refunds.map((refund) => refund[field])).size, 2, field);
  }
});

/** The payment is cancelled; its refund is ordered, and no message reports it. */
async function refundOrdered(at: Scene): Promise<void> {
  // Only a start leaves messages.
  const { refund } = at.made.partner;
  const start = refund.find as typeof refund.start;
  changePartner(at.made.partner, { refund: { start } });
  await at.pass(20);
  await cancelPayment(at.made.deps, at.tenant, at.id, 'withdrawn');
  await at.made.settle();
}

test('a refund is worth what the partner says when asked, and the rest is ordered by another', async (t) => {
  const at = await scene(t, 10_055n);
  await refundOrdered(at);
  const { partnerRef } = await at.command('refund');
  const partly = { amount: usd(4_000n) };
  changeReports(at.made.partner, 'refund', (_, ref) => (ref === partnerRef ? partly : {}));
  await at.pass(30);
  const refunds = await at.commands('refund');
  const amounts = refunds.map(({ amount, end }) => `${amount?.amountMinor} ${end}`);
  assert.deepEqual(amounts, ['4000 completed', '5955 completed']);
  assert.equal(await at.summary(), 'cancelled returned_to_buyer refunded 99.55 0 0 99.55 0');
});

test('a message about a refund of another amount changes nothing before the partner is asked', async (t) => {
  const at = await scene(t, 10_055n);
  await refundOrdered(at);
  const smaller = { status: 'completed', amount: usd(4_000n), reason: null } as const;
  await at.report('refund', smaller);
  const held = await at.command('refund');
  assert.deepEqual([held.amount, held.end], [usd(9_955n), 'open']);
  assert.match(held.review ?? '', /refunds 4000 minor units, 9955 were requested/);
  await at.pass(20, 60_000);
  assert.equal(await at.summary(), 'cancelled returned_to_buyer refunded 99.55 0 0 99.55 0');
});

test('a total that the partner corrects downwards waits for a person, who may accept it', async (t) => {
  for (const [firstMinor, thenMinor, review, accepted] of [
    [19_900n, 10_000n, 'settled needs_review', 'settled paid none 100 100 0 0 0'],
    [5_000n, 4_000n, 'on_ramp_pending needs_review', 'on_ramp_pending received none 40 0 0 0 0'],
  ] as const) {
    const at = await scene(t, 10_000n, null, 'on_ramp_pending');
    const { partner } = at.made;
    Object.assign(partner, silent);
    changePartner(partner, {
      payin: { read: async () => ({ outcome: 'done', value: total(firstMinor) }) as const },
      refund: { start: async () => ({ outcome: 'later', reason: 'busy' }) as const },
    });
    await at.pass(30);
    assert.equal((await at.read()).funds.receivedMinor, firstMinor);
    await at.answer('payin', total(thenMinor));
    assert.equal((await at.shown()).slice(0, 2).join(' '), review);
    assert.equal((await at.read()).funds.receivedMinor, firstMinor, 'nothing is booked yet');
    await at.accept('payin');
    assert.equal(await at.summary(), accepted);
  }
});

test('a repeated message of the old total does not undo a smaller one that a person accepted', async (t) => {
  const at = await scene(t, 10_000n, null, 'on_ramp_pending');
  const { partner } = at.made;
  Object.assign(partner, silent);
  let stated = total(9_900n);
  changePartner(partner, {
    payin: { read: async () => ({ outcome: 'done', value: stated }) as const },
  });
  await at.pass(30);
  stated = total(9_000n);
  await at.answer('payin', total(9_000n));
  await at.accept('payin');
  const accepted = 'on_ramp_pending received none 90 0 0 0 0';
  assert.equal(await at.summary(), accepted);
  for (const old of [total(9_900n), total(10_000n), { ...total(10_000n), status: 'returned' }]) {
    await at.report('payin', old as PayinReport);
    assert.equal(await at.summary(), accepted);
    assert.equal((await at.command('payin')).dueAtMs, at.made.deps.clock.nowMs());
    await at.pass(2);
    assert.equal(await at.summary(), accepted, 'the answer of the partner counts');
  }
  assert.deepEqual(await at.commands('payout'), []);
});

test('a pay-in that goes back after its total was corrected gives back what the partner received', async (t) => {
  for (const way of ['review', 'message'] as const) {
    const at = await scene(t, 6_551n, null, 'on_ramp_pending');
    const { partner } = at.made;
    Object.assign(partner, silent);
    let stated = total(6_551n);
    changePartner(partner, {
      payin: { read: async () => ({ outcome: 'done', value: stated }) as const },
      payout: { start: async () => ({ outcome: 'later', reason: 'busy' }) as const },
    });
    await at.pass(30);
    assert.equal((await at.read()).funds.receivedMinor, 6_551n);
    if (way === 'review') await at.answer('payin', total(6_521n));
    stated = { ...payinBack, received: usd(6_521n) };
    if (way === 'message') await at.report('payin', stated);
    assert.equal((await at.read()).funds.receivedMinor, 6_551n, 'only an answer counts');
    await at.pass(60, 60_000);
    assert.equal(await at.summary(), 'failed returned_to_buyer refunded 65.21 0 0 65.21 0');
  }
});

test('a returned total below what was refunded waits for a person', async (t) => {
  const at = await scene(t, 10_055n);
  await refundOrdered(at);
  await at.answer('payin', { ...payinBack, received: usd(9_000n) });
  const { end, review } = await at.command('payin');
  assert.equal(end, 'open', 'it is short');
  assert.match(review ?? '', /received 9000 minor units, 9955 are or may be refunded/);
  assert.equal((await at.read()).funds.lossMinor, 0n, 'nothing is booked');
});

test('no payout is sent while a smaller total of its pay-in waits for a person', async (t) => {
  const at = await scene(t, 10_000n, null, 'on_ramp_pending');
  const { start } = at.made.partner.payout;
  changePartner(at.made.partner, {
    payout: { start: async () => ({ outcome: 'later', reason: 'busy' }) as const },
  });
  await at.pass(2, 100);
  await at.report('payin', total(10_000n));
  await at.pass(2, 100);
  await at.answer('payin', total(4_000n));
  const read = async () => ({ outcome: 'done', value: total(4_000n) }) as const;
  changePartner(at.made.partner, { payout: { start }, payin: { read } });
  await at.pass(30, 60_000);
  const { state, lastError } = await at.command('payout');
  assert.deepEqual(
    [state, lastError],
    ['pending', 'a person must decide on a report about the pay-in or a refund'],
  );
});

const asked = { evidence: 'asked by the seller', operator: developmentOperator, replace: false };

test('a payout returned after the settlement waits, then its seller is paid again', async (t) => {
  const at = await scene(t);
  await at.pass(20);
  await at.answer('payout', payoutBack);
  await at.pass(10);
  assert.equal(await at.summary(), 'settled needs_review none 100 100 0 0 0');
  assert.ok(at.alerts().includes('a payout came back after it was paid'));
  const { id: itemId } = await at.command('payout');
  await decide(at.made.deps, { itemId, request: { verb: 'pay_again' }, ...asked });
  await at.pass(30);
  assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
  const ends = (await at.commands('payout')).map(({ end }) => end);
  assert.deepEqual(ends, ['returned', 'completed']);
});

test('a payout returned after the settlement waits, then its money is given back', async (t) => {
  const at = await scene(t);
  await at.pass(20);
  await at.answer('payout', payoutBack);
  const { id: itemId } = await at.command('payout');
  await decide(at.made.deps, { itemId, request: { verb: 'refund' }, ...asked });
  assert.equal(await at.summary(), 'settled returned_to_buyer refund_owed 100 0 100 0 0');
  const open = await at.made.deps.store.run((tx) => tx.funds.open(5));
  assert.equal(open[0]?.paymentId, at.id);
  await at.made.booksAreRight();
  await at.pass(10);
  assert.equal(await at.summary(), 'settled returned_to_buyer refunded 100 0 0 100 0');
});

test('a chargeback after the payout is booked as a loss', async (t) => {
  const at = await scene(t);
  await at.pass(20);
  await at.answer('payin', payinBack);
  assert.equal(await at.summary(), 'settled paid refunded 100 100 0 100 100');
  const open = await at.made.deps.store.run((tx) => tx.funds.open(5));
  assert.equal(open[0]?.paymentId, at.id);
  assert.ok(at.made.log.some(({ message, fields }) => message === 'alert' && fields['paymentId']));
});

test('a late message that money came back changes nothing before the partner is asked', async (t) => {
  for (const [kind, back] of [
    ['payout', payoutBack],
    ['payin', payinBack],
  ] as const) {
    const at = await scene(t);
    await at.pass(20);
    const before = await at.shown();
    await at.report(kind, back);
    assert.deepEqual(await at.shown(), before);
    assert.equal((await at.command(kind)).dueAtMs, at.made.deps.clock.nowMs(), 'asked at once');
    await at.pass(10);
    assert.deepEqual(await at.shown(), before, 'the partner says that it is completed');
    assert.deepEqual(await at.commands('refund'), []);
  }
});

test('a payout that completes after its refund is a loss, once the partner confirms it', async (t) => {
  const at = await scene(t, 10_088n);
  await at.pass(20);
  assert.deepEqual((await at.shown()).slice(0, 3), ['failed', 'returned_to_buyer', 'refunded']);
  const settled = money(54_207n, 'BRL');
  const completed = { ...paid, settled, fees: usd(50n), endToEndId: null };
  // A message may be older than what is known: the partner is asked, and says otherwise.
  await at.report('payout', completed);
  await at.pass(5);
  assert.equal((await at.shown())[1], 'returned_to_buyer');
  const read = async () => ({ outcome: 'done', value: completed }) as const;
  changePartner(at.made.partner, { payout: { read } });
  await at.report('payout', completed);
  await at.pass(5);
  assert.equal(await at.summary(), 'failed paid refunded 100.88 100.88 0 100.88 100.88');
});

const absurd: readonly (readonly [string, PayoutReport, boolean])[] = [
  ['USD instead of BRL', { ...paid, settled: usd(1n) }, false],
  ['a rate that is no number', { ...paid, fxRate: 'abc' }, false],
  ['fees above the amount', { ...paid, fees: usd(99_999n) }, false],
  ['fees in another currency', { ...paid, fees: money(1n, 'BRL') }, false],
  ['sums that do not fit', { ...paid, settled: money(1n, 'BRL') }, true],
];

for (const [what, report, acceptable] of absurd) {
  test(`a payout reported with ${what} waits for a person and settles nothing`, async (t) => {
    const at = await scene(t);
    const read = async () => ({ outcome: 'later', reason: 'down' }) as const;
    Object.assign(at.made.partner, silent);
    changePartner(at.made.partner, { payout: { read } });
    await at.pass(20);
    while ((await at.commands('payout')).length === 0) await at.pass(5);
    await at.made.settle();
    await at.report('payout', report);
    assert.deepEqual((await at.shown()).slice(0, 2), ['offramp_pending', 'needs_review']);
    const { review } = await at.command('payout');
    assert.match(review ?? '', /"status":"completed"/, 'it is shown as received');
    await at.made.booksAreRight();
    if (acceptable) {
      await at.accept('payout');
      assert.deepEqual((await at.shown()).slice(0, 2), ['settled', 'paid']);
    } else {
      const unusable = { code: 'CommandNotRetryable', message: /cannot be booked/ } as const;
      await assert.rejects(at.accept('payout'), unusable);
      await at.report('payout', paid);
      assert.deepEqual((await at.shown()).slice(0, 2), ['settled', 'paid']);
    }
    assert.equal((await at.command('payout')).review, null);
  });
}

const oddFees = { ...paid, settled: money(50_760n, 'BRL'), fees: usd(600n) };

test('a refused refund is not sent again while the partner reports it', async (t) => {
  for (const amount of [usd(9_956n), money(9_955n, 'EUR')]) {
    const at = await scene(t, 10_055n);
    const { find } = at.made.partner.refund;
    const seen = fates(at, 'refund', 'executed, refused');
    Object.assign(at.made.partner, silent);
    changePartner(at.made.partner, { refund: { find: absent } });
    await at.pass(20);
    await cancelPayment(at.made.deps, at.tenant, at.id, 'withdrawn');
    await at.pass(10, 60_000);
    const refused = await at.command('refund');
    assert.equal(refused.state, 'refused');
    const report = { status: 'completed', amount, reason: null } as const;
    const read = async () => ({ outcome: 'done', value: report }) as const;
    changePartner(at.made.partner, { refund: { find, read } });
    const retried = retryCommand(at.made.deps, refused.id);
    await assert.rejects(retried, { code: 'CommandNotRetryable' });
    await at.pass(20);
    const [only, ...more] = await at.commands('refund');
    assert.deepEqual([seen.executed.length, more, only?.state], [1, [], 'done']);
    assert.deepEqual((await at.shown())[2], 'refund_ordered');
  }
});

test('a payout with an odd report exists: nothing is refunded', async (t) => {
  const at = await scene(t);
  const busy = Array.from({ length: 9 }, () => 'busy' as const);
  fates(at, 'payout', ...busy);
  const seen = fates(at, 'refund');
  while ((await at.commands('payout')).length === 0) await at.pass(1);
  const command = await at.command('payout');
  const { reference } = command;
  const fact = { kind: 'payout', reference, partnerRef: 'earlier', report: oddFees } as const;
  await applyPartnerUpdate(at.made.deps, command, fact);
  const fail = { verb: 'fail', reason: 'by hand' } as const;
  await operatorDoes(at.made.deps, at.id, fail).catch(() => null);
  await at.pass(30);
  assert.deepEqual([(await at.command('payout')).state, seen.executed.length], ['done', 0]);
});

test('no payout is sent while a person must decide whether its pay-in failed', async (t) => {
  const at = await scene(t);
  const seen = fates(at, 'payout', 'busy');
  while ((await at.commands('payout')).length === 0) await at.pass(1);
  await at.answer('payin', { ...payinBack, status: 'failed' });
  assert.match((await at.command('payin')).review ?? '', /completed pay-in is reported failed/);
  const { payin } = at.made.partner;
  const read = async () => ({ outcome: 'later', reason: 'busy' }) as const;
  changePartner(at.made.partner, { payin: { read } });
  await at.pass(20);
  assert.deepEqual([seen.executed.length, (await at.command('payout')).state], [0, 'pending']);
  Object.assign(at.made.partner, { payin });
  await at.pass(30, 60_000);
  assert.deepEqual([seen.executed.length, (await at.shown())[0]], [1, 'settled']);
});

test('an ordered pay-in that is completed in another currency brings no money', async (t) => {
  const at = await scene(t);
  Object.assign(at.made.partner, silent);
  while ((await at.commands('payin'))[0]?.partnerRef == null) await at.pass(1);
  await at.report('payin', { ...payin, received: money(10_000n, 'EUR') });
  const { review, receivedMinor } = await at.command('payin');
  assert.match(review ?? '', /the money is in EUR, USD was requested/);
  assert.equal(receivedMinor, 0n);
});

for (const [what, percent, shown, isAlerted] of [
  ['2 % below the quote settles', 98n, 'settled', false],
  ['5 % below it settles with an alert', 95n, 'settled', true],
  ['10 % below it waits for a person', 90n, 'offramp_pending', false],
  ['10 % above it waits, too', 110n, 'offramp_pending', false],
] as const) {
  test(`a payout at a rate ${what}`, async (t) => {
    const at = await scene(t);
    changePartner(at.made.partner, { readInbound: () => null });
    changeReports(at.made.partner, 'payout', async (report) => {
      if (report.status !== 'completed') return {};
      const { payment } = await at.read();
      const { store } = at.made.deps;
      const quote = await store.run((tx) => tx.quotes.get(payment, payment.quoteId ?? ''));
      const { source, fees, rate: quoted } = quote ?? assert.fail('no quote');
      const { rateScaled } = parseRate(quoted) ?? assert.fail(quoted);
      const rate = { rateScaled: (rateScaled * percent) / 100n };
      const settled = convert(subtract(source, fees), rate, 'BRL', 'floor');
      return { settled, fees, fxRate: formatRate(rate) };
    });
    await at.pass(60, 60_000);
    assert.equal((await at.shown())[0], shown);
    assert.equal(at.alerts().includes('a payout is far from its quote'), isAlerted);
  });
}

test('an operator accepts the report that it saw, and no later one', async (t) => {
  const at = await scene(t);
  Object.assign(at.made.partner, silent);
  while ((await at.commands('payin'))[0]?.partnerRef == null) await at.pass(1);
  const report = { ...payinBack, status: 'open', reason: null } as const;
  await at.report('payin', { ...report, received: usd(30_000n) });
  const { id, review } = await at.command('payin');
  const seen = reviewName(review ?? '');
  await at.report('payin', { ...report, received: usd(3_000_000n) });
  const other = { code: 'CommandNotRetryable', message: /Another report/ } as const;
  await assert.rejects(operatorDoes(at.made.deps, id, { verb: 'accept', report: seen }), other);
  assert.equal((await at.command('payin')).receivedMinor, 0n);
});

test('a message about another command than the one on record moves no money', async (t) => {
  const at = await scene(t, 10_055n);
  await at.pass(20);
  const { reference } = await at.command('payin');
  const before = await at.shown();
  const report = total(10_000n);
  const facts = [{ kind: 'payin', reference, partnerRef: 'another', report } as const];
  Object.assign(at.made.partner, { readInbound: () => ({ messageId: 'msg_x', facts }) });
  const message = { partner: 'fake', mode: 'test', headers: {}, body: new Uint8Array() } as const;
  await receivePartnerMessage(at.made.deps, message);
  assert.deepEqual(await at.shown(), before);
  assert.ok(at.made.log.some(({ fields }) => fields['partnerRef'] === 'another'));
});
