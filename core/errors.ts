// Every refusal the service can give, and the one class that carries it. An error code is part of
// the interface: its name, status and default message stand here and nowhere else. Where errors
// are caught and shown (pipeline, CLI, worker step) is not this file's matter.

/**
 * `transient`: the same request, unchanged, is expected to succeed after waiting. `<n>` in a
 * message stands for the seconds to wait.
 */
export const catalogue = {
  ValidationError: {
    status: 400,
    transient: false,
    message: 'The request is not valid. Correct the fields named here and send it again.',
  },
  KybNotApproved: {
    status: 400,
    transient: false,
    message:
      'The organization has no virtual account in this mode. Complete its KYB and register its ' +
      'PIX destination, then create again.',
  },
  AmountBelowMinimum: {
    status: 400,
    transient: false,
    message: 'The amount is below the minimum of 10.00 USD. Send a larger amount.',
  },
  SellerNotReady: {
    status: 400,
    transient: false,
    message: 'sellerExternalId names no seller that can be paid. Wait until it is readyToCollect.',
  },
  TosIdMismatch: {
    status: 400,
    transient: false,
    message: 'The tosId is not the one recorded. Send the recorded one, or leave it out.',
  },
  TosSessionRequired: {
    status: 400,
    transient: false,
    message: 'No terms session was started for this account. Call tos-session first.',
  },
  ConnectedAccountMissingFields: {
    status: 400,
    transient: false,
    message: 'Fields needed for this role and entityType are missing. Send the fields named here.',
  },
  ConnectedAccountNotApproved: {
    status: 400,
    transient: false,
    message: 'The account is not approved. Wait for status approved, then configure the payout.',
  },
  ProductionAccessNotApproved: {
    status: 400,
    transient: false,
    message: 'Production access is not approved for this organization. Ask for it, then switch.',
  },
  ModeSwitchNotAllowed: {
    status: 400,
    transient: false,
    message: 'An API key cannot switch modes. Use a key of the other mode, or a dashboard session.',
  },
  Unauthorized: {
    status: 401,
    transient: false,
    message: 'This route needs a session. Send Authorization: Bearer <token>.',
  },
  InvalidToken: {
    status: 401,
    transient: false,
    message: 'The session token is not valid or has expired. Sign in again.',
  },
  InvalidApiKey: {
    status: 401,
    transient: false,
    message: 'The API key is missing, unknown or revoked. Send a valid key as X-API-Key.',
  },
  InvalidApiKeyFormat: {
    status: 401,
    transient: false,
    message: 'X-API-Key must have the form pk_test_<id>.<secret> or pk_live_<id>.<secret>.',
  },
  InvalidSignature: {
    status: 401,
    transient: false,
    message: 'The signature of this message does not verify. Sign the exact bytes that are sent.',
  },
  InvalidSignInLink: {
    status: 401,
    transient: false,
    message: 'The link was used, has expired, or is not one of ours. Ask for a new one.',
  },
  InsufficientScope: {
    status: 403,
    transient: false,
    message: 'The credential lacks the scope of this route. Use a key or a role that has it.',
  },
  SelfApprovalNotAllowed: {
    status: 403,
    transient: false,
    message: 'An invoice cannot be approved by the member who created it. Ask a teammate.',
  },
  NotFound: {
    status: 404,
    transient: false,
    message: 'Nothing is found here. Check the path, the id and the mode of the credential.',
  },
  MethodNotAllowed: {
    status: 405,
    transient: false,
    message: 'This path does not take this method. The Allow header names those it takes.',
  },
  RequestTimeout: {
    status: 408,
    transient: false,
    message: 'The request did not arrive in time. Send it again on a new connection.',
  },
  IdempotencyKeyConflict: {
    status: 409,
    transient: false,
    message:
      'This Idempotency-Key belongs to a resource of another path: payment intents and invoices ' +
      'do not share keys. Send a new key.',
  },
  PaymentNotCancellable: {
    status: 409,
    transient: false,
    message: 'The payment has ended or its payout has begun, so it can no longer be cancelled.',
  },
  PaymentStateConflict: {
    status: 409,
    transient: false,
    message:
      'The status of the payment does not allow this step. Read the payment and go on there.',
  },
  QuoteExpired: {
    status: 409,
    transient: false,
    message: 'The quote has expired. Ask for a new one and confirm that.',
  },
  QuoteChanged: {
    status: 409,
    transient: false,
    message: 'Another quote has replaced this one. Show the current quote and confirm that.',
  },
  InvoiceNotApproved: {
    status: 409,
    transient: false,
    message: 'Only an approved invoice can invite its buyer. Approve it first.',
  },
  CommandNotRetryable: {
    status: 409,
    transient: false,
    message: 'The command is under way right now. Look at it again in a moment.',
  },
  CheckIncomplete: {
    status: 409,
    transient: false,
    message:
      'The partner was not asked about every payment. Run ponte restore --check until it is ' +
      'complete, then release.',
  },
  NotQuarantined: {
    status: 409,
    transient: false,
    message: 'The database is not in quarantine: there is nothing to check or to release.',
  },
  DeliveryNotReplayable: {
    status: 409,
    transient: false,
    message:
      'Only a delivered or dead-lettered delivery of an active subscription can be replayed.',
  },
  EventsPruned: {
    status: 410,
    transient: false,
    message: 'Events after this sequence are no longer kept. Start from the oldest one kept.',
  },
  FeedReset: {
    status: 410,
    transient: false,
    message:
      'The service was restored from a backup, and its feed has a new epoch. Read your payments ' +
      'again, then go on with the epoch and the lastSequence of this answer.',
  },
  UploadUrlExpired: {
    status: 410,
    transient: false,
    message:
      'The upload URL has expired, was used too often, or its document was submitted. Ask for ' +
      'another URL.',
  },
  PayloadTooLarge: {
    status: 413,
    transient: false,
    message: 'The body is too large: 256 KiB is the most, 10 MiB of a document.',
  },
  UnsupportedMediaType: {
    status: 415,
    transient: false,
    message:
      'Add the header Content-Type: application/json, even without a body. With curl: ' +
      "-H 'Content-Type: application/json'.",
  },
  RateLimitExceeded: {
    status: 429,
    transient: true,
    message: 'Rate limit exceeded. Retry after <n>s.',
  },
  HeadersTooLarge: {
    status: 431,
    transient: false,
    message: 'The headers are larger than 16 KiB. Send fewer or shorter ones.',
  },
  InternalError: {
    status: 500,
    transient: false,
    message:
      'We failed. Repeat with the same Idempotency-Key; if it stays, report the X-Request-Id.',
  },
  StoreContention: {
    status: 503,
    transient: true,
    message: 'Too many writes touch the same data. Nothing was changed; repeat after <n>s.',
  },
  StoreUnavailable: {
    status: 503,
    transient: true,
    message:
      'The database cannot be reached. Repeat with the same Idempotency-Key after <n>s: a write ' +
      'may have been stored.',
  },
  InQuarantine: {
    status: 503,
    transient: true,
    // It lasts until a person ends it.
    retryAfterSeconds: 60,
    message:
      'The service was restored from a backup and waits for its release: it answers reads and ' +
      'changes nothing. Repeat with the same Idempotency-Key after <n>s.',
  },
  KycStorageDisabled: {
    status: 503,
    transient: false,
    message: 'Document storage is not configured. Send pre-hosted https URLs instead.',
  },
  PartnerUnavailable: {
    status: 503,
    transient: true,
    message: 'The settlement partner cannot be reached. Repeat the request after <n>s.',
  },
} as const satisfies Record<
  string,
  {
    readonly status: number;
    readonly transient: boolean;
    readonly message: string;
    /** What a transient refusal asks for when its thrower does not know better; 5 without it. */
    readonly retryAfterSeconds?: number;
  }
>;

export type ErrorCode = keyof typeof catalogue;

export interface PonteErrorOptions {
  readonly cause?: unknown;
  /** Whole seconds, 1 or more. */
  readonly retryAfterSeconds?: number;
  /** The oldest sequence of a feed that is still kept. */
  readonly oldestSequence?: number;
  /** Where a feed is that was restored. */
  readonly feed?: FeedPlace;
}

export interface FeedPlace {
  readonly epoch: number;
  /** 0 before the first event. */
  readonly lastSequence: number;
}

const RETRY_AFTER_DEFAULT_SECONDS = 5;

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
  /** Null unless the thrower gave one. */
  readonly oldestSequence: number | null;
  /** Null unless the thrower gave one. */
  readonly feed: FeedPlace | null;

  constructor(code: ErrorCode, message?: string, options: PonteErrorOptions = {}) {
    const entry = catalogue[code];
    const usualSeconds =
      'retryAfterSeconds' in entry ? entry.retryAfterSeconds : RETRY_AFTER_DEFAULT_SECONDS;
    const retryAfterSeconds = options.retryAfterSeconds ?? (entry.transient ? usualSeconds : null);
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
    this.transient = entry.transient;
    this.retryAfterSeconds = retryAfterSeconds;
    this.oldestSequence = options.oldestSequence ?? null;
    this.feed = options.feed ?? null;
  }
}

/** Whether `error` is a refusal with this code. */
export function isCode(error: unknown, code: ErrorCode): error is PonteError {
  return error instanceof PonteError && error.code === code;
}

/**
 * Why a database cannot be used now, and what to do first: another process serves it, or it is of
 * another version. Only operators see it.
 */
export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal';
}

/** A copy of a database, or a restored database, that is not what it must be. */
export class UnsoundCopy extends Error {
  override readonly name = 'UnsoundCopy';
}

/** A programmer's error: never shown to a client as anything but InternalError. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure';
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) {
    throw new AssertionFailure(message);
  }
}

/** Closes a switch over a closed union: a new member does not compile. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`unreachable: ${String(value)}`);
}
