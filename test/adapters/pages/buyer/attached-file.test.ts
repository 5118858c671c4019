// The seller's own invoice: attached in the dashboard, downloaded on the pages of its payment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allPayments, listPayments } from '../../../../core/usecases/payments/payment-lists.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { rootOf, signedInAs } from '../dashboard/dashboard-site.js';
import { pageSite, signedInBuyer, textOf, type Visitor } from '../visitor.js';

const site = await pageSite(suiteEnd());
const finance = await signedInAs(site, 'finance');

const filled = {
  action: 'save',
  email: 'buyer@example.com',
  number: 'RN-1',
  item0: 'Coffee',
  amount0: '100.00',
};
const pdf = Buffer.from('%PDF-1.7 the invoice of the seller');
const name = 'Fatura São João 1.pdf';

async function attach(fields = {}, bytes: Uint8Array<ArrayBuffer> = pdf) {
  await finance.open(`${rootOf(site)}/invoices/new`);
  const all = { ...filled, ...fields };
  return finance.upload('/invoices/new', bytes, 'application/pdf', all, name);
}

async function newestInvoice() {
  const page = { ...allPayments, limit: 1 };
  const [view] = await listPayments(site.world.deps, site.tenant, page);
  return view?.payment ?? assert.fail('an invoice is stored');
}

test('the buyer downloads the file from the page that says what is paid, and from the receipt', async () => {
  const shown = await attach();
  assert.match(shown.words, /Invoice of the seller Fatura São João 1\.pdf 1 kB/);
  const { id, publicId } = await newestInvoice();
  await site.world.play(site.tenant, id, 'settled');
  const buyer = await signedInBuyer(site, id);
  const path = `/r/${publicId}`;
  for (const page of [path, `${path}/receipt`]) {
    const { text } = await buyer.open(page);
    assert.match(text, new RegExp(`href="${path}/attachment"`), page);
    assert.match(textOf(text), /Invoice of the seller Fatura São João 1\.pdf 1 kB/);
  }
  const response = await buyer.request('GET', `${path}/attachment`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/pdf');
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(
    response.headers.get('content-disposition'),
    'attachment; filename="Fatura S-o Jo-o 1.pdf"; ' +
      "filename*=UTF-8''Fatura%20S%C3%A3o%20Jo%C3%A3o%201.pdf",
  );
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), pdf);
  const head = await buyer.request('HEAD', `${path}/attachment`);
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, `${pdf.length}`]);
});

test('nobody else downloads it', async () => {
  await attach();
  const { id, publicId } = await newestInvoice();
  const other = await site.newPayment();
  const stranger = await signedInBuyer(site, other.id);
  await site.world.play(site.tenant, id, 'fx_quoted');
  for (const visitor of [site.visitor(), stranger]) {
    const refused = await visitor.request('GET', `/r/${publicId}/attachment`);
    assert.equal(refused.status, 303);
    const { text } = await visitor.open(`/r/${publicId}`);
    assert.doesNotMatch(text, /attachment|Fatura/, 'the link alone does not show it');
  }
  const none = await stranger.request('GET', `${other.path}/attachment`);
  assert.equal(none.status, 404);
  const outsiders = await signedInAs(site, 'owner', await site.world.organization());
  const file = `${rootOf(site)}/payments/${id}/attachment`;
  assert.equal((await outsiders.request('GET', file)).status, 404);
  const developer = await signedInAs(site, 'viewer');
  assert.equal((await developer.request('GET', file)).status, 200);
});

test('a file that is no PDF or image is refused beside its field, and what was typed stays', async () => {
  const before = (await newestInvoice()).id;
  const shown = await attach({}, Buffer.from('<html>a page</html>'));
  assert.equal(shown.status, 422);
  assert.match(shown.words, /Choose a PDF, PNG or JPEG file/);
  assert.match(shown.text, /value="RN-1"/);
  assert.equal((await newestInvoice()).id, before);
});

test('a file stays while the form is shown again, and can be removed', async () => {
  const shown = await attach({ action: 'preview' });
  assert.match(shown.words, /Attached: Fatura São João 1\.pdf ?, 1 kB/);
  const typed = { ...filled, number: 'RN-2' };
  const removed = await finance.send('/invoices/new', { ...typed, action: 'remove_file' });
  assert.doesNotMatch(removed.text, /Fatura São João/);
  await attach({ action: 'preview' });
  await finance.send('/invoices/new', typed);
  // Invoices of one millisecond have no order.
  const page = { ...allPayments, limit: 10 };
  const invoices = await listPayments(site.world.deps, site.tenant, page);
  const sent = invoices.filter(({ payment }) => payment.number === 'RN-2');
  assert.deepEqual(
    sent.map(({ payment }) => payment.attachmentDocumentId === null),
    [false],
  );
});

test('a form with a file that is sent twice makes one invoice', async () => {
  await finance.open(`${rootOf(site)}/invoices/new`);
  const again = finance.tab();
  const send = (visitor: Visitor) =>
    visitor.upload('/invoices/new', pdf, 'application/pdf', filled, name);
  const [one, other] = [await send(finance), await send(again)];
  assert.match(one.path, /done=created/);
  assert.equal(one.path, other.path);
});

test('a document of another invoice is refused, and the file is chosen again', async () => {
  await attach({ action: 'preview' });
  const again = finance.tab();
  await finance.send('/invoices/new', filled);
  await again.open(`${rootOf(site)}/invoices/new`);
  const { attachmentDocumentId } = await newestInvoice();
  const fields = { ...filled, attachment: attachmentDocumentId ?? '' };
  const refused = await again.send('/invoices/new', fields);
  assert.match(refused.words, /Choose the file again/);
});
