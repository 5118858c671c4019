// Payments of both origins: create, read, cancel and, in test mode, advance. An invoice is a
// payment with more fields (invoice-routes.ts).
import { z } from 'zod';
import type { Scope, ScopeByOrigin } from '../../../core/domain/access/scope.js';
import { formatInstant, instantOrNull, parseInstant } from '../../../core/domain/base/instant.js';
import {
  formatAmount,
  formatRate,
  type Money,
  money,
  parseAmount,
  parseRate,
} from '../../../core/domain/base/money.js';
import { RawJson, writeJson } from '../../../core/domain/base/raw-json.js';
import type { Asset } from '../../../core/domain/commands/asset.js';
import { effectiveRate } from '../../../core/domain/commands/quote.js';
import type { Settlement } from '../../../core/domain/commands/settlement.js';
import { kycStatuses } from '../../../core/domain/parties/buyer-kyc.js';
import type { PaymentView, ShownView } from '../../../core/domain/payments/change.js';
import { misnamedFields } from '../../../core/domain/payments/display.js';
import { type FailureCode, failureCodes, failures } from '../../../core/domain/payments/failure.js';
import {
  type FiscalDocument,
  fiscalDocumentKinds,
  readFiscalKey,
} from '../../../core/domain/payments/fiscal-document.js';
import {
  payerAgreementNames,
  payerAgreements,
  type ShownPayer,
  shownPayer,
} from '../../../core/domain/payments/payer-facts.js';
import {
  payerRelationNames,
  payerRelations,
} from '../../../core/domain/payments/payer-relation.js';
import { paymentMoves, paymentStatuses, progress } from '../../../core/domain/payments/payment.js';
import { purposeNames } from '../../../core/domain/payments/purpose.js';
import { simulatedEvents, simulations } from '../../../core/domain/payments/simulated-event.js';
import {
  situationNames,
  situationOf,
  situations,
} from '../../../core/domain/payments/situation.js';
import type { Deps } from '../../../core/ports/deps.js';
import {
  approvePayment,
  type CreatedPayment,
  cancelPayment,
  createPayment,
  type NewPayment,
  REASON_LENGTH_MAX,
  setFiscalDocument,
} from '../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../core/usecases/sandbox/sandbox.js';
import { simulate } from '../../../core/usecases/sandbox/simulations.js';
import { representation } from '../protocol/representation.js';
import { type Reply, reply, route } from '../protocol/route-row.js';
import {
  anyText,
  calendarDate,
  decimal,
  emailText,
  instant,
  isHttpUrl,
  keysOf,
  optional,
  pathText,
  rawJson,
  readText,
  requestSchemas,
  text,
} from '../protocol/schemas.js';
import { amountLimit } from './amount-limit-answer.js';
import { funds } from './funds-answer.js';
import { payinInstructions } from './payin-instructions-answer.js';

const buyerRequest = z.object({
  email: emailText('The address of the sign-in link.'),
  name: optional(anyText('Pre-fills the KYC form.')),
  country: optional(anyText('Pre-fills the KYC form.')),
  phone: optional(anyText('Pre-fills the KYC form.')),
});

const fiscalDocumentRequest = z
  .object({
    kind: z.enum(fiscalDocumentKinds),
    key: optional(text(1, 100, 'The access key of an NF-e (44 characters) or NFS-e (50).')),
    number: optional(text(1, 60, 'That of the key if it is left out.')),
    issuedOn: optional(calendarDate('When the document was issued.')),
  })
  .transform(({ kind, key, number, issuedOn }, context): FiscalDocument => {
    const read = key === null ? null : readFiscalKey(kind, key);
    if (key !== null && read === null) {
      const message = `send an access key of this kind of document, with its check digit`;
      context.addIssue({ code: 'custom', path: ['key'], message });
    }
    return { kind, key: read?.key ?? null, number: number ?? read?.number ?? null, issuedOn };
  });

export const amountText = readText(
  parseAmount,
  'send a decimal string of at most 12 digits, a point and two decimals, as "1250.00"',
  {
    pattern: '^[0-9]{1,12}(\\.[0-9]{1,2})?$',
    examples: ['1250.00'],
    description: 'Normalized to two decimals. At least 10.00 in USD.',
  },
);

export const currencyText = optional(
  z
    .string('send an ISO 4217 code in capitals, as "USD"')
    .regex(/^[A-Z]{3}$/, 'send an ISO 4217 code in capitals, as "USD"')
    .meta({ default: 'USD', description: 'A currency that buyers can pay in: USD, EUR, GBP.' }),
).transform((currency) => currency ?? 'USD');

export const createFields = {
  externalId: text(1, 200, 'Your own id, unique per payment.'),
  amount: amountText,
  currency: currencyText,
  buyer: buyerRequest,
  returnUrl: optional(
    z
      .string('send an http or https URL')
      .refine(isHttpUrl, 'send an http or https URL')
      .meta({ format: 'uri', description: 'Where the buyer is sent after settlement.' }),
  ),
  display: optional(
    rawJson(
      'Shown on the hosted page, values not validated: title, notes, lineItems (description, ' +
        'quantity, unitPrice, subtotal), taxes (description, amount), sellerTaxId. Other names ' +
        'are kept, unless they look like one of these. At most 32 KiB.',
    ).superRefine(({ text }, context) => {
      for (const { path, meant } of misnamedFields(text)) {
        const message = `unknown property; send ${meant} instead`;
        context.addIssue({ code: 'custom', path: [...path], message });
      }
    }),
  ).transform((display) => display?.text ?? null),
  metadata: optional(
    rawJson('Returned unchanged on reads and webhooks, never shown to the buyer. At most 32 KiB.'),
  ).transform((metadata) => metadata?.text ?? '{}'),
  expiresAt: optional(
    readText(
      parseInstant,
      'send an RFC 3339 timestamp with an offset, for example 2030-01-31T12:00:00Z',
      {
        format: 'date-time',
        description: 'The payment expires if it is unpaid at this time.',
      },
    ),
  ),
  purpose: optional(
    z.enum(purposeNames).meta({
      description:
        'What is paid for. The settlement partner reports it with the foreign exchange. A host ' +
        'may require it and payerRelation: PaymentMissingFields.',
    }),
  ),
  payerRelation: optional(
    z.enum(payerRelationNames).meta({
      description:
        'How the payer is related to the payee. Central banks ask for it: ' +
        payerRelationNames.map((name) => `\`${name}\`: ${payerRelations[name]}`).join('; '),
    }),
  ),
  fiscalDocument: optional(fiscalDocumentRequest),
  bookedRate: optional(
    readText(readRate, 'send a rate above zero with at most eight decimals, as "5.4321"', {
      pattern: '^[0-9]{1,12}(\\.[0-9]{1,8})?$',
      description:
        'BRL per unit of the currency at which the payee booked the amount. With it the ' +
        'settlement entries have the exchange difference.',
    }),
  ),
  purchaseOrder: optional(
    text(1, 100, "The number of the buyer's order, shown on its page, receipt and mails."),
  ),
  buyerReference: optional(
    text(1, 100, "What the buyer's books call the payment, shown like purchaseOrder."),
  ),
} as const;

function readRate(text: string): string | null {
  const rate = parseRate(text);
  return rate === null ? null : formatRate(rate);
}

interface SentFields {
  readonly amount: bigint;
  readonly currency: string;
  readonly expiresAt: number | null;
}

/** Gives the fields of a create the names and units of the core; most have them already. */
export function sentPayment<B extends SentFields>({ amount, currency, expiresAt, ...sent }: B) {
  return { ...sent, amount: money(amount, currency), expiresAtMs: expiresAt };
}

export const createPaymentIntentBody = z
  .object({
    ...createFields,
    sellerExternalId: optional(
      text(
        1,
        200,
        'A connected seller that is readyToCollect. Without it the payment settles to you.',
      ),
    ),
  })
  .transform(sentPayment);

export const createPaymentBody = z
  .object({
    ...createFields,
    sellerExternalId: text(1, 200, 'The connected seller that is paid; it must be readyToCollect.'),
  })
  .transform(sentPayment);

export const cancelBody = z.object({
  reason: text(1, REASON_LENGTH_MAX, 'Returned as cancelReason, and as reason in the event.'),
});

export const advanceBody = z.object({
  to: optional(
    z.enum(paymentStatuses.filter((status) => progress(status) !== null)).meta({
      default: 'settled',
      description: 'A status on the way to settled.',
    }),
  ),
});

const simulateBody = z.object({
  event: z.enum(simulatedEvents).meta({
    description: simulatedEvents.map((name) => `${name}: ${simulations[name].means}.`).join(' '),
  }),
});

const intentParams = z.object({
  id: pathText('`pi_…`, or `ext_` followed by your externalId, percent-encoded.'),
});

export const paymentParams = z.object({
  id: pathText('`pi_…`, `inv_…`, or `ext_` followed by the externalId of either.'),
});

requestSchemas
  .add(createPaymentIntentBody, { id: 'CreatePaymentIntent' })
  .add(createPaymentBody, { id: 'CreatePayment' })
  .add(buyerRequest, { id: 'BuyerHint' })
  .add(fiscalDocumentRequest, { id: 'SentFiscalDocument' })
  .add(cancelBody, { id: 'CancelPayment' })
  .add(advanceBody, { id: 'AdvancePayment' })
  .add(simulateBody, { id: 'SimulateEvent' });

export const statuses = keysOf(paymentMoves);

/** The query `q` of lists of payments; payment-search.ts has its meanings. */
export const searchText = optional(
  text(
    1,
    200,
    'Finds payments whose id, externalId, invoice number, purchase order or PIX end-to-end id ' +
      'begins with this text; or whose buyer or seller has a name with words that begin like ' +
      "these; or whose amount (`1250.00`, `EUR 1250.00`), buyer's e-mail address or page address " +
      'it is. Case and accents do not count. A word is not found by its middle or end. Of a text ' +
      'that names more than 50, it looks through the newest 10,000 payments as well.',
  ),
);

/** JSON of the integrator, returned as the text in which it was sent. */
const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<RawJson>;

const buyer = representation<ShownView>()(null, {
  id: [z.string(), ({ payment }) => payment.buyerId],
  email: [z.string(), ({ payment }) => payment.buyer.email],
  name: [z.string().nullable(), ({ payment }) => payment.buyer.name],
  country: [z.string().nullable(), ({ payment }) => payment.buyer.country],
  kycStatus: z.enum(kycStatuses),
});

export const rate = z.string().regex(/^[0-9]+(\.[0-9]+)?$/);

const assetDescription = 'Null if the partner does not report it.';

export const asset = representation<Asset>()('Asset', {
  token: z.string().meta({ description: 'The stablecoin, as `USDC`.' }),
  network: z.string().nullable().meta({ description: 'The blockchain.' }),
  quantity: z.string().nullable().meta({ description: 'Units of the token, a decimal string.' }),
  transactionHash: z.string().nullable(),
  fromWallet: z.string().nullable(),
  toWallet: z.string().nullable(),
});

export const payer = representation<ShownPayer>()('Payer', {
  name: z.string().nullable().meta({ description: 'As the settlement partner verified it.' }),
  country: z.string().nullable().meta({ description: 'Of the verification, ISO 3166-1.' }),
  agreement: z.enum(payerAgreementNames).meta({
    description:
      'The verified name against the lines of banks. ' +
      payerAgreementNames.map((name) => `\`${name}\`: ${payerAgreements[name]}`).join('; '),
  }),
  told: z
    .array(z.strictObject({ name: z.string(), bank: z.string().nullable() }))
    .meta({ description: 'As banks wrote it, each name once.' }),
});

export const fiscalDocument = representation<FiscalDocument>()('FiscalDocument', {
  kind: z.enum(fiscalDocumentKinds),
  key: z.string().nullable(),
  number: z.string().nullable(),
  issuedOn: z.string().nullable().meta({ format: 'date' }),
});

const vet = 'BRL to the seller per unit that the buyer paid, all costs included (VET).';

interface SettlementSource extends Settlement {
  /** What the buyer paid for it. */
  readonly paid: Money;
}

/** In the names of the payment, which shows the first one. */
const settlement = representation<SettlementSource>()('Settlement', {
  settledAt: [instant, ({ settledAtMs }) => formatInstant(settledAtMs)],
  brlSettledAmount: [
    decimal.meta({ description: 'BRL paid to the seller.' }),
    ({ settled }) => formatAmount(settled.amountMinor),
  ],
  fxRateAtSettlement: [
    rate.meta({ description: 'BRL per unit of the currency, as of the payout.' }),
    ({ fxRate }) => fxRate,
  ],
  effectiveRateAtSettlement: [
    rate.nullable().meta({ description: vet }),
    ({ paid, settled }) => effectiveRate(paid, settled),
  ],
  settlementFees: [
    decimal.meta({ description: 'Fees of the partner, in the currency of the payment.' }),
    ({ fees }) => formatAmount(fees.amountMinor),
  ],
  endToEndId: [
    z.string().nullable().meta({ description: 'The end-to-end id of the PIX to the seller.' }),
    ({ endToEndId }) => endToEndId,
  ],
  asset: [
    asset.schema.nullable().meta({
      description: `The stablecoin that was sold for the BRL. ${assetDescription}`,
    }),
    ({ asset: sold = null }) => sold && asset.show(sold),
  ],
  returnedAt: [
    instant.nullable().meta({
      description: 'When the partner reported that it came back; null while the seller has it.',
    }),
    ({ returnedAtMs }) => instantOrNull(returnedAtMs),
  ],
});

/** A payment, and the base URL of the pages for buyers. */
export interface PaymentSource extends ShownView {
  readonly payUrl: string;
}

export const payment = representation<PaymentSource>()('Payment', {
  id: [z.string(), (source) => source.payment.id],
  externalId: [z.string().nullable(), (source) => source.payment.externalId],
  status: [z.enum(statuses), (source) => source.payment.status],
  situation: [
    z.enum(situationNames).meta({
      description:
        'Status and money in one code, for the seller: ' +
        situationNames.map((name) => `\`${name}\`: ${situations[name].says}`).join(' '),
    }),
    situationOf,
  ],
  statusText: [
    z.string().meta({
      description: 'The situation in one English sentence.',
      examples: [situations.money_missing.says],
    }),
    (source) => situations[situationOf(source)].says,
  ],
  amount: [decimal, (source) => formatAmount(source.payment.amount.amountMinor)],
  currency: [z.string(), (source) => source.payment.amount.currency],
  hostedPaymentUrl: [
    z.string().meta({
      format: 'uri',
      description:
        'Forward it to the buyer, and keep it secret otherwise. The page answers 404 until an ' +
        'intent that needs an approval is approved, and until the buyer of an invoice is invited.',
    }),
    hostedPaymentUrl,
  ],
  buyer: [buyer.schema, buyer.show],
  sellerExternalId: [z.string().nullable(), (source) => source.payment.sellerExternalId],
  returnUrl: [z.string().nullable(), (source) => source.payment.returnUrl],
  metadata: [jsonObject, (source) => new RawJson(source.payment.metadata)],
  display: [
    jsonObject.nullable(),
    ({ payment: { display } }) => (display === null ? null : new RawJson(display)),
  ],
  expiresAt: [instant.nullable(), (source) => instantOrNull(source.payment.expiresAtMs)],
  purpose: [z.enum(purposeNames).nullable(), (source) => source.payment.purpose],
  payerRelation: [z.enum(payerRelationNames).nullable(), (source) => source.payment.payerRelation],
  fiscalDocument: [
    fiscalDocument.schema.nullable(),
    (source) => source.payment.fiscalDocument && fiscalDocument.show(source.payment.fiscalDocument),
  ],
  bookedRate: [rate.nullable(), (source) => source.payment.bookedRate],
  purchaseOrder: [z.string().nullable(), (source) => source.payment.purchaseOrder],
  buyerReference: [z.string().nullable(), (source) => source.payment.buyerReference],
  brlSettledAmount: [
    decimal.nullable().meta({ description: 'BRL paid to the seller.' }),
    ({ payment: { settlement } }) =>
      settlement === null ? null : formatAmount(settlement.settled.amountMinor),
  ],
  fxRateAtSettlement: [
    rate.nullable().meta({ description: 'BRL per unit of the currency, as of the payout.' }),
    (source) => source.payment.settlement?.fxRate ?? null,
  ],
  effectiveRateAtSettlement: [
    rate.nullable().meta({ description: vet }),
    ({ payment: { amount, settlement } }) =>
      settlement === null ? null : effectiveRate(amount, settlement.settled),
  ],
  amountLimit: [
    amountLimit.schema.nullable().meta({
      description:
        'The limit of the payee at the settlement partner that the amount was over when the ' +
        'buyer asked for a price. The status stays; null again once there is a price.',
    }),
    ({ payment: { limitHit } }) =>
      limitHit === null || limitHit.isLifted ? null : amountLimit.show(limitHit),
  ],
  payinInstructions: [
    payinInstructions.schema.nullable().meta({
      description:
        'Null until the buyer has confirmed a quote and the partner accepted the pay-in.',
    }),
    ({ payment: { payinInstructions: given, bankDetailsCode: checkCode } }) =>
      given === null ? null : payinInstructions.show({ ...given, checkCode }),
  ],
  consolidatedReference: [
    z
      .string()
      .nullable()
      .meta({
        description:
          'The reference of the one transfer by which the buyer pays this payment with others, ' +
          'which have the same one; null if it is paid alone.',
        examples: ['W2QK-9M4X'],
      }),
    (source) => source.payment.consolidatedReference,
  ],
  settledAt: [
    instant.nullable().meta({ description: 'When the partner reported the PIX; null until then.' }),
    (source) => instantOrNull(source.payment.settledAtMs),
  ],
  settlementFees: [
    decimal
      .nullable()
      .meta({ description: 'Fees of the partner, in `currency`; null until settled.' }),
    ({ payment: { settlement } }) =>
      settlement === null ? null : formatAmount(settlement.fees.amountMinor),
  ],
  endToEndId: [
    z.string().nullable().meta({ description: 'The end-to-end id of the PIX to the seller.' }),
    (source) => source.payment.settlement?.endToEndId ?? null,
  ],
  settlements: [
    z.array(settlement.schema).meta({
      description:
        'Every PIX that reached the seller, oldest first. The payment shows the first one, also ' +
        'after it came back; the seller has those without `returnedAt`.',
    }),
    ({ settlements, payment: { amount: paid } }) =>
      settlements.map((one) => settlement.show({ ...one, paid })),
  ],
  transactionHash: [
    z.string().nullable().meta({ description: 'The transfer of the stablecoin.' }),
    (source) => source.payment.transactionHash,
  ],
  payer: [
    payer.schema.nullable().meta({
      description: 'Who pays. Null until the buyer has confirmed a quote.',
    }),
    (source) => source.payment.payer && payer.show(shownPayer(source.payment.payer)),
  ],
  payinAsset: [
    asset.schema.nullable().meta({
      description:
        `The stablecoin that the pay-in brought to the wallet of the payee. ${assetDescription} ` +
        'Of a transfer that pays several payments, it is the whole transfer.',
    }),
    ({ payment: { payinAsset } }) => payinAsset && asset.show(payinAsset),
  ],
  failureCode: [
    z
      .enum(failureCodes)
      .nullable()
      .meta({
        description: ['Why it failed.', ...failureCodes.map(meaningOf)].join(' '),
      }),
    (source) => source.payment.failureCode,
  ],
  failureReason: [
    z.string().nullable().meta({ description: 'For people; it may change.' }),
    (source) => source.payment.failureReason,
  ],
  cancelReason: [z.string().nullable(), (source) => source.payment.cancelReason],
  funds: [funds.schema, (source) => funds.show(source.funds)],
  createdAt: [instant, (source) => formatInstant(source.payment.createdAtMs)],
  updatedAt: [instant, (source) => formatInstant(source.payment.updatedAtMs)],
});

function meaningOf(code: FailureCode): string {
  return `\`${code}\`: ${failures[code]}`;
}

export function hostedPaymentUrl({
  payment,
  payUrl,
}: Pick<PaymentSource, 'payment' | 'payUrl'>): string {
  return `${payUrl}/r/${payment.publicId}`;
}

/** The scopes of rows for payments of both origins. */
export const paymentScopes = {
  read: { byOrigin: { payment_intent: 'payment_intents:read', invoice: 'invoices:read' } },
  write: { byOrigin: { payment_intent: 'payment_intents:write', invoice: 'invoices:write' } },
} as const;

/** What differs between the resources that are payments. */
interface PaymentResource<B> {
  /** The end of its operationIds. */
  readonly name: string;
  readonly path: string;
  readonly summaries: Readonly<Record<'create' | 'read' | 'approve' | 'cancel', string>>;
  readonly scopes: {
    readonly create: Scope;
    readonly read: { readonly byOrigin: ScopeByOrigin };
    readonly write: { readonly byOrigin: ScopeByOrigin };
  };
  readonly params: z.ZodType<{ readonly id: string }>;
  readonly body: z.ZodType<B>;
  readonly create: (body: B) => NewPayment;
  readonly shown: Pick<typeof payment, 'show'> & { readonly schema: z.ZodType };
}

/** Texts of views: the store may give the same view again, until the payment changes. */
export function keptTexts(show: (source: PaymentSource) => unknown) {
  const texts = new WeakMap<ShownView, RawJson>();
  return ({ settings: { payUrl } }: Pick<Deps, 'settings'>, view: ShownView): RawJson => {
    const known = texts.get(view);
    if (known !== undefined) return known;
    const text = new RawJson(writeJson(show({ ...view, payUrl })));
    texts.set(view, text);
    return text;
  };
}

/** The rows that all of them have, and the answer with one payment. */
export function paymentRows<B>(resource: PaymentResource<B>) {
  const { name, path, summaries, scopes, params } = resource;
  const { schema, show } = resource.shown;
  const answer = ({ settings: { payUrl } }: Deps, view: PaymentView): Reply =>
    reply(200, show({ ...view, payUrl }));
  const text = keptTexts(show);
  return {
    answer,
    create: route({
      method: 'POST',
      operations: { [`create${name}`]: path },
      summary: summaries.create,
      access: { auth: 'key', scope: scopes.create, modes: 'both', rateLimit: 'create' },
      idempotency: 'key',
      body: resource.body,
      responses: { 200: schema, 201: schema },
      errors: [
        'KybNotApproved',
        'AmountBelowMinimum',
        'AmountAboveCap',
        'SellerNotReady',
        'PaymentMissingFields',
      ],
      handler: async ({ deps }, { tenant, actor, body, idempotencyKey }) => {
        const { createdByMemberId, keyId: createdBy } = actor;
        const by = { createdByMemberId, createdBy };
        const input = { ...resource.create(body), ...by, idempotencyKey };
        const created = await createPayment(deps, tenant, input);
        return createdReply(created, answer(deps, created));
      },
    }),
    read: route({
      method: 'GET',
      operations: { [`read${name}`]: `${path}/{id}` },
      summary: summaries.read,
      access: {
        auth: 'keyElseSession',
        scope: scopes.read,
        modes: 'both',
        rateLimit: 'none',
        proof: 'session',
      },
      params,
      responses: { 200: schema },
      handler: ({ deps }, { found }) => reply(200, text(deps, found)),
    }),
    approve: route({
      method: 'POST',
      operations: { [`approve${name}`]: `${path}/{id}/approve` },
      summary: summaries.approve,
      access: {
        auth: 'session',
        scope: scopes.write,
        modes: 'both',
        rateLimit: 'stored',
        proof: 'fresh_live',
      },
      params,
      responses: { 200: schema },
      errors: ['SelfApprovalNotAllowed', 'PaymentStateConflict'],
      handler: async ({ deps }, { tenant, actor, found: { payment } }) =>
        answer(deps, await approvePayment(deps, tenant, payment.id, actor.memberId)),
    }),
    cancel: route({
      method: 'POST',
      operations: { [`cancel${name}`]: `${path}/{id}/cancel` },
      summary: summaries.cancel,
      access: { auth: 'key', scope: scopes.write, modes: 'both', rateLimit: 'stored' },
      params,
      body: cancelBody,
      responses: { 200: schema },
      errors: ['PaymentNotCancellable'],
      handler: async ({ deps }, { tenant, found, body: { reason } }) =>
        answer(deps, await cancelPayment(deps, tenant, found.payment.id, reason)),
    }),
  };
}

const intents = paymentRows({
  name: 'PaymentIntent',
  path: '/v1/payment-intents',
  summaries: {
    create: 'Create a payment intent',
    read: 'Read a payment intent',
    approve: 'Approve an intent of an organization that requires it; a repeat changes nothing',
    cancel: 'Cancel an intent before its BRL payout begins; cancelling again changes nothing',
  },
  scopes: {
    create: 'payment_intents:write',
    read: { byOrigin: { payment_intent: 'payment_intents:read' } },
    write: { byOrigin: { payment_intent: 'payment_intents:write' } },
  },
  params: intentParams,
  body: createPaymentIntentBody,
  create: (body) => ({ ...body, origin: 'payment_intent' }),
  shown: payment,
});

const payments = paymentRows({
  name: 'Payment',
  path: '/v1/payments',
  summaries: {
    create: 'Create a payment intent that settles to a connected seller',
    read: 'Read a payment, intent or invoice',
    approve: 'Approve an intent or an invoice that awaits it; a repeat changes nothing',
    cancel: 'Cancel a payment before its BRL payout begins; cancelling again changes nothing',
  },
  scopes: { create: 'payment_intents:write', ...paymentScopes },
  params: paymentParams,
  body: createPaymentBody,
  create: (body) => ({ ...body, origin: 'payment_intent' }),
  shown: payment,
});

export const paymentRoutes = [
  intents.create,
  payments.create,
  intents.read,
  payments.read,
  intents.approve,
  payments.approve,
  intents.cancel,
  payments.cancel,
  route({
    method: 'PUT',
    operations: { setPaymentFiscalDocument: '/v1/payments/{id}/fiscal-document' },
    summary:
      'Add the fiscal document of a payment, or replace it, in every status; the same one again ' +
      'changes nothing',
    access: { auth: 'key', scope: paymentScopes.write, modes: 'both', rateLimit: 'stored' },
    params: paymentParams,
    body: fiscalDocumentRequest,
    responses: { 200: payment.schema },
    handler: async ({ deps }, { tenant, found, body }) =>
      payments.answer(deps, await setFiscalDocument(deps, tenant, found.payment.id, body)),
  }),
  route({
    method: 'POST',
    operations: { advanceTestPayment: '/v1/test-helpers/payments/{id}/advance' },
    summary: 'Simulate the buyer and the partner until a test payment has a status; test keys only',
    access: { auth: 'key', scope: paymentScopes.write, modes: 'test', rateLimit: 'stored' },
    params: paymentParams,
    body: advanceBody,
    responses: { 200: payment.schema },
    handler: async ({ deps }, { tenant, found, body }) =>
      payments.answer(deps, await advancePayment(deps, tenant, found.payment.id, body.to)),
  }),
  route({
    method: 'POST',
    operations: { simulateTestPayment: '/v1/test-helpers/payments/{id}/simulate' },
    summary: 'Simulate one event of a test payment and return the payment after it; test keys only',
    access: { auth: 'key', scope: paymentScopes.write, modes: 'test', rateLimit: 'stored' },
    params: paymentParams,
    body: simulateBody,
    responses: { 200: payment.schema },
    errors: ['PaymentStateConflict', 'PartnerUnavailable'],
    handler: async ({ deps }, { tenant, found, body }) =>
      payments.answer(deps, await simulate(deps, tenant, found.payment.id, body.event)),
  }),
];

/** 201 for a new resource; 200 with the replay headers for one that existed. */
export function createdReply(end: Replay, answer: Reply): Reply {
  return end.replayed ? replayedReply(end, answer) : { ...answer, status: 201 };
}

type Replay = Pick<CreatedPayment, 'replayed' | 'mismatch'>;

export function replayedReply({ replayed, mismatch }: Replay, answer: Reply): Reply {
  if (!replayed) return answer;
  const replay = { 'idempotent-replayed': 'true' } as const;
  if (mismatch.length === 0) return { ...answer, headers: replay };
  return { ...answer, headers: { ...replay, 'idempotent-mismatch': mismatch.join(', ') } };
}
