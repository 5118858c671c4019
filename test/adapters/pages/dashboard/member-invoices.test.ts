// What a member does with invoices: makes one, approves it, invites its buyer, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { readDisplay } from '../../../../core/domain/payments/display.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { requireApproval } from '../../../../core/usecases/parties/organizations.js';
import { allPayments, listPayments } from '../../../../core/usecases/payments/payment-lists.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { pageSite } from '../visitor.js';
import { addSellers, rootOf, signedInAs } from './dashboard-site.js';

const site = await pageSite(suiteEnd());
await addSellers(site);
const finance = await signedInAs(site, 'finance');
const root = rootOf(site);

const filled = {
  action: 'save',
  seller: 'serra-azul',
  name: 'Harbor & Pine',
  email: 'dana@pine.example',
  locale: 'pt-BR',
  number: 'RN-432',
  due: '2030-02-28',
  currency: 'EUR',
  notes: 'Thank you.\r\n<b>Net 30</b>',
  item0: 'Green coffee',
  quantity0: '80',
  amount0: '8.000,00',
  item1: 'Certificate',
  amount1: '480',
};

async function newest(): Promise<Payment> {
  const { deps } = site.world;
  const [view] = await listPayments(deps, site.tenant, { ...allPayments, limit: 1 });
  const payment = await deps.store.run((tx) =>
    tx.payments.get(site.tenant, view?.payment.id ?? ''),
  );
  return payment ?? assert.fail('an invoice is stored');
}

async function countOf(): Promise<number> {
  const page = { ...allPayments, limit: 100 };
  return (await listPayments(site.world.deps, site.tenant, page)).length;
}

test('a member makes an invoice of lines, whose sum the buyer pays', async () => {
  await finance.open(`${root}/invoices/new`);
  const shown = await finance.send('/invoices/new', filled);
  const payment = await newest();
  assert.equal(shown.path, `${root}/payments/${payment.id}?done=created`);
  assert.match(shown.words, /The buyer was not emailed yet/);
  assert.match(shown.words, /Items and notes .*Certificate 480,00 Thank you/);
  assert.deepEqual(payment.amount, money(848_000n, 'EUR'));
  assert.equal(payment.status, 'approved');
  assert.equal(payment.number, 'RN-432');
  assert.equal(payment.dueDate, '2030-02-28');
  assert.equal(payment.payeeName, 'Café Serra Azul Ltda');
  assert.equal(payment.buyer.name, 'Harbor & Pine');
  const { notes, locale, lineItems } = readDisplay(payment.display) ?? assert.fail('it has texts');
  assert.deepEqual([notes, locale], ['Thank you.\n<b>Net 30</b>', 'pt-BR']);
  assert.deepEqual(
    lineItems.map(({ description, quantity, subtotal }) => [description, quantity, subtotal]),
    [
      ['Green coffee', '80', '8.000,00'],
      ['Certificate', null, '480,00'],
    ],
  );
});

test('the event of a creation names the member', async () => {
  const { id } = await newest();
  const { store } = site.world.deps;
  const [event] = await store.run((tx) => tx.feed.after(site.tenant, 0, 100));
  const body = JSON.parse(event?.body ?? '{}');
  assert.equal(event?.subjectId, id);
  assert.match(body.data?.createdBy ?? body.createdBy, /^mem_/);
});

test('a form that is edited after it made an invoice is shown again, and then makes another', async () => {
  await finance.open(`${root}/invoices/new`);
  const before = await countOf();
  const form = finance.tab();
  await finance.send('/invoices/new', filled);
  const edited = { ...filled, number: 'RN-433' };
  const again = await form.send('/invoices/new', edited);
  assert.equal(again.status, 422);
  assert.match(again.words, /This form made an invoice before/);
  assert.match(again.text, /value="RN-433"/);
  assert.equal(await countOf(), before + 1);
  const made = await form.send('/invoices/new', edited);
  assert.match(made.path, /done=created/);
  assert.equal(await countOf(), before + 2);
});

test('a preview and a new line keep what was typed and store nothing', async () => {
  await finance.open(`${root}/invoices/new`);
  const before = await countOf();
  const shown = await finance.send('/invoices/new', { ...filled, action: 'preview' });
  const words = shown.words;
  assert.match(words, /Café Serra Azul Ltda asks you to pay EUR 8,480\.00/);
  assert.match(words, /Invoice RN-432 Due 28 February 2030/);
  assert.match(shown.text, /&lt;b>Net 30|&lt;b&gt;Net 30/);
  const longer = await finance.send('/invoices/new', { ...filled, action: 'add_line' });
  assert.match(longer.text, /name="item2"/);
  assert.match(longer.text, /value="Green coffee"/);
  assert.equal(await countOf(), before);
});

test('each fault is named beside its field, and nothing is stored', async () => {
  const before = await countOf();
  for (const [fault, field, text] of [
    [{ email: 'dana@harborpine' }, 'email', /like dana@harborpine\.com/],
    [{ email: '' }, 'email', /Give the buyer’s email/],
    [{ due: '30/02/2030' }, 'due', /Give the due day/],
    [{ due: '2026-02-30' }, 'due', /Give the due day/],
    [{ amount0: '12,345.678' }, 'amount0', /Give an amount/],
    [{ amount0: '-5' }, 'amount0', /Give an amount/],
    [{ amount0: '999999999999', amount1: '1' }, 'amount0', /more than 12 digits/],
    [{ item0: '' }, 'item0', /what the line is for/],
    [{ quantity0: 'many' }, 'quantity0', /quantity in digits/],
    [{ item0: '', quantity0: '', amount0: '', item1: '', amount1: '' }, 'item0', /one line/],
    [{ currency: 'USD', amount0: '1', amount1: '2' }, 'amount0', /minimum of USD 10/],
    [{ currency: 'XXX' }, 'currency', /another currency/],
    [{ seller: 'araucaria' }, 'seller', /cannot be made to this payee yet/],
    [{ seller: 'nobody' }, 'seller', /cannot be made to this payee yet/],
    [{ notes: 'x'.repeat(501) }, 'notes', /Shorten the notes/],
    [{ number: 'a\u0000b' }, 'number', /Shorten the invoice number/],
  ] as const) {
    await finance.open(`${root}/invoices/new`);
    const shown = await finance.send('/invoices/new', { ...filled, ...fault });
    assert.equal(shown.status, 422, field);
    assert.match(shown.words, text);
    assert.match(shown.text, new RegExp(`id="${field}-error"`), field);
    assert.match(shown.text, new RegExp(`href="#${field}"`), field);
  }
  const long = ['name', 'number', 'notes', 'purchaseOrder', 'taxId', 'taxes'];
  const unknown = ['country', 'purpose', 'payerRelation', 'bookedRate', 'fiscalKey'];
  const typed = [
    ...long.map((name) => [name, 'x'.repeat(501)]),
    ...unknown.map((name) => [name, '?']),
  ];
  await finance.open(`${root}/invoices/new`);
  const faulty = await finance.send('/invoices/new', { ...filled, ...Object.fromEntries(typed) });
  const named = [...faulty.text.matchAll(/<p class="error" id="(\w+)-error"/g)].map(
    ([, name]) => name,
  );
  assert.deepEqual(named.toSorted(), [...long, ...unknown].toSorted());
  for (const currency of ['<b>', 'usd', 'x'.repeat(50)]) {
    await finance.open(`${root}/invoices/new`);
    const shown = await finance.send('/invoices/new', { ...filled, currency, email: '' });
    assert.equal(shown.status, 422, 'a currency that no list has');
  }
  assert.equal(await countOf(), before);
});

test('fields that the form does not have change nothing', async () => {
  await finance.open(`${root}/invoices/new`);
  const extra = {
    status: 'settled',
    origin: 'payment_intent',
    orgId: 'org_other',
    mode: 'live',
    createdBy: 'key_1',
    createdByMemberId: 'mem_other',
    approvedByMemberId: 'mem_other',
    requiresApproval: 'false',
    destination: 'pix_of_somebody',
    payeeName: 'Somebody',
    amount: '1.00',
    externalId: 'taken',
    returnUrl: 'https://evil.example',
    metadata: '{"a":1}',
    __proto__: 'x',
  };
  await finance.send('/invoices/new', { ...filled, ...extra });
  const payment = await newest();
  assert.equal(payment.origin, 'invoice');
  assert.equal(payment.status, 'approved');
  assert.equal(payment.orgId, site.tenant.orgId);
  assert.equal(payment.mode, 'test');
  assert.equal(payment.externalId, null);
  assert.equal(payment.returnUrl, null);
  assert.equal(payment.metadata, '{}');
  assert.equal(payment.payeeName, 'Café Serra Azul Ltda');
  assert.deepEqual(payment.amount, money(848_000n, 'EUR'));
});

test('a member invites the buyer, and a second mail within a minute is refused in words', async () => {
  const { payment } = await makeInvoice(site.world.deps, site.tenant, {});
  await finance.open(`${root}/payments/${payment.id}`);
  const invited = await finance.send('/invite');
  assert.match(invited.words, /The email to the buyer is on its way/);
  assert.equal(await site.world.statusOf(payment.id), 'awaiting_buyer');
  await site.world.settle();
  const mails = site.world.mails.length;
  assert.ok(mails > 0);
  const again = await finance.send('/invite');
  assert.match(again.words, /An email was sent shortly before.* in 60 seconds/);
  site.world.advanceClock(MINUTE_MS);
  await finance.open(`${root}/payments/${payment.id}`);
  assert.match((await finance.send('/invite')).words, /on its way/);
  await site.world.settle();
  assert.equal(site.world.mails.length, mails + 1);
});

test('an invitation of a cancelled invoice shows the current state', async () => {
  const { payment } = await makeInvoice(site.world.deps, site.tenant, {});
  await finance.open(`${root}/payments/${payment.id}`);
  const stale = finance.tab();
  await finance.open(`${root}/payments/${payment.id}/cancel`);
  await finance.send('/cancel', { reason: 'typed twice' });
  const shown = await stale.send('/invite');
  assert.equal(shown.path, `${root}/payments/${payment.id}?notice=out_of_date`);
  assert.equal(await site.world.statusOf(payment.id), 'cancelled');
});

test('in live mode another member approves what a member created', async (t) => {
  const own = await pageSite(t);
  const { deps } = own.world;
  const { orgId } = own.tenant;
  await requireApproval(deps, orgId, true, 'invoice');
  const { payment } = await makeInvoice(deps, own.tenant, {});
  const creator = await signedInAs(own, 'finance');
  const approver = await signedInAs(own, 'admin');
  const member = await deps.store.run((tx) =>
    tx.members.byEmail(orgId, 'finance@rotanorte.example'),
  );
  const id = await deps.store.run(async (tx) => {
    const made = { ...payment, id: `${payment.id}x`, publicId: 'x'.repeat(24) };
    tx.payments.insert(Object.freeze({ ...made, createdByMemberId: member?.id ?? null }));
    return made.id;
  });
  const page = `${rootOf(own)}/payments/${id}`;
  const shown = (await creator.open(page)).words;
  assert.match(shown, /You created it, so another owner, admin or finance member approves it/);
  assert.doesNotMatch((await creator.open(page)).text, /\/approve"/);
  assert.match((await approver.open(page)).words, /Created by finance@rotanorte\.example/);
  assert.match((await approver.send('/approve')).words, /The payment is approved/);
  assert.equal(await own.world.statusOf(id), 'approved');
});

test('home leads to what waits for approval', async (t) => {
  const own = await pageSite(t);
  await requireApproval(own.world.deps, own.tenant.orgId, true, 'invoice');
  await makeInvoice(own.world.deps, own.tenant, { number: 'RN-1' });
  const visitor = await signedInAs(own, 'admin');
  const { text } = await visitor.open(rootOf(own));
  const [, href = ''] = /href="([^"]*\/invoices\?status=you)"[^>]*>See inv/.exec(text) ?? [];
  assert.match((await visitor.open(href)).words, /RN-1/);
});

test('invoices have a list without intents', async () => {
  await site.world.newPayment(site.tenant, { externalId: 'an-intent' });
  const { text } = await finance.open(`${root}/invoices`);
  assert.match(text, /RN-432/);
  assert.doesNotMatch(text, /an-intent/);
  assert.match((await finance.open(`${root}/invoices?origin=`)).text, /RN-432/);
  assert.doesNotMatch((await finance.open(`${root}/invoices?origin=`)).text, /an-intent/);
});

test('the invoices of an import are sent by one press, one mail a buyer; a double press mails once', async (t) => {
  const own = await pageSite(t);
  const clerk = await signedInAs(own, 'finance');
  const lines = Array.from({ length: 12 }, (_, at) => {
    return `ap-${at % 3}@buyer.example,${at + 1}000.00,Coffee ${at},RN-${at}`;
  });
  const text = ['buyer.email,amount,description,number', ...lines].join('\n');
  await clerk.open(`${rootOf(own)}/invoices/import`);
  const imported = await clerk.send('/invoices/import', { text, action: 'create' });
  assert.match(imported.path, /\/invoices\/invite\?since=\d+&done=imported$/);
  assert.equal(imported.text.match(/type="checkbox"[^>]* checked/g)?.length, 12);
  const second = clerk.tab();
  const boxes = [...imported.text.matchAll(/type="checkbox"[^>]* name="(inv_\w+)"/g)];
  // One box is not ticked.
  const ticked = Object.fromEntries(boxes.slice(1).map(([, name = '']) => [name, 'yes']));
  const [sent, again] = await Promise.all([
    clerk.send('/invoices/invite', ticked),
    second.send('/invoices/invite', ticked),
  ]);
  assert.match(sent.words, /The emails to the buyers are on their way/);
  assert.ok(again.status < 400 || again.status === 422, `${again.status}`);
  await own.world.settle();
  const mails = own.world.mails.filter(({ to }) => to.endsWith('@buyer.example'));
  assert.deepEqual(mails.map(({ to }) => to).toSorted(), [
    'ap-0@buyer.example',
    'ap-1@buyer.example',
    'ap-2@buyer.example',
  ]);
  const rest = await clerk.open(`${rootOf(own)}/invoices/invite`);
  assert.equal(rest.text.match(/type="checkbox"/g)?.length, 1);
});

test('form and import store what the books of both sides need', async () => {
  const own = { purchaseOrder: 'PO-4711', country: 'us', purpose: 'goods' };
  const fiscalKey = '35261112ABC34501DE35550010000123451123456711';
  const booked = { payerRelation: 'affiliate', bookedRate: '5,4321' };
  const seller = { taxId: '12.345.678/0001-95', taxes: 'ISS 5%: 62.50; PIS exempt' };
  await finance.open(`${root}/invoices/new`);
  const typed = { ...filled, number: 'RN-BOOKS', ...own, ...seller, ...booked, fiscalKey };
  const saved = await finance.send('/invoices/new', typed);
  const [, id = ''] = /payments\/(inv_\w+)/.exec(saved.path) ?? assert.fail(saved.words);
  const byId = await site.world.payment(id);
  type Booked = 'payerRelation' | 'bookedRate' | 'fiscalDocument';
  type Books = Pick<Payment, 'purchaseOrder' | 'purpose' | 'buyer' | 'display' | Booked>;
  const check = (payment: Books) => {
    const { purchaseOrder, purpose, buyer } = payment;
    assert.deepEqual([purchaseOrder, purpose, buyer.country], ['PO-4711', 'goods', 'US']);
    assert.deepEqual([payment.payerRelation, payment.bookedRate], ['affiliate', '5.4321']);
    const document = { kind: 'nfe', key: fiscalKey, number: '12345', issuedOn: null };
    assert.deepEqual(payment.fiscalDocument, document);
    const { sellerTaxId, taxes } = readDisplay(payment.display) ?? assert.fail('it has a display');
    assert.equal(sellerTaxId, seller.taxId);
    assert.deepEqual(
      taxes.map(({ description }) => description),
      ['ISS 5%: 62.50', 'PIS exempt'],
    );
  };
  check(byId ?? assert.fail());
  const more = 'payerRelation,bookedRate,fiscalDocument.key';
  const columns = `purchaseOrder,buyer.country,purpose,sellerTaxId,taxes,${more}`;
  const values =
    'PO-4711,us,goods,12.345.678/0001-95,ISS 5%: 62.50; PIS exempt,' +
    `Affiliate,"5,4321",${fiscalKey}`;
  const csv = (cells: string) =>
    `buyer.email,amount,description,${columns}\nbooks@pine.example,100.00,Coffee,${cells}`;
  await finance.open(`${root}/invoices/import`);
  // The semicolon within a cell makes the table one of semicolons unless the file says otherwise.
  const text = `sep=,\n${csv(values)}`;
  await finance.send('/invoices/import', { text, action: 'create' });
  const all = { ...allPayments, limit: 100 };
  const views = await listPayments(site.world.deps, site.tenant, all);
  const imported = views.find(({ payment }) => payment.buyer.email === 'books@pine.example');
  check(imported?.payment ?? assert.fail('the line is stored'));
  await finance.open(`${root}/invoices/import`);
  const wrong = csv(`PO,Brazil,coffee,1,x,friend,five,${fiscalKey.replace(/1$/, '2')}`);
  const refused = await finance.send('/invoices/import', { text: wrong, action: 'create' });
  assert.equal(refused.status, 422);
  assert.match(refused.words, /country as two letters/);
  const faults = refused.words;
  assert.match(faults, /a purpose of the list/);
  assert.match(faults, /a relation of the list/);
  assert.match(faults, /a rate like 5\.4321/);
  assert.match(faults, /Check the access key/);
  const page = (await finance.open(`${root}/payments/${id}`)).words;
  for (const shown of ['Same group', '5.4321', fiscalKey]) assert.ok(page.includes(shown), shown);
});
