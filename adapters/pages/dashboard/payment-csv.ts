// Payments as CSV, one row each: names and values of the API, with a currency column. A file for a
// spreadsheet writes them as the language of the reader, and instants in the organization's zone.
import { formatInstant, instantOrNull } from '../../../core/domain/base/instant.js';
import { formatAmount } from '../../../core/domain/base/money.js';
import { dayOf } from '../../../core/domain/base/time-zone.js';
import type { Asset } from '../../../core/domain/commands/asset.js';
import { effectiveRate } from '../../../core/domain/commands/quote.js';
import type { Settlement } from '../../../core/domain/commands/settlement.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { payerAgreement } from '../../../core/domain/payments/payer-facts.js';
import { type CsvForm, type CsvKind, csvLine } from '../kit/csv-line.js';

const columns = {
  id: { kind: 'text', of: ({ payment }) => payment.id },
  externalId: { kind: 'text', of: ({ payment }) => payment.externalId },
  number: { kind: 'text', of: ({ payment }) => payment.number },
  dueDate: { kind: 'day', of: ({ payment }) => payment.dueDate },
  status: { kind: 'text', of: ({ payment }) => payment.status },
  amount: { kind: 'number', of: ({ payment }) => formatAmount(payment.amount.amountMinor) },
  currency: { kind: 'text', of: ({ payment }) => payment.amount.currency },
  'buyer.email': { kind: 'text', of: ({ payment }) => payment.buyer.email },
  'buyer.name': { kind: 'text', of: ({ payment }) => payment.buyer.name },
  'buyer.country': { kind: 'text', of: ({ payment }) => payment.buyer.country },
  sellerExternalId: { kind: 'text', of: ({ payment }) => payment.sellerExternalId },
  purpose: { kind: 'text', of: ({ payment }) => payment.purpose },
  brlSettledAmount: {
    kind: 'number',
    of: ({ payment: { settlement } }) =>
      settlement === null ? null : formatAmount(settlement.settled.amountMinor),
  },
  feesAtSettlement: {
    kind: 'number',
    of: ({ payment: { settlement } }) =>
      settlement === null ? null : formatAmount(settlement.fees.amountMinor),
  },
  fxRateAtSettlement: {
    kind: 'number',
    of: ({ payment: { settlement } }) => settlement?.fxRate ?? null,
  },
  settledAt: { kind: 'instant', of: ({ payment }) => instantOrNull(payment.settledAtMs) },
  pixEndToEndId: {
    kind: 'text',
    of: ({ payment: { settlement } }) => settlement?.endToEndId ?? null,
  },
  'funds.status': { kind: 'text', of: ({ funds }) => funds.position },
  'funds.refundStatus': { kind: 'text', of: ({ funds }) => funds.refund },
  'funds.received': { kind: 'number', of: ({ funds }) => formatAmount(funds.receivedMinor) },
  'funds.refundOwed': {
    kind: 'number',
    of: ({ funds }) => formatAmount(funds.refundOwedMinor + funds.refundOrderedMinor),
  },
  'funds.refunded': { kind: 'number', of: ({ funds }) => formatAmount(funds.refundedMinor) },
  failureCode: { kind: 'text', of: ({ payment }) => payment.failureCode },
  failureReason: { kind: 'text', of: ({ payment }) => payment.failureReason },
  cancelReason: { kind: 'text', of: ({ payment }) => payment.cancelReason },
  expiresAt: { kind: 'instant', of: ({ payment }) => instantOrNull(payment.expiresAtMs) },
  createdAt: { kind: 'instant', of: ({ payment }) => formatInstant(payment.createdAtMs) },
  updatedAt: { kind: 'instant', of: ({ payment }) => formatInstant(payment.updatedAtMs) },
  metadata: { kind: 'text', of: ({ payment }) => payment.metadata },
  // When the PIX of the columns above came back.
  returnedAt: {
    kind: 'instant',
    of: ({ settlements: [first] }) => instantOrNull(first?.returnedAtMs ?? null),
  },
  // The newest other PIX to the seller.
  'paidAgain.brlSettledAmount': {
    kind: 'number',
    of: again(({ settled }) => formatAmount(settled.amountMinor)),
  },
  'paidAgain.feesAtSettlement': {
    kind: 'number',
    of: again(({ fees }) => formatAmount(fees.amountMinor)),
  },
  'paidAgain.fxRateAtSettlement': { kind: 'number', of: again(({ fxRate }) => fxRate) },
  'paidAgain.settledAt': {
    kind: 'instant',
    of: again(({ settledAtMs }) => formatInstant(settledAtMs)),
  },
  'paidAgain.pixEndToEndId': { kind: 'text', of: again(({ endToEndId }) => endToEndId) },
  'paidAgain.returnedAt': {
    kind: 'instant',
    of: again(({ returnedAtMs }) => instantOrNull(returnedAtMs)),
  },
  // The days of the organization, whose zone `timeZone` names.
  createdDay: { kind: 'day', of: ({ payment }, zone) => dayOf(zone, payment.createdAtMs) },
  settledDay: {
    kind: 'day',
    of: ({ payment: { settledAtMs } }, zone) =>
      settledAtMs === null ? null : dayOf(zone, settledAtMs),
  },
  timeZone: { kind: 'text', of: (_, zone) => zone },
  effectiveRateAtSettlement: {
    kind: 'number',
    of: ({ payment: { amount, settlement } }) =>
      settlement === null ? null : effectiveRate(amount, settlement.settled),
  },
  payerRelation: { kind: 'text', of: ({ payment }) => payment.payerRelation },
  'fiscalDocument.key': { kind: 'text', of: ({ payment }) => payment.fiscalDocument?.key ?? null },
  'fiscalDocument.number': {
    kind: 'text',
    of: ({ payment }) => payment.fiscalDocument?.number ?? null,
  },
  bookedRate: { kind: 'number', of: ({ payment }) => payment.bookedRate },
  'payer.name': { kind: 'text', of: ({ payment }) => payment.payer?.verified?.name ?? null },
  'payer.country': { kind: 'text', of: ({ payment }) => payment.payer?.verified?.country ?? null },
  'payer.agreement': {
    kind: 'text',
    of: ({ payment: { payer } }) => payer && payerAgreement(payer),
  },
  // The stablecoin that was sold for the BRL of the columns above.
  'asset.token': { kind: 'text', of: sold(({ token }) => token) },
  'asset.network': { kind: 'text', of: sold(({ network }) => network) },
  'asset.quantity': { kind: 'number', of: sold(({ quantity }) => quantity) },
  'asset.transactionHash': { kind: 'text', of: sold(({ transactionHash }) => transactionHash) },
} as const satisfies Readonly<Record<string, Column>>;

type Column = Readonly<{ kind: CsvKind; of: (view: ShownView, timeZone: string) => string | null }>;

const all: readonly Column[] = Object.values(columns);
const kinds = all.map(({ kind }) => kind);

export function csvHeader(form: CsvForm): string {
  return csvLine(Object.keys(columns), form);
}

export function csvRow(view: ShownView, form: CsvForm, timeZone: string): string {
  return csvLine(
    all.map(({ of }) => of(view, timeZone)),
    form,
    kinds,
  );
}

function sold(textOf: (asset: Asset) => string | null) {
  return ({ settlements: [first] }: ShownView): string | null => {
    const asset = first?.asset ?? null;
    return asset === null ? null : textOf(asset);
  };
}

/** Null unless the seller was paid more than once. */
function again(textOf: (settlement: Settlement) => string | null) {
  return ({ settlements: [, ...others] }: ShownView): string | null => {
    const last = others.at(-1);
    return last === undefined ? null : textOf(last);
  };
}
