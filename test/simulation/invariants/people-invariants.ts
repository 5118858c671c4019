// Invariants of people and their credentials: operators, members, sessions and API keys.
import { exceeds, keyOwner } from '../../../core/domain/access/api-key.js';
import type { Proposal } from '../../../core/domain/money-desk/proposal.js';
import type { ObservedState } from './observed-state.js';

/** Judged by who acted in both batches, not by the rows. */
export function noLiveDecisionByOnePerson(observed: ObservedState): string | null {
  for (const { actor, writes } of observed.freshBatches) {
    const decided = writes.filter(({ group }) => group === 'proposals').map(({ args }) => args[0]);
    const done = (decided as Proposal[]).filter(({ state }) => state === 'done');
    for (const { id, mode } of done) {
      const proposer = observed.proposers.get(id);
      if (mode === 'live' && proposer === actor?.id) return `${proposer} decided ${id} alone`;
    }
    const isAddition = writes.some((one) => one.group === 'operators' && one.method === 'insert');
    if (isAddition && done.length === 0) return `${actor?.id} added an operator alone`;
  }
  return null;
}

export function noKeyOutlivesItsOwner({ keys, members }: ObservedState): string | null {
  for (const key of keys.values()) {
    const owner = members.get(keyOwner(key) ?? '');
    if (key.revokedAtMs !== null || owner === undefined) continue;
    const of = `${key.id} of ${owner.id}`;
    if (owner.removedAtMs !== null) return `${of}, who was removed, is not revoked`;
    if (exceeds(key, owner.role)) return `${of} has a scope that a ${owner.role} lacks`;
  }
  return null;
}

export function whatHasEndedLetsNobodyIn({ intrusions }: ObservedState): string | null {
  return intrusions[0] ?? null;
}
