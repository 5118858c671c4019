// The letters of a text as people count them: an emoji or an accented letter is one.
let segmenter: Intl.Segmenter | null = null;

/** The first segmenter of a process takes 7 ms, and most texts are in ASCII. */
export function lettersOf(text: string): readonly string[] {
  if (/^[ -~]*$/.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter('en');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
