// The filters of lists of payments and of their export, as the address keeps them.
import { isCalendarDate } from '../../../core/domain/base/instant.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { endOfDay, startOfDay } from '../../../core/domain/base/time-zone.js';
import { plainSigns } from '../../../core/domain/base/typed-text.js';
import type { Organization } from '../../../core/domain/parties/organization.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import {
  type PaymentStatus,
  paymentOrigins,
  paymentStatuses,
} from '../../../core/domain/payments/payment.js';
import type { Deps } from '../../../core/ports/deps.js';
import {
  allPayments,
  listPayments,
  type PaymentListFilter,
} from '../../../core/usecases/payments/payment-lists.js';
import { searchPayments } from '../../../core/usecases/payments/payment-search.js';
import { listPath } from '../kit/pages/list-page.js';
import { groupOf, type PaymentGroup, paymentGroups, statusesOf } from './payment-groups.js';

/** Texts of the query; empty if they are not given. */
export interface Filters {
  /** Invoices have a separate list. */
  readonly origin: '' | 'invoice';
  readonly q: string;
  /** A group, or one of its several states. */
  readonly status: '' | PaymentGroup | PaymentStatus;
  /** The externalId of a seller. */
  readonly seller: string;
  /** Days of the organization's zone: those of the creation, or of the settlement. */
  readonly from: string;
  readonly to: string;
  readonly settledFrom: string;
  readonly settledTo: string;
}

/** The last id of the page before, or the first id of the page behind. */
export interface PagePlace {
  readonly before: string;
  readonly after: string;
}

export const firstPage: PagePlace = { before: '', after: '' };

/** What is not a filter is left out. */
export function filtersIn(query: URLSearchParams): Filters {
  return {
    origin: query.get('origin') === 'invoice' ? 'invoice' : '',
    q: textIn(query, 'q'),
    status: statusIn(query.get('status') ?? ''),
    seller: textIn(query, 'seller'),
    from: dayIn(query, 'from'),
    to: dayIn(query, 'to'),
    settledFrom: dayIn(query, 'settledFrom'),
    settledTo: dayIn(query, 'settledTo'),
  };
}

export function pageIn(query: URLSearchParams): PagePlace {
  const id = (name: string) => {
    const text = query.get(name) ?? '';
    return /^(pi|inv)_[0-9a-z]{1,64}$/.test(text) ? text : '';
  };
  const before = id('before');
  return { before, after: before === '' ? id('after') : '' };
}

function textIn(query: URLSearchParams, name: string): string {
  return (query.get(name) ?? '').trim().slice(0, 200);
}

function dayIn(query: URLSearchParams, name: string): string {
  const text = plainSigns(query.get(name) ?? '').trim();
  return isCalendarDate(text) ? text : '';
}

/** The only state of a group has its name. */
function statusIn(text: string): Filters['status'] {
  const group = paymentGroups.find((known) => known === text);
  const status = paymentStatuses.find((known) => known === text);
  if (status === undefined) return group ?? '';
  return statusesOf(groupOf[status]).length === 1 ? groupOf[status] : status;
}

/** The group of the filter; null for all. */
export function groupIn({ status }: Filters): PaymentGroup | null {
  const group = paymentGroups.find((known) => known === status);
  if (group !== undefined) return group;
  const one = paymentStatuses.find((known) => known === status);
  return one === undefined ? null : groupOf[one];
}

/** The query of these filters, with a question mark; empty without any. */
export function queryOf(filters: Filters): string {
  return listPath('', { ...filters });
}

/** The address of the list. */
export function listAddress(
  root: string,
  { origin, ...filters }: Filters,
  place: PagePlace = firstPage,
): string {
  const list = origin === 'invoice' ? 'invoices' : 'payments';
  return listPath(`${root}/${list}`, { ...filters, ...place });
}

/** Whether the list leaves something out, invoices as such aside. */
export function hasFilters(filters: Filters): boolean {
  return queryOf({ ...filters, origin: '' }) !== '';
}

type Page = Pick<PaymentListFilter, 'limit'> &
  Partial<Pick<PaymentListFilter, 'beforeId' | 'afterId'>>;

/** A member's tenant, and the organization whose days the filters name. */
export interface FilteredTenant extends Tenant {
  readonly organization: Pick<Organization, 'timeZone'>;
}

/** Newest first. */
export function readPage(
  deps: Deps,
  { organization, orgId, mode }: FilteredTenant,
  { origin, q, status, seller, ...days }: Filters,
  page: Page,
): Promise<readonly ShownView[]> {
  const tenant = { orgId, mode };
  const { timeZone } = organization;
  const start = (day: string) => (day === '' ? null : startOfDay(timeZone, day));
  const end = (day: string) => (day === '' ? null : endOfDay(timeZone, day));
  const filter: PaymentListFilter = {
    ...allPayments,
    origins: origin === '' ? paymentOrigins : [origin],
    statuses: statusesIn(status),
    sellerExternalId: seller === '' ? null : seller,
    createdFromMs: start(days.from),
    createdToMs: end(days.to),
    settledFromMs: start(days.settledFrom),
    settledToMs: end(days.settledTo),
    ...page,
  };
  return q === '' ? listPayments(deps, tenant, filter) : searchPayments(deps, tenant, q, filter);
}

function statusesIn(status: Filters['status']): readonly PaymentStatus[] | null {
  if (status === '') return null;
  const group = paymentGroups.find((known) => known === status);
  if (group !== undefined) return statusesOf(group);
  return paymentStatuses.filter((known) => known === status);
}
