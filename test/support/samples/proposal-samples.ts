// A sample of what operators decided, like those of domain-samples.ts, and all that the store reads
// for the money desk.
import { money } from '../../../core/domain/base/money.js';
import type { Proposal } from '../../../core/domain/money-desk/proposal.js';
import type { Tx } from '../../../core/ports/storage.js';
import { T0, tenant } from './domain-samples.js';

/** One that was confirmed. */
export function aProposal(fields: Partial<Proposal> = {}): Proposal {
  return {
    ...tenant,
    id: 'dec_1',
    itemId: 'cmd_1',
    number: 1,
    action: {
      verb: 'paid',
      settled: money(9_007_199_254_740_993n, 'BRL'),
      fees: money(7n, 'EUR'),
      endToEndId: 'E1',
    },
    evidence: 'letter of the bank, 7 May',
    basis: 'done/failed, 1.00 EUR',
    state: 'done',
    proposedById: 'opr_ana',
    proposedBy: 'ana',
    proposedAtMs: T0,
    expiresAtMs: T0 + 9,
    endedById: 'opr_bia',
    endedBy: 'bia',
    endedAtMs: T0 + 1,
    version: 1,
    ...fields,
  };
}

/** Each read in each form that makes another text. */
export function deskReads(tx: Tx): readonly Promise<unknown>[] {
  const everything = { orgId: null, mode: null };
  const page = { afterId: null, limit: 5 };
  return [
    tx.proposals.get('dec_1'),
    tx.proposals.ofItem('cmd_1'),
    ...[everything, tenant].flatMap((place) =>
      ['x', null].map((beforeId) => tx.proposals.list({ ...place, beforeId, limit: 5 })),
    ),
    tx.moneyQueues.commands('owed', page),
    tx.moneyQueues.commands('in_review', page),
    tx.moneyQueues.deposits(page),
    tx.moneyQueues.received(page),
    tx.moneyQueues.lost(page),
    tx.moneyQueues.unapproved(page),
  ];
}
