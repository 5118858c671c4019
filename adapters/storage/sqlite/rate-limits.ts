// Rate limits in memory, for a single serving process. rate-limit.ts has the arithmetic; this keeps
// its one number per key, for a bounded number of keys.
import { takeFromAll } from '../../../core/domain/service/rate-limit.js';
import type { RateLimits } from '../../../core/ports/outside.js';

/** About 10 MB. Beyond it the least recently used key is dropped, which allows it a new burst. */
const KEYS_MAX = 100_000;
/** Keys examined per step, so that rested keys go as fast as new ones come. */
const SWEEP_PER_STEP = 2;
const MICROS_PER_MS = 1_000;

export interface MemoryRateLimits extends RateLimits {
  readonly size: number;
}

export function newMemoryRateLimits(keysMax: number = KEYS_MAX): MemoryRateLimits {
  // In the order of last use.
  const tatMicrosByKey = new Map<string, number>();
  return {
    get size() {
      return tatMicrosByKey.size;
    },
    async take({ buckets, nowMs }) {
      const known = (key: string) => tatMicrosByKey.get(key) ?? null;
      const taken = takeFromAll(buckets, nowMs, known);
      for (const [key, tatMicros] of taken.tatMicros) {
        tatMicrosByKey.delete(key);
        tatMicrosByKey.set(key, tatMicros);
        forgetRested(tatMicrosByKey, nowMs, keysMax);
      }
      return taken;
    },
  };
}

/** A rested key (its time has passed) equals one never seen. */
function forgetRested(tatMicrosByKey: Map<string, number>, nowMs: number, keysMax: number): void {
  let looked = 0;
  for (const [key, tatMicros] of tatMicrosByKey) {
    looked += 1;
    if (looked > SWEEP_PER_STEP) return;
    const rested = tatMicros <= nowMs * MICROS_PER_MS;
    if (rested || tatMicrosByKey.size > keysMax) tatMicrosByKey.delete(key);
  }
}
