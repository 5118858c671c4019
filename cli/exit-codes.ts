// The exit codes, and the table that maps errors to them. The HTTP status is not enough: some
// refusals with 400 are about a state, not about the input.
import { type ErrorCode, PonteError, StoreRefusal, UnsoundCopy } from '../core/errors.js';

export const exitCodes = {
  done: [0, 'done'],
  failure: [1, 'an internal error'],
  invalid: [2, 'the command or its input is not valid'],
  notFound: [3, 'not found'],
  conflict: [4, 'the current state does not allow it'],
  forbidden: [5, 'not permitted'],
  tryAgain: [6, 'temporarily not possible: try again'],
  configuration: [7, 'the configuration is not valid'],
  checkFailed: [
    8,
    'a check has failed (doctor, demo, certify, ledger verify, audit verify, reconcile, ' +
      'store copy, secrets reseal, backup, restore, report fx, proof verify)',
  ],
  attention: [9, 'a check has warnings (doctor, certify, backup, restore)'],
} as const satisfies Record<string, readonly [number, string]>;

export type ExitKind = keyof typeof exitCodes;

const exitOfCode = {
  ValidationError: 'invalid',
  KybNotApproved: 'conflict',
  AmountBelowMinimum: 'invalid',
  AmountAboveCap: 'invalid',
  PaymentMissingFields: 'invalid',
  SellerNotReady: 'conflict',
  TosIdMismatch: 'invalid',
  TosSessionRequired: 'conflict',
  ConnectedAccountMissingFields: 'invalid',
  ConnectedAccountNotApproved: 'conflict',
  ProductionAccessNotApproved: 'conflict',
  ModeSwitchNotAllowed: 'invalid',
  Unauthorized: 'forbidden',
  InvalidToken: 'forbidden',
  InvalidApiKey: 'forbidden',
  InvalidApiKeyFormat: 'forbidden',
  InvalidSignature: 'forbidden',
  InvalidSignInLink: 'forbidden',
  InvalidSignInCode: 'forbidden',
  SignInCodeExpired: 'forbidden',
  InvalidPasskey: 'forbidden',
  InsufficientScope: 'forbidden',
  SelfApprovalNotAllowed: 'forbidden',
  SessionNotFresh: 'forbidden',
  OperatorNotAllowed: 'forbidden',
  AmbiguousExternalId: 'conflict',
  NotFound: 'notFound',
  MethodNotAllowed: 'invalid',
  RequestTimeout: 'tryAgain',
  IdempotencyKeyConflict: 'conflict',
  PaymentNotCancellable: 'conflict',
  PaymentStateConflict: 'conflict',
  QuoteExpired: 'conflict',
  QuoteChanged: 'conflict',
  InvoiceNotApproved: 'conflict',
  DecisionNotAllowed: 'conflict',
  DepositDecided: 'conflict',
  CommandNotRetryable: 'conflict',
  CheckIncomplete: 'conflict',
  NotQuarantined: 'conflict',
  DeliveryNotReplayable: 'conflict',
  EventsPruned: 'conflict',
  FeedReset: 'conflict',
  UploadUrlExpired: 'conflict',
  PayloadTooLarge: 'invalid',
  UnsupportedMediaType: 'invalid',
  RateLimitExceeded: 'tryAgain',
  InvitationLimitExceeded: 'tryAgain',
  PreviewLimitExceeded: 'tryAgain',
  LargeBodyLimitExceeded: 'tryAgain',
  ReaderLimitExceeded: 'tryAgain',
  StorageLimitExceeded: 'tryAgain',
  UploadsPaused: 'tryAgain',
  HeadersTooLarge: 'invalid',
  InternalError: 'failure',
  StoreContention: 'tryAgain',
  StoreUnavailable: 'tryAgain',
  InQuarantine: 'tryAgain',
  KycStorageDisabled: 'configuration',
  PartnerUnavailable: 'tryAgain',
} as const satisfies Record<ErrorCode, ExitKind>;

/** ConfigError is recognized by its name: its module is slow to load. */
export function exitOf(error: unknown): ExitKind {
  if (error instanceof PonteError) return exitOfCode[error.code];
  if (error instanceof StoreRefusal) return 'conflict';
  if (error instanceof UnsoundCopy) return 'checkFailed';
  return error instanceof Error && error.name === 'ConfigError' ? 'configuration' : 'failure';
}
