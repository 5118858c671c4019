// The lists of pay-ins and payouts: what BlindPay has done, whether we ordered it or not. A deposit
// into a virtual account is a pay-in too. Its quote is not one of ours, or absent.
//
// listed-order.ts says when a list is over.
import { z } from 'zod';
import { money } from '../../../core/domain/base/money.js';
import type { EntryKind } from '../../../core/domain/deposits/book-reading.js';
import type {
  PartnerAnswer,
  PartnerEntry,
  PartnerStatement,
  StatementPage,
  UnreadableEntry,
} from '../../../core/ports/partner.js';
import {
  type BlindPayContext,
  CURRENCY,
  done,
  idText,
  joinIds,
  later,
  readObject,
  refused,
  splitIds,
} from './blindpay-context.js';
import { isPast, type ListPlace, listStart, placeAfter } from './listed-order.js';
import { payerOf, payinReport, payinShape } from './payins.js';
import { describedCommand, payoutReport, payoutShape } from './payouts.js';

/** The place of an item in its list, for a page on which other fields cannot be read. */
const listedItem = z.looseObject({
  id: idText,
  created_at: z.string().refine((text) => Number.isFinite(Date.parse(text))),
});
const listed = {
  ...listedItem.shape,
  customer_id: z.string().nullish(),
  sender_amount: z.int().nonnegative(),
};
const listedPayin = payinShape.extend({
  ...listed,
  currency: z.string().nullish(),
});
const listedPayout = payoutShape.extend(listed);
type ListedPayin = z.output<typeof listedPayin>;
type ListedPayout = z.output<typeof listedPayout>;

export function statementOf(desk: BlindPayContext): PartnerStatement {
  const books: Readonly<Record<EntryKind, Book>> = {
    payin: bookOf(desk, 'payins', listedPayin, payinEntry),
    payout: bookOf(desk, 'payouts', listedPayout, payoutEntry),
  };
  return {
    page: (kind, query) => books[kind].page(query),
    read: (kind, partnerRef) => books[kind].read(partnerRef),
  };
}

interface Book {
  page(query: Parameters<PartnerStatement['page']>[1]): Promise<PartnerAnswer<StatementPage>>;
  read(partnerRef: string): Promise<PartnerAnswer<PartnerEntry>>;
}

function bookOf<T extends { readonly id: string; readonly created_at: string }>(
  desk: BlindPayContext,
  path: string,
  shape: z.ZodType<T>,
  entryOf: (desk: BlindPayContext, item: T) => PartnerAnswer<PartnerEntry>,
): Book {
  const readItem = (item: unknown): PartnerAnswer<PartnerEntry> => {
    const { data, error } = shape.safeParse(item);
    if (error === undefined) return entryOf(desk, data);
    return later(`another form: ${error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  };
  return {
    async page({ sinceMs, cursor }) {
      const place = cursor === null ? start : readCursor(cursor);
      if (place === null) return refused('cursor_invalid', 'This statement has no such cursor.');
      const page = await desk.client.page(`/instances/:instance/${path}`, listedItem, place.id);
      if (page.outcome !== 'done') return page;
      const { items, hasMore, isCut } = page.value;
      if (isCut) return later('BlindPay lists more than can be read');
      const entries: PartnerEntry[] = [];
      const unreadable: UnreadableEntry[] = [];
      let at = place;
      for (const item of items) {
        const atMs = Date.parse(item.created_at);
        at = { id: item.id, ...placeAfter(at, atMs) };
        if (atMs < sinceMs) continue;
        const entry = readItem(item);
        if (entry.outcome === 'done') entries.push(entry.value);
        else unreadable.push({ partnerRef: item.id, reason: reasonOf(entry) });
      }
      const isOver = !hasMore || isPast(at, sinceMs);
      return done({ entries, unreadable, nextCursor: isOver ? null : cursorOf(at) });
    },
    async read(partnerRef) {
      const item = await readObject(desk, path, partnerRef, shape);
      return item.outcome === 'done' ? entryOf(desk, item.value) : item;
    },
  };
}

function reasonOf(answer: Exclude<PartnerAnswer<unknown>, { readonly outcome: 'done' }>): string {
  return answer.outcome === 'refused' ? answer.message : answer.reason;
}

interface Place extends ListPlace {
  /** The last item that was read. */
  readonly id: string | null;
}

const start: Place = { id: null, ...listStart };

function cursorOf({ id, atMs, falls }: Place): string {
  return joinIds([`${id}`, `${atMs}`, `${falls ?? 'none'}`]);
}

function readCursor(text: string): Place | null {
  const parts = splitIds(text, ['id', 'at', 'falls']);
  const [at, falls] = [countOf(parts?.at), countOf(parts?.falls)];
  if (parts === null || at === null || (falls === null && parts.falls !== 'none')) return null;
  return { id: parts.id, atMs: at, falls };
}

function countOf(text = ''): number | null {
  return /^\d{1,15}$/.test(text) ? Number.parseInt(text, 10) : null;
}

function payinEntry(desk: BlindPayContext, payin: ListedPayin): PartnerAnswer<PartnerEntry> {
  const { id, customer_id: customer, payin_quote_id: quote, currency } = payin;
  const report = payinReport(desk, payin);
  if (report.outcome !== 'done') return report;
  const { status, transactionHash, asset = null } = report.value;
  return done({
    kind: 'payin',
    partnerRef: id,
    reference: null,
    partyRef: customer ?? null,
    partnerQuoteId: customer && quote ? joinIds([customer, quote]) : null,
    status,
    transactionHash,
    asset,
    amount: money(BigInt(payin.sender_amount), currency ?? CURRENCY),
    createdAtMs: Date.parse(payin.created_at),
    payer: payerOf(payin),
  });
}

function payoutEntry(desk: BlindPayContext, payout: ListedPayout): PartnerAnswer<PartnerEntry> {
  const { id, customer_id: customer, sender_amount: sent, created_at: createdAt } = payout;
  const report = payoutReport(desk, payout);
  if (report.outcome !== 'done') return report;
  const { status, settled, fxRate } = report.value;
  const { reference, amountMinor } = describedCommand(payout.description);
  return done({
    kind: 'payout',
    partnerRef: id,
    reference,
    partnerQuoteId: null,
    partyRef: customer ?? null,
    status,
    // Without our description, the fees of the pay-in are missing in it.
    amount: money(amountMinor ?? BigInt(sent), CURRENCY),
    createdAtMs: Date.parse(createdAt),
    payer: null,
    settled,
    fxRate,
  });
}
