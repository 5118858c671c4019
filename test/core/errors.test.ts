import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AssertionFailure,
  assert as assertCore,
  catalogue,
  type ErrorCode,
  PonteError,
  unreachable,
} from '../../core/errors.js';

/** Codes, statuses and conditions of the interface. */
const interfaceCodes = {
  KybNotApproved: 400,
  AmountBelowMinimum: 400,
  ValidationError: 400,
  TosIdMismatch: 400,
  ConnectedAccountMissingFields: 400,
  ConnectedAccountNotApproved: 400,
  ProductionAccessNotApproved: 400,
  ModeSwitchNotAllowed: 400,
  InvalidApiKey: 401,
  InvalidApiKeyFormat: 401,
  InsufficientScope: 403,
  IdempotencyKeyConflict: 409,
  RateLimitExceeded: 429,
  KycStorageDisabled: 503,
} as const satisfies Partial<Record<ErrorCode, number>>;

/** Where the interface has no code. */
const otherCodes = {
  AmountAboveCap: 400,
  PaymentMissingFields: 400,
  SellerNotReady: 400,
  TosSessionRequired: 400,
  Unauthorized: 401,
  InvalidToken: 401,
  InvalidSignature: 401,
  InvalidSignInLink: 401,
  InvalidSignInCode: 401,
  SignInCodeExpired: 401,
  InvalidPasskey: 401,
  SelfApprovalNotAllowed: 403,
  SessionNotFresh: 403,
  OperatorNotAllowed: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  RequestTimeout: 408,
  AmbiguousExternalId: 409,
  PaymentNotCancellable: 409,
  PaymentStateConflict: 409,
  QuoteExpired: 409,
  QuoteChanged: 409,
  InvoiceNotApproved: 409,
  CommandNotRetryable: 409,
  DecisionNotAllowed: 409,
  DepositDecided: 409,
  CheckIncomplete: 409,
  NotQuarantined: 409,
  DeliveryNotReplayable: 409,
  EventsPruned: 410,
  FeedReset: 410,
  UploadUrlExpired: 410,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  InvitationLimitExceeded: 429,
  PreviewLimitExceeded: 429,
  LargeBodyLimitExceeded: 429,
  ReaderLimitExceeded: 429,
  StorageLimitExceeded: 429,
  HeadersTooLarge: 431,
  InternalError: 500,
  StoreContention: 503,
  StoreUnavailable: 503,
  PartnerUnavailable: 503,
  InQuarantine: 503,
  UploadsPaused: 503,
} as const satisfies Record<Exclude<ErrorCode, keyof typeof interfaceCodes>, number>;

test('the codes are those of the interface and these, each with its status', () => {
  const statuses = Object.entries(catalogue).map(([code, { status }]) => [code, status]);
  assert.deepEqual(Object.fromEntries(statuses), { ...interfaceCodes, ...otherCodes });
});

/** What a person or time ends is repeated later, the rest in 5 seconds. */
const waitSeconds = {
  RateLimitExceeded: 5,
  InvitationLimitExceeded: 60,
  PreviewLimitExceeded: 5,
  LargeBodyLimitExceeded: 5,
  ReaderLimitExceeded: 5,
  StorageLimitExceeded: 3_600,
  StoreContention: 5,
  StoreUnavailable: 5,
  InQuarantine: 60,
  UploadsPaused: 60,
  PartnerUnavailable: 5,
} as const satisfies Partial<Record<ErrorCode, number>>;

test('only these are worth repeating unchanged, and say when', () => {
  const errors = Object.keys(catalogue).map((code) => new PonteError(code as ErrorCode));
  const transient = errors.filter((error) => error.transient);
  const waits = transient.map(({ code, retryAfterSeconds }) => [code, retryAfterSeconds]);
  assert.deepEqual(Object.fromEntries(waits), waitSeconds);
  assert.match(new PonteError('InQuarantine').message, /after 60s\.$/);
});

test('every code is PascalCase, an HTTP error, and says in a sentence what to do', () => {
  for (const [code, { status, message }] of Object.entries(catalogue)) {
    assert.match(code, /^([A-Z][a-z]+)+$/);
    assert.ok(status >= 400 && status <= 599, code);
    assert.match(message, /^\S.*\.$/, code);
  }
});

test('an error without a message carries that of its code', () => {
  const error = new PonteError('NotFound');
  assert.deepEqual([error.code, error.status, error.transient], ['NotFound', 404, false]);
  assert.deepEqual([error.retryAfterSeconds, error.message], [null, catalogue.NotFound.message]);
  assert.deepEqual([error.name, 'cause' in error], ['PonteError', false]);
  assert.ok(error instanceof Error);
});

test('an error keeps the message and the cause it was given', () => {
  const cause = new Error('below');
  const error = new PonteError('ValidationError', 'buyer.email: not an address', { cause });
  assert.equal(error.message, 'buyer.email: not an address');
  assert.equal(error.cause, cause);
});

test('the rate limit message names the seconds to wait', () => {
  const error = new PonteError('RateLimitExceeded', undefined, { retryAfterSeconds: 3 });
  assert.equal(error.message, 'Rate limit exceeded. Retry after 3s.');
  assert.equal(error.retryAfterSeconds, 3);
});

test('a transient refusal always says when to come back; no message keeps a placeholder', () => {
  for (const code of Object.keys(catalogue)) {
    const error = new PonteError(code as ErrorCode);
    assert.equal(error.retryAfterSeconds !== null, error.transient, code);
    assert.doesNotMatch(error.message, /<n>/, code);
  }
});

test('a wait that is not a whole number of at least one second is a programmer error', () => {
  for (const retryAfterSeconds of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(
      () => new PonteError('RateLimitExceeded', undefined, { retryAfterSeconds }),
      AssertionFailure,
    );
  }
});

test('an assertion passes on true and throws its message on false', () => {
  assertCore(true, 'never seen');
  assert.throws(() => assertCore(false, 'money is conserved'), {
    name: 'AssertionFailure',
    message: 'money is conserved',
  });
});

test('an unreachable value throws', () => {
  assert.throws(() => unreachable('surprise' as never), AssertionFailure);
});
