// The languages of hosted pages and of mails to buyers.

export const locales = ['en', 'pt-BR', 'es'] as const;
export type Locale = (typeof locales)[number];

/** The language of a BCP 47 tag such as `pt` or `es-MX`; null for another language. */
export function localeOf(tag: string): Locale | null {
  const language = tag.trim().toLowerCase().split('-', 1)[0];
  return locales.find((locale) => locale.toLowerCase().split('-', 1)[0] === language) ?? null;
}

/** The language that an integrator's `display` asks for; null if it names none of ours. */
export function displayLocale(display: string | null): Locale | null {
  const value: unknown = display === null ? null : JSON.parse(display);
  const tag = typeof value === 'object' && value !== null && 'locale' in value && value.locale;
  return typeof tag === 'string' ? localeOf(tag) : null;
}
