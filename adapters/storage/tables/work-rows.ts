// What waits for a worker besides deliveries: partner commands, the partner's messages, and test
// payments being played: columns, rows and SQL.
import {
  type CommandState,
  commandMoves,
  isMoneyCommand,
  type MoneyCommand,
  moneyKinds,
  type OrderEnd,
  type PartnerCommand,
  type PartyCommand,
  partyKinds,
  type Subject,
  TRIES_IN_VAIN,
} from '../../../core/domain/partner-command.js';
import { paymentStatuses } from '../../../core/domain/payment.js';
import type { Advance, InboxMessage, Tx } from '../../../core/ports.js';
import { duePage, type Row, time } from '../database.js';
import {
  integer,
  minor,
  modeOf,
  moneyOf,
  oneOf,
  tenantColumns,
  text,
  textOrNull,
  timeMs,
  timeMsOrNull,
} from '../row.js';
import type { Staging } from '../staging.js';
import { defineTable, rowName } from '../table.js';

const commandStates = Object.keys(commandMoves) as readonly CommandState[];
export const orderEnds = Object.keys({
  open: true,
  completed: true,
  failed: true,
  returned: true,
} satisfies Record<OrderEnd, true>) as readonly OrderEnd[];

/** `isStuck` of partner-command.ts. */
export const stuckSql = [
  "review is not null or (kind = 'refund' and state = 'refused')",
  "or (state not in ('refused', 'void') and (state <> 'done' or order_end = 'open')",
  `and last_error is not null and tries >= ${TRIES_IN_VAIN})`,
].join(' ');

export const commands = defineTable<PartnerCommand>({
  name: 'partner_commands',
  key: { id: (command) => command.id },
  fixed: {
    org_id: (command) => command.orgId,
    mode: (command) => command.mode,
    reference: (command) => command.reference,
    kind: (command) => command.kind,
    payment_id: (command) => (isMoneyCommand(command) ? command.paymentId : null),
    submission_id: (command) => subjectId(command, 'submission'),
    account_id: (command) => subjectId(command, 'account'),
    currency: (command) => (isMoneyCommand(command) ? command.amount.currency : null),
    payin_id: (command) => (isMoneyCommand(command) ? command.payinId : null),
    created_at: (command) => time(command.createdAtMs),
  },
  changing: {
    state: (command) => command.state,
    request: (command) => command.request,
    partner_ref: (command) => command.partnerRef,
    order_end: (command) => command.end,
    amount_minor: (command) => (isMoneyCommand(command) ? command.amount.amountMinor : null),
    received_minor: (command) => command.receivedMinor,
    confirmed_minor: (command) => command.confirmedMinor,
    refusal: (command) => command.refusal,
    review: (command) => command.review,
    tries: (command) => command.tries,
    first_sent_at: (command) => time(command.firstSentAtMs),
    due_at: (command) => time(command.dueAtMs),
    lease_token: (command) => command.leaseToken,
    last_error: (command) => command.lastError,
    updated_at: (command) => time(command.updatedAtMs),
  },
  version: (command) => command.version,
  sealed: 'request',
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      ...(row['payment_id'] === null ? partyColumns(row) : moneyColumns(row)),
      id: text(row, 'id'),
      reference: text(row, 'reference'),
      state: oneOf(row, 'state', commandStates),
      request: textOrNull(row, 'request'),
      partnerRef: textOrNull(row, 'partner_ref'),
      end: oneOf(row, 'order_end', orderEnds),
      receivedMinor: minor(row, 'received_minor'),
      confirmedMinor: minor(row, 'confirmed_minor'),
      refusal: textOrNull(row, 'refusal'),
      review: textOrNull(row, 'review'),
      tries: integer(row, 'tries'),
      firstSentAtMs: timeMsOrNull(row, 'first_sent_at'),
      dueAtMs: timeMsOrNull(row, 'due_at'),
      leaseToken: textOrNull(row, 'lease_token'),
      lastError: textOrNull(row, 'last_error'),
      createdAtMs: timeMs(row, 'created_at'),
      updatedAtMs: timeMs(row, 'updated_at'),
      version: integer(row, 'version'),
    }),
});

function subjectId(command: PartnerCommand, kind: Subject['kind']): string | null {
  return 'subject' in command && command.subject.kind === kind ? command.subject.id : null;
}

function moneyColumns(row: Row): Pick<MoneyCommand, 'kind' | 'paymentId' | 'amount' | 'payinId'> {
  return {
    kind: oneOf(row, 'kind', moneyKinds),
    paymentId: text(row, 'payment_id'),
    amount: moneyOf(row, 'amount_minor', 'currency'),
    payinId: textOrNull(row, 'payin_id'),
  };
}

function partyColumns(row: Row): Pick<PartyCommand, 'kind' | 'subject'> {
  const [submissionId, accountId] = [
    textOrNull(row, 'submission_id'),
    textOrNull(row, 'account_id'),
  ];
  const kind = oneOf(row, 'kind', partyKinds);
  if (submissionId !== null) return { kind, subject: { kind: 'submission', id: submissionId } };
  if (accountId !== null) return { kind, subject: { kind: 'account', id: accountId } };
  return { kind, subject: { kind: 'organization', id: text(row, 'org_id') } };
}

const inbox = defineTable<InboxMessage>({
  name: 'inbox',
  key: {
    partner: (message) => message.partner,
    mode: (message) => message.mode,
    message_id: (message) => message.messageId,
  },
  fixed: {
    facts: (message) => message.facts,
    received_at: (message) => time(message.receivedAtMs),
  },
  changing: {
    due_at: (message) => time(message.dueAtMs),
    tries: (message) => message.tries,
  },
  version: (message) => message.version,
  read: (row) =>
    Object.freeze({
      partner: text(row, 'partner'),
      mode: modeOf(row),
      messageId: text(row, 'message_id'),
      facts: text(row, 'facts'),
      receivedAtMs: timeMs(row, 'received_at'),
      dueAtMs: timeMsOrNull(row, 'due_at'),
      tries: integer(row, 'tries'),
      version: integer(row, 'version'),
    }),
});

const advances = defineTable<Advance>({
  name: 'advances',
  key: {
    org_id: (advance) => advance.orgId,
    mode: (advance) => advance.mode,
    payment_id: (advance) => advance.paymentId,
  },
  fixed: {},
  changing: {
    to_status: (advance) => advance.to,
    due_at: (advance) => time(advance.dueAtMs),
    tries: (advance) => advance.tries,
  },
  version: (advance) => advance.version,
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      paymentId: text(row, 'payment_id'),
      to: oneOf(row, 'to_status', paymentStatuses),
      dueAtMs: timeMs(row, 'due_at'),
      tries: integer(row, 'tries'),
      version: integer(row, 'version'),
    }),
});

export function commandsOf(staging: Staging): Tx['commands'] {
  return {
    get: (id) =>
      staging.byKey(commands, [id], 'select * from partner_commands where id = $1', [id]),
    byReference: (mode, reference) =>
      staging.first(commands, 'select * from partner_commands where mode = $1 and reference = $2', [
        mode,
        reference,
      ]),
    byPartnerRef: (mode, kind, partnerRef) =>
      staging.first(
        commands,
        [
          'select * from partner_commands where mode = $1 and kind = $2 and partner_ref = $3',
          'order by id limit 1',
        ].join(' '),
        [mode, kind, partnerRef],
      ),
    ofPayment: async ({ orgId, mode }, paymentId) => {
      const sql = [
        'select * from partner_commands where org_id = $1 and mode = $2 and payment_id = $3',
        'order by created_at, id',
      ].join(' ');
      return (await staging.all(commands, sql, [orgId, mode, paymentId])).filter(isMoneyCommand);
    },
    ofSubmission: ({ orgId, mode }, submissionId) =>
      staging.all(
        commands,
        [
          'select * from partner_commands',
          'where org_id = $1 and mode = $2 and submission_id = $3 order by id',
        ].join(' '),
        [orgId, mode, submissionId],
      ),
    list: ({ stuck, limit }) =>
      staging.all(
        commands,
        [
          `select * from partner_commands${stuck ? ` where ${stuckSql}` : ''}`,
          'order by created_at desc, id desc limit $1',
        ].join(' '),
        [limit],
      ),
    insert: (command) => staging.stage(commands.insert(command)),
    update: (command) => staging.stage(commands.update(command)),
  };
}

export function inboxOf(staging: Staging): Tx['inbox'] {
  return {
    get: (partner, mode, messageId) =>
      staging.byKey(
        inbox,
        [partner, mode, messageId],
        'select * from inbox where partner = $1 and mode = $2 and message_id = $3',
        [partner, mode, messageId],
      ),
    insert: (message) => staging.stage(inbox.insert(message)),
    unapplied: (page) =>
      staging.all(
        inbox,
        [
          'select * from inbox where due_at <= $1 and (due_at, message_id) > ($2, $3)',
          'order by due_at, message_id limit $4',
        ].join(' '),
        duePage(page),
      ),
    update: (message) => staging.stage(inbox.update(message)),
  };
}

export function advancesOf(staging: Staging): Tx['advances'] {
  return {
    get: ({ orgId, mode }, paymentId) =>
      staging.byKey(
        advances,
        [orgId, mode, paymentId],
        'select * from advances where org_id = $1 and mode = $2 and payment_id = $3',
        [orgId, mode, paymentId],
      ),
    due: (page) =>
      staging.all(
        advances,
        [
          'select * from advances where due_at <= $1 and (due_at, payment_id) > ($2, $3)',
          'order by due_at, payment_id limit $4',
        ].join(' '),
        duePage(page),
      ),
    put({ orgId, mode, paymentId, to, dueAtMs, tries, version }) {
      staging.stage({
        table: advances.name,
        row: rowName([orgId, mode, paymentId]),
        kind: 'merge',
        statement: {
          sql: [
            'insert into advances (org_id, mode, payment_id, to_status, due_at, tries, version)',
            'values ($1, $2, $3, $4, $5, $6, $7) on conflict (org_id, mode, payment_id) do update',
            'set to_status = excluded.to_status, due_at = excluded.due_at,',
            'tries = excluded.tries, version = advances.version + 1',
          ].join(' '),
          params: [orgId, mode, paymentId, to, time(dueAtMs), tries, version],
          guards: advances.name,
          shape: null,
        },
      });
    },
    update: (advance) => staging.stage(advances.update(advance)),
    remove: (advance) => staging.stage(advances.remove(advance)),
  };
}
