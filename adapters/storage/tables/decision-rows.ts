// The money desk: decisions of operators about money, and the orders and payments that wait for
// one: columns and SQL.
import {
  decisionStates,
  type MoneyAction,
  type MoneyDecision,
  writeAction,
} from '../../../core/domain/money-decision.js';
import { isMoneyCommand } from '../../../core/domain/partner-command.js';
import { readAmount } from '../../../core/domain/partner-message.js';
import type { Tx } from '../../../core/ports/storage.js';
import { encoded, fixed, integer, key, mode, oneOf, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';
import { payments } from './payment-rows.js';
import { commands } from './work-rows.js';

const decisions = defineTable<MoneyDecision>('money_decisions', {
  id: key(text('id')),
  orgId: fixed(text.null('org_id')),
  mode: fixed(mode),
  itemId: fixed(text('item_id')),
  number: fixed(integer('number')),
  action: fixed(
    encoded('action', writeAction, (stored) => JSON.parse(stored, readAmount) as MoneyAction),
  ),
  evidence: fixed(text.null('evidence')),
  basis: fixed(text('basis')),
  state: oneOf('state', decisionStates),
  proposedBy: fixed(text('proposed_by')),
  proposedAtMs: fixed(time('proposed_at')),
  endedBy: text.null('ended_by'),
  endedAtMs: time.null('ended_at'),
  version,
});

/** The same as `queueOf` of money-decision.ts. Spelled as the partial indexes have it. */
const queueSql = {
  owed: [
    "kind = 'refund' and review is null and state <> 'void'",
    "and (state <> 'done' or order_end <> 'completed')",
  ].join(' '),
  out_of_sight: [
    "(review is not null or (kind = 'payout' and state = 'done'",
    "and order_end = 'failed'))",
  ].join(' '),
} as const;

const heldSql = [
  'received_minor + loss_minor - payout_minor - refund_owed_minor - refund_ordered_minor',
  '- refunded_minor',
].join(' ');

/** The same as `isShortPaid` of money-decision.ts. */
const shortSql = [
  "position = 'received' and payments.status = 'on_ramp_pending'",
  `and ${heldSql} < payments.amount_minor`,
].join(' ');

export function decisionsOf(unit: UnitOfWork): Tx['decisions'] {
  return {
    ...unit.writes(decisions),
    ofItem: (itemId) => unit.all(decisions, 'where item_id = $1 order by number', [itemId]),
    list: ({ orgId, mode: its, beforeId, limit }) =>
      unit.newest(decisions, { 'org_id =': orgId, 'mode =': its, 'id <': beforeId }, limit),
  };
}

export function moneyQueuesOf(unit: UnitOfWork): Tx['moneyQueues'] {
  return {
    async orders(queue, { afterId, limit }) {
      const tail = `where ${queueSql[queue]} and id > $1 order by id limit $2`;
      return (await unit.all(commands, tail, [afterId ?? '', limit])).filter(isMoneyCommand);
    },
    short: ({ afterId, limit }) =>
      unit.all(
        payments,
        [
          'join funds on funds.org_id = payments.org_id and funds.mode = payments.mode',
          `and funds.payment_id = payments.id where ${shortSql}`,
          'and funds.payment_id > $1 order by funds.payment_id limit $2',
        ].join(' '),
        [afterId ?? '', limit],
      ),
  };
}
