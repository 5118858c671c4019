// The groups of states in which people think of payments: the tabs of lists and the plot of home.
import { type PaymentStatus, paymentStatuses } from '../../../core/domain/payments/payment.js';

export const groupOf = {
  awaiting_approval: 'you',
  approved: 'buyer',
  awaiting_buyer: 'buyer',
  buyer_kyc_pending: 'buyer',
  buyer_kyc_approved: 'buyer',
  fx_quoted: 'buyer',
  on_ramp_pending: 'way',
  on_chain_confirmed: 'way',
  offramp_pending: 'way',
  settled: 'paid',
  failed: 'fail',
  cancelled: 'over',
  expired: 'over',
} as const satisfies Record<PaymentStatus, string>;

export type PaymentGroup = (typeof groupOf)[PaymentStatus];

/** In the order in which a payment goes on. */
export const paymentGroups: readonly PaymentGroup[] = [
  ...new Set(paymentStatuses.map((status) => groupOf[status])),
];

export function statusesOf(group: PaymentGroup): readonly PaymentStatus[] {
  return paymentStatuses.filter((status) => groupOf[status] === group);
}
