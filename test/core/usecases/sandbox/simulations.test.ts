// Simulated events of test payments, with a partner whose pay-ins wait for the buyer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { HOUR_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { eventTypes } from '../../../../core/domain/payments/event.js';
import type { SimulatedEvent } from '../../../../core/domain/payments/simulated-event.js';
import { defaultStorageLimits } from '../../../../core/domain/service/storage-limits.js';
import {
  offerConsolidated,
  payConsolidated,
} from '../../../../core/usecases/hosted/consolidated-payments.js';
import { askQuestion } from '../../../../core/usecases/hosted/questions.js';
import { decide } from '../../../../core/usecases/money-desk/money-desk.js';
import {
  requireApproval,
  setSupportContact,
} from '../../../../core/usecases/parties/organizations.js';
import { findDifferences } from '../../../../core/usecases/payments/ledger-check.js';
import {
  approvePayment,
  cancelPayment,
  readPayment,
} from '../../../../core/usecases/payments/payments.js';
import { runAdvances } from '../../../../core/usecases/sandbox/sandbox.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { takeStored } from '../../../../core/usecases/service/rate-limits.js';
import { memoryOnly } from '../../../support/partners/memory-only.js';
import { Scene as Payment } from '../../../support/scenes/command-scene.js';
import { assignDeposit, listDeposits } from '../../../support/scenes/deposit-decisions.js';
import { type IntentFields, makeInvoice } from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';

interface Scene {
  readonly made: World;
  readonly tenant: Tenant;
  readonly id: string;
  simulate(event: SimulatedEvent): ReturnType<typeof simulate>;
  read(): ReturnType<typeof readPayment>;
}

async function waiting(
  t: Parameters<typeof world>[0],
  fields?: IntentFields,
  options?: Parameters<typeof world>[1],
): Promise<Scene> {
  const made = await world(t, { payins: 'wait', ...options });
  const tenant = await made.newTenant();
  const id = await made.newPayment(tenant, fields);
  return {
    made,
    tenant,
    id,
    simulate: (event) => simulate(made.deps, tenant, id, event),
    read: () => readPayment(made.deps, tenant, id),
  };
}

/** A payment whose buyer has bank details. */
async function paying(t: Parameters<typeof world>[0], fields?: IntentFields): Promise<Scene> {
  const scene = await waiting(t, fields);
  await scene.made.play(scene.tenant, scene.id, 'on_ramp_pending');
  await scene.made.settle();
  return scene;
}

function buyerNamed(name: string, email = 'buyer@example.com'): IntentFields {
  return { buyer: { email, name, country: null, phone: null } };
}

test('a payment waits for its buyer, until an advance sends the money', async (t) => {
  const { made, tenant, id, read } = await paying(t);
  made.advanceClock(HOUR_MS);
  await made.settle();
  const { payment, funds } = await read();
  assert.deepEqual([payment.status, funds.receivedMinor], ['on_ramp_pending', 0n]);
  assert.ok(payment.payinInstructions !== null);
  await made.play(tenant, id, 'settled');
});

test('the answer has the payment after the event', async (t) => {
  const { simulate, made, read } = await paying(t);
  const { payment, funds } = await simulate('money_arrives');
  assert.deepEqual([payment.status, funds.receivedMinor], ['on_chain_confirmed', 10_000n]);
  await made.settle();
  assert.equal((await read()).payment.status, 'settled');
});

test('a short transfer waits for the rest, and an advance leaves it alone', async (t) => {
  const { made, tenant, simulate, read } = await paying(t);
  const short = await simulate('money_short');
  assert.deepEqual([short.payment.status, short.funds.receivedMinor], ['on_ramp_pending', 9_900n]);
  await runAdvances(made.deps, made.deps.clock.nowMs(), 10);
  await made.settle();
  assert.equal((await read()).funds.receivedMinor, 9_900n);
  assert.equal((await simulate('money_top_up')).payment.status, 'on_chain_confirmed');
  assert.equal(tenant.mode, 'test');
});

/** What the buyer and the partner do, and how payment and money are half a minute later. */
const plays = {
  'a surplus goes back to the buyer': [['money_over'], 'settled paid refunded 110 100 0 10 0'],
  'a transfer that comes twice goes back once': [
    ['money_twice'],
    'settled paid refunded 200 100 0 100 0',
  ],
  'a pay-in fails, and its money may still come late': [
    ['money_fails', 'money_late'],
    'failed returned_to_buyer refunded 100 0 0 100 0',
  ],
  'a payout that fails is chosen before it is made': [
    ['payout_fails', 'money_arrives'],
    'failed needs_review none 100 100 0 0 0',
  ],
  'a payout that returns is chosen before it is made': [
    ['payout_returns', 'money_arrives'],
    'failed returned_to_buyer refunded 100 0 0 100 0',
  ],
  'a payout that failed completes after all': [
    ['payout_fails', 'money_arrives', 'payout_completes'],
    'failed paid none 100 100 0 0 0',
  ],
  'a payout that failed comes back': [
    ['payout_fails', 'money_arrives', 'payout_returns'],
    'failed returned_to_buyer refunded 100 0 0 100 0',
  ],
  'a refund fails if that is chosen, and an operator must look': [
    ['refund_fails', 'money_over'],
    'settled paid needs_review 110 100 10 0 0',
  ],
} as const;

for (const [rule, [events, shown]] of Object.entries(plays)) {
  test(rule, async (t) => {
    const { made, tenant, id, simulate } = await paying(t);
    for (const event of events) {
      await simulate(event);
      await made.settle();
    }
    const at = new Payment(made, tenant, id);
    await at.pass(10, 3_000);
    assert.equal(await at.summary(), shown);
  });
}

test('money that arrives after a cancel goes back, also in two transfers', async (t) => {
  const { made, tenant, id, simulate, read } = await paying(t);
  await cancelPayment(made.deps, tenant, id, 'changed mind');
  const late = await simulate('money_late');
  assert.deepEqual([late.payment.status, late.funds.refund], ['cancelled', 'refund_owed']);
  await simulate('money_twice');
  await made.settle();
  const { funds } = await read();
  assert.deepEqual([funds.refund, funds.refundedMinor], ['refunded', 20_000n]);
});

test('a buyer called Slow is decided on by a simulation only', async (t) => {
  for (const [event, status] of [
    ['identity_approved', 'buyer_kyc_approved'],
    ['identity_rejected', 'failed'],
    ['identity_documents_again', 'buyer_kyc_pending'],
    ['identity_pending', 'buyer_kyc_pending'],
  ] as const) {
    const { made, tenant, id, simulate, read } = await waiting(t, buyerNamed('Slow Buyer'));
    await made.play(tenant, id, 'buyer_kyc_pending');
    await made.deps.store.run(async (tx) => {
      const advance = { ...tenant, paymentId: id, to: 'buyer_kyc_approved' } as const;
      tx.advances.put({ ...advance, dueAtMs: made.deps.clock.nowMs(), tries: 0, version: 1 });
    });
    made.advanceClock(HOUR_MS);
    await made.settle();
    assert.equal((await read()).payment.status, 'buyer_kyc_pending');
    assert.equal((await simulate(event)).payment.status, status, event);
  }
});

test('a quote expires, moves to another rate, or is locked', async (t) => {
  const { made, tenant, id, simulate } = await waiting(t);
  await made.play(tenant, id, 'fx_quoted');
  const quoteAfter = async (event: SimulatedEvent) => {
    const { payment } = await simulate(event);
    return made.deps.store.run((tx) => tx.quotes.get(tenant, payment.quoteId ?? ''));
  };
  const first = await quoteAfter('rate_moved');
  const second = await quoteAfter('rate_moved');
  assert.notEqual(first?.rate, second?.rate);
  assert.equal((await quoteAfter('rate_locked'))?.rateKind, 'locked');
  assert.equal((await quoteAfter('quote_expired'))?.expiresAtMs, made.deps.clock.nowMs());
  // An advance asks for another one.
  await made.play(tenant, id, 'settled');
});

test('a locked rate is what the seller gets', async (t) => {
  const { made, tenant, id, simulate, read } = await waiting(t);
  await made.play(tenant, id, 'fx_quoted');
  const { payment } = await simulate('rate_locked');
  const quote = await made.deps.store.run((tx) => tx.quotes.get(tenant, payment.quoteId ?? ''));
  await made.play(tenant, id, 'on_ramp_pending');
  made.advanceClock(HOUR_MS);
  await made.play(tenant, id, 'settled');
  assert.deepEqual((await read()).payment.settlement?.settled, quote?.target);
});

test('a crash before the message: a poll finds the outcome', async (t) => {
  const { made, simulate, read } = await paying(t);
  made.deliver = async () => {
    throw new Error('the host is gone');
  };
  await simulate('money_arrives');
  assert.equal((await read()).payment.status, 'on_ramp_pending');
  made.advanceClock(15_000);
  await made.settle();
  const { payment, funds } = await read();
  assert.deepEqual([payment.status, funds.receivedMinor], ['offramp_pending', 10_000n]);
});

test('an event that is not possible is refused and names those that are', async (t) => {
  const { made, tenant, id } = await waiting(t);
  await assert.rejects(simulate(made.deps, tenant, id, 'money_arrives'), {
    code: 'PaymentStateConflict',
    message: 'money_arrives is not possible now. No event is possible in awaiting_buyer.',
  });
  await made.play(tenant, id, 'fx_quoted');
  await assert.rejects(simulate(made.deps, tenant, id, 'money_arrives'), {
    code: 'PaymentStateConflict',
    message: /Possible now: quote_expired, rate_moved, rate_locked\.$/,
  });
});

test('unknown events, unknown payments and live mode are refused', async (t) => {
  const { made, tenant, id } = await waiting(t);
  const refusals = [
    [tenant, id, 'time_stops', 'ValidationError'],
    [tenant, 'pi_none', 'money_arrives', 'NotFound'],
    [{ ...tenant, mode: 'live' }, id, 'money_arrives', 'NotFound'],
  ] as const;
  for (const [by, payment, event, code] of refusals) {
    await assert.rejects(simulate(made.deps, by, payment, event), { code });
  }
});

test('amounts that have a test value keep their effect when an advance pays', async (t) => {
  for (const [amountMinor, status] of [
    [10_055n, 'on_ramp_pending'],
    [10_066n, 'failed'],
    [10_077n, 'failed'],
  ] as const) {
    const amount = money(amountMinor, 'USD');
    const { made, tenant, id, read } = await waiting(t, { amount });
    await made.play(tenant, id, 'on_ramp_pending');
    await assert.rejects(made.play(tenant, id, 'settled'), /is never settled/);
    assert.equal((await read()).payment.status, status);
  }
});

/** No bank of the sandbox takes money back from a pay-in that completed. */
const notSimulated = ['payin_recalled', 'recall_reversed'];

test('all but two events of payments come from a request, a page, an operator or a simulation', async (t) => {
  const made = await world(t, { payins: 'wait' });
  const tenant = await made.newTenant();
  const { deps } = made;
  await requireApproval(deps, tenant.orgId, true);
  await requireApproval(deps, tenant.orgId, true, 'payment_intent');
  await setSupportContact(deps, tenant.orgId, { supportEmail: 'help@acme.example' });
  const approvedIntent = async (fields: IntentFields) => {
    const id = await made.newPayment(tenant, fields);
    await approvePayment(deps, tenant, id, 'mem_1');
    return id;
  };
  const approvedInvoice = async (fields: IntentFields) => {
    const { buyer, expiresAtMs = null } = fields;
    const { payment } = await makeInvoice(deps, tenant, {
      ...(buyer === undefined ? {} : { buyer }),
      expiresAtMs,
    });
    await approvePayment(deps, tenant, payment.id, 'mem_1');
    return payment.id;
  };
  const makers = [approvedIntent, approvedInvoice];
  const expiresAtMs = deps.clock.nowMs() + 10 * HOUR_MS;
  for (const make of makers) {
    const settled = await make({});
    const { payment } = await readPayment(deps, tenant, settled);
    const mailId = deps.ids.next('mail', deps.clock.nowMs());
    await askQuestion(deps, payment, { mailId, question: 'Which order is this?' });
    await made.play(tenant, settled, 'on_ramp_pending');
    await simulate(deps, tenant, settled, 'money_short');
    await simulate(deps, tenant, settled, 'money_over');
    const owed = await make({});
    await made.play(tenant, owed, 'on_ramp_pending');
    await simulate(deps, tenant, owed, 'refund_fails');
    await simulate(deps, tenant, owed, 'money_twice');
    const rejected = await make(buyerNamed('Slow Buyer', 'slow@example.com'));
    await made.play(tenant, rejected, 'buyer_kyc_pending');
    await simulate(deps, tenant, rejected, 'identity_sent');
    await made.settle();
    await simulate(deps, tenant, rejected, 'identity_rejected');
    const failed = await make({});
    await made.play(tenant, failed, 'on_ramp_pending');
    await simulate(deps, tenant, failed, 'money_fails');
    const late = await make({});
    await made.play(tenant, late, 'on_ramp_pending');
    await simulate(deps, tenant, late, 'payout_fails');
    await simulate(deps, tenant, late, 'money_arrives');
    await made.settle();
    await simulate(deps, tenant, late, 'payout_completes');
    const again = await make({});
    await made.play(tenant, again, 'settled');
    await simulate(deps, tenant, again, 'payout_returns');
    await made.settle();
    const commands = await deps.store.run((tx) => tx.commands.ofPayment(tenant, again));
    const itemId = commands.find(({ kind }) => kind === 'payout')?.id ?? '';
    const asked = { request: { verb: 'pay_again' }, evidence: 'asked', replace: false } as const;
    await decide(deps, { itemId, ...asked, operator: developmentOperator });
    await cancelPayment(deps, tenant, await make({}), 'changed mind');
    await make({ expiresAtMs });
  }
  await made.settle();
  made.advanceClock(10 * HOUR_MS);
  await made.settle();
  const events = await deps.store.run((tx) => tx.feed.after(tenant, 0, 1_000));
  const isOfPayments = (type: string) => /^(payment_intent|invoice)\./.test(type);
  const found = new Set(events.map(({ type }) => type).filter(isOfPayments));
  const simulated = eventTypes.filter(
    (type) => isOfPayments(type) && !notSimulated.some((name) => type.endsWith(`.${name}`)),
  );
  assert.deepEqual([...found].toSorted(), simulated.toSorted());
});

for (const memory of [null, memoryOnly()]) {
  const which = memory === null ? 'without' : 'with';
  test(`one transfer pays several payments, ${which} a memory of the partner`, async (t) => {
    const { made, tenant, id, read } = await waiting(t, {}, { memory });
    const ids = [id, await made.newPayment(tenant), await made.newPayment(tenant)];
    for (const one of ids) await made.play(tenant, one, 'fx_quoted');
    const { publicId } = (await read()).payment;
    const { payments } = await offerConsolidated(made.deps, publicId, ids);
    const accepted = payments.map(({ payment, quote }) => ({
      paymentId: payment.id,
      quoteId: quote?.id ?? null,
    }));
    const paid = await payConsolidated(made.deps, publicId, accepted, null);
    assert.deepEqual(paid.payinInstructions?.amount, money(30_000n, 'USD'));
    made.advanceClock(HOUR_MS);
    await made.settle();
    const states = async () => {
      const inOrder = payments.map(({ payment }) => payment.id);
      const views = await Promise.all(inOrder.map((one) => readPayment(made.deps, tenant, one)));
      return views.map(({ payment, funds }) => [payment.status, funds.receivedMinor]);
    };
    const waits = ['on_ramp_pending', 0n];
    assert.deepEqual(await states(), [waits, waits, waits]);
    const at = (one: string, event: SimulatedEvent) => simulate(made.deps, tenant, one, event);
    await assert.rejects(at(id, 'money_fails'), { code: 'PaymentStateConflict' });
    // The last one to be paid lacks the rest.
    const last = payments.at(-1)?.payment.id ?? '';
    await at(id, 'money_short');
    await made.settle();
    const settled = ['settled', 10_000n];
    assert.deepEqual(await states(), [settled, settled, ['on_ramp_pending', 9_900n]]);
    await at(last, 'money_top_up');
    await made.settle();
    assert.deepEqual(await states(), [settled, settled, settled]);
    await at(id, 'money_twice');
    await made.settle();
    const refunded = await Promise.all(ids.map((one) => readPayment(made.deps, tenant, one)));
    const back = refunded.reduce((sum, { funds }) => sum + funds.refundedMinor, 0n);
    assert.equal(back, 30_000n);
    assert.deepEqual(await findDifferences(made.deps, 10), []);
  });
}

test('what an event stores by a message is taken from the budget of the organization', async (t) => {
  const { made, tenant, id, simulate } = await waiting(t);
  await made.play(tenant, id, 'on_ramp_pending');
  const { rowsADay, mebibytesADay } = defaultStorageLimits.test;
  await takeStored(made.deps, tenant, 'keys', { rows: rowsADay - 1, bytes: 0 });
  await simulate('money_unmatched');
  const full = { code: 'StorageLimitExceeded' };
  await assert.rejects(simulate('money_unmatched'), full);
  const page = { beforeId: null, limit: 10, waiting: true };
  assert.equal((await listDeposits(made.deps, page)).length, 1);
  const bytes = mebibytesADay * 1_024 * 1_024 - 24 * 1_024;
  await takeStored(made.deps, tenant, 'keys', { rows: 0, bytes });
  await simulate('money_arrives');
  await assert.rejects(Promise.all([simulate('money_twice'), simulate('money_twice')]), full);
});

test('money without a reference waits for an operator, who can assign it', async (t) => {
  const { made, tenant, id, simulate, read } = await waiting(t);
  await made.play(tenant, id, 'on_ramp_pending');
  const before = (await read()).funds;
  // Its message was accepted when this resolves: a command that simulates ends with its process.
  await simulate('money_unmatched');
  const page = { beforeId: null, limit: 10, waiting: true };
  const [deposit, ...others] = await listDeposits(made.deps, page);
  assert.ok(deposit !== undefined && others.length === 0);
  const { amountMinor } = (await read()).payment.amount;
  assert.deepEqual(deposit.amount, money(amountMinor + 100n, 'USD'));
  assert.deepEqual((await read()).funds, before);
  await assignDeposit(made.deps, deposit.id, id);
  assert.equal(
    (await read()).funds.receivedMinor,
    before.receivedMinor + deposit.amount.amountMinor,
  );
});
