// Operators add, invite, remove and list members of an organization's team.
import { ownerOf, type StoredKey } from '../../domain/access/api-key.js';
import type { Member, MemberRole } from '../../domain/access/member.js';
import { emailKey, readEmail } from '../../domain/parties/buyer-kyc.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';

/** An existing member gets this role, from its next request on. */
export async function addMember(
  deps: Deps,
  input: { readonly orgId: string; readonly email: string; readonly role: MemberRole },
): Promise<Member> {
  const { orgId, role } = input;
  const email = readEmail(input.email);
  if (email === null) throw new PonteError('ValidationError', 'email: give an e-mail address.');
  const key = emailKey(email);
  const nowMs = deps.clock.nowMs();
  const id = deps.ids.next('mem', nowMs);
  await deps.store.run(async (tx) => {
    const [organization, known] = await Promise.all([
      tx.organizations.get(orgId),
      tx.members.byEmail(orgId, key),
    ]);
    if (organization === null) throw new PonteError('NotFound');
    if (known === null) {
      tx.members.insert(
        Object.freeze({
          id,
          orgId,
          email,
          emailKey: key,
          role,
          removedAtMs: null,
          createdAtMs: nowMs,
          version: 1,
        }),
      );
    } else if (known.role !== role) {
      tx.members.update(Object.freeze({ ...known, role }));
    }
  });
  return findMember(deps, orgId, email);
}

export interface Removal {
  readonly member: Member;
  /** The API keys of the member: revoked, or kept by an owner. */
  readonly keys: readonly StoredKey[];
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
): Promise<Removal> {
  const nowMs = deps.clock.nowMs();
  return deps.store.run(
    async (tx) => {
      const [member, keeper] = await Promise.all([
        tx.members.byEmail(orgId, emailKey(email)),
        keptBy === null ? null : tx.members.byEmail(orgId, emailKey(keptBy)),
      ]);
      if (member === null) throw new PonteError('NotFound');
      if (keptBy !== null && (keeper?.role !== 'owner' || keeper.id === member.id)) {
        throw new PonteError('ValidationError', 'Another owner of the organization keeps keys.');
      }
      const own = (await tx.keys.unrevoked(orgId)).filter((key) => ownerOf(key) === member.id);
      const keys = own.map((key) =>
        Object.freeze(
          keeper === null ? { ...key, revokedAtMs: nowMs } : { ...key, keptBy: keeper.id },
        ),
      );
      for (const key of keys) tx.keys.update(key);
      if (keeper !== null) tx.members.expect(keeper);
      const removed = Object.freeze({ ...member, removedAtMs: nowMs });
      tx.members.update(removed);
      return { member: removed, keys };
    },
    { inQuarantine: true },
  );
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
