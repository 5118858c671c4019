// Decisions of operators about money: what each one books, who may make it, and what happens when
// the partner reports something else afterwards.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import { retryCommand } from '../../../../core/usecases/commands/command-retries.js';
import { caseLines } from '../../../../core/usecases/money-desk/case-texts.js';
import { listProposals, listQueues } from '../../../../core/usecases/money-desk/money-queues.js';
import type { DeskRequest } from '../../../../core/usecases/money-desk/service-items.js';
import { quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import {
  anOrder,
  type DeskScene,
  deskScene,
  failedPayout,
  inTest,
  live,
  paidIn,
  refusedRefund,
  usd,
} from '../../../support/scenes/desk-scene.js';
import { valuesOf } from '../../../support/values-of.js';

const refund: DeskRequest = { verb: 'refund' };
const again: DeskRequest = { verb: 'pay_again' };
const writeOff: DeskRequest = { verb: 'write_off' };
const returned: DeskRequest = { verb: 'returned' };
const paid = {
  verb: 'paid',
  settledMinor: 51_480n,
  feesMinor: 100n,
  endToEndId: 'E123',
} as const satisfies DeskRequest;
const paidByHand = { ...paid, verb: 'paid_by_hand' } as const;
const refunded = (status: 'completed' | 'failed') => ({
  status,
  amount: usd(10_000n),
  reason: null,
});
const nothing = { settled: null, fxRate: null, fees: null, endToEndId: null };
const payout = (status: 'failed' | 'returned') => ({ ...nothing, status, reason: 'late' });
const settled = { settled: money(51_480n, 'BRL'), fees: usd(100n), fxRate: '5.20' };
const payoutMade = { ...settled, status: 'completed', endToEndId: 'E9', reason: null };

const bia = { operator: 'bia' };

/** A live payment whose refund was refused, and the decision of two operators about it. */
async function paidBack(t: TestContext): Promise<DeskScene> {
  const at = await deskScene(t, [paidIn(), refusedRefund()]);
  await at.agree('cmd_back', refund);
  return at;
}

test('a refused refund is not to be sent again if the partner has no call for refunds', async (t) => {
  const at = await deskScene(t, [paidIn(10_000n, inTest), refusedRefund(inTest)], {
    tenant: inTest,
  });
  const all = { queue: null, orgId: null, mode: null, after: null, limit: 1 };
  const steps = async () => (await listQueues(at.deps, all))[0]?.steps;
  assert.deepEqual(await steps(), ['retry', 'refund']);
  assert.ok(at.deps.partners.test !== null);
  changePartner(at.deps.partners.test, { refundsByHand: true });
  assert.deepEqual(await steps(), ['refund']);
});

test('in live mode the first command is a proposal, the same of another operator executes it', async (t) => {
  const at = await deskScene(t, [paidIn(), refusedRefund()]);
  const first = await at.decide('cmd_back', refund);
  assert.equal(first.kind, 'proposed');
  assert.equal(await at.summary(), 'returned_to_buyer needs_review 100 0 100 0 0');
  assert.equal((await at.decide('cmd_back', refund)).kind, 'waiting');
  assert.equal(await at.summary(), 'returned_to_buyer needs_review 100 0 100 0 0');
  const second = await at.decide('cmd_back', refund, bia);
  assert.equal(second.kind, 'done');
  const { id, number, state, proposedBy, endedBy, evidence } = second.decision;
  assert.deepEqual(
    [id, number, state, proposedBy, endedBy, evidence],
    [first.decision.id, 1, 'done', 'ana', 'bia', 'bank reference 1'],
  );
  assert.equal(await at.summary(), 'returned_to_buyer refunded 100 0 0 100 0');
  assert.deepEqual(await at.postings(), ['funds_received', 'refund_owed', 'refund_by_hand']);
  assert.equal((await at.decide('cmd_back', refund, { operator: 'eva' })).kind, 'repeated');
  assert.equal((await at.decisions()).length, 1);
  assert.equal((await at.postings()).length, 3);
});

test('in test mode a decision takes effect at once, and once', async (t) => {
  const at = await deskScene(t, [paidIn(10_000n, inTest), refusedRefund(inTest)], {
    tenant: inTest,
  });
  assert.equal((await at.decide('cmd_back', refund)).kind, 'done');
  assert.equal(await at.summary('pi_1', inTest), 'returned_to_buyer refunded 100 0 0 100 0');
  assert.equal((await at.decide('cmd_back', refund)).kind, 'repeated');
  const [decision] = await at.decisions();
  assert.deepEqual([decision?.proposedBy, decision?.endedBy], ['ana', 'ana']);
});

test('a refund that was paid by other means is announced to the integrator', async (t) => {
  const at = await paidBack(t);
  const events = await at.deps.store.run((tx) => tx.feed.after(live, 0, 10));
  assert.ok(events.some(({ type }) => type === 'payment_intent.refunded'));
});

test('another decision does not confirm a proposal; --replace replaces it, and both stay', async (t) => {
  const at = await deskScene(t, [paidIn(), failedPayout()]);
  await at.decide('cmd_out', returned);
  for (const [request, fields] of [
    [paid, bia],
    [returned, { ...bia, evidence: 'something else' }],
    [paid, {}],
  ] as const) {
    await assert.rejects(at.decide('cmd_out', request, fields), {
      code: 'DecisionNotAllowed',
      message: /^ana proposed another decision about it at 2030-.* or add --replace\.$/,
    });
  }
  const next = await at.decide('cmd_out', paid, { ...bia, replace: true });
  assert.deepEqual(
    [next.kind, next.decision.number, next.ended?.state],
    ['proposed', 2, 'replaced'],
  );
  assert.equal(next.ended?.endedBy, 'bia');
  assert.equal((await at.decide('cmd_out', paid, { ...bia, replace: true })).kind, 'waiting');
  assert.equal((await at.decide('cmd_out', paid)).kind, 'done');
  const states = (await at.decisions()).map(({ number, state }) => `${number} ${state}`);
  assert.deepEqual(states.toSorted(), ['1 replaced', '2 done']);
});

test('a proposal is void once its item has changed, and says so', async (t) => {
  const at = await deskScene(t, [paidIn(), failedPayout()]);
  await at.decide('cmd_out', returned);
  const implausible = { ...payoutMade, settled: { amountMinor: 9n, currency: 'BRL' } };
  await at.report('cmd_out', implausible, true);
  const filter = { orgId: null, mode: null, beforeId: null, limit: 10 };
  const [open] = await listProposals(at.deps, filter);
  assert.deepEqual([open?.state, open?.isVoid], ['proposed', true]);
  const next = await at.decide('cmd_out', returned, bia);
  assert.deepEqual(
    [next.kind, next.ended?.state, next.ended?.proposedBy],
    ['proposed', 'void', 'ana'],
  );
  assert.equal((await at.decide('cmd_out', returned)).kind, 'done');
  assert.equal(await at.summary(), 'returned_to_buyer refund_owed 100 0 100 0 0');
});

test('polls that find nothing new leave a proposal valid', async (t) => {
  const at = await deskScene(t, [paidIn(), failedPayout()]);
  await at.decide('cmd_out', returned);
  const { version } = await at.command('cmd_out');
  await at.report('cmd_out', payout('failed'), true);
  assert.notEqual((await at.command('cmd_out')).version, version);
  assert.equal((await at.decide('cmd_out', returned, bia)).kind, 'done');
});

test('operators who decide at the same moment book it once', async (t) => {
  const at = await deskScene(t, [paidIn(), refusedRefund()]);
  const operators = ['ana', 'bia', 'eva', 'ivo'];
  const found = await Promise.all(
    operators.map((operator) => at.decide('cmd_back', refund, { operator })),
  );
  assert.deepEqual([...valuesOf(found, 'kind')].sort(), [
    'done',
    'proposed',
    'repeated',
    'repeated',
  ]);
  assert.deepEqual(await at.postings(), ['funds_received', 'refund_owed', 'refund_by_hand']);
  assert.equal((await at.decisions()).length, 1);
});

test('a payout that the partner holds again is owed to the buyer', async (t) => {
  const at = await deskScene(t, [paidIn(), failedPayout()]);
  assert.equal(await at.summary(), 'needs_review none 100 100 0 0 0');
  await at.agree('cmd_out', returned);
  assert.equal(await at.summary(), 'returned_to_buyer refund_owed 100 0 100 0 0');
  assert.equal((await at.decide('cmd_out', returned)).kind, 'repeated');
});

test('a payout that reached the seller has the settlement that the operators state', async (t) => {
  const at = await deskScene(t, [paidIn(), failedPayout()], { quoteId: 'qt_1' });
  await at.agree('cmd_out', paid);
  assert.equal(await at.summary(), 'paid none 100 100 0 0 0');
  assert.deepEqual(await at.postings(), ['funds_received', 'payout_paid']);
  const payment = await at.deps.store.run((tx) => tx.payments.get(live, 'pi_1'));
  assert.deepEqual(payment?.settlement, { ...settled, endToEndId: 'E123' });
});

/** A live payment whose payout came back after the settlement; its destination is a former one. */
async function cameBack(t: TestContext, others = [paidIn()]): Promise<DeskScene> {
  const settlement = { ...settled, endToEndId: 'E1' };
  const paidOut = anOrder('payout', 'cmd_out', { end: 'completed' });
  const fields = { status: 'settled', settlement, destination: 'pix_old' } as const;
  const at = await deskScene(t, [...others, paidOut], fields);
  await at.organization({ ...live, partnerRef: 're_1' });
  await at.report('cmd_out', payout('returned'), true);
  return at;
}

test('a payout that came back after the settlement is refunded by two operators', async (t) => {
  const at = await cameBack(t);
  assert.equal(await at.summary(), 'needs_review none 100 100 0 0 0');
  assert.deepEqual(await at.waiting(), ['in_review cmd_out']);
  assert.equal((await at.decide('cmd_out', refund)).kind, 'proposed');
  assert.equal(await at.summary(), 'needs_review none 100 100 0 0 0');
  assert.equal((await at.decide('cmd_out', refund, bia)).kind, 'done');
  assert.equal(await at.summary(), 'returned_to_buyer refund_owed 100 0 100 0 0');
  assert.equal((await at.decide('cmd_out', refund)).kind, 'repeated');
});

test('or the seller is paid again, to its current destination, under the next number', async (t) => {
  const at = await cameBack(t);
  assert.equal((await at.decide('cmd_out', again)).kind, 'proposed');
  await assert.rejects(at.decide('cmd_out', refund, bia), { code: 'DecisionNotAllowed' });
  assert.equal((await at.decide('cmd_out', again, bia)).kind, 'done');
  const { payment, commands } = await at.deps.store.run(async (tx) => ({
    payment: await tx.payments.get(live, 'pi_1'),
    commands: await tx.commands.ofPayment(live, 'pi_1'),
  }));
  assert.deepEqual([payment?.status, payment?.destination], ['settled', 'pix_1']);
  const payouts = commands.filter(({ kind }) => kind === 'payout');
  assert.deepEqual(
    payouts.map(({ state, end }) => `${state}/${end}`),
    ['done/returned', 'pending/open'],
  );
  assert.equal(new Set(payouts.map(({ reference }) => reference)).size, 2);
  assert.equal(await at.summary(), 'received none 100 0 0 0 0');
  await assert.rejects(at.decide('cmd_out', refund), { code: 'DecisionNotAllowed' });
});

/** What is not zero, in units, over all currencies. */
async function balances(at: DeskScene): Promise<readonly string[]> {
  const all = await at.deps.store.run((tx) => tx.ledger.balances('live'));
  return all
    .filter(({ amountMinor }) => amountMinor !== 0n)
    .map(({ account, currency, amountMinor }) => `${account} ${currency} ${amountMinor}`)
    .toSorted();
}

const byHand = [
  'buyer USD -10000',
  'conversion BRL -51480',
  'conversion USD 9900',
  'fees USD 100',
  'operator USD -10000',
  'partner_float USD 10000',
  'seller BRL 51480',
];

test('a seller whose payout is refused is paid by other means, and the payment settles', async (t) => {
  for (const fields of [
    { state: 'refused', refusal: 'blocked', isUndecided: true },
    { state: 'pending', refusal: 'busy', dueAtMs: 1 },
    { state: 'pending', lateAtMs: 1, dueAtMs: 1 },
  ] as const) {
    const at = await deskScene(t);
    const waits = anOrder('payout', 'cmd_out', { partnerRef: null, ...fields });
    await at.payment([paidIn(), waits], { status: 'on_chain_confirmed', quoteId: 'qt_1' });
    const wrong = at.decide('cmd_out', { ...paidByHand, settledMinor: 5_148n });
    await assert.rejects(wrong, { code: 'ValidationError' });
    for (const untrue of [returned, paid])
      await assert.rejects(at.decide('cmd_out', untrue), { code: 'DecisionNotAllowed' });
    assert.equal((await at.decide('cmd_out', paidByHand)).kind, 'proposed');
    assert.deepEqual(await at.postings(), ['funds_received']);
    assert.equal((await at.decide('cmd_out', paidByHand, bia)).kind, 'done');
    assert.equal(await at.summary(), 'paid none 100 100 0 0 0');
    assert.deepEqual(await balances(at), byHand);
    const payment = await at.deps.store.run((tx) => tx.payments.get(live, 'pi_1'));
    assert.equal(payment?.status, 'settled');
    assert.equal(payment?.settlement?.endToEndId, 'E123');
    assert.deepEqual(await at.waiting(), []);
    assert.equal((await at.decide('cmd_out', paidByHand)).kind, 'repeated');
    await assert.rejects(at.decide('cmd_out', { verb: 'pay_again' }));
  }
});

test('or once a payout has come back; if the partner pays it after all, that is a loss', async (t) => {
  const at = await cameBack(t);
  const again = { ...paidByHand, endToEndId: 'E2' } as const;
  await at.agree('cmd_out', again);
  assert.equal(await at.summary(), 'paid none 100 100 0 0 0');
  assert.deepEqual(await balances(at), byHand);
  assert.deepEqual(await at.waiting(), []);
  const types = await at.deps.store.run((tx) => tx.feed.after(live, 0, 10));
  assert.equal(types.at(-1)?.type, 'invoice.paid_again');
  await at.report('cmd_out', payoutMade, true);
  assert.equal(await at.summary(), 'paid none 100 200 0 0 100');
});

test('no seller is paid by other means while another payout is or may be paid', async (t) => {
  const other = anOrder('payout', 'cmd_other', { reference: 'ref_other', end: 'open' });
  const at = await cameBack(t, [paidIn(20_000n), other]);
  await at.decide('cmd_out', paidByHand);
  const confirmed = at.decide('cmd_out', paidByHand, bia);
  await assert.rejects(confirmed, { code: 'PaymentStateConflict' });
});

test('the seller is not paid again while another payout of the payment is or may be paid', async (t) => {
  for (const end of ['completed', 'open', 'failed'] as const) {
    const other = anOrder('payout', 'cmd_other', { reference: 'ref_other', end });
    const at = await cameBack(t, [paidIn(20_000n), other]);
    await at.decide('cmd_out', { verb: 'pay_again' });
    const again = at.decide('cmd_out', { verb: 'pay_again' }, bia);
    await assert.rejects(again, { code: 'PaymentStateConflict' }, end);
    await at.agree('cmd_out', refund, { replace: true });
    assert.match(await at.summary(), / refund_owed 200 100 100 0 0$/, 'the buyer gets the surplus');
  }
});

test('a proposal to pay the seller again is void once its destination is another one', async (t) => {
  const at = await cameBack(t);
  const destined = async (destinationRef: string) =>
    at.deps.store.run(async (tx) => {
      const profile = await tx.organizations.profile(live);
      if (profile !== null) tx.organizations.updateProfile({ ...profile, destinationRef });
    });
  const destination = async () =>
    (await at.deps.store.run((tx) => tx.payments.get(live, 'pi_1')))?.destination;
  await at.decide('cmd_out', again);
  await destined('pix_2');
  const next = await at.decide('cmd_out', again, bia);
  assert.deepEqual([next.kind, next.ended?.state], ['proposed', 'void']);
  assert.match(next.decision.basis, /, to pix_2$/);
  assert.equal(await destination(), 'pix_old', 'nothing is paid');
  assert.equal((await at.decide('cmd_out', again)).kind, 'done');
  assert.equal(await destination(), 'pix_2');
});

test('the seller is not paid again without a destination, and nothing is stored', async (t) => {
  const at = await cameBack(t);
  await at.decide('cmd_out', again);
  await at.deps.store.run(async (tx) => {
    const profile = await tx.organizations.profile(live);
    if (profile !== null) tx.organizations.updateProfile({ ...profile, destinationRef: null });
  });
  await assert.rejects(at.decide('cmd_out', again, bia), { code: 'SellerNotReady' });
  assert.equal(await at.summary(), 'needs_review none 100 100 0 0 0');
});

test('a loss is not written off while nobody decided about a payout that came back', async (t) => {
  const at = await cameBack(t);
  await at.report('cmd_in', payinBack, true);
  assert.equal(await at.summary(), 'needs_review refunded 100 100 0 100 100');
  const lost = { queue: 'lost', orgId: null, mode: null, after: null, limit: 2 } as const;
  const [row] = await listQueues(at.deps, lost);
  assert.deepEqual([row?.id, row?.steps], ['pi_1', []]);
  await assert.rejects(at.decide('pi_1', { verb: 'write_off' }), {
    code: 'DecisionNotAllowed',
    message: /cmd_out came back: decide about it first/,
  });
  await at.agree('cmd_out', refund);
  assert.deepEqual(await at.waiting(), [], 'its money covers the loss');
});

test('figures that a report may not have, an operator may not state', async (t) => {
  const at = await deskScene(t, [paidIn(), failedPayout()], { quoteId: 'qt_1' });
  for (const [wrong, text] of [
    [{ settledMinor: 0n }, /BRL above zero/],
    [{ feesMinor: 10_000n }, /fees are not between zero and the amount/],
    [{ feesMinor: 700n }, /fees of 700, the quote had 100/],
    [{ settledMinor: 5_148n }, /rate is more than 25 % off/],
    [{ endToEndId: '' }, /end-to-end id: give 1 to 64/],
  ] as const) {
    await assert.rejects(at.decide('cmd_out', { ...paid, ...wrong }), {
      code: 'ValidationError',
      message: text,
    });
  }
  assert.deepEqual(await at.decisions(), []);
});

test('evidence is required, on one line', async (t) => {
  const at = await deskScene(t, [paidIn(), refusedRefund()]);
  for (const evidence of ['', '  ', 'a'.repeat(501), 'two\nlines']) {
    await assert.rejects(at.decide('cmd_back', refund, { evidence }), { code: 'ValidationError' });
  }
  await at.decide('cmd_back', refund, { evidence: ` ${'a'.repeat(500)} ` });
  assert.equal((await at.decisions())[0]?.evidence?.length, 500);
});

const unfit = [
  [refund, anOrder('refund', 'cmd_x', { state: 'sent' }), /has or may have .* asks now\.$/],
  [refund, anOrder('refund', 'cmd_x', { state: 'unknown' }), /has or may have/],
  [refund, anOrder('refund', 'cmd_x'), /has or may have/],
  [refund, anOrder('refund', 'cmd_x', { end: 'completed' }), /cmd_x is paid/],
  [refund, anOrder('refund', 'cmd_x', { state: 'void' }), /is withdrawn/],
  [
    refund,
    failedPayout({ id: 'cmd_x' }),
    /has or may have the payout cmd_x, or it is on its way: done\/failed/,
  ],
  [paidByHand, failedPayout({ id: 'cmd_x' }), /has or may have the payout cmd_x/],
  [paidByHand, anOrder('payout', 'cmd_x', { state: 'unknown' }), /has or may have the payout/],
  [returned, anOrder('payout', 'cmd_x'), /not in review: it is done\/open/],
  [returned, anOrder('payout', 'cmd_x', { state: 'unknown' }), /it is unknown\/open/],
  [returned, refusedRefund({ id: 'cmd_x' }), /is no payout/],
] as const;
for (const [request, item, message] of unfit) {
  test(`${request.verb} of a ${item.kind} that is ${item.state}/${item.end} is refused`, async (t) => {
    const at = await deskScene(t, [paidIn(), item]);
    await assert.rejects(at.decide('cmd_x', request), { code: 'DecisionNotAllowed', message });
    assert.deepEqual(await at.decisions(), []);
  });
}

test('what is not known is not found', async (t) => {
  const at = await deskScene(t);
  await assert.rejects(at.decide('cmd_9', refund), { code: 'NotFound' });
});

test('a refund that was never sent is withdrawn when it is paid by other means', async (t) => {
  const at = await deskScene(t, [paidIn(), refusedRefund({ state: 'pending', dueAtMs: 1 })]);
  await at.agree('cmd_back', refund);
  assert.equal((await at.command('cmd_back')).state, 'void');
  assert.equal(await at.summary(), 'returned_to_buyer refunded 100 0 0 100 0');
});

test('what was paid too much goes back by other means, and the payment keeps its own money', async (t) => {
  const at = await deskScene(t);
  const payoutDue = anOrder('payout', 'cmd_out', { state: 'pending', partnerRef: null });
  const surplus = refusedRefund({ amount: usd(5_000n) });
  await at.payment([paidIn(15_000n), surplus, payoutDue], { status: 'on_chain_confirmed' });
  assert.equal(await at.summary(), 'received needs_review 150 0 50 0 0');
  await at.agree('cmd_back', refund);
  assert.equal(await at.summary(), 'received refunded 150 0 0 50 0');
  assert.equal((await at.command('cmd_back')).state, 'void');
});

const payinBack = {
  status: 'returned',
  received: money(10_000n, 'USD'),
  transactionHash: null,
  reason: 'chargeback',
};

const laterReports = {
  'a bank takes back a pay-in that was paid back by other means: all of it is a loss': {
    agreed: [refusedRefund(), refund],
    told: ['cmd_in', payinBack, true],
    shown: 'returned_to_buyer refunded 100 0 0 200 100',
  },
  'the partner pays a refund that was paid by other means: the second payment is a loss': {
    agreed: [refusedRefund(), refund],
    told: ['cmd_back', refunded('completed'), false],
    shown: 'returned_to_buyer refunded 100 0 0 200 100',
  },
  'the partner returns a payout that operators called paid: it is owed to the buyer': {
    agreed: [failedPayout(), paid],
    told: ['cmd_out', payout('returned'), true],
    shown: 'returned_to_buyer refund_owed 100 0 100 0 0',
  },
  'the partner completes a payout that operators called returned: no debt is left': {
    agreed: [failedPayout(), returned],
    told: ['cmd_out', payoutMade, true],
    shown: 'paid none 100 100 0 0 0',
  },
} as const;

for (const [rule, { agreed, told, shown }] of Object.entries(laterReports)) {
  test(rule, async (t) => {
    const [item, request] = agreed;
    const [id, report, polled] = told;
    const at = await deskScene(t, [paidIn(), item]);
    await at.agree(item.id, request);
    await at.report(id, report, polled);
    assert.equal(await at.summary(), shown);
    const isLoss = at.made.log.some(({ fields }) => /loss/.test(String(fields['alert'])));
    assert.equal(isLoss, !shown.endsWith(' 0'));
  });
}

test('a loss waits until two operators write it off; one that is recovered is none', async (t) => {
  const at = await paidBack(t);
  await assert.rejects(at.decide('pi_1', writeOff), { code: 'DecisionNotAllowed' });
  await at.report('cmd_back', refunded('completed'));
  assert.deepEqual(await at.waiting(), ['lost pi_1']);
  for (const other of [refund, returned, { verb: 'pay_again' }] as const) {
    await assert.rejects(at.decide('pi_1', other), { code: 'DecisionNotAllowed' });
  }
  await assert.rejects(at.decide('cmd_back', writeOff), { code: 'DecisionNotAllowed' });
  assert.equal((await at.decide('pi_1', writeOff)).kind, 'proposed');
  const { kind, decision } = await at.decide('pi_1', writeOff, bia);
  assert.equal(kind, 'done');
  assert.match(decision.basis, /^payment failed, .*, loss 100\.00 USD$/);
  assert.deepEqual(await at.waiting(), []);
  assert.equal((await at.decide('pi_1', writeOff)).kind, 'repeated');
  assert.equal(await at.summary(), 'returned_to_buyer refunded 100 0 0 200 100');
  await at.report('cmd_back', refunded('failed'), true);
  assert.equal(await at.summary(), 'returned_to_buyer refunded 100 0 0 100 0');
  assert.ok((await at.postings()).includes('write_off_reversed'));
});

test('a loss beyond what was written off waits again, and voids a proposal about less', async (t) => {
  const at = await deskScene(t);
  const known = { payinId: 'in_1', amount: usd(4_000n), end: 'completed' } as const;
  await at.payment([
    paidIn(10_000n, { id: 'in_1' }),
    ...['cmd_1', 'cmd_2', 'cmd_3'].map((id) => anOrder('refund', id, known)),
    anOrder('refund', 'cmd_4', { ...known, end: 'open' }),
  ]);
  await at.decide('pi_1', writeOff);
  await at.report('cmd_4', { ...refunded('failed'), amount: usd(4_000n) }, true);
  assert.equal((await at.decide('pi_1', writeOff, bia)).ended?.state, 'void');
  await at.decide('pi_1', writeOff);
  assert.deepEqual(await at.waiting(), []);
  await at.report('cmd_4', { ...refunded('completed'), amount: usd(4_000n) }, true);
  assert.deepEqual(await at.waiting(), ['lost pi_1']);
});

test('a refund that was paid by other means is not sent again', async (t) => {
  const at = await paidBack(t);
  await assert.rejects(retryCommand(at.deps, 'cmd_back'), { code: 'CommandNotRetryable' });
  await at.report('cmd_back', refunded('failed'));
  assert.equal(await at.summary(), 'returned_to_buyer refunded 100 0 0 100 0');
  assert.deepEqual(await at.waiting(), []);
});

test('the partner goes on to report failed: the payout stays paid', async (t) => {
  const at = await deskScene(t, [paidIn(), failedPayout()]);
  await at.agree('cmd_out', paid);
  for (const polled of [false, true]) {
    await at.report('cmd_out', payout('failed'), polled);
    assert.equal(await at.summary(), 'paid none 100 100 0 0 0');
    assert.equal((await at.command('cmd_out')).dueAtMs, null);
  }
  await at.report('cmd_out', payoutMade, true);
  assert.equal(await at.summary(), 'paid none 100 100 0 0 0');
});

test('in quarantine nothing is proposed, confirmed or executed', async (t) => {
  const at = await deskScene(t, [paidIn(), refusedRefund()]);
  await at.payment([paidIn(10_000n, { id: 'cmd_in2' }), failedPayout({ id: 'cmd_out2' })], {
    id: 'pi_2',
    tenant: inTest,
    publicId: 'pub_2',
  });
  await at.decide('cmd_back', refund);
  await quarantineRestored(at.deps);
  for (const [id, request, fields] of [
    ['cmd_back', refund, bia],
    ['cmd_out2', returned, {}],
  ] as const) {
    await assert.rejects(at.decide(id, request, fields), { code: 'InQuarantine' });
  }
  assert.equal(await at.summary(), 'returned_to_buyer needs_review 100 0 100 0 0');
  assert.equal((await at.decisions()).length, 1);
});

test('the history of a payment names what the payee got, and not the fees of it', () => {
  const lines = [
    { account: 'partner_float', money: money(-25_000n, 'USD') },
    { account: 'fees', money: money(155n, 'USD') },
    { account: 'conversion', money: money(24_845n, 'USD') },
    { account: 'conversion', money: money(-133_037n, 'BRL') },
    { account: 'seller', money: money(133_037n, 'BRL') },
  ] as const;
  const [line] = caseLines([{ kind: 'money', atMs: 0, tie: '', fact: 'payout_paid', lines }]);
  assert.deepEqual([line?.text, line?.amount], ['Payout paid', money(133_037n, 'BRL')]);
});
