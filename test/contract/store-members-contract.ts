// What every store promises about members of organizations: rows come back as they were written,
// one address is one member at a time, and organizations do not see each other's. Run over each
// database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Member, memberRoles } from '../../core/domain/access/member.js';
import {
  aDestinationChange,
  aMember,
  aMemberSession,
  aPartyCommand,
  aPasskey,
  aPerson,
  aProductionRequest,
  T0,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import type { OpenStore } from './store-contracts.js';

export function storeMembersContract(open: OpenStore): void {
  const fresh = (members: readonly Member[]) =>
    open((tx) => {
      for (const member of members) tx.members.insert(member);
    });

  test('a member comes back as it was written; what the team changes of it changes', async () => {
    for (const role of memberRoles) {
      const member = aMember({ role });
      const store = await fresh([member]);
      const read = () => store.run((tx) => tx.members.get('org_a', 'mem_1'));
      assert.deepEqual(await read(), member);
      const times = { acceptedAtMs: T0 + 3, seenAtMs: T0 + 4, removedAtMs: T0 + 5 };
      const changed = { ...member, role: 'viewer', name: 'Ana Lima', ...times } as const;
      const moved = {
        ...changed,
        email: 'other@acme.example',
        emailKey: 'other@acme.example',
        personId: 'per_2',
      };
      await store.run(async (tx) => tx.members.update(moved));
      assert.deepEqual(await read(), { ...changed, version: 2 });
    }
  });

  test('an address finds the one member who was not removed, in its organization', async () => {
    const removed = aMember({ id: 'mem_1', removedAtMs: T0 });
    const again = aMember({ id: 'mem_2' });
    const elsewhere = aMember({ id: 'mem_3', orgId: 'org_b' });
    const store = await fresh([removed, again, elsewhere]);
    const byEmail = (orgId: string, key: string) =>
      store.run((tx) => tx.members.byEmail(orgId, key));
    assert.deepEqual(await byEmail('org_a', again.emailKey), again);
    assert.deepEqual(await byEmail('org_b', again.emailKey), elsewhere);
    assert.equal(await byEmail('org_a', 'nobody@acme.example'), null);
    assert.equal(await store.run((tx) => tx.members.get('org_b', 'mem_2')), null);
  });

  test('a second member of an address is refused as long as the first one stays', async () => {
    const store = await fresh([aMember()]);
    const second = store.run(async (tx) => tx.members.insert(aMember({ id: 'mem_2' })));
    await assert.rejects(second, { code: 'StoreContention' });
  });

  test('a list holds the members of one organization, newest first', async () => {
    const ids = ['mem_2', 'mem_3', 'mem_1'];
    const members = ids.map((id) => aMember({ id, email: `${id}@acme.example` }));
    const store = await fresh([...members, aMember({ id: 'mem_9', orgId: 'org_b' })]);
    const listed = await store.run((tx) => tx.members.list('org_a'));
    assert.deepEqual(valuesOf(listed, 'id'), ['mem_3', 'mem_2', 'mem_1']);
  });

  test('a person finds the memberships of all organizations that were not ended', async () => {
    const here = aMember({ id: 'mem_1' });
    const there = aMember({ id: 'mem_2', orgId: 'org_b' });
    const removed = aMember({ id: 'mem_3', orgId: 'org_c', removedAtMs: T0 });
    const other = aMember({ id: 'mem_4', orgId: 'org_d', personId: 'per_2' });
    const store = await fresh([here, there, removed, other]);
    const found = await store.run((tx) => tx.members.ofPerson(here.personId));
    assert.deepEqual(found, [here, there]);
  });

  test('a session is found by the hash of its cookie, and is seen at its latest page', async () => {
    const session = aMemberSession({ endedAtMs: null, seenAtMs: T0 });
    const bare = aMemberSession({
      id: 'ses_2',
      kind: 'token',
      orgId: 'org_a',
      tokenHash: null,
      seenAtMs: null,
    });
    const store = await open((tx) => {
      for (const one of [session, bare]) tx.sessions.insert(one);
    });
    const read = () => store.run((tx) => tx.sessions.byToken(['member'], 'hash of ses_1'));
    assert.deepEqual(await read(), session);
    for (const seenAtMs of [T0 + 9, T0 + 5]) {
      await store.run(async (tx) => tx.sessions.touch({ ...session, seenAtMs }));
    }
    assert.deepEqual(await read(), { ...session, seenAtMs: T0 + 9 });
    assert.equal(
      await store.run((tx) => tx.sessions.byToken(['member', 'token'], 'hash of ses_2')),
      null,
    );
  });

  test('a session of a member is as it was written; only its end changes', async () => {
    const begun = aMemberSession({ endedAtMs: null });
    const store = await open((tx) => tx.sessions.insert(begun));
    const read = () => store.run((tx) => tx.sessions.get(['member'], begun.id));
    assert.deepEqual(await read(), begun);
    const ended = { ...begun, endedAtMs: T0 + 1 };
    await store.run(async (tx) => tx.sessions.update({ ...ended, endsAtMs: T0 + 99 }));
    assert.deepEqual(await read(), { ...ended, version: 2 });
  });

  test('open sessions of a person, newest first; old ones of all, oldest first', async () => {
    const store = await open((tx) => {
      for (const [id, fields] of Object.entries({
        ses_1: {},
        ses_2: { endedAtMs: T0 },
        ses_3: { endsAtMs: T0 },
        ses_4: { personId: 'per_2', createdAtMs: T0 + 1 },
        ses_5: { personId: 'per_3', createdAtMs: T0 - 1 },
        ses_6: { createdAtMs: T0 + 2 },
      })) {
        tx.sessions.insert(aMemberSession({ id, endedAtMs: null, ...fields }));
      }
    });
    const [begun, old] = await store.run((tx) =>
      Promise.all([tx.sessions.openOfPerson('per_1', T0), tx.sessions.createdBefore(T0 + 1, 9)]),
    );
    assert.deepEqual(valuesOf(begun, 'id'), ['ses_6', 'ses_1']);
    assert.deepEqual(valuesOf(old, 'id').slice(0, 1), ['ses_5']);
    assert.equal(old.length, 4);
  });

  test('a passkey is found by its credential; its count, name, use and removal change', async () => {
    const one = aPasskey({ usedAtMs: null });
    const store = await open((tx) => tx.passkeys.insert(one));
    const read = () => store.run((tx) => tx.passkeys.byCredential(one.credentialId));
    assert.deepEqual(await read(), one);
    const changed = { ...one, signCount: 7, name: 'laptop', usedAtMs: T0 + 2, removedAtMs: T0 + 3 };
    const moved = { ...changed, personId: 'per_2', credentialId: 'x', publicKey: 'x' };
    await store.run(async (tx) => tx.passkeys.update(moved));
    assert.deepEqual(await read(), { ...changed, version: 2 });
    const again = aPasskey({ id: 'psk_2', personId: 'per_2', credentialId: one.credentialId });
    const second = store.run(async (tx) => tx.passkeys.insert(again));
    await assert.rejects(second, { code: 'StoreContention' });
  });

  test('the passkeys of a person that were not removed, oldest first', async () => {
    const store = await open((tx) => {
      for (const [id, fields] of Object.entries({
        psk_3: {},
        psk_1: {},
        psk_2: { removedAtMs: T0 },
        psk_4: { personId: 'per_2' },
      })) {
        tx.passkeys.insert(aPasskey({ id, ...fields }));
      }
    });
    const found = await store.run((tx) => tx.passkeys.ofPerson('per_1'));
    assert.deepEqual(valuesOf(found, 'id'), ['psk_1', 'psk_3']);
    assert.equal((await store.run((tx) => tx.passkeys.get('psk_1')))?.id, 'psk_1');
  });

  test('changes of a destination, newest first; only that one was stopped changes', async () => {
    const [first, second] = [aDestinationChange(), aDestinationChange({ id: 'dst_2' })];
    const own = aDestinationChange({ id: 'dst_3', accountId: null, fromRef: null });
    const elsewhere = aDestinationChange({ id: 'dst_4', orgId: 'org_b' });
    const store = await open((tx) => {
      for (const change of [first, second, own, elsewhere]) tx.destinationChanges.insert(change);
    });
    const tenant = { orgId: 'org_a', mode: first.mode } as const;
    const lists = await store.run((tx) =>
      Promise.all([
        tx.destinationChanges.list(tenant, 9),
        tx.destinationChanges.ofPayee(tenant, 'acct_1', 1),
        tx.destinationChanges.ofPayee(tenant, null, 9),
      ]),
    );
    assert.deepEqual(lists, [[own, second, first], [second], [own]]);
    await store.run(async (tx) => tx.destinationChanges.update({ ...first, stoppedAtMs: T0 }));
    const found = await store.run((tx) => tx.destinationChanges.find('dst_1'));
    assert.deepEqual(found, { ...first, stoppedAtMs: T0, version: 2 });
  });

  test('a member is seen at the latest page, in any order of the writes', async () => {
    const member = aMember({ seenAtMs: null });
    const store = await fresh([member]);
    for (const seenAtMs of [T0 + 9, T0 + 5]) {
      await store.run(async (tx) => tx.members.touch({ ...member, seenAtMs }));
    }
    const read = await store.run((tx) => tx.members.get('org_a', 'mem_1'));
    assert.deepEqual(read, { ...member, seenAtMs: T0 + 9 });
  });

  test('an address is of one person', async () => {
    const person = aPerson();
    const store = await open((tx) => tx.people.insert(person));
    assert.deepEqual(await store.run((tx) => tx.people.byEmail(person.emailKey)), person);
    assert.deepEqual(await store.run((tx) => tx.people.get(person.id)), person);
    const second = store.run(async (tx) => tx.people.insert(aPerson({ id: 'per_2' })));
    await assert.rejects(second, { code: 'StoreContention' });
  });

  test('one request for production access of an organization waits, and decided ones stay', async () => {
    const first = aProductionRequest();
    const elsewhere = aProductionRequest({ orgId: 'org_b', id: 'prq_3' });
    const store = await open((tx) => {
      tx.productionRequests.insert(elsewhere);
      tx.productionRequests.insert(first);
    });
    const again = aProductionRequest({ id: 'prq_2' });
    const taken = store.run(async (tx) => tx.productionRequests.insert(again));
    await assert.rejects(taken, { code: 'StoreContention' });
    const refused = {
      state: 'refused',
      decidedAtMs: T0 + 1,
      reason: 'no',
      decidedBy: 'Ana',
    } as const;
    await store.run(async (tx) => tx.productionRequests.update({ ...first, ...refused }));
    await store.run(async (tx) => tx.productionRequests.insert(again));
    const [newest, waiting] = await store.run((tx) =>
      Promise.all([tx.productionRequests.newest('org_a'), tx.productionRequests.waiting(9)]),
    );
    assert.deepEqual(newest, again);
    assert.deepEqual(valuesOf(waiting, 'id'), ['prq_2', 'prq_3']);
  });

  test('the command of an organization’s own KYB names nothing but its tenant', async () => {
    const command = aPartyCommand();
    const store = await open((tx) => tx.commands.insert(command));
    assert.deepEqual(await store.run((tx) => tx.commands.get('cmd_1')), command);
  });
}
