// Rate limits held in memory: right where one process serves, which the SQLite store makes sure of.
// The arithmetic is rate-limit.ts; this holds its one number per key, for not too many keys.
import { gcraStep } from '../../../core/domain/rate-limit.js';
import type { RateLimits } from '../../../core/ports.js';

/** About 10 MB. Beyond it the key unused for longest is forgotten, which allows it a burst anew. */
const KEYS_MAX = 100_000;
/** Rested keys looked for at each step, so that they go as fast as keys come. */
const SWEEP_PER_STEP = 2;
const MICROS_PER_MS = 1_000;

export interface MemoryRateLimits extends RateLimits {
  /** Keys that are held now. */
  readonly size: number;
}

export function newMemoryRateLimits(keysMax: number = KEYS_MAX): MemoryRateLimits {
  // In the order of last use.
  const tatMicrosByKey = new Map<string, number>();
  return {
    get size() {
      return tatMicrosByKey.size;
    },
    async take({ key, perMinute, burst, nowMs }) {
      const tatMicros = tatMicrosByKey.get(key) ?? null;
      const result = gcraStep({ tatMicros, nowMs, perMinute, burst });
      tatMicrosByKey.delete(key);
      tatMicrosByKey.set(key, result.tatMicros);
      forgetRested(tatMicrosByKey, nowMs, keysMax);
      return result.allowed ? null : result.retryAfterSeconds;
    },
  };
}

/** A rested key (its time has passed) is treated like one never seen, so it need not be held. */
function forgetRested(tatMicrosByKey: Map<string, number>, nowMs: number, keysMax: number): void {
  let looked = 0;
  for (const [key, tatMicros] of tatMicrosByKey) {
    looked += 1;
    if (looked > SWEEP_PER_STEP) return;
    const rested = tatMicros <= nowMs * MICROS_PER_MS;
    if (rested || tatMicrosByKey.size > keysMax) tatMicrosByKey.delete(key);
  }
}
