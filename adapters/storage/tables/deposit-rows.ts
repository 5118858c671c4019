// Money that nobody ordered: deposits, the readings of the books that find them, and the
// comparisons of the books with ours: columns and SQL.
import type { Asset } from '../../../core/domain/commands/asset.js';
import {
  type BookReading,
  entryKinds,
  spanNames,
} from '../../../core/domain/deposits/book-reading.js';
import { type Deposit, depositStates, unmatched } from '../../../core/domain/deposits/deposit.js';
import { matchRules } from '../../../core/domain/deposits/deposit-match.js';
import type {
  ReconciliationResult,
  ScheduledReconciliation,
} from '../../../core/domain/money-desk/reconciliation.js';
import { group, integer, json, mode, money, oneOf, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';
import { commandEnds } from './work-rows.js';

/** Must match the partial index. */
export const unmatchedSql = `state = '${unmatched.state}' and entry_end = '${unmatched.end}'`;
export const waitingSql = "state = 'waiting' and entry_end in ('open', 'completed')";

export const deposits = defineTable<Deposit>('deposits', {
  id: text('id').key(),
  partner: text('partner').fixed(),
  mode: mode.fixed(),
  book: oneOf('book', entryKinds).fixed(),
  partnerRef: text('partner_ref').fixed(),
  partyRef: text.null('receiver_ref'),
  orgId: text.null('org_id'),
  accountId: text.null('account_id'),
  amount: money('amount_minor', 'currency'),
  end: oneOf('entry_end', commandEnds),
  state: oneOf('state', depositStates),
  payerSealed: text.null('payer_sealed').sealed(),
  transactionHash: text.null('transaction_hash'),
  asset: json<Asset>('asset').null(),
  paymentId: text.null('payment_id'),
  rule: oneOf('rule', matchRules).null(),
  consolidatedReference: text.null('consolidated_reference'),
  enteredAtMs: time('entered_at').fixed(),
  completedAtMs: time.null('completed_at'),
  createdAtMs: time('created_at').fixed(),
  updatedAtMs: time('updated_at'),
  version,
});

const bookReadings = defineTable<BookReading>('book_readings', {
  partner: text('partner').key(),
  mode: mode.key(),
  book: oneOf('book', entryKinds).key(),
  span: oneOf('span', spanNames).key(),
  fromMs: time('from_at').fixed(),
  sinceMs: time('since_at'),
  cursor: text.null('page_cursor'),
  beganAtMs: time('began_at'),
  completedAtMs: time.null('completed_at'),
  tries: integer('tries'),
  dueAtMs: time('due_at'),
  lastError: text.null('last_error'),
  version,
});

export const reconciliations = defineTable<ScheduledReconciliation>('reconciliations', {
  partner: text('partner').key(),
  mode: mode.key(),
  last: group<ReconciliationResult>({
    sinceMs: time('since_at'),
    endedAtMs: time('ended_at'),
    entries: integer('entries'),
    commands: integer('commands'),
    differences: integer('differences'),
    unread: integer('unread'),
  }).null(),
  dueAtMs: time('due_at'),
  version,
});

export const reconciliationsPart: TxPart<'reconciliations'> = {
  ...writes(reconciliations),
  get: (unit, partner, ofMode) => unit.byKey(reconciliations, [partner, ofMode]),
};

export const depositsPart: TxPart<'deposits'> = {
  ...writes(deposits),
  get: (unit, id) => unit.byKey(deposits, [id]),
  byPartnerRef: (unit, partner, ofMode, book, partnerRef) =>
    unit.first(deposits, 'where partner = $1 and mode = $2 and book = $3 and partner_ref = $4', [
      partner,
      ofMode,
      book,
      partnerRef,
    ]),
  list: (unit, { waiting, beforeId, limit }) =>
    // Without a bound, SQLite reports a scan of the table.
    unit.newest(deposits, { 'id <': beforeId ?? '~' }, limit, {
      others: waiting ? [waitingSql] : [],
    }),
  unmatchedTo: (unit, ofMode, partyRef, currency) =>
    unit.all(
      deposits,
      `where ${unmatchedSql} and currency = $1 and mode = $2 and receiver_ref = $3 ` +
        "and book = 'payin' order by id",
      [currency, ofMode, partyRef],
    ),
  after: (unit, id, limit) => unit.all(deposits, 'where id > $1 order by id limit $2', [id, limit]),
};

export const bookReadingsPart: TxPart<'bookReadings'> = {
  ...writes(bookReadings),
  of: (unit, partner, ofMode) =>
    unit.all(bookReadings, 'where partner = $1 and mode = $2 order by book, span', [
      partner,
      ofMode,
    ]),
};
