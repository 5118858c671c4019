// The languages of hosted pages and of mails.

export const locales = ['en', 'pt-BR', 'es'] as const;
export type Locale = (typeof locales)[number];

/** The language of a BCP 47 tag such as `pt` or `es-MX`; null for another language. */
export function localeOf(tag: string): Locale | null {
  const language = tag.trim().toLowerCase().split('-', 1)[0];
  return locales.find((locale) => locale.toLowerCase().split('-', 1)[0] === language) ?? null;
}

/** The language of mails to a payee that chose none. Null: PIX is paid in Brazil. */
export function localeIn(country: string | null): Locale {
  if (country === null) return 'pt-BR';
  if (!/^[a-z]{2}$/i.test(country)) return 'en';
  return localeOf(new Intl.Locale(`und-${country}`).maximize().language) ?? 'en';
}
