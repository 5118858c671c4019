// What must match exactly (amounts, codes, references, ids, accounts, addresses of mail and hosts,
// names) is marked in the text of a page, so that the translator of a browser changes none of it:
// `translate="no"`, and the class that Google's looks for. The element is marked, not the word:
// translators write amounts in sentences in the form of their language, and move words out of
// inline elements.
import { plainText } from '../plain-text.js';

/** They have no elements in them, or no text that is shown. */
const opaque: ReadonlySet<string> = new Set(['title', 'script', 'style', 'textarea']);
const empty = /^<(?:area|br|col|hr|img|input|link|meta|source|wbr)\b|\/>$|^<!/;

/** Amounts and numbers (a single digit counts something), codes in capitals, mail and hosts. */
const exact = /[0-9][.,/:-]?[0-9]|\b[A-Z]*[0-9][A-Z0-9]{2,}|\b[A-Z0-9]{6,}\b|[^\s@]@[^\s@]|:\/\//;

const asked = / class="(?:[^"]* )?notranslate[ "]/;

/** A text of others, in a language that we do not know: `Foreign`. */
const foreign = /^<\w+[^>]* lang(?:="")?[ >]/;

export function withExactValues(html: string, known: readonly (string | null)[] = []): string {
  // Tags have odd places. Values of attributes may have any sign but a quote and <, as in preact.
  const pieces = html.split(/(<[^"<>]*(?:"[^"<]*"[^"<>]*)*>)/);
  const given = known.flatMap((name) => (name === null ? [] : plainText(name)));
  const names = [...new Set([...given, ...namesIn(pieces)])].filter((name) => name.length > 1);
  const around: number[] = [];
  const chosen = new Set<number>();
  for (const [at, piece] of pieces.entries()) {
    if (at % 2 === 0) {
      const parent = around.at(-1);
      if (piece === '' || parent === undefined || around.some((tag) => chosen.has(tag))) continue;
      const text = shownText(piece);
      if (exact.test(text) || names.some((name) => text.includes(name))) chosen.add(parent);
    } else if (piece.startsWith('</')) {
      around.pop();
    } else if (!empty.test(piece)) {
      around.push(at);
      // A part whose every text must stay says so itself.
      if (asked.test(piece)) chosen.add(at);
    }
  }
  return pieces.map((piece, at) => (chosen.has(at) ? marked(piece) : piece)).join('');
}

function namesIn(pieces: readonly string[]): readonly string[] {
  return pieces.filter((_, at) => foreign.test(pieces[at - 1] ?? '')).map(shownText);
}

/** As preact escapes it. */
function shownText(piece: string): string {
  if (!piece.includes('&')) return piece.trim();
  const [less, quote, and] = ['&lt;', '&quot;', '&amp;'];
  return piece.replaceAll(less, '<').replaceAll(quote, '"').replaceAll(and, '&').trim();
}

function marked(tag: string): string {
  const [, name = ''] = /^<([\w-]+)/.exec(tag) ?? [];
  if (opaque.has(name)) return tag;
  if (asked.test(tag)) return tag.replace(/>$/, ' translate="no">');
  const classed = tag.includes(' class="')
    ? tag.replace(/ class="[^"]*/, '$& notranslate')
    : tag.replace(/>$/, ' class="notranslate">');
  return classed.replace(/>$/, ' translate="no">');
}
