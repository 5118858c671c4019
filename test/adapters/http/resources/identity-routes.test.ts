// API keys over a session, switching the mode, and onboarding, over HTTP.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scopesOf } from '../../../../core/domain/access/member.js';
import { formatInstant, HOUR_MS } from '../../../../core/domain/base/instant.js';
import { mayCollect } from '../../../../core/domain/parties/organization.js';
import { flushKeyUse, KEYS_MAX } from '../../../../core/usecases/access/keys.js';
import { addMember, removeMember } from '../../../../core/usecases/access/members.js';
import { createSession } from '../../../../core/usecases/access/sessions.js';
import {
  acceptOrganizationTerms,
  readOrganization,
} from '../../../../core/usecases/parties/organizations.js';
import { goLive } from '../../../support/scenes/organization-scene.js';
import type { Json } from '../../../support/servers/json-call.js';
import { type Answer, checkedSite, refusalOf, sharedSite } from '../checked-site.js';

let orgId: string;
let session: string;

const site = sharedSite(async () => {
  orgId = await site.world.organization();
  session = await site.world.session(orgId);
});

const keysPath = '/v1/api-keys';

function createKey(body: unknown, by = session): Promise<Answer> {
  return site.call('POST', keysPath, { session: by, body });
}

describe('an API key', () => {
  test('returns its secret once, and is then listed without it', async () => {
    const fresh = await site.world.organization();
    const own = await site.world.session(fresh);
    const made = await createKey({ name: ' erp ', mode: 'test', scopes: ['invoices:read'] }, own);
    assert.equal(made.status, 201);
    const { secret, createdBy, ...rest } = made.body;
    assert.match(String(createdBy), /^mem_/);
    assert.match(String(secret), new RegExp(`^pk_test_${String(rest['id'])}\\.[\\w-]{49}$`));
    assert.deepEqual(rest, {
      id: rest['id'],
      orgId: fresh,
      name: 'erp',
      keyPrefix: `pk_test_${String(rest['id'])}`,
      testMode: true,
      scopes: ['invoices:read'],
      keptScopes: [],
      keptBy: null,
      networks: [],
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      createdAt: '2030-01-01T00:00:00.000Z',
    });
    const list = await site.call('GET', keysPath, { session: own });
    assert.deepEqual(list.body, { data: [{ ...rest, createdBy }], nextCursor: null });
  });

  test('has the expiry and the networks that it was given', async () => {
    const given = {
      expiresAt: '2031-01-01T00:00:00.000Z',
      networks: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'],
    };
    const made = await createKey({ name: 'erp', mode: 'test', ...given });
    const { expiresAt, networks } = made.body;
    assert.deepEqual({ expiresAt, networks }, given);
    for (const wrong of [
      { expiresAt: '2029-01-01T00:00:00Z' },
      { networks: ['203.0.113.0/33'] },
      { networks: ['localhost'] },
      { networks: Array(21).fill('203.0.113.9') },
    ]) {
      const answer = await createKey({ name: 'erp', mode: 'test', ...wrong });
      assert.equal(refusalOf(answer), '400 ValidationError', JSON.stringify(wrong));
    }
  });

  test('is rolled: the answer has another secret, and the old key its end', async () => {
    const { id, secret } = (await createKey({ name: 'erp', mode: 'test' })).body;
    const roll = (body: unknown) =>
      site.call('POST', `${keysPath}/${String(id)}/roll`, { session, body });
    const tooLong = await roll({ overlapHours: 169 });
    assert.equal(refusalOf(tooLong), '400 ValidationError');
    const rolled = await roll({});
    assert.notEqual(rolled.body['secret'], secret);
    const list = await site.call('GET', keysPath, { session });
    const old = (list.body['data'] as readonly Json[]).find((key) => key['id'] === id);
    assert.equal(old?.['expiresAt'], '2030-01-02T00:00:00.000Z');
    for (const key of [secret, rolled.body['secret']].map(String)) {
      const answer = await site.call('GET', '/v1/webhook-subscriptions', { key });
      assert.equal(answer.status, 200);
    }
  });

  test('shows when a request last used it', async () => {
    const fresh = await site.world.organization();
    const key = await site.world.key(fresh);
    await site.call('GET', '/v1/webhook-subscriptions', { key });
    const { deps } = site.world;
    await flushKeyUse(deps, deps.clock.nowMs(), 100);
    const list = await site.call('GET', keysPath, { session: await site.world.session(fresh) });
    const [{ lastUsedAt }] = list.body['data'] as [{ readonly lastUsedAt: unknown }];
    assert.equal(lastUsedAt, formatInstant(deps.clock.nowMs()));
  });

  test('without scopes, or with an empty list, is unrestricted', async () => {
    for (const scopes of [undefined, null, []]) {
      const made = await createKey({ name: 'erp', mode: 'test', scopes });
      assert.deepEqual(made.body['scopes'], []);
      const key = String(made.body['secret']);
      const answer = await site.call('GET', '/v1/webhook-subscriptions', { key });
      assert.equal(answer.status, 200);
    }
  });

  test('of live mode is made before production access, and is then in its mode alone', async () => {
    const made = await createKey({ name: 'erp', mode: 'live' });
    assert.equal(made.body['testMode'], false);
    const body = { externalId: 'a', amount: '10.00', buyer: { email: 'ana@buyer.example' } };
    const key = String(made.body['secret']);
    const created = await site.call('POST', '/v1/payment-intents', { key, body });
    assert.equal(refusalOf(created), '400 KybNotApproved');
  });

  test('that cannot be made is refused, naming the field', async () => {
    const good = { name: 'erp', mode: 'test' };
    for (const [change, path] of [
      [{ name: '' }, 'name'],
      [{ name: '  ' }, 'name'],
      [{ name: 'x'.repeat(201) }, 'name'],
      [{ name: null }, 'name'],
      [{ mode: 'prod' }, 'mode'],
      [{ mode: undefined }, 'mode'],
      [{ scopes: ['invoices:read', 'invoices'] }, 'scopes[1]'],
      [{ scopes: 'invoices:read' }, 'scopes'],
      [{ scopes: [''] }, 'scopes[0]'],
    ] as const) {
      const answer = await createKey({ ...good, ...change });
      assert.equal(refusalOf(answer), '400 ValidationError', JSON.stringify(change));
      assert.ok(String(answer.body['message']).startsWith(`${path}: `), answer.text);
    }
  });

  test('is one of 100 active ones of its mode at most; both modes are listed', async () => {
    const fresh = await site.world.organization();
    const own = await site.world.session(fresh);
    for (let count = 0; count < KEYS_MAX; count += 1) await site.world.key(fresh);
    const more = await createKey({ name: 'erp', mode: 'test' }, own);
    assert.equal(refusalOf(more), '400 ValidationError');
    assert.equal((await createKey({ name: 'erp', mode: 'live' }, own)).status, 201);
    const { body } = await site.call('GET', keysPath, { session: own });
    const listed = body['data'] as readonly { readonly id: string; readonly testMode: boolean }[];
    assert.equal(body['nextCursor'], null);
    assert.equal(listed.length, KEYS_MAX + 1);
    assert.equal(listed.filter(({ testMode }) => !testMode).length, 1);
    await site.call('DELETE', `${keysPath}/${listed.find(({ testMode }) => testMode)?.id}`, {
      session: own,
    });
    assert.equal((await createKey({ name: 'erp', mode: 'test' }, own)).status, 201);
  });

  test('is revoked for ever, from its very next request on; again it changes nothing', async () => {
    const made = await createKey({ name: 'erp', mode: 'test' });
    const key = String(made.body['secret']);
    const use = () => site.call('GET', '/v1/webhook-subscriptions', { key });
    assert.equal((await use()).status, 200);
    const path = `${keysPath}/${String(made.body['id'])}`;
    const revoked = await site.call('DELETE', path, { session });
    const { secret: _, ...rest } = made.body;
    assert.deepEqual(revoked.body, { ...rest, revokedAt: revoked.body['revokedAt'] });
    assert.notEqual(revoked.body['revokedAt'], null);
    assert.equal(refusalOf(await use()), '401 InvalidApiKey');
    site.world.advanceClock(1);
    const again = await site.call('DELETE', path, { session });
    assert.deepEqual(again.body, revoked.body);
  });

  test('of the other mode is revoked by the same session: keys belong to the team', async () => {
    const made = await createKey({ name: 'erp', mode: 'live' });
    const path = `${keysPath}/${String(made.body['id'])}`;
    assert.equal((await site.call('DELETE', path, { session })).status, 200);
  });
});

test('a removal and another role count on the very next request', async () => {
  const { deps } = site.world;
  const email = 'moved@acme.example';
  await addMember(deps, { orgId, email, role: 'admin' });
  const { token } = await createSession(deps, { orgId, email, mode: 'test' });
  const make = async () => refusalOf(await createKey({ name: 'erp', mode: 'test' }, token));
  assert.equal(await make(), '201 -');
  await addMember(deps, { orgId, email, role: 'viewer' });
  assert.equal(await make(), '403 InsufficientScope');
  await removeMember(deps, orgId, email);
  assert.equal(await make(), '401 InvalidToken');
});

test('a session ends after 12 hours', async (t) => {
  const timed = await checkedSite(t);
  const token = await timed.world.session(await timed.world.organization());
  timed.world.advanceClock(12 * HOUR_MS - 1);
  assert.equal((await timed.call('GET', keysPath, { session: token })).status, 200);
  timed.world.advanceClock(1);
  const late = await timed.call('GET', keysPath, { session: token });
  assert.equal(refusalOf(late), '401 InvalidToken');
});

test('a member sees its sessions, and signs out of one or of all', async () => {
  const { deps } = site.world;
  const email = 'out@acme.example';
  await addMember(deps, { orgId, email, role: 'viewer' });
  const start = async () => (await createSession(deps, { orgId, email, mode: 'test' })).token;
  const list = async (token: string) =>
    (await site.call('GET', '/v1/auth/sessions', { session: token })).body['data'] as Json[];
  const signOut = (token: string, body: Json) =>
    site.call('POST', '/v1/auth/sign-out', { session: token, body });
  const [first, second, third] = [await start(), await start(), await start()];
  const sessions = await list(first);
  assert.deepEqual(sessions.map(({ current }) => current).toSorted(), [false, false, true]);
  assert.equal(sessions[0]?.['expiresAt'], formatInstant(deps.clock.nowMs() + 12 * HOUR_MS));
  const other = (await list(third)).find(({ current }) => current === true);
  assert.equal((await signOut(first, { session: other?.['id'] })).status, 200);
  assert.equal(refusalOf(await signOut(third, {})), '401 InvalidToken');
  assert.equal((await signOut(first, {})).status, 200);
  assert.equal(refusalOf(await signOut(first, {})), '401 InvalidToken');
  const fourth = await start();
  const ended = (await signOut(second, { session: 'all' })).body['data'] as Json[];
  assert.equal(ended.length, 2);
  assert.equal(refusalOf(await signOut(fourth, {})), '401 InvalidToken');
});

describe('switch-mode', () => {
  const switchTo = (mode: unknown, options: { session?: string; key?: string }) =>
    site.call('POST', '/v1/auth/switch-mode', { ...options, body: { mode } });

  test('gives a token that is bound to the mode', async () => {
    const fresh = await site.world.organization();
    const own = await site.world.session(fresh);
    await goLive(site.world.deps, fresh);
    const live = await switchTo('live', { session: own });
    assert.deepEqual(Object.keys(live.body), ['token', 'mode']);
    assert.equal(live.body['mode'], 'live');
    const status = await site.call('GET', '/v1/onboarding/status', {
      session: String(live.body['token']),
    });
    assert.equal(status.body['mode'], 'live');
    const back = await switchTo('test', { session: String(live.body['token']) });
    assert.equal(back.body['mode'], 'test');
  });

  test('knows two modes', async () => {
    for (const mode of ['prod', '', null, undefined, 1]) {
      assert.equal(refusalOf(await switchTo(mode, { session })), '400 ValidationError');
    }
  });
});

test('onboarding status is that of the mode of the session', async () => {
  const fresh = await site.world.organization({ sandboxKyb: false });
  const status = async (mode: 'test' | 'live') => {
    const own = await site.world.session(fresh, { mode });
    return (await site.call('GET', '/v1/onboarding/status', { session: own })).body;
  };
  const begun = { needsOnboarding: true, tosAccepted: false, kybStatus: null };
  assert.deepEqual(await status('test'), { mode: 'test', ...begun });
  assert.deepEqual(await status('live'), { mode: 'live', ...begun });
  await acceptOrganizationTerms(site.world.deps, { orgId: fresh, mode: 'test' }, null);
  assert.deepEqual(await status('test'), { mode: 'test', ...begun, tosAccepted: true });
  const cleared = await site.world.session(orgId);
  const done = await site.call('GET', '/v1/onboarding/status', { session: cleared });
  const approved = { needsOnboarding: false, tosAccepted: false, kybStatus: 'approved' };
  assert.deepEqual(done.body, { mode: 'test', ...approved });
});

test('a credential reads who it is, what it may do, and what its mode lacks', async () => {
  const me = async (as: { readonly key?: string; readonly session?: string }) =>
    (await site.call('GET', '/v1/me', as)).body;
  const { profiles, organization } = await readOrganization(site.world.deps, orgId);
  const common = { organizationId: orgId, organizationName: organization.name, mode: 'test' };
  const ready = { readyToCollect: true, missing: [], requirements: { due: [], dueBy: null } };
  assert.equal(mayCollect(profiles.test), true);

  const made = await createKey({ name: 'erp', mode: 'test', scopes: ['invoices:read'] });
  const limited = { keyId: made.body['id'], memberId: null, scopes: ['invoices:read'] };
  assert.deepEqual(await me({ key: String(made.body['secret']) }), {
    ...common,
    ...limited,
    ...ready,
  });

  const { keyId, memberId, scopes } = await me({ session });
  assert.equal(keyId, null);
  assert.match(String(memberId), /^mem_/);
  assert.deepEqual(scopes, scopesOf('owner'));

  const live = await createKey({ name: 'erp', mode: 'live' });
  const { readyToCollect, missing } = await me({ key: String(live.body['secret']) });
  assert.equal(readyToCollect, false);
  assert.deepEqual((missing as readonly Json[])[0], { need: 'kyb', message: 'KYB not started' });
});
