// The payments of a month that have a proof, for each payee.

import { daysOfMonth } from '../../domain/accounting/accounting.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { endOfDay, startOfDay } from '../../domain/base/time-zone.js';
import type { Deps } from '../../ports/deps.js';
import { loadOrganization } from '../parties/organizations.js';
import { allPayments, listPayments } from '../payments/payment-lists.js';

const PAGE_PAYMENTS = 200;

export interface PayeeMonth {
  /** Null: the organization itself. */
  readonly sellerExternalId: string | null;
  readonly payee: string;
  readonly paymentIds: readonly string[];
}

/** Each payee once, by name. `month` is YYYY-MM in the time zone of the organization. */
export async function payeesOfMonth(
  deps: Deps,
  tenant: Tenant,
  month: string,
): Promise<readonly PayeeMonth[]> {
  const { name, timeZone } = await deps.store.run((tx) => loadOrganization(tx, tenant.orgId));
  const { from, to } = daysOfMonth(month);
  const range = { settledFromMs: startOfDay(timeZone, from), settledToMs: endOfDay(timeZone, to) };
  const payees = new Map<string | null, PayeeMonth & { readonly paymentIds: string[] }>();
  for (let beforeId: string | null = null; ; ) {
    const page = { ...allPayments, ...range, beforeId, limit: PAGE_PAYMENTS };
    const views = await listPayments(deps, tenant, page);
    for (const { payment } of views) {
      const { id, sellerExternalId, payeeName } = payment;
      const payee = payeeName ?? name;
      const known = payees.get(sellerExternalId) ?? { sellerExternalId, payee, paymentIds: [] };
      known.paymentIds.push(id);
      payees.set(sellerExternalId, known);
    }
    if (views.length < PAGE_PAYMENTS) break;
    beforeId = views.at(-1)?.payment.id ?? null;
  }
  return [...payees.values()].sort((one, other) => (one.payee < other.payee ? -1 : 1));
}
