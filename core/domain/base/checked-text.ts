// A short text that a person typed: what it must be, and the refusal of any other text.
import { PonteError } from '../../errors.js';

/**
 * Breaks a line, changes the direction of the text around it, or is half of a character: the text
 * could be read differently from what it is.
 */
const misleading = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

export function isMisleading(text: string): boolean {
  return misleading.test(text);
}

/** Without surrounding blanks. ValidationError names the field. */
export function checkedText(field: string, text: string, lengthMax: number): string {
  const trimmed = text.trim();
  if (trimmed !== '' && trimmed.length <= lengthMax && !isMisleading(trimmed)) return trimmed;
  throw new PonteError(
    'ValidationError',
    `${field}: give 1 to ${lengthMax} characters on one line.`,
  );
}
