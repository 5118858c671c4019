// Invoices: payments that a member may have to approve and whose buyer is invited by mail.
import { z } from 'zod';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { dayOf } from '../../../core/domain/base/time-zone.js';
import { INVITED_MAX } from '../../../core/domain/mail/mail.js';
import { answered } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import { createAttachmentUpload } from '../../../core/usecases/parties/attachments.js';
import { loadOrganization } from '../../../core/usecases/parties/organizations.js';
import {
  type InvitedInvoice,
  invitationEnds,
  inviteBuyers,
} from '../../../core/usecases/payments/invitations.js';
import { inviteBuyer } from '../../../core/usecases/payments/invoices.js';
import { allPayments, dueFilter } from '../../../core/usecases/payments/payment-lists.js';
import { searchPayments } from '../../../core/usecases/payments/payment-search.js';
import { readPayment } from '../../../core/usecases/payments/payments.js';
import { onceByKey } from '../../../core/usecases/service/repeated-actions.js';
import { loadPage } from '../protocol/cursor.js';
import { pageOf, representation, wholeListOf } from '../protocol/representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from '../protocol/route-row.js';
import {
  anyText,
  calendarDate,
  optional,
  pageQuery,
  pathText,
  refuseTwoSearches,
  requestSchemas,
  text,
} from '../protocol/schemas.js';
import { attachmentBody, attachmentUpload } from './document-routes.js';
import {
  createFields,
  hostedPaymentUrl,
  type PaymentSource,
  payment,
  paymentRows,
  replayedReply,
  searchText,
  sentPayment,
  statuses,
} from './payment-routes.js';

export const createInvoiceBody = z
  .object({
    ...createFields,
    externalId: optional(text(1, 200, 'Your own id, unique per invoice.')),
    number: optional(text(1, 100, 'The invoice number known to seller and buyer.')),
    sellerExternalId: optional(
      text(
        1,
        200,
        'A connected seller that is readyToCollect. Without it the payment settles to you.',
      ),
    ),
    dueDate: optional(
      calendarDate('Shown to the buyer, without effect. An invoice ends at expiresAt.'),
    ),
    attachmentDocumentId: optional(
      anyText(
        "The seller's own invoice, which the buyer downloads: a documentId of " +
          '`/v1/invoices/upload-url` that has its bytes and that no invoice has.',
      ),
    ),
  })
  .transform(sentPayment);

const invoiceListQuery = z.object({
  ...pageQuery.shape,
  status: optional(z.enum(statuses).meta({ description: 'Those with this status.' })),
  q: searchText,
  externalId: optional(text(1, 200, 'At most one invoice has it.')),
  dueFrom: optional(
    calendarDate(
      'Due on this day or later. With it, `dueTo` or `overdue` the earliest due day is first, ' +
        'unless `q` is sent.',
    ),
  ),
  dueTo: optional(calendarDate('Due on this day or before.')),
  overdue: optional(
    z.enum(['true']).meta({
      description:
        "Due before today, by the organization's time zone, and the buyer has not sent the whole " +
        'amount. Invoices that await approval, or have ended, are not overdue.',
    }),
  ),
});

const invoiceParams = z.object({
  id: pathText('`inv_…`, or `ext_` followed by the externalId of an invoice, percent-encoded.'),
});

requestSchemas.add(createInvoiceBody, { id: 'CreateInvoice' });

const invoice = representation<PaymentSource>()('Invoice', {
  ...payment.fields,
  number: [z.string().nullable(), (source) => source.payment.number],
  dueDate: [z.iso.date().nullable(), (source) => source.payment.dueDate],
  attachmentDocumentId: [z.string().nullable(), (source) => source.payment.attachmentDocumentId],
  hostedPaymentUrl: [
    payment.schema.shape.hostedPaymentUrl.meta({
      format: 'uri',
      description: 'Not found until the buyer is invited. The invitation mail links to it.',
    }),
    hostedPaymentUrl,
  ],
});

const invoicePage = pageOf('InvoiceList', invoice);

const invitationBody = z.object({
  notifyBuyer: optional(
    z.boolean().meta({
      default: true,
      description: 'false: the page of the invoice opens, and you send its hostedPaymentUrl.',
    }),
  ),
});

requestSchemas.add(invitationBody, { id: 'InviteBuyer' });

type InvitationSource = Pick<PaymentSource, 'payment' | 'payUrl'> & { readonly isMailed: boolean };

const invitation = representation<InvitationSource>()('Invitation', {
  status: [
    z.enum(['sent', 'opened']).meta({
      description: '`sent`: the mail is queued. `opened`: without a mail.',
    }),
    ({ isMailed }) => (isMailed ? 'sent' : 'opened'),
  ],
  invoiceId: [z.string(), ({ payment }) => payment.id],
  hostedPaymentUrl: [payment.schema.shape.hostedPaymentUrl, hostedPaymentUrl],
});

const inviteBody = z.object({
  notifyBuyer: invitationBody.shape.notifyBuyer,
  invoiceIds: z
    .array(anyText('As in a path.'))
    .min(1, 'send at least one invoice')
    .max(INVITED_MAX, `send at most ${INVITED_MAX} invoices`)
    .meta({ description: 'Approved invoices: `inv_…`, or `ext_` followed by the externalId.' }),
});

requestSchemas.add(inviteBody, { id: 'InviteBuyers' });

type NamedInvitation = InvitedInvoice & { readonly sentId: string; readonly payUrl: string };

const manyInvitations = wholeListOf(
  'InvitationList',
  representation<NamedInvitation>()('InvitationOfMany', {
    invoiceId: [
      z.string().meta({ description: 'As it was sent.' }),
      ({ sentId }: NamedInvitation) => sentId,
    ],
    status: [
      z.enum(invitationEnds).meta({
        description:
          '`sent`: the mail that lists it is queued, or was by the same Idempotency-Key. ' +
          '`opened`: without a mail. ' +
          '`limited`: ' +
          'send it again after `retryAfter`.',
      }),
      ({ end }: NamedInvitation) => end,
    ],
    retryAfter: [
      z.int().nullable().meta({ description: 'In seconds; null unless `limited`.' }),
      ({ waitMs }: NamedInvitation) => (waitMs === 0 ? null : Math.ceil(waitMs / 1_000)),
    ],
    hostedPaymentUrl: [
      payment.schema.shape.hostedPaymentUrl.nullable(),
      ({ payment: invited, payUrl }: NamedInvitation) =>
        invited === null ? null : hostedPaymentUrl({ payment: invited, payUrl }),
    ],
  }),
);

const invoiceScopes = {
  read: { byOrigin: { invoice: 'invoices:read' } },
  write: { byOrigin: { invoice: 'invoices:write' } },
} as const;

const invoices = paymentRows({
  name: 'Invoice',
  path: '/v1/invoices',
  summaries: {
    create: 'Create an invoice; it awaits approval if the organization requires it',
    read: 'Read an invoice',
    approve: 'Approve an invoice that awaits it; a repeat changes nothing',
    cancel: 'Cancel an invoice before its BRL payout begins; cancelling again changes nothing',
  },
  scopes: { create: 'invoices:write', ...invoiceScopes },
  params: invoiceParams,
  body: createInvoiceBody,
  create: (body) => ({ ...body, origin: 'invoice' }),
  shown: invoice,
});

export const invoiceRoutes = [
  invoices.create,
  route({
    method: 'POST',
    operations: { createInvoiceUpload: '/v1/invoices/upload-url' },
    summary:
      "Create an upload URL for the seller's own invoice, which an invoice can have as its " +
      'attachment; purged after 7 days without one',
    access: { auth: 'key', scope: 'invoices:write', modes: 'both', rateLimit: 'stored' },
    body: attachmentBody,
    responses: { 200: attachmentUpload.schema },
    errors: ['KycStorageDisabled'],
    handler: async ({ deps }, { tenant, body }) =>
      reply(200, attachmentUpload.show(await createAttachmentUpload(deps, tenant, body))),
  }),
  route({
    method: 'POST',
    operations: { inviteInvoiceBuyer: '/v1/invoices/{id}/invite-buyer' },
    summary:
      'Mail a sign-in link to the buyer of an approved invoice, or a new one while it awaits the ' +
      'buyer: at most one per minute and invoice, five per hour and address. A repeat with the ' +
      'same Idempotency-Key mails nothing, and neither does `notifyBuyer: false`',
    idempotency: 'key',
    access: { auth: 'key', scope: invoiceScopes.write, modes: 'both', rateLimit: 'stored' },
    params: invoiceParams,
    body: invitationBody,
    responses: { 200: invitation.schema },
    errors: ['InvoiceNotApproved', 'InvitationLimitExceeded'],
    handler: async ({ deps }, { tenant, found, body, idempotencyKey: key }) => {
      const isMailed = body.notifyBuyer !== false;
      const mail = isMailed ? 'always' : 'never';
      const { id } = found.payment;
      const end = await onceByKey(
        deps,
        tenant,
        { action: 'invite', key, id, body: { notifyBuyer: isMailed } },
        (bindKey) => inviteBuyer(deps, tenant, id, { bindKey, mail }),
        async () => (await readPayment(deps, tenant, id, ['invoice'])).payment,
      );
      const shown = { payment: end.value, payUrl: deps.settings.payUrl, isMailed };
      return replayedReply(end, reply(200, invitation.show(shown)));
    },
  }),
  route({
    method: 'POST',
    operations: { inviteInvoiceBuyers: '/v1/invoices/invite-buyers' },
    summary:
      'Invite the buyers of many invoices: each buyer gets one mail that lists its invoices. The ' +
      'limits are those of one invitation; that of an address counts mails',
    idempotency: 'key',
    access: { auth: 'key', scope: 'invoices:write', modes: 'both', rateLimit: 'stored' },
    body: inviteBody,
    responses: { 200: manyInvitations.schema },
    handler: inviteMany,
  }),
  route({
    method: 'GET',
    operations: { listInvoices: '/v1/invoices' },
    summary: 'List invoices, newest first, or by their due day',
    access: {
      auth: 'keyElseSession',
      scope: 'invoices:read',
      modes: 'both',
      rateLimit: 'none',
      proof: 'session',
    },
    query: invoiceListQuery,
    responses: { 200: invoicePage.schema },
    handler: listInvoicePage,
  }),
  invoices.read,
  invoices.cancel,
  invoices.approve,
];

async function inviteMany(
  { deps }: HandlerContext,
  { tenant, body, idempotencyKey }: Call<'key', unknown, unknown, z.infer<typeof inviteBody>>,
): Promise<Reply> {
  const ids = await Promise.all(body.invoiceIds.map((id) => invoiceIdOf(deps, tenant, id)));
  const isMailed = body.notifyBuyer !== false;
  const end = await inviteBuyers(deps, tenant, ids, idempotencyKey, isMailed);
  const { payUrl } = deps.settings;
  const named = end.value.map((one, at) => ({ ...one, sentId: body.invoiceIds[at] ?? '', payUrl }));
  return replayedReply(end, reply(200, manyInvitations.show(named, null)));
}

/** The id itself for what is not found. */
async function invoiceIdOf(deps: Deps, tenant: Tenant, id: string): Promise<string> {
  const found = readPayment(deps, tenant, id, ['invoice']).then(({ payment }) => payment.id);
  return found.catch(answered({ NotFound: () => id }));
}

async function listInvoicePage(
  { deps }: HandlerContext,
  { tenant, query }: Call<'key', unknown, z.infer<typeof invoiceListQuery>, unknown>,
): Promise<Reply> {
  const { status, q, externalId, dueFrom, dueTo, overdue } = query;
  refuseTwoSearches(query);
  const { payUrl } = deps.settings;
  const today = overdue === null ? null : await todayOf(deps, tenant);
  const statuses = status === null ? null : [status];
  const found = dueFilter(statuses, { from: dueFrom, to: dueTo, overdueOn: today });
  const list = { operation: 'invoices', tenant };
  const { rows, nextCursor } = await loadPage(deps.secretBox, list, query, async (page) => {
    const filter = { ...allPayments, origins: ['invoice'] as const, externalId, ...found, ...page };
    const views = await searchPayments(deps, tenant, q, filter);
    return views.map((view) => ({ ...view, payUrl, id: view.payment.id }));
  });
  return reply(200, invoicePage.show(rows, nextCursor));
}

/** By the organization's time zone. */
async function todayOf({ store, clock }: Deps, { orgId }: Tenant): Promise<string> {
  const { timeZone } = await store.run((tx) => loadOrganization(tx, orgId));
  return dayOf(timeZone, clock.nowMs());
}
