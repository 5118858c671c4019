// Invoices for tests above the core, and what a buyer finds in its mailbox.
import { money } from '../../core/domain/money.js';
import type { Tenant } from '../../core/domain/tenant.js';
import type { Deps } from '../../core/ports/deps.js';
import type { OutgoingMail } from '../../core/ports/outside.js';
import { type CreatePaymentInput, createPayment } from '../../core/usecases/payments.js';

type InvoiceInput = Extract<CreatePaymentInput, { readonly origin: 'invoice' }>;

const invoiceInput: InvoiceInput = {
  origin: 'invoice',
  idempotencyKey: null,
  externalId: null,
  number: 'INV/7',
  amount: money(125_000n, 'USD'),
  buyer: { email: ' Ana@Example.com', name: 'Ana Lima', country: null, phone: null },
  sellerExternalId: null,
  dueDate: '2030-02-28',
  returnUrl: null,
  display: null,
  metadata: '{}',
  expiresAtMs: null,
  createdByMemberId: null,
};

export function makeInvoice(deps: Deps, tenant: Tenant, fields: Partial<InvoiceInput> = {}) {
  return createPayment(deps, tenant, { ...invoiceInput, ...fields });
}

/** The token of the link in a mail. */
export function tokenIn(mail: OutgoingMail | undefined): string {
  const [, token] = /\?token=([\w-]+)/.exec(mail?.text ?? '') ?? [];
  if (token === undefined) throw new Error('this is no mail with a link');
  return token;
}
