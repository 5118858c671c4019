// The list of a tenant's payments: the newest first, or the changes since a moment.
import { z } from 'zod';
import { allows } from '../../../core/domain/access/scope.js';
import { isCalendarDate, parseInstant } from '../../../core/domain/base/instant.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { DEFAULT_TIME_ZONE, endOfDay, startOfDay } from '../../../core/domain/base/time-zone.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { paymentOrigins } from '../../../core/domain/payments/payment.js';
import { invalid } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import { loadOrganization } from '../../../core/usecases/parties/organizations.js';
import {
  allPayments,
  type ChangeFilter,
  listChangedPayments,
  type PaymentListFilter,
} from '../../../core/usecases/payments/payment-lists.js';
import { searchPayments } from '../../../core/usecases/payments/payment-search.js';
import { loadPage } from '../protocol/cursor.js';
import { pageOf } from '../protocol/representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from '../protocol/route-row.js';
import { optional, pageQuery, readText, refuseTwoSearches, text } from '../protocol/schemas.js';
import { keptTexts, payment, paymentScopes, searchText, statuses } from './payment-routes.js';

/** A `+` that a client does not escape arrives as a blank: only an offset can have it. */
const readMoment = (text: string) => parseInstant(text.replace(/ (?=\d\d:\d\d$)/, '+'));

function moment(description: string) {
  return optional(
    readText(
      readMoment,
      'send an RFC 3339 timestamp with an offset, for example 2030-01-31T12:00:00Z',
      {
        format: 'date-time',
        description,
      },
    ),
  );
}

/** A day of the organization, or an instant. */
export function dayOrMoment(description: string) {
  return optional(
    readText(
      (text): string | number | null => (isCalendarDate(text) ? text : readMoment(text)),
      'send a day, for example 2030-01-31, or an RFC 3339 timestamp with an offset',
      {
        description: `${description} A day (YYYY-MM-DD) is one of the organization's time zone.`,
        examples: ['2030-01-31', '2030-01-31T12:00:00Z'],
      },
    ),
  );
}

const paymentListQuery = z.object({
  ...pageQuery.shape,
  status: optional(z.enum(statuses).meta({ description: 'Those with this status.' })),
  origin: optional(z.enum(paymentOrigins).meta({ description: 'Those that were created so.' })),
  q: searchText,
  externalId: optional(text(1, 200, 'At most one payment intent and one invoice have it.')),
  sellerExternalId: optional(text(1, 200, 'Payments to this connected seller.')),
  createdFrom: moment('Created at this time or later.'),
  createdTo: moment('Created before this time.'),
  settledFrom: dayOrMoment(
    'Settled on this day or at this time, or later. With it or `settledTo` the latest settlement ' +
      'is first, unless `q` is sent.',
  ),
  settledTo: dayOrMoment('Settled on this day or before, or before this time.'),
  updatedSince: moment(
    'Lists changes instead, oldest first, up to the time of the first page; of the other filters ' +
      'only `origin` is allowed. To copy payments without loss, read all pages, store the latest ' +
      '`updatedAt`, and send it next time. Changes of the minute before it are repeated.',
  ),
});

type ListQuery = z.infer<typeof paymentListQuery>;

const paymentPage = pageOf('PaymentList', payment);
const answerText = keptTexts(payment.show);
const readScopes = paymentScopes.read.byOrigin;

export const paymentListRoutes = [
  route({
    method: 'GET',
    operations: { listPayments: '/v1/payments' },
    summary: 'List payment intents and invoices that the key may read, newest first',
    access: {
      auth: 'keyElseSession',
      scope: { anyOf: Object.values(readScopes) },
      modes: 'both',
      rateLimit: 'none',
      proof: 'session',
    },
    query: paymentListQuery,
    responses: { 200: paymentPage.schema },
    handler: listPaymentPage,
  }),
];

async function listPaymentPage(
  { deps }: HandlerContext,
  { actor, tenant, query }: Call<'keyElseSession', unknown, ListQuery, unknown>,
): Promise<Reply> {
  const { updatedSince, origin } = query;
  if (updatedSince !== null) refuseOtherFilters(query);
  const origins = paymentOrigins.filter(
    (one) => (origin ?? one) === one && allows(actor.scopes, readScopes[one]),
  );
  const list = { operation: 'payments', tenant };
  const { rows, nextCursor } = await loadPage(deps.secretBox, list, query, ({ beforeId, limit }) =>
    updatedSince === null
      ? newest(deps, tenant, { ...query, origins, beforeId, limit })
      : changed(deps, tenant, { sinceMs: updatedSince, origins, position: beforeId, limit }),
  );
  return reply(200, { data: rows.map(({ view }) => answerText(deps, view)), nextCursor });
}

/** A payment leaves such a filter by a change, which the list would then not show. */
function refuseOtherFilters(query: ListQuery): void {
  const {
    updatedSince: _since,
    origin: _origin,
    limit: _limit,
    cursor: _cursor,
    ...filters
  } = query;
  const others = Object.entries(filters);
  const [sent] = others.filter(([, value]) => value !== null);
  if (sent === undefined) return;
  throw invalid(`${sent[0]}: send it without updatedSince, which lists all changes.`);
}

/** `id` is what the cursor of the next page contains. */
interface Row {
  readonly id: string;
  readonly view: ShownView;
}

async function newest(
  deps: Deps,
  tenant: Tenant,
  query: ListQuery & Pick<PaymentListFilter, 'origins' | 'beforeId'>,
): Promise<readonly Row[]> {
  refuseTwoSearches(query);
  const { status, q, externalId, sellerExternalId, origins, beforeId, limit } = query;
  const settled = await settledRange(deps, tenant, query);
  const filter = {
    ...allPayments,
    origins,
    externalId,
    sellerExternalId,
    beforeId,
    limit,
    statuses: status === null ? null : [status],
    createdFromMs: query.createdFrom,
    createdToMs: query.createdTo,
    ...settled,
  };
  const views = await searchPayments(deps, tenant, q, filter);
  return views.map((view) => ({ view, id: view.payment.id }));
}

/** The zone is read for days only. */
async function settledRange(deps: Deps, { orgId }: Tenant, { settledFrom, settledTo }: ListQuery) {
  const hasDay = typeof settledFrom === 'string' || typeof settledTo === 'string';
  const { timeZone } = hasDay
    ? await deps.store.run((tx) => loadOrganization(tx, orgId))
    : { timeZone: DEFAULT_TIME_ZONE };
  return {
    settledFromMs:
      typeof settledFrom === 'string' ? startOfDay(timeZone, settledFrom) : settledFrom,
    settledToMs: typeof settledTo === 'string' ? endOfDay(timeZone, settledTo) : settledTo,
  };
}

async function changed(
  deps: Deps,
  tenant: Tenant,
  { position, ...filter }: Omit<ChangeFilter, 'after'> & { readonly position: string | null },
): Promise<readonly Row[]> {
  const [until, updatedAt, id = ''] = position?.split(' ') ?? [];
  const after =
    position === null ? null : { untilMs: Number(until), updatedAtMs: Number(updatedAt), id };
  const { untilMs, views } = await listChangedPayments(deps, tenant, { ...filter, after });
  return views.map((view) => {
    const { updatedAtMs, id: paymentId } = view.payment;
    return { view, id: `${untilMs} ${updatedAtMs} ${paymentId}` };
  });
}
