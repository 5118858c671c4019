// A member who has accepted the membership, without the page that a person opens first.
import assert from 'node:assert/strict';
import type { Member } from '../../../core/domain/access/member.js';
import type { Deps } from '../../../core/ports/deps.js';
import { addMember, type MemberInput } from '../../../core/usecases/access/members.js';
import { acceptMembership } from '../../../core/usecases/access/sessions.js';

export async function addActiveMember(deps: Deps, input: MemberInput): Promise<Member> {
  const { orgId, id } = await addMember(deps, input);
  const nowMs = deps.clock.nowMs();
  await deps.store.run((tx) => acceptMembership(tx, orgId, id, nowMs));
  const member = await deps.store.run((tx) => tx.members.get(orgId, id));
  return member ?? assert.fail('it was just added');
}
