// The approval by a colleague on the pages, without scripts: the buyer asks, the approver decides,
// and what each of them can open.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approverView } from '../../../../../adapters/pages/buyer/payment-view.js';
import { newPageSession } from '../../../../../core/domain/access/session.js';
import { MINUTE_MS } from '../../../../../core/domain/base/instant.js';
import { auditFeed, auditRecord } from '../../../../../core/domain/service/audit-record.js';
import { readPaymentPage } from '../../../../../core/usecases/hosted/payment-page.js';
import { auditHead } from '../../../../../core/usecases/service/audit-log.js';
import { readPdf } from '../../../../support/read-pdf.js';
import type { IntentFields } from '../../../../support/scenes/made-payments.js';
import { hiddenOf, type PageSite, pageSite, signedInBuyer, type Visitor } from '../../visitor.js';

const cfo = 'cfo@buyer.example';
const display =
  '{"title":"Bags","lineItems":[{"description":"Green coffee"}],"notes":"private note"}';

/** A buyer who is signed in where the price is. */
async function atThePrice(site: PageSite, fields: IntentFields = { display }) {
  const { world, tenant } = site;
  const { id, path } = await site.newPayment(fields);
  await world.play(tenant, id, 'fx_quoted');
  await world.settle();
  return { id, path, visitor: await signedInBuyer(site, id) };
}

/** The buyer asks this address, and its person signs in by the mailed link. */
async function asked(site: PageSite, path: string, visitor: Visitor, email = cfo) {
  await visitor.open(`${path}/ask-approver`);
  const answer = await visitor.send('/ask-approver', { email });
  assert.equal(answer.status, 200);
  const mail = await site.newestMail();
  const [link = ''] = /http:\S+\/approval\?token=[a-z0-9]{50}/.exec(mail) ?? [];
  const approver = site.visitor();
  await approver.open(link);
  const code = /\n(\d{6})\n/.exec(mail)?.[1] ?? '';
  const page = await approver.send('/enter', { code });
  return { approver, page, link };
}

test('the price is confirmed once a colleague has approved, and the page says so', async (t) => {
  const site = await pageSite(t);
  const { id, path, visitor } = await atThePrice(site);
  const before = await visitor.open(path);
  assert.match(before.text, /ask-approver">Ask a colleague/);
  assert.doesNotMatch(before.text, /data-live=/, 'no other price appears under the button');
  const quoteId = hiddenOf(before.text, '/confirm')['quoteId'];
  const { approver, page } = await asked(site, path, visitor);
  const waiting = await visitor.open(path);
  assert.match(waiting.words, /cfo@buyer\.example has not approved this payment yet/);
  assert.doesNotMatch(waiting.text, /action="[^"]*\/confirm"/);
  assert.match(waiting.text, /data-live=/, 'it reloads when the colleague has decided');
  await visitor.post(`${path}/confirm`, { ...hiddenOf(before.text, '/confirm') });
  assert.equal(await site.world.statusOf(id), 'fx_quoted', 'an old tab confirms nothing');
  const seen = page.words;
  assert.match(seen, /Approve the payment to Acme Ltda\? USD 100\.00/);
  assert.match(seen, /buyer@example\.com wants to pay/);
  assert.match(seen, /Green coffee.*private note/);
  assert.match(seen, /What is paid stays USD 100\.00, fees included/);
  const from = (await auditHead(site.world.deps))?.sequence ?? 0;
  const approved = await approver.send('/approve');
  const entries = await site.world.deps.store.run((tx) => tx.feed.after(auditFeed, from, 9));
  assert.deepEqual(entries.map(auditRecord)[0]?.actor, { kind: 'buyer', id: `${id}/approver` });
  assert.equal(approved.heading, 'You have approved this payment');
  const given = await visitor.open(path);
  assert.match(given.words, /cfo@buyer\.example approved this payment/);
  assert.equal(hiddenOf(given.text, '/confirm')['quoteId'], quoteId);
  await visitor.send('/confirm');
  assert.notEqual(await site.world.statusOf(id), 'fx_quoted');
  await site.world.play(site.tenant, id, 'settled');
  await site.world.settle();
  const by = /Approved by\s*cfo@buyer\.example\s*\d+ \w+ \d{4}/;
  assert.match((await visitor.open(`${path}/receipt`)).words, by);
  const receipt = await visitor.request('GET', `${path}/receipt.pdf`);
  assert.match((await readPdf(new Uint8Array(await receipt.arrayBuffer()))).text, by);
});

test('a decline has a reason, which the buyer sees, and is asked about again', async (t) => {
  const site = await pageSite(t);
  const { path, visitor } = await atThePrice(site);
  const { approver } = await asked(site, path, visitor);
  for (const reason of [' \u202e ', 'x'.repeat(501)]) {
    const refused = await approver.send('/decline', { reason });
    assert.equal(refused.status, 422);
    assert.match(refused.words, /Write the reason in at most 500 characters/);
  }
  const declined = await approver.send('/decline', { reason: '<b>Not</b>\nours' });
  assert.equal(declined.heading, 'You have declined this payment');
  const shown = await visitor.open(path);
  assert.match(shown.text, /The reason:.*&lt;b>Not&lt;\/b> ours/s);
  assert.doesNotMatch(shown.text, /action="[^"]*\/confirm"/);
  site.world.advanceClock(MINUTE_MS);
  const again = await asked(site, path, visitor, 'ceo@buyer.example');
  assert.match(again.page.heading, /^Approve the payment/);
  const old = await approver.open(`${path}/approval`);
  assert.doesNotMatch(old.text, /action="[^"]*\/(approve|decline)"/, 'another one is asked now');
});

test('an address is refused with a reason if it is none, or the buyer’s own', async (t) => {
  const site = await pageSite(t);
  const { path, visitor } = await atThePrice(site);
  const cases = [
    ['cfo', /Enter an email address/],
    ['joão@harborpine.example', /no accents or other letters/],
    ['Buyer@Example.com', /This is your own address/],
  ] as const;
  for (const [email, reason] of cases) {
    await visitor.open(`${path}/ask-approver`);
    const refused = await visitor.send('/ask-approver', { email });
    assert.deepEqual([refused.status, refused.path], [422, `${path}/ask-approver`]);
    assert.match(refused.words, reason);
    assert.match(refused.text, new RegExp(`value="${email}"`));
  }
  assert.equal(await site.newestMail(), '');
});

test('a second request within a minute says when the next one is possible', async (t) => {
  const site = await pageSite(t);
  const { path, visitor } = await atThePrice(site);
  await asked(site, path, visitor);
  await visitor.open(`${path}/ask-approver`);
  const { path: landed, status } = await visitor.send('/ask-approver', { email: cfo });
  assert.equal(status, 200);
  assert.match(landed, /limit=mail_too_soon/);
});

test('the buyer cannot approve: its session opens no approval, and a stranger’s link none', async (t) => {
  const site = await pageSite(t);
  const { id, path, visitor } = await atThePrice(site);
  assert.equal((await visitor.open(`${path}/approval`)).status, 404, 'nobody was asked');
  const { approver, page } = await asked(site, path, visitor);
  const fields = hiddenOf(page.text, '/approve');
  const own = hiddenOf((await visitor.open(`${path}/ask-approver`)).text, '/ask-approver');
  for (const csrf of [fields['csrf'] ?? '', own['csrf'] ?? '']) {
    await visitor.post(`${path}/approval/approve`, { csrf });
  }
  for (const csrf of ['', 'wrong', own['csrf'] ?? '']) {
    const { path: landed } = await approver.post(`${path}/approval/approve`, { csrf });
    assert.equal(landed, `${path}/approval?notice=out_of_date`);
  }
  const seen = await visitor.open(`${path}/approval`);
  assert.doesNotMatch(seen.text, /\/approve"|buyer@example|Green coffee/);
  const other = await atThePrice(site);
  await asked(site, other.path, other.visitor, 'other@buyer.example');
  await approver.open(`${other.path}/approval`);
  await approver.post(`${other.path}/approval/approve`, { csrf: fields['csrf'] ?? '' });
  for (const one of [id, other.id]) {
    const payment = await site.world.payment(one);
    assert.equal(payment?.colleagueApproval?.state, 'asked');
  }
});

test('the approver opens no page of the buyer, and sees no price and no bank details', async (t) => {
  const site = await pageSite(t, { payins: 'wait' });
  const { path, visitor } = await atThePrice(site);
  const { approver, page } = await asked(site, path, visitor);
  assert.doesNotMatch(page.text, /Account number|BRL \d|\/question"|data-live=/);
  const token = approver.cookiesFor(`${path}/approval`);
  const stolen = site.visitor({ headers: { cookie: token } });
  for (const place of ['', '/ask-approver', '/share', '/payments', '/instructions', '/colleague']) {
    const { text } = await stolen.open(`${path}${place}`);
    assert.doesNotMatch(text, /name="csrf"|Green coffee|Account number/, place);
  }
});

test('the view of an approver has no price, money or bank details', async (t) => {
  const site = await pageSite(t);
  const { id, path } = await site.newPayment();
  await site.world.play(site.tenant, id, 'settled');
  await site.world.settle();
  const { deps } = site.world;
  const shown = await readPaymentPage(deps, path.slice('/r/'.length));
  const none = { paymentId: id, submissionId: null, accountId: null, ownerIndex: null };
  const subject = { ...site.tenant, ...none, kind: 'approver' } as const;
  const session = newPageSession(subject, 'token', shown.nowMs);
  const call = { session, query: new URLSearchParams(), csrf: 'c', base: path };
  const locale = { chosenLocale: null, browserLocale: null, hasDecimalPoint: false };
  const page = { name: 'approval', typed: '', isRefused: false } as const;
  const context = { deps, prefix: '', mailbox: null };
  const { payment } = approverView(context, { ...call, ...locale }, shown, page);
  assert.ok(payment !== null && shown.quote !== null);
  const { quote, instructions, check, settlement, money, senderNames } = payment;
  assert.deepEqual([quote, instructions, check, settlement], [null, null, null, null]);
  assert.deepEqual([money.receivedMinor, senderNames], [0n, []]);
});

test('an approver who signed out gets another link from the page, and no one else does', async (t) => {
  const site = await pageSite(t);
  const { path, visitor } = await atThePrice(site);
  const { approver, link } = await asked(site, path, visitor);
  await approver.send('/sign-out');
  const used = await approver.open(link);
  assert.equal(used.heading, 'This link no longer works');
  const before = site.world.mails.length;
  const sent = await approver.send('/link');
  assert.match(sent.words, /the address that your colleague has for you/);
  const mail = await site.newestMail();
  assert.equal(site.world.mails.length, before + 1);
  assert.equal(site.world.mails.at(-1)?.to, cfo);
  const [again = ''] = /http:\S+\/approval\?token=[a-z0-9]{50}/.exec(mail) ?? [];
  await approver.open(again);
  assert.match((await approver.send('/enter')).words, /Approve USD 100\.00/);
});

test('each language has the pages', async (t) => {
  const site = await pageSite(t);
  const words = { 'pt-BR': /Aprovar o pagamento a/, es: /¿Aprobar el pago a/ } as const;
  for (const [language, heading] of Object.entries(words)) {
    const { path, visitor } = await atThePrice(site);
    await visitor.open(`${path}/ask-approver`);
    await visitor.send('/ask-approver', { email: cfo });
    const page = await site.visitor({ language }).open(`${path}/approval`);
    assert.match(page.heading, heading);
  }
});
