// Getting started: each line with its state, and the pages behind the lines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../../../core/domain/base/instant.js';
import { removeMember } from '../../../../../core/usecases/access/members.js';
import { readOrganization } from '../../../../../core/usecases/parties/organizations.js';
import { listOwnChanges } from '../../../../../core/usecases/parties/payout-changes.js';
import {
  readProductionRequest,
  refuseProduction,
} from '../../../../../core/usecases/parties/production-requests.js';
import { allPayments, listPayments } from '../../../../../core/usecases/payments/payment-lists.js';
import { operatorDoes } from '../../../../support/operator-action.js';
import { changePartner } from '../../../../support/partners/changed-partner.js';
import { addActiveMember } from '../../../../support/scenes/active-member.js';
import { jpeg, ownerFiles, pdf, typedOwner } from '../../../../support/scenes/form-scene.js';
import { type PageSite, pageSite, type Shown, textOf, type Visitor } from '../../visitor.js';
import { signedInAs } from '../dashboard-site.js';

const start = '/getting-started';

/** A new organization that did nothing yet, and its owner. */
async function newOwner(t: Parameters<typeof pageSite>[0]) {
  const site = await pageSite(t);
  const orgId = await site.world.organization({ sandboxKyb: false });
  const owner = await signedInAs(site, 'owner', orgId);
  const root = `/dashboard/${orgId}/test`;
  return { site, orgId, owner, root, tenant: { orgId, mode: 'test' } as const };
}

/** The words of each line. */
function linesOf({ text }: Shown): readonly string[] {
  const list = /<ol class="check">(.*?)<\/ol>/s.exec(text)?.[1] ?? '';
  return list
    .split('</li>')
    .map((line) => textOf(line))
    .filter((line) => line !== '');
}

async function setPix(owner: Visitor, root: string, fields: Readonly<Record<string, string>>) {
  await owner.open(`${root}${start}/pix`);
  return owner.send('/pix', { holder: 'Acme Ltda', ...fields });
}

test('a new organization goes from nothing to a request for production, line by line', async (t) => {
  const { site, orgId, owner, root } = await newOwner(t);
  const first = linesOf(await owner.open(`${root}${start}`));
  assert.equal(first.length, 6);
  assert.match(first[0] ?? '', /^Organization , to do Use sandbox details Fill in/);
  assert.match(first[1] ?? '', /, done/);
  assert.match(first[2] ?? '', /, to do .*once the details above are approved/);
  assert.match(first[3] ?? '', /once the PIX destination is set/);
  assert.match(first[4] ?? '', /, to do Add endpoint/);
  assert.match(first[5] ?? '', /, to do Ask for it/);
  const home = await owner.open(root);
  assert.equal(linesOf(home).length, 5, 'home has those that are left');
  assert.match(home.words, /^.*?Home Search \/ First steps .*1 of 6 done/);
  assert.doesNotMatch(home.words, /Needs you/, 'nothing needs a new organization yet');
  await owner.open(`${root}${start}`);
  const approved = await owner.send('/sandbox');
  assert.match(approved.text, /The details were sent/);
  assert.match(linesOf(approved)[0] ?? '', /, done .*Acme Ltda\. Approved on 1 January 2030/);
  const set = await setPix(owner, root, { pixKey: 'ana@acme.example', again: 'ana@acme.example' });
  assert.match(linesOf(set)[2] ?? '', /, done Change .* a…@acme\.example, since 1 January 2030/);
  const page = await owner.send('/test-payment');
  assert.match(page.path, /^\/r\//);
  const running = linesOf(await owner.open(`${root}${start}`));
  assert.match(running[3] ?? '', /, waiting Open its page See .*USD 250\.00: Waiting for buyer/);
  await owner.open(`${root}${start}/production`);
  const answers = {
    sells: 'Coffee',
    customers: 'Cafés',
    monthlyVolume: 'USD 80,000',
    supportEmail: 'help@acme.example',
  };
  const wrong = await owner.send('/production', { ...answers, report: '{"ok":24}' });
  assert.match(wrong.text, /no certify\.json as the command wrote it/);
  const asked = await owner.send('/production', { ...answers, report: '' });
  assert.match(linesOf(asked)[5] ?? '', /, waiting Asked for on 1 January 2030/);
  const { organization } = await readOrganization(site.world.deps, orgId);
  assert.equal(organization.supportEmail, 'help@acme.example');
  const again = await owner.open(`${root}${start}/production`);
  assert.equal(again.path, `${root}${start}`, 'one request waits at a time');
});

test('a click that is sent twice, also at once, makes one test payment', async (t) => {
  const { site, owner, root, tenant } = await newOwner(t);
  await owner.open(`${root}${start}`);
  await owner.send('/sandbox');
  await setPix(owner, root, { pixKey: 'ana@acme.example', again: 'ana@acme.example' });
  const other = owner.tab();
  const [one, again] = await Promise.all([owner, other].map((tab) => tab.send('/test-payment')));
  assert.equal(again?.path, one?.path);
  const page = { ...allPayments, limit: 10 };
  assert.equal((await listPayments(site.world.deps, tenant, page)).length, 1);
});

test('a refused request shows its reason and may be repeated; a granted one opens live mode', async (t) => {
  const { site, orgId, owner, root } = await newOwner(t);
  const { deps } = site.world;
  const ask = async () => {
    await owner.open(`${root}${start}/production`);
    const answers = { sells: 'Coffee', customers: 'Cafés', monthlyVolume: 'USD 1' };
    return owner.send('/production', { ...answers, supportPhone: '+55 11 5555 1234' });
  };
  await ask();
  await refuseProduction(deps, orgId, { reason: 'Name <your> buyers.', by: 'Ana' });
  const refused = linesOf(await owner.open(`${root}${start}`));
  assert.match(refused[5] ?? '', /Ask again .*Refused on 1 January 2030: Name <your> buyers\./);
  const closed = await owner.open(`/dashboard/${orgId}/live/payments`);
  assert.match(
    closed.text,
    new RegExp(`href="${root}${start}/production"`),
    'the way to the request',
  );
  site.world.advanceClock(MINUTE_MS);
  await ask();
  await operatorDoes(deps, orgId, { verb: 'grant-production' });
  const granted = linesOf(await owner.open(`${root}${start}`));
  assert.match(granted[5] ?? '', /, done Go to live mode Granted on 1 January 2030/);
  const live = linesOf(await owner.open(`/dashboard/${orgId}/live${start}`));
  assert.match(live[0] ?? '', /, to do Fill in/, 'live mode needs the real details');
  assert.equal((await readProductionRequest(deps, orgId))?.state, 'granted');
});

test('a tax id as a PIX key is stored without its points and strokes', async (t) => {
  const { site, owner, root, tenant } = await newOwner(t);
  await owner.open(`${root}${start}`);
  await owner.send('/sandbox');
  await setPix(owner, root, { pixKey: '11.222.333/0001-81', again: '11222333000181' });
  const [change] = await listOwnChanges(site.world.deps, tenant);
  assert.equal(change?.pixKeyShown, '112…01…');
});

test('a number that can be a CPF or a phone is asked about, and a wrong one names its fault', async (t) => {
  const { site, owner, root, tenant } = await newOwner(t);
  await owner.open(`${root}${start}`);
  await owner.send('/sandbox');
  for (const [pixKey, again, words] of [
    ['11987650034', '11987650034', /can be a CPF or a phone number/],
    ['529.982.247-24', '52998224724', /The two keys differ/],
    ['529.982.247-24', '529.982.247-24', /check digits of this CPF or CNPJ are wrong/],
    ['no key', 'no key', /This is no PIX key/],
  ] as const) {
    const refused = await setPix(owner, root, { pixKey, again });
    assert.equal(refused.status, 422);
    assert.match(refused.text, words);
    assert.equal(refused.text.includes('name="pixKeyKind"'), pixKey === '11987650034', pixKey);
  }
  await setPix(owner, root, { pixKey: '11987650034', again: '11987650034' });
  await owner.send('/pix', {
    holder: 'Acme Ltda',
    pixKey: '11987650034',
    again: '(11) 98765-0034',
    pixKeyKind: 'phone',
  });
  const changes = await listOwnChanges(site.world.deps, tenant);
  assert.equal(changes[0]?.pixKeyShown, '+55…0034');
});

test('a PIX key is typed twice, on no page afterwards, and its change names the member', async (t) => {
  const { site, owner, root, tenant } = await newOwner(t);
  const early = await setPix(owner, root, {}).catch(() => null);
  assert.equal(early, null, 'no form before the KYB is approved');
  await owner.open(`${root}${start}`);
  await owner.send('/sandbox');
  const key = 'ana.lima@acme.example';
  const refusals: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ pixKey: '', again: '' }, /Enter the PIX key/],
    [{ pixKey: key, again: `${key}x` }, /The two keys differ/],
    [{ pixKey: key, again: key, holder: ' ' }, /Enter the name of the account holder/],
  ];
  for (const [fields, words] of refusals) {
    const refused = await setPix(owner, root, fields);
    assert.equal(refused.status, 422);
    assert.match(refused.text, words);
    assert.ok(!refused.text.includes(key), 'a refused key is typed again');
  }
  await setPix(owner, root, { pixKey: ` ${key}`, again: key });
  for (const path of [start, `${start}/pix`, '']) {
    const { text } = await owner.open(`${root}${path}`);
    assert.ok(!text.includes(key), path);
  }
  const [change] = await listOwnChanges(site.world.deps, tenant);
  assert.equal(change?.pixKeyShown, 'ana…@acme.example');
  assert.match(change?.changedBy ?? '', /^mem_/);
  const rows = await site.world.deps.store.run((tx) => tx.organizations.profile(tenant));
  assert.ok(!JSON.stringify(rows).includes(key));
});

test('details of the organization are sent once they are valid, and by the member', async (t) => {
  const { site, orgId, owner, root } = await newOwner(t);
  await owner.open(`${root}/kyc/next`);
  assert.equal(owner.shown?.path, `${root}/kyc/review`, 'those of the sandbox are filled in');
  await owner.open(`${root}/kyc/company`);
  const wrong = await owner.send('/kyc/company', { legalName: 'Acme Ltda', cnpj: '1' });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /This is no CNPJ/);
  const typed = { legalName: 'Acme Ltda', cnpj: '11.222.333/0001-81' };
  const review = await owner.send('/kyc/company', typed);
  assert.match(review.words, /11222333000181/);
  const sent = await owner.send('/kyc/review');
  assert.match(linesOf(sent)[0] ?? '', /, done/);
  assert.match(sent.words, /The details were sent for verification/);
  assert.equal((await owner.open(`${root}/kyc/company`)).path, `${root}${start}`);
  const [entry] = await site.world.audit(orgId);
  assert.equal(entry?.actor.kind, 'member');
});

/** The partner requires owners and documents of an organization. */
function askDocuments({ world: { partner } }: PageSite): void {
  changePartner(partner, { requirements: () => ['tosId', 'owners', 'incorporationDocFile'] });
}

test('owners and documents that the partner requires are added, and nothing is sent before', async (t) => {
  const { site, owner, root } = await newOwner(t);
  askDocuments(site);
  assert.equal((await owner.open(`${root}/kyc/next`)).path, `${root}/kyc/owners`);
  await owner.send('/kyc/owners/add');
  assert.doesNotMatch(owner.shown?.text ?? '', /owners\/0\/ask/, 'nobody is mailed');
  await owner.send('/kyc/owners/0', typedOwner);
  await owner.send('/kyc/owners/0/papers', typedOwner);
  await owner.open(`${root}/kyc/documents`);
  await owner.upload('/kyc/file/incorporation_doc', Uint8Array.from(pdf), 'application/pdf');
  for (const kind of ownerFiles) {
    await owner.upload(`/kyc/owners/0/file/${kind}`, Uint8Array.from(jpeg), 'image/jpeg');
    assert.equal(owner.shown?.status, 200, kind);
  }
  const review = await owner.open(`${root}/kyc/review`);
  assert.match(review.words, /Before you can send it Partner’s terms: Missing/);
  assert.doesNotMatch(review.words, /Send for verification/);
  assert.equal((await owner.open(`${root}/kyc/terms`)).path, `${root}${start}/terms`);
});

test('terms are accepted on the page of the partner, which leads back', async (t) => {
  const { site, owner, root, orgId } = await newOwner(t);
  const { deps } = site.world;
  const { test } = deps.partners;
  assert.ok(test !== null);
  Object.assign(deps, {
    partners: { ...deps.partners, test: { ...test, requirements: () => ['tosId'] } },
  });
  assert.match(linesOf(await owner.open(`${root}${start}`))[1] ?? '', /, to do Read and accept/);
  const { text } = await owner.open(`${root}${start}/terms`);
  const [, link = ''] = /href="(http[^"]+tos_id=[^"]+)"/.exec(text) ?? [];
  const back = new URL(link.replaceAll('&amp;', '&'));
  await owner.open(`${back.pathname}${back.search}`);
  assert.match(linesOf(await owner.send('/terms'))[1] ?? '', /, done Accepted on/);
  const { profiles } = await readOrganization(deps, orgId);
  assert.equal(profiles.test.tosId, back.searchParams.get('tos_id'));
});

test('sandbox details and test payments do not exist in live mode', async (t) => {
  const { site, orgId, owner, root } = await newOwner(t);
  await site.world.changeOrganization(orgId, { productionGrantedAtMs: 1 });
  await owner.open(`${root}${start}`);
  const { csrf } = owner;
  for (const action of ['sandbox', 'test-payment']) {
    const key = `frm_${'0'.repeat(26)}`;
    const { status } = await owner.post(`/dashboard/${orgId}/live${start}/${action}`, {
      csrf,
      key,
    });
    assert.equal(status, 404, action);
  }
});

test('what a member sent is not stored once the member was removed', async (t) => {
  const { site, orgId, owner, root } = await newOwner(t);
  const { deps, partner } = site.world;
  await addActiveMember(deps, { orgId, email: 'other@rotanorte.example', role: 'owner' });
  await owner.open(`${root}${start}`);
  const before = { ...partner };
  changePartner(partner, {
    party: {
      async prepare(party) {
        await removeMember(deps, orgId, 'owner@rotanorte.example');
        return before.party.prepare(party);
      },
    },
  });
  const late = await owner.send('/sandbox');
  assert.match(late.path, /\?notice=unsaved$/);
  const { profiles } = await readOrganization(deps, orgId);
  assert.equal(profiles.test.status, null);
});

test('a member opens the documents on a phone too, by signing in there', async (t) => {
  const { site, owner, root } = await newOwner(t);
  askDocuments(site);
  const documents = await owner.open(`${root}/kyc/documents`);
  assert.match(documents.text, new RegExp(`href="${root}/kyc/phone"`));
  const shown = await owner.open(`${root}/kyc/phone`);
  assert.match(shown.text, /QR code with the link/);
  const phone = site.visitor();
  const signIn = await phone.open(`${root}/kyc/documents`);
  assert.equal(signIn.path, '/dashboard');
  await phone.send('/link', { address: 'owner@rotanorte.example' });
  await phone.open(await site.newestLink());
  assert.equal((await phone.send('/enter')).path, `${root}/kyc/documents`);
});
