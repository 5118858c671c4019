// Every error code of the API with its status.

/** The message of each code, by its status. `<n>` is the wait of a transient one. */
const messages = {
  400: {
    ValidationError: 'The request is not valid. Correct the fields named here and send it again.',
    KybNotApproved:
      'The organization has no virtual account in this mode. Complete its KYB and register its ' +
      'PIX destination, then create again.',
    AmountBelowMinimum: 'The amount is below the minimum of 10.00 USD. Send a larger amount.',
    AmountAboveCap:
      'The amount is over the cap per transfer of the rule under which the partner pays out. Do ' +
      'not split the payment: ask the operator of the service which rule allows it.',
    PaymentMissingFields:
      'Facts that the partner reports of each payment are missing. Send the fields named here.',
    SellerNotReady:
      'sellerExternalId is not a seller that can be paid. Wait until it is readyToCollect.',
    TosIdMismatch: 'The tosId is not the one recorded. Send the recorded one, or leave it out.',
    TosSessionRequired: 'The account has no terms session. Call tos-session first.',
    ConnectedAccountMissingFields:
      'Fields needed for this role and entityType are missing. Send the fields named here.',
    ConnectedAccountNotApproved:
      'The account is not approved. Wait for status approved, then configure the payout.',
    ProductionAccessNotApproved:
      'Production access is not approved for this organization. Request it, then switch.',
    ModeSwitchNotAllowed:
      'An API key cannot switch modes. Use a key of the other mode, or a dashboard session.',
  },
  401: {
    Unauthorized: 'This route needs a session. Send Authorization: Bearer <token>.',
    InvalidToken: 'The session token is not valid or has expired. Sign in again.',
    InvalidApiKey:
      'The API key is missing, unknown, expired or revoked. Send a valid key as X-API-Key.',
    InvalidApiKeyFormat:
      'X-API-Key does not have the form of a key. Send pk_test_<id>.<secret> or ' +
      'pk_live_<id>.<secret>.',
    InvalidSignature: 'The signature is not valid. Sign the exact bytes that are sent.',
    InvalidSignInLink: 'The link was used, has expired or is not known. Request a new one.',
    InvalidSignInCode: 'The code is not the one in the mail. Enter its six digits again.',
    SignInCodeExpired:
      'No code can be entered here: it has expired, was tried too often, or was requested in ' +
      'another browser. Request a new one.',
    InvalidPasskey: 'The passkey is not accepted. Try again, or sign in by mail.',
  },
  403: {
    InsufficientScope:
      'The credential lacks the scope of this route. Use a key or a role that has it.',
    SelfApprovalNotAllowed:
      'A member cannot approve a payment that it created, or that its API key created. Ask a ' +
      'teammate.',
    SessionNotFresh:
      'The session began more than ten minutes ago, and this changes live mode. Sign in again, ' +
      'or use a new session token.',
    OperatorNotAllowed: 'The command needs a registered operator. Run ponte login.',
  },
  404: {
    NotFound: 'Not found. Check the path, the id and the mode of the credential.',
  },
  405: {
    MethodNotAllowed:
      'This path does not allow this method. The Allow header lists the allowed ones.',
  },
  408: {
    RequestTimeout: 'The request did not arrive in time. Send it again on a new connection.',
  },
  409: {
    IdempotencyKeyConflict:
      'This Idempotency-Key belongs to a resource of another path: payment intents and invoices ' +
      'do not share keys. Send a new key.',
    AmbiguousExternalId:
      'A payment intent and an invoice have this externalId. Send the id of one of them.',
    PaymentNotCancellable:
      'The payment has ended or its payout has started, so it can no longer be cancelled. ' +
      'Read the payment: it shows where its money is.',
    PaymentStateConflict:
      'The status of the payment does not allow this step. Read the payment and continue there.',
    QuoteExpired: 'The quote has expired. Request a new one and confirm it.',
    QuoteChanged: 'Another quote has replaced this one. Show the current quote and confirm it.',
    InvoiceNotApproved: 'Only an approved invoice can invite its buyer. Approve it first.',
    DecisionNotAllowed: 'The item does not allow this decision. Read it: ponte money list.',
    DepositDecided:
      'The deposit was decided on before, its money is not here, or a command waits for it. ' +
      'List the deposits again.',
    CommandNotRetryable:
      'The command or its report does not allow this. Read it: ponte commands list.',
    CheckIncomplete:
      'Not every payment was checked with the partner. Run ponte restore --check until it is ' +
      'complete, then release. If it cannot be complete, as with a fake partner that stores ' +
      'nothing, give --force <reason>.',
    NotQuarantined: 'The database is not in quarantine: there is nothing to check or to release.',
    DeliveryNotReplayable:
      'A delivery cannot be sent again while it is being sent, nor while its subscription is ' +
      'paused or deleted. Wait until it has ended, or resume the subscription.',
  },
  410: {
    EventsPruned: 'Events after this sequence were removed. Start from the oldest stored event.',
    FeedReset:
      'The service was restored from a backup, and its feed has a new epoch. Read your payments ' +
      'again, then continue with the epoch and the lastSequence of this answer.',
    UploadUrlExpired:
      'The upload URL has expired, was used too often, or its document was submitted. Request ' +
      'another URL.',
  },
  413: {
    PayloadTooLarge: 'The body is too large. The limit is 256 KiB, or 10 MiB for a document.',
  },
  415: {
    UnsupportedMediaType:
      'Add the header Content-Type: application/json, even without a body. With curl: ' +
      "-H 'Content-Type: application/json'.",
  },
  429: {
    RateLimitExceeded: 'Rate limit exceeded. Retry after <n>s.',
    InvitationLimitExceeded:
      'An address is invited five times an hour at most, and to one invoice once a minute. ' +
      'Nothing was changed. Retry after <n>s. An invoice can be opened without a mail.',
    PreviewLimitExceeded:
      'Too many prices were previewed within a minute, by the organization or by all. ' +
      'Retry after <n>s. Creates and the quotes of payments do not count.',
    LargeBodyLimitExceeded:
      'The organization sent too much JSON in bodies of 8 KiB or more. Retry after <n>s, or send ' +
      'smaller bodies: they do not count.',
    ReaderLimitExceeded:
      'Too many requests wait for events. Retry after <n>s, or read without wait, which is not ' +
      'limited.',
    StorageLimitExceeded:
      'The organization has stored the most that it may in this mode. Retry after <n>s, or ask ' +
      'the operator for a higher limit.',
  },
  431: {
    HeadersTooLarge: 'The headers are larger than 16 KiB. Send fewer or shorter ones.',
  },
  500: {
    InternalError:
      'Internal error. Retry with the same Idempotency-Key; if it persists, report X-Request-Id.',
  },
  503: {
    StoreContention:
      'Too many concurrent writes to the same data. Nothing was changed. Retry after <n>s.',
    StoreUnavailable:
      'The database cannot be reached. Retry with the same Idempotency-Key after <n>s: a write ' +
      'may have been stored.',
    InQuarantine:
      'The service was restored from a backup and awaits its release: it serves reads only. ' +
      'Retry with the same Idempotency-Key after <n>s.',
    KycStorageDisabled:
      'Document storage is not configured. Send https URLs of documents hosted elsewhere.',
    UploadsPaused:
      'The disk of the service is nearly full, so it takes no documents. Retry after <n>s.',
    PartnerUnavailable: 'The settlement partner cannot be reached. Retry after <n>s.',
  },
} as const;

type Messages = typeof messages;
export type ErrorCode = { [S in keyof Messages]: keyof Messages[S] }[keyof Messages];

/**
 * Transient codes: the unchanged request is expected to succeed after this wait, unless the thrower
 * gives another one.
 */
const retryAfterSeconds: Partial<Record<ErrorCode, number>> = {
  RateLimitExceeded: 5,
  InvitationLimitExceeded: 60,
  PreviewLimitExceeded: 5,
  LargeBodyLimitExceeded: 5,
  ReaderLimitExceeded: 5,
  // Documents go when their party is decided on.
  StorageLimitExceeded: 3_600,
  StoreContention: 5,
  StoreUnavailable: 5,
  // It lasts until an operator ends it.
  InQuarantine: 60,
  UploadsPaused: 60,
  PartnerUnavailable: 5,
};

/** Codes that are easily taken for each other: the documents of one link the others. */
export const nearCodes: readonly (readonly ErrorCode[])[] = [
  ['KybNotApproved', 'SellerNotReady', 'ConnectedAccountNotApproved'],
  ['ProductionAccessNotApproved', 'ModeSwitchNotAllowed', 'KybNotApproved'],
  ['InvalidApiKey', 'InvalidApiKeyFormat', 'InsufficientScope'],
  ['Unauthorized', 'InvalidToken', 'InvalidApiKey', 'SessionNotFresh'],
  ['InvalidSignInLink', 'InvalidSignInCode', 'SignInCodeExpired', 'InvalidPasskey'],
  ['AmountBelowMinimum', 'AmountAboveCap', 'ValidationError'],
  ['ValidationError', 'PaymentMissingFields', 'ConnectedAccountMissingFields'],
  ['TosIdMismatch', 'TosSessionRequired'],
  ['IdempotencyKeyConflict', 'AmbiguousExternalId'],
  ['PaymentNotCancellable', 'PaymentStateConflict'],
  ['QuoteExpired', 'QuoteChanged'],
  ['EventsPruned', 'FeedReset'],
  ['UploadUrlExpired', 'PayloadTooLarge', 'KycStorageDisabled', 'UploadsPaused'],
  [
    'RateLimitExceeded',
    'InvitationLimitExceeded',
    'PreviewLimitExceeded',
    'LargeBodyLimitExceeded',
    'ReaderLimitExceeded',
    'StorageLimitExceeded',
  ],
  ['InternalError', 'StoreContention', 'StoreUnavailable', 'InQuarantine', 'PartnerUnavailable'],
];

export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** Null if it is not transient. */
  readonly retryAfterSeconds: number | null;
}

export const catalogue = Object.fromEntries(
  Object.entries(messages).flatMap(([status, ofStatus]) =>
    Object.entries(ofStatus).map(([code, message]) => [
      code,
      {
        status: Number.parseInt(status, 10),
        message,
        retryAfterSeconds: retryAfterSeconds[code as ErrorCode] ?? null,
      },
    ]),
  ),
) as Readonly<Record<ErrorCode, Refusal>>;

export interface PonteErrorOptions {
  readonly cause?: unknown;
  /** Whole seconds, 1 or more. */
  readonly retryAfterSeconds?: number;
  /** The oldest stored sequence of a feed. */
  readonly oldestSequence?: number;
  /** The position of a restored feed. */
  readonly feed?: FeedPosition;
  readonly ofKey?: RefusedKey | null;
}

/** For the request log. */
export interface RefusedKey {
  readonly id: string;
  readonly orgId: string;
  readonly mode: 'test' | 'live';
}

export interface FeedPosition {
  readonly epoch: number;
  /** 0 before the first event. */
  readonly lastSequence: number;
}

/**
 * A refusal with a code of the catalogue. Without a message it carries the catalogue's.
 * `retryAfterSeconds` is null unless the code is transient or the thrower gave one.
 */
export class PonteError extends Error {
  override readonly name = 'PonteError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly transient: boolean;
  readonly retryAfterSeconds: number | null;
  readonly oldestSequence: number | null;
  readonly feed: FeedPosition | null;
  /** The key that was presented, right and not valid; never part of an answer. */
  readonly ofKey: RefusedKey | null;

  constructor(code: ErrorCode, message?: string, options: PonteErrorOptions = {}) {
    const entry = catalogue[code];
    const retryAfterSeconds = options.retryAfterSeconds ?? entry.retryAfterSeconds;
    assert(
      retryAfterSeconds === null || (Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1),
      'retryAfterSeconds is a whole number of 1 or more',
    );
    super(
      message ?? entry.message.replace('<n>', `${retryAfterSeconds}`),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.status = entry.status;
    this.transient = entry.retryAfterSeconds !== null;
    this.retryAfterSeconds = retryAfterSeconds;
    this.oldestSequence = options.oldestSequence ?? null;
    this.feed = options.feed ?? null;
    this.ofKey = options.ofKey ?? null;
  }
}

export function isCode(error: unknown, code: ErrorCode): error is PonteError {
  return error instanceof PonteError && error.code === code;
}

/** For `catch` of a promise: what answers refusals of these kinds. Other errors are thrown on. */
export function answered<A>(answers: Readonly<Partial<Record<ErrorCode, () => A | Promise<A>>>>) {
  return (error: unknown): A | Promise<A> => {
    const answer = error instanceof PonteError ? answers[error.code] : undefined;
    if (answer === undefined) throw error;
    return answer();
  };
}

/**
 * A database cannot be used: another process serves it, or it has another version. For operators.
 */
export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal';
}

/** A backup or a restored database that is damaged or incomplete. */
export class UnsoundCopy extends Error {
  override readonly name = 'UnsoundCopy';
}

/** A programmer's error; a client gets InternalError. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure';
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionFailure(message);
}

/** Closes a switch over a closed union: a new member does not compile. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`unreachable: ${String(value)}`);
}

/** A refusal of what was given. The message says what, and what to give. */
export function invalid(message: string): PonteError {
  return new PonteError('ValidationError', message);
}

/** What a read has found. NotFound if that is null. */
export function expectFound<T>(found: T | null | undefined): T {
  if (found === null || found === undefined) throw new PonteError('NotFound');
  return found;
}

/** What the machine or the database said; null if it said nothing. */
export function reasonOf({ cause }: PonteError): string | null {
  if (!(cause instanceof Error)) return null;
  // An AggregateError of several addresses has only a code.
  return cause.message || String(Reflect.get(cause, 'code') ?? cause.name);
}
