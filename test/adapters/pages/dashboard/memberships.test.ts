// A person in two organizations: what one of them learns and ends, and an invitation that nobody
// has accepted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../core/domain/base/instant.js';
import { createKey, unlimitedKey } from '../../../../core/usecases/access/keys.js';
import { addMember, removeMember } from '../../../../core/usecases/access/members.js';
import { createSession } from '../../../../core/usecases/access/sessions.js';
import { goLive } from '../../../support/scenes/organization-scene.js';
import { softwareAuthenticator } from '../../../support/scenes/software-authenticator.js';
import { type PageSite, pageSite, type Visitor } from '../visitor.js';
import { rootOf, signedInAs } from './dashboard-site.js';

const email = 'cfo@bank.example';

/** Signs in by a mailed link, as anybody does. */
async function signsIn(site: PageSite, home: string): Promise<Visitor> {
  const visitor = site.visitor();
  await visitor.open(home);
  await visitor.send('/link', { address: email });
  await visitor.open(await site.newestLink());
  assert.equal((await visitor.send('/enter')).path, home);
  return visitor;
}

async function auditOf(site: PageSite, orgId: string): Promise<string> {
  const session = await site.world.session(orgId);
  const response = await fetch(`${site.origin}/v1/audit?limit=100`, {
    headers: { authorization: `Bearer ${session}` },
  });
  assert.equal(response.status, 200);
  return response.text();
}

/** Two organizations; the first one invited the person first. */
async function twoOrganizations(t: Parameters<typeof pageSite>[0]) {
  const site = await pageSite(t);
  const { deps } = site.world;
  const { orgId: first } = site.tenant;
  const second = await site.world.organization();
  await addMember(deps, { orgId: first, email, role: 'viewer' });
  await addMember(deps, { orgId: second, email, role: 'admin' });
  return { site, deps, first, second, home: `/dashboard/${second}/test` };
}

test('an organization neither learns nor ends what a person does in another one', async (t) => {
  const { site, deps, first, second, home } = await twoOrganizations(t);
  const owner = await signedInAs(site, 'owner');
  const before = await auditOf(site, first);
  const seen = async () => (await owner.open(`/dashboard/${first}/test/team`)).text;
  assert.match(await seen(), />not yet</);

  const visitor = await signsIn(site, home);
  const mail = await site.newestMail();
  assert.match(mail, /dashboard of Ponte/);
  assert.doesNotMatch(mail, /Acme|org_/, 'it names neither organization');
  const authenticator = softwareAuthenticator(deps.settings.payUrl);
  const options = async (path: string) =>
    (await (await visitor.request('GET', path)).json()) as object;
  await visitor.open('/dashboard/passkeys/add');
  const answer = authenticator.create(await options('/dashboard/passkeys/options'));
  await visitor.send('/passkeys/add', { answer, name: 'phone' });
  site.world.advanceClock(HOUR_MS / 2);
  await visitor.open(home);
  const after = await auditOf(site, first);
  for (const told of ['passkey', 'session', 'person', email]) {
    assert.equal(after.split(`"${told}"`).length, before.split(`"${told}"`).length, told);
  }
  assert.match(await seen(), />not yet</, 'nobody was seen here');

  await removeMember(deps, first, email);
  assert.equal((await visitor.open(home)).path, home, 'the session is still open');
  const again = site.visitor();
  await again.open('/dashboard');
  const asked = (await (await again.request('GET', '/dashboard/passkey/options')).json()) as object;
  const entered = await again.send('/dashboard/passkey', { answer: authenticator.get(asked) });
  assert.equal(entered.path, home);

  await removeMember(deps, second, email);
  assert.equal((await again.open(home)).path, '/dashboard?notice=signed_out');
  await addMember(deps, { orgId: second, email, role: 'viewer' });
  assert.equal((await again.open(home)).path, '/dashboard?notice=signed_out', 'it has ended');
});

test('pages without an organization write entries of none', async (t) => {
  const { site, first, second, home } = await twoOrganizations(t);
  const visitor = await signsIn(site, home);
  await visitor.open('/dashboard/sessions');
  await visitor.send('/sessions', { session: 'all' });
  const entries = await site.world.audit();
  const ofPages = entries.filter(({ action }) => action.startsWith('/dashboard'));
  assert.deepEqual(
    ofPages.map(({ action, orgId, actor: { kind } }) => [action, orgId, kind]),
    [
      ['/dashboard/sessions', null, 'person'],
      ['/dashboard/{orgId}/{mode}', second, 'member'],
      ['/dashboard/enter', null, 'link'],
    ],
  );
  assert.ok(ofPages.every(({ orgId }) => orgId !== first));
});

test('an invitation allows nothing and gets no notices until its organization is opened', async (t) => {
  const { site, deps, second, home } = await twoOrganizations(t);
  await goLive(deps, second);
  const key = { ...unlimitedKey, orgId: second, mode: 'live', createdBy: 'opr_1' } as const;
  const noticesTo = async () => {
    await site.world.settle();
    return site.world.mails.filter(({ to, subject }) => to === email && /API key/.test(subject));
  };
  await createKey(deps, { ...key, name: 'one' });
  assert.equal((await noticesTo()).length, 0);
  const visitor = await signsIn(site, home);
  await createKey(deps, { ...key, name: 'two' });
  assert.equal((await noticesTo()).length, 1);

  const elsewhere = await site.world.organization();
  await addMember(deps, { orgId: elsewhere, email, role: 'owner' });
  const { csrf } = csrfIn(visitor);
  const root = `/dashboard/${elsewhere}/test`;
  const form = new URLSearchParams({ csrf, email: 'x@evil.example', role: 'owner' }).toString();
  const refused = await visitor.request('POST', `${root}/team/invite`, form);
  assert.equal(refused.status, 404, 'a form accepts nothing');
  assert.equal((await visitor.open(`${root}/changes?version=1`)).status, 404);
  assert.equal((await visitor.open(root)).path, root);
});

test('a token acts in its organization alone', async (t) => {
  const { site, deps, first, second } = await twoOrganizations(t);
  const { token } = await createSession(deps, { orgId: first, email, mode: 'test' });
  await createSession(deps, { orgId: second, email, mode: 'test' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const listed = await fetch(`${site.origin}/v1/auth/sessions`, { headers });
  const { data } = (await listed.json()) as { readonly data: readonly object[] };
  assert.equal(data.length, 1);
  const body = JSON.stringify({ session: 'all' });
  await fetch(`${site.origin}/v1/auth/sign-out`, { method: 'POST', headers, body });
  const person = await deps.store.run((tx) => tx.people.byEmail(email));
  const left = await deps.store.run((tx) => tx.sessions.openOfPerson(person?.id ?? '', 0));
  assert.deepEqual(
    left.map(({ orgId }) => orgId),
    [second],
  );
});

function csrfIn({ shown }: Visitor): { readonly csrf: string } {
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(shown?.text ?? '') ?? [];
  return { csrf };
}

test('a page that is refused leads back to the organization in its path', async (t) => {
  const site = await pageSite(t);
  const home = rootOf(site);
  const owner = await signedInAs(site, 'owner');
  for (const [path, back] of [
    [`${home}/nothing`, home],
    [home.replace(/test$/, 'live'), home],
    [`${home.replace(/test$/, 'live')}/payments`, home],
    // That it is refused too leads on.
    ['/dashboard/org_another/test', '/dashboard'],
    ['/dashboard/nothing', '/dashboard'],
  ] as const) {
    const { text } = await owner.open(path);
    const [, href] = /href="([^"]*)"[^>]*>Go to the dashboard/.exec(text) ?? [];
    assert.equal(href, back, path);
  }
});
