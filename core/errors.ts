// Every refusal of the service. Error codes with their statuses are part of the interface.

/**
 * With `retryAfterSeconds` a refusal is transient: the unchanged request is expected to succeed
 * after that wait, unless the thrower gives another one. `<n>` is the wait.
 */
export const catalogue = {
  ValidationError: {
    status: 400,
    message: 'The request is not valid. Correct the fields named here and send it again.',
  },
  KybNotApproved: {
    status: 400,
    message:
      'The organization has no virtual account in this mode. Complete its KYB and register its ' +
      'PIX destination, then create again.',
  },
  AmountBelowMinimum: {
    status: 400,
    message: 'The amount is below the minimum of 10.00 USD. Send a larger amount.',
  },
  SellerNotReady: {
    status: 400,
    message: 'sellerExternalId is not a seller that can be paid. Wait until it is readyToCollect.',
  },
  TosIdMismatch: {
    status: 400,
    message: 'The tosId is not the one recorded. Send the recorded one, or leave it out.',
  },
  TosSessionRequired: {
    status: 400,
    message: 'The account has no terms session. Call tos-session first.',
  },
  ConnectedAccountMissingFields: {
    status: 400,
    message: 'Fields needed for this role and entityType are missing. Send the fields named here.',
  },
  ConnectedAccountNotApproved: {
    status: 400,
    message: 'The account is not approved. Wait for status approved, then configure the payout.',
  },
  ProductionAccessNotApproved: {
    status: 400,
    message: 'Production access is not approved for this organization. Request it, then switch.',
  },
  ModeSwitchNotAllowed: {
    status: 400,
    message: 'An API key cannot switch modes. Use a key of the other mode, or a dashboard session.',
  },
  Unauthorized: {
    status: 401,
    message: 'This route needs a session. Send Authorization: Bearer <token>.',
  },
  InvalidToken: {
    status: 401,
    message: 'The session token is not valid or has expired. Sign in again.',
  },
  InvalidApiKey: {
    status: 401,
    message: 'The API key is missing, unknown or revoked. Send a valid key as X-API-Key.',
  },
  InvalidApiKeyFormat: {
    status: 401,
    message: 'X-API-Key must have the form pk_test_<id>.<secret> or pk_live_<id>.<secret>.',
  },
  InvalidSignature: {
    status: 401,
    message: 'The signature is not valid. Sign the exact bytes that are sent.',
  },
  InvalidSignInLink: {
    status: 401,
    message: 'The link was used, has expired or is not known. Request a new one.',
  },
  InsufficientScope: {
    status: 403,
    message: 'The credential lacks the scope of this route. Use a key or a role that has it.',
  },
  SelfApprovalNotAllowed: {
    status: 403,
    message: 'An invoice cannot be approved by the member who created it. Ask a teammate.',
  },
  NotFound: {
    status: 404,
    message: 'Not found. Check the path, the id and the mode of the credential.',
  },
  MethodNotAllowed: {
    status: 405,
    message: 'This path does not allow this method. The Allow header lists the allowed ones.',
  },
  RequestTimeout: {
    status: 408,
    message: 'The request did not arrive in time. Send it again on a new connection.',
  },
  IdempotencyKeyConflict: {
    status: 409,
    message:
      'This Idempotency-Key belongs to a resource of another path: payment intents and invoices ' +
      'do not share keys. Send a new key.',
  },
  PaymentNotCancellable: {
    status: 409,
    message: 'The payment has ended or its payout has started, so it can no longer be cancelled.',
  },
  PaymentStateConflict: {
    status: 409,
    message:
      'The status of the payment does not allow this step. Read the payment and continue there.',
  },
  QuoteExpired: {
    status: 409,
    message: 'The quote has expired. Request a new one and confirm it.',
  },
  QuoteChanged: {
    status: 409,
    message: 'Another quote has replaced this one. Show the current quote and confirm it.',
  },
  InvoiceNotApproved: {
    status: 409,
    message: 'Only an approved invoice can invite its buyer. Approve it first.',
  },
  CommandNotRetryable: {
    status: 409,
    message: 'The command is in progress. Check it again in a moment.',
  },
  CheckIncomplete: {
    status: 409,
    message:
      'Not every payment was checked with the partner. Run ponte restore --check until it is ' +
      'complete, then release.',
  },
  NotQuarantined: {
    status: 409,
    message: 'The database is not in quarantine: there is nothing to check or to release.',
  },
  DeliveryNotReplayable: {
    status: 409,
    message:
      'Only a delivered or dead-lettered delivery of an active subscription can be replayed.',
  },
  EventsPruned: {
    status: 410,
    message: 'Events after this sequence were removed. Start from the oldest stored event.',
  },
  FeedReset: {
    status: 410,
    message:
      'The service was restored from a backup, and its feed has a new epoch. Read your payments ' +
      'again, then continue with the epoch and the lastSequence of this answer.',
  },
  UploadUrlExpired: {
    status: 410,
    message:
      'The upload URL has expired, was used too often, or its document was submitted. Request ' +
      'another URL.',
  },
  PayloadTooLarge: {
    status: 413,
    message: 'The body is too large. The limit is 256 KiB, or 10 MiB for a document.',
  },
  UnsupportedMediaType: {
    status: 415,
    message:
      'Add the header Content-Type: application/json, even without a body. With curl: ' +
      "-H 'Content-Type: application/json'.",
  },
  RateLimitExceeded: {
    status: 429,
    retryAfterSeconds: 5,
    message: 'Rate limit exceeded. Retry after <n>s.',
  },
  HeadersTooLarge: {
    status: 431,
    message: 'The headers are larger than 16 KiB. Send fewer or shorter ones.',
  },
  InternalError: {
    status: 500,
    message:
      'Internal error. Retry with the same Idempotency-Key; if it persists, report X-Request-Id.',
  },
  StoreContention: {
    status: 503,
    retryAfterSeconds: 5,
    message: 'Too many concurrent writes to the same data. Nothing was changed. Retry after <n>s.',
  },
  StoreUnavailable: {
    status: 503,
    retryAfterSeconds: 5,
    message:
      'The database cannot be reached. Retry with the same Idempotency-Key after <n>s: a write ' +
      'may have been stored.',
  },
  InQuarantine: {
    status: 503,
    // It lasts until a person ends it.
    retryAfterSeconds: 60,
    message:
      'The service was restored from a backup and awaits its release: it serves reads only. ' +
      'Retry with the same Idempotency-Key after <n>s.',
  },
  KycStorageDisabled: {
    status: 503,
    message: 'Document storage is not configured. Send https URLs of documents hosted elsewhere.',
  },
  PartnerUnavailable: {
    status: 503,
    retryAfterSeconds: 5,
    message: 'The settlement partner cannot be reached. Retry after <n>s.',
  },
} as const satisfies Record<
  string,
  { readonly status: number; readonly message: string; readonly retryAfterSeconds?: number }
>;

export type ErrorCode = keyof typeof catalogue;

export interface PonteErrorOptions {
  readonly cause?: unknown;
  /** Whole seconds, 1 or more. */
  readonly retryAfterSeconds?: number;
  /** The oldest stored sequence of a feed. */
  readonly oldestSequence?: number;
  /** The position of a restored feed. */
  readonly feed?: FeedPosition;
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

  constructor(code: ErrorCode, message?: string, options: PonteErrorOptions = {}) {
    const entry = catalogue[code];
    const usualSeconds = 'retryAfterSeconds' in entry ? entry.retryAfterSeconds : null;
    const retryAfterSeconds = options.retryAfterSeconds ?? usualSeconds;
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
    this.transient = usualSeconds !== null;
    this.retryAfterSeconds = retryAfterSeconds;
    this.oldestSequence = options.oldestSequence ?? null;
    this.feed = options.feed ?? null;
  }
}

export function isCode(error: unknown, code: ErrorCode): error is PonteError {
  return error instanceof PonteError && error.code === code;
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
  if (!condition) {
    throw new AssertionFailure(message);
  }
}

/** Closes a switch over a closed union: a new member does not compile. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`unreachable: ${String(value)}`);
}
