// The bank details of a payment in answers.
import { z } from 'zod';
import { instantOrNull } from '../../../core/domain/base/instant.js';
import { formatAmount } from '../../../core/domain/base/money.js';
import {
  accountHolders,
  instructionFields,
  type PayinInstructions,
  type RailInstructions,
  transferMethods,
} from '../../../core/domain/payments/payin-instructions.js';
import { representation } from '../protocol/representation.js';
import { decimal, instant } from '../protocol/schemas.js';

const railInstructions = representation<RailInstructions>()('RailInstructions', {
  rail: z.enum(transferMethods),
  fields: z.array(
    z.strictObject({
      name: z.enum(instructionFields).meta({ description: '`code`: a sort code or bank code.' }),
      value: z.string(),
    }),
  ),
  arrivesWithinDays: z
    .strictObject({ from: z.int(), to: z.int() })
    .nullable()
    .meta({ description: 'Working days; null if the partner does not say.' }),
});

/** Instructions with the code of their bank details. */
interface GivenInstructions extends PayinInstructions {
  readonly checkCode: string | null;
}

export const payinInstructions = representation<GivenInstructions>()(
  'PayinInstructions',
  {
    rails: [
      z.array(railInstructions.schema).meta({
        description: 'The ways to pay, at least one. The first is the usual one.',
      }),
      (source) => source.rails.map((rail) => railInstructions.show(rail)),
    ],
    amount: [decimal, ({ amount }) => formatAmount(amount.amountMinor)],
    currency: [z.string(), ({ amount }) => amount.currency],
    reference: z.string().nullable().meta({ description: 'To be sent with the transfer.' }),
    referenceRequired: z
      .boolean()
      .meta({ description: 'A transfer without the reference cannot be matched.' }),
    holder: z.enum(accountHolders).meta({
      description: 'Whose name the account has: that of the payee, or of the settlement partner.',
    }),
    payBy: [
      instant.nullable().meta({
        description: 'Money that arrives later is returned; null if the partner does not say.',
      }),
      ({ payByMs }) => instantOrNull(payByMs),
    ],
    checkCode: z
      .string()
      .nullable()
      .meta({
        description:
          'Read it to the buyer over a phone number that the buyer already has: the hosted page ' +
          'shows the same code beside these details. Null for details given by an early version.',
        examples: ['7KQ4-M2XD'],
      }),
  },
  'How the buyer pays by bank transfer.',
);
