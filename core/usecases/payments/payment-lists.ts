// Lists of a tenant's payments: the newest first, or by their latest change for a copy elsewhere.
import { LATEST_MS, MINUTE_MS } from '../../domain/base/instant.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { daysAfter } from '../../domain/base/time-zone.js';
import type { ShownView } from '../../domain/payments/change.js';
import { type PaymentOrigin, paymentOrigins } from '../../domain/payments/payment.js';
import { awaitedStatuses } from '../../domain/payments/situation.js';
import type { Deps } from '../../ports/deps.js';
import type { TenantPaymentFilter } from '../../ports/storage.js';
import { momentOf } from '../service/id-moments.js';

/**
 * A change can be stored later than one with a later `updatedAt`, by what a batch waits at most
 * (33 s on PostgreSQL). Pages of changes begin this much earlier, so that they miss none.
 */
const LATE_CHANGE_MS = MINUTE_MS;

const FIRST_DAY = '0000-01-01';
const LAST_DAY = '9999-12-31';

export type PaymentListFilter = Omit<
  TenantPaymentFilter,
  'fromMoment' | 'beforeMoment' | 'settled'
> & {
  readonly createdFromMs: number | null;
  /** Exclusive. */
  readonly createdToMs: number | null;
  /** With one of these two, the latest settlement is first. */
  readonly settledFromMs: number | null;
  /** Exclusive. */
  readonly settledToMs: number | null;
};

/** The first page of all payments has this filter and a limit. */
export const allPayments = Object.freeze({
  origins: paymentOrigins,
  statuses: null,
  id: null,
  externalId: null,
  sellerExternalId: null,
  buyerId: null,
  amount: null,
  createdFromMs: null,
  createdToMs: null,
  settledFromMs: null,
  settledToMs: null,
  due: null,
  beforeId: null,
  afterId: null,
}) satisfies Omit<PaymentListFilter, 'limit'>;

/** Due in some days, or also overdue on a day; all days if none is given. */
export interface DueDays {
  readonly from: string | null;
  readonly to: string | null;
  /** The day on which they are overdue; null for all. */
  readonly overdueOn: string | null;
}

/** The part of a filter that finds what is due then. The earliest due day is first. */
export function dueFilter(
  statuses: PaymentListFilter['statuses'],
  { from, to, overdueOn }: DueDays,
): Pick<PaymentListFilter, 'statuses' | 'due'> {
  if (from === null && to === null && overdueOn === null) return { statuses, due: null };
  const due = { from: from ?? FIRST_DAY, to: to ?? LAST_DAY, isUncovered: overdueOn !== null };
  if (overdueOn === null) return { statuses, due };
  const lastDay = daysAfter(overdueOn, -1);
  return {
    statuses: awaitedStatuses.filter((status) => (statuses ?? awaitedStatuses).includes(status)),
    due: { ...due, to: due.to < lastDay ? due.to : lastDay },
  };
}

export async function listPayments(
  deps: Deps,
  tenant: Tenant,
  { createdFromMs, createdToMs, settledFromMs, settledToMs, ...filter }: PaymentListFilter,
): Promise<readonly ShownView[]> {
  const fromMoment = createdFromMs === null ? null : momentOf(deps, createdFromMs);
  const beforeMoment = createdToMs === null ? null : momentOf(deps, createdToMs);
  const settled =
    settledFromMs === null && settledToMs === null
      ? null
      : { fromMs: settledFromMs ?? 0, beforeMs: settledToMs ?? LATEST_MS };
  return deps.store.run((tx) =>
    tx.views.listPayments(tenant, { ...filter, fromMoment, beforeMoment, settled }),
  );
}

export interface ChangePosition {
  /** The time of the first page: later changes belong to the next list. */
  readonly untilMs: number;
  readonly updatedAtMs: number;
  readonly id: string;
}

export interface ChangeFilter {
  readonly origins: readonly PaymentOrigin[];
  readonly sinceMs: number;
  /** Null for the first page. */
  readonly after: ChangePosition | null;
  readonly limit: number;
}

/**
 * Payments that changed since a moment, oldest change first. A caller that repeats it from the
 * latest `updatedAt` of a complete list misses no change. Changes of its last minute are repeated.
 */
export async function listChangedPayments(
  deps: Deps,
  tenant: Tenant,
  { origins, sinceMs, after, limit }: ChangeFilter,
): Promise<{ readonly untilMs: number; readonly views: readonly ShownView[] }> {
  const untilMs = after?.untilMs ?? deps.clock.nowMs();
  const fromMs = after?.updatedAtMs ?? Math.max(0, sinceMs - LATE_CHANGE_MS);
  const page = { origins, untilMs, fromMs, afterId: after?.id ?? '', limit };
  return { untilMs, views: await deps.store.run((tx) => tx.views.updatedPayments(tenant, page)) };
}
