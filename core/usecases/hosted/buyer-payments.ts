// What a buyer has paid, or was asked to pay, to an organization in a year or a month. A session
// proves the mailbox of one payment; it reads the others of the same mailbox.
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { isPageOpen, type Payment, paymentStatuses } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { openPage, taxIdLast4Of } from './payment-page.js';

/** Read at once: other requests are answered between two pages. */
export const BUYER_PAGE = 100;

/** `rest`: pages follow. */
export interface BuyerPage {
  readonly payments: readonly Payment[];
  /** The end of the seller's tax id by payment, where it is known. */
  readonly taxIdsLast4: ReadonlyMap<string, string>;
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
    const { page, taxIdsLast4, rest } = await freshDeps().store.run(async (tx) => {
      const payment = await openPage(tx, publicId);
      const tenant = tenantOf(payment);
      const ofStatuses = paymentStatuses.map((status) =>
        tx.payments.newestOfBuyer(tenant, payment.buyerId, status, place),
      );
      const found = (await Promise.all(ofStatuses)).flat();
      const newest = found.toSorted(newestFirst).slice(0, BUYER_PAGE);
      const taxIds = await taxIdsOf(tx, tenant, newest);
      return { page: newest, taxIdsLast4: taxIds, rest: found.length > BUYER_PAGE };
    });
    yield { payments: page.filter(isPageOpen), taxIdsLast4, rest };
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
  return { payments: [], taxIdsLast4: new Map(), rest: false };
}

async function taxIdsOf(
  tx: Tx,
  tenant: Tenant,
  payments: readonly Payment[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Set(payments.map(({ sellerExternalId }) => sellerExternalId));
  const read = [...names].map(
    async (name) => [name, name && (await tx.accounts.byExternalId(tenant, name))] as const,
  );
  const sellers = new Map(await Promise.all(read));
  const known = payments.flatMap((payment) => {
    const last4 = taxIdLast4Of(payment, sellers.get(payment.sellerExternalId) || null);
    return last4 === null ? [] : [[payment.id, last4] as const];
  });
  return new Map(known);
}

function newestFirst(one: Payment, other: Payment): number {
  return other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1);
}
