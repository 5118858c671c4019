// An organization that requires passkeys: every row of the page table and of the API, by sessions
// that began by mail and by passkey, with the setting on and off.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routes } from '../../../../adapters/http/routes.js';
import { pageRoutes } from '../../../../adapters/pages/page-routes.js';
import { scopesOf } from '../../../../core/domain/access/member.js';
import { allows, scopesIn } from '../../../../core/domain/access/scope.js';
import { actionProofs } from '../../../../core/domain/access/session-proof.js';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { modes } from '../../../../core/domain/base/tenant.js';
import { guarded } from '../../../../core/usecases/access/guarded-changes.js';
import { addMember, removeMember } from '../../../../core/usecases/access/members.js';
import {
  actIn,
  guardMember,
  readMemberSession,
} from '../../../../core/usecases/access/sessions.js';
import { decide } from '../../../../core/usecases/money-desk/money-desk.js';
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from '../../../support/scenes/software-authenticator.js';
import { formsOf, type PageSite, pageSite, type Visitor } from '../visitor.js';
import { anyFields, csrfOf, memberToken, openLive, rootOf, signedInAs } from './dashboard-site.js';

const lostPasskeys = { verb: 'reset-passkeys', address: '' } as const;
const rows = pageRoutes.filter(({ path }) => path.startsWith('/dashboard/{orgId}/{mode}'));
const roles = ['owner', 'admin', 'finance'] as const;

function require({ world, tenant }: PageSite, requiresPasskey: boolean) {
  return world.changeOrganization(tenant.orgId, { requiresPasskey });
}

/** Null if the page offers nobody in this session a passkey. */
async function add({ world: { deps } }: PageSite, as: Visitor) {
  const authenticator = softwareAuthenticator(deps.settings.payUrl);
  const csrf = await csrfOf(as);
  const page = await as.request('GET', '/dashboard/passkeys/options');
  if (page.status !== 200) return null;
  const answer = authenticator.create((await page.json()) as object);
  await as.post('/dashboard/passkeys/add', { csrf, answer, name: 'phone' });
  return authenticator;
}

async function enter(site: PageSite, authenticator: SoftwareAuthenticator): Promise<Visitor> {
  const visitor = site.visitor();
  await visitor.open('/dashboard');
  const options = await visitor.request('GET', '/dashboard/passkey/options');
  const answer = authenticator.get((await options.json()) as object);
  await visitor.send('/dashboard/passkey', { answer });
  return visitor;
}

test('every page by each role, mode, beginning of the session, and setting', async (t) => {
  const site = await pageSite(t);
  await openLive(site);
  const { orgId } = site.tenant;
  const asked = new Set<string>();
  for (const isOn of [true, false]) {
    await require(site, isOn);
    for (const began of ['mail', 'passkey'] as const) {
      for (const role of roles) {
        const visitor = await signedInAs(site, role, orgId, began);
        const csrf = await csrfOf(visitor);
        for (const row of rows) {
          const scopes = scopesIn(row.member?.scope ?? 'none');
          if (!scopes.some((scope) => allows(scopesOf(role), scope))) continue;
          for (const mode of modes) {
            const proof = actionProofs[row.member?.proof ?? 'session'];
            const isFresh = proof === 'fresh' || (proof === 'fresh_live' && mode === 'live');
            const isOfManager = mode === 'live' && role !== 'finance';
            const isAsked = isOn && began === 'mail' && (isFresh || isOfManager);
            // A form that is taken changes what the next row needs.
            if (!isAsked && row.method === 'POST') continue;
            const path = row.path
              .replace('{orgId}', orgId)
              .replace('{mode}', mode)
              .replaceAll(/\{\w+\}/g, 'unknown');
            const form = new URLSearchParams({ ...anyFields, csrf }).toString();
            const body = row.method === 'POST' ? form : undefined;
            const response = await visitor.request(row.method, path, body);
            const to = response.headers.get('location') ?? '';
            await response.body?.cancel();
            const what = `${role} ${row.method} ${path}, ${began}, ${isOn ? 'on' : 'off'}`;
            assert.equal(/\/dashboard\/confirm\?(late&)?passkey$/.test(to), isAsked, what);
            if (isAsked) asked.add(`${row.method} ${proof} ${mode} ${role}`);
          }
        }
      }
    }
  }
  for (const kind of ['POST fresh test finance', 'POST fresh_live live finance']) {
    const isOwned = rows.some(({ method, member }) => {
      const scopes = scopesIn(member?.scope ?? 'none');
      const isOfFinance = scopes.some((scope) => allows(scopesOf('finance'), scope));
      const proof = actionProofs[member?.proof ?? 'session'];
      return isOfFinance && kind.startsWith(`${method} ${proof} `);
    });
    assert.equal(asked.has(kind), isOwned, kind);
  }
  for (const kind of [
    'GET session live owner',
    'POST session live owner',
    'POST fresh test owner',
  ]) {
    assert.ok(asked.has(kind), kind);
  }
});

test('every operation of the API by a session, in live mode', async (t) => {
  const site = await pageSite(t);
  await openLive(site);
  const { orgId } = site.tenant;
  for (const isOn of [true, false]) {
    await require(site, isOn);
    for (const role of roles) {
      for (const { method, operations, access } of routes) {
        if (access.auth !== 'session' && access.auth !== 'either') continue;
        if (!isOn && method !== 'GET') continue;
        const [path = ''] = Object.values<string>(operations);
        // One of the operations ends the session.
        const token = await site.world.session(orgId, { mode: 'live', role });
        const response = await fetch(`${site.origin}${path.replaceAll(/\{\w+\}/g, 'unknown')}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(method === 'GET' || role === 'finance' ? {} : { body: '{}' }),
        });
        const { error } = (await response.json().catch(() => ({}))) as { readonly error?: string };
        const isClosed = isOn && role !== 'finance';
        assert.equal(error === 'InvalidToken', isClosed, `${role} ${method} ${path}: ${error}`);
      }
    }
  }
});

test('the setting is changed by a passkey, also off', async (t) => {
  const site = await pageSite(t);
  const path = `${rootOf(site)}/settings/change`;
  const isOn = async () => {
    const read = await site.world.deps.store.run((tx) => tx.organizations.get(site.tenant.orgId));
    return read?.requiresPasskey;
  };
  const byMail = await signedInAs(site, 'owner');
  await byMail.open(path);
  const refused = await byMail.send('/settings/change', { passkey: 'yes', hold: '24' });
  assert.match(refused.text, /Sign in with a passkey first/);
  assert.equal(await isOn(), false);
  const byPasskey = await signedInAs(site, 'owner', site.tenant.orgId, 'passkey');
  await byPasskey.open(path);
  const late = byMail.copy();
  await late.open(path);
  await byPasskey.send('/settings/change', { passkey: 'yes', hold: '24' });
  assert.equal(await isOn(), true);
  const off = await late.send('/settings/change');
  assert.equal(off.path, '/dashboard/confirm?late&passkey');
  assert.equal(await isOn(), true);
  await byPasskey.open(path);
  const { hidden = {} } =
    formsOf(byPasskey.shown?.text ?? '').find((one) => one.action.endsWith('/change')) ?? {};
  const { passkey: _, ...others } = hidden;
  await byPasskey.post(path, { ...others, hold: '24' });
  assert.equal(await isOn(), false);
});

test('a form is refused in its batch if the setting came in between', async (t) => {
  const site = await pageSite(t);
  await openLive(site);
  const { deps } = site.world;
  const token = await memberToken(site, 'owner');
  const signedIn = (await readMemberSession(deps, token)) ?? assert.fail('it is open');
  const actor = await actIn(deps, signedIn, { ...site.tenant, mode: 'live' });
  const acts = { actor, scope: 'team:write', proof: 'session' } as const;
  const changing = guarded(deps, (tx) => guardMember(tx, signedIn, acts));
  await require(site, true);
  const change = changing.store.run(async (tx) => tx.members.update(actor.member));
  await assert.rejects(change, { code: 'SessionNotFresh' });
});

test('a mailbox adds the first passkey, and no other one', async (t) => {
  const site = await pageSite(t);
  await openLive(site);
  await require(site, true);
  const { deps } = site.world;
  const live = `/dashboard/${site.tenant.orgId}/live`;
  const visitor = await signedInAs(site, 'owner');
  const other = await signedInAs(site, 'owner');
  const asked = await visitor.open(live);
  assert.equal(asked.path, '/dashboard/confirm?passkey');
  assert.match(asked.text, /you have none. Add one first/);
  const authenticator = (await add(site, visitor)) ?? assert.fail('the first one is added');
  const audit = await site.world.audit();
  assert.equal(audit[0]?.action, '/dashboard/passkeys/add');
  assert.equal((await visitor.open(live)).path, '/dashboard/confirm?passkey', 'it adds, no more');
  assert.equal(await add(site, other), null, 'the mailbox adds no second one');
  const email = 'owner@rotanorte.example';
  await addMember(deps, { orgId: site.tenant.orgId, email: 'b@rotanorte.example', role: 'owner' });
  await removeMember(deps, site.tenant.orgId, email);
  const again = await signedInAs(site, 'owner');
  assert.equal(await add(site, again), null, 'nor does one who was removed and added again');
  const known = await enter(site, authenticator);
  assert.equal((await known.open(live)).path, live);
  await known.open('/dashboard/sessions');
  const [, id = ''] = /passkeys\/(psk_\w+)/.exec(known.shown?.text ?? '') ?? [];
  await known.open(`/dashboard/passkeys/${id}`);
  assert.equal((await known.send('/remove')).status, 400, 'the last one stays');
});

test('operators end lost passkeys and sessions; then a mailbox adds the first one again', async (t) => {
  const site = await pageSite(t);
  await openLive(site);
  await require(site, true);
  const { deps } = site.world;
  const { orgId } = site.tenant;
  const live = `/dashboard/${orgId}/live`;
  const first = await add(site, await signedInAs(site, 'owner'));
  assert.ok(first !== null);
  const lost = await enter(site, first);
  const colleague = await signedInAs(site, 'admin', orgId, 'passkey');
  const member = await deps.store.run((tx) => tx.members.byEmail(orgId, 'owner@rotanorte.example'));
  const itemId = member?.personId ?? assert.fail('it is a member');
  const asked = { itemId, request: lostPasskeys, evidence: null, replace: false };
  await decide(deps, { ...asked, operator: developmentOperator });
  assert.equal((await lost.open(live)).path, '/dashboard?notice=signed_out');
  assert.equal((await colleague.open(live)).path, live, 'others stay signed in');
  const refused = await enter(site, first);
  assert.equal((await refused.open(live)).path, '/dashboard', 'it begins no session');
  const again = await signedInAs(site, 'owner');
  assert.equal((await again.open(live)).path, '/dashboard/confirm?passkey');
  const second = (await add(site, again)) ?? assert.fail('the first one is added again');
  assert.equal((await (await enter(site, second)).open(live)).path, live);
  await site.world.settle();
  const mailed = site.world.mails.map(({ to, subject }) => `${to}: ${subject}`);
  const person = 'owner@rotanorte.example';
  const expected = [
    `${person}: A passkey was removed from the dashboard of Acme Ltda`,
    `admin@rotanorte.example: The passkeys of ${person} were reset`,
  ];
  assert.deepEqual(
    expected.filter((one) => !mailed.includes(one)),
    [],
    mailed.join('\n'),
  );
});
