// Which exit code an error ends with: one table, spelled out here a second time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExitKind, exitCodes, exitOf } from '../../cli/exit-codes.js';
import {
  catalogue,
  type ErrorCode,
  PonteError,
  StoreRefusal,
  UnsoundCopy,
} from '../../core/errors.js';
import { ConfigError } from '../../host/config.js';

const codesOf: Readonly<Partial<Record<ExitKind, readonly ErrorCode[]>>> = {
  failure: ['InternalError'],
  invalid: [
    ...(['ValidationError', 'AmountBelowMinimum', 'AmountAboveCap', 'TosIdMismatch'] as const),
    ...(['PaymentMissingFields'] as const),
    ...(['ConnectedAccountMissingFields', 'ModeSwitchNotAllowed', 'MethodNotAllowed'] as const),
    ...(['PayloadTooLarge', 'UnsupportedMediaType', 'HeadersTooLarge'] as const),
  ],
  notFound: ['NotFound'],
  conflict: [
    ...(['KybNotApproved', 'SellerNotReady', 'TosSessionRequired'] as const),
    ...(['ConnectedAccountNotApproved', 'ProductionAccessNotApproved'] as const),
    ...([
      'AmbiguousExternalId',
      'IdempotencyKeyConflict',
      'PaymentNotCancellable',
      'PaymentStateConflict',
    ] as const),
    ...(['QuoteExpired', 'QuoteChanged', 'InvoiceNotApproved'] as const),
    ...([
      'CommandNotRetryable',
      'DecisionNotAllowed',
      'DepositDecided',
      'CheckIncomplete',
      'NotQuarantined',
    ] as const),
    ...(['DeliveryNotReplayable', 'EventsPruned', 'FeedReset', 'UploadUrlExpired'] as const),
  ],
  forbidden: [
    ...(['Unauthorized', 'InvalidToken', 'InvalidApiKey', 'InvalidApiKeyFormat'] as const),
    ...(['InvalidSignature', 'InvalidSignInLink', 'InsufficientScope'] as const),
    ...(['InvalidSignInCode', 'SignInCodeExpired', 'InvalidPasskey'] as const),
    ...(['SelfApprovalNotAllowed', 'SessionNotFresh', 'OperatorNotAllowed'] as const),
  ],
  tryAgain: [
    ...(['RequestTimeout', 'RateLimitExceeded', 'StoreContention', 'StoreUnavailable'] as const),
    ...(['PartnerUnavailable', 'InQuarantine', 'StorageLimitExceeded'] as const),
    ...(['UploadsPaused', 'InvitationLimitExceeded', 'PreviewLimitExceeded'] as const),
    ...(['LargeBodyLimitExceeded', 'ReaderLimitExceeded'] as const),
  ],
  configuration: ['KycStorageDisabled'],
};

test('each code of the catalogue ends with the exit code of its kind', () => {
  const described = Object.entries(codesOf).flatMap(([kind, codes]) =>
    codes.map((code) => [code, kind] as const),
  );
  assert.deepEqual(described.map(([code]) => code).toSorted(), Object.keys(catalogue).toSorted());
  for (const [code, kind] of described) assert.equal(exitOf(new PonteError(code)), kind, code);
});

test('only transient store errors are worth another try', () => {
  for (const code of Object.keys(catalogue)) {
    const error = new PonteError(code as ErrorCode);
    if (error.transient) assert.equal(exitOf(error), 'tryAgain', code);
  }
});

test('a refused database, a damaged backup, a wrong configuration and a fault of ours differ', () => {
  for (const [error, code] of [
    [new StoreRefusal('another process serves it'), 4],
    [new UnsoundCopy('a backup is damaged'), 8],
    [new ConfigError(['PONTE_PORT: give a number']), 7],
    [new Error('a fault of ours'), 1],
    ['no error at all', 1],
  ] as const) {
    assert.equal(exitCodes[exitOf(error)][0], code);
  }
});
