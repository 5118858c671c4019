// Operators add, remove and list members of an organization's team.
import { exceeds, ownerOf, type StoredKey } from '../../domain/access/api-key.js';
import type { Member, MemberRole } from '../../domain/access/member.js';
import { emailKey, readEmail } from '../../domain/parties/buyer-kyc.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';

export interface MemberChange {
  readonly member: Member;
  /** API keys of the member that were revoked, or that an owner keeps from now on. */
  readonly keys: readonly StoredKey[];
}

/** An existing member gets this role, as in `setMember`. */
export async function addMember(
  deps: Deps,
  input: { readonly orgId: string; readonly email: string; readonly role: MemberRole },
): Promise<Member> {
  return (await setMember(deps, input)).member;
}

/**
 * Adds a member, or gives a member another role, from its next request on. The member's API keys
 * with a scope that the role does not have are revoked, unless another owner keeps them (`keptBy`,
 * an address). ValidationError.
 */
export async function setMember(
  deps: Deps,
  input: { readonly orgId: string; readonly email: string; readonly role: MemberRole },
  keptBy: string | null = null,
): Promise<MemberChange> {
  const { orgId, role } = input;
  const email = readEmail(input.email);
  if (email === null) throw new PonteError('ValidationError', 'email: give an e-mail address.');
  const key = emailKey(email);
  const nowMs = deps.clock.nowMs();
  const id = deps.ids.next('mem', nowMs);
  return deps.store.run(
    async (tx) => {
      const [organization, known] = await Promise.all([
        tx.organizations.get(orgId),
        tx.members.byEmail(orgId, key),
      ]);
      if (organization === null) throw new PonteError('NotFound');
      if (known === null) {
        const added = { id, orgId, email, emailKey: key, role, removedAtMs: null };
        const member: Member = Object.freeze({ ...added, createdAtMs: nowMs, version: 1 });
        tx.members.insert(member);
        return { member, keys: [] };
      }
      const keys = await endKeys(tx, known, { keptBy, nowMs, exceeding: role });
      if (known.role === role) return { member: known, keys };
      const member = Object.freeze({ ...known, role });
      tx.members.update(member);
      return { member, keys };
    },
    { inQuarantine: true },
  );
}

/**
 * Final, from the next request on; a person who is added again is another member. The member's API
 * keys are revoked, unless another owner keeps them (`keptBy`, an address). ValidationError.
 */
export async function removeMember(
  deps: Deps,
  orgId: string,
  email: string,
  keptBy: string | null = null,
): Promise<MemberChange> {
  const nowMs = deps.clock.nowMs();
  return deps.store.run(
    async (tx) => {
      const known = await tx.members.byEmail(orgId, emailKey(email));
      if (known === null) throw new PonteError('NotFound');
      const keys = await endKeys(tx, known, { keptBy, nowMs, exceeding: null });
      const member = Object.freeze({ ...known, removedAtMs: nowMs });
      tx.members.update(member);
      return { member, keys };
    },
    { inQuarantine: true },
  );
}

interface EndOfKeys {
  readonly keptBy: string | null;
  readonly nowMs: number;
  /** Only keys with a scope that this role does not have; null: all. */
  readonly exceeding: MemberRole | null;
}

/** A new key changes the row of its owner (keys.ts): a key created at the same time conflicts. */
async function endKeys(
  tx: Tx,
  member: Member,
  { keptBy, nowMs, exceeding }: EndOfKeys,
): Promise<readonly StoredKey[]> {
  const { id, orgId } = member;
  const keeper = keptBy === null ? null : await tx.members.byEmail(orgId, emailKey(keptBy));
  if (keptBy !== null && (keeper?.role !== 'owner' || keeper.id === id)) {
    throw new PonteError('ValidationError', 'Another owner of the organization keeps keys.');
  }
  const unrevoked = await tx.keys.unrevoked(orgId);
  const ending = unrevoked.filter(
    (key) => ownerOf(key) === id && (exceeding === null || exceeds(key, exceeding)),
  );
  const end = keeper === null ? { revokedAtMs: nowMs } : { keptBy: keeper.id };
  const ended = ending.map((key) => Object.freeze({ ...key, ...end }));
  for (const key of ended) tx.keys.update(key);
  if (keeper !== null && ended.length > 0) tx.members.update(keeper);
  return ended;
}

/** Newest first, removed ones included. */
export async function listMembers(deps: Deps, orgId: string): Promise<readonly Member[]> {
  return deps.store.run(async (tx) => {
    if ((await tx.organizations.get(orgId)) === null) throw new PonteError('NotFound');
    return tx.members.list(orgId);
  });
}

export async function findMember(deps: Deps, orgId: string, email: string): Promise<Member> {
  const member = await deps.store.run((tx) => tx.members.byEmail(orgId, emailKey(email)));
  if (member === null) throw new PonteError('NotFound');
  return member;
}
