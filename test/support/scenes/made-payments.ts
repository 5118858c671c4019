// Payments and invoices made through the use cases, and the link in a buyer's mail.
import { money } from '../../../core/domain/base/money.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { HostedPage } from '../../../core/domain/hosted/hosted-page.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { OutgoingMail } from '../../../core/ports/outside.js';
import {
  hashBrowser,
  type LinkAnswer,
  type LinkRequest,
  redeemLink,
  requestLink,
} from '../../../core/usecases/hosted/sign-ins.js';
import {
  type CreatePaymentInput,
  createPayment,
} from '../../../core/usecases/payments/payments.js';

type InputOf<K> = Extract<CreatePaymentInput, { readonly origin: K }>;
export type IntentFields = Partial<InputOf<'payment_intent'>>;

const common = {
  idempotencyKey: null,
  externalId: null,
  sellerExternalId: null,
  returnUrl: null,
  purchaseOrder: null,
  buyerReference: null,
  display: null,
  metadata: '{}',
  expiresAtMs: null,
  purpose: null,
  payerRelation: null,
  fiscalDocument: null,
  bookedRate: null,
  createdByMemberId: null,
  createdBy: 'key_1',
} as const;

/** 100.00 USD. */
export const intentInput: InputOf<'payment_intent'> = {
  ...common,
  origin: 'payment_intent',
  amount: money(10_000n, 'USD'),
  buyer: { email: 'buyer@example.com', name: null, country: null, phone: null },
};

/** 1,250.00 USD. */
export const invoiceInput: InputOf<'invoice'> = {
  ...common,
  origin: 'invoice',
  number: 'INV/7',
  amount: money(125_000n, 'USD'),
  buyer: { email: ' Ana@Example.com', name: 'Ana Lima', country: null, phone: null },
  dueDate: '2030-02-28',
  attachmentDocumentId: null,
};

export function makeIntent(deps: Deps, tenant: Tenant, fields: IntentFields = {}) {
  return createPayment(deps, tenant, { ...intentInput, ...fields });
}

export function makeInvoice(deps: Deps, tenant: Tenant, fields: Partial<InputOf<'invoice'>> = {}) {
  return createPayment(deps, tenant, { ...invoiceInput, ...fields });
}

export const someBrowser = hashBrowser('nonce');

export function pageOf({ publicId }: { readonly publicId: string }): HostedPage {
  return { kind: 'payment', publicId };
}

/** A request for a link, from the page of a payment. */
export function askForLink(
  deps: Deps,
  payment: { readonly publicId: string },
  fields: Partial<LinkRequest> = {},
): Promise<LinkAnswer> {
  const asked = { client: null, locale: 'en', browserHash: someBrowser, ...fields } as const;
  return requestLink(deps, pageOf(payment), asked);
}

/** Signs in by the link in a mail about a payment. */
export function openLink(deps: Deps, mail: OutgoingMail | undefined) {
  const [, publicId = ''] = /\/r\/([\w-]+)\?token=/.exec(mail?.text ?? '') ?? [];
  return redeemLink(deps, pageOf({ publicId }), tokenIn(mail), 'en', { browserHash: someBrowser });
}

/** The token of the link in a mail. */
export function tokenIn(mail: OutgoingMail | undefined): string {
  const [, token] = /\?token=([\w-]+)/.exec(mail?.text ?? '') ?? [];
  if (token === undefined) throw new Error('the mail has no link with a token');
  return token;
}

/** The six digits in a mail. */
export function codeIn(mail: OutgoingMail | undefined): string {
  const [, code] = /\n(\d{6})\n/.exec(mail?.text ?? '') ?? [];
  if (code === undefined) throw new Error('the mail has no code');
  return code;
}
