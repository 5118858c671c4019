// The books of a fake partner: its transactions, oldest first, each as it is now. Only one with a
// memory can list them; an entry is read by its id, too.
import { money } from '../../core/domain/base/money.js';
import type { Mode } from '../../core/domain/base/tenant.js';
import type { EntryKind } from '../../core/domain/deposits/book-reading.js';
import { assert } from '../../core/errors.js';
import type {
  PartnerAnswer,
  PartnerEntry,
  PartnerReports,
  PartnerStatement,
} from '../../core/ports/partner.js';
import type { FakeMemory, StoredTransaction } from './fake-memory.js';
import type { PayerNameOf } from './fake-sandbox.js';
import { notFound, payerNamed, readPayin, readPayout, referenceIn } from './fake-transaction.js';

const PAGE_SIZE = 100;

export interface FakeBooks {
  readonly mode: Mode;
  /** Who pays a transfer to this party that no pay-in ordered. */
  readonly payerName: PayerNameOf | null;
  /** The current report of a transaction. */
  report<K extends EntryKind>(kind: K, partnerRef: string): Promise<PartnerReports[K]>;
}

/** A cursor counts the transactions before it: transactions are only appended. */
export function statementOf(
  books: FakeBooks,
  memory: FakeMemory,
  pageSize = PAGE_SIZE,
): PartnerStatement {
  const { mode } = books;
  return {
    async page(kind, { sinceMs, cursor }) {
      const start = cursorForm.test(cursor ?? '0') ? Number.parseInt(cursor ?? '0', 10) : null;
      if (start === null) return { outcome: 'refused', ...notFound('cursor') };
      const transactions = memory.transactions(mode, kind);
      const shown = transactions
        .slice(start, start + pageSize)
        .filter(({ atMs }) => atMs >= sinceMs);
      const entries: PartnerEntry[] = [];
      for (const transaction of shown) entries.push(await entryOf(books, kind, transaction));
      const end = start + pageSize;
      const nextCursor = end < transactions.length ? `${end}` : null;
      return done({ entries, unreadable: [], nextCursor });
    },
    read: (kind, partnerRef) => readEntry(books, memory, kind, partnerRef),
  };
}

/** Without a memory there is each transaction that an id describes. */
export async function readEntry(
  books: FakeBooks,
  memory: FakeMemory | null,
  kind: EntryKind,
  partnerRef: string,
): Promise<PartnerAnswer<PartnerEntry>> {
  const { mode } = books;
  const described = describedBy(mode, kind, partnerRef);
  const transaction =
    described === null || memory === null
      ? described
      : memory.find({ mode, kind, reference: described.key });
  if (transaction?.partnerRef !== partnerRef)
    return { outcome: 'refused', ...notFound('transaction') };
  return done(await entryOf(books, kind, transaction));
}

/** What an id says of its transaction; `key`: under which a memory has it. */
function describedBy(mode: Mode, kind: EntryKind, partnerRef: string) {
  const reference = referenceIn(mode, kind, partnerRef);
  if (reference === null) return null;
  if (kind === 'payin') {
    const { preparedAtMs: atMs = 0, payee = null } = readPayin(mode, partnerRef) ?? {};
    return { key: payee === null ? reference : partnerRef, partnerRef, atMs };
  }
  return { key: reference, partnerRef, atMs: readPayout(mode, partnerRef)?.atMs ?? 0 };
}

const cursorForm = /^\d{1,9}$/;

/** Its memory knows neither quote nor party of a transaction: our reference names it. */
async function entryOf(
  books: FakeBooks,
  kind: EntryKind,
  { partnerRef, atMs: createdAtMs }: Pick<StoredTransaction, 'partnerRef' | 'atMs'>,
): Promise<PartnerEntry> {
  const named = referenceIn(books.mode, kind, partnerRef);
  assert(named !== null, 'the books have transactions of their partner');
  const partyRef = kind === 'payin' ? (readPayin(books.mode, partnerRef)?.payee ?? null) : null;
  const isCollected = partyRef !== null;
  const name = isCollected ? ((await books.payerName?.(named, partyRef)) ?? null) : null;
  const payer = name === null ? { name, bank: null, trace: null } : payerNamed(name);
  const head = {
    reference: isCollected ? null : named,
    partnerRef,
    createdAtMs,
    partnerQuoteId: null,
    partyRef,
    payer: isCollected ? { ...payer, texts: [named] } : null,
  };
  const rest =
    kind === 'payin' ? await payinPart(books, partnerRef) : await payoutPart(books, partnerRef);
  return { ...head, ...rest };
}

async function payinPart({ mode, report }: FakeBooks, partnerRef: string) {
  const payin = readPayin(mode, partnerRef);
  assert(payin !== null, 'the books have transactions of their partner');
  const { status, received, transactionHash, asset = null } = await report('payin', partnerRef);
  const amount = status === 'completed' ? received : money(payin.amountMinor, payin.currency);
  return { kind: 'payin' as const, status, amount, transactionHash, asset };
}

async function payoutPart({ mode, report }: FakeBooks, partnerRef: string) {
  const payout = readPayout(mode, partnerRef);
  assert(payout !== null, 'the books have transactions of their partner');
  const { status, settled, fxRate } = await report('payout', partnerRef);
  return { kind: 'payout' as const, status, amount: payout.source, settled, fxRate };
}

function done<T>(value: T): PartnerAnswer<T> {
  return { outcome: 'done', value };
}
