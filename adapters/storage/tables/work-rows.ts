// Work besides deliveries: partner commands, the partner's messages, and test payments in progress:
// columns and SQL.
import type { Money } from '../../../core/domain/base/money.js';
import {
  type CommandEnd,
  type CommandKind,
  commandKinds,
  commandStates,
  isMoneyCommand,
  isPayinInFlight,
  isStuck,
  type MoneyCommand,
  moneyKinds,
  type PartnerCommand,
  partyCommandKinds,
  type Subject,
} from '../../../core/domain/commands/partner-command.js';
import { type InboxMessage, writeAmount } from '../../../core/domain/commands/partner-message.js';
import type { Settlement } from '../../../core/domain/commands/settlement.js';
import {
  type CommandQueue,
  commandQueues,
  queueOf,
} from '../../../core/domain/money-desk/money-decision.js';
import { type Advance, paymentStatuses } from '../../../core/domain/payments/payment.js';
import type {
  SimulatedOutcome,
  SimulatedReport,
} from '../../../core/domain/payments/simulated-event.js';
import { assert } from '../../../core/errors.js';
import {
  fixedTenant,
  flag,
  integer,
  jsonWithAmounts,
  minor,
  mode,
  money,
  oneOf,
  tenant,
  text,
  time,
  version,
} from '../columns.js';
import { duePage, timeParam } from '../database.js';
import { defineTable, mapped, merge, rowName, type Table } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

export const commandEnds = Object.keys({
  open: true,
  completed: true,
  failed: true,
  returned: true,
} satisfies Record<CommandEnd, true>) as readonly CommandEnd[];

/** What queries select by, derived from the command at each write. */
interface Derived {
  readonly queue: CommandQueue | null;
  readonly isStuck: boolean;
  readonly isInFlight: boolean;
  /** Null if not, because a unique index takes nulls for different. */
  readonly isOrdered: boolean | null;
}

interface CommandRow
  extends Omit<MoneyCommand, 'kind' | 'paymentId' | 'amount' | 'isAdopted'>,
    Derived {
  readonly kind: CommandKind;
  readonly paymentId: string | null;
  readonly submissionId: string | null;
  readonly accountId: string | null;
  readonly amount: Money | null;
}

const commandRows = defineTable<CommandRow>('partner_commands', {
  ...fixedTenant,
  id: text('id').key(),
  reference: text('reference').fixed(),
  kind: oneOf('kind', commandKinds).fixed(),
  paymentId: text.null('payment_id').fixed(),
  submissionId: text.null('submission_id').fixed(),
  accountId: text.null('account_id').fixed(),
  amount: money('amount_minor', 'currency').null(),
  payinId: text.null('payin_id').fixed(),
  state: oneOf('state', commandStates),
  request: text.null('request').sealed(),
  partnerRef: text.null('partner_ref'),
  depositId: text.null('deposit_id').fixed(),
  isOrdered: flag('is_ordered').null().fixed(),
  end: oneOf('command_end', commandEnds),
  overruled: oneOf('overruled', commandEnds).null(),
  isUndecided: flag('is_undecided'),
  receivedMinor: minor('received_minor'),
  confirmedMinor: minor('confirmed_minor'),
  settlements: jsonWithAmounts<readonly Settlement[]>('settlements'),
  refusal: text.null('refusal'),
  review: text.null('review'),
  heldSinceMs: time.null('held_since'),
  lateAtMs: time.null('late_at'),
  tries: integer('tries'),
  lastSentAtMs: time.null('last_sent_at'),
  dueAtMs: time.null('due_at'),
  leaseToken: text.null('lease_token'),
  lastError: text.null('last_error'),
  queue: oneOf('queue', commandQueues).null(),
  isStuck: flag('is_stuck'),
  isInFlight: flag('is_in_flight'),
  createdAtMs: time('created_at').fixed(),
  updatedAtMs: time('updated_at'),
  instance: text.null('instance'),
  version,
});

export const commands: Table<PartnerCommand> = mapped(commandRows, toRow, fromRow);

function toRow(command: PartnerCommand): CommandRow {
  const derived = derivedOf(command);
  if (isMoneyCommand(command)) {
    return { ...command, ...derived, submissionId: null, accountId: null };
  }
  const { subject, ...fields } = command;
  const idOf = (kind: Subject['kind']) => (subject.kind === kind ? subject.id : null);
  return {
    ...fields,
    ...derived,
    paymentId: null,
    amount: null,
    payinId: null,
    submissionId: idOf('submission'),
    accountId: idOf('account'),
  };
}

function derivedOf(command: PartnerCommand): Derived {
  return {
    queue: isMoneyCommand(command) ? queueOf(command) : null,
    isStuck: isStuck(command),
    isInFlight: isPayinInFlight(command),
    isOrdered: isMoneyCommand(command) && !command.isAdopted ? true : null,
  };
}

function fromRow(row: CommandRow): PartnerCommand {
  const { kind, paymentId, amount, payinId, submissionId, accountId, ...rest } = row;
  const { queue: _queue, isStuck: _isStuck, isInFlight: _isInFlight, isOrdered, ...known } = rest;
  const fields = { ...known, isAdopted: paymentId !== null && isOrdered === null };
  if (paymentId !== null) {
    assert(isIn(moneyKinds, kind) && amount !== null, 'a command of a payment is about money');
    return Object.freeze({ ...fields, kind, paymentId, amount, payinId });
  }
  assert(isIn(partyCommandKinds, kind), 'a command without a payment is about a party');
  return Object.freeze({ ...fields, kind, subject: subjectOf(row) });
}

function subjectOf({ orgId, submissionId, accountId }: CommandRow): Subject {
  if (submissionId !== null) return { kind: 'submission', id: submissionId };
  if (accountId !== null) return { kind: 'account', id: accountId };
  return { kind: 'organization', id: orgId };
}

function isIn<K extends CommandKind>(kinds: readonly K[], kind: CommandKind): kind is K {
  return kinds.some((one) => one === kind);
}

const inbox = defineTable<InboxMessage>('inbox', {
  partner: text('partner').key(),
  mode: mode.key(),
  messageId: text('message_id').key(),
  facts: text('facts').fixed(),
  receivedAtMs: time('received_at').fixed(),
  dueAtMs: time.null('due_at'),
  tries: integer('tries'),
  version,
});

const advances = defineTable<Advance>('advances', {
  ...tenant,
  paymentId: text('payment_id').key(),
  to: oneOf('to_status', paymentStatuses),
  dueAtMs: time('due_at'),
  tries: integer('tries'),
  version,
});

const simulations = defineTable<SimulatedReport>('simulated_reports', {
  mode: mode.key(),
  reference: text('reference').key(),
  outcome: jsonWithAmounts<SimulatedOutcome>('outcome'),
  version,
});

// The partner's id of a share is that of its deposit.
const withPartnerRef = 'where mode = $1 and kind = $2 and partner_ref = $3 and deposit_id is null';

/** What a list can be about; `?` is the value. */
const listedBy = {
  orgId: 'org_id = ?',
  mode: 'mode = ?',
  paymentId: 'payment_id = ?',
  beforeId: '(created_at, id) < (select created_at, id from partner_commands where id = ?)',
} as const;

export const commandsPart: TxPart<'commands'> = {
  ...writes(commands),
  get: (unit, id) => unit.byKey(commands, [id]),
  known: (unit, command) => unit.known(commands, command, [command.id]),
  byReference: (unit, mode, reference) =>
    unit.first(commands, 'where mode = $1 and reference = $2', [mode, reference]),
  allByPartnerRef: (unit, ...of) => unit.all(commands, withPartnerRef, of),
  byPartnerRef: async (unit, mode, kind, partnerRef) => {
    const all = await unit.all(commands, withPartnerRef, [mode, kind, partnerRef]);
    const found = all.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const first = isIn(moneyKinds, kind)
      ? (found.find(({ receivedMinor }) => receivedMinor > 0n) ?? found[0])
      : found.at(-1);
    return first ?? null;
  },
  unfinishedElsewhere: async (unit, mode, instance, limit) => {
    const elsewhere = 'mode = $1 and instance <> $2';
    const params = [mode, instance, limit];
    const found = await Promise.all([
      unit.all(commands, `where due_at >= $4 and ${elsewhere} limit $3`, [...params, timeParam(0)]),
      unit.all(commands, `where queue in ('owed', 'in_review') and ${elsewhere} limit $3`, params),
    ]);
    return found.flat().slice(0, limit);
  },
  renameInstance(unit, mode, from, to) {
    const sql = 'update partner_commands set instance = $1 where mode = $2 and instance = $3';
    unit.stage(merge(commands.name, null, sql, [to, mode, from]));
  },
  ofPayment: async (unit, tenant, paymentId) => {
    const known = unit.knownPayment(tenant, paymentId);
    if (known !== null) {
      unit.assertUnwritten(commands.name);
      return known.commands;
    }
    const sql = [
      'where org_id = $1 and mode = $2 and payment_id = $3',
      'order by created_at, id',
    ].join(' ');
    const key = [tenant.orgId, tenant.mode, paymentId];
    return (await unit.all(commands, sql, key)).filter(isMoneyCommand);
  },
  payinsInFlight: async (unit, mode, limit) => {
    const sql = 'where mode = $1 and is_in_flight order by id limit $2';
    return (await unit.all(commands, sql, [mode, limit])).filter(isMoneyCommand);
  },
  ofSubmission: (unit, { orgId, mode }, submissionId) =>
    unit.all(commands, 'where org_id = $1 and mode = $2 and submission_id = $3 order by id', [
      orgId,
      mode,
      submissionId,
    ]),
  since: (unit, { fromMs, afterId, limit }) =>
    unit.all(commands, 'where (created_at, id) > ($1, $2) order by created_at, id limit $3', [
      timeParam(fromMs),
      afterId,
      limit,
    ]),
  list: (unit, { stuck, limit, ...given }) => {
    const asked = Object.entries(listedBy).flatMap(([name, sql]) => {
      const value = given[name as keyof typeof listedBy] ?? null;
      return value === null ? [] : [{ sql, value }];
    });
    const conditions = [
      ...(stuck ? ['is_stuck'] : []),
      ...asked.map(({ sql }, at) => sql.replace('?', `$${at + 2}`)),
    ];
    const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
    const tail = `${where} order by created_at desc, id desc limit $1`;
    return unit.all(commands, tail, [limit, ...asked.map(({ value }) => value)]);
  },
};

export const inboxPart: TxPart<'inbox'> = {
  ...writes(inbox),
  get: (unit, partner, mode, messageId) => unit.byKey(inbox, [partner, mode, messageId]),
  known: async (unit, message) => {
    if (unit.isFirst && message.version === 0) return null;
    return unit.known(inbox, message, [message.partner, message.mode, message.messageId]);
  },
  unapplied: (unit, page) =>
    unit.all(
      inbox,
      [
        'where due_at <= $1 and (due_at, message_id) > ($2, $3) order by due_at, message_id',
        'limit $4',
      ].join(' '),
      duePage(page),
    ),
};

export const advancesPart: TxPart<'advances'> = {
  ...writes(advances),
  get: (unit, { orgId, mode }, paymentId) => unit.byKey(advances, [orgId, mode, paymentId]),
  known: (unit, advance) =>
    unit.known(advances, advance, [advance.orgId, advance.mode, advance.paymentId]),
  due: (unit, page) =>
    unit.all(
      advances,
      [
        'where due_at <= $1 and (due_at, payment_id) > ($2, $3) order by due_at, payment_id',
        'limit $4',
      ].join(' '),
      duePage(page),
    ),
  put(unit, { orgId, mode, paymentId, to, dueAtMs, tries, version }) {
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

export const simulationsPart: TxPart<'simulations'> = {
  get: (unit, mode, reference) => unit.byKey(simulations, [mode, reference]),
  put(unit, { mode, reference, outcome }) {
    const sql = [
      'insert into simulated_reports (mode, reference, outcome, version)',
      'values ($1, $2, $3, 1) on conflict (mode, reference) do update',
      'set outcome = excluded.outcome, version = simulated_reports.version + 1',
    ].join(' ');
    const text = JSON.stringify(outcome, writeAmount);
    unit.stage(merge(simulations.name, rowName([mode, reference]), sql, [mode, reference, text]));
  },
};
