// The list of sellers and a seller: its state, what is missing, and the changes of its destination.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newFormKey } from '../../../../adapters/pages/kit/pages/form-key.js';
import { locales } from '../../../../core/domain/base/locale.js';
import { onboardingLinkState } from '../../../../core/usecases/hosted/onboarding-links.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { pageSite } from '../visitor.js';
import { addSellers, memberToken, rootOf, signedInAs } from './dashboard-site.js';

const suite = suiteEnd();
const site = await pageSite(suite);
await addSellers(site);
const viewer = await signedInAs(site, 'viewer');
const root = rootOf(site);

test('the list says which sellers can collect and what the others need', async () => {
  const words = (await viewer.open(`${root}/sellers`)).words;
  assert.match(words, /Café Serra Azul Ltda serra-azul Can collect –/);
  assert.match(words, /Móveis Araucária S\.A\. araucaria Approved a PIX destination, a wallet/);
  assert.match(words, /Nova – Not submitted its data, approval, a PIX destination, a wallet/);
  assert.doesNotMatch(words, /A known buyer/);
  const waiting = (await viewer.open(`${root}/sellers?status=verifying`)).words;
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
  const words = ready.words;
  assert.match(words, /Nothing\. Payments can be made to this seller/);
  assert.match(words, /Changes of the PIX destination .* In effect .* key_1/);
  assert.match(words, /•••• 0181/);
  assert.match(ready.text, /payments\?seller=serra-azul/);
  assert.doesNotMatch(ready.text, /pix_1|pix_2|wallet_1|sealed|re_1|tos_1/);
  assert.equal((await viewer.open(`${root}/sellers/acct_5`)).status, 404, 'a buyer');
  const asked = (await viewer.open(`${root}/sellers/acct_3`)).words;
  assert.match(asked, /Asked by the settlement partner, until .* taxId The number is not known/);
});

test('who may make invoices is led to one for a seller that can collect', async () => {
  const finance = await signedInAs(site, 'finance');
  assert.match((await finance.open(`${root}/sellers/acct_1`)).text, /invoices\/new\?seller=/);
  assert.doesNotMatch((await finance.open(`${root}/sellers/acct_2`)).text, /invoices\/new/);
});

const linkIn = (text: string) => /https?:[^"<\s]*\/onboarding[^"<\s]*token=[\w-]+/.exec(text)?.[0];

test('a new seller is added once, and its link is shown once', async () => {
  const owner = await signedInAs(site, 'owner');
  assert.match((await owner.open(`${root}/sellers`)).text, /sellers\/new"/);
  const page = await owner.open(`${root}/sellers/new`);
  const key = /name="key" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const typed = {
    key,
    name: 'Padaria Nova Ltda',
    email: 'ana@padaria.example',
    kind: 'business',
    taxId: '11.222.333/0001-81',
    externalId: 'padaria-nova',
    locale: 'es',
  };
  for (const [wrong, said] of [
    [{ name: ' ' }, /Enter the name/],
    [{ email: 'ana@' }, /Enter an email address/],
    [{ taxId: '11.222.333/0001-82' }, /Enter a valid CNPJ/],
    [{ taxId: '529.982.247-25' }, /Enter a valid CNPJ/],
  ] as const) {
    const shown = await owner.send('/sellers/new', { ...typed, ...wrong });
    assert.equal(shown.status, 422, JSON.stringify(wrong));
    assert.match(shown.words, said);
    assert.equal(linkIn(shown.text), undefined);
  }
  const made = await owner.send('/sellers/new', typed);
  assert.equal(made.status, 200);
  assert.match(made.words, /Padaria Nova Ltda .* It is shown this once/);
  assert.match(made.text, /Copy the link/);
  const link = linkIn(made.text);
  assert.notEqual(link, undefined);
  const { deps } = site.world;
  const account = await deps.store.run((tx) =>
    tx.accounts.byExternalId(site.tenant, 'padaria-nova'),
  );
  assert.deepEqual(
    [account?.legalName, account?.email, account?.entityType, account?.taxIdLast4, account?.locale],
    ['Padaria Nova Ltda', 'ana@padaria.example', 'business', '0181', 'es'],
  );
  const sent = async (form: typeof typed) => {
    await owner.open(`${root}/sellers/new`);
    return owner.send('/sellers/new', form);
  };
  const again = await sent(typed);
  assert.equal(linkIn(again.text), undefined);
  assert.equal(new URL(again.path, 'http://x').pathname, `${root}/sellers`);
  const taken = await sent({ ...typed, key: newFormKey(deps) });
  assert.equal(taken.status, 422);
  assert.match(taken.words, /has this id/);
  const token = new URL(link ?? '').searchParams.get('token') ?? '';
  const found = await onboardingLinkState(deps, site.tenant, account?.id ?? '', token);
  assert.equal(found.state, 'valid', 'no repeat made another link');
  const person = { ...typed, key: newFormKey(deps), kind: 'individual', externalId: '' };
  const other = await sent({ ...person, taxId: '529.982.247-25' });
  assert.equal(other.status, 200);
});

test('the language of mails to a seller is that of its country until it is chosen', async () => {
  const owner = await signedInAs(site, 'owner');
  const path = `${root}/sellers/acct_1`;
  const shown = async () => (await owner.open(path)).words;
  assert.match(await shown(), /Language of emails Português/);
  for (const [locale, name] of [
    ['es', 'Español'],
    ['', 'Português'],
  ] as const) {
    await owner.open(`${path}/language`);
    await owner.send('/language', { locale });
    assert.match(await shown(), new RegExp(`Language of emails ${name}`));
  }
});

test('an empty list of sellers leads to a new one, in every language', async () => {
  const empty = await pageSite(suite);
  for (const language of locales) {
    const cookie = `ponte-member=${await memberToken(empty, 'owner')}`;
    const visitor = empty.visitor({ headers: { cookie, 'accept-language': language } });
    const { text } = await visitor.open(`${rootOf(empty)}/sellers`);
    const card = /<div class="card empty">[\s\S]*?<\/div>/.exec(text)?.[0] ?? '';
    assert.match(card, /sellers\/new"/, language);
  }
});
