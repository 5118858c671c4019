// What the home page of the dashboard shows of a tenant's payments: money collected by day,
// payments by state, and the payments that wait for somebody.
import { DAY_MS } from '../../domain/base/instant.js';
import type { Money } from '../../domain/base/money.js';
import type { Tenant } from '../../domain/base/tenant.js';
import type { PaymentView } from '../../domain/payments/change.js';
import type { PaymentStatus } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import { momentOf } from '../service/id-moments.js';

/** Today and the days before it, in UTC. */
export const FIGURE_DAYS = 30;
/** Counts of a state stop here, so that the read stays cheap. */
export const COUNT_MAX = 10_000;

export interface PaymentFigures {
  /** The starts of the days, oldest first. */
  readonly daysMs: readonly number[];
  /** By day, in the order of `daysMs`. */
  readonly collected: readonly (readonly Money[])[];
  /** Payments made in these days. */
  readonly counts: readonly { readonly status: PaymentStatus; readonly count: number }[];
}

export async function readFigures(deps: Deps, tenant: Tenant): Promise<PaymentFigures> {
  const todayMs = Math.floor(deps.clock.nowMs() / DAY_MS) * DAY_MS;
  const daysMs = Array.from(
    { length: FIGURE_DAYS },
    (_, index) => todayMs - (FIGURE_DAYS - 1 - index) * DAY_MS,
  );
  const fromMoment = momentOf(deps, daysMs[0] ?? todayMs);
  const [counts, collected] = await deps.store.run((tx) =>
    Promise.all([
      tx.views.countsByStatus(tenant, fromMoment, COUNT_MAX),
      Promise.all(daysMs.map((dayMs) => tx.ledger.collected(tenant, dayMs, dayMs + DAY_MS))),
    ]),
  );
  return { daysMs, counts, collected };
}

/** Payments whose money is owed to the buyer or needs a person, newest first. */
export async function listAttention(
  deps: Deps,
  tenant: Tenant,
  limit: number,
): Promise<readonly PaymentView[]> {
  const views = await deps.store.run(async (tx) => {
    const funds = await tx.funds.attention(tenant, limit);
    return Promise.all(funds.map(({ paymentId }) => tx.views.get(tenant, paymentId)));
  });
  return views.filter((view) => view !== null);
}
