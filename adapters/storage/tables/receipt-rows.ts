// Money that nobody ordered: receipts, their append-only postings, and the readings of the books
// that find them: columns and SQL.
import {
  type BookReading,
  entryKinds,
  spanNames,
} from '../../../core/domain/deposits/book-reading.js';
import {
  type Receipt,
  type ReceiptLine,
  type ReceiptPosting,
  type ReceiptPostingKind,
  receiptAccounts,
  receiptPostingKinds,
  receiptStates,
  unmatched,
} from '../../../core/domain/deposits/receipt.js';
import { matchRules } from '../../../core/domain/deposits/receipt-match.js';
import {
  fixed,
  integer,
  key,
  mode,
  money,
  nullable,
  oneOf,
  sealed,
  text,
  time,
  version,
} from '../columns.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';
import { commandEnds } from './work-rows.js';

/** Must match the partial index. */
export const unmatchedSql = `state = '${unmatched.state}' and entry_end = '${unmatched.end}'`;
export const waitingSql = "state = 'waiting' and entry_end in ('open', 'completed')";

export const receipts = defineTable<Receipt>('receipts', {
  id: key(text('id')),
  partner: fixed(text('partner')),
  mode: fixed(mode),
  partnerRef: fixed(text('partner_ref')),
  partyRef: text.null('receiver_ref'),
  orgId: text.null('org_id'),
  accountId: text.null('account_id'),
  amount: money('amount_minor', 'currency'),
  end: oneOf('entry_end', commandEnds),
  state: oneOf('state', receiptStates),
  payerSealed: sealed(text.null('payer_sealed')),
  transactionHash: text.null('transaction_hash'),
  paymentId: text.null('payment_id'),
  rule: nullable(oneOf('rule', matchRules)),
  enteredAtMs: fixed(time('entered_at')),
  completedAtMs: time.null('completed_at'),
  createdAtMs: fixed(time('created_at')),
  updatedAtMs: time('updated_at'),
  version,
});

interface StoredLine extends ReceiptLine {
  readonly postingId: string;
  readonly lineNumber: number;
  readonly receiptId: string;
  readonly kind: ReceiptPostingKind;
  readonly atMs: number;
}

const lines = defineTable<StoredLine>('receipt_lines', {
  postingId: key(text('posting_id')),
  lineNumber: key(integer('line_number')),
  receiptId: fixed(text('receipt_id')),
  kind: fixed(oneOf('kind', receiptPostingKinds)),
  account: fixed(oneOf('account', receiptAccounts)),
  money: fixed(money('amount_minor', 'currency')),
  atMs: fixed(time('posted_at')),
});

const bookReadings = defineTable<BookReading>('book_readings', {
  partner: key(text('partner')),
  mode: key(mode),
  book: key(oneOf('book', entryKinds)),
  span: key(oneOf('span', spanNames)),
  fromMs: fixed(time('from_at')),
  sinceMs: time('since_at'),
  cursor: text.null('page_cursor'),
  beganAtMs: time('began_at'),
  completedAtMs: time.null('completed_at'),
  tries: integer('tries'),
  dueAtMs: time('due_at'),
  lastError: text.null('last_error'),
  version,
});

export const receiptsPart: TxPart<'receipts'> = {
  ...writes(receipts),
  get: (unit, id) => unit.byKey(receipts, [id]),
  byPartnerRef: (unit, partner, mode, partnerRef) =>
    unit.first(receipts, 'where partner = $1 and mode = $2 and partner_ref = $3', [
      partner,
      mode,
      partnerRef,
    ]),
  list: (unit, { waiting, beforeId, limit }) =>
    // Without a bound, SQLite reports a scan of the table.
    unit.newest(receipts, { 'id <': beforeId ?? '~' }, limit, {
      others: waiting ? [waitingSql] : [],
    }),
  after: (unit, id, limit) => unit.all(receipts, 'where id > $1 order by id limit $2', [id, limit]),
  append(unit, receiptId, postingId, { kind, lines: posted }, atMs) {
    for (const [index, line] of posted.entries()) {
      const place = { postingId, lineNumber: index + 1, receiptId, kind, atMs };
      unit.stage(lines.insert({ ...place, ...line }));
    }
  },
  async postings(unit, receiptId) {
    const tail = 'where receipt_id = $1 order by posting_id, line_number';
    const postings = new Map<string, { kind: ReceiptPostingKind; lines: ReceiptLine[] }>();
    for (const line of await unit.all(lines, tail, [receiptId])) {
      const { postingId, kind, account, money: amount } = line;
      const posting = postings.get(postingId) ?? { kind, lines: [] };
      posting.lines.push({ account, money: amount });
      postings.set(postingId, posting);
    }
    return [...postings.values()] satisfies readonly ReceiptPosting[];
  },
};

export const bookReadingsPart: TxPart<'bookReadings'> = {
  ...writes(bookReadings),
  of: (unit, partner, ofMode) =>
    unit.all(bookReadings, 'where partner = $1 and mode = $2 order by book, span', [
      partner,
      ofMode,
    ]),
};
