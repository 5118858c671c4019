// Which refusals an operation can answer with. The description lists them, and the tests require
// each of them.
import { type ScopeRule, scopesIn } from '../../../core/domain/access/scope.js';
import type { ErrorCode } from '../../../core/errors.js';
import { noParams, type Route } from './route-row.js';

/** Refusals before a row is found: of an unknown path or method, or an unreadable request. */
export const offTableCodes = [
  'NotFound',
  'MethodNotAllowed',
  'ValidationError',
  'RequestTimeout',
  'PayloadTooLarge',
  'HeadersTooLarge',
] as const satisfies readonly ErrorCode[];

/** The refusals of a row: those that follow from its fields, and its own. */
export function errorCodesOf(route: Route): readonly ErrorCode[] {
  const { auth, scope, modes, rateLimit, proof } = route.access;
  const takesBoth = auth === 'either' || auth === 'keyElseSession';
  const json = typeof route.body !== 'string';
  const codes: readonly (readonly [boolean, readonly ErrorCode[]])[] = [
    [true, ['ValidationError', 'InternalError']],
    // A credential is looked up in the database.
    [auth !== 'none', ['StoreContention', 'StoreUnavailable']],
    [auth === 'key' || takesBoth, ['InvalidApiKey', 'InvalidApiKeyFormat']],
    [auth === 'session' || auth === 'either', ['Unauthorized']],
    [auth === 'session' || takesBoth, ['InvalidToken']],
    [auth === 'partner' || auth === 'signature', ['InvalidSignature']],
    [route.method !== 'GET' && route.inQuarantine !== 'served', ['InQuarantine']],
    [scope !== 'none', ['InsufficientScope']],
    [proof === 'fresh_live', ['SessionNotFresh']],
    [namesTwoOrigins(scope), ['AmbiguousExternalId']],
    // A path parameter that is too long or cannot be decoded matches no path.
    [modes === 'test' || route.params !== noParams, ['NotFound']],
    [rateLimit === 'create', ['RateLimitExceeded']],
    [json && auth !== 'none' && auth !== 'partner', ['LargeBodyLimitExceeded']],
    [rateLimit !== 'none', ['StorageLimitExceeded']],
    [route.idempotency === 'key', ['IdempotencyKeyConflict']],
    [route.body !== 'none', ['PayloadTooLarge']],
    [json, ['UnsupportedMediaType']],
    [true, route.errors],
  ];
  return codes.flatMap(([applies, names]) => (applies ? names : []));
}

/** `ext_` in the path may name a payment intent or an invoice. */
function namesTwoOrigins(scope: ScopeRule): boolean {
  return typeof scope !== 'string' && 'byOrigin' in scope && scopesIn(scope).length > 1;
}
