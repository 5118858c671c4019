// Names of payments in what a payer wrote, as banks print it: in capitals, with blanks or dashes in
// other places, glued to other words, without leading zeros, with letters and digits that look
// alike, or cut. Text that is only like a name is a doubt, and names nothing.
import { plainSigns } from '../base/typed-text.js';

/** A shorter name is in a text by chance. */
const NAME_MIN = 4;
/** In a shorter name each change could be another name. */
const LONG_NAME_MIN = 8;
/** Parts of a name that a bank may have separated. */
const PARTS_MAX = 6;
/** Longer than a bank prints: a statement joins at most four lines of 140 characters. */
const TEXT_MAX = 1_000;
/** A piece that no other text has by chance: with letters, or of digits alone. */
const PIECE_MIN = 5;
const DIGITS_MIN = 6;
/** Wrong, missing or additional characters. */
const EDITS_MAX = 2;
/** Our own codes (bank-record.ts). They are random: what contains one is about it. */
const ownCode = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/;

/** Characters that people and machines take for one another. */
const alike: Readonly<Record<string, string>> = {
  O: '0',
  Q: '0',
  I: '1',
  L: '1',
  Z: '2',
  S: '5',
  G: '6',
  B: '8',
};

/** Whether the text has this name, in any printing of a bank. */
export function hasName(text: string, name: string): boolean {
  const plain = bare(name);
  if (plain.length < NAME_MIN) return false;
  const words = joinedWords(text);
  if (words.includes(plain)) return true;
  if (plain.length < LONG_NAME_MIN) return false;
  const folded = withoutZeros(fold(plain));
  const isLong = folded.length >= pieceMin(folded);
  if (isLong && words.some((word) => withoutZeros(fold(word)) === folded)) return true;
  return isGlued(bare(text), plain, ownCode.test(name));
}

/** Whether the text has the name, a part of it, or something like it. */
export function isNearName(text: string, name: string): boolean {
  if (hasName(text, name)) return true;
  const folded = fold(bare(name));
  if (folded.length < LONG_NAME_MIN) return false;
  const whole = fold(bare(text));
  const size = ownCode.test(name) ? PIECE_MIN : pieceMin(folded);
  const isPart = Array.from({ length: folded.length - size + 1 }, (_, at) => at).some((at) =>
    whole.includes(folded.slice(at, at + size)),
  );
  const starts = [folded, withoutZeros(folded)].map((name) => name.slice(0, NAME_MIN));
  const end = folded.slice(-NAME_MIN);
  const words = joinedWords(text).map(fold);
  const isCut = starts.some(
    (start) =>
      start.length === NAME_MIN &&
      (whole.endsWith(start) || words.some((word) => word.startsWith(start))),
  );
  const isEnd = words.some((word) => word.endsWith(end));
  return isPart || isCut || isEnd || editsWithin(whole, folded) <= EDITS_MAX;
}

/** Each word of a text, and neighbours as one word: `7KQ4-M2XD` is also `7KQ4M2XD`. */
export function joinedWords(text: string): readonly string[] {
  const words = plainSigns(text.slice(0, TEXT_MAX))
    .split(/[^\p{L}\p{N}]+/u)
    .map(bare);
  const parts = words.filter((word) => word !== '');
  return parts.flatMap((_, from) =>
    Array.from({ length: Math.min(PARTS_MAX, parts.length - from) }, (_, more) =>
      parts.slice(from, from + more + 1).join(''),
    ),
  );
}

/** Each run of so many letters and digits, over blanks and dashes. */
export function runsOf(text: string, length: number): readonly string[] {
  const whole = bare(text);
  return Array.from({ length: Math.max(whole.length - length + 1, 0) }, (_, at) =>
    whole.slice(at, at + length),
  );
}

/** Banks change case and punctuation: letters and digits count. */
function bare(text: string): string {
  return plainSigns(text.slice(0, TEXT_MAX))
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function fold(plain: string): string {
  return plain.replace(/[OQILZSGB]/g, (sign) => alike[sign] ?? sign);
}

function withoutZeros(folded: string): string {
  return folded.replace(/^0+/, '');
}

function pieceMin(folded: string): number {
  return /^[0-9]*$/.test(folded) ? DIGITS_MIN : PIECE_MIN;
}

/**
 * Whether the name is in the text without a blank around it. A name that is not ours may be the
 * beginning of another one, so a digit is not glued to a digit, nor a letter to a letter.
 */
function isGlued(whole: string, plain: string, isOwn: boolean): boolean {
  const [text, name] = [fold(whole), fold(plain)];
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    const isFree =
      isOther(whole[at - 1], whole[at] ?? '') && isOther(whole[end], whole[end - 1] ?? '');
    if (isOwn || isFree) return true;
  }
  return false;
}

function isOther(neighbour: string | undefined, sign: string): boolean {
  return neighbour === undefined || /\p{N}/u.test(neighbour) !== /\p{N}/u.test(sign);
}

/** The least number of edits that makes a part of the text the name (Sellers, 1980). */
function editsWithin(text: string, name: string): number {
  let column = Array.from({ length: name.length + 1 }, (_, row) => row);
  let least = name.length;
  for (const sign of text) {
    const next = [0];
    for (let row = 1; row <= name.length; row += 1) {
      const replaced = (column[row - 1] ?? 0) + (name[row - 1] === sign ? 0 : 1);
      next.push(Math.min(replaced, (column[row] ?? 0) + 1, (next[row - 1] ?? 0) + 1));
    }
    column = next;
    least = Math.min(least, column[name.length] ?? least);
  }
  return least;
}
