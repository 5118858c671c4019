// Where the money is: funds, quotes, and the append-only ledger: columns, rows and SQL.
import { type Funds, positions, refundStates } from '../../../core/domain/funds.js';
import {
  type LedgerAccount,
  type LedgerLine,
  ledgerAccounts,
  type PostingKind,
  postingKinds,
} from '../../../core/domain/ledger.js';
import type { Quote, RateKind } from '../../../core/domain/quote.js';
import type { Tenant } from '../../../core/domain/tenant.js';
import type { StoredPosting, Tx } from '../../../core/ports.js';
import { time } from '../database.js';
import {
  integer,
  minor,
  moneyOf,
  oneOf,
  tenantColumns,
  text,
  timeMs,
  timeMsOrNull,
} from '../row.js';
import { defineTable } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

const rateKinds = Object.keys({
  locked: true,
  indicative: true,
} satisfies Record<RateKind, true>) as readonly RateKind[];

/** A debt to the buyer, money of unknown position, a loss; the partial index spells it so. */
export const openFundsSql = [
  'refund_owed_minor + refund_ordered_minor > 0 or loss_minor > 0',
  "or position = 'operator' or refund = 'operator'",
].join(' ');

export const funds = defineTable<Funds>({
  name: 'funds',
  key: {
    org_id: (of) => of.orgId,
    mode: (of) => of.mode,
    payment_id: (of) => of.paymentId,
  },
  fixed: { currency: (of) => of.currency },
  changing: {
    position: (of) => of.position,
    refund: (of) => of.refund,
    received_minor: (of) => of.receivedMinor,
    payout_minor: (of) => of.payoutMinor,
    refund_owed_minor: (of) => of.refundOwedMinor,
    refund_ordered_minor: (of) => of.refundOrderedMinor,
    refunded_minor: (of) => of.refundedMinor,
    loss_minor: (of) => of.lossMinor,
  },
  version: (of) => of.version,
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      paymentId: text(row, 'payment_id'),
      currency: text(row, 'currency'),
      position: oneOf(row, 'position', positions),
      refund: oneOf(row, 'refund', refundStates),
      receivedMinor: minor(row, 'received_minor'),
      payoutMinor: minor(row, 'payout_minor'),
      refundOwedMinor: minor(row, 'refund_owed_minor'),
      refundOrderedMinor: minor(row, 'refund_ordered_minor'),
      refundedMinor: minor(row, 'refunded_minor'),
      lossMinor: minor(row, 'loss_minor'),
      version: integer(row, 'version'),
    }),
});

const quotes = defineTable<Quote>({
  name: 'quotes',
  key: { org_id: (quote) => quote.orgId, mode: (quote) => quote.mode, id: (quote) => quote.id },
  fixed: {
    payment_id: (quote) => quote.paymentId,
    partner_quote_id: (quote) => quote.partnerQuoteId,
    source_minor: (quote) => quote.source.amountMinor,
    source_currency: (quote) => quote.source.currency,
    fees_minor: (quote) => quote.fees.amountMinor,
    fees_currency: (quote) => quote.fees.currency,
    rate: (quote) => quote.rate,
    target_minor: (quote) => quote.target.amountMinor,
    target_currency: (quote) => quote.target.currency,
    rate_kind: (quote) => quote.rateKind,
    locked_until_at: (quote) => time(quote.lockedUntilMs),
    expires_at: (quote) => time(quote.expiresAtMs),
    created_at: (quote) => time(quote.createdAtMs),
  },
  changing: {},
  version: null,
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      id: text(row, 'id'),
      paymentId: text(row, 'payment_id'),
      partnerQuoteId: text(row, 'partner_quote_id'),
      source: moneyOf(row, 'source_minor', 'source_currency'),
      fees: moneyOf(row, 'fees_minor', 'fees_currency'),
      rate: text(row, 'rate'),
      target: moneyOf(row, 'target_minor', 'target_currency'),
      rateKind: oneOf(row, 'rate_kind', rateKinds),
      lockedUntilMs: timeMsOrNull(row, 'locked_until_at'),
      expiresAtMs: timeMs(row, 'expires_at'),
      createdAtMs: timeMs(row, 'created_at'),
    }),
});

interface StoredLine extends Tenant, LedgerLine {
  readonly postingId: string;
  readonly lineNumber: number;
  readonly paymentId: string;
  readonly kind: PostingKind;
  readonly atMs: number;
}

const lines = defineTable<StoredLine>({
  name: 'ledger_lines',
  key: {
    org_id: (line) => line.orgId,
    mode: (line) => line.mode,
    posting_id: (line) => line.postingId,
    line_number: (line) => line.lineNumber,
  },
  fixed: {
    payment_id: (line) => line.paymentId,
    kind: (line) => line.kind,
    account: (line) => line.account,
    amount_minor: (line) => line.money.amountMinor,
    currency: (line) => line.money.currency,
    posted_at: (line) => time(line.atMs),
  },
  changing: {},
  version: null,
  read: (row) => ({
    ...tenantColumns(row),
    postingId: text(row, 'posting_id'),
    lineNumber: integer(row, 'line_number'),
    paymentId: text(row, 'payment_id'),
    kind: oneOf(row, 'kind', postingKinds),
    account: oneOf<LedgerAccount>(row, 'account', ledgerAccounts),
    money: moneyOf(row, 'amount_minor', 'currency'),
    atMs: timeMs(row, 'posted_at'),
  }),
});

export function fundsOf(unit: UnitOfWork): Tx['funds'] {
  return {
    get: ({ orgId, mode }, paymentId) =>
      unit.byKey(
        funds,
        [orgId, mode, paymentId],
        'select * from funds where org_id = $1 and mode = $2 and payment_id = $3',
        [orgId, mode, paymentId],
      ),
    open: (limit) =>
      unit.all(
        funds,
        [
          `select * from funds where ${openFundsSql}`,
          // The part of an id behind its prefix orders payments of both origins by creation.
          "order by replace(replace(payment_id, 'inv_', ''), 'pi_', ''), payment_id limit $1",
        ].join(' '),
        [limit],
      ),
    page: (after, limit) =>
      unit.all(
        funds,
        [
          'select * from funds where (org_id, mode, payment_id) > ($1, $2, $3)',
          'order by org_id, mode, payment_id limit $4',
        ].join(' '),
        [after?.orgId ?? '', after?.mode ?? '', after?.paymentId ?? '', limit],
      ),
    insert: (of) => unit.stage(funds.insert(of)),
    update: (of) => unit.stage(funds.update(of)),
  };
}

export function quotesOf(unit: UnitOfWork): Tx['quotes'] {
  return {
    get: ({ orgId, mode }, id) =>
      unit.byKey(
        quotes,
        [orgId, mode, id],
        'select * from quotes where org_id = $1 and mode = $2 and id = $3',
        [orgId, mode, id],
      ),
    insert: (quote) => unit.stage(quotes.insert(quote)),
  };
}

export function ledgerOf(unit: UnitOfWork): Tx['ledger'] {
  return {
    append({ orgId, mode }, paymentId, postingId, posting, atMs) {
      for (const [index, line] of posting.lines.entries()) {
        const { kind } = posting;
        const place = { orgId, mode, postingId, lineNumber: index + 1, paymentId, kind, atMs };
        unit.stage(lines.insert({ ...place, ...line }));
      }
    },
    async ofPayment({ orgId, mode }, paymentId) {
      const found = await unit.all(
        lines,
        [
          'select * from ledger_lines where org_id = $1 and mode = $2 and payment_id = $3',
          'order by posted_at, posting_id, line_number',
        ].join(' '),
        [orgId, mode, paymentId],
      );
      return postingsOf(found);
    },
  };
}

/** Lines of one posting follow each other. */
function postingsOf(found: readonly StoredLine[]): readonly StoredPosting[] {
  const postings = new Map<string, { kind: PostingKind; atMs: number; lines: LedgerLine[] }>();
  for (const { postingId, kind, atMs, account, money } of found) {
    const posting = postings.get(postingId) ?? { kind, atMs, lines: [] };
    posting.lines.push({ account, money });
    postings.set(postingId, posting);
  }
  return [...postings].map(([id, posting]) => Object.freeze({ id, ...posting }));
}
