// Members of organizations: added, given another role, removed, and back again as somebody else.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type MemberRole, memberRoles } from '../../../../core/domain/access/member.js';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { ADDRESS_MAILS_MAX } from '../../../../core/domain/mail/mail.js';
import {
  authenticateKey,
  createKey,
  type IssuedKey,
  rollKey,
  unlimitedKey,
} from '../../../../core/usecases/access/keys.js';
import { inviteMember } from '../../../../core/usecases/access/member-invitations.js';
import {
  addMember,
  findMember,
  listMembers,
  nameMember,
  readTeam,
  removeMember,
  setMember,
} from '../../../../core/usecases/access/members.js';
import { quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { racing } from '../../../support/racing-store.js';
import { unreadableEmails } from '../../../support/samples/emails.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { valuesOf } from '../../../support/values-of.js';

const keptFor = (keptBy: string | null) => ({ memberId: null, keptBy });
const made = await world(suiteEnd());
const deps = made.deps;

test('a member is known by the address, however it is written; it is kept trimmed', async () => {
  const orgId = await made.organization();
  const email = 'Ana@Acme.example';
  const added = await addActiveMember(deps, { orgId, email: ` ${email}\r\n`, role: 'finance' });
  assert.match(added.id, /^mem_/);
  assert.deepEqual([added.email, added.role], [email, 'finance']);
  assert.deepEqual(await findMember(deps, orgId, 'ANA@ACME.EXAMPLE '), added);
});

test('a member names itself, as no colleague is named, and not as an address', async () => {
  const orgId = await made.organization();
  const [ana, rui] = [
    await addActiveMember(deps, { orgId, email: 'ana@acme.example', role: 'finance' }),
    await addActiveMember(deps, { orgId, email: 'rui@acme.example', role: 'viewer' }),
  ];
  assert.equal(ana.name, null);
  assert.equal((await nameMember(deps, ana, ' Ana Lima ')).name, 'Ana Lima');
  for (const name of [
    'ana  lima',
    'ＡＮＡ LIMA',
    'ana@acme.example',
    // What nobody sees makes no other name, and full width no other sign.
    'Ana\u200b Li\u00adma',
    'ana＠acme.example',
    '\u200b',
    '',
    '\u202eana',
    'x'.repeat(101),
  ]) {
    await assert.rejects(nameMember(deps, rui, name), { code: 'ValidationError' }, name);
  }
  assert.equal((await nameMember(deps, ana, 'ANA LIMA')).name, 'ANA LIMA', 'its own name is free');
  await removeMember(deps, orgId, ana.id, keptFor(null));
  assert.equal((await nameMember(deps, rui, 'Ana Lima')).name, 'Ana Lima');
  await assert.rejects(nameMember(deps, ana, 'Ana'), { code: 'NotFound' });
});

test('a member who is added again has the other role and is the same member', async () => {
  const orgId = await made.organization();
  const first = await addActiveMember(deps, { orgId, email: 'ana@acme.example', role: 'viewer' });
  for (const role of ['admin', 'admin', 'owner'] as const) {
    const again = await addActiveMember(deps, { orgId, email: 'ana@acme.example', role });
    assert.deepEqual([again.id, again.role], [first.id, role]);
  }
  assert.equal((await listMembers(deps, orgId)).length, 1);
});

test('a removal by id does not remove the member who has the address now', async (t) => {
  const { deps, ...made } = await world(t);
  const orgId = await made.organization();
  const input = { orgId, email: 'ana@acme.example', role: 'viewer' } as const;
  const { id } = await addActiveMember(deps, input);
  await removeMember(deps, orgId, id);
  const again = await addActiveMember(deps, input);
  await assert.rejects(removeMember(deps, orgId, id), { code: 'NotFound' });
  assert.equal((await removeMember(deps, orgId, again.id)).member.id, again.id);
});

test('a role is lowered, and a member removed, in quarantine too', async (t) => {
  const restored = await world(t);
  const orgId = await restored.organization();
  const email = 'ana@acme.example';
  await addActiveMember(restored.deps, { orgId, email, role: 'admin' });
  await quarantineRestored(restored.deps);
  await setMember(restored.deps, { orgId, email, role: 'viewer' });
  assert.equal((await findMember(restored.deps, orgId, email)).role, 'viewer');
  await removeMember(restored.deps, orgId, email);
});

test('concurrent adds of one address add one member', async () => {
  const orgId = await made.organization();
  const adds = ['Ana@acme.example', 'ana@acme.example'].map((email) =>
    addActiveMember(deps, { orgId, email, role: 'owner' }),
  );
  const [one, other] = await Promise.all(adds);
  assert.equal(one?.id, other?.id);
});

test('a removed member stays in the list; who comes back is another member', async () => {
  const orgId = await made.organization();
  const email = 'ana@acme.example';
  const first = await addActiveMember(deps, { orgId, email, role: 'admin' });
  const { member: removed } = await removeMember(deps, orgId, 'ANA@acme.example');
  assert.deepEqual([removed.id, removed.removedAtMs], [first.id, deps.clock.nowMs()]);
  await assert.rejects(findMember(deps, orgId, email), { code: 'NotFound' });
  await assert.rejects(removeMember(deps, orgId, email), { code: 'NotFound' });
  made.advanceClock(1);
  const again = await addActiveMember(deps, { orgId, email, role: 'viewer' });
  assert.notEqual(again.id, first.id);
  assert.deepEqual(
    (await listMembers(deps, orgId)).map(({ id, removedAtMs }) => [id, removedAtMs !== null]),
    [
      [again.id, false],
      [first.id, true],
    ],
  );
});

describe('the last owner', () => {
  const email = 'ana@acme.example';
  const bea = 'bea@acme.example';

  test('cannot be removed or get another role, until there is another one', async () => {
    const orgId = await made.organization();
    await addActiveMember(deps, { orgId, email, role: 'owner' });
    await addActiveMember(deps, { orgId, email: bea, role: 'admin' });
    const refusal = { code: 'ValidationError', message: /last owner .* stays/ };
    await assert.rejects(removeMember(deps, orgId, email), refusal);
    await assert.rejects(setMember(deps, { orgId, email, role: 'admin' }), refusal);
    await setMember(deps, { orgId, email, role: 'owner' });
    await addActiveMember(deps, { orgId, email: bea, role: 'owner' });
    await removeMember(deps, orgId, email);
    await assert.rejects(removeMember(deps, orgId, bea), refusal);
  });

  test('stays when two owners remove each other at once', async () => {
    const orgId = await made.organization();
    const one = await addActiveMember(deps, { orgId, email, role: 'owner' });
    const other = await addActiveMember(deps, { orgId, email: bea, role: 'owner' });
    const removals = await Promise.allSettled([
      removeMember(deps, orgId, bea, { memberId: one.id, keptBy: null }),
      removeMember(deps, orgId, email, { memberId: other.id, keptBy: null }),
    ]);
    assert.deepEqual(valuesOf(removals, 'status').toSorted(), ['fulfilled', 'rejected']);
    const left = (await listMembers(deps, orgId)).filter(({ removedAtMs }) => removedAtMs === null);
    assert.deepEqual(valuesOf(left, 'role'), ['owner']);
  });
});

describe('a member who changes the team', () => {
  const byRole = async (orgId: string, role: MemberRole) => {
    const { id } = await addActiveMember(deps, { orgId, email: `${role}@acme.example`, role });
    return { memberId: id, keptBy: null };
  };

  test('gives and takes the roles whose scopes its own role has', async () => {
    for (const actorRole of memberRoles) {
      const orgId = await made.organization();
      await addActiveMember(deps, { orgId, email: 'first@acme.example', role: 'owner' });
      const author = await byRole(orgId, actorRole);
      for (const role of memberRoles) {
        const email = `new.${role}@acme.example`;
        const isAllowed = actorRole === 'owner' || (actorRole === 'admin' && role !== 'owner');
        const add = setMember(deps, { orgId, email, role }, author);
        if (isAllowed) await add;
        else await assert.rejects(add, { code: 'InsufficientScope' }, `${actorRole} ${role}`);
        await addActiveMember(deps, { orgId, email, role });
        const lower = setMember(deps, { orgId, email, role: 'viewer' }, author);
        if (isAllowed) await lower;
        else await assert.rejects(lower, { code: 'InsufficientScope' }, `${actorRole} ${role}`);
        await addActiveMember(deps, { orgId, email, role });
        const removal = removeMember(deps, orgId, email, author);
        if (isAllowed) await removal;
        else await assert.rejects(removal, { code: 'InsufficientScope' }, `${actorRole} ${role}`);
      }
    }
  });

  test('does not change itself, and nothing after it was removed', async () => {
    const orgId = await made.organization();
    const author = await byRole(orgId, 'owner');
    await addActiveMember(deps, { orgId, email: 'other@acme.example', role: 'owner' });
    const own = { orgId, email: 'owner@acme.example' };
    for (const role of memberRoles) {
      await assert.rejects(setMember(deps, { ...own, role }, author), { code: 'ValidationError' });
    }
    const leave = removeMember(deps, orgId, own.email, author);
    await assert.rejects(leave, { code: 'ValidationError' });
    await removeMember(deps, orgId, own.email);
    const late = setMember(deps, { orgId, email: 'x@acme.example', role: 'viewer' }, author);
    await assert.rejects(late, { code: 'InsufficientScope' });
    const elsewhere = await made.organization();
    const { memberId } = await byRole(elsewhere, 'owner');
    const foreign = { memberId, keptBy: null };
    const stolen = removeMember(deps, orgId, 'other@acme.example', foreign);
    await assert.rejects(stolen, { code: 'InsufficientScope' });
  });
});

test('a team is listed oldest first, with who has accepted and was last seen when', async () => {
  const orgId = await made.organization();
  const invited = await addMember(deps, { orgId, email: 'ana@acme.example', role: 'owner' });
  made.advanceClock(1);
  const second = await addActiveMember(deps, { orgId, email: 'bea@acme.example', role: 'admin' });
  await addMember(deps, { orgId, email: 'gone@acme.example', role: 'viewer' });
  await removeMember(deps, orgId, 'gone@acme.example');
  const nowMs = deps.clock.nowMs();
  assert.deepEqual([invited.acceptedAtMs, invited.seenAtMs], [null, null]);
  assert.deepEqual([second.acceptedAtMs, second.seenAtMs], [nowMs, nowMs]);
  assert.deepEqual(await readTeam(deps, orgId), [invited, second]);
});

test('an invitation beyond the limit of its address changes no role', async () => {
  const orgId = await made.organization();
  const email = 'ana@acme.example';
  const author = { memberId: null, keptBy: null };
  const invite = (role: MemberRole) => inviteMember(deps, { orgId, email, role }, author, 'en');
  for (let sent = 0; sent < ADDRESS_MAILS_MAX; sent += 1) await invite('viewer');
  await assert.rejects(invite('admin'), { code: 'InvitationLimitExceeded' });
  assert.equal((await findMember(deps, orgId, email)).role, 'viewer');
  const { url, member } = await inviteMember(
    deps,
    { orgId, email: 'bea@acme.example', role: 'admin' },
    author,
    'es',
  );
  await made.settle();
  const mail = made.mails.find(({ text }) => text.includes(url));
  assert.deepEqual([mail?.to, mail?.locale, member.role], ['bea@acme.example', 'es', 'admin']);
});

test('organizations do not see the members of each other', async () => {
  const [own, other] = [await made.organization(), await made.organization()];
  await addActiveMember(deps, { orgId: own, email: 'ana@acme.example', role: 'owner' });
  await assert.rejects(findMember(deps, other, 'ana@acme.example'), { code: 'NotFound' });
  await assert.rejects(removeMember(deps, other, 'ana@acme.example'), { code: 'NotFound' });
  assert.deepEqual(await listMembers(deps, other), []);
});

describe('what cannot be a member is refused', () => {
  const cases = {
    ...Object.fromEntries(
      unreadableEmails.map((email) => [
        `the address ${JSON.stringify(email.slice(0, 30))}`,
        ['ValidationError', { email }] as const,
      ]),
    ),
    'an unknown organization': ['NotFound', { orgId: 'org_0' }],
  } as const;
  for (const [name, [code, change]] of Object.entries(cases)) {
    test(name, async () => {
      const input = { orgId: await made.organization(), email: 'ana@acme.example', role: 'owner' };
      const added = addActiveMember(deps, { ...input, role: 'owner', ...change });
      await assert.rejects(added, { code });
    });
  }
});

test('the members of an unknown organization are not found', async () => {
  await assert.rejects(listMembers(deps, 'org_0'), { code: 'NotFound' });
});

describe('the API keys of a removed member', () => {
  const scene = async () => {
    const orgId = await made.organization();
    const email = 'ana@acme.example';
    await addActiveMember(deps, { orgId, email: 'last@acme.example', role: 'owner' });
    const { id: createdBy } = await addActiveMember(deps, { orgId, email, role: 'admin' });
    const input = { ...unlimitedKey, orgId, mode: 'test', createdBy, name: 'erp' } as const;
    const { secret } = await createKey(deps, input);
    return { orgId, email, createdBy, input, secret };
  };

  test('are revoked with it; those of others stay', async () => {
    const { orgId, email, input, secret } = await scene();
    const { secret: other } = await createKey(deps, {
      ...input,
      createdBy: developmentOperator.id,
    });
    const { key: rolled, secret: old } = await createKey(deps, input);
    await rollKey(deps, orgId, rolled.id, { createdBy: developmentOperator.id, overlapHours: 1 });
    const { keys } = await removeMember(deps, orgId, email);
    assert.equal(keys.length, 3, 'and the one that an operator rolled');
    for (const ended of [secret, old]) {
      await assert.rejects(authenticateKey(deps, ended), { code: 'InvalidApiKey' });
    }
    await authenticateKey(deps, other);
  });

  test('stay if another owner keeps them, and end with that owner', async () => {
    const { orgId, email, secret, createdBy } = await scene();
    const [owner, admin] = ['owner@acme.example', 'admin@acme.example'];
    await addActiveMember(deps, { orgId, email: owner, role: 'owner' });
    await addActiveMember(deps, { orgId, email: admin, role: 'admin' });
    for (const keeper of [admin, email, 'nobody@acme.example']) {
      const removal = removeMember(deps, orgId, email, keptFor(keeper));
      await assert.rejects(removal, { code: 'ValidationError' }, keeper);
    }
    const { keys } = await removeMember(deps, orgId, email, keptFor(owner));
    assert.equal(keys[0]?.createdBy, createdBy, 'who created it is not forgotten');
    await authenticateKey(deps, secret);
    await removeMember(deps, orgId, owner);
    await assert.rejects(authenticateKey(deps, secret), { code: 'InvalidApiKey' });
  });

  test('answer for what a key creates that an operator made of one of them, and end it', async () => {
    const { orgId, email, createdBy, input } = await scene();
    const { key } = await createKey(deps, { ...input, mode: 'live' });
    const by = { createdBy: developmentOperator.id, overlapHours: 1 } as const;
    const { key: rolled, secret } = await rollKey(deps, orgId, key.id, by);
    assert.equal((await authenticateKey(deps, secret)).createdByMemberId, createdBy);
    const { id: other } = await addActiveMember(deps, {
      orgId,
      email: 'b@acme.example',
      role: 'owner',
    });
    const { secret: others } = await rollKey(deps, orgId, rolled.id, { ...by, createdBy: other });
    assert.equal((await authenticateKey(deps, others)).createdByMemberId, other);
    await removeMember(deps, orgId, email);
    await assert.rejects(authenticateKey(deps, secret), { code: 'InvalidApiKey' });
    await authenticateKey(deps, others);
  });

  test('are of the owner who keeps them: it answers for what they create, also when rolled', async () => {
    const { orgId, email, input } = await scene();
    const owner = 'owner@acme.example';
    const { id: keptBy } = await addActiveMember(deps, { orgId, email: owner, role: 'owner' });
    const { key, secret: kept } = await createKey(deps, { ...input, mode: 'live' });
    await removeMember(deps, orgId, email, keptFor(owner));
    const by = { createdBy: developmentOperator.id, overlapHours: 1 } as const;
    const { secret: rolled } = await rollKey(deps, orgId, key.id, by);
    for (const secret of [kept, rolled]) {
      assert.equal((await authenticateKey(deps, secret)).createdByMemberId, keptBy);
    }
    await removeMember(deps, orgId, owner);
    for (const secret of [kept, rolled]) {
      await assert.rejects(authenticateKey(deps, secret), { code: 'InvalidApiKey' });
    }
  });

  test('are not created while it is removed', async () => {
    const { orgId, email, input } = await scene();
    // The batch before it ends expired keys.
    const raced = racing(deps, (nth) => (nth === 2 ? removeMember(deps, orgId, email) : null));
    await assert.rejects(createKey(raced, input), { code: 'InvalidToken' });
    await assert.rejects(createKey(deps, input), { code: 'InvalidToken' });
  });

  test('that are created or rolled while it is removed are revoked with it', async () => {
    for (const creates of ['createKey', 'rollKey'] as const) {
      const { orgId, email, input } = await scene();
      const { key } = await createKey(deps, input);
      const by = { createdBy: key.createdBy ?? '', overlapHours: 1 };
      const late: IssuedKey[] = [];
      const raced = racing(deps, async (nth) => {
        if (nth > 1) return;
        if (creates === 'createKey') late.push(await createKey(deps, input));
        else late.push(await rollKey(deps, orgId, key.id, by));
      });
      await removeMember(raced, orgId, email);
      const [{ secret } = assert.fail()] = late;
      await assert.rejects(authenticateKey(deps, secret), { code: 'InvalidApiKey' }, creates);
    }
  });

  test('are revoked if a new role lacks one of their scopes, unless an owner keeps them', async () => {
    const { orgId, email, input } = await scene();
    const owner = 'owner@acme.example';
    const read = ['invoices:read'];
    for (const keptBy of [null, owner]) {
      await addActiveMember(deps, { orgId, email: owner, role: 'owner' });
      await addActiveMember(deps, { orgId, email, role: 'admin' });
      const unlimited = await createKey(deps, input);
      const hooks = await createKey(deps, { ...input, scopes: [...read, 'webhooks:write'] });
      const reads = await createKey(deps, { ...input, scopes: read });
      const same = await setMember(deps, { orgId, email, role: 'owner' }, keptFor(keptBy));
      assert.deepEqual(same.keys, []);
      const { keys } = await setMember(deps, { orgId, email, role: 'viewer' }, keptFor(keptBy));
      const ended = valuesOf(keys, 'id');
      const made = valuesOf([unlimited.key, hooks.key, reads.key], 'id');
      assert.deepEqual(
        made.filter((id) => ended.includes(id)),
        valuesOf([unlimited.key, hooks.key], 'id'),
      );
      assert.equal((await authenticateKey(deps, reads.secret)).keyId, reads.key.id);
      const late = authenticateKey(deps, hooks.secret);
      if (keptBy === null) await assert.rejects(late, { code: 'InvalidApiKey' });
      else assert.equal((await late).keyId, hooks.key.id);
    }
  });

  test('are kept by another owner only, also if the role stays; what it lacks ends', async () => {
    const { orgId, email, createdBy, secret } = await scene();
    const again = { orgId, email, role: 'admin' } as const;
    const unknown = setMember(deps, again, keptFor('nobody@acme.example'));
    await assert.rejects(unknown, { code: 'ValidationError' });
    assert.deepEqual((await setMember(deps, again)).keys, []);
    // As a version stored it that did not end keys.
    await deps.store.run(async (tx) => {
      const member = await tx.members.get(orgId, createdBy);
      if (member !== null) tx.members.update({ ...member, role: 'viewer' });
    });
    assert.equal((await setMember(deps, { ...again, role: 'viewer' })).keys.length, 1);
    await assert.rejects(authenticateKey(deps, secret), { code: 'InvalidApiKey' });
  });

  test('are not created with scopes that its role has not', async () => {
    const { orgId, email, input } = await scene();
    await addActiveMember(deps, { orgId, email, role: 'viewer' });
    await assert.rejects(createKey(deps, input), { code: 'InsufficientScope' });
  });
});

test('a role that is given while the member is removed adds nobody back', async () => {
  const orgId = await made.organization();
  const input = { orgId, email: 'raced@acme.example', role: 'viewer' } as const;
  const { id } = await addActiveMember(deps, input);
  await removeMember(deps, orgId, input.email);
  const given = setMember(deps, { ...input, role: 'admin', memberId: id });
  await assert.rejects(given, { code: 'NotFound' });
  const members = await listMembers(deps, orgId);
  const ofAddress = members.filter(({ email }) => email === input.email);
  assert.deepEqual(
    ofAddress.map((one) => [one.id, one.removedAtMs !== null]),
    [[id, true]],
  );
});

test('an invitation leaves the role of a member who has the address by then', async () => {
  const orgId = await made.organization();
  const input = { orgId, email: 'twice@acme.example', role: 'finance' } as const;
  const { id } = await addActiveMember(deps, input);
  const again = setMember(deps, { ...input, role: 'viewer', memberId: null });
  await assert.rejects(again, { code: 'NotFound' });
  const found = await findMember(deps, orgId, input.email);
  assert.deepEqual([found.id, found.role], [id, 'finance']);
});
