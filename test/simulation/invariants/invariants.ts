// The invariants: each function is named for its rule and returns a violation or null. `always`
// holds after every step, `atTheEnd` once faults have stopped and time has passed, `inTheLongRun`
// some days later. They judge by the books of the partner and the receivers, not of the core.
import {
  noChangeByAnActorIsWithoutAnEntry,
  theAuditLogIsAsItWasWritten,
} from './audit-invariants.js';
import {
  noBytesAreKept,
  noDocumentIsReadAfterItsPurge,
  noDocumentWaitsForItsPurge,
  nothingIsLeftOfPurgedDocuments,
  onlyWhatCountsIsKept,
  submittedDocumentsAreOfUndecidedParties,
  whatCountsIsThere,
} from './document-invariants.js';
import {
  deliveredOnlyIfReceived,
  everyDeliveryEnded,
  everyEventReachesEverySubscription,
  everyWebhookIsOfADelivery,
  nothingIsDoneInQuarantine,
  oneDeliveryIdAndTheSameBytes,
  oneEventPerChangeAndNamespaceInOrder,
  oneSequenceHasOneEventPerEpoch,
  sequencesAreGapFreeAndChained,
  webhooksVerifyWithTheNewestSecret,
} from './event-invariants.js';
import {
  mailsAreFew,
  mailsReachTheirBuyersUnchanged,
  noCauseIsMailedTwice,
  noInvoiceIsApprovedByItsMaker,
  noLinkSignsInTwice,
  noMailBeforeApproval,
} from './invoice-invariants.js';
import {
  fundsConserve,
  fundsFollowFromTheCommands,
  fundsFollowFromTheLedger,
  noMoneyFactLeavesFundsUnchanged,
  theLedgerCheckFindsNothing,
} from './ledger-invariants.js';
import {
  aKeyNeverCarriesAnotherRequest,
  aPayinIsBookedOnce,
  aRefusedRefundIsLookedUpBeforeItIsSentAgain,
  atMostOnePayinPerPayment,
  atMostOnePayoutPerPayment,
  cancelAndPayoutNeverBothWin,
  endedPaymentsSendNothing,
  everyDebtHasItsCommand,
  everyTransactionAtThePartnerIsKnown,
  everyTransferOfTheBooksIsHere,
  fundsAgreeWithThePartner,
  fundsSayNoMoreThanThePartner,
  moneyOnEndedPaymentsIsOwedBackAtOnce,
  neverGivenBackMoreThanIsLeft,
  neverPaidOutMoreThanReceived,
  noMoneyMovesAfterTheEndWithoutAnEvent,
  noRefundAfterTheSettlementWithoutADecision,
  noRefusalEndsAPaidPayment,
  owedMoneyIsReallyGivenBack,
  refundsTakeFromThePayinThatHasTheMoney,
  settledOnlyAfterAPaidPayout,
  settlementsSayWhatThePartnerPaid,
  theFirstSettlementStays,
  theFloatIsTheSumOfTheWallets,
  theSharesOfADepositAreItsMoney,
  whatNeedsReviewIsAtTheDesk,
  whatTheBuyerSentIsAccountedFor,
} from './money-invariants.js';
import type { ObservedState } from './observed-state.js';
import { bankDetailsNeverChangeSilently, everyPageNamesTheMoney } from './page-invariants.js';
import {
  aKycRejectionFailsOnlyItsOwnTenantsPayments,
  noApprovalIsUsedThatWasTakenBack,
  noPayoutForARejectedBuyer,
  sellersArePaidAtTheirOwnDestination,
  sellersAreReadyOnceAndOnlyWhenTheyAre,
} from './party-invariants.js';
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
import {
  noKeyOutlivesItsOwner,
  noLiveDecisionByOnePerson,
  whatHasEndedLetsNobodyIn,
} from './people-invariants.js';
import { noTenantChangesAnothersRows, noTenantSeesAnothersRows } from './tenant-invariants.js';

export type Invariant = (observed: ObservedState) => string | null;

export const always = {
  noCallerSeesASurprise,
  noTenantChangesAnothersRows,
  noTenantSeesAnothersRows,
  noChangeByAnActorIsWithoutAnEntry,
  theAuditLogIsAsItWasWritten,
  noLiveDecisionByOnePerson,
  noKeyOutlivesItsOwner,
  whatHasEndedLetsNobodyIn,
  nothingAcknowledgedIsLost,
  oneResourcePerKeyAndExternalId,
  statusesFollowTheTableAndTerminalOnesStay,
  noPaymentPassesKycUnapproved,
  noApprovalIsUsedThatWasTakenBack,
  noPayoutForARejectedBuyer,
  aKycRejectionFailsOnlyItsOwnTenantsPayments,
  sellersAreReadyOnceAndOnlyWhenTheyAre,
  sellersArePaidAtTheirOwnDestination,
  noInvoiceIsApprovedByItsMaker,
  noMailBeforeApproval,
  mailsReachTheirBuyersUnchanged,
  noCauseIsMailedTwice,
  mailsAreFew,
  noLinkSignsInTwice,
  submittedDocumentsAreOfUndecidedParties,
  nothingIsLeftOfPurgedDocuments,
  whatCountsIsThere,
  onlyWhatCountsIsKept,
  noDocumentIsReadAfterItsPurge,
  aKeyNeverCarriesAnotherRequest,
  aRefusedRefundIsLookedUpBeforeItIsSentAgain,
  everyTransactionAtThePartnerIsKnown,
  endedPaymentsSendNothing,
  atMostOnePayinPerPayment,
  atMostOnePayoutPerPayment,
  noRefundAfterTheSettlementWithoutADecision,
  noRefusalEndsAPaidPayment,
  whatNeedsReviewIsAtTheDesk,
  neverPaidOutMoreThanReceived,
  neverGivenBackMoreThanIsLeft,
  refundsTakeFromThePayinThatHasTheMoney,
  whatTheBuyerSentIsAccountedFor,
  aPayinIsBookedOnce,
  theSharesOfADepositAreItsMoney,
  cancelAndPayoutNeverBothWin,
  settledOnlyAfterAPaidPayout,
  settlementsSayWhatThePartnerPaid,
  theFirstSettlementStays,
  noMoneyMovesAfterTheEndWithoutAnEvent,
  moneyOnEndedPaymentsIsOwedBackAtOnce,
  everyDebtHasItsCommand,
  fundsSayNoMoreThanThePartner,
  noMoneyFactLeavesFundsUnchanged,
  fundsConserve,
  fundsFollowFromTheCommands,
  fundsFollowFromTheLedger,
  theLedgerCheckFindsNothing,
  everyPageNamesTheMoney,
  bankDetailsNeverChangeSilently,
  oneEventPerChangeAndNamespaceInOrder,
  sequencesAreGapFreeAndChained,
  oneSequenceHasOneEventPerEpoch,
  nothingIsDoneInQuarantine,
  oneDeliveryIdAndTheSameBytes,
  deliveredOnlyIfReceived,
  webhooksVerifyWithTheNewestSecret,
} as const satisfies Record<string, Invariant>;

export const atTheEnd = {
  everyMessageIsAnswered,
  everyPaymentIsTerminal,
  noWorkIsLeft,
  everyEventReachesEverySubscription,
  everyWebhookIsOfADelivery,
  everyDeliveryEnded,
  noDocumentWaitsForItsPurge,
  fundsAgreeWithThePartner,
  theFloatIsTheSumOfTheWallets,
  everyTransferOfTheBooksIsHere,
  owedMoneyIsReallyGivenBack,
  theStoreHoldsNothingElse,
} as const satisfies Record<string, Invariant>;

/** When what nobody used has had its time too. */
export const inTheLongRun = { noBytesAreKept } as const satisfies Record<string, Invariant>;

export type InvariantName = keyof typeof always | keyof typeof atTheEnd | keyof typeof inTheLongRun;

export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

export function firstViolation(
  invariants: Readonly<Record<string, Invariant>>,
  observed: ObservedState,
): Violation | null {
  for (const [invariant, holds] of Object.entries(invariants)) {
    const detail = holds(observed);
    if (detail !== null) return { invariant, detail };
  }
  return null;
}
