// Payments as CSV, one row each: names and values of the API, plain decimals with a
// currency column, instants in UTC, the same in every language.
import { formatInstant } from '../../../core/domain/base/instant.js';
import { formatAmount } from '../../../core/domain/base/money.js';
import type { Settlement } from '../../../core/domain/commands/settlement.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { csvLine } from '../kit/csv-line.js';

const columns = {
  id: ({ payment }) => payment.id,
  externalId: ({ payment }) => payment.externalId,
  number: ({ payment }) => payment.number,
  dueDate: ({ payment }) => payment.dueDate,
  status: ({ payment }) => payment.status,
  amount: ({ payment }) => formatAmount(payment.amount.amountMinor),
  currency: ({ payment }) => payment.amount.currency,
  'buyer.email': ({ payment }) => payment.buyer.email,
  'buyer.name': ({ payment }) => payment.buyer.name,
  'buyer.country': ({ payment }) => payment.buyer.country,
  sellerExternalId: ({ payment }) => payment.sellerExternalId,
  purpose: ({ payment }) => payment.purpose,
  brlSettledAmount: ({ payment: { settlement } }) =>
    settlement === null ? null : formatAmount(settlement.settled.amountMinor),
  feesAtSettlement: ({ payment: { settlement } }) =>
    settlement === null ? null : formatAmount(settlement.fees.amountMinor),
  fxRateAtSettlement: ({ payment: { settlement } }) => settlement?.fxRate ?? null,
  settledAt: ({ payment }) => instantOrNull(payment.settledAtMs),
  pixEndToEndId: ({ payment: { settlement } }) => settlement?.endToEndId ?? null,
  'funds.status': ({ funds }) => funds.position,
  'funds.refundStatus': ({ funds }) => funds.refund,
  'funds.received': ({ funds }) => formatAmount(funds.receivedMinor),
  'funds.refundOwed': ({ funds }) => formatAmount(funds.refundOwedMinor + funds.refundOrderedMinor),
  'funds.refunded': ({ funds }) => formatAmount(funds.refundedMinor),
  failureCode: ({ payment }) => payment.failureCode,
  failureReason: ({ payment }) => payment.failureReason,
  cancelReason: ({ payment }) => payment.cancelReason,
  expiresAt: ({ payment }) => instantOrNull(payment.expiresAtMs),
  createdAt: ({ payment }) => formatInstant(payment.createdAtMs),
  updatedAt: ({ payment }) => formatInstant(payment.updatedAtMs),
  metadata: ({ payment }) => payment.metadata,
  // When the PIX of the columns above came back.
  returnedAt: ({ settlements: [first] }) => instantOrNull(first?.returnedAtMs ?? null),
  // The newest other PIX to the seller.
  'paidAgain.brlSettledAmount': again(({ settled }) => formatAmount(settled.amountMinor)),
  'paidAgain.feesAtSettlement': again(({ fees }) => formatAmount(fees.amountMinor)),
  'paidAgain.fxRateAtSettlement': again(({ fxRate }) => fxRate),
  'paidAgain.settledAt': again(({ settledAtMs }) => formatInstant(settledAtMs)),
  'paidAgain.pixEndToEndId': again(({ endToEndId }) => endToEndId),
  'paidAgain.returnedAt': again(({ returnedAtMs }) => instantOrNull(returnedAtMs)),
} as const satisfies Readonly<Record<string, (view: ShownView) => string | null>>;

const values: readonly ((view: ShownView) => string | null)[] = Object.values(columns);

export const csvHeader = csvLine(Object.keys(columns));

export function csvRow(view: ShownView): string {
  return csvLine(values.map((textOf) => textOf(view)));
}

/** Null unless the seller was paid more than once. */
function again(textOf: (settlement: Settlement) => string | null) {
  return ({ settlements: [, ...others] }: ShownView): string | null => {
    const last = others.at(-1);
    return last === undefined ? null : textOf(last);
  };
}

function instantOrNull(atMs: number | null): string | null {
  return atMs === null ? null : formatInstant(atMs);
}
