// Texts of others, such as names: without marks that change the text beside them.

/** Marks that change the direction of the text after them, and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const invisible = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;
/** Hebrew, Arabic and other scripts from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/** A text of others without marks that reach beyond it; '' for anything but a text. */
export function plainText(text: unknown): string {
  return typeof text === 'string' ? text.replace(invisible, ' ').trim() : '';
}

/** A name inside a sentence: its direction does not change the words around it. */
export function nameOf(text: string): string {
  const name = plainText(text);
  return rightToLeft.test(name) ? `${FIRST_STRONG_ISOLATE}${name}${POP_ISOLATE}` : name;
}
