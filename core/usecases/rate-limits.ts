// The rate limits of use cases. The port stores their state for all hosts.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/instant.js';
import { clientNetwork, type RateLimit } from '../domain/rate-limit.js';
import { PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';

/** Requests for a sign-in link: each mails a stranger. Also the burst. */
const signInsAnHour = { page: 10, client: 30 } as const;

const QUOTES_AN_HOUR = 20;
/** Uploads of documents through the hosted page, for each party. */
const uploadsAnHour = 60;
const uploadedMebibytesADay = 200;
const VERIFIES_AN_HOUR = 20;

/** A create by this API key; replays count too. */
export async function takeCreateToken(deps: Deps, keyId: string): Promise<void> {
  const { rateLimitPerMinute: perMinute, rateLimitBurst: burst } = deps.settings;
  if (perMinute > 0) await take(deps, keyId, { perMinute, burst });
}

export function takePageSlot(deps: Deps, path: string): Promise<void> {
  return take(deps, `sign-in page ${path}`, hourly(signInsAnHour.page));
}

export function takeClientSlot(deps: Deps, address: string): Promise<void> {
  return take(deps, `sign-in client ${clientNetwork(address)}`, hourly(signInsAnHour.client));
}

/** A quote for the hosted page of this payment: partners limit calls too. */
export function takeQuoteSlot(deps: Deps, publicId: string): Promise<void> {
  return take(deps, `quote page ${publicId}`, hourly(QUOTES_AN_HOUR));
}

export function takeUploadSlot(deps: Deps, buyerId: string): Promise<void> {
  return take(deps, `upload ${buyerId}`, hourly(uploadsAnHour));
}

/** Taken for each MiB that has begun, so that uploads at the same time count too. */
export function takeUploadedMebibyte(deps: Deps, buyerId: string): Promise<void> {
  const burst = uploadedMebibytesADay;
  const perMinute = (burst * MINUTE_MS) / DAY_MS;
  return take(deps, `uploaded MiB ${buyerId}`, { perMinute, burst });
}

/** A check of bank details, which could guess codes. */
export function takeVerifySlot(deps: Deps, address: string): Promise<void> {
  return take(deps, `verify client ${clientNetwork(address)}`, hourly(VERIFIES_AN_HOUR));
}

export function rateLimited(waitMs: number): PonteError {
  const retryAfterSeconds = Math.ceil(waitMs / SECOND_MS);
  return new PonteError('RateLimitExceeded', undefined, { retryAfterSeconds });
}

function hourly(count: number): RateLimit {
  return { perMinute: (count * MINUTE_MS) / HOUR_MS, burst: count };
}

async function take(deps: Deps, key: string, limit: RateLimit): Promise<void> {
  const waitSeconds = await deps.rateLimits.take({ key, ...limit, nowMs: deps.clock.nowMs() });
  if (waitSeconds !== null) throw rateLimited(waitSeconds * SECOND_MS);
}
