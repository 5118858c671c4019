// A sample of a decision about money, like those of domain-samples.ts, and all that the store reads
// for the money desk.
import { money } from '../../../core/domain/base/money.js';
import type { MoneyDecision } from '../../../core/domain/money-desk/money-decision.js';
import type { Tx } from '../../../core/ports/storage.js';
import { T0, tenant } from './domain-samples.js';

/** One that was confirmed. */
export function aDecision(fields: Partial<MoneyDecision> = {}): MoneyDecision {
  return {
    ...tenant,
    id: 'dec_1',
    itemId: 'cmd_1',
    number: 1,
    action: {
      verb: 'resolve',
      found: 'paid',
      settled: money(9_007_199_254_740_993n, 'BRL'),
      fees: money(7n, 'EUR'),
      endToEndId: 'E1',
    },
    evidence: 'letter of the bank, 7 May',
    basis: 'done/failed, 1.00 EUR',
    state: 'done',
    proposedBy: 'ana',
    proposedAtMs: T0,
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
    tx.decisions.ofItem('cmd_1'),
    ...[everything, tenant].flatMap((place) =>
      ['x', null].map((beforeId) => tx.decisions.list({ ...place, beforeId, limit: 5 })),
    ),
    tx.moneyQueues.commands('owed', page),
    tx.moneyQueues.commands('in_review', page),
    tx.moneyQueues.deposits(page),
    tx.moneyQueues.received(page),
    tx.moneyQueues.lost(page),
    tx.moneyQueues.unapproved(page),
  ];
}
