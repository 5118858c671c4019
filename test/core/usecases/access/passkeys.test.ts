// Passkeys: who may add one, what each of them opens, and that a challenge is answered once, in
// time, and for what it was made.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPasskeyVerifier } from '../../../../adapters/crypto/passkey-verifier.js';
import {
  CHALLENGE_MS,
  hasCountedOn,
  PASSKEYS_MAX,
  type Passkey,
} from '../../../../core/domain/access/passkey.js';
import { addMember, removeMember } from '../../../../core/usecases/access/members.js';
import {
  addPasskey,
  askForPasskey,
  askToAdd,
  enterByPasskey,
  listPasskeys,
  removePasskey,
  renamePasskey,
} from '../../../../core/usecases/access/passkeys.js';
import {
  makeMemberSession,
  readMemberSession,
  type SignedInPerson,
} from '../../../../core/usecases/access/sessions.js';
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
  type Told,
} from '../../../support/scenes/software-authenticator.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { valuesOf } from '../../../support/values-of.js';

const refused = { code: 'InvalidPasskey' };
let people = 0;
const made = await world(suiteEnd());
const deps = made.deps;
const orgId = await made.organization();

/** A new member, unless the address is one, who has just proven the mailbox. */
async function aPerson(email?: string, ofOrg = orgId): Promise<SignedInPerson> {
  people += 1;
  const address = email ?? `person-${people}@acme.example`;
  const { personId } = await addMember(deps, { orgId: ofOrg, email: address, role: 'finance' });
  const { session } = makeMemberSession(deps, { personId, began: 'mail' });
  await deps.store.run(async (tx) => tx.sessions.insert(session));
  const person = await deps.store.run((tx) => tx.people.get(personId));
  return { session, person: person ?? assert.fail('a member is a person') };
}

const newAuthenticator = () => softwareAuthenticator(deps.settings.payUrl);

async function added(
  person: SignedInPerson,
  authenticator: SoftwareAuthenticator,
  told: Told = {},
): Promise<Passkey> {
  const answer = authenticator.create(await askToAdd(deps, person), told);
  return addPasskey(deps, person, { answer, name: ' phone ', locale: 'en' });
}

async function entered(
  signedIn: SignedInPerson | null,
  authenticator: SoftwareAuthenticator,
  told: Told = {},
): Promise<SignedInPerson> {
  const answer = authenticator.get(await askForPasskey(deps, signedIn), told);
  const token = await enterByPasskey(deps, signedIn, answer);
  return (await readMemberSession(deps, token)) ?? assert.fail('the session is open');
}

test('a passkey signs its member in, and records when', async () => {
  const [person, authenticator] = [await aPerson(), newAuthenticator()];
  const passkey = await added(person, authenticator);
  assert.deepEqual([passkey.name, passkey.usedAtMs], ['phone', null]);
  made.advanceClock(60_000);
  const { person: entering, session } = await entered(null, authenticator);
  const nowMs = deps.clock.nowMs();
  assert.deepEqual([entering.id, session.createdAtMs], [person.person.id, nowMs]);
  assert.deepEqual([session.began, session.orgId], ['passkey', null]);
  assert.notEqual(session.id, person.session.id);
  assert.deepEqual(valuesOf(await listPasskeys(deps, person), 'usedAtMs'), [nowMs]);
});

test('a passkey proves again that its member is there', async () => {
  const [person, authenticator] = [await aPerson(), newAuthenticator()];
  await added(person, authenticator);
  made.advanceClock(3_600_000);
  const { session } = await entered(person, authenticator);
  assert.equal(session.createdAtMs, deps.clock.nowMs());
  // Some authenticators do not name the member whose passkey the page has named.
  await entered(person, authenticator, { userHandle: null });
});

test('the passkey of another person proves nothing, and signs nobody in as its member', async () => {
  const [ana, bia] = [await aPerson(), await aPerson()];
  const [ofAna, ofBia] = [newAuthenticator(), newAuthenticator()];
  await added(ana, ofAna);
  await added(bia, ofBia);
  await assert.rejects(entered(ana, ofBia), refused);
  const userHandle = Buffer.from(bia.person.id).toString('base64url');
  await assert.rejects(entered(null, ofAna, { userHandle }), refused);
  await assert.rejects(entered(null, ofAna, { userHandle: null }), refused);
  await assert.rejects(entered(null, newAuthenticator()), refused);
  await entered(ana, ofAna);
});

test('one passkey is of the person in all organizations of the address', async () => {
  const elsewhere = await made.organization();
  const email = 'two-organizations@acme.example';
  const [here, there] = [await aPerson(email), await aPerson(email, elsewhere)];
  const authenticator = newAuthenticator();
  const { id } = await added(here, authenticator);
  assert.deepEqual(valuesOf(await listPasskeys(deps, there), 'id'), [id]);
  const { session } = await entered(there, authenticator);
  assert.equal(session.personId, here.person.id);
});

describe('a challenge is answered', () => {
  test('once, however many hosts get the answer at the same time', async () => {
    const [person, authenticator] = [await aPerson(), newAuthenticator()];
    const creation = authenticator.create(await askToAdd(deps, person));
    const given = { answer: creation, name: 'phone', locale: 'en' } as const;
    const adding = await Promise.allSettled([1, 2, 3].map(() => addPasskey(deps, person, given)));
    assert.equal(adding.filter(({ status }) => status === 'fulfilled').length, 1);
    const answer = authenticator.get(await askForPasskey(deps, null));
    const tries = [1, 2, 3].map(() => enterByPasskey(deps, null, answer));
    const entering = await Promise.allSettled(tries);
    assert.equal(entering.filter(({ status }) => status === 'fulfilled').length, 1);
    await assert.rejects(enterByPasskey(deps, null, answer), refused);
    const [{ id = '' } = {}] = await listPasskeys(deps, person);
    await removePasskey(deps, person, id, 'en');
    await assert.rejects(addPasskey(deps, person, given), refused);
  });

  test('by one authenticator', async () => {
    const person = await aPerson();
    const options = await askToAdd(deps, person);
    const [first = '', second = ''] = [1, 2].map(() => newAuthenticator().create(options));
    const add = (answer: string) => addPasskey(deps, person, { answer, name: 'k', locale: 'en' });
    await add(first);
    await assert.rejects(add(second), refused);
  });

  test('in time', async () => {
    const [person, authenticator] = [await aPerson(), newAuthenticator()];
    const creation = authenticator.create(await askToAdd(deps, person));
    const given = { answer: creation, name: 'phone', locale: 'en' } as const;
    made.advanceClock(CHALLENGE_MS);
    await assert.rejects(addPasskey(deps, person, given), refused);
    await added(person, authenticator);
    const answer = authenticator.get(await askForPasskey(deps, null));
    made.advanceClock(CHALLENGE_MS);
    await assert.rejects(enterByPasskey(deps, null, answer), refused);
    const other = authenticator.get(await askForPasskey(deps, null));
    made.advanceClock(CHALLENGE_MS - 1);
    await enterByPasskey(deps, null, other);
  });

  test('for what it was made, in the session in which it was made', async () => {
    const [person, authenticator] = [await aPerson(), newAuthenticator()];
    await added(person, authenticator);
    const again = await aPerson(person.person.email);
    const toSignIn = authenticator.get(await askForPasskey(deps, null));
    await assert.rejects(enterByPasskey(deps, person, toSignIn), refused);
    const toConfirm = authenticator.get(await askForPasskey(deps, person));
    await assert.rejects(enterByPasskey(deps, null, toConfirm), refused);
    await assert.rejects(enterByPasskey(deps, again, toConfirm), refused);
    const ofSignIn = { ...(await askToAdd(deps, person)), ...(await askForPasskey(deps, null)) };
    const creation = newAuthenticator().create(ofSignIn);
    const given = { answer: creation, name: 'phone', locale: 'en' } as const;
    await assert.rejects(addPasskey(deps, person, given), refused);
    await enterByPasskey(deps, person, toConfirm);
  });

  test('that this service made', async () => {
    const [person, authenticator] = [await aPerson(), newAuthenticator()];
    await added(person, authenticator);
    const own = `frm_${'0'.repeat(26)}.${deps.clock.nowMs() + CHALLENGE_MS}.${'0'.repeat(64)}`;
    const verifier = createPasskeyVerifier();
    const options = verifier.requestOptions(deps.settings.payUrl, { challenge: own, known: [] });
    const answer = authenticator.get(options);
    await assert.rejects(enterByPasskey(deps, null, answer), refused);
  });

  test('on this site', async () => {
    const [person, authenticator] = [await aPerson(), newAuthenticator()];
    const foreign = { origin: 'https://evil.example' };
    await assert.rejects(added(person, authenticator, foreign), refused);
    await added(person, authenticator);
    await assert.rejects(entered(null, authenticator, foreign), refused);
    await entered(null, authenticator);
  });
});

test('a passkey opens nothing while its person is a member nowhere, and stays', async () => {
  const [person, authenticator] = [await aPerson(), newAuthenticator()];
  await added(person, authenticator);
  const { email } = person.person;
  const asked = authenticator.create(await askToAdd(deps, person));
  await removeMember(deps, orgId, email);
  await assert.rejects(entered(null, authenticator), refused);
  const given = { answer: asked, name: 'phone', locale: 'en' } as const;
  await assert.rejects(addPasskey(deps, person, given), { code: 'InvalidToken' });
  const again = await aPerson(email);
  assert.equal((await listPasskeys(deps, again)).length, 1, 'nobody else ends it');
  await entered(null, authenticator);
});

test('a removed passkey opens nothing, and its member is mailed', async () => {
  const [person, authenticator] = [await aPerson(), newAuthenticator()];
  const { id } = await added(person, authenticator);
  await made.settle();
  await removePasskey(deps, person, id, 'es');
  await assert.rejects(entered(null, authenticator), refused);
  await assert.rejects(entered(person, authenticator), refused);
  await made.settle();
  const mails = made.mails.filter(({ to }) => to === person.person.email);
  assert.deepEqual(valuesOf(mails, 'locale'), ['en', 'es']);
  assert.match(mails[0]?.subject ?? '', /A passkey was added/);
  await assert.rejects(removePasskey(deps, person, id, 'es'), { code: 'NotFound' });
});

test('nobody renames or removes a passkey of another person', async () => {
  const [ana, bia] = [await aPerson(), await aPerson()];
  const { id } = await added(ana, newAuthenticator());
  await assert.rejects(renamePasskey(deps, bia, id, 'mine'), { code: 'NotFound' });
  await assert.rejects(removePasskey(deps, bia, id, 'en'), { code: 'NotFound' });
  await assert.rejects(renamePasskey(deps, ana, id, ' '), { code: 'ValidationError' });
  await renamePasskey(deps, ana, id, 'laptop');
  assert.deepEqual(valuesOf(await listPasskeys(deps, ana), 'name'), ['laptop']);
});

test('a count that goes back is of a copy, and nothing changes', async () => {
  const [person, authenticator] = [await aPerson(), newAuthenticator()];
  await added(person, authenticator, { count: 4 });
  await entered(null, authenticator, { count: 6 });
  for (const count of [6, 5, 0]) {
    await assert.rejects(entered(null, authenticator, { count }), refused, `${count}`);
  }
  assert.deepEqual(valuesOf(await listPasskeys(deps, person), 'signCount'), [6]);
  await entered(null, authenticator, { count: 7 });
  const counts = [
    [0, 0, true],
    [0, 1, true],
    [1, 1, false],
    [1, 0, false],
  ] as const;
  for (const [signCount, next, isOn] of counts) {
    assert.equal(hasCountedOn({ signCount }, next), isOn);
  }
});

test('a member has at most ten passkeys, also if two are added at the same time', async () => {
  const person = await aPerson();
  const answers = [];
  for (let nth = 0; nth < PASSKEYS_MAX + 1; nth += 1) {
    answers.push(newAuthenticator().create(await askToAdd(deps, person)));
  }
  const [first = '', second = '', ...others] = answers;
  const add = (answer: string) => addPasskey(deps, person, { answer, name: 'k', locale: 'en' });
  for (const answer of others) await add(answer);
  await Promise.allSettled([add(first), add(second)]);
  assert.equal((await listPasskeys(deps, person)).length, PASSKEYS_MAX);
  await assert.rejects(askToAdd(deps, person), { code: 'ValidationError' });
});
