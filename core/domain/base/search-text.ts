// What a person types to find something again: without regard to case, accents, width and the
// digits of another keyboard. Names are found by each of their words, from its start.
import { plainSigns } from './typed-text.js';

/** Longer texts are compared by their beginning; the longest reference has 255 characters. */
export const SEARCH_KEY_MAX = 255;
/** A longer word is found by its beginning. */
const WORD_MAX = 40;
/** The rest of a longer name does not count. */
const WORDS_MAX = 10;

const mark = /\p{M}/gu;
/** Letters of which no mark can be taken off, as people without them write them. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ł: 'l',
  ı: 'i',
};
const special = new RegExp(`[${Object.keys(letters).join('')}]`, 'g');
/** The writings that put no blank between words (Unicode Standard Annex 14, 5.1 and 6.1). */
const unspaced = new RegExp(
  ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
    .map((script) => `\\p{Script=${script}}`)
    .join('|'),
  'u',
);
const plain = /^[\x20-\x7e]*$/;

/** The text as it is compared; equal for texts that differ in case, accents or blanks only. */
export function searchKey(text: string): string {
  const lower = plain.test(text)
    ? text.toLowerCase()
    : plainSigns(text.normalize('NFKD'))
        .toLowerCase()
        .replace(mark, '')
        .replace(special, (sign) => letters[sign] ?? sign);
  return lower.replace(/\s+/g, ' ').trim().slice(0, SEARCH_KEY_MAX);
}

/** The words of what somebody types, without those that others begin with. */
export function typedWords(text: string): readonly string[] {
  const words = wordsOf(text);
  return words.filter(
    (word, at) => !words.some((other, place) => place !== at && isLonger(other, word, place < at)),
  );
}

/**
 * The words by which a name is found, each once. Where a writing has no blanks between words, each
 * letter can begin one.
 */
export function nameWords(name: string): readonly string[] {
  const words = wordsOf(name).flatMap((word) =>
    unspaced.test(word) ? [...word].map((_, at) => [...word].slice(at).join('')) : [word],
  );
  return [...new Set(words)].slice(0, WORDS_MAX);
}

/** Whether each of the typed words begins a word of the names. */
export function isNamed(typed: readonly string[], names: readonly (string | null)[]): boolean {
  const words = names.flatMap((name) => (name === null ? [] : nameWords(name)));
  return typed.length > 0 && typed.every((one) => words.some((word) => word.startsWith(one)));
}

function wordsOf(text: string): readonly string[] {
  const words = searchKey(text).split(/[^\p{L}\p{N}]+/u);
  // No letter is cut in two: half of one is no text for PostgreSQL.
  return words.filter((word) => word !== '').map((word) => [...word].slice(0, WORD_MAX).join(''));
}

function isLonger(other: string, word: string, isBefore: boolean): boolean {
  return other.startsWith(word) && (other !== word || isBefore);
}
