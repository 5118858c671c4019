// The arithmetic of a rate limit: GCRA (generic cell rate algorithm, ITU-T I.371). It needs one
// number per key: the theoretical arrival time of the next request (`tat`), which the RateLimits
// port stores for all hosts.
import { assert } from '../../errors.js';

export interface RateLimit {
  /** 0 switches the limit off. */
  readonly perMinute: number;
  /** Requests that an idle key may make immediately; 1 or more. */
  readonly burst: number;
}

export interface Bucket extends RateLimit {
  readonly key: string;
  /**
   * What one request takes: 1 by default. More than the burst counts as the burst. Below 0 it gives
   * back what a request has taken.
   */
  readonly count?: number;
}

interface GcraState {
  /** Whole microseconds, for intervals of part of a millisecond. Null for a new key. */
  readonly tatMicros: number | null;
  readonly nowMs: number;
}

interface GcraResult {
  readonly allowed: boolean;
  /**
   * A refusal does not raise it. It is at most a burst ahead: a later number comes from a clock
   * that was wrong.
   */
  readonly tatMicros: number;
  /** Whole seconds; 0 if allowed. */
  readonly retryAfterSeconds: number;
}

/** Groups of an IPv6 address that name a network; a client may use each address in it. */
const NETWORK_GROUPS = 4;
const MICROS_PER_MS = 1_000;
const MICROS_PER_SECOND = 1_000_000;
const MICROS_PER_MINUTE = 60_000_000;

/** What a client is counted by: its IPv4 address, or the /64 network of its IPv6 address. */
export function clientNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [before = '', after = ''] = address.toLowerCase().split('::');
  const [start, end] = [before, after].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(Math.max(0, 8 - (start?.length ?? 0) - (end?.length ?? 0))).fill('0');
  const groups = [...(start ?? []), ...zeros, ...(end ?? [])].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}

/** The result of a request. */
export interface Taken {
  /** Null if all buckets allow the request. */
  readonly retryAfterSeconds: number | null;
  /** The new times, by key: of all buckets or, after a refusal, of those that refused. */
  readonly tatMicros: ReadonlyMap<string, number>;
}

/** What an integrator sees of a limit: `quota` requests in a window, of which some are left. */
export interface Quota {
  readonly quota: number;
  /** How long a quota that is used up takes to be whole again. */
  readonly windowSeconds: number;
  readonly remaining: number;
  /** How long until the quota is whole again. */
  readonly resetSeconds: number;
}

/** One request takes from all buckets or, if any refuses it, from none. */
export function takeFromAll(
  buckets: readonly Bucket[],
  nowMs: number,
  tatMicrosOf: (key: string) => number | null,
): Taken {
  const steps = buckets.map((bucket) => {
    const step = gcraStep({ tatMicros: tatMicrosOf(bucket.key), nowMs, ...bucket });
    return { key: bucket.key, ...step };
  });
  const refused = steps.filter(({ allowed }) => !allowed);
  const changed = refused.length === 0 ? steps : refused;
  const waits = refused.map(({ retryAfterSeconds }) => retryAfterSeconds);
  return {
    retryAfterSeconds: waits.length === 0 ? null : Math.max(...waits),
    tatMicros: new Map(changed.map(({ key, tatMicros }) => [key, tatMicros])),
  };
}

/** The quota of a limit whose time is `tatMicros` after a request at `nowMs`. */
export function quotaAfter(
  { perMinute, burst }: RateLimit,
  tatMicros: number,
  nowMs: number,
): Quota {
  const interval = intervalMicros(perMinute);
  const spentMicros = Math.max(0, tatMicros - Math.floor(nowMs * MICROS_PER_MS));
  return {
    quota: burst,
    windowSeconds: Math.ceil((interval * burst) / MICROS_PER_SECOND),
    remaining: Math.max(0, burst - Math.ceil(spentMicros / interval)),
    resetSeconds: Math.ceil(spentMicros / MICROS_PER_SECOND),
  };
}

export function gcraStep(input: GcraState & Omit<Bucket, 'key'>): GcraResult {
  const nowMicros = Math.floor(input.nowMs * MICROS_PER_MS);
  const restedMicros = Math.max(input.tatMicros ?? nowMicros, nowMicros);
  if (input.perMinute === 0) {
    return { allowed: true, tatMicros: restedMicros, retryAfterSeconds: 0 };
  }

  assert(input.perMinute > 0 && input.burst >= 1, 'a limit has a rate above 0, a burst above 0');
  const interval = intervalMicros(input.perMinute);
  const tatMicros = Math.min(restedMicros, nowMicros + interval * input.burst);
  const count = Math.min(input.count ?? 1, input.burst);
  const nextTatMicros = tatMicros + interval * count;
  const allowedAtMicros = nextTatMicros - interval * input.burst;
  if (nowMicros >= allowedAtMicros) {
    return { allowed: true, tatMicros: nextTatMicros, retryAfterSeconds: 0 };
  }
  const waitMicros = allowedAtMicros - nowMicros;
  return {
    allowed: false,
    tatMicros,
    retryAfterSeconds: Math.ceil(waitMicros / MICROS_PER_SECOND),
  };
}

/** Rounded up: never more requests than the limit. */
function intervalMicros(perMinute: number): number {
  return Math.ceil(MICROS_PER_MINUTE / perMinute);
}
