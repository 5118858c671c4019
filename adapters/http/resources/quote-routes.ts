// The preview of a price, for an offer or a checkout before the payment exists.
import { z } from 'zod';
import { formatInstant, instantOrNull } from '../../../core/domain/base/instant.js';
import { formatAmount, money } from '../../../core/domain/base/money.js';
import { effectiveRate } from '../../../core/domain/commands/quote.js';
import type { AmountLimit } from '../../../core/domain/payments/amount-limit.js';
import { previewQuote, type QuotePreview } from '../../../core/usecases/payments/quote-previews.js';
import { representation } from '../protocol/representation.js';
import { reply, route } from '../protocol/route-row.js';
import { decimal, instant, optional, text } from '../protocol/schemas.js';
import { amountLimitFields } from './amount-limit-answer.js';
import { amountText, currencyText } from './payment-routes.js';

const previewQuery = z.object({
  amount: amountText,
  currency: currencyText,
  sellerExternalId: optional(text(1, 200, 'The connected seller that would be paid.')),
});

type Terms = NonNullable<QuotePreview['terms']>;

const terms = representation<Terms>()('PreviewedQuote', {
  rate: z.string().meta({ description: 'BRL per unit of the currency.' }),
  effectiveRate: [
    z.string().nullable().meta({
      description: 'BRL to the seller per unit of the currency, all costs included (VET).',
    }),
    ({ source, target }) => effectiveRate(source, target),
  ],
  rateKind: z.enum(['locked', 'indicative']).meta({
    description: 'indicative: the BRL follow the rate at the payout.',
  }),
  fees: [
    decimal.meta({ description: 'In the currency of the amount, which contains them.' }),
    ({ fees }) => formatAmount(fees.amountMinor),
  ],
  brlAmount: [
    decimal.meta({ description: 'What the seller would receive.' }),
    ({ target }) => formatAmount(target.amountMinor),
  ],
  expiresAt: [
    instant.meta({ description: 'Until then the partner gives a buyer a price like this.' }),
    ({ expiresAtMs }) => formatInstant(expiresAtMs),
  ],
  lockedUntil: [instant.nullable(), ({ lockedUntilMs }) => instantOrNull(lockedUntilMs)],
});

const limit = representation<AmountLimit>()(null, amountLimitFields);

interface PreviewSource extends QuotePreview {
  readonly amount: string;
  readonly currency: string;
}

const preview = representation<PreviewSource>()('QuotePreview', {
  amount: decimal,
  currency: z.string(),
  quote: [
    terms.schema.nullable().meta({ description: 'Null if the amount is over a limit.' }),
    (source) => (source.terms === null ? null : terms.show(source.terms)),
  ],
  amountLimit: [
    limit.schema.nullable().meta({ description: 'The limit of the payee that it is over.' }),
    (source) => (source.limit === null ? null : limit.show(source.limit)),
  ],
});

export const quoteRoutes = [
  route({
    method: 'GET',
    operations: { previewQuote: '/v1/quotes/preview' },
    summary: 'Show what a seller would receive now; stores nothing, 30 a minute, 10 in test mode',
    access: { auth: 'key', scope: 'payment_intents:read', modes: 'both', rateLimit: 'none' },
    query: previewQuery,
    responses: { 200: preview.schema },
    errors: [
      'KybNotApproved',
      'AmountBelowMinimum',
      'AmountAboveCap',
      'SellerNotReady',
      'PreviewLimitExceeded',
      'PartnerUnavailable',
    ],
    handler: async ({ deps }, { tenant, query }) => {
      const { currency, sellerExternalId } = query;
      const amount = money(query.amount, currency);
      const found = await previewQuote(deps, tenant, { amount, sellerExternalId });
      return reply(200, preview.show({ ...found, amount: formatAmount(query.amount), currency }));
    },
  }),
];
