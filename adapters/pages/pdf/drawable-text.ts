// Which texts a PDF file can show. Pages ask before they offer one, without loading the fonts.

/**
 * Both weights of the fonts have each of these. Other letters are not in the fonts, or are drawn
 * wrong beside each other (Devanagari); a browser prints them.
 */
const ranges = [
  String.raw`\t\n\r\x20-\x7e`,
  // Latin, Greek and Cyrillic letters and their marks.
  String.raw`\xa0-\u03e1\u03f0-\u052f\u1e00-\u1fff`,
  // Spaces, punctuation, raised digits; signs of currencies and of words.
  String.raw`\u2000-\u2064\u2066-\u2071\u2074-\u208e\u20a0-\u20c0\u2100-\u215f\u2212`,
];
const drawable = new RegExp(`^[[${ranges.join('')}]--\\p{Cn}]*$`, 'v');

/** Soft hyphens, marks of direction, joiners and variants of a sign: they have no glyph. */
const marks = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|[\ufe00-\ufe0f]/g;

/** Composed, without what draws nothing. */
export function drawnText(text: string): string {
  return text.normalize('NFC').replace(marks, '');
}

/** Whether a file shows each text in these facts. */
export function isDrawable(facts: unknown): boolean {
  if (typeof facts === 'string') return drawable.test(drawnText(facts));
  if (typeof facts !== 'object' || facts === null) return true;
  return Object.values(facts).every(isDrawable);
}
