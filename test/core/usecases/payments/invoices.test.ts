import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { readPaymentPage } from '../../../../core/usecases/hosted/payment-page.js';
import { requireApproval } from '../../../../core/usecases/parties/organizations.js';
import { inviteBuyer } from '../../../../core/usecases/payments/invoices.js';
import {
  approvePayment,
  cancelPayment,
  readPayment,
} from '../../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { makeIntent, makeInvoice, openLink } from '../../../support/scenes/made-payments.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';

const made = await world(suiteEnd());
/** Its invoices need no approval. */
const tenant = await made.newTenant();
/** Its invoices do. */
const strict = await made.newTenant();
await requireApproval(made.deps, strict.orgId, true);

test('an invoice awaits approval if the organization asks for it, else it is approved', async () => {
  const plain = await makeInvoice(made.deps, tenant);
  const held = await makeInvoice(made.deps, strict);
  assert.deepEqual([plain.payment.status, held.payment.status], ['approved', 'awaiting_approval']);
  for (const { payment } of [plain, held]) {
    assert.match(payment.id, /^inv_/);
    assert.deepEqual(await made.eventsOf(payment, payment.id), ['invoice.created']);
  }
});

test('the setting counts for invoices that are made after it', async () => {
  const home = await made.newTenant();
  const before = await makeInvoice(made.deps, home);
  await requireApproval(made.deps, home.orgId, true);
  const during = await makeInvoice(made.deps, home);
  await requireApproval(made.deps, home.orgId, false);
  assert.equal(await made.statusOf(before.payment.id), 'approved');
  assert.equal(await made.statusOf(during.payment.id), 'awaiting_approval');
});

for (const [origin, make] of [
  ['invoice', makeInvoice],
  ['payment_intent', makeIntent],
] as const) {
  test(`the setting for an ${origin} is held against one that is made while it changes`, async () => {
    const home = await made.newTenant();
    const { store } = made.deps;
    let runs = 0;
    const racing = {
      ...store,
      run: <T>(work: Parameters<typeof store.run<T>>[0]) =>
        store.run(async (tx) => {
          const value = await work(tx);
          runs += 1;
          if (runs === 1) await requireApproval(made.deps, home.orgId, true, origin);
          return value;
        }),
    };
    const { payment } = await make({ ...made.deps, store: racing }, home);
    assert.deepEqual([payment.status, runs], ['awaiting_approval', 2]);
  });
}

test('a second member approves an invoice, not the one who created it', async () => {
  const { payment } = await makeInvoice(made.deps, strict, { createdByMemberId: 'mem_1' });
  const { id } = payment;
  await assert.rejects(approvePayment(made.deps, strict, id, 'mem_1'), {
    code: 'SelfApprovalNotAllowed',
  });
  assert.equal(await made.statusOf(payment.id), 'awaiting_approval');
  const approved = await approvePayment(made.deps, strict, id, 'mem_2');
  assert.equal(approved.payment.status, 'approved');
  assert.equal(approved.payment.approvedByMemberId, 'mem_2');
  const again = await approvePayment(made.deps, strict, id, 'mem_3');
  assert.deepEqual(again, approved);
  assert.deepEqual(await made.eventsOf(strict, id), ['invoice.created', 'invoice.approved']);
});

test('a second address of the same mailbox is no second person', async () => {
  const { orgId } = strict;
  const add = async (email: string) =>
    (await addActiveMember(made.deps, { orgId, email, role: 'admin' })).id;
  const author = await add('bob+sales@acme.example');
  const { payment } = await makeInvoice(made.deps, strict, { createdByMemberId: author });
  for (const own of ['bob@acme.example', 'BOB+boss@acme.example']) {
    const again = approvePayment(made.deps, strict, payment.id, await add(own));
    await assert.rejects(again, { code: 'SelfApprovalNotAllowed' }, own);
  }
  assert.equal(await made.statusOf(payment.id), 'awaiting_approval');
  const colleague = await add('bobby@acme.example');
  const { payment: done } = await approvePayment(made.deps, strict, payment.id, colleague);
  assert.equal(done.status, 'approved');
});

test('payment intents need an approval only if the organization asks for it', async () => {
  const { deps } = made;
  const home = await made.newTenant();
  await requireApproval(deps, home.orgId, true);
  const exempt = await makeIntent(deps, home);
  await requireApproval(deps, home.orgId, true, 'payment_intent');
  const held = await makeIntent(deps, home, { createdByMemberId: 'mem_1' });
  const statuses = [exempt.payment.status, held.payment.status];
  assert.deepEqual(statuses, ['awaiting_buyer', 'awaiting_approval']);
  const { id } = held.payment;
  await assert.rejects(readPaymentPage(deps, held.payment.publicId), { code: 'NotFound' });
  const self = approvePayment(deps, home, id, 'mem_1');
  await assert.rejects(self, { code: 'SelfApprovalNotAllowed' });
  const approved = await approvePayment(deps, home, id, 'mem_2');
  assert.equal(approved.payment.status, 'awaiting_buyer');
  await made.play(home, id, 'settled');
  await requireApproval(deps, home.orgId, false, 'payment_intent');
  const free = await makeIntent(deps, home);
  assert.equal(free.payment.status, 'awaiting_buyer');
});

test('an invoice that a key created may be approved by any member', async () => {
  const { payment } = await makeInvoice(made.deps, strict);
  const { payment: approved } = await approvePayment(made.deps, strict, payment.id, 'mem_1');
  assert.equal(approved.status, 'approved');
});

test('an approval after the end is late', async () => {
  const { payment } = await makeInvoice(made.deps, strict);
  await cancelPayment(made.deps, strict, payment.id, 'a mistake');
  await assert.rejects(approvePayment(made.deps, strict, payment.id, 'mem_1'), {
    code: 'PaymentStateConflict',
  });
});

test('a buyer who is KYC-approved already skips the KYC step when signing in', async () => {
  const email = 'known@example.com';
  const buyer = { email, name: null, country: null, phone: null };
  const { payment: first } = await makeInvoice(made.deps, tenant, { buyer });
  await made.play(first, first.id, 'settled');
  const { payment } = await makeInvoice(made.deps, tenant, { buyer });
  await inviteBuyer(made.deps, tenant, payment.id);
  await made.settle();
  const { view } = await openLink(made.deps, made.mails.at(-1));
  assert.equal(view?.payment.id, payment.id);
  assert.equal(view?.payment.status, 'buyer_kyc_approved');
  assert.deepEqual((await made.eventsOf(tenant, payment.id)).slice(2), [
    'invoice.buyer_kyc_approved',
  ]);
});

test('an externalId is one payment per origin: an intent and an invoice may share it', async () => {
  const externalId = 'shared-1';
  const first = await makeInvoice(made.deps, tenant, { externalId });
  const again = await makeInvoice(made.deps, tenant, { externalId });
  assert.deepEqual([again.replayed, again.payment.id], [true, first.payment.id]);
  const intent = await makeIntent(made.deps, tenant, { externalId, idempotencyKey: null });
  assert.equal(intent.replayed, false);
  assert.match(intent.payment.id, /^pi_/);
});

test('an idempotency key of one origin is a conflict on the other', async () => {
  const idempotencyKey = 'key-1';
  const invoice = await makeInvoice(made.deps, tenant, { idempotencyKey });
  const replay = await makeInvoice(made.deps, tenant, { idempotencyKey, number: 'other' });
  assert.deepEqual([replay.replayed, replay.payment.id], [true, invoice.payment.id]);
  assert.equal(replay.payment.number, 'INV/7');
  const intent = makeIntent(made.deps, tenant, { externalId: 'other-1', idempotencyKey });
  await assert.rejects(intent, { code: 'IdempotencyKeyConflict' });
  await makeIntent(made.deps, tenant, { externalId: 'other-1', idempotencyKey: 'key-2' });
  await assert.rejects(makeInvoice(made.deps, tenant, { idempotencyKey: 'key-2' }), {
    code: 'IdempotencyKeyConflict',
  });
});

test('a path names a payment of these origins; ext_ names no payment if two have the externalId', async () => {
  const externalId = 'shared-2';
  const { payment: invoice } = await makeInvoice(made.deps, tenant, { externalId });
  const { payment: intent } = await makeIntent(made.deps, tenant, {
    externalId,
    idempotencyKey: null,
  });
  const { payment: alone } = await makeInvoice(made.deps, tenant, { externalId: 'of-invoice' });
  const external = `ext_${externalId}`;
  const cases = [
    [['payment_intent', 'invoice'], external, 'AmbiguousExternalId'],
    [['payment_intent', 'invoice'], 'ext_of-invoice', alone.id],
    [['payment_intent', 'invoice'], invoice.id, invoice.id],
    [['payment_intent', 'invoice'], intent.id, intent.id],
    [['payment_intent'], external, intent.id],
    [['payment_intent'], invoice.id, 'NotFound'],
    [['payment_intent'], intent.id, intent.id],
    [['invoice'], external, invoice.id],
    [['invoice'], invoice.id, invoice.id],
    [['invoice'], intent.id, 'NotFound'],
    [['invoice'], 'ext_', 'NotFound'],
    [['invoice'], externalId, 'NotFound'],
  ] as const;
  for (const [origins, reference, expected] of cases) {
    const found = await readPayment(made.deps, tenant, reference, origins).then(
      ({ payment }) => payment.id,
      ({ code }) => code,
    );
    assert.equal(found, expected, `${reference} among ${origins}`);
  }
  await assert.rejects(readPayment(made.deps, tenant, external), {
    message: new RegExp(`${intent.id} or ${invoice.id}`),
  });
});

test('an organization without KYB, small or late invoices: refused as intents are', async () => {
  const bare: Tenant = { orgId: await made.organization({ sandboxKyb: false }), mode: 'test' };
  const usd = (amountMinor: bigint) => ({ amountMinor, currency: 'USD' });
  const cases = [
    [bare, {}, 'KybNotApproved'],
    [{ ...tenant, mode: 'live' }, {}, 'KybNotApproved'],
    [tenant, { amount: { amountMinor: 1n, currency: 'XXX' } }, 'ValidationError'],
    [tenant, { amount: usd(999n) }, 'AmountBelowMinimum'],
    [tenant, { expiresAtMs: made.deps.clock.nowMs() }, 'ValidationError'],
    [tenant, { sellerExternalId: 'nobody' }, 'SellerNotReady'],
  ] as const;
  for (const [home, fields, code] of cases) {
    await assert.rejects(makeInvoice(made.deps, home, fields), { code });
  }
});

test('an invoice expires in every status before the money has come', async () => {
  const expiresAtMs = made.deps.clock.nowMs() + MINUTE_MS;
  const held = await makeInvoice(made.deps, strict, { expiresAtMs });
  const plain = await makeInvoice(made.deps, tenant, { expiresAtMs });
  made.advanceClock(MINUTE_MS);
  for (const { payment } of [held, plain]) {
    assert.deepEqual(await made.eventsOf(payment, payment.id), [
      'invoice.created',
      'invoice.expired',
    ]);
  }
});

test('the sandbox invites the buyer and pays; what awaits approval it leaves', async () => {
  const buyer = { email: 'new@example.com', name: null, country: null, phone: null };
  const { payment } = await makeInvoice(made.deps, strict, { buyer });
  await advancePayment(made.deps, strict, payment.id, null);
  await made.settle();
  assert.equal(await made.statusOf(payment.id), 'awaiting_approval');
  await approvePayment(made.deps, strict, payment.id, 'mem_1');
  for (let looks = 0; looks < 100 && (await made.statusOf(payment.id)) !== 'settled'; looks += 1) {
    made.advanceClock(1_000);
    await made.settle();
  }
  assert.deepEqual(await made.eventsOf(strict, payment.id), [
    'invoice.created',
    'invoice.approved',
    'invoice.awaiting_buyer',
    'invoice.buyer_kyc_pending',
    'invoice.buyer_kyc_approved',
    'invoice.fx_quoted',
    'invoice.on_ramp_pending',
    'invoice.on_chain_confirmed',
    'invoice.offramp_pending',
    'invoice.settled',
  ]);
});

test('invoices of another tenant or mode are not there', async () => {
  const { payment } = await makeInvoice(made.deps, tenant);
  for (const home of [strict, { ...tenant, mode: 'live' }] as const) {
    await assert.rejects(readPayment(made.deps, home, payment.id), { code: 'NotFound' });
    await assert.rejects(inviteBuyer(made.deps, home, payment.id), { code: 'NotFound' });
    await assert.rejects(approvePayment(made.deps, home, payment.id, 'mem_1'), {
      code: 'NotFound',
    });
  }
});

test('the buyer of an intent cannot be invited', async () => {
  const { payment } = await makeIntent(made.deps, tenant, {
    externalId: 'intent-3',
    idempotencyKey: null,
  });
  await assert.rejects(inviteBuyer(made.deps, tenant, payment.id), { code: 'NotFound' });
});
