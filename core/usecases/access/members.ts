// The members of an organization's team: added, given another role and removed, by operators or by
// members. The last owner stays an owner.
import { exceeds, keyOwner, type StoredKey } from '../../domain/access/api-key.js';
import {
  isActiveMember,
  MEMBER_NAME_LENGTH_MAX,
  type Member,
  type MemberRole,
  mayGive,
  scopesOf,
} from '../../domain/access/member.js';
import { newPerson } from '../../domain/access/person.js';
import { checkedText } from '../../domain/base/checked-text.js';
import { emailKey, readEmail } from '../../domain/base/email-address.js';
import { plainSigns } from '../../domain/base/typed-text.js';
import { expectFound, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { stageTeamNotices } from '../mail/member-notices.js';
import { endAll } from '../service/tokens.js';
import { requireScope } from './keys.js';

export interface MemberChange {
  readonly member: Member;
  /** API keys of the member that were revoked, or that an owner keeps from now on. */
  readonly keys: readonly StoredKey[];
}

export interface MemberInput {
  readonly orgId: string;
  readonly email: string;
  readonly role: MemberRole;
  /** The member who must have the address, null: nobody. Unless given, anybody may. */
  readonly memberId?: string | null;
}

export interface TeamAuthor {
  /** The id of the member who changes the team; null: an operator. */
  readonly memberId: string | null;
  /** The address of another owner, who keeps the keys that would be revoked. */
  readonly keptBy: string | null;
}

const anOperator: TeamAuthor = { memberId: null, keptBy: null };

/** An existing member gets this role, as in `setMember`. */
export async function addMember(deps: Deps, input: MemberInput): Promise<Member> {
  return (await setMember(deps, input)).member;
}

/** `stageMember`, stored. */
export async function setMember(
  deps: Deps,
  input: MemberInput,
  author: TeamAuthor = anOperator,
): Promise<MemberChange> {
  const stage = (tx: Tx) => stageMember(deps, tx, input, author);
  const change = await deps.store.run(stage, { inQuarantine: true });
  deps.wake('mails');
  return change;
}

/**
 * Adds a member, or gives a member another role, from its next request on. The member's API keys
 * with a scope that the role does not have are revoked, unless another owner keeps them. NotFound,
 * also for another member than the given one; ValidationError, InsufficientScope.
 */
export async function stageMember(
  deps: Deps,
  tx: Tx,
  { orgId, email: typed, role, memberId }: MemberInput,
  author: TeamAuthor,
): Promise<MemberChange> {
  const email = readEmail(typed);
  if (email === null) throw invalid('email: give an e-mail address.');
  const key = emailKey(email);
  const nowMs = deps.clock.nowMs();
  const [organization, team, person] = await Promise.all([
    tx.organizations.get(orgId),
    teamOf(tx, orgId),
    tx.people.byEmail(key),
  ]);
  if (organization === null) throw new PonteError('NotFound');
  const known = team.find((member) => member.emailKey === key) ?? null;
  // A removal that came before is final.
  if (memberId !== undefined && memberId !== (known?.id ?? null)) throw new PonteError('NotFound');
  const guards = guardsOf(team, author, known, role);
  if (known === null) {
    for (const guard of guards) tx.members.expect(guard);
    const id = deps.ids.next('mem', nowMs);
    const of = person ?? newPerson(deps.ids.next('per', nowMs), { email, emailKey: key }, nowMs);
    const unused = { name: null, acceptedAtMs: null, seenAtMs: null, removedAtMs: null };
    const added = { id, orgId, personId: of.id, email, emailKey: key, role, ...unused };
    const member: Member = Object.freeze({ ...added, createdAtMs: nowMs, version: 1 });
    tx.members.insert(member);
    if (person === null) tx.people.insert(of);
    stageTeamNotices({ deps, tx, nowMs }, member, role, team);
    return { member, keys: [] };
  }
  const keys = await endKeys(tx, known, { team, guards, nowMs, exceeding: role, ...author });
  if (known.role === role) return { member: known, keys };
  const member = Object.freeze({ ...known, role });
  tx.members.update(member);
  stageTeamNotices({ deps, tx, nowMs }, member, role, team);
  return { member, keys };
}

/** The member says its own name. ValidationError, also for the name of a colleague. */
export async function nameMember(
  deps: Deps,
  { orgId, id }: Pick<Member, 'orgId' | 'id'>,
  typed: string,
): Promise<Member> {
  const name = checkedText('name', typed, MEMBER_NAME_LENGTH_MAX);
  return deps.store.run(
    async (tx) => {
      const team = await teamOf(tx, orgId);
      const known = expectFound(team.find((member) => member.id === id));
      const key = nameKey(name);
      const isTaken = ({ name: other }: Member) => other !== null && nameKey(other) === key;
      // An address looks like another member's, and a name that nobody sees like no member's.
      const isUnfit = key === '' || key.includes('@');
      if (isUnfit || team.some((member) => member.id !== id && isTaken(member))) {
        throw invalid('name: give a name that no colleague has.');
      }
      const named = Object.freeze({ ...known, name });
      tx.members.update(named);
      return named;
    },
    { inQuarantine: true },
  );
}

/** Equal for names that look the same. */
function nameKey(name: string): string {
  return plainSigns(name.normalize('NFKC')).replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/**
 * Removes the member of this id or address. Final, from the next request on; a person who is added
 * again is another member. The member's API keys are revoked, unless another owner keeps them.
 * Passkeys of the person stay, and sessions too if the person is still a member of another
 * organization. NotFound, ValidationError, InsufficientScope.
 */
export async function removeMember(
  deps: Deps,
  orgId: string,
  idOrEmail: string,
  author: TeamAuthor = anOperator,
): Promise<MemberChange> {
  const nowMs = deps.clock.nowMs();
  const change = await deps.store.run(
    async (tx) => {
      const team = await teamOf(tx, orgId);
      const key = emailKey(idOrEmail);
      const known = expectFound(
        team.find((member) => member.id === idOrEmail || member.emailKey === key),
      );
      const [memberships, sessions] = await Promise.all([
        tx.members.ofPerson(known.personId),
        tx.sessions.openOfPerson(known.personId, nowMs),
      ]);
      const guards = guardsOf(team, author, known, null);
      const keys = await endKeys(tx, known, { team, guards, nowMs, exceeding: null, ...author });
      const member = Object.freeze({ ...known, removedAtMs: nowMs });
      tx.members.update(member);
      stageTeamNotices({ deps, tx, nowMs }, member, null, team);
      const isMemberStill = memberships.some(({ id }) => id !== known.id);
      endAll(tx, isMemberStill ? [] : sessions, nowMs);
      return { member, keys };
    },
    { inQuarantine: true },
  );
  deps.wake('mails');
  return change;
}

async function teamOf(tx: Tx, orgId: string): Promise<readonly Member[]> {
  const members = await tx.members.list(orgId);
  return members.filter(({ removedAtMs }) => removedAtMs === null);
}

/**
 * The members on whom it depends that `author` may give `known` this role (null: remove it): the
 * author, and an owner who stays. ValidationError, InsufficientScope.
 */
function guardsOf(
  team: readonly Member[],
  { memberId }: TeamAuthor,
  known: Member | null,
  role: MemberRole | null,
): readonly Member[] {
  const actor = memberId === null ? null : actorIn(team, memberId);
  if (actor !== null) refuseOthers(actor, known, role);
  const endsOwner = known?.role === 'owner' && role !== 'owner';
  const others = team.filter((one) => one.role === 'owner' && one.id !== known?.id);
  const other = others.find((one) => stays(one, memberId));
  if (endsOwner && other === undefined) {
    throw invalid('The last owner of an organization stays. Make another member an owner first.');
  }
  return [actor, endsOwner ? other : null].filter((one) => one != null);
}

/** Operators may replace an owner by one who was only invited; members (`memberId`) may not. */
function stays(owner: Member, memberId: string | null): boolean {
  return memberId === null || isActiveMember(owner);
}

/** InsufficientScope. */
function actorIn(team: readonly Member[], memberId: string): Member {
  const actor = team.find(({ id }) => id === memberId);
  if (actor === undefined || !isActiveMember(actor)) throw new PonteError('InsufficientScope');
  requireScope({ scopes: scopesOf(actor.role) }, 'team:write');
  return actor;
}

/** Members do not change their own role, nor give or take one with more scopes. */
function refuseOthers(actor: Member, known: Member | null, role: MemberRole | null): void {
  if (actor.id === known?.id) throw invalid('Another member changes your role, or removes you.');
  const roles = [known?.role ?? null, role].filter((one) => one !== null);
  if (roles.every((one) => mayGive(actor.role, one))) return;
  throw new PonteError('InsufficientScope', 'Only an owner adds, changes or removes owners.');
}

interface EndOfKeys extends TeamAuthor {
  readonly team: readonly Member[];
  readonly guards: readonly Member[];
  readonly nowMs: number;
  /** Only keys with a scope that this role does not have; null: all. */
  readonly exceeding: MemberRole | null;
}

/** A new key changes the row of its owner (keys.ts): a key created at the same time conflicts. */
async function endKeys(
  tx: Tx,
  { id, orgId }: Member,
  { memberId, team, guards, keptBy, nowMs, exceeding }: EndOfKeys,
): Promise<readonly StoredKey[]> {
  const keeper =
    keptBy === null ? null : team.find((member) => member.emailKey === emailKey(keptBy));
  const isKeeper = keeper?.role === 'owner' && keeper.id !== id && stays(keeper, memberId);
  if (keeper !== null && !isKeeper) throw invalid('Another owner of the organization keeps keys.');
  const unrevoked = await tx.keys.unrevoked(orgId);
  const ending = unrevoked.filter(
    (key) => keyOwner(key) === id && (exceeding === null || exceeds(key, exceeding)),
  );
  const end = keeper === null ? { revokedAtMs: nowMs } : { keptBy: keeper.id };
  const ended = ending.map((key) => Object.freeze({ ...key, ...end }));
  for (const key of ended) tx.keys.update(key);
  const written = keeper !== null && ended.length > 0 ? keeper : null;
  if (written !== null) tx.members.update(written);
  // A row that is written is guarded by it.
  for (const guard of guards) if (guard.id !== written?.id) tx.members.expect(guard);
  return ended;
}

/** Newest first, removed ones included. */
export async function listMembers(deps: Deps, orgId: string): Promise<readonly Member[]> {
  return deps.store.run(async (tx) => {
    expectFound(await tx.organizations.get(orgId));
    return tx.members.list(orgId);
  });
}

/** Members who were not removed, oldest first. */
export async function readTeam(deps: Deps, orgId: string): Promise<readonly Member[]> {
  return (await deps.store.run((tx) => teamOf(tx, orgId))).toReversed();
}

export async function findMember(deps: Deps, orgId: string, email: string): Promise<Member> {
  return expectFound(await deps.store.run((tx) => tx.members.byEmail(orgId, emailKey(email))));
}
