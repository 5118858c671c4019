// The rate limits of use cases. The port stores their state for all hosts.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/base/instant.js';
import { type Tenant, tenantKey } from '../../domain/base/tenant.js';
import {
  type Bucket,
  clientNetwork,
  type Quota,
  quotaAfter,
  type RateLimit,
  type Taken,
} from '../../domain/service/rate-limit.js';
import type { BudgetPart, Stored } from '../../domain/service/storage-limits.js';
import { type ErrorCode, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';

const KIBIBYTE = 1_024;

/** Each may mail a stranger. */
const SIGN_INS_AN_HOUR = 30;
/** Addresses that a client types. Each is stored, known or not. */
const TYPED_ADDRESSES_AN_HOUR = 100;
/** Checks of bank details: of a client, then of all clients for one page. */
const verifiesAnHour = { client: 20, page: 10 } as const;

/**
 * Addresses that an organization has not mailed before, over all purposes of mail. They may be
 * strangers', and the mails come from the operator's domain. In live mode mails that nobody asked
 * for leave others their part. Any hour has at most the sum of both numbers.
 */
const newAddresses = {
  test: { all: { atOnce: 30, anHour: 20 }, unasked: { atOnce: 30, anHour: 20 } },
  live: { all: { atOnce: 1_000, anHour: 1_000 }, unasked: { atOnce: 500, anHour: 500 } },
} as const;

/**
 * Codes of sign-in mails that were tried and were not right. Six digits can be guessed over many
 * addresses, so each budget holds alone, and a spent one refuses codes only: links still sign in.
 * The one of an address is whole again after ten days: nobody mistypes that often.
 */
const wrongCodes = {
  address: { atOnce: 10, aDay: 1 },
  client: { atOnce: 80, aDay: 80 },
  service: { atOnce: 1_000, aDay: 1_000 },
} as const;
type CodeBudget = keyof typeof wrongCodes;

/** Mails to owners: their addresses are typed by buyers. Strangers use test mode, too. */
const ownerMailsAnHour = { client: 30, tenant: { live: 100, test: 20 } } as const;

/**
 * Previews of prices. Each is up to three calls to the partner, and a development instance of one
 * takes 100 a minute from all tenants: buyers and commands need their part.
 */
const previewsAMinute = { tenant: { live: 30, test: 10 }, all: { live: 300, test: 20 } } as const;

/** What pages cost: of a payment, a form or a seller, or of a member for exports. */
const pageCallsAnHour = {
  /** Partners limit calls too. */
  quote: 20,
  /** A PDF file takes as long as many pages. */
  file: 30,
  /** Links of a payment for colleagues. */
  share: 10,
  export: 20,
  /** Each stores a session, which is kept for 30 days. */
  phone: 20,
  /** Each check of a file reads its invoices. */
  import: 60,
} as const;
export type PageLimit = keyof typeof pageCallsAnHour;
/** Uploads of documents through the hosted page, for each party. */
const uploadsAnHour = 60;
const uploadedMebibytesADay = 200;

/** Each is a mail to the organization. */
const QUESTIONS_A_DAY = 5;

/** The keys of a tenant share this multiple of the limit of one: new keys add nothing. */
export const TENANT_SHARE = 5;
/** Large JSON that a tenant may send for each create of its limit: 47 MiB a minute by default. */
export const KIBIBYTES_PER_CREATE = 16;
/** Smaller bodies cost no more than any request. */
export const LARGE_BODY_BYTES_MIN = 8 * 1_024;

/** The limit on creates that leaves the fewest requests, by what it is counted by. */
export interface CreateQuota extends Quota {
  readonly countedBy: 'key' | 'tenant';
  /** Null if the create is allowed; else it is RateLimitExceeded. */
  readonly waitMs: number | null;
}

/**
 * A create by this API key; replays count too. Null without a limit. Refuses nothing itself but a
 * body that is more than the tenant may store (StorageLimitExceeded).
 */
export async function takeCreateToken(
  deps: Deps,
  tenant: Tenant,
  { keyId, sizeBytes }: { readonly keyId: string; readonly sizeBytes: number },
): Promise<CreateQuota | null> {
  const { rateLimitPerMinute: perMinute, rateLimitBurst: burst } = deps.settings;
  if (perMinute === 0) return null;
  const ofKey = { key: keyId, perMinute, burst };
  const ofTenant = { key: `creates ${tenantKey(tenant)}`, ...tenantLimit(deps, 1) };
  const nowMs = deps.clock.nowMs();
  // In one statement: a create writes no more of them.
  const bytes = storedBuckets(deps, tenant, 'creates', { rows: 0, bytes: KIBIBYTE + sizeBytes });
  const taken = await deps.rateLimits.take({ buckets: [ofKey, ofTenant, ...bytes], nowMs });
  refuseStored(taken, bytes);
  const quotaOf = (bucket: Bucket): Quota | null => {
    const tatMicros = taken.tatMicros.get(bucket.key);
    return tatMicros === undefined ? null : quotaAfter(bucket, tatMicros, nowMs);
  };
  const [key, all] = [quotaOf(ofKey), quotaOf(ofTenant)];
  const waitMs = waitOf(taken);
  if (key !== null && (all === null || key.remaining <= all.remaining)) {
    return { countedBy: 'key', waitMs, ...key };
  }
  return all === null ? null : { countedBy: 'tenant', waitMs, ...all };
}

/** A JSON body, before it is parsed, which blocks all other requests. LargeBodyLimitExceeded. */
export async function takeLargeBody(deps: Deps, tenant: Tenant, sizeBytes: number): Promise<void> {
  if (deps.settings.rateLimitPerMinute === 0 || sizeBytes < LARGE_BODY_BYTES_MIN) return;
  const limit = tenantLimit(deps, KIBIBYTES_PER_CREATE);
  const count = Math.ceil(sizeBytes / KIBIBYTE);
  const bucket = { key: `large bodies ${tenantKey(tenant)}`, ...limit, count };
  await takeAll(deps, [bucket], 'LargeBodyLimitExceeded');
}

/** Many people may share the address of a client: what it has spent slows them, and no more. */
export async function isSignInClientSpent(deps: Deps, address: string): Promise<boolean> {
  const key = `sign-in client ${clientNetwork(address)}`;
  return (await waitFor(deps, key, hourly(SIGN_INS_AN_HOUR))) !== null;
}

/** How long until a client may type an address to sign in at; null for now. */
export function typedAddressWaitMs(deps: Deps, client: string): Promise<number | null> {
  const key = `typed address client ${clientNetwork(client)}`;
  return waitFor(deps, key, hourly(TYPED_ADDRESSES_AN_HOUR));
}

/** A try of somebody without a session. */
interface PageTry {
  /** An IP address. */
  readonly client: string;
  /** What the try is about. */
  readonly page: string;
}

/** What a try of a code has taken from the budgets. */
export interface CodeSlot {
  /** What counts: `right` nothing, `none` (there was no code to compare) not for the service. */
  ended(result: 'right' | 'wrong' | 'none'): Promise<void>;
}

/**
 * A try of a sign-in code, before it is compared: so tries at the same time count too.
 * `addressKey`: where the mail goes, also if nobody is known there. RateLimitExceeded.
 */
export async function takeCodeSlot(
  deps: Deps,
  { client, addressKey }: { readonly client: string | null; readonly addressKey: string },
): Promise<CodeSlot> {
  const about = {
    address: addressKey,
    client: client === null ? '' : clientNetwork(client),
    service: 'all',
  };
  const bucketOf = (budget: CodeBudget): Bucket => {
    const { atOnce: burst, aDay } = wrongCodes[budget];
    const perMinute = (aDay * MINUTE_MS) / DAY_MS;
    return { key: `wrong codes ${budget} ${about[budget]}`, perMinute, burst };
  };
  const all: readonly CodeBudget[] = ['address', 'client', 'service'];
  const budgets = client === null ? all.filter((budget) => budget !== 'client') : all;
  const buckets = budgets.map(bucketOf);
  const nowMs = deps.clock.nowMs();
  const taken = await deps.rateLimits.take({ buckets, nowMs });
  const waitMs = waitOf(taken);
  if (waitMs !== null) {
    const spent = budgets.filter((budget) => taken.tatMicros.has(bucketOf(budget).key));
    for (const budget of spent) await alertOfCodes(deps, budget, about[budget]);
    deps.metrics?.signInCode('limited');
    throw rateLimited(waitMs);
  }
  return {
    async ended(result) {
      deps.metrics?.signInCode(result);
      // One statement for each result: its time does not show whether there was a code.
      const unused = result === 'right' ? buckets : [bucketOf('service')];
      const count = result === 'wrong' ? 0 : -1;
      const given = unused.map((bucket) => ({ ...bucket, count }));
      await deps.rateLimits.take({ buckets: given, nowMs: deps.clock.nowMs() });
    },
  };
}

/** Somebody guesses codes. Once an hour for each budget: a stranger can be refused often. */
async function alertOfCodes(deps: Deps, budget: CodeBudget, about: string): Promise<void> {
  const key = `wrong codes alert ${budget} ${about}`;
  if ((await waitFor(deps, key, hourly(1))) !== null) return;
  const alert = {
    address: 'the sign-in codes of an address are refused for now: too many were wrong',
    client: 'the sign-in codes from a client are refused for now: too many were wrong',
    service: 'all sign-in codes are refused for now: too many were wrong',
  }[budget];
  deps.log.error('alert', { alert, ...(budget === 'client' ? { client: about } : {}) });
}

/**
 * A check of bank details. Takes from the budget of the client or, once that is spent, of the page.
 * A stranger with the same address, such as that of a proxy, must also name the page to slow down
 * somebody else.
 */
export async function takeVerifySlot(deps: Deps, { client, page }: PageTry): Promise<void> {
  const { client: ofClient, page: ofPage } = verifiesAnHour;
  const clientKey = `verify client ${clientNetwork(client)}`;
  const clientWaitMs = await waitFor(deps, clientKey, hourly(ofClient));
  if (clientWaitMs === null) return;
  const pageWaitMs = await waitFor(deps, `verify page ${page}`, hourly(ofPage));
  if (pageWaitMs !== null) throw rateLimited(Math.min(clientWaitMs, pageWaitMs));
}

export async function takeOwnerMailSlots(
  deps: Deps,
  { orgId, mode }: Tenant,
  address: string | null,
): Promise<void> {
  const { client, tenant } = ownerMailsAnHour;
  const ofTenant = { key: `owner mail tenant ${orgId} ${mode}`, ...hourly(tenant[mode]) };
  if (address === null) return takeAll(deps, [ofTenant]);
  const ofClient = { key: `owner mail client ${clientNetwork(address)}`, ...hourly(client) };
  return takeAll(deps, [ofClient, ofTenant]);
}

/**
 * A mail to an address that the organization has not mailed before. `mode`: test also for live
 * pages of an organization without production access. How long it waits; null if it may be sent.
 */
export function newAddressWaitMs(
  deps: Deps,
  { orgId, mode }: Tenant,
  isAsked: boolean,
): Promise<number | null> {
  const bucketOf = (name: 'all' | 'unasked'): Bucket => {
    const { atOnce: burst, anHour } = newAddresses[mode][name];
    return { ...hourly(anHour), burst, key: `new addresses ${name} ${orgId} ${mode}` };
  };
  const buckets = isAsked ? [bucketOf('all')] : [bucketOf('all'), bucketOf('unasked')];
  return waitForAll(deps, buckets);
}

/** `about`: what the path names, or the id of a member. RateLimitExceeded. */
export function takePageSlot(deps: Deps, limit: PageLimit, about: string): Promise<void> {
  return take(deps, `${limit} page ${about}`, hourly(pageCallsAnHour[limit]));
}

/** PreviewLimitExceeded. */
export function takePreviewSlot(deps: Deps, tenant: Tenant): Promise<void> {
  const { mode } = tenant;
  const bucket = (name: string, perMinute: number) => {
    return { key: `quote previews ${name}`, perMinute, burst: perMinute };
  };
  const { tenant: own, all } = previewsAMinute;
  const buckets = [bucket(tenantKey(tenant), own[mode]), bucket(mode, all[mode])];
  return takeAll(deps, buckets, 'PreviewLimitExceeded');
}

/** A question about a payment. RateLimitExceeded. */
export function takeQuestionSlot(deps: Deps, paymentId: string): Promise<void> {
  const perMinute = (QUESTIONS_A_DAY * MINUTE_MS) / DAY_MS;
  return take(deps, `questions ${paymentId}`, { perMinute, burst: QUESTIONS_A_DAY });
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

/** What a batch stores. StorageLimitExceeded. */
export async function takeStored(
  deps: Deps,
  tenant: Tenant,
  part: BudgetPart,
  stored: Stored,
): Promise<void> {
  const buckets = storedBuckets(deps, tenant, part, stored);
  if (buckets.length === 0) return;
  refuseStored(await deps.rateLimits.take({ buckets, nowMs: deps.clock.nowMs() }), buckets);
}

function storedBuckets(
  { settings: { storage, rateLimitPerMinute } }: Deps,
  tenant: Tenant,
  part: BudgetPart,
  { rows, bytes }: Stored,
): readonly Bucket[] {
  const { rowsADay, mebibytesADay } = storage[tenant.mode];
  const kibibytes = rateLimitPerMinute === 0 ? 0 : Math.ceil(bytes / KIBIBYTE);
  return [
    { of: 'rows', count: rows, burst: rowsADay },
    { of: 'KiB', count: kibibytes, burst: mebibytesADay * KIBIBYTE },
  ].flatMap(({ of, count, burst }) => {
    if (count === 0 || burst === 0) return [];
    const key = `stored ${of} ${part} ${tenantKey(tenant)}`;
    return [{ key, count, burst, perMinute: (burst * MINUTE_MS) / DAY_MS }];
  });
}

/** Throws StorageLimitExceeded if one of these refused. */
function refuseStored(taken: Taken, stored: readonly Bucket[]): void {
  const { retryAfterSeconds, tatMicros } = taken;
  if (retryAfterSeconds === null || !stored.some(({ key }) => tatMicros.has(key))) return;
  throw new PonteError('StorageLimitExceeded', undefined, { retryAfterSeconds });
}

/** `RateLimitExceeded` is the limit of a key or a page; what else is limited has its own code. */
export function rateLimited(waitMs: number, code: ErrorCode = 'RateLimitExceeded'): PonteError {
  const retryAfterSeconds = Math.ceil(waitMs / SECOND_MS);
  return new PonteError(code, undefined, { retryAfterSeconds });
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

async function takeAll(deps: Deps, buckets: readonly Bucket[], code?: ErrorCode): Promise<void> {
  const waitMs = await waitForAll(deps, buckets);
  if (waitMs !== null) throw rateLimited(waitMs, code);
}

function waitFor(deps: Deps, key: string, limit: RateLimit): Promise<number | null> {
  return waitForAll(deps, [{ key, ...limit }]);
}

/** Null if it was taken. */
async function waitForAll(deps: Deps, buckets: readonly Bucket[]): Promise<number | null> {
  return waitOf(await deps.rateLimits.take({ buckets, nowMs: deps.clock.nowMs() }));
}

function waitOf({ retryAfterSeconds }: Taken): number | null {
  return retryAfterSeconds === null ? null : retryAfterSeconds * SECOND_MS;
}
