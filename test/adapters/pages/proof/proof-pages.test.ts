// Who opens the proof of a payment: members, the holder of a link until it ends, and the buyer with
// what concerns it. verify.html runs in a browser from a file, without a network.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { unzipSync } from 'fflate';
import { lawTexts } from '../../../../adapters/pages/proof/law-texts.js';
import { packCheck } from '../../../../adapters/pages/proof/pack-check.js';
import { proofFile } from '../../../../adapters/pages/proof/proof-pack.js';
import { proofTexts } from '../../../../adapters/pages/proof/proof-texts.js';
import { sessionRules } from '../../../../core/domain/access/session.js';
import { duties } from '../../../../core/domain/law/duty.js';
import { makeSession } from '../../../../core/usecases/access/open-sessions.js';
import { createProofLink } from '../../../../core/usecases/mail/proof-links.js';
import { setTimeZone } from '../../../../core/usecases/parties/organizations.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { openBrowser, watchedPage } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { memberToken, rootOf, signedInAs } from '../dashboard/dashboard-site.js';
import { pageSite } from '../visitor.js';

const suite = suiteEnd();
const site = await pageSite(suite);
const root = rootOf(site);
const buyer = { email: 'ana@example.com', name: 'Müller GmbH', country: 'DE', phone: null };
const { id: paid } = await site.newPayment({ buyer, metadata: '{"secret":1}' });
await site.world.play(site.tenant, paid, 'settled');

const paymentOf = async (id: string) =>
  (await readPayment(site.world.deps, site.tenant, id)).payment;

async function packAt(address: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(`${site.origin}${address}`, { headers });
  return new Uint8Array(await response.arrayBuffer());
}

test('a member reads the proof of a settled payment in three languages, and makes a link', async () => {
  const cookie = `ponte-member=${await memberToken(site, 'finance')}`;
  const finance = site.visitor({ headers: { cookie } });
  const detail = await finance.open(`${root}/payments/${paid}`);
  assert.ok(detail.text.includes(`/payments/${paid}/proof"`));
  for (const [locale, { title, noAdvice }] of Object.entries(proofTexts)) {
    const member = site.visitor({ language: locale, headers: { cookie } });
    const shown = await member.open(`${root}/payments/${paid}/proof`);
    assert.equal(shown.heading, title);
    assert.ok(shown.text.includes(noAdvice), locale);
  }
  await finance.open(`${root}/payments/${paid}/proof`);
  const made = await finance.send('/proof/link');
  const [, url = ''] = /<code>([^<]*\/proof\/[^<]*)<\/code>/.exec(made.text) ?? [];
  const { pathname, search } = new URL(url);
  const guest = site.visitor();
  const shown = await guest.open(`${pathname}${search}`);
  assert.equal(shown.path, pathname, 'the token has left the address');
  assert.ok(shown.text.includes('Müller GmbH'));
  assert.doesNotMatch(shown.text, /secret/);
  await setTimeZone(site.world.deps, site.tenant.orgId, 'America/Sao_Paulo');
  const inZone = await guest.open(pathname);
  assert.match(inZone.text, /\d\sGMT-[23]/, 'its days are those of the organization');
  assert.doesNotMatch(inZone.text, /\d\sUTC/, 'until when the link works, too');
  await setTimeZone(site.world.deps, site.tenant.orgId, 'UTC');
  assert.match(shown.text, /Assets:\w+<br/, 'an account and its day are two lines on paper, too');
});

test('a payment that is not settled has no proof', async () => {
  const viewer = await signedInAs(site, 'viewer');
  const { id } = await site.newPayment();
  for (const page of ['proof', 'proof/proof.pdf', 'proof/proof.zip']) {
    assert.equal((await viewer.open(`${root}/payments/${id}/${page}`)).status, 404, page);
  }
});

test('the month page offers the packs of its payees, and the guide names duties and sources', async () => {
  const locales = Object.keys(proofTexts) as readonly (keyof typeof proofTexts)[];
  const cookie = `ponte-member=${await memberToken(site, 'owner')}`;
  for (const locale of locales) {
    const owner = site.visitor({ language: locale, headers: { cookie } });
    const month = await owner.open(`${root}/accounting/proofs?month=2030-01`);
    assert.ok(month.text.includes(proofTexts[locale].pack), locale);
    const empty = await owner.open(`${root}/accounting/proofs?month=2020-01`);
    assert.ok(empty.text.includes(proofTexts[locale].noPayments), locale);
    const guide = await owner.open(`${root}/accounting/law`);
    assert.ok(guide.text.includes(lawTexts[locale].noAdvice), locale);
    for (const { rule } of Object.values(duties)) assert.ok(guide.text.includes(rule), rule);
  }
  const owner = site.visitor({ headers: { cookie } });
  await owner.open(`${root}/accounting/proofs?month=2030-01`);
  const packed = await owner.send('/proofs/pack');
  assert.equal(packed.headers.get('content-type'), 'application/zip');
  assert.equal((await owner.open(`${root}/accounting/proofs?month=may`)).status, 404);
});

test('a link opens its payment alone, until it ends', async () => {
  const { deps } = site.world;
  const { url } = await createProofLink(deps, await paymentOf(paid));
  const { pathname, search } = new URL(url);
  const { id: other } = await site.newPayment();
  await site.world.play(site.tenant, other, 'settled');
  const guest = site.visitor();
  for (const path of [pathname, `${pathname}?token=wrong`, `/proof/${other}${search}`]) {
    assert.equal((await guest.open(path)).status, 404, path);
  }
  const reader = site.visitor();
  await reader.open(`${pathname}${search}`);
  const pack = await packAt(`${pathname}/proof.zip`, {
    cookie: reader.cookiesFor(`${pathname}/proof.zip`),
  });
  await (await packCheck()).verifyPack(pack, null);
  const text = `${Buffer.from(unzipSync(pack)['proof.json'] ?? '')}`;
  const { entries, events } = JSON.parse(text);
  assert.ok(entries.length > 0);
  assert.equal(events, null);
  assert.doesNotMatch(text, /secret/, 'the metadata is of the organization');
  // Its owner ends it early, and every other link of this payment; another payment's stays.
  const finance = await signedInAs(site, 'finance');
  await finance.open(`${root}/payments/${paid}/proof`);
  const ended = await finance.send('/links/end');
  assert.ok(ended.text.includes('No link opens this proof any more.'));
  assert.doesNotMatch(ended.text, /links\/end/);
  assert.equal((await reader.open(pathname)).status, 404);
  const elsewhere = new URL((await createProofLink(deps, await paymentOf(other))).url);
  await finance.open(`${root}/payments/${paid}/proof`);
  await reader.open(`${elsewhere.pathname}${elsewhere.search}`);
  assert.equal((await reader.open(elsewhere.pathname)).status, 200);
  site.world.advanceClock(sessionRules.proof.lifeMs);
  assert.equal((await reader.open(elsewhere.pathname)).status, 404);
});

test('the mail to a payee has the PDF in its language, and its link opens the proof alone', async () => {
  const { deps } = site.world;
  Object.assign(deps, { mailedFiles: { payment_settled: proofFile } });
  await site.world.changeOrganization(site.tenant.orgId, { sendsSettlementNotices: true });
  const email = 'payee@acme.example';
  await addActiveMember(deps, { orgId: site.tenant.orgId, email, role: 'owner' });
  const { id } = await site.newPayment();
  await site.world.play(site.tenant, id, 'settled');
  await site.world.settle();
  const mail = site.world.mails.find(({ to, text }) => to === email && text.includes(id));
  const [file] = mail?.attachments ?? [];
  assert.deepEqual([file?.name, file?.type], [`proof-${id}.pdf`, 'application/pdf']);
  const pdf = Buffer.from(file?.bytes ?? []).toString('latin1');
  assert.match(pdf, /^%PDF-/);
  assert.ok(pdf.includes('/Lang (pt-BR)'));
  const [, path = '', search] = /https?:\/\/[^/]+(\/\S+)(\?token=\S+)/.exec(mail?.text ?? '') ?? [];
  const reader = site.visitor();
  const shown = await reader.open(`${path}${search}`);
  assert.deepEqual([shown.path, shown.heading], [`/proof/${id}`, proofTexts['pt-BR'].title]);
  assert.equal((await reader.open(`/proof/${paid}`)).status, 404);
});

test('the buyer gets a pack without the books and events of the seller', async () => {
  const { publicId } = await paymentOf(paid);
  const address = `/r/${publicId}/proof.zip`;
  const none = { submissionId: null, accountId: null, ownerIndex: null };
  const of = { ...site.tenant, kind: 'buyer', paymentId: paid, ...none } as const;
  const { token, session } = makeSession(site.world.deps, of);
  await site.world.deps.store.run(async (tx) => tx.sessions.insert(session));
  const files = unzipSync(await packAt(address, { cookie: `ponte-session=${token}` }));
  const { audience, events, entries } = JSON.parse(`${Buffer.from(files['proof.json'] ?? '')}`);
  assert.deepEqual([audience, events, entries], ['buyer', null, null]);
  const stranger = await fetch(`${site.origin}${address}`, { redirect: 'manual' });
  assert.notEqual(stranger.headers.get('content-type'), 'application/zip');
});

test('verify.html checks a pack in a browser, from a file and without a network', async (t) => {
  const cookie = `ponte-member=${await memberToken(site, 'admin')}`;
  const address = `${root}/payments/${paid}/proof/proof.zip`;
  const pack = await packAt(address, { cookie });
  const folder = temporaryFolder();
  const changed = Uint8Array.from(pack, (byte, index) => (index === 100 ? byte ^ 1 : byte));
  const files = { 'verify.html': unzipSync(pack)['verify.html'] ?? '', 'a.zip': pack };
  for (const [name, bytes] of Object.entries({ ...files, 'b.zip': changed })) {
    writeFileSync(join(folder, name), bytes);
  }
  const browser = await openBrowser();
  t.after(() => browser.close());
  const { page, requested, complaints } = await watchedPage(browser);
  const opened = pathToFileURL(join(folder, 'verify.html')).href;
  await page.goto(opened);
  const { title, genuine, notGenuine } = proofTexts.en.verify;
  assert.equal(await page.locator('h1').textContent(), title);
  for (const [name, says] of [
    ['a.zip', genuine],
    ['b.zip', notGenuine],
  ] as const) {
    await page.locator('#file').setInputFiles(join(folder, name));
    await page.locator('#result p', { hasText: says }).waitFor();
  }
  assert.deepEqual(complaints, []);
  assert.deepEqual(requested, [opened]);
});
