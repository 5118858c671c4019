// The money desk: what operators propose and confirm, and the commands and payments that wait for
// one: columns and SQL.
import { isMoneyCommand } from '../../../core/domain/commands/partner-command.js';
import { readAmount } from '../../../core/domain/commands/partner-message.js';
import {
  type Proposal,
  type ProposedAction,
  proposalStates,
  sortedJson,
} from '../../../core/domain/money-desk/proposal.js';
import { encoded, integer, mode, oneOf, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';
import { deposits, unmatchedSql, waitingSql } from './deposit-rows.js';
import { funds, lostFundsSql } from './money-rows.js';
import { approvalLostSql, payments } from './payment-rows.js';
import { commands } from './work-rows.js';

export const proposals = defineTable<Proposal>('proposals', {
  id: text('id').key(),
  orgId: text.null('org_id').fixed(),
  mode: mode.fixed(),
  itemId: text('item_id').fixed(),
  number: integer('number').fixed(),
  action: encoded(
    'action',
    sortedJson,
    (stored) => JSON.parse(stored, readAmount) as ProposedAction,
  ).fixed(),
  evidence: text.null('evidence').fixed(),
  basis: text('basis').fixed(),
  state: oneOf('state', proposalStates),
  proposedById: text('proposed_by_id').fixed(),
  proposedBy: text('proposed_by').fixed(),
  proposedAtMs: time('proposed_at').fixed(),
  expiresAtMs: time('expires_at').fixed(),
  endedById: text.null('ended_by_id'),
  endedBy: text.null('ended_by'),
  endedAtMs: time.null('ended_at'),
  version,
});

export const proposalsPart: TxPart<'proposals'> = {
  ...writes(proposals),
  get: (unit, id) => unit.byKey(proposals, [id]),
  ofItem: (unit, itemId) => unit.all(proposals, 'where item_id = $1 order by number', [itemId]),
  list: (unit, { orgId, mode: its, beforeId, limit }) =>
    unit.newest(proposals, { 'org_id =': orgId, 'mode =': its, 'id <': beforeId }, limit),
};

export const moneyQueuesPart: TxPart<'moneyQueues'> = {
  async commands(unit, queue, { afterId, limit }) {
    const tail = 'where queue = $1 and id > $2 order by id limit $3';
    return (await unit.all(commands, tail, [queue, afterId ?? '', limit])).filter(isMoneyCommand);
  },
  deposits: (unit, { afterId, limit }) => {
    // Both conditions: the index has the wider one.
    const tail = `where ${waitingSql} and ${unmatchedSql} and id > $1 order by id limit $2`;
    return unit.all(deposits, tail, [afterId ?? '', limit]);
  },
  unapproved: (unit, { afterId, limit }) =>
    unit.all(payments, `where ${approvalLostSql} and id > $1 order by id limit $2`, [
      afterId ?? '',
      limit,
    ]),
  received: (unit, { afterId, limit }) =>
    unit.all(
      funds,
      "where position = 'received' and payment_id > $1 order by payment_id limit $2",
      [afterId ?? '', limit],
    ),
  lost: (unit, { afterId, limit }) =>
    unit.all(funds, `where ${lostFundsSql} and payment_id > $1 order by payment_id limit $2`, [
      afterId ?? '',
      limit,
    ]),
};
