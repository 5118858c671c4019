// Decisions of operators about money that nobody ordered: what each one books, and what the queues
// show of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { depositStates } from '../../../../core/domain/deposits/deposit.js';
import { confirmProposal } from '../../../../core/usecases/money-desk/money-desk.js';
import { listProposals, listQueues } from '../../../../core/usecases/money-desk/money-queues.js';
import type { DeskRequest } from '../../../../core/usecases/money-desk/service-items.js';
import { operatorNamed } from '../../../support/samples/operator-samples.js';
import {
  anOrder,
  aPayer,
  type DeskScene,
  deskScene,
  live,
  paidIn,
  usd,
} from '../../../support/scenes/desk-scene.js';
import { rowsOf } from '../../../support/values-of.js';

const assign: DeskRequest = { verb: 'assign', paymentId: 'pi_1' };
const refund: DeskRequest = { verb: 'refund' };
const otherwise: DeskRequest = { verb: 'otherwise' };
const free = { evidence: null };
const bia = { operator: 'bia' };
const waits = { status: 'on_ramp_pending' } as const;

/** A payment of this status and a deposit of 100.00 USD. */
async function begun(t: Parameters<typeof deskScene>[0], fields = {}): Promise<DeskScene> {
  const at = await deskScene(t, [], { ...waits, ...fields });
  await at.deposit();
  return at;
}

test('two operators assign a deposit: its money is a pay-in of the payment', async (t) => {
  const at = await begun(t);
  assert.equal((await at.decide('dep_1', assign, free)).kind, 'proposed');
  assert.equal(await at.depositNow(), 'waiting completed -100 100 0 0');
  assert.equal((await at.decide('dep_1', assign, { ...free, ...bia })).kind, 'done');
  assert.equal(await at.depositNow(), 'assigned completed 0 0 0 0');
  assert.equal(await at.summary(), 'received none 100 0 0 0 0');
  assert.deepEqual(await at.postings(), ['funds_received']);
  assert.equal((await at.decide('dep_1', assign, free)).kind, 'repeated');
  assert.deepEqual(await at.postings(), ['funds_received']);
  const payment = await at.deps.store.run((tx) => tx.payments.get(live, 'pi_1'));
  assert.equal(payment?.status, 'on_chain_confirmed');
});

test('an assignment that was proposed is void once its payment was paid otherwise', async (t) => {
  const at = await deskScene(t);
  const awaited = anOrder('payin', 'cmd_in', { end: 'open' });
  await at.payment([awaited], waits);
  await at.deposit();
  assert.equal((await at.decide('dep_1', assign, free)).kind, 'proposed');
  const nothing = { transactionHash: null, reason: null };
  await at.report('cmd_in', { status: 'completed', received: usd(10_000n), ...nothing });
  const [proposal = assert.fail()] = await at.decisions();
  await assert.rejects(confirmProposal(at.deps, proposal.id, operatorNamed('bia')), {
    code: 'DecisionNotAllowed',
    message: /changed since ana proposed it.*missing 100\.00 USD.*missing 0\.00 USD/,
  });
  assert.equal(await at.depositNow(), 'waiting completed -100 100 0 0');
  assert.equal(await at.summary(), 'received none 100 0 0 0 0');
});

for (const [name, receivedMinor, status, summary] of [
  ['too little waits for the rest', 4_000n, 'on_ramp_pending', 'received none 40 0 0 0 0'],
  ['too much is owed back', 15_000n, 'on_ramp_pending', 'received refund_owed 150 0 50 0 0'],
  [
    'all of it is owed back if the payment has ended',
    10_000n,
    'cancelled',
    'returned_to_buyer refund_owed 100 0 100 0 0',
  ],
] as const) {
  test(`of a deposit that is assigned, ${name}`, async (t) => {
    const at = await deskScene(t, [], { status });
    await at.deposit({ amount: usd(receivedMinor) });
    await at.agree('dep_1', assign, free);
    assert.equal(await at.summary(), summary);
  });
}

for (const [request, after] of [
  [refund, 'refunded completed 0 0 100 -100'],
  [otherwise, 'resolved completed -100 0 100 0'],
] as const) {
  test(`a deposit is decided by ${request.verb}, once`, async (t) => {
    const at = await begun(t);
    await at.decide('dep_1', request);
    assert.equal(await at.depositNow(), 'waiting completed -100 100 0 0');
    assert.equal((await at.decide('dep_1', request, bia)).kind, 'done');
    assert.equal(await at.depositNow(), after);
    assert.equal((await at.decide('dep_1', request)).kind, 'repeated');
    await assert.rejects(at.decide('dep_1', assign, free), {
      code: 'DecisionNotAllowed',
      message:
        /^The money of dep_1 was .*\. ana and bia decided about it at 2030.*: ponte proposals\.$/,
    });
    assert.equal(await at.depositNow(), after);
  });
}

for (const request of [assign, refund, otherwise]) {
  test(`money that a command counts is not decided on as a deposit by ${request.verb}`, async (t) => {
    const at = await deskScene(t, [paidIn(10_000n, { partnerRef: 'pa_1' })], { ...waits });
    await at.deposit({ partnerRef: 'pa_1' });
    await assert.rejects(at.decide('dep_1', request), { code: 'DepositDecided' });
    assert.equal(await at.depositNow(), 'waiting completed -100 100 0 0');
    assert.equal(await at.summary(), 'received none 100 0 0 0 0');
  });
}

test('evidence is free for an assignment and required for the others', async (t) => {
  const at = await begun(t);
  for (const request of [refund, otherwise]) {
    await assert.rejects(at.decide('dep_1', request, free), { code: 'ValidationError' });
  }
  const evidence = 'the buyer named it by phone';
  const { decision } = await at.decide('dep_1', assign, { evidence });
  assert.equal(decision.evidence, evidence);
});

test('a deposit that needs no decision is refused in words', async (t) => {
  const at = await deskScene(t);
  for (const state of depositStates) {
    const end = state === 'waiting' ? 'open' : state === 'returned' ? 'returned' : 'completed';
    const paymentId = state === 'assigned' ? 'pi_9' : null;
    const id = `dep_${state}`;
    await at.deposit({ id, partnerRef: id, state, end, paymentId, rule: paymentId && 'text' });
  }
  for (const [id, message] of [
    ['dep_waiting', /is not here yet: the partner has not completed it\.$/],
    ['dep_assigned', /is assigned to a payment, pi_9 by the rule "text"\.$/],
    ['dep_returned', /went back: the partner returned it\.$/],
    ['dep_refunded', /was paid back\.$/],
    ['dep_resolved', /was settled otherwise\.$/],
  ] as const) {
    for (const request of [refund, otherwise, assign]) {
      await assert.rejects(at.decide(id, request), { code: 'DecisionNotAllowed', message });
    }
  }
});

test('a decision that is of another kind of item is refused', async (t) => {
  const at = await begun(t);
  await at.payment([paidIn()], { id: 'pi_2', publicId: 'pub_2' });
  const returned: DeskRequest = { verb: 'returned' };
  for (const [id, request, message] of [
    ['dep_1', returned, /is no payout/],
    ['cmd_in', assign, /is no deposit or a withdrawal/],
    ['cmd_in', otherwise, /is no deposit or a withdrawal/],
  ] as const) {
    await assert.rejects(at.decide(id, request), { code: 'DecisionNotAllowed', message });
  }
});

test('an assignment that is not possible is not proposed either', async (t) => {
  const at = await begun(t, { status: 'awaiting_buyer' });
  await at.payment([], { id: 'pi_2', publicId: 'pub_2', tenant: { ...live, mode: 'test' } });
  await at.deposit({ id: 'dep_2', partnerRef: 'pa_2', amount: { ...usd(1n), currency: 'EUR' } });
  for (const [id, paymentId, code] of [
    ['dep_1', 'pi_1', 'PaymentStateConflict'],
    ['dep_1', 'pi_9', 'NotFound'],
    ['dep_1', 'pi_2', 'NotFound'],
    ['dep_2', 'pi_1', 'ValidationError'],
  ] as const) {
    await assert.rejects(at.decide(id, { verb: 'assign', paymentId }, free), { code });
  }
  assert.deepEqual(await at.decisions(), []);
});

test('another payment does not confirm the proposal of one', async (t) => {
  const at = await begun(t);
  await at.payment([], { ...waits, id: 'pi_2', publicId: 'pub_2' });
  await at.decide('dep_1', assign, free);
  const other: DeskRequest = { verb: 'assign', paymentId: 'pi_2' };
  const refused = at.decide('dep_1', other, { ...free, ...bia });
  await assert.rejects(refused, { code: 'DecisionNotAllowed' });
  const next = await at.decide('dep_1', other, { ...free, ...bia, replace: true });
  assert.deepEqual([next.kind, next.ended?.state], ['proposed', 'replaced']);
});

test('a proposal is void once the partner has returned the money', async (t) => {
  const at = await begun(t);
  await at.decide('dep_1', refund);
  at.books.change('pa_9', { status: 'returned' });
  await assert.rejects(at.decide('dep_1', refund, bia), { code: 'DecisionNotAllowed' });
  const filter = { orgId: null, mode: null, beforeId: null, limit: 10 };
  assert.deepEqual(rowsOf(await listProposals(at.deps, filter), 'state', 'isVoid'), [
    ['proposed', true],
  ]);
});

test('a deposit is decided on as the books have it now, though no message told of the change', async (t) => {
  const at = await begun(t);
  at.books.change('pa_9', { amount: usd(4_000n) });
  await at.decide('dep_1', assign, free);
  assert.equal(await at.depositNow(), 'waiting completed -40 40 0 0');
  at.books.change('pa_9', { amount: usd(3_000n) });
  const { kind, ended } = await at.decide('dep_1', assign, { ...free, ...bia });
  assert.deepEqual([kind, ended?.state], ['proposed', 'void']);
  assert.equal(await at.depositNow(), 'waiting completed -30 30 0 0');
  assert.equal(await at.summary(), 'none none 0 0 0 0 0');
  at.books.change('pa_9', { status: 'returned' });
  await assert.rejects(at.decide('dep_1', refund), {
    code: 'DecisionNotAllowed',
    message: /went back: the partner returned it/,
  });
});

test('nothing is assigned while the books cannot be read', async (t) => {
  const at = await begun(t);
  at.books.problem = { outcome: 'later', reason: 'HTTP 503' };
  await assert.rejects(at.decide('dep_1', assign, free), { code: 'PartnerUnavailable' });
  assert.equal((await at.decide('dep_1', refund)).kind, 'proposed');
});

test('the row of a deposit has its payer, and the payments that it may be for', async (t) => {
  const at = await deskScene(t);
  const seller = { sellerExternalId: null };
  for (const [name, amountMinor] of [
    ['a', 20_000n],
    ['b', 30_000n],
    ['c', 10_000n],
    ['d', 40_000n],
  ] as const) {
    const id = `pi_${name}`;
    const known = { publicId: id, externalId: `order-${name}`, amount: usd(amountMinor) };
    await at.payment([], { ...waits, ...seller, ...known, id });
  }
  const profile = { ...live, partnerRef: 're_1' };
  await at.organization(profile);
  await at.deposit({ partyRef: 're_1' });
  const all = { queue: null, orgId: null, mode: null, after: null, limit: 10 };
  const [row, ...others] = await listQueues(at.deps, all);
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(row, {
    queue: 'unmatched',
    id: 'dep_1',
    kind: 'deposit',
    orgId: 'org_a',
    mode: 'live',
    paymentId: null,
    amount: usd(10_000n),
    steps: ['assign', 'refund', 'otherwise'],
  });
  assert.deepEqual(row?.known, {
    kind: 'deposit',
    payer: aPayer,
    candidates: [
      { paymentId: 'pi_c', externalId: 'order-c', missing: usd(10_000n) },
      { paymentId: 'pi_a', externalId: 'order-a', missing: usd(20_000n) },
      { paymentId: 'pi_b', externalId: 'order-b', missing: usd(30_000n) },
    ],
  });
});
