// Work besides deliveries: partner commands, the partner's messages, and test payments in progress:
// columns and SQL.
import {
  type CommandState,
  commandKinds,
  commandMoves,
  type OrderEnd,
  type PartnerCommand,
  TRIES_IN_VAIN,
} from '../../../core/domain/partner-command.js';
import { paymentStatuses } from '../../../core/domain/payment.js';
import type { Advance, InboxMessage, Tx } from '../../../core/ports.js';
import {
  fixed,
  fixedTenant,
  integer,
  key,
  minor,
  mode,
  money,
  nullable,
  oneOf,
  sealed,
  tenant,
  text,
  time,
  version,
} from '../columns.js';
import { duePage, timeParam } from '../database.js';
import { defineTable, merge, rowName } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

const commandStates = Object.keys(commandMoves) as readonly CommandState[];
export const orderEnds = Object.keys({
  open: true,
  completed: true,
  failed: true,
  returned: true,
} satisfies Record<OrderEnd, true>) as readonly OrderEnd[];

/** The same as `isStuck` of partner-command.ts. */
export const stuckSql = [
  "review is not null or (kind = 'refund' and state = 'refused')",
  "or (state not in ('refused', 'void') and (state <> 'done' or order_end = 'open')",
  `and last_error is not null and tries >= ${TRIES_IN_VAIN})`,
].join(' ');

export const commands = defineTable<PartnerCommand>('partner_commands', {
  ...fixedTenant,
  id: key(text('id')),
  reference: fixed(text('reference')),
  kind: fixed(oneOf('kind', commandKinds)),
  paymentId: fixed(text.null('payment_id')),
  submissionId: fixed(text.null('submission_id')),
  accountId: fixed(text.null('account_id')),
  amount: nullable(money('amount_minor', 'currency')),
  payinId: fixed(text.null('payin_id')),
  state: oneOf('state', commandStates),
  request: sealed(text.null('request')),
  partnerRef: text.null('partner_ref'),
  end: oneOf('order_end', orderEnds),
  receivedMinor: minor('received_minor'),
  confirmedMinor: minor('confirmed_minor'),
  refusal: text.null('refusal'),
  review: text.null('review'),
  tries: integer('tries'),
  firstSentAtMs: time.null('first_sent_at'),
  dueAtMs: time.null('due_at'),
  leaseToken: text.null('lease_token'),
  lastError: text.null('last_error'),
  createdAtMs: fixed(time('created_at')),
  updatedAtMs: time('updated_at'),
  version,
});

const inbox = defineTable<InboxMessage>('inbox', {
  partner: key(text('partner')),
  mode: key(mode),
  messageId: key(text('message_id')),
  facts: fixed(text('facts')),
  receivedAtMs: fixed(time('received_at')),
  dueAtMs: time.null('due_at'),
  tries: integer('tries'),
  version,
});

const advances = defineTable<Advance>('advances', {
  ...tenant,
  paymentId: key(text('payment_id')),
  to: oneOf('to_status', paymentStatuses),
  dueAtMs: time('due_at'),
  tries: integer('tries'),
  version,
});

export function commandsOf(unit: UnitOfWork): Tx['commands'] {
  return {
    ...unit.writes(commands),
    get: (id) => unit.byKey(commands, [id]),
    byReference: (mode, reference) =>
      unit.first(commands, 'select * from partner_commands where mode = $1 and reference = $2', [
        mode,
        reference,
      ]),
    byPartnerRef: (mode, kind, partnerRef) =>
      unit.first(
        commands,
        [
          'select * from partner_commands where mode = $1 and kind = $2 and partner_ref = $3',
          'order by id limit 1',
        ].join(' '),
        [mode, kind, partnerRef],
      ),
    ofPayment: ({ orgId, mode }, paymentId) =>
      unit.all(
        commands,
        [
          'select * from partner_commands where org_id = $1 and mode = $2 and payment_id = $3',
          'order by created_at, id',
        ].join(' '),
        [orgId, mode, paymentId],
      ),
    ofSubmission: ({ orgId, mode }, submissionId) =>
      unit.all(
        commands,
        [
          'select * from partner_commands',
          'where org_id = $1 and mode = $2 and submission_id = $3 order by id',
        ].join(' '),
        [orgId, mode, submissionId],
      ),
    list: ({ stuck, limit }) =>
      unit.all(
        commands,
        [
          `select * from partner_commands${stuck ? ` where ${stuckSql}` : ''}`,
          'order by created_at desc, id desc limit $1',
        ].join(' '),
        [limit],
      ),
  };
}

export function inboxOf(unit: UnitOfWork): Tx['inbox'] {
  return {
    ...unit.writes(inbox),
    get: (partner, mode, messageId) => unit.byKey(inbox, [partner, mode, messageId]),
    unapplied: (page) =>
      unit.all(
        inbox,
        [
          'select * from inbox where due_at <= $1 and (due_at, message_id) > ($2, $3)',
          'order by due_at, message_id limit $4',
        ].join(' '),
        duePage(page),
      ),
  };
}

export function advancesOf(unit: UnitOfWork): Tx['advances'] {
  return {
    ...unit.writes(advances),
    get: ({ orgId, mode }, paymentId) => unit.byKey(advances, [orgId, mode, paymentId]),
    due: (page) =>
      unit.all(
        advances,
        [
          'select * from advances where due_at <= $1 and (due_at, payment_id) > ($2, $3)',
          'order by due_at, payment_id limit $4',
        ].join(' '),
        duePage(page),
      ),
    put({ orgId, mode, paymentId, to, dueAtMs, tries, version }) {
      const sql = [
        'insert into advances (org_id, mode, payment_id, to_status, due_at, tries, version)',
        'values ($1, $2, $3, $4, $5, $6, $7) on conflict (org_id, mode, payment_id) do update',
        'set to_status = excluded.to_status, due_at = excluded.due_at,',
        'tries = excluded.tries, version = advances.version + 1',
      ].join(' ');
      const row = rowName([orgId, mode, paymentId]);
      const params = [orgId, mode, paymentId, to, timeParam(dueAtMs), tries, version];
      unit.stage(merge(advances.name, row, sql, params));
    },
  };
}
