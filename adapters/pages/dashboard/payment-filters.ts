// The filters of lists of payments and of their export, as the address keeps them.
import { dayOf, endOfDay, startOfDay } from '../../../core/domain/base/time-zone.js';
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
  dueFilter,
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
const OVERDUE = 'overdue';
type Chosen = PaymentGroup | PaymentStatus | typeof OVERDUE;

/** The only state of a group has its name. */
function chosenIn(text: string): Chosen | null {
  if (text === OVERDUE) return OVERDUE;
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
/** Only invoices have a due day. */
export const invoiceFilters = {
  ...paymentFilters,
  status: tabsWithin<Chosen>([OVERDUE, ...paymentGroups], chosenIn, statusesIn),
  dueFrom: day,
  dueTo: day,
};
export const exportFilters = { origin: select(['invoice']), ...invoiceFilters };
type DueFilter = 'dueFrom' | 'dueTo';
type AllFilters = Given<typeof exportFilters>;
export type PaymentFilters = Omit<AllFilters, DueFilter> & Partial<Pick<AllFilters, DueFilter>>;

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
    ...dueFilter(status === null || status === OVERDUE ? null : statusesIn(status), {
      from: days.dueFrom ?? null,
      to: days.dueTo ?? null,
      overdueOn: status === OVERDUE ? dayOf(timeZone, deps.clock.nowMs()) : null,
    }),
    sellerExternalId: seller,
    createdFromMs: start(days.from),
    createdToMs: end(days.to),
    settledFromMs: start(days.settledFrom),
    settledToMs: end(days.settledTo),
    ...page,
  };
  return searchPayments(deps, { orgId, mode }, q, filter);
}

/** The earliest due day first; otherwise the newest, or the latest settlement. */
export function isInDueOrder(given: Omit<PaymentFilters, 'origin'>): boolean {
  const { q, status, dueFrom = null, dueTo = null, settledFrom, settledTo } = given;
  if (q != null || settledFrom != null || settledTo != null) return false;
  return status === OVERDUE || dueFrom !== null || dueTo !== null;
}

/** What the choices of the filter of states are called. */
export function stateNames({ texts }: DashboardScene): Readonly<Record<string, string>> {
  return { ...texts.status, ...texts.groups, overdue: texts.payments.overdueTab };
}

/** The filters in words. */
export function chipsOf(
  scene: DashboardScene,
  { q, status, seller, ...days }: Omit<PaymentFilters, 'origin'>,
): readonly Chip[] {
  const { texts, format } = scene;
  const words = texts.payments;
  const names = stateNames(scene);
  const between = (
    from: 'from' | 'settledFrom' | 'dueFrom',
    to: 'to' | 'settledTo' | 'dueTo',
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
    between('dueFrom', 'dueTo', words.dueBetween),
  ].filter((chip) => chip !== null);
}
