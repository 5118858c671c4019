// The list of a tenant's payments: the newest first, or the changes since a moment.
import { z } from 'zod';
import { allows } from '../../../core/domain/access/scope.js';
import { parseInstant } from '../../../core/domain/base/instant.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { paymentOrigins } from '../../../core/domain/payments/payment.js';
import { PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import {
  allPayments,
  type ChangeFilter,
  listChangedPayments,
  listPayments,
  type PaymentListFilter,
} from '../../../core/usecases/payments/payment-lists.js';
import { searchPayments } from '../../../core/usecases/payments/payment-search.js';
import { loadPage } from '../protocol/cursor.js';
import { pageOf } from '../protocol/representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from '../protocol/route-row.js';
import { optional, pageQuery, readText, text } from '../protocol/schemas.js';
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

const paymentListQuery = z.object({
  ...pageQuery.shape,
  status: optional(z.enum(statuses)),
  origin: optional(z.enum(paymentOrigins)),
  q: searchText,
  externalId: optional(text(1, 200, 'At most one payment intent and one invoice have it.')),
  sellerExternalId: optional(text(1, 200, 'Payments to this connected seller.')),
  createdFrom: moment('Created at this time or later.'),
  createdTo: moment('Created before this time.'),
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
  // A cursor belongs to the filter of its list.
  const parentId = JSON.stringify({ ...query, limit: null, cursor: null });
  const list = { operation: 'payments', tenant, parentId };
  const { rows, nextCursor } = await loadPage(deps.secretBox, list, query, ({ beforeId, limit }) =>
    updatedSince === null
      ? newest(deps, tenant, { ...query, origins, beforeId, limit })
      : changed(deps, tenant, { sinceMs: updatedSince, origins, position: beforeId, limit }),
  );
  return reply(200, { data: rows.map(({ view }) => answerText(deps, view)), nextCursor });
}

/** A payment leaves such a filter by a change, which the list would then not show. */
function refuseOtherFilters(query: ListQuery): void {
  const { status, q, externalId, sellerExternalId, createdFrom, createdTo } = query;
  const filters = { status, q, externalId, sellerExternalId, createdFrom, createdTo };
  const others = Object.entries(filters);
  const [sent] = others.filter(([, value]) => value !== null);
  if (sent === undefined) return;
  const message = `${sent[0]}: send it without updatedSince, which lists all changes.`;
  throw new PonteError('ValidationError', message);
}

/** A search seeks the externalId itself. */
function refuseTwoSearches({ q, externalId }: ListQuery): void {
  if (q === null || externalId === null) return;
  throw new PonteError('ValidationError', 'externalId: send it without q, which finds it too.');
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
  };
  const views =
    q === null
      ? await listPayments(deps, tenant, filter)
      : await searchPayments(deps, tenant, q, filter);
  return views.map((view) => ({ view, id: view.payment.id }));
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
