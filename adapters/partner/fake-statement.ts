// The books of a fake partner with a memory: its orders, oldest first, each as it is now.
import { money } from '../../core/domain/money.js';
import type { Mode } from '../../core/domain/tenant.js';
import { assert } from '../../core/errors.js';
import type {
  EntryKind,
  PartnerAnswer,
  PartnerEntry,
  PartnerReports,
  PartnerStatement,
} from '../../core/ports/partner.js';
import type { FakeMemory, StoredOrder } from './fake-memory.js';
import { notFound, readPayin, readPayout, referenceIn } from './fake-order.js';

const PAGE_SIZE = 100;

export interface Books {
  readonly mode: Mode;
  readonly memory: FakeMemory;
  /** The current report of an order. */
  report<K extends EntryKind>(kind: K, partnerRef: string): Promise<PartnerReports[K]>;
}

/** A cursor counts the orders before it: orders are only appended. */
export function statementOf(books: Books, pageSize = PAGE_SIZE): PartnerStatement {
  const { mode, memory } = books;
  return {
    async page(kind, { sinceMs, cursor }) {
      const start = cursorForm.test(cursor ?? '0') ? Number.parseInt(cursor ?? '0', 10) : null;
      if (start === null) return { outcome: 'refused', ...notFound('cursor') };
      const orders = memory.orders(mode, kind);
      const shown = orders.slice(start, start + pageSize).filter(({ atMs }) => atMs >= sinceMs);
      const entries: PartnerEntry[] = [];
      for (const order of shown) entries.push(await entryOf(books, kind, order));
      const end = start + pageSize;
      return done({ entries, nextCursor: end < orders.length ? `${end}` : null });
    },
    async read(kind, partnerRef) {
      const reference = referenceIn(mode, kind, partnerRef);
      const order = reference === null ? null : memory.find({ mode, kind, reference });
      if (order?.partnerRef !== partnerRef) return { outcome: 'refused', ...notFound('order') };
      return done(await entryOf(books, kind, order));
    },
  };
}

const cursorForm = /^\d{1,9}$/;

/** Its memory knows neither quote nor party of an order: our reference names it. */
async function entryOf(books: Books, kind: EntryKind, order: StoredOrder): Promise<PartnerEntry> {
  const { reference, partnerRef, atMs: createdAtMs } = order;
  const head = { reference, partnerRef, createdAtMs, partnerQuoteId: null, receiverRef: null };
  const rest = kind === 'payin' ? await payinPart(books, order) : await payoutPart(books, order);
  return { ...head, payer: null, ...rest };
}

async function payinPart({ mode, report }: Books, { partnerRef }: StoredOrder) {
  const payin = readPayin(mode, partnerRef);
  assert(payin !== null, 'the memory has orders of its partner');
  const { status, receivedMinor, transactionHash } = await report('payin', partnerRef);
  const amountMinor = status === 'completed' ? receivedMinor : payin.amountMinor;
  const amount = money(amountMinor, payin.currency);
  return { kind: 'payin' as const, status, amount, transactionHash };
}

async function payoutPart({ mode, report }: Books, { partnerRef }: StoredOrder) {
  const payout = readPayout(mode, partnerRef);
  assert(payout !== null, 'the memory has orders of its partner');
  const { status, settled, fxRate } = await report('payout', partnerRef);
  return { kind: 'payout' as const, status, amount: payout.source, settled, fxRate };
}

function done<T>(value: T): PartnerAnswer<T> {
  return { outcome: 'done', value };
}
