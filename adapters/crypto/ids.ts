// Ids: `<prefix>_` and 26 characters of lower-case Crockford base32, of 48 bits of creation time in
// milliseconds, 10 bits for the cell (the number of the deployment) and 70 random bits. They sort
// by creation time, and randomly within a millisecond. A named id has
// the time and the cell of the id that it follows from.
import { createHash, hash, randomBytes } from 'node:crypto';
import { DAY_MS } from '../../core/domain/base/instant.js';
import { assert } from '../../core/errors.js';
import {
  CELLS,
  ID_CELL_CHARACTERS,
  ID_TIME_CHARACTERS,
  type IdPrefix,
  type Ids,
} from '../../core/ports/outside.js';

/** Without i, l, o and u; in ASCII order, so that the text sorts like the bits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** The cell replaces the first bits of them. */
const RANDOM_BYTES = 10;
const TIME_LIMIT_MS = 2 ** 48;
const POOL_BYTES = 4_096;

export type RandomSource = (length: number) => Uint8Array;

/** `bytes` must be unguessable in production; the default is the system's generator. */
export function createIds(bytes: RandomSource = pooledBytes(), cell = 0): Ids {
  assert(Number.isInteger(cell) && cell >= 0 && cell < CELLS, `a cell is from 0 to ${CELLS - 1}`);
  const cellText = numberText(cell, ID_CELL_CHARACTERS);
  const next: Ids['next'] = (prefix, nowMs) => {
    assert(
      Number.isInteger(nowMs) && nowMs >= 0 && nowMs < TIME_LIMIT_MS,
      'an id is made at whole milliseconds of 48 bits',
    );
    const time = numberText(nowMs, ID_TIME_CHARACTERS);
    return idText(prefix, `${time}${cellText}`, bytes(RANDOM_BYTES));
  };
  return {
    next,
    ...postingIds(next),
    named: (prefix, id, name) => {
      const from = id.indexOf('_') + 1;
      const start = id.slice(from, from + ID_TIME_CHARACTERS + ID_CELL_CHARACTERS);
      const named = hash('sha256', `${id}/${name}`, 'buffer').subarray(0, RANDOM_BYTES);
      return idText(prefix, start, named);
    },
    randomBytes: bytes,
  };
}

/** A clock that is further off was not read by anybody; its postings stay where they are. */
const STEP_BACK_MAX_MS = DAY_MS;

export function postingIds(next: Ids['next']): Pick<Ids, 'posting' | 'postedUntil'> {
  let lastMs = 0;
  return {
    posting(nowMs) {
      const isBack = nowMs < lastMs && lastMs - nowMs < STEP_BACK_MAX_MS;
      // Ids of one millisecond are in no order.
      lastMs = isBack ? lastMs + 1 : nowMs;
      return { id: next('pst', lastMs), atMs: lastMs };
    },
    postedUntil(atMs) {
      lastMs = Math.max(lastMs, atMs);
    },
  };
}

/** `start`: the time and the cell. */
function idText(prefix: IdPrefix, start: string, random: Uint8Array): string {
  return `${prefix}_${start}${randomText(random).slice(ID_CELL_CHARACTERS)}`;
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

function numberText(number: number, characters: number): string {
  let text = '';
  let rest = number;
  for (let count = 0; count < characters; count += 1) {
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
