// A short text that a person typed: what it must be, and the refusal of any other text.
import { PonteError } from '../../errors.js';
import { hasUnstorableText } from './raw-json.js';

/** Without surrounding blanks. ValidationError names the field. */
export function checkedText(field: string, text: string, lengthMax: number): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > lengthMax || hasUnstorableText(trimmed)) {
    throw new PonteError('ValidationError', `${field}: give 1 to ${lengthMax} characters of text.`);
  }
  return trimmed;
}
