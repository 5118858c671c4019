// Invoices over HTTP: a create and its answer, the order of its refusals, pages of the list,
// approval, invitation, and what /v1/payments and /v1/payment-intents say of an invoice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireApproval } from '../../../../core/usecases/parties/organizations.js';
import type { Json } from '../../../support/servers/json-call.js';
import { refusalOf, sharedSite } from '../checked-site.js';
import { justCreated, newInvoice } from '../docs/example-calls.js';
import { override } from '../outages.js';
import { readySeller } from './account-calls.js';
import { pathOf } from './buyer-calls.js';

const least = { amount: '1250.00', buyer: { email: 'ana@example.com' } } as const;

let orgId: string;
let key: string;
/** Of an organization whose invoices need approval. */
let strictKey: string;
let strictOrgId: string;

const site = sharedSite(async () => {
  orgId = await site.world.organization();
  key = await site.world.key(orgId);
  strictOrgId = await site.world.organization();
  await requireApproval(site.world.deps, strictOrgId, true);
  strictKey = await site.world.key(strictOrgId);
});

function create(body: unknown, headers: Readonly<Record<string, string>> = {}, used = key) {
  return site.call('POST', '/v1/invoices', { key: used, body, headers });
}

async function created(body: Json = least, used = key): Promise<Json> {
  const answer = await create(body, {}, used);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

test('a created invoice is the payment object, with number and dueDate, and no URL yet', async () => {
  const seller = await readySeller(site.world, { orgId, mode: 'test' });
  const body = await created({
    ...least,
    externalId: 'invoice 1/ü',
    number: 'INV/1',
    dueDate: '2030-02-28',
    currency: 'EUR',
    sellerExternalId: seller.externalId,
    returnUrl: 'https://shop.example/done',
    expiresAt: '2031-01-31T12:00:00-03:00',
    display: { title: 'Invoice 1' },
    metadata: { order: 1 },
  });
  const { id, buyer, hostedPaymentUrl, ...rest } = body;
  assert.match(String(id), /^inv_[0-9a-z]{26}$/);
  assert.match(String(hostedPaymentUrl), /^https:\/\/pay\.example\.com\/r\/[\w-]{22,}$/);
  assert.equal((buyer as Json)['email'], 'ana@example.com');
  assert.deepEqual(rest, {
    externalId: 'invoice 1/ü',
    number: 'INV/1',
    situation: 'to_invite',
    status: 'approved',
    statusText: 'The buyer of the invoice has not been invited.',
    amount: '1250.00',
    currency: 'EUR',
    dueDate: '2030-02-28',
    attachmentDocumentId: null,
    sellerExternalId: seller.externalId,
    returnUrl: 'https://shop.example/done',
    metadata: { order: 1 },
    display: { title: 'Invoice 1' },
    expiresAt: '2031-01-31T15:00:00.000Z',
    ...justCreated,
  });
});

test('the bytes of an attachment are uploaded first, and one invoice names their document', async () => {
  const body = { contentType: 'application/pdf', fileName: 'fatura 1' };
  const { body: upload } = await site.call('POST', '/v1/invoices/upload-url', { key, body });
  assert.equal(upload['publicUrl'], undefined, 'only the page of the payment gives it out');
  const attachmentDocumentId = String(upload['documentId']);
  const early = await create({ ...least, attachmentDocumentId });
  assert.deepEqual([early.status, refusalOf(early)], [400, '400 ValidationError']);
  const url = pathOf(String(upload['uploadUrl']));
  const headers = { 'content-type': 'application/pdf' };
  const other = await site.call('PUT', url, { headers, body: Buffer.from('a placeholder of 16') });
  assert.equal(other.status, 415, 'of test mode, too');
  const sent = await site.call('PUT', url, { headers, body: Buffer.from('%PDF-1.7 and more') });
  assert.equal(sent.status, 200);
  const idempotency = { 'idempotency-key': 'with-attachment' };
  const made = await create({ ...least, attachmentDocumentId }, idempotency);
  assert.equal(made.body['attachmentDocumentId'], attachmentDocumentId);
  const again = await create({ ...least, attachmentDocumentId }, idempotency);
  assert.equal(again.headers['idempotent-mismatch'], undefined);
  const without = await create(least, idempotency);
  assert.equal(without.headers['idempotent-mismatch'], 'attachmentDocumentId');
  const second = await create({ ...least, attachmentDocumentId });
  assert.match(second.text, /attachmentDocumentId: name a document that you uploaded/);
  const late = await site.call('PUT', url, { headers, body: Buffer.from('%PDF-1.7 another') });
  assert.equal(refusalOf(late), '410 UploadUrlExpired', 'an invoice keeps what it was made with');
});

test('externalId, number, dueDate and seller are optional, and null when unset', async () => {
  const { externalId, number, dueDate, sellerExternalId, currency } = await created();
  assert.deepEqual(
    [externalId, number, dueDate, sellerExternalId, currency],
    [null, null, null, null, 'USD'],
  );
});

test('a dueDate is a day of the calendar; a number is 1 to 100 characters', async () => {
  for (const [name, values] of [
    ['dueDate', ['2030-02-29', '2030-1-1', '2030-01-01T00:00:00Z', '', 20300101]],
    ['number', ['', 'x'.repeat(101), 7]],
  ] as const) {
    for (const value of values) {
      const answer = await create({ ...least, [name]: value });
      assert.equal(refusalOf(answer), '400 ValidationError', `${name}: ${value}`);
      assert.ok(String(answer.body['message']).startsWith(`${name}: `));
    }
  }
  assert.equal((await created({ ...least, number: '😀'.repeat(100) }))['status'], 'approved');
});

test('an invoice is approved by a session, once', async () => {
  const { payment } = await newInvoice(site.world, { orgId: strictOrgId, mode: 'test' });
  assert.equal(payment.status, 'awaiting_approval');
  const session = await site.world.session(strictOrgId, { role: 'finance' });
  const approve = () =>
    site.call('POST', `/v1/invoices/${payment.id}/approve`, { session, body: {} });
  const approved = await approve();
  assert.deepEqual([approved.status, approved.body['status']], [200, 'approved']);
  assert.deepEqual((await approve()).body, approved.body);
});

test('in live mode nobody approves what their own key created; in test mode they may', async (t) => {
  const { deps } = site.world;
  t.after(override(deps, { partners: { ...deps.partners, live: site.world.partner } }));
  await deps.store.run(async (tx) => {
    const live = await tx.organizations.profile({ orgId: strictOrgId, mode: 'live' });
    assert.ok(live !== null);
    const ready = { status: 'approved', railsRef: 'va_1', destinationRef: 'pix_1' } as const;
    tx.organizations.updateProfile({ ...live, ...ready });
  });
  for (const [mode, expected] of [
    ['live', '403 SelfApprovalNotAllowed'],
    ['test', '200 -'],
  ] as const) {
    const session = await site.world.session(strictOrgId, { mode, role: 'admin' });
    const made = await site.call('POST', '/v1/api-keys', { session, body: { name: 'erp', mode } });
    assert.match(String(made.body['createdBy']), /^mem_/);
    const { id } = await created(least, String(made.body['secret']));
    const approve = (by: string) =>
      site.call('POST', `/v1/invoices/${id}/approve`, { session: by, body: {} });
    assert.equal(refusalOf(await approve(session)), expected);
    const teammate = await site.world.session(strictOrgId, { mode, role: 'finance' });
    assert.equal((await approve(teammate)).status, 200);
  }
});

test('the URL is there from the invitation on; a repeat within the minute sends no mail: 429', async () => {
  const { id, hostedPaymentUrl } = await created();
  const invite = () => site.call('POST', `/v1/invoices/${id}/invite-buyer`, { key, body: {} });
  const sent = { status: 'sent', invoiceId: id, hostedPaymentUrl };
  assert.deepEqual((await invite()).body, sent);
  const refused = await invite();
  assert.equal(refusalOf(refused), '429 InvitationLimitExceeded');
  assert.equal(refused.body['retryAfter'], 60);
  assert.match(
    `${refused.body['message']}`,
    /invited less than a minute ago.*{"notifyBuyer": false}/,
  );
  site.world.advanceClock(60_000);
  assert.deepEqual((await invite()).body, sent);
  const { body } = await site.call('GET', `/v1/invoices/${id}`, { key });
  assert.equal(body['status'], 'awaiting_buyer');
  assert.match(String(body['hostedPaymentUrl']), /^https:\/\/pay\.example\.com\/r\/[\w-]{22,}$/);
});

test('an invoice is opened without a mail for its URL to be sent by other means', async () => {
  const { id, hostedPaymentUrl } = await created();
  const path = `/v1/invoices/${id}/invite-buyer`;
  const opened = await site.call('POST', path, { key, body: { notifyBuyer: false } });
  assert.deepEqual(opened.body, { status: 'opened', invoiceId: id, hostedPaymentUrl });
  const read = await site.call('GET', `/v1/invoices/${id}`, { key });
  assert.equal(read.body['status'], 'awaiting_buyer');
  await site.world.settle();
  assert.deepEqual(
    site.world.mails.filter(({ html }) => html.includes(`${hostedPaymentUrl}`)),
    [],
  );
});

test('an invitation before the approval or after the end: 409', async () => {
  const held = await created(least, strictKey);
  const gone = await created(least, strictKey);
  const cancel = { key: strictKey, body: { reason: 'a mistake' } };
  await site.call('POST', `/v1/invoices/${gone['id']}/cancel`, cancel);
  for (const { id } of [held, gone]) {
    const path = `/v1/invoices/${id}/invite-buyer`;
    const answer = await site.call('POST', path, { key: strictKey, body: {} });
    assert.equal(refusalOf(answer), '409 InvoiceNotApproved');
  }
});

test('a cancelled invoice answers with its reason, again unchanged', async () => {
  const { id } = await created();
  const path = `/v1/invoices/${id}/cancel`;
  const first = await site.call('POST', path, { key, body: { reason: 'a mistake' } });
  assert.deepEqual([first.body['status'], first.body['cancelReason']], ['cancelled', 'a mistake']);
  const again = await site.call('POST', path, { key, body: { reason: 'another' } });
  assert.deepEqual(again.body, first.body);
  const inList = await site.call('GET', '/v1/invoices?status=cancelled', { key });
  const row = (inList.body['data'] as readonly Json[]).find((one) => one['id'] === id);
  assert.deepEqual(row, first.body);
});

test('/v1/payments reads an invoice, as a payment', async () => {
  const { id, number, dueDate, attachmentDocumentId, ...invoice } = await created({
    ...least,
    number: 'INV/9',
  });
  assert.deepEqual([number, dueDate, attachmentDocumentId], ['INV/9', null, null]);
  const read = await site.call('GET', `/v1/payments/${id}`, { key });
  assert.deepEqual(read.body, { id, ...invoice });
});
