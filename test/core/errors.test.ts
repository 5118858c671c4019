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

const decidedCodes = {
  SellerNotReady: 400,
  TosSessionRequired: 400,
  Unauthorized: 401,
  InvalidToken: 401,
  SelfApprovalNotAllowed: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  PaymentNotCancellable: 409,
  InvoiceNotApproved: 409,
  EventsPruned: 410,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  PartnerUnavailable: 503,
} as const satisfies Partial<Record<ErrorCode, number>>;

test('every code of the interface and of the decisions has its status', () => {
  for (const [code, status] of Object.entries({ ...interfaceCodes, ...decidedCodes })) {
    assert.equal(catalogue[code as ErrorCode].status, status, code);
  }
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
  assert.equal(error.code, 'NotFound');
  assert.equal(error.status, 404);
  assert.equal(error.transient, false);
  assert.equal(error.retryAfterSeconds, null);
  assert.equal(error.message, catalogue.NotFound.message);
  assert.equal(error.name, 'PonteError');
  assert.equal('cause' in error, false);
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
  for (const [code, { transient }] of Object.entries(catalogue)) {
    const error = new PonteError(code as ErrorCode);
    assert.equal(error.retryAfterSeconds !== null, transient, code);
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
