// What the home page of the dashboard shows of a tenant's payments: what sellers were paid by day,
// payments by state, and the payments that wait for somebody.
import { money } from '../../domain/base/money.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { dayOf, daysAfter, startOfDay } from '../../domain/base/time-zone.js';
import type { PaymentView } from '../../domain/payments/change.js';
import { PAYOUT_CURRENCY } from '../../domain/payments/funds.js';
import type { Deps } from '../../ports/deps.js';
import { momentOf } from '../service/id-moments.js';

/** Today and the days before it. */
const FIGURE_DAYS = 30;
/** What is older than so many days is old. */
const RECENT_DAYS = 7;
/** Counts of a state stop here, so that the read stays cheap. */
export const COUNT_MAX = 5_000;

export type PaymentFigures = Awaited<ReturnType<typeof readFigures>>;

/** By the days of the zone. */
export async function readFigures(deps: Deps, tenant: Tenant, timeZone: string) {
  const today = dayOf(timeZone, deps.clock.nowMs());
  const start = (index: number) => startOfDay(timeZone, daysAfter(today, index + 1 - FIGURE_DAYS));
  const daysMs = Array.from({ length: FIGURE_DAYS }, (_, index) => start(index));
  const counted = {
    fromMoment: momentOf(deps, start(0)),
    oldBefore: momentOf(deps, start(FIGURE_DAYS - RECENT_DAYS)),
    countMax: COUNT_MAX,
  };
  const [counts, before, paidOut] = await deps.store.run((tx) =>
    Promise.all([
      tx.views.countsByStatus(tenant, counted),
      tx.ledger.paidOut(tenant, start(-FIGURE_DAYS), start(0)),
      Promise.all(daysMs.map((dayMs, index) => tx.ledger.paidOut(tenant, dayMs, start(index + 1)))),
    ]),
  );
  const none = money(0n, PAYOUT_CURRENCY);
  return {
    /** The starts of the days, oldest first. */
    daysMs,
    /** Payments made in these days; those from before the last seven are old. */
    counts,
    /** In BRL by day, in the order of `daysMs`. */
    paidOut: paidOut.map(([paid]) => paid ?? none),
    /** In as many days before them. */
    paidBefore: before[0] ?? none,
  };
}

/** Payments whose money is owed to the buyer or needs an operator, newest first. */
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
