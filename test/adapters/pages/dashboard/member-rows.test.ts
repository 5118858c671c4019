// Every row of the page table that is for members: which roles it takes, that it takes no form
// without the token of the session, and nothing of another organization.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionNames } from '../../../../adapters/pages/letters/action-names.js';
import { pageRoutes } from '../../../../adapters/pages/page-routes.js';
import { type MemberRole, memberRoles, scopesOf } from '../../../../core/domain/access/member.js';
import { allows, scopesIn } from '../../../../core/domain/access/scope.js';
import { FRESH_MS } from '../../../../core/domain/access/session.js';
import { actionProofs, provenActions } from '../../../../core/domain/access/session-proof.js';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import { modes } from '../../../../core/domain/base/tenant.js';
import { assert as ensure } from '../../../../core/errors.js';
import { addMember } from '../../../../core/usecases/access/members.js';
import { formsOf, type PageSite, pageSite, type Visitor } from '../visitor.js';
import {
  anyFields,
  csrfOf,
  memberToken,
  objectsOf,
  openLive,
  rootOf,
  signedInAs,
} from './dashboard-site.js';

const rows = pageRoutes.filter(({ auth }) => auth === 'member');
const ofTenant = rows.filter(({ path }) => path.startsWith('/dashboard/{orgId}/{mode}'));

type Ids = Readonly<Record<string, string>>;

function pathIn(orgId: string, mode: string, path: string, ids: Ids = {}): string {
  const names: Ids = { orgId, mode, ...ids };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'unknown');
}

/** The objects that the path names below the mode. */
function namesIn(path: string): readonly string[] {
  const found = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return found.filter((name) => name.endsWith('Id') && name !== 'orgId');
}

test('a row for members states its scope and its proof, and a form of it carries the token', () => {
  assert.ok(rows.length > 5);
  for (const { path, method, member, csrf, subject, form } of rows) {
    ensure(member !== undefined, `${path} has a rule`);
    // A file comes with the token in its body, which the handler reads.
    const isChecked = method === 'POST' && form !== 'multipart';
    assert.equal(csrf, isChecked ? 'form' : 'none', `${method} ${path}`);
    assert.equal(subject, 'dashboard', path);
    const isOfTenant = path.startsWith('/dashboard/{orgId}/{mode}');
    assert.equal(scopesIn(member.scope).length > 0, isOfTenant, `${path} has a scope`);
  }
  const others = pageRoutes.filter(({ auth }) => auth !== 'member');
  assert.ok(others.every(({ member }) => member === undefined));
});

test('viewers have the form of their name, and no other one of an organization', () => {
  const forms = ofTenant.filter(({ method }) => method === 'POST');
  const theirs = forms.filter((row) => isAllowed('viewer', row)).map(({ path }) => path);
  assert.deepEqual(theirs, ['/dashboard/{orgId}/{mode}/name']);
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

/** Those that name fewer objects first. */
const patterns = ofTenant
  .toSorted((one, other) => namesIn(one.path).length - namesIn(other.path).length)
  .map((row) => ({ row, pattern: new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));

/** The row of a link or of the action of a form. */
function rowAt(methods: readonly string[], target: string): Row | undefined {
  const [path = ''] = target.split(/[?#]/, 1);
  return patterns.find(({ row, pattern }) => methods.includes(row.method) && pattern.test(path))
    ?.row;
}

test('no page has a link or a form for a role that may not use it', async (t) => {
  const site = await pageSite(t);
  const ids = await objectsOf(site, site.tenant, 'own');
  const { orgId } = site.tenant;
  const used = new Set<Row>();
  for (const role of memberRoles) {
    const visitor = await signedInAs(site, role);
    for (const row of ofTenant.filter((one) => one.method === 'GET' && isAllowed(role, one))) {
      const path = pathIn(orgId, 'test', row.path, ids);
      const { text } = await visitor.open(path);
      const links = [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href);
      for (const found of [
        ...links.map((href) => rowAt(['GET'], href)),
        ...formsOf(text).map(({ action }) => rowAt(['POST', 'GET'], action)),
      ]) {
        if (found === undefined) continue;
        used.add(found);
        assert.ok(isAllowed(role, found), `${role} on ${path}: ${found.method} ${found.path}`);
      }
    }
  }
  assert.ok(used.size > 40, `${used.size}`);
});

test('without a session every row leads to the sign-in', async (t) => {
  const site = await pageSite(t);
  for (const row of rows) {
    const path = pathIn(site.tenant.orgId, 'test', row.path);
    const body = row.method === 'POST' ? '' : undefined;
    const response = await site.visitor().request(row.method, path, body);
    assert.equal(response.status, 303, path);
    const location = response.headers.get('location') ?? '';
    assert.match(location, /^\/dashboard(\?notice=unsaved)?([?&]cookie-check)?$/);
  }
});

/** How many changes the audit log has of the organization. */
async function changesIn({ world }: PageSite, orgId: string): Promise<number> {
  return (await world.audit(orgId)).length;
}

test('a form without the token of the session, or from another site, changes nothing', async (t) => {
  const site = await pageSite(t);
  const ids = await objectsOf(site, site.tenant, 'own');
  const { orgId } = site.tenant;
  const visitor = await signedInAs(site, 'owner');
  const csrf = await csrfOf(visitor);
  const stranger = await csrfOf(await signedInAs(site, 'admin'));
  const before = await changesIn(site, orgId);
  for (const row of rows.filter(({ method }) => method === 'POST')) {
    const path = pathIn(orgId, 'test', row.path, ids);
    for (const token of ['', 'wrong', stranger]) {
      await visitor.post(path, { ...anyFields, csrf: token });
      if (row.form !== 'multipart') continue;
      const file = new FormData();
      for (const [name, value] of Object.entries({ ...anyFields, csrf: token })) {
        file.set(name, value);
      }
      file.set('file', new Blob(['%PDF-1.7'], { type: 'application/pdf' }), 'file.pdf');
      const { headers } = await visitor.request('POST', path, file);
      assert.match(headers.get('location') ?? '', /notice=out_of_date/, path);
    }
    await visitor.post(path, { ...anyFields, csrf }, { 'sec-fetch-site': 'cross-site' });
    await visitor.post(path, { ...anyFields, csrf }, { origin: 'https://evil.example' });
  }
  assert.equal(await changesIn(site, orgId), before);
  assert.equal((await visitor.open(rootOf(site))).heading, 'Home', 'the session is open');
});

test('ids of another organization or mode are not found, and nothing of them changes', async (t) => {
  const site = await pageSite(t);
  const { world } = site;
  const elsewhere = { orgId: await world.organization(), mode: 'test' } as const;
  const foreign = await objectsOf(site, elsewhere, 'secret-7');
  const own = await objectsOf(site, site.tenant, 'own-7');
  await openLive(site);
  const visitor = await signedInAs(site, 'owner');
  const csrf = await csrfOf(visitor);
  const body = new URLSearchParams({ ...anyFields, csrf }).toString();
  const { orgId } = site.tenant;
  const before = [await changesIn(site, orgId), await changesIn(site, elsewhere.orgId)];
  const ofObjects = ofTenant.filter(({ path }) => namesIn(path).length > 0);
  for (const row of ofObjects) {
    const names = namesIn(row.path);
    for (const name of names) assert.ok(name in own, `the test has a ${name}`);
    // Each of several ids, too, belongs to the others.
    const mixed = names.map((name) =>
      pathIn(orgId, 'test', row.path, { ...own, [name]: foreign[name] ?? '' }),
    );
    // A member belongs to both modes.
    const inLive = names.includes('memberId') ? [] : [pathIn(orgId, 'live', row.path, own)];
    for (const path of [...mixed, ...inLive, pathIn(elsewhere.orgId, 'test', row.path, foreign)]) {
      const response = await visitor.request(
        row.method,
        path,
        row.method === 'POST' ? body : undefined,
      );
      assert.equal(response.status, 404, `${row.method} ${path}`);
      assert.doesNotMatch(await response.text(), /secret-7/);
    }
  }
  const after = [await changesIn(site, orgId), await changesIn(site, elsewhere.orgId)];
  assert.deepEqual(after, before);
  const list = await visitor.open(`${rootOf(site)}/payments?q=secret-7`);
  assert.match(list.text, /No payment matches/);
  assert.equal(
    (await visitor.open(`${rootOf(site)}/payments?q=${foreign['paymentId']}`)).status,
    200,
  );
  assert.match(visitor.shown?.text ?? '', /No payment matches/);
});

test('pages of one mode show nothing of the other, or of another organization', async (t) => {
  const site = await pageSite(t);
  await openLive(site);
  const { orgId } = site.tenant;
  const elsewhere = { orgId: await site.world.organization(), mode: 'test' } as const;
  const foreign = Object.values(await objectsOf(site, elsewhere, 'marker-foreign'));
  const inMode = {
    test: await objectsOf(site, { orgId, mode: 'test' }, 'marker-test'),
    live: await objectsOf(site, { orgId, mode: 'live' }, 'marker-live'),
  };
  const visitor = await signedInAs(site, 'owner');
  for (const mode of modes) {
    const other = mode === 'test' ? 'live' : 'test';
    for (const row of ofTenant.filter(({ method }) => method === 'GET')) {
      const path = pathIn(orgId, mode, row.path, inMode[mode]);
      const { text } = await visitor.open(path);
      // A member belongs to both modes.
      const { memberId: _, ...ids } = inMode[other];
      for (const secret of [
        `marker-${other}`,
        'marker-foreign',
        ...Object.values(ids),
        ...foreign,
      ]) {
        assert.ok(!text.includes(secret), `${path} has ${secret}`);
      }
    }
  }
});

test('what needs a fresh proof leads an older session to the mailbox, and changes nothing', async (t) => {
  const site = await pageSite(t);
  await openLive(site);
  const { orgId } = site.tenant;
  const visitor = await signedInAs(site, 'owner');
  const csrf = await csrfOf(visitor);
  site.world.advanceClock(FRESH_MS);
  const before = await changesIn(site, orgId);
  const seen = new Set<string>();
  for (const row of ofTenant) {
    for (const mode of modes) {
      const proof = actionProofs[row.member?.proof ?? 'session'];
      if (proof !== 'fresh' && !(proof === 'fresh_live' && mode === 'live')) continue;
      seen.add(proof);
      const path = pathIn(orgId, mode, row.path);
      const sent = new URLSearchParams({ ...anyFields, csrf }).toString();
      const response = await visitor.request(
        row.method,
        path,
        row.method === 'POST' ? sent : undefined,
      );
      assert.equal(response.status, 303, path);
      const to = response.headers.get('location') ?? '';
      assert.match(to, row.method === 'POST' ? /confirm\?late$/ : /confirm$/, path);
      const cookies = response.headers.getSetCookie().join();
      assert.match(cookies, new RegExp(`ponte-back=${row.member?.proof}:${orgId}/${mode}/`), path);
    }
  }
  assert.deepEqual([...seen].toSorted(), ['fresh', 'fresh_live']);
  for (const { method, path, member } of rows.filter((row) => !ofTenant.includes(row))) {
    if (member?.proof !== 'change_passkeys') continue;
    const sent = new URLSearchParams({ ...anyFields, csrf }).toString();
    const to = path.replaceAll(/\{\w+\}/g, 'psk_1');
    const response = await visitor.request(method, to, method === 'POST' ? sent : undefined);
    assert.match(response.headers.get('location') ?? '', /^\/dashboard\/confirm(\?late)?$/, path);
  }
  assert.equal(await changesIn(site, orgId), before);
});

test('each action that asks for a proof has a page, and a mail that names it and where it is', async (t) => {
  const site = await pageSite(t);
  await openLive(site);
  const { orgId } = site.tenant;
  const name = 'Café Serra Azul Exportadora';
  const { deps } = site.world;
  await site.world.changeOrganization(orgId, { name });
  // Whose mails would otherwise be those of its only organization.
  const second = await site.world.organization();
  await addMember(deps, { orgId: second, email: 'owner@rotanorte.example', role: 'viewer' });
  const asked = new Set<string>();
  for (const row of rows) {
    const action = row.member?.proof ?? 'session';
    if (action === 'session' || row.background === true) continue;
    // No pause after the mails before.
    site.world.advanceClock(DAY_MS);
    const cookie = `ponte-member=${await memberToken(site, 'owner')}`;
    const visitor = site.visitor({ headers: { cookie } });
    const csrf = await csrfOf(visitor);
    site.world.advanceClock(FRESH_MS);
    const path = pathIn(orgId, 'live', row.path);
    const form = new URLSearchParams({ ...anyFields, csrf }).toString();
    const sent = await visitor.request(row.method, path, row.method === 'POST' ? form : undefined);
    const [back = ''] = sent.headers.getSetCookie().flatMap((one) => one.split(';', 1));
    const refused = site.visitor({ headers: { cookie: `${cookie}; ${back}` } });
    await refused.open('/dashboard/confirm');
    await refused.send('/link');
    const said = actionNames.en[action](name);
    const mail = (await site.newestMail()).replaceAll('\u2060', '');
    assert.ok(mail.includes(`You are about to ${said}.`), `${row.method} ${path}: ${mail}`);
    assert.ok(mail.includes('You did not ask for this email?'), path);
    assert.equal(said.includes(name), row.path.includes('{orgId}'), path);
    asked.add(action);
  }
  assert.deepEqual([...asked].toSorted(), [...provenActions].toSorted());
});

test('what changes who may act, or where data or money go, needs a fresh proof in live mode', () => {
  const dangerous = [
    /\/approve$/,
    /\/webhooks\/new$/,
    /\/webhooks\/\{subscriptionId\}\/(edit|rotate)$/,
    /\/keys\/(new|\{keyId\}\/roll)$/,
    /\/team\//,
    /\/pix$/,
    /\/passkeys\/(add|.*\/remove)$/,
  ];
  for (const path of dangerous) {
    const found = rows.filter((row) => row.method === 'POST' && path.test(row.path));
    assert.ok(found.length > 0, `${path}`);
    for (const row of found) {
      assert.notEqual(row.member?.proof, 'session', row.path);
    }
  }
});

test('a secret that was shown once is on no later page', async (t) => {
  const site = await pageSite(t);
  const ids = await objectsOf(site, site.tenant, 'own');
  const { orgId } = site.tenant;
  const visitor = await signedInAs(site, 'owner');
  const secrets: string[] = [];
  const makers = ofTenant.filter(({ path }) =>
    /\/(keys\/new|webhooks\/new|rotate|roll|onboarding-link)$/.test(path),
  );
  for (const row of makers) {
    const path = pathIn(orgId, 'test', row.path, ids);
    // The form of a link is on the page of its seller.
    await visitor.open(path.replace(/\/onboarding-link$/, ''));
    if (row.method === 'GET') continue;
    const { text, headers } = await visitor.send(path, anyFields);
    const [, secret = ''] = /class="secret"><code>([^<]+)</.exec(text) ?? [];
    assert.match(secret, /^(pk_test_|whsec_|https?:)\S{40,}$/, path);
    assert.equal(headers.get('cache-control'), 'no-store');
    secrets.push(secret, secret.slice(-30));
  }
  assert.equal(secrets.length, 10);
  for (const row of rows.filter(({ method }) => method === 'GET')) {
    const { text } = await visitor.open(pathIn(orgId, 'test', row.path, ids));
    for (const secret of secrets) assert.ok(!text.includes(secret), row.path);
  }
});
