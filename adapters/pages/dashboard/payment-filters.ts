// The filters of lists of payments and of their export, as the address keeps them.
import { endOfDay, startOfDay } from '../../../core/domain/base/time-zone.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import {
  type PaymentOrigin,
  type PaymentStatus,
  paymentOrigins,
  paymentStatuses,
} from '../../../core/domain/payments/payment.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { DashboardActor } from '../../../core/usecases/access/sessions.js';
import {
  allPayments,
  listPayments,
  type PaymentListFilter,
} from '../../../core/usecases/payments/payment-lists.js';
import { searchPayments } from '../../../core/usecases/payments/payment-search.js';
import {
  type Chip,
  day,
  type Given,
  linked,
  search,
  select,
  tabsWithin,
} from '../kit/pages/list-page.js';
import type { DashboardScene } from './dashboard-scene.js';
import { groupOf, type PaymentGroup, paymentGroups, statusesOf } from './payment-groups.js';

const lengthMax = 200;
type Chosen = PaymentGroup | PaymentStatus;

/** The only state of a group has its name. */
function chosenIn(text: string): Chosen | null {
  const status = paymentStatuses.find((known) => known === text);
  if (status === undefined) return paymentGroups.find((known) => known === text) ?? null;
  return statusesOf(groupOf[status]).length === 1 ? groupOf[status] : status;
}

function statusesIn(chosen: string): readonly PaymentStatus[] {
  const group = paymentGroups.find((known) => known === chosen);
  return group === undefined ? paymentStatuses.filter((one) => one === chosen) : statusesOf(group);
}

export const paymentFilters = {
  q: search(lengthMax),
  status: tabsWithin<Chosen>(paymentGroups, chosenIn, statusesIn),
  /** The externalId of a seller. */
  seller: linked(lengthMax),
  // Days of the organization's zone: those of the creation, or of the settlement.
  from: day,
  to: day,
  settledFrom: day,
  settledTo: day,
};
/** Invoices have a separate list. */
export const exportFilters = { origin: select(['invoice']), ...paymentFilters };
export type PaymentFilters = Given<typeof exportFilters>;

type Page = Pick<PaymentListFilter, 'limit'> &
  Partial<Pick<PaymentListFilter, 'beforeId' | 'afterId'>>;

/** Newest first. */
export function readPage(
  deps: Deps,
  {
    organization: { timeZone },
    orgId,
    mode,
  }: Pick<DashboardActor, 'organization' | 'orgId' | 'mode'>,
  { origin, q, status, seller, ...days }: PaymentFilters,
  page: Page,
): Promise<readonly ShownView[]> {
  const start = (text: string | null) => (text === null ? null : startOfDay(timeZone, text));
  const end = (text: string | null) => (text === null ? null : endOfDay(timeZone, text));
  const filter: PaymentListFilter = {
    ...allPayments,
    origins: origin === null ? paymentOrigins : [origin satisfies PaymentOrigin],
    statuses: status === null ? null : statusesIn(status),
    sellerExternalId: seller,
    createdFromMs: start(days.from),
    createdToMs: end(days.to),
    settledFromMs: start(days.settledFrom),
    settledToMs: end(days.settledTo),
    ...page,
  };
  const tenant = { orgId, mode };
  return q === null ? listPayments(deps, tenant, filter) : searchPayments(deps, tenant, q, filter);
}

/** The filters in words. */
export function chipsOf(
  { texts: { payments: words, ...texts }, format }: DashboardScene,
  { q, status, seller, ...days }: Given<typeof paymentFilters>,
): readonly Chip[] {
  const names: Readonly<Record<string, string>> = { ...texts.status, ...texts.groups };
  const between = (
    from: 'from' | 'settledFrom',
    to: 'to' | 'settledTo',
    say: (first: string | null, last: string | null) => string,
  ) => {
    const [first = null, last = null] = [days[from], days[to]].map(
      (text) => text && format.date(text),
    );
    return first === null && last === null
      ? null
      : { text: say(first, last), without: { [from]: null, [to]: null } };
  };
  return [
    q === null ? null : { text: `“${q}”`, without: { q: null } },
    status === null ? null : { text: names[status] ?? status, without: { status: null } },
    seller === null ? null : { text: words.ofSeller(seller), without: { seller: null } },
    between('from', 'to', words.createdBetween),
    between('settledFrom', 'settledTo', words.settledBetween),
  ].filter((chip) => chip !== null);
}
