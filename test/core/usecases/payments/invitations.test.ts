// Inviting the buyer of an invoice by mail: when it may be done, what it sends, and how often.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { requireApproval } from '../../../../core/usecases/parties/organizations.js';
import { inviteBuyers } from '../../../../core/usecases/payments/invitations.js';
import { inviteBuyer } from '../../../../core/usecases/payments/invoices.js';
import { cancelPayment, readPayment } from '../../../../core/usecases/payments/payments.js';
import { onceByKey } from '../../../../core/usecases/service/repeated-actions.js';
import { makeInvoice, tokenIn } from '../../../support/scenes/made-payments.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { valuesOf } from '../../../support/values-of.js';

let buyers = 0;

const made = await world(suiteEnd());
/** Its invoices need no approval. */
const tenant = await made.newTenant();
/** Its invoices do. */
const strict = await made.newTenant();
await requireApproval(made.deps, strict.orgId, true);

/** Nobody was mailed before. */
function newBuyer() {
  buyers += 1;
  return { email: `buyer-${buyers}@example.com`, name: null, country: null, phone: null };
}

async function invited(invitation: Promise<unknown>): Promise<string> {
  return invitation.then(
    () => 'sent',
    ({ code }) => code,
  );
}

test('an invitation moves an approved invoice to its buyer and mails the link', async () => {
  const { payment } = await makeInvoice(made.deps, tenant);
  const before = made.mails.length;
  const invited = await inviteBuyer(made.deps, tenant, payment.id);
  assert.equal(invited.status, 'awaiting_buyer');
  assert.deepEqual(await made.eventsOf(tenant, payment.id), [
    'invoice.created',
    'invoice.awaiting_buyer',
  ]);
  const [mail, ...more] = made.mails.slice(before);
  assert.deepEqual(more, []);
  assert.equal(mail?.to, 'Ana@Example.com');
  assert.match(mail?.text ?? '', /Invoice INV\/7, due 28 February 2030/);
  assert.ok(mail?.text.includes(`https://pay.example.com/r/${payment.publicId}?token=`));
});

test('an invoice that is not approved invites nobody', async () => {
  const held = await makeInvoice(made.deps, strict);
  const gone = await makeInvoice(made.deps, tenant);
  await cancelPayment(made.deps, tenant, gone.payment.id, 'a mistake');
  const before = made.mails.length;
  for (const { payment } of [held, gone]) {
    await assert.rejects(inviteBuyer(made.deps, payment, payment.id), {
      code: 'InvoiceNotApproved',
    });
  }
  await made.settle();
  assert.equal(made.mails.length, before);
});

test('a repeat while the buyer is awaited sends another link; within a minute it is refused', async () => {
  const { payment } = await makeInvoice(made.deps, tenant, { buyer: newBuyer() });
  const before = made.mails.length;
  const invite = () => inviteBuyer(made.deps, tenant, payment.id);
  assert.equal((await invite()).status, 'awaiting_buyer');
  const invited = await readPayment(made.deps, tenant, payment.id);
  for (const [waitMs, retryAfterSeconds] of [
    [0, 60],
    [MINUTE_MS - SECOND_MS, 1],
    [SECOND_MS - 1, 1],
  ] as const) {
    made.advanceClock(waitMs);
    await assert.rejects(invite(), { code: 'InvitationLimitExceeded', retryAfterSeconds });
    assert.deepEqual(await readPayment(made.deps, tenant, payment.id), invited);
  }
  made.advanceClock(1);
  assert.equal((await invite()).status, 'awaiting_buyer');
  await made.settle();
  const [first, second, ...more] = made.mails.slice(before).map(tokenIn);
  assert.notEqual(first, second);
  assert.deepEqual(more, []);
  assert.deepEqual(await made.eventsOf(tenant, payment.id), [
    'invoice.created',
    'invoice.awaiting_buyer',
  ]);
});

test('invitations at once are one mail, and the others are refused', async () => {
  const { payment } = await makeInvoice(made.deps, tenant, { buyer: newBuyer() });
  const before = made.mails.length;
  const codes = await Promise.all(
    Array.from({ length: 6 }, () => invited(inviteBuyer(made.deps, tenant, payment.id))),
  );
  assert.deepEqual(codes.toSorted(), [...Array(5).fill('InvitationLimitExceeded'), 'sent']);
  await made.settle();
  assert.equal(made.mails.length, before + 1);
});

test('an organization sends an address five invitations an hour, over all its invoices', async () => {
  const buyer = newBuyer();
  const invite = async (home: Tenant = tenant) => {
    const { payment } = await makeInvoice(made.deps, home, { buyer });
    return inviteBuyer(made.deps, home, payment.id);
  };
  const before = made.mails.length;
  for (let count = 0; count < 5; count += 1) {
    await invite();
    made.advanceClock(MINUTE_MS);
  }
  const { payment: sixth } = await makeInvoice(made.deps, tenant, { buyer });
  const again = () => inviteBuyer(made.deps, tenant, sixth.id);
  const message = new RegExp(`^${buyer.email} was sent 5 invitations .* Retry after 3300s`);
  const limited = { code: 'InvitationLimitExceeded', retryAfterSeconds: 55 * 60, message };
  await assert.rejects(again(), limited);
  assert.equal(await made.statusOf(sixth.id), 'approved', 'nothing is changed');
  const another = await made.newTenant();
  await invite(another);
  made.advanceClock(55 * MINUTE_MS);
  await again();
  await assert.rejects(invite(), { code: 'InvitationLimitExceeded', retryAfterSeconds: 60 });
  await made.settle();
  assert.equal(made.mails.length - before, 7);
});

test('invitations of many invoices to one address at once are five', async () => {
  const buyer = newBuyer();
  const invoices = await Promise.all(
    Array.from({ length: 7 }, () => makeInvoice(made.deps, tenant, { buyer })),
  );
  const codes = await Promise.all(
    invoices.map(({ payment }) => invited(inviteBuyer(made.deps, tenant, payment.id))),
  );
  assert.equal(codes.filter((code) => code === 'sent').length, 5);
  const { payment } = await makeInvoice(made.deps, tenant, { buyer });
  const before = made.mails.length;
  await made.play(payment, payment.id, 'buyer_kyc_pending');
  await made.settle();
  assert.equal(made.mails.length - before, 5, 'the sandbox buyer needs no mail');
});

test('an invoice opens without a mail, at the limit too; its buyer requests its own link', async () => {
  const buyer = newBuyer();
  for (let count = 0; count < 5; count += 1) {
    const { payment } = await makeInvoice(made.deps, tenant, { buyer });
    await inviteBuyer(made.deps, tenant, payment.id);
  }
  await made.settle();
  const before = made.mails.length;
  const { payment: sixth } = await makeInvoice(made.deps, tenant, { buyer });
  await assert.rejects(inviteBuyer(made.deps, tenant, sixth.id), { name: 'PonteError' });
  const opened = await inviteBuyer(made.deps, tenant, sixth.id, { mail: 'never' });
  assert.equal(opened.status, 'awaiting_buyer');
  await made.settle();
  assert.equal(made.mails.length, before);
});

test('once the buyer has signed in, it is not invited any more', async () => {
  const { payment } = await makeInvoice(made.deps, tenant);
  await made.play(payment, payment.id, 'buyer_kyc_pending');
  made.advanceClock(MINUTE_MS);
  await assert.rejects(inviteBuyer(made.deps, tenant, payment.id), { code: 'InvoiceNotApproved' });
});

async function inviteUnder(key: string, id: string) {
  const { value } = await onceByKey(
    made.deps,
    tenant,
    { action: 'invite', key, id, body: {} },
    (bindKey) => inviteBuyer(made.deps, tenant, id, { bindKey }),
    async () => (await readPayment(made.deps, tenant, id)).payment,
  );
  return value;
}

test('an invitation that is repeated with its key mails once, at any time after', async () => {
  const { payment } = await makeInvoice(made.deps, tenant, { buyer: newBuyer() });
  const { payment: other } = await makeInvoice(made.deps, tenant, { buyer: newBuyer() });
  const before = made.mails.length;
  const invite = (id: string) => inviteUnder('of the first', id);
  assert.equal((await invite(payment.id)).status, 'awaiting_buyer');
  for (const waitMs of [0, 2 * MINUTE_MS]) {
    made.advanceClock(waitMs);
    assert.equal((await invite(payment.id)).status, 'awaiting_buyer');
  }
  assert.equal(await invited(invite(other.id)), 'IdempotencyKeyConflict');
  await made.settle();
  assert.equal(made.mails.length, before + 1);
  await inviteUnder('of the second', payment.id);
  await made.settle();
  assert.equal(made.mails.length, before + 2);
});

test('the key of a create is another one than that of an invitation', async () => {
  const fields = { buyer: newBuyer(), idempotencyKey: 'one for both' };
  const { payment } = await makeInvoice(made.deps, tenant, fields);
  const before = made.mails.length;
  await inviteUnder('one for both', payment.id);
  await made.settle();
  assert.equal(made.mails.length, before + 1);
});

const endsOf = async (ids: readonly string[], key: string | null = null) =>
  (await inviteBuyers(made.deps, tenant, ids, key)).value.map(({ end }) => end);

let numbers = 0;

async function invoicesOf(buyer: ReturnType<typeof newBuyer>, count: number) {
  const created: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const number = `N-${numbers}/${index}`;
    numbers += 1;
    const { payment } = await makeInvoice(made.deps, tenant, { buyer, number });
    created.push(payment.id);
  }
  return created;
}

test('200 invoices for 30 buyers are 30 mails, and each lists those of its buyer', async () => {
  const buyers30 = Array.from({ length: 30 }, newBuyer);
  const ids: string[] = [];
  for (const [index, buyer] of buyers30.entries()) {
    ids.push(...(await invoicesOf(buyer, index < 20 ? 7 : 6)));
  }
  const before = made.mails.length;
  assert.deepEqual(new Set(await endsOf(ids, 'month')), new Set(['sent']));
  // Mails to new addresses have their own budget.
  await made.pass(8, HOUR_MS);
  const mails = made.mails.slice(before);
  assert.equal(ids.length, 200);
  assert.equal(mails.length, 30);
  for (const buyer of buyers30) {
    const ofBuyer = mails.filter(({ to }) => to === buyer.email);
    const [mail] = ofBuyer;
    assert.equal(ofBuyer.length, 1);
    const count = buyers30.indexOf(buyer) < 20 ? 7 : 6;
    assert.match(mail?.subject ?? '', new RegExp(`asks you to pay ${count} invoices`));
    for (let index = 0; index < count; index += 1) {
      assert.ok(mail?.text.includes(`/${index}, due`), mail?.text);
    }
  }
});

test('invitations of many that are repeated with their key mail nobody twice, and nobody else', async () => {
  const [some, others] = [await invoicesOf(newBuyer(), 3), await invoicesOf(newBuyer(), 2)];
  const before = made.mails.length;
  const { store } = made.deps;
  let isDown = false;
  const run: typeof store.run = async (work, options) => {
    assert.ok(!isDown, 'a crash between two buyers');
    const ends = await store.run(work, options);
    isDown = Array.isArray(ends) && ends.some(({ end }) => end === 'sent');
    return ends;
  };
  const crashing = { ...made.deps, store: Object.create(store, { run: { value: run } }) };
  const all = [...some, ...others];
  await assert.rejects(inviteBuyers(crashing, tenant, all, 'crash'), /a crash/);
  made.advanceClock(2 * MINUTE_MS);
  assert.equal((await endsOf(all, 'crash')).join(), 'sent,sent,sent,sent,sent');
  await Promise.all([1, 2].map(() => endsOf(all, 'crash')));
  const third = await invoicesOf(newBuyer(), 1);
  for (const [ids, isMailed] of [
    [others, true],
    [[...all, ...third], true],
    [all, false],
  ] as const) {
    const other = inviteBuyers(made.deps, tenant, ids, 'crash', isMailed);
    await assert.rejects(other, { code: 'IdempotencyKeyConflict' });
  }
  await made.settle();
  assert.equal(made.mails.length, before + 2);
});

test('an invitation of many names what was not sent, and sends the rest', async () => {
  await made.settle();
  const buyer = newBuyer();
  const [first = '', second = '', third = ''] = await invoicesOf(buyer, 3);
  await cancelPayment(made.deps, tenant, second, 'a mistake');
  const before = made.mails.length;
  assert.deepEqual(await endsOf([first, second, 'inv_none', third]), [
    'sent',
    'not_approved',
    'not_found',
    'sent',
  ]);
  assert.deepEqual(await endsOf([first, third]), ['limited', 'limited']);
  await made.settle();
  assert.equal(made.mails.length, before + 1);
  const intent = await made.newPayment(tenant);
  assert.deepEqual(await endsOf([intent]), ['not_found']);
  const held = await makeInvoice(made.deps, strict);
  assert.deepEqual(await endsOf([held.payment.id]), ['not_found'], 'of another tenant');
});

test('the limit of an address counts mails of many invoices as one', async () => {
  const buyer = newBuyer();
  for (let mail = 0; mail < 5; mail += 1) {
    assert.deepEqual(await endsOf(await invoicesOf(buyer, 3)), ['sent', 'sent', 'sent']);
  }
  const before = made.mails.length;
  const { value: limited } = await inviteBuyers(
    made.deps,
    tenant,
    await invoicesOf(buyer, 2),
    null,
  );
  assert.deepEqual(valuesOf(limited, 'end'), ['limited', 'limited']);
  assert.ok((limited[0]?.waitMs ?? 0) > 0);
  assert.equal(made.mails.length, before);
});

test('many invoices open without a mail, beyond the limits of mails, and again by their key', async () => {
  const buyer = newBuyer();
  const { payment: mailed } = await makeInvoice(made.deps, tenant, { buyer });
  await inviteBuyer(made.deps, tenant, mailed.id);
  const invoices = [];
  for (let count = 0; count < 3; count += 1) {
    invoices.push((await makeInvoice(made.deps, tenant, { buyer })).payment.id);
  }
  const ids = [...invoices, mailed.id, 'inv_0'];
  await made.settle();
  const before = made.mails.length;
  for (const round of ['first', 'again']) {
    const { value: found } = await inviteBuyers(made.deps, tenant, ids, 'quiet', false);
    const ends = found.map(({ end }) => end);
    assert.deepEqual(ends, [...Array(4).fill('opened'), 'not_found'], round);
  }
  await made.settle();
  assert.equal(made.mails.length, before);
  for (const id of invoices) {
    assert.equal((await readPayment(made.deps, tenant, id)).payment.status, 'awaiting_buyer');
  }
});
