// What must be true whatever happened: each function is named for its rule and answers what breaks
// it, or null. `always` holds after every step, `atTheEnd` once faults have stopped and time has
// passed. They judge by the partner's and the receivers' own books, not by what the core believes.
import {
  deliveredOnlyIfReceived,
  everyDeliveryEnded,
  everyEventReachesEverySubscription,
  oneDeliveryIdAndTheSameBytes,
  oneEventPerChangeAndNamespaceInOrder,
  sequencesAreGapFreeAndChained,
  webhooksVerifyWithTheNewestSecret,
} from './event-invariants.js';
import type { Evidence } from './evidence.js';
import {
  aKeyNeverCarriesAnotherRequest,
  atMostOnePayinPerPayment,
  atMostOnePayoutPerPayment,
  cancelAndPayoutNeverBothWin,
  endedPaymentsOrderNothing,
  everyDebtHasItsOrder,
  everyOrderAtThePartnerIsKnown,
  fundsAgreeWithThePartner,
  fundsConserve,
  fundsSayNoMoreThanThePartner,
  ledgerSumsToZeroAndAgreesWithFunds,
  moneyOnEndedPaymentsIsOwedBackAtOnce,
  neverGivenBackMoreThanIsLeft,
  neverPaidOutMoreThanReceived,
  owedMoneyIsReallyGivenBack,
  settledOnlyAfterAPaidPayout,
} from './money-invariants.js';
import {
  everyMessageIsAnswered,
  everyPaymentIsTerminal,
  noCallerSeesASurprise,
  noPaymentPassesKycUnapproved,
  nothingAcknowledgedIsLost,
  noWorkIsLeft,
  oneResourcePerKeyAndExternalId,
  statusesFollowTheTableAndTerminalOnesStay,
  theStoreHoldsNothingElse,
} from './payment-invariants.js';

export type Invariant = (evidence: Evidence) => string | null;

export const always = {
  noCallerSeesASurprise,
  nothingAcknowledgedIsLost,
  oneResourcePerKeyAndExternalId,
  statusesFollowTheTableAndTerminalOnesStay,
  noPaymentPassesKycUnapproved,
  aKeyNeverCarriesAnotherRequest,
  everyOrderAtThePartnerIsKnown,
  endedPaymentsOrderNothing,
  atMostOnePayinPerPayment,
  atMostOnePayoutPerPayment,
  neverPaidOutMoreThanReceived,
  neverGivenBackMoreThanIsLeft,
  cancelAndPayoutNeverBothWin,
  settledOnlyAfterAPaidPayout,
  moneyOnEndedPaymentsIsOwedBackAtOnce,
  everyDebtHasItsOrder,
  fundsConserve,
  fundsSayNoMoreThanThePartner,
  ledgerSumsToZeroAndAgreesWithFunds,
  oneEventPerChangeAndNamespaceInOrder,
  sequencesAreGapFreeAndChained,
  everyEventReachesEverySubscription,
  oneDeliveryIdAndTheSameBytes,
  deliveredOnlyIfReceived,
  webhooksVerifyWithTheNewestSecret,
} as const satisfies Record<string, Invariant>;

export const atTheEnd = {
  everyMessageIsAnswered,
  everyPaymentIsTerminal,
  noWorkIsLeft,
  everyDeliveryEnded,
  fundsAgreeWithThePartner,
  owedMoneyIsReallyGivenBack,
  theStoreHoldsNothingElse,
} as const satisfies Record<string, Invariant>;

export type InvariantName = keyof typeof always | keyof typeof atTheEnd;

export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

export function firstViolation(
  invariants: Readonly<Record<string, Invariant>>,
  evidence: Evidence,
): Violation | null {
  for (const [invariant, holds] of Object.entries(invariants)) {
    const detail = holds(evidence);
    if (detail !== null) return { invariant, detail };
  }
  return null;
}
