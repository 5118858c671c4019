// The onboarding of a seller over HTTP: the link, what it does not open, and the form behind it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locales } from '../../../../core/domain/base/locale.js';
import { readyToCollect } from '../../../../core/domain/parties/connected-account.js';
import { createOnboardingLink } from '../../../../core/usecases/hosted/onboarding-links.js';
import { readAccount } from '../../../../core/usecases/parties/accounts.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import { newSeller } from '../../../support/scenes/seller-scene.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { formsOf, pageSite, type Visitor } from '../visitor.js';

const site = await pageSite(suiteEnd());

async function newLink(fields: Parameters<typeof newSeller>[2] = {}) {
  const { deps } = site.world;
  const { id } = await newSeller(deps, site.tenant, { displayName: 'Café Serra', ...fields });
  const { url } = await createOnboardingLink(deps, site.tenant, id);
  return { id, url, path: new URL(url).pathname };
}

async function entered(url: string, visitor: Visitor = site.visitor()): Promise<Visitor> {
  await visitor.open(url);
  await visitor.send('/enter');
  return visitor;
}

const typed = { email: 'ana@serra.example', legalName: 'Serra Ltda', cnpj: '11.222.333/0001-81' };
const pix = { pixKey: 'ana@serra.example', again: 'ana@serra.example', holder: 'Serra Ltda' };

test('a seller goes from the link to a PIX destination, and is ready to collect', async () => {
  const { id, url, path } = await newLink();
  const visitor = await entered(url);
  assert.equal(visitor.shown?.path, path);
  await visitor.open(`${path}/kyc/company`);
  await visitor.send('/kyc/company', typed);
  assert.equal(visitor.shown?.path, `${path}/kyc/review`);
  assert.match(visitor.words, /Serra Ltda/);
  await visitor.send('/kyc/review');
  assert.equal(visitor.shown?.heading, 'Your details are approved');
  await visitor.open(`${path}/pix`);
  const differs = await visitor.send('/pix', { ...pix, again: 'other@serra.example' });
  assert.equal(differs.status, 422);
  assert.doesNotMatch(differs.text, /(ana|other)@serra/);
  await visitor.send('/pix', pix);
  await site.world.settle();
  const ready = await visitor.open(path);
  assert.equal(ready.heading, 'You can be paid');
  assert.doesNotMatch(ready.text, /ana@serra\.example/);
  assert.equal(readyToCollect(await readAccount(site.world.deps, site.tenant, id)), true);
  assert.equal((await visitor.open(`${path}/pix`)).path, path, 'no second destination');
});

test('a seller that was ready as another party asks the organization for its PIX key', async () => {
  const { deps } = site.world;
  const { id, url, path } = await newLink();
  const visitor = await entered(url);
  await visitor.open(`${path}/kyc/company`);
  await visitor.send('/kyc/company', typed);
  await visitor.send('/kyc/review');
  await deps.store.run(async (tx) => {
    const account = (await tx.accounts.get(site.tenant, id)) ?? assert.fail('no account');
    tx.accounts.update({ ...account, readyAtMs: account.createdAtMs });
  });
  const home = await visitor.open(path);
  assert.match(home.words, /A PIX key was set before\. Ask .* to change it/);
  assert.doesNotMatch(home.text, /\/pix"/);
  assert.equal((await visitor.open(`${path}/pix`)).path, path);
});

test('opening a link uses nothing up, and its token leaves the address', async () => {
  const { url, path } = await newLink();
  for (const _ of [1, 2]) {
    const visitor = site.visitor();
    const shown = await visitor.open(url);
    assert.equal(shown.path, `${path}/enter`);
    assert.match(shown.words, /Café Serra/);
    assert.equal(shown.headers.get('referrer-policy'), 'no-referrer');
    assert.ok(!shown.text.includes(new URL(url).searchParams.get('token') ?? '-'));
  }
});

test('a used or unknown link says so, and how to get a new one', async () => {
  const { url, path } = await newLink();
  const seller = await entered(url);
  await seller.open(`${path}/kyc/company`);
  await seller.send('/kyc/company', typed);
  assert.equal((await seller.open(url)).path, path, 'who is in comes back by it');
  const used = await site.visitor().open(url);
  assert.equal(used.heading, 'This link no longer works');
  assert.match(used.words, /used, or a newer link replaced it.*for a new link/);
  const unknown = await site.visitor().open(`${path}?token=unknown`);
  assert.match(unknown.words, /lost on the way.*for a new link/);
  const without = await site.visitor().open(path);
  assert.match(without.words, /opens with the link.*for a new link/);
});

test('the token of a link is no session, and a session is one of its seller alone', async () => {
  const one = await newLink();
  const other = await newLink();
  const token = new URL(one.url).searchParams.get('token') ?? '';
  const headers = { cookie: `ponte-session=${token}` };
  const asSession = await site.visitor({ headers }).open(`${one.path}/kyc/company`);
  assert.match(asSession.heading, /asks you to complete your account$/);
  const wrong = await site.visitor().open(`${other.path}?token=${token}`);
  assert.equal(wrong.heading, 'This link no longer works');
  const cookie = (await entered(one.url)).cookiesFor(one.path);
  assert.match(cookie, /ponte-session=/);
  const elsewhere = site.visitor({ headers: { cookie } });
  for (const tail of ['/kyc/company', '/pix', '/kyc/phone']) {
    const { heading } = await elsewhere.open(`${other.path}${tail}`);
    assert.match(heading, /asks you to complete your account$/);
    const live = other.path.replace('/test/', '/live/');
    assert.equal((await elsewhere.open(`${live}${tail}`)).status, 404);
  }
});

test('a form without the token of its session, or from another site, changes nothing', async () => {
  const { id, url, path } = await newLink();
  const visitor = await entered(url);
  await visitor.open(`${path}/kyc/company`);
  await visitor.post(`${path}/kyc/company`, { ...typed, csrf: 'wrong' });
  await visitor.post(`${path}/kyc/company`, typed, { 'sec-fetch-site': 'cross-site' });
  const draft = await site.world.deps.store.run((tx) => tx.partyDrafts.get(site.tenant, id));
  assert.equal(draft, null);
});

test('what a session began is not stored once a newer link ended it', async () => {
  const { deps, partner } = site.world;
  const { id, url, path } = await newLink();
  const visitor = await entered(url);
  await visitor.open(`${path}/kyc/company`);
  await visitor.send('/kyc/company', typed);
  await visitor.open(`${path}/kyc/review`);
  await visitor.send('/kyc/review');
  await visitor.open(`${path}/pix`);
  const before = { ...partner };
  changePartner(partner, {
    async registerPixDestination(registration) {
      await createOnboardingLink(deps, site.tenant, id);
      return before.registerPixDestination(registration);
    },
  });
  const late = await visitor.send('/pix', pix);
  Object.assign(partner, before);
  assert.match(late.path, new RegExp(`^${path}\\?notice=unsaved$`));
  assert.equal((await readAccount(deps, site.tenant, id)).destinationRef, null);
});

test('a session asks for a phone a limited number of times an hour', async () => {
  const { url, path } = await newLink({ entityType: 'individual' });
  const visitor = await entered(url);
  await visitor.open(`${path}/kyc/documents`);
  const { hidden } = formsOf(visitor.shown?.text ?? '').at(-1) ?? assert.fail('no form');
  const statuses: number[] = [];
  for (let n = 0; n <= 20; n += 1) {
    statuses.push((await visitor.post(`${path}/kyc/phone`, hidden)).status);
  }
  assert.deepEqual(statuses, [...Array.from({ length: 20 }, () => 200), 429]);
});

test('what a seller does is in the audit log, and no PIX key is', async () => {
  const { id, url, path } = await newLink();
  const visitor = await entered(url);
  await visitor.open(`${path}/kyc/company`);
  await visitor.send('/kyc/company', typed);
  await visitor.send('/kyc/review');
  await visitor.open(`${path}/pix`);
  await visitor.send('/pix', pix);
  const entries = await site.world.audit(site.tenant.orgId);
  const own = entries.filter(({ actor }) => actor.id === id);
  assert.deepEqual([...new Set(own.map(({ actor }) => actor.kind))].toSorted(), ['link', 'seller']);
  assert.ok(!JSON.stringify(entries).includes('ana@serra'));
});

test('the pages are in the language of the browser', async () => {
  for (const language of locales) {
    const { url, path } = await newLink();
    const visitor = await entered(url, site.visitor({ language }));
    for (const tail of ['', '/kyc/company', '/kyc/review']) {
      const shown = await visitor.open(`${path}${tail}`);
      assert.equal(shown.status, 200);
      assert.match(shown.text, new RegExp(`<html lang="${language}">`));
    }
  }
});
