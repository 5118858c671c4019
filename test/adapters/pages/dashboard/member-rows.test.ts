// Every row of the page table that is for members: which roles it takes, that it takes no form
// without the token of the session, and nothing of another organization.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageRoutes } from '../../../../adapters/pages/page-routes.js';
import { type MemberRole, memberRoles, scopesOf } from '../../../../core/domain/access/member.js';
import { allows, scopesIn } from '../../../../core/domain/access/scope.js';
import { modes } from '../../../../core/domain/base/tenant.js';
import { assert as ensure } from '../../../../core/errors.js';
import { newestEntries } from '../../../../core/usecases/service/audit-log.js';
import { anAccount } from '../../../support/samples/domain-samples.js';
import { formsOf, type PageSite, pageSite, type Visitor } from '../visitor.js';
import { rootOf, signedInAs } from './dashboard-site.js';

const rows = pageRoutes.filter(({ auth }) => auth === 'member');
const ofTenant = rows.filter(({ path }) => path.startsWith('/dashboard/{orgId}/{mode}'));

function pathIn(orgId: string, mode: string, path: string, id = 'unknown'): string {
  return path
    .replace('{orgId}', orgId)
    .replace('{mode}', mode)
    .replaceAll(/\{\w+\}/g, id);
}

async function csrfOf(visitor: Visitor): Promise<string> {
  const { text } = await visitor.open('/dashboard/sessions');
  return formsOf(text)[0]?.hidden['csrf'] ?? assert.fail('a page of a session has its token');
}

test('a row for members states its scope and its proof, and a form of it carries the token', () => {
  assert.ok(rows.length > 5);
  for (const { path, method, member, csrf, subject } of rows) {
    ensure(member !== undefined, `${path} has a rule`);
    assert.equal(csrf, method === 'POST' ? 'form' : 'none', `${method} ${path}`);
    assert.equal(subject, 'dashboard', path);
    const isOfTenant = path.startsWith('/dashboard/{orgId}/{mode}');
    assert.equal(scopesIn(member.scope).length > 0, isOfTenant, `${path} has a scope`);
  }
  const others = pageRoutes.filter(({ auth }) => auth !== 'member');
  assert.ok(others.every(({ member }) => member === undefined));
});

type Row = (typeof rows)[number];

function isAllowed(role: MemberRole, row: Row): boolean {
  const needed = scopesIn(row.member?.scope ?? 'none');
  return needed.some((scope) => allows(scopesOf(role), scope));
}

/** `refused`: by the role. `closed`: live mode is not open. */
async function answerTo(visitor: Visitor, row: Row, path: string, csrf: string) {
  const body = row.method === 'POST' ? new URLSearchParams({ csrf }).toString() : undefined;
  const response = await visitor.request(row.method, path, body);
  const text = await response.text();
  assert.ok(response.status < 500, `${row.method} ${path}`);
  if (/Live mode is not open yet/.test(text)) return 'closed';
  return response.status === 403 ? 'refused' : 'allowed';
}

async function openLive({ world: { deps }, tenant: { orgId } }: PageSite): Promise<void> {
  await deps.store.run(async (tx) => {
    const organization = await tx.organizations.get(orgId);
    ensure(organization !== null, 'the organization is stored');
    tx.organizations.update({ ...organization, productionGrantedAtMs: deps.clock.nowMs() });
  });
}

test('each role may do what its scopes say in either mode, and is refused the rest', async (t) => {
  const site = await pageSite(t);
  const { orgId } = site.tenant;
  for (const access of ['test only', 'test and live'] as const) {
    if (access === 'test and live') await openLive(site);
    for (const role of memberRoles) {
      const visitor = await signedInAs(site, role);
      const csrf = await csrfOf(visitor);
      for (const row of ofTenant) {
        for (const mode of modes) {
          const path = pathIn(orgId, mode, row.path);
          const isClosed = mode === 'live' && access === 'test only';
          const expected = isClosed ? 'closed' : isAllowed(role, row) ? 'allowed' : 'refused';
          const answer = await answerTo(visitor, row, path, csrf);
          assert.equal(answer, expected, `${role} ${row.method} ${path}, ${access}`);
        }
      }
    }
  }
});

test('without a session every row leads to the sign-in', async (t) => {
  const site = await pageSite(t);
  for (const row of rows) {
    const path = pathIn(site.tenant.orgId, 'test', row.path);
    const body = row.method === 'POST' ? '' : undefined;
    const response = await site.visitor().request(row.method, path, body);
    assert.equal(response.status, 303, path);
    assert.match(response.headers.get('location') ?? '', /^\/dashboard(\?notice=unsaved)?$/);
  }
});

/** How many changes the audit log has of the organization. */
async function changesIn({ world }: PageSite, orgId: string): Promise<number> {
  const page = { beforeSequence: null, limit: 1_000 };
  return (await newestEntries(world.deps, orgId, page)).length;
}

test('a form without the token of the session, or from another site, changes nothing', async (t) => {
  const site = await pageSite(t);
  const id = await site.world.newPayment(site.tenant);
  const { orgId } = site.tenant;
  const visitor = await signedInAs(site, 'owner');
  const csrf = await csrfOf(visitor);
  const stranger = await csrfOf(await signedInAs(site, 'admin'));
  const before = await changesIn(site, orgId);
  for (const row of rows.filter(({ method }) => method === 'POST')) {
    const path = pathIn(orgId, 'test', row.path, id);
    const fields = { session: 'all', reason: 'no longer needed' };
    for (const token of ['', 'wrong', stranger]) {
      await visitor.post(path, { csrf: token, ...fields });
    }
    await visitor.post(path, { csrf, ...fields }, { 'sec-fetch-site': 'cross-site' });
    await visitor.post(path, { csrf, ...fields }, { origin: 'https://evil.example' });
  }
  assert.equal(await changesIn(site, orgId), before);
  assert.equal((await visitor.open(rootOf(site))).heading, 'Home', 'the session is open');
});

test('ids of another organization or mode are not found, and nothing of them changes', async (t) => {
  const site = await pageSite(t);
  const { world } = site;
  const elsewhere = { orgId: await world.organization(), mode: 'test' } as const;
  const id = await world.newPayment(elsewhere, { externalId: 'secret-7' });
  const own = await world.newPayment(site.tenant, { externalId: 'own-7' });
  const sellers = [
    anAccount({ ...elsewhere, id: 'acct_1', legalName: 'secret-7' }),
    anAccount({ ...site.tenant, id: 'acct_2', legalName: 'own-7' }),
  ];
  await world.deps.store.run(async (tx) => {
    for (const seller of sellers) tx.accounts.insert(seller);
  });
  await openLive(site);
  const visitor = await signedInAs(site, 'owner');
  const csrf = await csrfOf(visitor);
  const before = await changesIn(site, elsewhere.orgId);
  const named = ofTenant.filter(({ path }) => /\{(?!orgId|mode)\w+\}/.test(path));
  assert.ok(named.length > 5);
  for (const row of named) {
    const isSeller = row.path.includes('{accountId}');
    const [foreignId, ownId] = isSeller ? ['acct_1', 'acct_2'] : [id, own];
    const fields = { reason: 'x', subscription: 'whs_1', delivery: 'whd_1' };
    const body = new URLSearchParams({ csrf, ...fields }).toString();
    for (const [orgId, mode, named] of [
      [site.tenant.orgId, 'test', foreignId],
      [site.tenant.orgId, 'live', ownId],
      [elsewhere.orgId, 'test', foreignId],
    ] as const) {
      const path = pathIn(orgId, mode, row.path, named);
      const sent = row.method === 'POST' ? body : undefined;
      const response = await visitor.request(row.method, path, sent);
      assert.equal(response.status, 404, `${row.method} ${path}`);
      assert.doesNotMatch(await response.text(), /secret-7/);
    }
  }
  assert.equal(await changesIn(site, elsewhere.orgId), before);
  const list = await visitor.open(`${rootOf(site)}/payments?q=secret-7`);
  assert.match(list.text, /No payment matches/);
  assert.equal((await visitor.open(`${rootOf(site)}/payments?q=${id}`)).status, 200);
  assert.match(visitor.shown?.text ?? '', /No payment matches/);
});
