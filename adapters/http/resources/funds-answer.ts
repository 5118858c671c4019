// Where the money of a payment is, in answers about the payment.
import { z } from 'zod';
import { formatAmount } from '../../../core/domain/base/money.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { positions, refundStates } from '../../../core/domain/payments/funds.js';
import { representation } from '../protocol/representation.js';
import { decimal } from '../protocol/schemas.js';

export const funds = representation<ShownView['funds']>()(
  'Funds',
  {
    status: [
      z.enum(positions).meta({
        description:
          'Where the principal is: none, expected (a pay-in was ordered), received, ' +
          'payout_ordered, paid (to the seller), returned_to_buyer (returned, or owed to the ' +
          'buyer), needs_review (unknown until an operator resolves it).',
      }),
      ({ position }) => position,
    ],
    refundStatus: [
      z.enum(refundStates).meta({
        description:
          'State of the refund to the buyer. needs_review: the partner refused or failed it, and ' +
          'an operator resolves it.',
      }),
      ({ refund }) => refund,
    ],
    received: [
      decimal.meta({ description: 'Received from the buyer so far.' }),
      ({ receivedMinor }) => formatAmount(receivedMinor),
    ],
    refundOwed: [
      decimal.meta({ description: 'Owed to the buyer, refund not yet confirmed.' }),
      // An ordered refund stays owed until the partner confirms it.
      ({ refundOwedMinor, refundOrderedMinor }) =>
        formatAmount(refundOwedMinor + refundOrderedMinor),
    ],
    refunded: [
      decimal.meta({ description: 'Confirmed refunds to the buyer.' }),
      ({ refundedMinor }) => formatAmount(refundedMinor),
    ],
  },
  'Where the money of the payment is, independent of its status: money can arrive after a ' +
    'cancel. All amounts are in the currency of the payment.',
);
