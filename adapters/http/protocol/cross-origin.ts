// CORS headers, for web origins on the list of the operator only. They protect no data by
// themselves: every call still needs its credential.
import type { IncomingMessage } from 'node:http';
import type { Reply } from './route-row.js';

/** Seconds that a browser may cache a preflight answer; the maximum of Chromium. */
const PREFLIGHT_SECONDS = '7200';

const preflightHeaders = {
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, X-API-Key, X-Request-Id',
  'access-control-max-age': PREFLIGHT_SECONDS,
} as const;

export function corsHeaders(
  origins: ReadonlySet<string>,
  request: IncomingMessage,
): Readonly<Record<string, string>> {
  if (origins.size === 0) return {};
  const { origin } = request.headers;
  if (origin === undefined || !origins.has(origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'ETag, Idempotent-Mismatch, Idempotent-Replayed, RateLimit, RateLimit-Policy, ' +
      'Retry-After, X-Request-Id',
    'cross-origin-resource-policy': 'cross-origin',
  };
}

export function preflightReply(
  origins: ReadonlySet<string>,
  methods: readonly string[],
  request: IncomingMessage,
): Reply | null {
  const { origin, 'access-control-request-method': method } = request.headers;
  if (request.method !== 'OPTIONS' || method === undefined) return null;
  if (origin === undefined || !origins.has(origin)) return null;
  const headers = { ...preflightHeaders, 'access-control-allow-methods': methods.join(', ') };
  return { status: 204, body: null, headers };
}
