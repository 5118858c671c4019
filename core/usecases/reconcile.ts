// Compares the partner's books with ours, in both directions, and changes nothing. The partner's
// entries are read page by page, and each is compared with our order or receipt; then our orders,
// for those that its pages did not have. What differs is read and compared once more, so that a
// change in between is no difference.
import { SECOND_MS } from '../domain/instant.js';
import { backoffMs } from '../domain/lease.js';
import {
  isMoneyCommand,
  isOpen,
  type MoneyCommand,
  type PartnerCommand,
} from '../domain/partner-command.js';
import { isTerminal } from '../domain/payment.js';
import {
  compareOrder,
  type Difference,
  isInFlight,
  oursOf,
  sorted,
  theirsOf,
} from '../domain/reconciliation.js';
import { type Mode, tenantOf } from '../domain/tenant.js';
import { assert } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { EntryKind, PartnerAnswer, PartnerEntry, PartnerStatement } from '../ports/partner.js';
import type { Tx } from '../ports/storage.js';
import { readReview } from './order-changes.js';

const ORDERS_PER_PAGE = 100;
/** Payments with one quote of the partner. */
const QUOTES_MAX = 10;
/** Reviews that are older than the period are looked for among this many stuck orders. */
const STUCK_MAX = 1_000;
/** Waits before the partner is asked again; the last one repeats. */
const ASK_BACKOFF_MS = [SECOND_MS, 5 * SECOND_MS, 15 * SECOND_MS, 30 * SECOND_MS] as const;

const books: readonly EntryKind[] = ['payout', 'payin'];

export interface ReconcileOptions {
  readonly mode: Mode;
  /** Entries and orders since then are compared; what waits for a person, at any age. */
  readonly sinceMs: number;
  /** All waits for the partner together, as for its rate limit. */
  readonly waitMaxMs: number;
  readonly wait: (ms: number) => Promise<void>;
  readonly onWait: (wait: { readonly reason: string; readonly ms: number }) => void;
}

export interface Reconciliation {
  readonly entries: number;
  readonly orders: number;
  readonly differences: readonly Difference[];
  /** What could not be read: it is neither a difference nor clean. */
  readonly missed: readonly Missed[];
}

export interface Missed {
  readonly book: EntryKind;
  /** One entry; null: the list. */
  readonly partnerRef: string | null;
  readonly reason: string;
}

/** Null if the partner of this mode has no books that can be read. */
export async function reconcile(
  deps: Deps,
  options: ReconcileOptions,
): Promise<Reconciliation | null> {
  const partner = deps.partners[options.mode];
  if (partner?.statement === undefined) return null;
  const run = new Run(deps, options, partner.statement);
  for (const book of books) await run.readBook(book);
  await run.readOrders();
  await run.readHeld();
  await run.readAgain();
  return {
    entries: run.entries,
    orders: run.orders,
    differences: sorted(run.differences),
    missed: run.missed,
  };
}

type Page = Awaited<ReturnType<PartnerStatement['page']>>;

class Run {
  readonly differences: Difference[] = [];
  readonly missed: Missed[] = [];
  entries = 0;
  orders = 0;
  readonly #deps: Deps;
  readonly #options: ReconcileOptions;
  readonly #statement: PartnerStatement;
  /** Books whose list was read to its end. */
  readonly #whole = new Set<EntryKind>();
  /** Entries of the lists: one text each is all that is kept of them. */
  readonly #listed = new Set<string>();
  readonly #doubtful = new Map<string, PartnerEntry>();
  #waitedMs = 0;

  constructor(deps: Deps, options: ReconcileOptions, statement: PartnerStatement) {
    this.#deps = deps;
    this.#options = options;
    this.#statement = statement;
  }

  async readBook(book: EntryKind): Promise<void> {
    const { sinceMs } = this.#options;
    let cursor: string | null = null;
    do {
      const query: Parameters<PartnerStatement['page']>[1] = { sinceMs, cursor };
      const answer: Page = await this.#asked(() => this.#statement.page(book, query));
      if (answer.outcome !== 'done') return this.#miss(book, null, answer);
      await Promise.all(answer.value.entries.map((entry) => this.#compareListed(entry)));
      cursor = answer.value.nextCursor;
    } while (cursor !== null);
    this.#whole.add(book);
  }

  async #compareListed(entry: PartnerEntry): Promise<void> {
    const name = nameOf(entry);
    if (this.#listed.has(name)) return;
    this.#listed.add(name);
    this.entries += 1;
    const found = await this.#compare(entry);
    if (found.length > 0) this.#doubtful.set(name, entry);
  }

  #compare(entry: PartnerEntry): Promise<readonly Difference[]> {
    const { mode } = this.#options;
    const nowMs = this.#deps.clock.nowMs();
    return this.#deps.store.run((tx) => differencesOf(tx, { mode, nowMs }, entry));
  }

  /** Our orders that the partner has accepted. */
  async readOrders(): Promise<void> {
    const { mode, sinceMs } = this.#options;
    for (let after: MoneyCommand | null = null; ; ) {
      const page = { fromMs: after?.createdAtMs ?? sinceMs, afterId: after?.id ?? '' };
      const found: readonly MoneyCommand[] = await this.#deps.store.run((tx) =>
        tx.commands.accepted(mode, { ...page, limit: ORDERS_PER_PAGE }),
      );
      for (const order of found) await this.#lookFor(order);
      after = found.at(-1) ?? null;
      if (after === null) return;
    }
  }

  async #lookFor(order: MoneyCommand): Promise<void> {
    const { kind, partnerRef, mode, lastSentAtMs, createdAtMs } = order;
    assert(partnerRef !== null, 'an accepted order has the id of the partner');
    this.orders += 1;
    if (kind === 'refund') return;
    const first = await this.#deps.store.run((tx) =>
      tx.commands.byPartnerRef(mode, kind, partnerRef),
    );
    if (first !== null && first.id !== order.id && isMoneyCommand(first)) {
      this.differences.push({ ...sidesOf(order), kind: 'two_orders', here: first.id });
    }
    const isListed = this.#listed.has(nameOf({ kind, partnerRef }));
    const isYoung = isInFlight(lastSentAtMs ?? createdAtMs, this.#deps.clock.nowMs());
    if (isListed || isYoung || !this.#whole.has(kind)) return;
    const answer = await this.#asked(() => this.#statement.read(kind, partnerRef));
    if (answer.outcome === 'done') await this.#compareListed(answer.value);
    else if (answer.outcome !== 'refused') this.#miss(kind, partnerRef, answer);
    else this.differences.push({ ...sidesOf(order), kind: 'unknown_there', there: answer.code });
  }

  /** What waits for a person. */
  async readHeld(): Promise<void> {
    const { mode } = this.#options;
    const stuck = await this.#deps.store.run((tx) =>
      tx.commands.list({ stuck: true, limit: STUCK_MAX }),
    );
    for (const order of stuck) {
      if (order.mode !== mode || order.review === null || !isMoneyCommand(order)) continue;
      const here = readReview(order.review).reason;
      this.differences.push({ ...sidesOf(order), kind: 'report_held', here });
    }
  }

  /** Each entry that differed, as it is now. */
  async readAgain(): Promise<void> {
    for (const entry of this.#doubtful.values()) {
      const { kind, partnerRef } = entry;
      const answer = await this.#asked(() => this.#statement.read(kind, partnerRef));
      const current = answer.outcome === 'done' ? answer.value : entry;
      this.differences.push(...(await this.#compare(current)));
    }
  }

  async #asked<T>(ask: () => Promise<PartnerAnswer<T>>): Promise<PartnerAnswer<T>> {
    for (let tries = 0; ; tries += 1) {
      const answer = await ask();
      if (answer.outcome === 'done' || answer.outcome === 'refused') return answer;
      const ms = backoffMs(ASK_BACKOFF_MS, tries);
      if (this.#waitedMs + ms > this.#options.waitMaxMs) return answer;
      this.#waitedMs += ms;
      this.#options.onWait({ reason: answer.reason, ms });
      await this.#options.wait(ms);
    }
  }

  #miss(
    book: EntryKind,
    partnerRef: string | null,
    answer: Exclude<PartnerAnswer<unknown>, { outcome: 'done' }>,
  ): void {
    const reason = answer.outcome === 'refused' ? answer.message : answer.reason;
    this.missed.push({ book, partnerRef, reason });
  }
}

/** One entry, with our side of it as it is now. */
async function differencesOf(
  tx: Tx,
  { mode, nowMs }: { readonly mode: Mode; readonly nowMs: number },
  entry: PartnerEntry,
): Promise<readonly Difference[]> {
  if (isInFlight(entry.createdAtMs, nowMs)) return [];
  const own = await orderWith(tx, mode, entry);
  const named =
    own === null ? await quotedOrder(tx, mode, entry) : await namedOrder(tx, mode, entry);
  const sides = { book: entry.kind, theirs: theirsOf(entry), here: null, there: null };
  const isNamedElse = named !== null && named.id !== own?.id;
  if (isNamedElse && named.partnerRef !== null) {
    return [{ ...sides, kind: 'two_objects', ours: oursOf(named) }];
  }
  const order = own ?? named;
  if (order === null) return [{ ...sides, kind: 'unknown_here', ours: null }];
  if (order.partnerRef === null) {
    const isYoung = isInFlight(order.lastSentAtMs ?? order.createdAtMs, nowMs);
    return isYoung ? [] : [{ ...sides, kind: 'not_accepted', ours: oursOf(order) }];
  }
  return comparedWith(tx, order, entry);
}

/** The order with the partner's id. */
async function orderWith(tx: Tx, mode: Mode, { kind, partnerRef }: PartnerEntry) {
  return moneyOrder(await tx.commands.byPartnerRef(mode, kind, partnerRef));
}

/** The order whose reference the partner stores. */
async function namedOrder(tx: Tx, mode: Mode, { kind, reference }: PartnerEntry) {
  const named = reference === null ? null : await tx.commands.byReference(mode, reference);
  return named?.kind === kind ? moneyOrder(named) : null;
}

/** The same, or the pay-in that was sent with the quote of the entry. */
async function quotedOrder(tx: Tx, mode: Mode, entry: PartnerEntry) {
  const named = await namedOrder(tx, mode, entry);
  if (named !== null || entry.partnerQuoteId === null) return named;
  for (const quote of await tx.quotes.byPartnerQuoteId(mode, entry.partnerQuoteId, QUOTES_MAX)) {
    const [payment, all] = await Promise.all([
      tx.payments.get(tenantOf(quote), quote.paymentId),
      tx.commands.ofPayment(tenantOf(quote), quote.paymentId),
    ]);
    const payins = all.filter(({ kind }) => kind === 'payin');
    const unanswered = payins.find(({ partnerRef, lastSentAtMs }) => !partnerRef && lastSentAtMs);
    const order = unanswered ?? (payment?.quoteId === quote.id ? payins.at(-1) : undefined);
    if (order !== undefined) return order;
  }
  return null;
}

function moneyOrder(command: PartnerCommand | null): MoneyCommand | null {
  return command !== null && isMoneyCommand(command) ? command : null;
}

async function comparedWith(
  tx: Tx,
  order: MoneyCommand,
  entry: PartnerEntry,
): Promise<readonly Difference[]> {
  const payment = await tx.payments.get(tenantOf(order), order.paymentId);
  assert(payment !== null, 'an order has its payment');
  // Nobody waits for its money: it is polled rarely, or not at all.
  const isAbandoned = order.kind === 'payin' && (isTerminal(payment.status) || !isOpen(order));
  const isUnpaid = order.receivedMinor === 0n && ['failed', 'returned'].includes(entry.status);
  return isAbandoned && isUnpaid ? [] : compareOrder(order, payment, entry);
}

function sidesOf(order: MoneyCommand) {
  return { book: order.kind, ours: oursOf(order), theirs: null, here: null, there: null };
}

function nameOf({ kind, partnerRef }: Pick<PartnerEntry, 'kind' | 'partnerRef'>): string {
  return `${kind} ${partnerRef}`;
}
