// How many columns of a terminal a text takes: characters of East Asia and most emoji take two,
// signs that are drawn on the character before them none.
import { lettersOf } from '../core/domain/base/text-letters.js';

/** Unicode Standard Annex 11, classes W and F, in blocks. */
const wide: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

export function widthOf(text: string): number {
  return lettersOf(text).reduce((sum, letter) => sum + columnsOf(letter), 0);
}

/** The same as `padEnd` and `padStart`, by columns. */
export function padded(text: string, columns: number, side: 'start' | 'end'): string {
  const blanks = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return side === 'end' ? text + blanks : blanks + text;
}

function columnsOf(grapheme: string): number {
  if (/^[\p{M}\p{Cf}]/u.test(grapheme)) return 0;
  const point = grapheme.codePointAt(0) ?? 0;
  return wide.some(([first, last]) => point >= first && point <= last) ? 2 : 1;
}
