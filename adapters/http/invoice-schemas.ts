// The shapes of invoices, which are payments with a little more, and of what is asked about them.
import { z } from 'zod';
import { createFields, paymentResponse, statuses } from './payment-schemas.js';
import {
  calendarDate,
  optional,
  pageQuery,
  pathText,
  requestSchemas,
  responseSchemas,
  text,
} from './schemas.js';

export const createInvoiceBody = z.object({
  ...createFields,
  externalId: optional(text(1, 200, "The integrator's own id; one invoice each.")),
  number: optional(text(1, 100, 'What the invoice is called between seller and buyer.')),
  sellerExternalId: optional(
    text(1, 200, 'A connected seller that is readyToCollect; without it you are paid yourself.'),
  ),
  dueDate: optional(
    calendarDate('Shown to the buyer; it ends nothing. What ends an invoice is expiresAt.'),
  ),
});

export const invoiceListQuery = z.object({
  ...pageQuery.shape,
  status: optional(z.enum(statuses)),
});

export const invoiceParams = z.object({
  id: pathText('`inv_…`, or `ext_` followed by the externalId of an invoice, percent-encoded.'),
});

requestSchemas.add(createInvoiceBody, { id: 'CreateInvoice' });

export const invoiceResponse = z.strictObject({
  ...paymentResponse.shape,
  number: z.string().nullable(),
  dueDate: z.iso.date().nullable(),
  hostedPaymentUrl: paymentResponse.shape.hostedPaymentUrl.meta({
    format: 'uri',
    description: 'Null until the buyer is invited. The buyer gets it by mail, with a link in.',
  }),
});

export const invoiceListResponse = z.strictObject({
  data: z.array(invoiceResponse),
  nextCursor: z.string().nullable(),
});

export const invitationResponse = z.strictObject({
  status: z.literal('sent').meta({ description: 'The mail is on its way.' }),
  invoiceId: z.string(),
});

responseSchemas
  .add(invoiceResponse, { id: 'Invoice' })
  .add(invoiceListResponse, { id: 'InvoiceList' })
  .add(invitationResponse, { id: 'Invitation' });
