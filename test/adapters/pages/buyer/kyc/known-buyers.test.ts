// A buyer whose identity another integrator had verified, on the page of a payment: whose dossier
// it was, what the person confirms, and what is kept of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../../core/domain/base/tenant.js';
import { FACT_TRIES_MAX } from '../../../../../core/domain/parties/identity-facts.js';
import { confirmFacts, type FactsResult } from '../../../../../core/usecases/hosted/buyer-steps.js';
import { type KycStart, startBuyerKyc } from '../../../../../core/usecases/parties/kyc.js';
import { ana } from '../../../../support/samples/dossiers.js';
import { jpeg, typedPerson } from '../../../../support/scenes/form-scene.js';
import { individual } from '../../../../support/scenes/kyc-scene.js';
import { rootOf, signedInAs } from '../../dashboard/dashboard-site.js';
import { type PageSite, pageSite, signedInByMail, type Visitor } from '../../visitor.js';

const email = 'buyer@example.com';
const dossier = { ...ana, country: 'PT', taxId: '123-45-6789', idDocNumber: 'P 77.001' };
const known: KycStart = { ...individual, email, dossier };
const right = { born: '1990-01-31', number: '123456789' };
const wrong = { ...right, number: '123456780' };

interface Named {
  readonly name?: string | null;
  readonly country?: string | null;
}

function newPayment(site: PageSite, { name = null, country = null }: Named = {}) {
  return site.newPayment({ buyer: { email, name, country, phone: null } });
}

/** Another integrator submits an identity for the address, and the partner approves it. */
async function verifiedElsewhere(site: PageSite, start: KycStart = known): Promise<Tenant> {
  const other = await site.world.newTenant();
  await startBuyerKyc(site.world.deps, other, start);
  await site.world.settle();
  return other;
}

function asksFacts({ shown }: Visitor): boolean {
  return /action="[^"]*\/facts"/.test(shown?.text ?? '');
}

/** The person sends its own dossier on the hosted form. */
async function identify(visitor: Visitor, path: string): Promise<void> {
  await visitor.open(`${path}/kyc/type`);
  await visitor.send('/kyc/type', { entityType: 'individual' });
  await visitor.send('/kyc/person', typedPerson);
  for (const kind of ['id_doc_front', 'selfie']) {
    await visitor.upload(`/kyc/file/${kind}`, Uint8Array.from(jpeg), 'image/jpeg');
  }
  await visitor.open(`${path}/kyc/review`);
  await visitor.send('/kyc/review');
}

test('an identity that an integrator submitted for an address passes no payment of others', async (t) => {
  const site = await pageSite(t);
  await verifiedElsewhere(site);
  const { id, path } = await newPayment(site);
  const visitor = await signedInByMail(site, path);
  assert.equal(visitor.shown?.heading, 'Tell us who is paying');
  assert.equal(await site.world.statusOf(id), 'buyer_kyc_pending');
  await visitor.send('/facts', wrong);
  assert.match(visitor.shown?.text ?? '', /do not match/);
  assert.equal(await site.world.statusOf(id), 'buyer_kyc_pending');
  await identify(visitor, path);
  await site.world.settle();
  assert.equal(await site.world.statusOf(id), 'buyer_kyc_approved', 'as if nothing were known');
});

test('two right facts reuse it, typed as people do, by tax number or document', async (t) => {
  for (const number of ['123456789', ' 123 45 6789', 'p77001', 'P-77001']) {
    const site = await pageSite(t);
    await verifiedElsewhere(site);
    const { id, path } = await newPayment(site, { name: 'LIMA, Ána', country: 'pt' });
    const visitor = await signedInByMail(site, path);
    await visitor.send('/facts', { born: right.born, number });
    assert.equal(await site.world.statusOf(id), 'fx_quoted', number);
  }
});

test('what the person sent itself is adopted at sign-in, unless name or country differ', async (t) => {
  const site = await pageSite(t);
  const first = await newPayment(site);
  const visitor = await signedInByMail(site, first.path);
  await identify(visitor, first.path);
  await site.world.settle();
  const cases: readonly (readonly [Named, string])[] = [
    [{}, 'fx_quoted'],
    [{ name: 'ana lima' }, 'fx_quoted'],
    [{ name: 'Somebody Else Entirely', country: 'IR' }, 'buyer_kyc_pending'],
  ];
  for (const [named, status] of cases) {
    const tenant = await site.world.newTenant();
    const there = { ...site, tenant };
    const id = await site.world.newPayment(tenant, {
      buyer: { email, name: named.name ?? null, country: named.country ?? null, phone: null },
    });
    const payment = await there.world.deps.store.run((tx) => tx.payments.get(tenant, id));
    await signedInByMail(there, `/r/${payment?.publicId}`);
    assert.equal(await site.world.statusOf(id), status, JSON.stringify(named));
  }
});

test('another name or country holds the payment: no fact is asked or taken', async (t) => {
  const cases: readonly Named[] = [
    { name: 'Eve Lima' },
    { name: 'Ana Lima', country: 'IR' },
    // The decoy is a field that a person does not have.
    { name: 'Victim Ltd' },
  ];
  for (const named of cases) {
    const site = await pageSite(t);
    await verifiedElsewhere(site, { ...known, dossier: { ...dossier, legalName: 'Victim Ltd' } });
    const { id, path } = await newPayment(site, named);
    const visitor = await signedInByMail(site, path);
    assert.equal(asksFacts(visitor), false, JSON.stringify(named));
    const { deps } = site.world;
    assert.equal(await confirmFacts(deps, site.tenant, id, right), 'closed');
    assert.equal(await site.world.statusOf(id), 'buyer_kyc_pending');
  }
});

test('owners are mailed once that a buyer is known under another name, and the page says it', async (t) => {
  const site = await pageSite(t);
  const owner = await signedInAs(site, 'owner');
  await verifiedElsewhere(site);
  const other = await newPayment(site, { name: 'Eve Lima' });
  const same = await newPayment(site, { name: 'Ana Lima' });
  for (const { path } of [other, other, same]) {
    await site.world.settle();
    site.world.advanceClock(MINUTE_MS);
    await signedInByMail(site, path);
  }
  await site.world.settle();
  const mails = site.world.mails.filter(({ text }) => text.includes('/dashboard/'));
  const [mail, ...more] = mails.filter(({ subject }) => subject.includes('another name'));
  assert.deepEqual([mail?.to.startsWith('owner'), more.length], [true, 0]);
  assert.match(mail?.text ?? '', /The payment names Eve Lima/);
  assert.doesNotMatch(mail?.text ?? '', /Ana|PT/);
  const shownOf = async ({ id }: { readonly id: string }) =>
    (await owner.open(`${rootOf(site)}/payments/${id}`)).words;
  assert.match(await shownOf(other), /The buyer is known under another name/);
  assert.doesNotMatch(await shownOf(same), /another name/);
});

test('wrong facts are counted for all tenants together; then the form alone is left', async (t) => {
  const site = await pageSite(t);
  await verifiedElsewhere(site);
  const { deps } = site.world;
  const tenants = [site.tenant, await site.world.newTenant()];
  const pay = (tenant: Tenant) =>
    site.world.newPayment(tenant, { buyer: { email, name: null, country: null, phone: null } });
  const { id, path } = await newPayment(site);
  const visitor = await signedInByMail(site, path);
  assert.equal(asksFacts(visitor), true);
  for (let tries = 1; tries < FACT_TRIES_MAX; tries += 1) await visitor.send('/facts', wrong);
  assert.equal(asksFacts(visitor), true);
  await visitor.send('/facts', wrong);
  assert.equal(asksFacts(visitor), false);
  const results: FactsResult[] = [];
  for (const tenant of tenants) {
    results.push(await confirmFacts(deps, tenant, await pay(tenant), right));
  }
  assert.deepEqual(results, ['closed', 'closed']);
  assert.equal(await confirmFacts(deps, site.tenant, id, right), 'closed');
  assert.equal(await site.world.statusOf(id), 'buyer_kyc_pending');
});

test('nothing of a dossier is in its row in plain text after the decision, but name and country', async (t) => {
  const site = await pageSite(t);
  const other = await verifiedElsewhere(site);
  const row = await site.world.deps.store.run(async (tx) => {
    const buyer = await tx.buyers.byEmail(other.mode, email);
    return buyer === null ? null : tx.buyers.submission(other, buyer.id);
  });
  assert.equal(row?.status, 'approved');
  const { submittedBy, country, legalName, bornHash, taxHash, documentHash } = row;
  assert.deepEqual([submittedBy, country, legalName], ['integrator', 'PT', 'Ana Lima']);
  const hashes = [bornHash, taxHash, documentHash];
  for (const hash of hashes) assert.match(hash ?? '', /^[0-9a-f]{64}$/);
  assert.equal(new Set(hashes).size, hashes.length);
  const text = JSON.stringify(row).toLowerCase();
  for (const value of ['1990', '6789', '123456789', '77001', '77.001']) {
    const isInHash = hashes.some((hash) => hash?.includes(value));
    assert.ok(isInHash || !text.includes(`${value}`), value);
  }
});
