// What a buyer has paid, or was asked to pay, to an organization in a year or a month. A session
// proves the mailbox of one payment; it reads the others of the same mailbox.
import { tenantOf } from '../../domain/base/tenant.js';
import { isPageOpen, type Payment, paymentStatuses } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import { openPage } from './payment-page.js';

/** Read at once: other requests are answered between two pages. */
export const BUYER_PAGE = 100;

/** `rest`: pages follow. */
export interface BuyerPage {
  readonly payments: readonly Payment[];
  readonly rest: boolean;
}

/** In UTC. */
export interface Period {
  readonly year: number;
  /** From 1; null: the whole year. */
  readonly month: number | null;
}

/** Newest first, by the time of their creation. NotFound as in `openPage`. */
export async function* buyerPages(
  freshDeps: () => Pick<Deps, 'store'>,
  publicId: string,
  period: Period,
): AsyncGenerator<BuyerPage> {
  const { year, month } = period;
  const fromMs = Date.UTC(year, (month ?? 1) - 1);
  for (let [beforeMs, beforeId] = [Date.UTC(year, month ?? 12), '']; ; ) {
    const place = { fromMs, beforeMs, beforeId, limit: BUYER_PAGE + 1 };
    const found = await freshDeps().store.run(async (tx) => {
      const payment = await openPage(tx, publicId);
      const tenant = tenantOf(payment);
      const ofStatuses = paymentStatuses.map((status) =>
        tx.payments.newestOfBuyer(tenant, payment.buyerId, status, place),
      );
      return (await Promise.all(ofStatuses)).flat();
    });
    const page = found.toSorted(newestFirst).slice(0, BUYER_PAGE);
    const rest = found.length > BUYER_PAGE;
    yield { payments: page.filter(isPageOpen), rest };
    const last = page.at(-1);
    if (last === undefined || !rest) return;
    [beforeMs, beforeId] = [last.createdAtMs, last.id];
  }
}

/** The first page. */
export async function readBuyerPayments(
  deps: Pick<Deps, 'store'>,
  publicId: string,
  period: Period,
): Promise<BuyerPage> {
  for await (const page of buyerPages(() => deps, publicId, period)) return page;
  return { payments: [], rest: false };
}

function newestFirst(one: Payment, other: Payment): number {
  return other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1);
}
