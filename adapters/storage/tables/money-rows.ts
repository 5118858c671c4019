// Where the money is: funds, quotes, the append-only ledger, and what organizations decide about
// their books: columns and SQL.
import { type Accounting, summingOf } from '../../../core/domain/accounting/accounting.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { Quote, RateKind } from '../../../core/domain/commands/quote.js';
import {
  type Funds,
  noFunds,
  positions,
  refundStates,
} from '../../../core/domain/payments/funds.js';
import {
  type LedgerLine,
  ledgerAccounts,
  type PostingKind,
  postingKinds,
  type StoredPosting,
} from '../../../core/domain/payments/ledger.js';
import {
  flag,
  integer,
  json,
  jsonWithAmounts,
  minor,
  money,
  oneOf,
  tenant,
  text,
  time,
  version,
} from '../columns.js';
import { timeParam } from '../database.js';
import { defineTable, mapped, type Table } from '../table.js';
import { type CachedJoin, type TxPart, writes } from '../unit-of-work.js';

const rateKinds = Object.keys({
  locked: true,
  indicative: true,
} satisfies Record<RateKind, true>) as readonly RateKind[];

/** A debt to the buyer, an unknown position, a loss. */
const needsOperator = (loss: string) =>
  `(refund_owed_minor + refund_ordered_minor > 0 or ${loss} ` +
  "or position = 'needs_review' or refund = 'needs_review')";

/** Spelled as the partial index has it. */
export const openFundsSql = needsOperator('loss_minor > 0');
const openLossSql = 'loss_minor > written_off_minor';
export const lostFundsSql = `${openFundsSql} and ${openLossSql}`;

export const funds = defineTable<Funds>('funds', {
  ...tenant,
  paymentId: text('payment_id').key(),
  currency: text('currency').fixed(),
  position: oneOf('position', positions),
  refund: oneOf('refund', refundStates),
  receivedMinor: minor('received_minor'),
  payoutMinor: minor('payout_minor'),
  refundOwedMinor: minor('refund_owed_minor'),
  refundOrderedMinor: minor('refund_ordered_minor'),
  refundedMinor: minor('refunded_minor'),
  lossMinor: minor('loss_minor'),
  writtenOffMinor: minor('written_off_minor'),
  version,
});

const quotes = defineTable<Quote>('quotes', {
  ...tenant,
  id: text('id').key(),
  paymentId: text('payment_id').fixed(),
  partnerQuoteId: text('partner_quote_id').fixed(),
  source: money('source_minor', 'source_currency').fixed(),
  fees: money('fees_minor', 'fees_currency').fixed(),
  rate: text('rate').fixed(),
  target: money('target_minor', 'target_currency').fixed(),
  rateKind: oneOf('rate_kind', rateKinds).fixed(),
  lockedUntilMs: time.null('locked_until_at').fixed(),
  expiresAtMs: time('expires_at').fixed(),
  createdAtMs: time('created_at').fixed(),
});

interface StoredLine extends Tenant, LedgerLine {
  readonly postingId: string;
  readonly lineNumber: number;
  readonly subjectId: string;
  readonly kind: PostingKind;
  readonly atMs: number;
}

const lines = defineTable<StoredLine>('ledger_lines', {
  ...tenant,
  postingId: text('posting_id').key(),
  lineNumber: integer('line_number').key(),
  // The id of a deposit is in this column, too.
  subjectId: text('payment_id').fixed(),
  kind: oneOf('kind', postingKinds).fixed(),
  account: oneOf('account', ledgerAccounts).fixed(),
  money: money('amount_minor', 'currency').fixed(),
  atMs: time('posted_at').fixed(),
});

type AccountingRow = Accounting & { readonly isSumming: boolean };

const accountingRows = defineTable<AccountingRow>('accounting', {
  ...tenant,
  accounts: json('accounts'),
  closed: jsonWithAmounts('closed_months'),
  isSumming: flag('is_summing'),
  version,
});

const accountings: Table<Accounting> = mapped(
  accountingRows,
  (row) => ({ ...row, isSumming: summingOf(row) !== null }),
  ({ isSumming: _, ...row }) => Object.freeze(row),
);

export const accountingPart: TxPart<'accounting'> = {
  get: (unit, { orgId, mode }) => unit.byKey(accountings, [orgId, mode]),
  summing: (unit, limit) =>
    unit.all(accountings, 'where is_summing order by org_id, mode limit $1', [limit]),
  put: (unit, row) =>
    unit.stage(
      row.version === 0 ? accountings.insert({ ...row, version: 1 }) : accountings.update(row),
    ),
};

export const fundsPart: TxPart<'funds'> = {
  put: (unit, row) =>
    unit.stage(row.version === 0 ? funds.insert({ ...row, version: 1 }) : funds.update(row)),
  get: (unit, { orgId, mode }, paymentId) => unit.byKey(funds, [orgId, mode, paymentId]),
  async of(unit, payment) {
    const { orgId, mode, id } = payment;
    return (await unit.byKey(funds, [orgId, mode, id])) ?? noFunds(payment);
  },
  open: (unit, limit) =>
    unit.all(
      funds,
      [
        `where ${openFundsSql} and ${needsOperator(openLossSql)}`,
        // Without its prefix, an id orders payments of both origins by creation.
        "order by replace(replace(payment_id, 'inv_', ''), 'pi_', ''), payment_id limit $1",
      ].join(' '),
      [limit],
    ),
  attention: (unit, { orgId, mode }, limit) =>
    unit.all(
      funds,
      [
        // By the key, both databases would look at all rows of the tenant, of which few are open.
        `where org_id || '' = $1 and mode = $2 and ${openFundsSql}`,
        "and (refund_owed_minor > 0 or position = 'needs_review' or refund = 'needs_review')",
        "order by replace(replace(payment_id, 'inv_', ''), 'pi_', '') desc limit $3",
      ].join(' '),
      [orgId, mode, limit],
    ),
};

const quoteById: CachedJoin<Quote> = {
  tables: [quotes],
  sql: quotes.selectByKey,
  // A quote never changes.
  on: {},
  read: quotes.read,
  expect: () => [],
};

export const quotesPart: TxPart<'quotes'> = {
  ...writes(quotes),
  get: (unit, { orgId, mode }, id) => unit.firstCached(quoteById, [orgId, mode, id]),
  byPartnerQuoteId: (unit, mode, partnerQuoteId, limit) =>
    unit.all(quotes, 'where mode = $1 and partner_quote_id = $2 limit $3', [
      mode,
      partnerQuoteId,
      limit,
    ]),
};

/** $1: the mode. */
const balancesSql = [
  'select account, currency, cast(sum(amount_minor) as bigint) as amount_minor,',
  'count(*) as lines from ledger_lines where mode = $1',
  'group by account, currency order by account, currency',
].join(' ');

/** $1: the mode. */
const floatsSql = [
  'select held.payment_id, p.destination, held.currency, held.float_minor, q.source_minor,',
  'q.fees_minor from (',
  'select org_id, mode, payment_id, currency, cast(sum(amount_minor) as bigint) as float_minor',
  "from ledger_lines where mode = $1 and account in ('partner_float', 'refunds')",
  'group by org_id, mode, payment_id, currency having sum(amount_minor) <> 0',
  ') as held',
  'join payments p on p.org_id = held.org_id and p.mode = held.mode and p.id = held.payment_id',
  'left join quotes q on q.org_id = p.org_id and q.mode = p.mode and q.id = p.quote_id',
].join(' ');

const newestSql = [
  'select max(newest) as newest from (select (select posted_at from ledger_lines l',
  'where l.org_id = o.org_id and l.mode = m.mode order by posting_id desc limit 1) as newest',
  "from organizations o cross join (select 'test' as mode union all select 'live') m) found",
].join(' ');

const paidOutSql = [
  'select currency, cast(sum(amount_minor) as bigint) as amount_minor from ledger_lines',
  "where org_id = $1 and mode = $2 and account = 'seller'",
  'and posted_at >= $3 and posted_at < $4 group by currency order by currency',
].join(' ');

export const ledgerPart: TxPart<'ledger'> = {
  async balances(unit, mode) {
    const rows = await unit.rows('ledger_lines', balancesSql, [mode]);
    return rows.map((row) => ({
      account: text('account').read(row),
      currency: text('currency').read(row),
      amountMinor: minor('amount_minor').read(row),
      lines: integer('lines').read(row),
    }));
  },
  async floats(unit, mode) {
    const rows = await unit.rows('ledger_lines', floatsSql, [mode]);
    return rows.map((row) => ({
      paymentId: text('payment_id').read(row),
      destination: text('destination').read(row),
      currency: text('currency').read(row),
      floatMinor: minor('float_minor').read(row),
      quotedMinor: minor.null('source_minor').read(row),
      feesMinor: minor.null('fees_minor').read(row),
    }));
  },
  async newestMs(unit) {
    const [row] = await unit.rows('ledger_lines', newestSql, []);
    return row === undefined ? null : time.null('newest').read(row);
  },
  append(unit, { orgId, mode }, subjectId, postingId, posting, atMs) {
    for (const [index, line] of posting.lines.entries()) {
      const { kind } = posting;
      const place = { orgId, mode, postingId, lineNumber: index + 1, subjectId, kind, atMs };
      unit.stage(lines.insert({ ...place, ...line }));
    }
  },
  async paidOut(unit, { orgId, mode }, fromMs, toMs) {
    const params = [orgId, mode, timeParam(fromMs), timeParam(toMs)];
    const rows = await unit.rows('ledger_lines', paidOutSql, params);
    return rows.map((row) => ({
      currency: text('currency').read(row),
      amountMinor: minor('amount_minor').read(row),
    }));
  },
  async page(unit, { orgId, mode }, { afterId, beforeId, limit }) {
    const found = await unit.all(
      lines,
      [
        'where org_id = $1 and mode = $2 and posting_id > $3 and posting_id <= (select',
        'max(posting_id) from (select distinct posting_id from ledger_lines where org_id = $1',
        'and mode = $2 and posting_id > $3 and posting_id < $4 order by posting_id limit $5)',
        'as taken) order by posting_id, line_number',
      ].join(' '),
      [orgId, mode, afterId, beforeId, limit],
    );
    const subjects = new Map(found.map(({ postingId, subjectId }) => [postingId, subjectId]));
    return postingsOf(found).map((posting) =>
      Object.freeze({ ...posting, subjectId: subjects.get(posting.id) ?? '' }),
    );
  },
  async ofSubject(unit, { orgId, mode }, subjectId) {
    const found = await unit.all(
      lines,
      [
        'where org_id = $1 and mode = $2 and payment_id = $3 order by posted_at,',
        'posting_id, line_number',
      ].join(' '),
      [orgId, mode, subjectId],
    );
    return postingsOf(found);
  },
};

function postingsOf(found: readonly StoredLine[]): readonly StoredPosting[] {
  const postings = new Map<string, { kind: PostingKind; atMs: number; lines: LedgerLine[] }>();
  for (const { postingId, kind, atMs, account, money } of found) {
    const posting = postings.get(postingId) ?? { kind, atMs, lines: [] };
    posting.lines.push({ account, money });
    postings.set(postingId, posting);
  }
  return [...postings].map(([id, posting]) => Object.freeze({ id, ...posting }));
}
