// Invoices: payments that a member may have to approve and whose buyer is invited by mail.
import { z } from 'zod';
import type { PaymentView } from '../../core/domain/change.js';
import type { Payment } from '../../core/domain/payment.js';
import type { Deps } from '../../core/ports/deps.js';
import { approveInvoice, inviteBuyer, listInvoices } from '../../core/usecases/invoices.js';
import { cancelPayment, createPayment } from '../../core/usecases/payments.js';
import { loadPage } from './cursor.js';
import {
  cancelBody,
  createdReply,
  createFields,
  createInput,
  hostedPaymentUrl,
  type PaymentSource,
  payment,
  statuses,
} from './payment-routes.js';
import { pageOf, representation } from './representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from './route-row.js';
import { calendarDate, optional, pageQuery, pathText, requestSchemas, text } from './schemas.js';

export const createInvoiceBody = z.object({
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
});

const invoiceListQuery = z.object({
  ...pageQuery.shape,
  status: optional(z.enum(statuses)),
});

const invoiceParams = z.object({
  id: pathText('`inv_…`, or `ext_` followed by the externalId of an invoice, percent-encoded.'),
});

requestSchemas.add(createInvoiceBody, { id: 'CreateInvoice' });

const invoice = representation<PaymentSource>()('Invoice', {
  ...payment.fields,
  number: [z.string().nullable(), (source) => source.payment.number],
  dueDate: [z.iso.date().nullable(), (source) => source.payment.dueDate],
  hostedPaymentUrl: [
    payment.schema.shape.hostedPaymentUrl.meta({
      format: 'uri',
      description: 'Null until the buyer is invited. The invitation mail links to it.',
    }),
    hostedPaymentUrl,
  ],
});

const invoicePage = pageOf('InvoiceList', invoice);

const invitation = representation<Payment>()('Invitation', {
  status: [z.literal('sent').meta({ description: 'The mail is queued.' }), () => 'sent' as const],
  invoiceId: [z.string(), ({ id }) => id],
});

const invoiceScopes = {
  read: { byOrigin: { invoice: 'invoices:read' } },
  write: { byOrigin: { invoice: 'invoices:write' } },
} as const;

export const invoiceRoutes = [
  route({
    method: 'POST',
    operations: { createInvoice: '/v1/invoices' },
    summary: 'Create an invoice; it awaits approval if the organization requires it',
    access: { auth: 'key', scope: 'invoices:write', modes: 'both', rateLimit: 'create' },
    idempotency: 'key',
    body: createInvoiceBody,
    responses: { 200: invoice.schema, 201: invoice.schema },
    errors: ['KybNotApproved', 'AmountBelowMinimum', 'SellerNotReady'],
    handler: createInvoice,
  }),
  route({
    method: 'GET',
    operations: { listInvoices: '/v1/invoices' },
    summary: 'List invoices, newest first',
    access: { auth: 'key', scope: 'invoices:read', modes: 'both', rateLimit: 'none' },
    query: invoiceListQuery,
    responses: { 200: invoicePage.schema },
    handler: listInvoicePage,
  }),
  route({
    method: 'GET',
    operations: { readInvoice: '/v1/invoices/{id}' },
    summary: 'Read an invoice',
    access: { auth: 'key', scope: invoiceScopes.read, modes: 'both', rateLimit: 'none' },
    params: invoiceParams,
    responses: { 200: invoice.schema },
    handler: async ({ deps }, { found }) => invoiceReply(deps, found),
  }),
  route({
    method: 'POST',
    operations: { cancelInvoice: '/v1/invoices/{id}/cancel' },
    summary: 'Cancel an invoice before its BRL payout begins; cancelling again changes nothing',
    access: { auth: 'key', scope: invoiceScopes.write, modes: 'both', rateLimit: 'none' },
    params: invoiceParams,
    body: cancelBody,
    responses: { 200: invoice.schema },
    errors: ['PaymentNotCancellable'],
    handler: async ({ deps }, { tenant, found, body: { reason } }) =>
      invoiceReply(deps, await cancelPayment(deps, tenant, found.payment.id, reason)),
  }),
  route({
    method: 'POST',
    operations: { approveInvoice: '/v1/invoices/{id}/approve' },
    summary: 'Approve an invoice that another member or a key created; a repeat changes nothing',
    access: { auth: 'session', scope: invoiceScopes.write, modes: 'both', rateLimit: 'none' },
    params: invoiceParams,
    responses: { 200: invoice.schema },
    errors: ['SelfApprovalNotAllowed', 'PaymentStateConflict'],
    handler: async ({ deps }, { tenant, actor, found: { payment } }) =>
      invoiceReply(deps, await approveInvoice(deps, tenant, payment.id, actor.memberId)),
  }),
  route({
    method: 'POST',
    operations: { inviteInvoiceBuyer: '/v1/invoices/{id}/invite-buyer' },
    summary:
      'Mail a sign-in link to the buyer of an approved invoice, or a new one while it awaits the ' +
      'buyer: at most one per minute and invoice, five per hour and address',
    access: { auth: 'key', scope: invoiceScopes.write, modes: 'both', rateLimit: 'none' },
    params: invoiceParams,
    responses: { 200: invitation.schema },
    errors: ['InvoiceNotApproved'],
    handler: async ({ deps }, { tenant, found }) =>
      reply(200, invitation.show(await inviteBuyer(deps, tenant, found.payment.id))),
  }),
];

function invoiceReply({ settings: { payUrl } }: Deps, view: PaymentView): Reply {
  return reply(200, invoice.show({ ...view, payUrl }));
}

async function createInvoice(
  { deps }: HandlerContext,
  call: Call<'key', unknown, unknown, z.infer<typeof createInvoiceBody>>,
): Promise<Reply> {
  const { tenant, body, idempotencyKey } = call;
  const { number, dueDate } = body;
  const created = await createPayment(deps, tenant, {
    ...createInput(body, idempotencyKey),
    // An API key belongs to no member.
    origin: 'invoice',
    number,
    dueDate,
    createdByMemberId: null,
  });
  return createdReply(created, invoiceReply(deps, created));
}

async function listInvoicePage(
  { deps }: HandlerContext,
  { tenant, query }: Call<'key', unknown, z.infer<typeof invoiceListQuery>, unknown>,
): Promise<Reply> {
  const { status } = query;
  const { payUrl } = deps.settings;
  // A cursor belongs to the filter of its list.
  const list = { operation: 'invoices', tenant, parentId: `${status}` };
  const { rows, nextCursor } = await loadPage(deps.secretBox, list, query, async (page) => {
    const views = await listInvoices(deps, tenant, { status, ...page });
    return views.map((view) => ({ ...view, payUrl, id: view.payment.id }));
  });
  return reply(200, invoicePage.show(rows, nextCursor));
}
