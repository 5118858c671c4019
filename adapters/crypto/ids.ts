// Ids: `<prefix>_` and 26 characters of lower-case Crockford base32, of 48 bits of creation time in
// milliseconds and 80 random bits. They sort by creation time, and randomly within a millisecond.
import { createHash, hash, randomBytes } from 'node:crypto';
import { assert } from '../../core/errors.js';
import { ID_TIME_CHARACTERS, type IdPrefix, type Ids } from '../../core/ports/outside.js';

/** Without i, l, o and u; in ASCII order, so that the text sorts like the bits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_BYTES = 10;
const TIME_LIMIT_MS = 2 ** 48;
const POOL_BYTES = 4_096;

export type RandomSource = (length: number) => Uint8Array;

/** `bytes` must be unguessable in production; the default is the system's generator. */
export function createIds(bytes: RandomSource = pooledBytes()): Ids {
  return {
    next: (prefix, nowMs) => idOf(prefix, nowMs, bytes(RANDOM_BYTES)),
    named: (prefix, atMs, name) =>
      idOf(prefix, atMs, hash('sha256', name, 'buffer').subarray(0, RANDOM_BYTES)),
    randomBytes: bytes,
  };
}

function idOf(prefix: IdPrefix, atMs: number, random: Uint8Array): string {
  assert(
    Number.isInteger(atMs) && atMs >= 0 && atMs < TIME_LIMIT_MS,
    'an id is made at whole milliseconds of 48 bits',
  );
  return `${prefix}_${timeText(atMs)}${randomText(random)}`;
}

/** Reads the system's generator in blocks: a call costs more than the bytes. */
function pooledBytes(): RandomSource {
  let pool = randomBytes(POOL_BYTES);
  let used = 0;
  return (length) => {
    if (length > POOL_BYTES / 4) return randomBytes(length);
    if (used + length > POOL_BYTES) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    const bytes = pool.subarray(used, used + length);
    used += length;
    return bytes;
  };
}

/**
 * The same bytes for the same seed, in the same order: SHA-256 over the seed and a counter. For
 * tests and embedding; never where an id or a key must be unguessable.
 */
export function seededBytes(seed: string): RandomSource {
  let block = new Uint8Array(0);
  let counter = 0;
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length; ) {
      if (block.length === 0) {
        block = createHash('sha256').update(`${counter}:${seed}`).digest();
        counter += 1;
      }
      const part = block.subarray(0, length - filled);
      bytes.set(part, filled);
      filled += part.length;
      block = block.subarray(part.length);
    }
    return bytes;
  };
}

function timeText(nowMs: number): string {
  let text = '';
  let rest = nowMs;
  for (let count = 0; count < ID_TIME_CHARACTERS; count += 1) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function randomText(bytes: Uint8Array): string {
  assert(bytes.length === RANDOM_BYTES, 'the byte source returns the requested length');
  let text = '';
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    bitCount += 8;
    while (bitCount >= 5) {
      bitCount -= 5;
      text += alphabet.charAt((bits >> bitCount) & 31);
    }
    bits &= 31;
  }
  return text;
}
