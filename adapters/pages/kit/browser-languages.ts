// What a browser says about the languages of its person (Accept-Language, RFC 9110, 12.5.4), in the
// order of the header: quality values are rare and ordered in practice.
import { type Locale, localeOf } from '../../../core/domain/base/locale.js';

/** Languages that are read: a browser sends a few. */
const LANGUAGES_MAX = 10;
/** A tag of a language has a few parts (RFC 5646, 4.4.1). */
const TAG_MAX = 35;

/** The first language that Ponte has; null if there is none. */
export function acceptedLocale(acceptLanguage: string): Locale | null {
  return (
    tagsIn(acceptLanguage)
      .map(localeOf)
      .find((locale) => locale !== null) ?? null
  );
}

/** Whether the first Spanish of a browser is one with a decimal point, such as `es-MX`. */
export function hasDecimalPoint(acceptLanguage: string): boolean {
  const spanish = tagsIn(acceptLanguage).find((tag) => /^es(-|$)/i.test(tag)) ?? '';
  if (!/^es-([a-z]{2}|419)$/i.test(spanish)) return false;
  return new Intl.NumberFormat(spanish).format(1.5) === '1.5';
}

function tagsIn(acceptLanguage: string): readonly string[] {
  const parts = acceptLanguage.split(',', LANGUAGES_MAX);
  return parts.map((part) => part.trim().split(';', 1)[0]?.trim().slice(0, TAG_MAX) ?? '');
}
