// Documents for the files of buyers: uploaded by their owners, downloaded by a signed-in buyer as
// one packet, and by nobody else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unzipSync } from 'fflate';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import { setAccountLocale } from '../../../../core/usecases/parties/accounts.js';
import {
  listPapers,
  offeredPapers,
  partnerHolder,
  storePaper,
} from '../../../../core/usecases/parties/vendor-papers.js';
import { audited } from '../../../../core/usecases/service/audit-log.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { addSellers, rootOf, signedInAs } from '../dashboard/dashboard-site.js';
import { pageSite, signedInBuyer, type Visitor } from '../visitor.js';

const pdf = (text: string) => Buffer.from(`%PDF-1.7 ${text}`);

const site = await pageSite(suiteEnd());
await addSellers(site);
const owner = await signedInAs(site, 'owner');
const seller = await site.world.deps.store.run((tx) =>
  tx.accounts.byExternalId(site.tenant, 'serra-azul'),
);
const sellerId = seller?.id ?? assert.fail('the seller is stored');

const sellerPath = () => `${rootOf(site)}/sellers/${sellerId}/vendor-documents`;

async function upload(by: Visitor, page: string, kind: string, text: string, expires = '') {
  await by.open(page);
  const fields = { kind, expires };
  return by.upload(`${page}/upload`, pdf(text), 'application/pdf', fields, `${text}.pdf`);
}

async function paid(sellerExternalId: string | null) {
  const { payment } = await makeInvoice(site.world.deps, site.tenant, { sellerExternalId });
  await site.world.play(site.tenant, payment.id, 'awaiting_buyer');
  return { ...payment, path: `/r/${payment.publicId}` };
}

async function packetOf(visitor: Visitor, path: string) {
  const response = await visitor.request('GET', `${path}/vendor-documents.zip`);
  if (response.status !== 200) {
    return { status: response.status, files: {} };
  }
  const found = unzipSync(new Uint8Array(await response.arrayBuffer()));
  const files = Object.entries(found).map(([name, bytes]) => [
    name,
    Buffer.from(bytes).toString('latin1'),
  ]);
  return { status: response.status, files: Object.fromEntries(files) };
}

/** An operator stores it. */
async function partnerPaper(kind: 'bank_letter' | 'holder_tax_form', expiresOn: string | null) {
  const author = { actor: { kind: 'operator', id: 'ana' }, action: 'papers add' } as const;
  const bytes = [pdf(kind)];
  const refusal = await storePaper(audited(site.world.deps, author), partnerHolder('test'), {
    kind,
    expiresOn,
    fileName: `${kind}.pdf`,
    uploaderId: 'operators',
    bytes: (async function* () {
      yield* bytes;
    })(),
  });
  assert.equal(refusal, null);
}

test('a buyer downloads the documents of payee, organization and partner as one packet', async () => {
  const before = await paid('serra-azul');
  const buyer = await signedInBuyer(site, before.id);
  assert.doesNotMatch((await buyer.open(before.path)).text, /vendor-documents/);
  assert.equal((await packetOf(buyer, before.path)).status, 404);

  const saved = await upload(owner, sellerPath(), 'w8', 'tax form of the seller', '2031-12-31');
  assert.match(saved.words, /The document is saved/);
  const own = `${rootOf(site)}/vendor-documents`;
  await upload(owner, own, 'engagement_letter', 'letter');
  await upload(owner, own, 'w8', 'tax form of the organization');
  await partnerPaper('bank_letter', null);
  const shown = await buyer.open(before.path);
  assert.match(shown.words, /Vendor documents Download all \(ZIP\)/);
  const { files } = await packetOf(buyer, before.path);
  assert.deepEqual(files, {
    '1-w8-tax form of the seller.pdf': '%PDF-1.7 tax form of the seller',
    '2-engagement_letter-letter.pdf': '%PDF-1.7 letter',
    '3-bank_letter-bank_letter.pdf': '%PDF-1.7 bank_letter',
  });
  const ofOrganization = await paid(null);
  const names = Object.keys(
    (await packetOf(await signedInBuyer(site, ofOrganization.id), ofOrganization.path)).files,
  );
  assert.deepEqual(names, [
    '1-w8-tax form of the organization.pdf',
    '2-engagement_letter-letter.pdf',
    '3-bank_letter-bank_letter.pdf',
  ]);
});

test('a new document replaces the one before, and a removed one is not offered', async () => {
  const payment = await paid('serra-azul');
  const buyer = await signedInBuyer(site, payment.id);
  await upload(owner, sellerPath(), 'w8', 'second');
  const text = Object.values((await packetOf(buyer, payment.path)).files).join();
  assert.match(text, /second/);
  assert.doesNotMatch(text, /tax form of the seller/);
  const { deps } = site.world;
  const holder = { ...site.tenant, kind: 'seller', id: sellerId } as const;
  const [paper] = await listPapers(deps, holder);
  await owner.open(sellerPath());
  await owner.send(`/${paper?.id}/remove`);
  assert.deepEqual(await listPapers(deps, holder), []);
});

test('nobody else downloads them', async () => {
  await upload(owner, sellerPath(), 'w8', 'third');
  const payment = await paid('serra-azul');
  const stranger = await signedInBuyer(site, (await site.newPayment()).id);
  for (const visitor of [site.visitor(), stranger]) {
    assert.equal((await packetOf(visitor, payment.path)).status, 303);
    assert.doesNotMatch((await visitor.open(payment.path)).text, /vendor-documents/);
  }
});

test('no URL of the API gives one out', async () => {
  const holder = { ...site.tenant, kind: 'seller', id: sellerId } as const;
  const [paper] = await listPapers(site.world.deps, holder);
  assert.ok(paper !== undefined);
  // Even with the right token, which nobody has.
  const { readDocument } = await import('../../../../core/usecases/parties/documents.js');
  await assert.rejects(readDocument(site.world.deps, paper.id, 'x'.repeat(64)), {
    code: 'InvalidSignature',
  });
});

test('a wrong kind, day or file is refused beside its field', async () => {
  for (const [kind, expires, text, problem] of [
    ['bank_letter', '', '%PDF', 'Choose a document of the list'],
    ['w8', '31/12/2030', '%PDF', 'year, month and day'],
    ['w8', '', '<html>', 'Choose a PDF, PNG or JPEG file'],
  ] as const) {
    await owner.open(sellerPath());
    const path = `${sellerPath()}/upload`;
    const shown = await owner.upload(path, Buffer.from(text), 'application/pdf', { kind, expires });
    assert.equal(shown.status, 422, problem);
    assert.match(shown.words, new RegExp(problem));
  }
});

test('its owner is warned before the last day, and it is not offered after it', async () => {
  const payment = await paid('serra-azul');
  const { deps } = site.world;
  const last = new Date(deps.clock.nowMs() + 20 * DAY_MS).toISOString().slice(0, 10);
  await upload(owner, sellerPath(), 'w8', 'ends', last);
  assert.match((await owner.open(sellerPath())).words, /Ends soon/);
  const kindsAt = async (atMs: number) =>
    (await deps.store.run((tx) => offeredPapers(tx, payment, atMs))).map(({ kind }) => kind);
  const lastMs = Date.parse(`${last}T12:00:00Z`);
  assert.ok((await kindsAt(lastMs)).includes('w8'));
  assert.ok(!(await kindsAt(lastMs + DAY_MS)).includes('w8'));
});

test('the audit log has uploads and downloads', async () => {
  const payment = await paid('serra-azul');
  await packetOf(await signedInBuyer(site, payment.id), payment.path);
  const entries = await site.world.audit();
  const [download] = entries.filter(({ exported }) => exported !== null);
  assert.equal(download?.actor.kind, 'buyer');
  assert.equal(download.exported?.filter, `vendor documents of ${payment.id}`);
  const uploads = entries.filter(({ objects }) => objects.some(({ type }) => type === 'document'));
  assert.ok(uploads.some(({ actor }) => actor.kind === 'member'));
});

test('its owner is mailed 30 days and 7 days before the last day, once each, in its language', async () => {
  const { world, tenant } = site;
  const { deps } = world;
  await setAccountLocale(deps, tenant, sellerId, 'es');
  const dayAfter = (days: number) =>
    new Date(deps.clock.nowMs() + days * DAY_MS).toISOString().slice(0, 10);
  const own = `${rootOf(site)}/vendor-documents`;
  const last = dayAfter(50);
  await upload(owner, sellerPath(), 'w8', 'ends', last);
  await upload(owner, own, 'engagement_letter', 'ends too', last);
  await upload(owner, own, 'w8', 'is replaced', last);
  await partnerPaper('bank_letter', last);
  await upload(owner, own, 'w8', 'stays');
  const from = world.mails.length;
  const found: string[] = [];
  for (let day = 0; day < 60; day += 1) {
    world.advanceClock(DAY_MS);
    await world.settle();
    const mails = world.mails.slice(from + found.length);
    found.push(...mails.map(({ to, locale }) => `${50 - day - 1} ${to} ${locale}`));
  }
  assert.deepEqual(found.toSorted(), [
    '29 Seller@Example.com es',
    '29 owner@rotanorte.example pt-BR',
    '6 Seller@Example.com es',
    '6 owner@rotanorte.example pt-BR',
  ]);
  const mails = world.mails.slice(from);
  const [ofSeller, ofOwner] = ['es', 'pt-BR'].map((one) =>
    mails.find(({ locale }) => locale === one),
  );
  assert.match(ofSeller?.text ?? '', /Formulario fiscal .*\(.*\)/);
  assert.match(ofOwner?.text ?? '', /Carta de contratação[\s\S]*“Documentos do fornecedor”/);
});
