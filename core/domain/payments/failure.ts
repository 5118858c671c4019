// Why a payment failed. Programs decide on the code; `failureReason` is for people, and often has
// the words of the partner.

/** Each code with its meaning. */
export const failures = {
  buyer_rejected: 'The buyer was not verified.',
  quote_refused: 'The partner gives no price for this payment.',
  payin_refused: "The partner refused to take the buyer's money.",
  payin_failed: "The buyer's transfer failed.",
  payin_returned: 'The bank took the money back before the payout.',
  payout_refused: 'The partner refused the payout to the seller.',
  payout_failed: 'The payout failed. `funds` shows where its money is.',
  payout_returned: "The payout came back, and the buyer's money is refunded.",
  money_refunded: 'The money was refunded before the payout.',
  money_missing: 'Less money arrived than was reported.',
  operator: 'An operator ended the payment.',
} as const;

export type FailureCode = keyof typeof failures;
export const failureCodes = Object.keys(failures) as readonly FailureCode[];

export function failure(failureCode: FailureCode, failureReason: string) {
  return { failureCode, failureReason };
}
