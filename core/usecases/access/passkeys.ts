// Passkeys: a person adds them, and one of them signs in or proves again that the person is there.
// Either way another session begins, as after a mailed code. A challenge is not stored: it is a
// one-time key with a MAC, and what its answer makes has an id that follows from the key.

import { isActiveMember } from '../../domain/access/member.js';
import {
  CHALLENGE_MS,
  hasCountedOn,
  newPasskey,
  PASSKEY_NAME_LENGTH_MAX,
  PASSKEYS_MAX,
  type Passkey,
} from '../../domain/access/passkey.js';
import type { Person } from '../../domain/access/person.js';
import { checkedText } from '../../domain/base/checked-text.js';
import type { Locale } from '../../domain/base/locale.js';
import { personMail } from '../../domain/mail/mail.js';
import { assert, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { stageNotice } from '../mail/mails.js';
import { stageResetNotices } from '../mail/member-notices.js';
import type { Batch } from '../service/batch.js';
import { endAll } from '../service/tokens.js';
import {
  byPasskeyOnly,
  makeMemberSession,
  needsOwnPasskey,
  type SignedInPerson,
} from './sessions.js';

/** Binds the MACs of challenges. */
const CHALLENGE_PURPOSE = 'passkey challenge';

/** What `navigator.credentials.create` takes. ValidationError if the person has PASSKEYS_MAX. */
export async function askToAdd(deps: Deps, signedIn: SignedInPerson): Promise<object> {
  const { id: personId, email } = signedIn.person;
  const passkeys = await listPasskeys(deps, signedIn);
  expectRoom(passkeys);
  return deps.passkeyVerifier.creationOptions(deps.settings.payUrl, {
    challenge: newChallenge(deps, addedBy(signedIn)),
    personId,
    email,
    known: passkeys.map(({ credentialId }) => credentialId),
  });
}

/** Stores a passkey of the person, and mails that it was added. InvalidPasskey, ValidationError. */
export async function addPasskey(
  deps: Deps,
  signedIn: SignedInPerson,
  given: { readonly answer: string; readonly name: string; readonly locale: Locale },
): Promise<Passkey> {
  const { id: personId } = signedIn.person;
  const name = checkedText('name', given.name, PASSKEY_NAME_LENGTH_MAX);
  const { passkeyVerifier: verifier, settings } = deps;
  const { challenge } = await verifier.read(given.answer);
  const key = keyOfChallenge(deps, challenge, addedBy(signedIn));
  const credential = await verifier.verifyCreation(settings.payUrl, given.answer, challenge);
  const id = deps.ids.named('psk', key, personId);
  const added = await deps.store.run(async (tx) => {
    const [person, [membership], same, known, own] = await Promise.all([
      tx.people.get(personId),
      tx.members.ofPerson(personId),
      tx.passkeys.get(id),
      tx.passkeys.byCredential(credential.credentialId),
      tx.passkeys.ofPerson(personId),
    ]);
    if (person === null || membership === undefined) throw new PonteError('InvalidToken');
    await expectOwnPasskey(tx, signedIn);
    if (same !== null || known !== null) throw refused('It was added before.');
    expectRoom(own);
    const passkey = newPasskey({ id, personId, name }, credential, deps.clock.nowMs());
    tx.passkeys.insert(passkey);
    tx.members.expect(membership);
    // Its version rises, so passkeys that are added at the same time are counted.
    tx.people.update(person);
    stageMail(deps, tx, 'passkey_added', person, passkey, given.locale);
    return passkey;
  });
  deps.wake('mails');
  return added;
}

/** What `navigator.credentials.get` takes. `signedIn`: who proves it again; null signs in. */
export async function askForPasskey(deps: Deps, signedIn: SignedInPerson | null): Promise<object> {
  const passkeys = signedIn === null ? [] : await listPasskeys(deps, signedIn);
  return deps.passkeyVerifier.requestOptions(deps.settings.payUrl, {
    challenge: newChallenge(deps, provenBy(signedIn)),
    known: passkeys.map(({ credentialId }) => credentialId),
  });
}

/**
 * Starts a session of the passkey's person and returns the token of its cookie. InvalidPasskey,
 * also if the person is a member nowhere, or another one than is signed in.
 */
export async function enterByPasskey(
  deps: Deps,
  signedIn: SignedInPerson | null,
  answer: string,
): Promise<string> {
  const { passkeyVerifier: verifier, settings } = deps;
  const { credentialId, challenge, personId: handle } = await verifier.read(answer);
  const key = keyOfChallenge(deps, challenge, provenBy(signedIn));
  const stored = await deps.store.run((tx) => tx.passkeys.byCredential(credentialId));
  if (stored === null) throw refused('It is not known.');
  // Not every authenticator names the person where the page has named the passkey.
  if (handle === null ? signedIn === null : handle !== stored.personId) {
    throw refused('It was made for somebody else.');
  }
  const count = await verifier.verifyAssertion(settings.payUrl, answer, challenge, stored);
  const { personId } = stored;
  const id = deps.ids.named('ses', key, personId);
  const { token, session } = makeMemberSession(deps, { personId, began: 'passkey' }, id);
  await deps.store.run(async (tx) => {
    const [passkey, [membership], used] = await Promise.all([
      tx.passkeys.get(stored.id),
      tx.members.ofPerson(personId),
      tx.sessions.get(['member'], id),
    ]);
    if (used !== null) throw refused('The challenge was answered before.');
    if (passkey === null || passkey.removedAtMs !== null) throw refused('It was removed.');
    if (membership === undefined) throw refused('The member was removed.');
    if (signedIn !== null && signedIn.person.id !== personId) {
      throw refused('It is of somebody else.');
    }
    if (!hasCountedOn(passkey, count)) throw refused('Its count went back: it may be a copy.');
    tx.members.expect(membership);
    const usedAtMs = deps.clock.nowMs();
    tx.passkeys.update(Object.freeze({ ...passkey, signCount: count, usedAtMs }));
    tx.sessions.insert(session);
  });
  return token;
}

export function listPasskeys(
  deps: Deps,
  { person }: Pick<SignedInPerson, 'person'>,
): Promise<readonly Passkey[]> {
  return deps.store.run((tx) => tx.passkeys.ofPerson(person.id));
}

/** NotFound for a passkey of others, ValidationError. */
export async function renamePasskey(
  deps: Deps,
  { person }: SignedInPerson,
  id: string,
  typed: string,
): Promise<void> {
  const name = checkedText('name', typed, PASSKEY_NAME_LENGTH_MAX);
  await deps.store.run(async (tx) => {
    const passkey = await ownPasskey(tx, person, id);
    tx.passkeys.update(Object.freeze({ ...passkey, name }));
  });
}

/**
 * From the next request on; sessions that it began stay open. Mailed. NotFound, SessionNotFresh,
 * ValidationError for the last one if an organization requires a passkey.
 */
export async function removePasskey(
  deps: Deps,
  signedIn: SignedInPerson,
  id: string,
  locale: Locale,
): Promise<void> {
  await deps.store.run(
    async (tx) => {
      const passkey = await ownPasskey(tx, signedIn.person, id);
      const [person, own, isRequired] = await Promise.all([
        tx.people.get(passkey.personId),
        tx.passkeys.ofPerson(passkey.personId),
        expectOwnPasskey(tx, signedIn),
      ]);
      assert(person !== null, 'a person stays');
      if (isRequired && own.length === 1) throw invalid(lastOne);
      // Its version rises, so passkeys that are removed at the same time are counted.
      tx.people.update(person);
      tx.passkeys.update(Object.freeze({ ...passkey, removedAtMs: deps.clock.nowMs() }));
      stageMail(deps, tx, 'passkey_removed', person, passkey, locale);
    },
    { inQuarantine: true },
  );
  deps.wake('mails');
}

const lastOne = 'An organization requires a passkey. Add another one before you remove this one.';

/** What ends when operators reset the passkeys of a person who has lost them. */
export type PasskeyReset = Awaited<ReturnType<typeof readPasskeyReset>>;

/** NotFound. */
export async function readPasskeyReset(tx: Tx, personId: string, nowMs: number) {
  const [person, passkeys, sessions, memberships] = await Promise.all([
    tx.people.get(personId),
    tx.passkeys.ofPerson(personId),
    tx.sessions.openOfPerson(personId, nowMs),
    tx.members.ofPerson(personId),
  ]);
  if (person === null) throw new PonteError('NotFound');
  const active = memberships.filter(isActiveMember);
  const teams = await Promise.all(
    active.map(async (member) => [member, await tx.members.list(member.orgId)] as const),
  );
  return { person, passkeys, sessions, memberships, teams: new Map(teams) };
}

/**
 * Ends all passkeys and sessions of the person, who then adds the first passkey by the mailbox.
 * Mailed to the person, and to owners and admins of its organizations.
 */
export function stagePasskeyReset(batch: Batch, reset: PasskeyReset): void {
  const { deps, tx, nowMs } = batch;
  const { person, passkeys, sessions, memberships, teams } = reset;
  // Its version rises, so a passkey that is added at the same time is not missed.
  tx.people.update(person);
  for (const member of memberships) tx.members.expect(member);
  for (const passkey of passkeys) {
    tx.passkeys.update(Object.freeze({ ...passkey, removedAtMs: nowMs }));
    stageMail(deps, tx, 'passkey_removed', person, passkey, 'en');
  }
  endAll(tx, sessions, nowMs);
  for (const [member, team] of teams) stageResetNotices(batch, member, person, team);
}

/** Whether a passkey is required. SessionNotFresh if it is, and the session began without one. */
async function expectOwnPasskey(tx: Tx, { session, person }: SignedInPerson): Promise<boolean> {
  const isRequired = await needsOwnPasskey(tx, person.id);
  if (isRequired && session.began !== 'passkey') {
    throw new PonteError('SessionNotFresh', byPasskeyOnly);
  }
  return isRequired;
}

async function ownPasskey(tx: Tx, { id: personId }: Person, id: string): Promise<Passkey> {
  const passkey = await tx.passkeys.get(id);
  if (passkey === null || passkey.personId !== personId || passkey.removedAtMs !== null) {
    throw new PonteError('NotFound');
  }
  return passkey;
}

function expectRoom(own: readonly Passkey[]): void {
  if (own.length < PASSKEYS_MAX) return;
  throw invalid(`A person has at most ${PASSKEYS_MAX} passkeys. Remove one of them first.`);
}

function stageMail(
  deps: Deps,
  tx: Tx,
  purpose: 'passkey_added' | 'passkey_removed',
  { email: to, emailKey: toKey }: Person,
  { id }: Passkey,
  locale: Locale,
): void {
  const about = { ...personMail, subject: { kind: 'person', emailKey: toKey } } as const;
  const notice = { ...about, purpose, cause: `${id}.${purpose}`, to, toKey, locale };
  stageNotice(deps, tx, notice, deps.clock.nowMs());
}

function addedBy({ session }: SignedInPerson): string {
  return `add ${session.id}`;
}

function provenBy(signedIn: SignedInPerson | null): string {
  return signedIn === null ? 'sign in' : `confirm ${signedIn.session.id}`;
}

/** `use`: what it may be answered for, and in which session. */
function newChallenge({ ids, clock, secretBox }: Deps, use: string): string {
  const nowMs = clock.nowMs();
  const text = `${ids.next('frm', nowMs)}.${nowMs + CHALLENGE_MS}`;
  return `${text}.${secretBox.mac(`${text} ${use}`, CHALLENGE_PURPOSE)}`;
}

/** The one-time key in the challenge. InvalidPasskey for another use, or too late. */
function keyOfChallenge({ clock, secretBox }: Deps, challenge: string, use: string): string {
  const [key = '', endsAt = '', mac = ''] = challenge.split('.');
  if (!secretBox.isMac(`${key}.${endsAt} ${use}`, CHALLENGE_PURPOSE, mac)) {
    throw refused('The challenge is for another page.');
  }
  if (clock.nowMs() >= Number.parseInt(endsAt, 10)) throw refused('The challenge has expired.');
  return key;
}

function refused(reason: string): PonteError {
  return new PonteError('InvalidPasskey', `The passkey is not accepted: ${reason}`);
}
