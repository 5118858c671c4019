// The limit of the payee that keeps a payment without a price, in answers about the payment.
import { z } from 'zod';
import { formatInstant, instantOrNull } from '../../../core/domain/base/instant.js';
import { formatAmount } from '../../../core/domain/base/money.js';
import {
  type AmountLimit,
  type LimitHit,
  limitPeriods,
} from '../../../core/domain/payments/amount-limit.js';
import { representation } from '../protocol/representation.js';
import { decimal, instant } from '../protocol/schemas.js';

export const amountLimitFields = {
  period: z.enum(limitPeriods).meta({
    description:
      'payment: of each payment. unknown: the partner does not say which limit it is. transfer: ' +
      'the cap per transfer; what is over it before there is a payment is AmountAboveCap.',
  }),
  left: [
    decimal.nullable().meta({
      description: 'What the payee may still receive, in the currency of the payment.',
    }),
    ({ left }: AmountLimit) => (left === null ? null : formatAmount(left.amountMinor)),
  ],
  until: [
    instant.nullable().meta({ description: 'When the day or month of the limit ends.' }),
    ({ untilMs }: AmountLimit) => instantOrNull(untilMs),
  ],
} as const;

export const amountLimit = representation<LimitHit>()(null, {
  ...amountLimitFields,
  refusedAt: [instant, ({ atMs }) => formatInstant(atMs)],
});
