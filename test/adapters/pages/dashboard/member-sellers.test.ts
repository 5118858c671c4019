// The list of sellers and a seller: its state, what is missing, and the changes of its destination.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { locales } from '../../../../core/domain/base/locale.js';
import { anAccount } from '../../../support/samples/domain-samples.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { type PageSite, pageSite, textOf, type Visitor } from '../visitor.js';
import { addSellers, memberToken, rootOf, signedInAs } from './dashboard-site.js';

const suite = suiteEnd();
let site: PageSite;
let viewer: Visitor;
let root: string;

before(async () => {
  site = await pageSite(suite);
  await addSellers(site);
  viewer = await signedInAs(site, 'viewer');
  root = rootOf(site);
});

test('the list says which sellers can collect and what the others need', async () => {
  const words = textOf((await viewer.open(`${root}/sellers`)).text);
  assert.match(words, /Café Serra Azul Ltda serra-azul Can collect –/);
  assert.match(words, /Móveis Araucária S\.A\. araucaria Approved a PIX destination, a wallet/);
  assert.match(words, /Nova – Not submitted its data, approval, a PIX destination, a wallet/);
  assert.doesNotMatch(words, /A known buyer/);
  const waiting = textOf((await viewer.open(`${root}/sellers?status=verifying`)).text);
  assert.match(waiting, /Mel do Cerrado/);
  assert.doesNotMatch(waiting, /Serra Azul/);
});

test('an id of either kind, or the words of a name, open the one seller that has them', async () => {
  for (const id of ['serra-azul', 'acct_1', 'serra', 'CAFE+azul']) {
    assert.equal((await viewer.open(`${root}/sellers?q=${id}`)).path, `${root}/sellers/acct_1`);
  }
  for (const id of ['erra', 'acct_5', '%25']) {
    assert.match((await viewer.open(`${root}/sellers?q=${id}`)).text, /No seller matches/);
  }
});

test('a seller shows what is missing, and no reference of its PIX key', async () => {
  const ready = await viewer.open(`${root}/sellers/acct_1`);
  const words = textOf(ready.text);
  assert.match(words, /Nothing\. Payments can be made to this seller/);
  assert.match(words, /Changes of the PIX destination .* In effect .* key_1/);
  assert.match(words, /•••• 0181/);
  assert.match(ready.text, /payments\?seller=serra-azul/);
  assert.doesNotMatch(ready.text, /pix_1|pix_2|wallet_1|sealed|re_1|tos_1/);
  const asked = textOf((await viewer.open(`${root}/sellers/acct_3`)).text);
  assert.match(asked, /Asked by the settlement partner, until .* taxId The number is not known/);
});

test('who may make invoices is led to one for a seller that can collect', async () => {
  const finance = await signedInAs(site, 'finance');
  assert.match((await finance.open(`${root}/sellers/acct_1`)).text, /invoices\/new\?seller=/);
  assert.doesNotMatch((await finance.open(`${root}/sellers/acct_2`)).text, /invoices\/new/);
  assert.doesNotMatch((await viewer.open(`${root}/sellers/acct_1`)).text, /invoices\/new/);
});

test('a buyer, and sellers of others, are not found', async () => {
  const elsewhere = { orgId: await site.world.organization(), mode: 'test' } as const;
  const foreign = anAccount({ ...elsewhere, id: 'acct_9', legalName: 'Secret Ltda' });
  await site.world.deps.store.run(async (tx) => tx.accounts.insert(foreign));
  for (const id of ['acct_5', 'acct_9', 'unknown']) {
    const shown = await viewer.open(`${root}/sellers/${id}`);
    assert.equal(shown.status, 404, id);
    assert.doesNotMatch(shown.text, /Secret/);
  }
});

test('lists and sellers have their page in every language', async () => {
  const token = await memberToken(site, 'owner');
  for (const language of locales) {
    const headers = { cookie: `ponte-member=${token}`, 'accept-language': language };
    const visitor = site.visitor({ headers });
    for (const path of ['/sellers', '/sellers/acct_1', '/sellers/acct_3', '/invoices/new']) {
      const shown = await visitor.open(`${root}${path}`);
      assert.equal(shown.status, 200, path);
      assert.match(shown.text, new RegExp(`<html lang="${language}">`));
    }
  }
});
