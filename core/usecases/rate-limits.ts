// The rate limits of use cases. The port stores their state for all hosts.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/instant.js';
import { type Bucket, clientNetwork, type RateLimit } from '../domain/rate-limit.js';
import { type Tenant, tenantKey } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';

/** Requests for a sign-in link: each mails a stranger. Also the burst. */
const signInsAnHour = { page: 10, client: 30 } as const;

const QUOTES_AN_HOUR = 20;
/** Uploads of documents through the hosted page, for each party. */
const uploadsAnHour = 60;
const uploadedMebibytesADay = 200;
const VERIFIES_AN_HOUR = 20;

/** The keys of a tenant share this multiple of the limit of one: new keys add nothing. */
const TENANT_SHARE = 5;
/** Large JSON that a tenant may send for each create of its limit: 47 MiB a minute by default. */
const KIBIBYTES_PER_CREATE = 16;
/** Smaller bodies cost no more than any request. */
const LARGE_BODY_BYTES_MIN = 8 * 1_024;

/** A create by this API key; replays count too. */
export async function takeCreateToken(deps: Deps, tenant: Tenant, keyId: string): Promise<void> {
  const { rateLimitPerMinute: perMinute, rateLimitBurst: burst } = deps.settings;
  if (perMinute === 0) return;
  const ofTenant = { key: `creates ${tenantKey(tenant)}`, ...tenantLimit(deps, 1) };
  await takeAll(deps, [{ key: keyId, perMinute, burst }, ofTenant]);
}

/** A JSON body, before it is parsed, which blocks all other requests. */
export async function takeLargeBody(deps: Deps, tenant: Tenant, sizeBytes: number): Promise<void> {
  if (deps.settings.rateLimitPerMinute === 0 || sizeBytes < LARGE_BODY_BYTES_MIN) return;
  const limit = tenantLimit(deps, KIBIBYTES_PER_CREATE);
  const count = Math.ceil(sizeBytes / 1_024);
  await takeAll(deps, [{ key: `large bodies ${tenantKey(tenant)}`, ...limit, count }]);
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

function tenantLimit({ settings }: Deps, unitsPerCreate: number): RateLimit {
  const { rateLimitPerMinute, rateLimitBurst } = settings;
  const units = TENANT_SHARE * unitsPerCreate;
  return { perMinute: units * rateLimitPerMinute, burst: units * rateLimitBurst };
}

function take(deps: Deps, key: string, limit: RateLimit): Promise<void> {
  return takeAll(deps, [{ key, ...limit }]);
}

async function takeAll(deps: Deps, buckets: readonly Bucket[]): Promise<void> {
  const waitSeconds = await deps.rateLimits.take({ buckets, nowMs: deps.clock.nowMs() });
  if (waitSeconds !== null) throw rateLimited(waitSeconds * SECOND_MS);
}
