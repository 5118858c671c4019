// What a buyer has paid, or was asked to pay, to an organization in a year or a month. A session
// proves the mailbox of one payment; it reads the others of the same mailbox.
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { type Period, rangeOf, yearOf } from '../../domain/base/time-zone.js';
import { receiptOf, type Settlement, settlementsOf } from '../../domain/commands/settlement.js';
import { isPageOpen, type Payment, paymentStatuses } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { loadOrganization } from '../parties/organizations.js';
import { openPage, taxIdLast4Of } from './payment-page.js';

/** Read at once: other requests are answered between two pages. */
export const BUYER_PAGE = 100;

/** `rest`: pages follow. */
export interface BuyerPage {
  readonly payments: readonly Payment[];
  /** What a receipt says, by payment; only of those that changed after their settlement. */
  readonly settlements: ReadonlyMap<string, Settlement>;
  /** The end of the seller's tax id by payment, where it is known. */
  readonly taxIdsLast4: ReadonlyMap<string, string>;
  readonly rest: boolean;
}

/** By the days of the organization, newest first by their creation. NotFound as in `openPage`. */
export async function* buyerPages(
  freshDeps: () => Pick<Deps, 'store'>,
  publicId: string,
  period: Period,
): AsyncGenerator<BuyerPage> {
  for (let after: Payment | null = null; ; ) {
    const { page, ...known } = await freshDeps().store.run(async (tx) => {
      const payment = await openPage(tx, publicId);
      const tenant = tenantOf(payment);
      const { fromMs, beforeMs } = rangeOf(
        (await loadOrganization(tx, tenant.orgId)).timeZone,
        period,
      );
      const place = {
        fromMs,
        beforeMs: after?.createdAtMs ?? beforeMs,
        beforeId: after?.id ?? '',
        limit: BUYER_PAGE + 1,
      };
      const ofStatuses = paymentStatuses.map((status) =>
        tx.payments.newestOfBuyer(tenant, payment.buyerId, status, place),
      );
      const found = (await Promise.all(ofStatuses)).flat();
      const newest = found.toSorted(newestFirst).slice(0, BUYER_PAGE);
      const taxIds = await taxIdsOf(tx, tenant, newest);
      const settlements = await laterSettlements(tx, tenant, newest);
      const rest = found.length > BUYER_PAGE;
      return { page: newest, settlements, taxIdsLast4: taxIds, rest };
    });
    yield { payments: page.filter(isPageOpen), ...known };
    after = page.at(-1) ?? null;
    if (after === null || !known.rest) return;
  }
}

/** The present year of the organization. NotFound as in `openPage`. */
export async function presentYear(deps: Deps, publicId: string): Promise<Period> {
  const { timeZone } = await deps.store.run(async (tx) =>
    loadOrganization(tx, (await openPage(tx, publicId)).orgId),
  );
  return yearOf(timeZone, deps.clock.nowMs());
}

/** The first page. */
export async function readBuyerPayments(
  deps: Pick<Deps, 'store'>,
  publicId: string,
  period: Period,
): Promise<BuyerPage> {
  for await (const page of buyerPages(() => deps, publicId, period)) return page;
  return { payments: [], settlements: new Map(), taxIdsLast4: new Map(), rest: false };
}

/** Few payments change after their settlement: a payout came back, or a bank took money back. */
async function laterSettlements(
  tx: Tx,
  tenant: Tenant,
  payments: readonly Payment[],
): Promise<ReadonlyMap<string, Settlement>> {
  const changed = payments.filter(
    ({ settledAtMs, updatedAtMs }) => settledAtMs !== null && updatedAtMs > settledAtMs,
  );
  const read = changed.map(async ({ id }) => {
    const settlement = receiptOf(settlementsOf(await tx.commands.ofPayment(tenant, id)));
    return settlement === null ? [] : [[id, settlement] as const];
  });
  return new Map((await Promise.all(read)).flat());
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
