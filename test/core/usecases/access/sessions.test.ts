// Sessions: who is let in by a token, for how long, with which scopes, and in which mode.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { createTokenSigner, fixedKeys } from '../../../../adapters/crypto/jwt.js';
import { memberRoles, scopesOf } from '../../../../core/domain/access/member.js';
import { type Scope, scopes } from '../../../../core/domain/access/scope.js';
import { SESSION_RETENTION_MS } from '../../../../core/domain/access/session.js';
import { HOUR_MS } from '../../../../core/domain/base/instant.js';
import type { ErrorCode } from '../../../../core/errors.js';
import type { SessionClaims } from '../../../../core/ports/outside.js';
import { requireScope } from '../../../../core/usecases/access/keys.js';
import { addMember, removeMember } from '../../../../core/usecases/access/members.js';
import { runSessionDeletion } from '../../../../core/usecases/access/open-sessions.js';
import {
  authenticateSession,
  createSession,
  endSessions,
  listSessions,
  onboardingStatus,
  type SessionActor,
  switchMode,
} from '../../../../core/usecases/access/sessions.js';
import { endQuarantine, quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { goLive } from '../../../support/scenes/organization-scene.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { valuesOf } from '../../../support/values-of.js';

const email = 'ana@acme.example';
const made = await world(suiteEnd());
const deps = made.deps;
const orgId = await newOrganization();
/** The member is not of it. */
const otherOrgId = await made.organization();

async function newOrganization(sandboxKyb = false): Promise<string> {
  const id = await made.organization({ sandboxKyb });
  await addMember(deps, { orgId: id, email, role: 'owner' });
  return id;
}

async function newToken(mode: 'test' | 'live' = 'test'): Promise<string> {
  return (await createSession(deps, { orgId, email, mode })).token;
}

const authenticate = (token: string) => authenticateSession(deps, `Bearer ${token}`);

test('a token authenticates member, organization, mode and the scopes of the role', async () => {
  for (const role of memberRoles) {
    const member = await addMember(deps, { orgId, email: `${role}@acme.example`, role });
    const session = await createSession(deps, { orgId, email: member.email, mode: 'test' });
    const { session: row, ...actor } = await authenticate(session.token);
    const scopes = scopesOf(role);
    const rules = { role, requiresPasskey: false, scopes };
    assert.deepEqual(actor, { orgId, mode: 'test', memberId: member.id, ...rules });
    assert.deepEqual([row.personId, row.endsAtMs], [member.personId, session.expiresAtMs]);
  }
});

test('the scheme is Bearer in any case, blanks around it count for nothing', async () => {
  const token = await newToken();
  for (const header of [`Bearer ${token}`, `bearer  ${token}`, ` BEARER ${token} `]) {
    assert.equal((await authenticateSession(deps, header)).orgId, orgId);
  }
});

describe('what is no session is refused by its reason', () => {
  const forged = (claims: (known: SessionClaims) => Partial<SessionClaims>) => async () => {
    const token = await newToken();
    const known = (await deps.tokenSigner.verify(token, deps.clock.nowMs())) ?? assert.fail();
    return `Bearer ${await deps.tokenSigner.sign({ ...known, ...claims(known) })}`;
  };
  const cases: Readonly<Record<string, readonly [ErrorCode, () => Promise<string | undefined>]>> = {
    'no header': ['Unauthorized', async () => undefined],
    'an empty header': ['Unauthorized', async () => ''],
    'another scheme': ['Unauthorized', async () => 'Basic YTpi'],
    'a token without a scheme': ['Unauthorized', () => newToken()],
    'a scheme without a token': ['InvalidToken', async () => 'Bearer'],
    'an API key as token': ['InvalidToken', async () => `Bearer ${await made.key(orgId)}`],
    'two tokens': ['InvalidToken', async () => `Bearer ${await newToken()} ${await newToken()}`],
    'a tampered token': ['InvalidToken', async () => `Bearer ${await newToken()}A`],
    'a token under another key': [
      'InvalidToken',
      async () => {
        const token = await newToken();
        const known = (await deps.tokenSigner.verify(token, deps.clock.nowMs())) ?? assert.fail();
        const { kid } = decodeProtectedHeader(token);
        const impostor = fixedKeys([{ id: String(kid), bytes: Buffer.alloc(32, 1) }]);
        const stranger = createTokenSigner(impostor);
        return `Bearer ${await stranger.sign(known)}`;
      },
    ],
    // Signed by us: only the rows show that they are invalid.
    'a member of another organization': ['InvalidToken', forged(() => ({ orgId: otherOrgId }))],
    'an unknown session': ['InvalidToken', forged(() => ({ sessionId: 'ses_0' }))],
    'the session of another member': [
      'InvalidToken',
      async () => {
        const other = { orgId, email: 'other@acme.example' };
        const { id: memberId } = await addMember(deps, { ...other, role: 'viewer' });
        return forged(() => ({ memberId }))();
      },
    ],
    'an unknown member': ['InvalidToken', forged(() => ({ memberId: 'mem_0' }))],
    'an expired token': ['InvalidToken', forged(() => ({ expiresAtMs: deps.clock.nowMs() }))],
  };
  for (const [name, [code, header]] of Object.entries(cases)) {
    test(`${name}: ${code}`, async () => {
      await assert.rejects(authenticateSession(deps, await header()), { code });
    });
  }
});

test('a session lives 12 hours', async () => {
  const session = await createSession(deps, { orgId, email, mode: 'test' });
  assert.equal(session.expiresAtMs, deps.clock.nowMs() + 12 * HOUR_MS);
  made.advanceClock(12 * HOUR_MS - 1);
  await authenticate(session.token);
  made.advanceClock(1);
  await assert.rejects(authenticate(session.token), { code: 'InvalidToken' });
});

test('no token outlives its session, however often its mode is switched', async () => {
  const owner = { orgId, email: 'chain@acme.example' };
  await addMember(deps, { ...owner, role: 'owner' });
  const first = await createSession(deps, { ...owner, mode: 'test' });
  let { token } = first;
  for (let hours = 0; hours < 11; hours += 1) {
    made.advanceClock(HOUR_MS);
    const next = await switchMode(deps, await authenticate(token), 'test');
    assert.equal(next.expiresAtMs, first.expiresAtMs);
    token = next.token;
  }
  made.advanceClock(HOUR_MS);
  await assert.rejects(authenticate(token), { code: 'InvalidToken' });
  // Nor does the row allow a token that says otherwise.
  const endless = await deps.tokenSigner.sign({
    ...(await deps.tokenSigner.verify(token, 0)),
    expiresAtMs: deps.clock.nowMs() + HOUR_MS,
  } as SessionClaims);
  await assert.rejects(authenticate(endless), { code: 'InvalidToken' });
});

describe('a sign-out', () => {
  const member = async (name: string) => {
    const of = { orgId, email: `${name}@acme.example` };
    await addMember(deps, { ...of, role: 'finance' });
    return async () => (await createSession(deps, { ...of, mode: 'test' })).token;
  };

  test('ends one session with all its tokens, and no other', async () => {
    const start = await member('one');
    const [first, second] = [await start(), await start()];
    const actor = await authenticate(first);
    const again = await switchMode(deps, actor, 'test');
    const ended = await endSessions(deps, actor.session, actor.session.id);
    assert.deepEqual(valuesOf(ended, 'id'), [actor.session.id]);
    for (const token of [first, again.token]) {
      await assert.rejects(authenticate(token), { code: 'InvalidToken' });
    }
    const open = await listSessions(deps, actor.session);
    assert.deepEqual(open, [(await authenticate(second)).session]);
  });

  test('ends all sessions of the member, and of nobody else', async () => {
    const start = await member('all');
    const stranger = await (await member('stranger'))();
    const tokens = [await start(), await start()];
    const actor = await authenticate(tokens[0] ?? '');
    const foreign = (await authenticate(stranger)).session.id;
    await assert.rejects(endSessions(deps, actor.session, foreign), { code: 'NotFound' });
    assert.equal((await endSessions(deps, actor.session, null)).length, 2);
    for (const token of tokens) {
      await assert.rejects(authenticate(token), { code: 'InvalidToken' });
    }
    await authenticate(stranger);
    assert.deepEqual(await endSessions(deps, actor.session, null), []);
  });

  test('is possible in quarantine, as is a new session', async (t) => {
    const start = await member('late');
    const actor = await authenticate(await start());
    await quarantineRestored(deps);
    t.after(() => endQuarantine(deps, { by: 'test', forcedBecause: 'a test' }));
    await start();
    assert.equal((await endSessions(deps, actor.session, null)).length, 2);
  });
});

test('old sessions are deleted', async () => {
  const old = await authenticate(await newToken());
  made.advanceClock(SESSION_RETENTION_MS + 1);
  const fresh = await authenticate(await newToken());
  await runSessionDeletion(deps, deps.clock.nowMs(), 1_000);
  const read = ({ session: { id } }: SessionActor) =>
    deps.store.run((tx) => tx.sessions.get(['token'], id));
  assert.deepEqual([await read(old), await read(fresh)], [null, fresh.session]);
});

test('a removed member is refused on the very next request, and stays refused', async () => {
  const gone = { orgId, email: 'gone@acme.example' };
  await addMember(deps, { ...gone, role: 'owner' });
  const { token } = await createSession(deps, { ...gone, mode: 'test' });
  await authenticate(token);
  await removeMember(deps, orgId, gone.email);
  await assert.rejects(authenticate(token), { code: 'InvalidToken' });
  await addMember(deps, { ...gone, role: 'owner' });
  await assert.rejects(authenticate(token), { code: 'InvalidToken' });
});

test('another role counts on the very next request', async () => {
  const moved = { orgId, email: 'moved@acme.example' };
  await addMember(deps, { ...moved, role: 'admin' });
  const { token } = await createSession(deps, { ...moved, mode: 'test' });
  requireScope(await authenticate(token), 'api_keys:write');
  await addMember(deps, { ...moved, role: 'finance' });
  const actor = await authenticate(token);
  assert.throws(() => requireScope(actor, 'api_keys:write'), { code: 'InsufficientScope' });
});

test('a session may do what its role may: each role with each scope', async () => {
  for (const role of memberRoles) {
    await addMember(deps, { orgId, email: 'matrix@acme.example', role });
    const { token } = await createSession(deps, {
      orgId,
      email: 'matrix@acme.example',
      mode: 'test',
    });
    const actor = await authenticate(token);
    for (const scope of Object.keys(scopes) as Scope[]) {
      const may = scopesOf(role).includes(scope);
      const asked = () => requireScope(actor, scope);
      if (may) asked();
      else assert.throws(asked, { code: 'InsufficientScope' }, `${role} ${scope}`);
    }
  }
});

test('who is no member gets no session', async () => {
  for (const input of [
    { orgId, email: 'nobody@acme.example' },
    { orgId: 'org_0', email },
  ]) {
    await assert.rejects(createSession(deps, { ...input, mode: 'test' }), { code: 'NotFound' });
  }
});

describe('switching the mode', () => {
  test('gives a token of the other mode, and leaves the first one as it is', async () => {
    const first = await newToken();
    await goLive(deps, orgId);
    const live = await switchMode(deps, await authenticate(first), 'live');
    assert.deepEqual([live.mode, (await authenticate(live.token)).mode], ['live', 'live']);
    assert.equal((await authenticate(first)).mode, 'test');
    const back = await switchMode(deps, await authenticate(live.token), 'test');
    assert.equal((await authenticate(back.token)).mode, 'test');
  });

  test('a switch to live needs production access', async () => {
    const fresh = { orgId: await newOrganization(true), email };
    const { token } = await createSession(deps, { ...fresh, mode: 'test' });
    const actor = await authenticate(token);
    const switched = switchMode(deps, actor, 'live');
    await assert.rejects(switched, { code: 'ProductionAccessNotApproved' });
    const made = createSession(deps, { ...fresh, mode: 'live' });
    await assert.rejects(made, { code: 'ProductionAccessNotApproved' });
    assert.equal((await switchMode(deps, actor, 'test')).mode, 'test');
  });
});

test('the onboarding status is that of the requested mode', async () => {
  const cleared = await newOrganization(true);
  const tenant = { orgId: cleared, mode: 'test' } as const;
  assert.deepEqual(await onboardingStatus(deps, tenant), {
    mode: 'test',
    needsOnboarding: false,
    tosAccepted: false,
    kybStatus: 'approved',
  });
  assert.deepEqual(await onboardingStatus(deps, { ...tenant, mode: 'live' }), {
    mode: 'live',
    needsOnboarding: true,
    tosAccepted: false,
    kybStatus: null,
  });
});
