// How many things need the members of an organization, for the menu of its pages. Each count stops
// early: every page reads them.
import type { Tenant } from '../../domain/base/tenant.js';
import { dayOf } from '../../domain/base/time-zone.js';
import type { Deps } from '../../ports/deps.js';
import { listDead } from '../webhooks/deliveries.js';
import { listFailing } from '../webhooks/subscription-health.js';
import { allPayments, dueFilter, listPayments } from './payment-lists.js';

/** Counts stop here. */
export const NEEDS_MAX = 10;

export type OrganizationNeeds = Awaited<ReturnType<typeof countNeeds>>;

/** Payments to approve, invoices by the days of the zone, subscriptions whose receiver fails. */
export async function countNeeds(deps: Deps, tenant: Tenant, timeZone: string) {
  const counted = { ...allPayments, limit: NEEDS_MAX };
  const overdueOn = dayOf(timeZone, deps.clock.nowMs());
  const due = dueFilter(null, { from: null, to: null, overdueOn });
  const [approvals, overdue, dead, failing] = await Promise.all([
    listPayments(deps, tenant, { ...counted, statuses: ['awaiting_approval'] }),
    listPayments(deps, tenant, { ...counted, origins: ['invoice'], ...due }),
    listDead(deps, tenant, 1),
    listFailing(deps, tenant),
  ]);
  const worst = new Set([...dead, ...failing].map(({ subscription: { id } }) => id));
  return { approvals: approvals.length, overdue: overdue.length, failing: worst.size };
}
