// The languages of hosted pages and of mails to buyers.

export const locales = ['en', 'pt-BR', 'es'] as const;
export type Locale = (typeof locales)[number];

/** The language of a BCP 47 tag such as `pt` or `es-MX`; null for another language. */
export function localeOf(tag: string): Locale | null {
  const language = tag.trim().toLowerCase().split('-', 1)[0];
  return locales.find((locale) => locale.toLowerCase().split('-', 1)[0] === language) ?? null;
}
