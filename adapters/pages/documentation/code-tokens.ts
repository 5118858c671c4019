// Which parts of a text of code have a color: strings, words of the language, comments. A text in
// another language than those below is plain.

const tokenKinds = ['word', 'text', 'comment'] as const;
export type TokenKind = (typeof tokenKinds)[number];

export interface CodeToken {
  /** Null for what has no color. */
  readonly kind: TokenKind | null;
  readonly text: string;
}

const quoted = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;

/** By the name of a fenced block or of a request's tab; a group is a kind of token. */
const grammars: Readonly<Record<string, RegExp>> = {
  json: grammar({
    word: String.raw`"(?:[^"\\\n]|\\.)*"(?=\s*:)`,
    text: String.raw`"(?:[^"\\\n]|\\.)*"|(?<![\w.-])-?\d[\d.]*\b|\b(?:true|false|null)\b`,
  }),
  // A text in single quotes has no escapes and may have lines: the body of a request.
  sh: grammar({
    comment: String.raw`(?<=^|\s)#[^\n]*`,
    text: String.raw`"(?:[^"\\]|\\.)*"|'[^']*'`,
    word: String.raw`(?<=\s)--?[A-Za-z][\w-]*|(?<=^|\n)curl\b`,
  }),
  ts: grammar({
    comment: String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`,
    text: `${quoted}|\`[^\`]*\``,
    word: words('async await const export from function if import let new return throw'),
  }),
  python: grammar({
    comment: String.raw`(?<=^|\s)#[^\n]*`,
    text: `f?(?:${quoted})`,
    word: words('and def from if import in not or raise return True False None'),
  }),
  php: grammar({
    comment: String.raw`\/\/[^\n]*`,
    text: quoted,
    word: String.raw`<\?php|${words('if new throw true false null')}`,
  }),
};

const aliases: Readonly<Record<string, string>> = {
  curl: 'sh',
  js: 'ts',
  TypeScript: 'ts',
  Python: 'python',
  PHP: 'php',
};

/** All of them together are the text. */
export function codeTokens(text: string, language: string): readonly CodeToken[] {
  const pattern = grammars[aliases[language] ?? language];
  if (pattern === undefined) return [{ kind: null, text }];
  const tokens: CodeToken[] = [];
  let end = 0;
  for (const { 0: found, index, groups = {} } of text.matchAll(pattern)) {
    if (index > end) tokens.push({ kind: null, text: text.slice(end, index) });
    const kind = tokenKinds.find((one) => groups[one] !== undefined) ?? null;
    tokens.push({ kind, text: found });
    end = index + found.length;
  }
  if (end < text.length) tokens.push({ kind: null, text: text.slice(end) });
  return tokens;
}

function grammar(patterns: Readonly<Partial<Record<TokenKind, string>>>): RegExp {
  const groups = Object.entries(patterns).map(([kind, pattern]) => `(?<${kind}>${pattern})`);
  return new RegExp(groups.join('|'), 'g');
}

function words(list: string): string {
  return String.raw`\b(?:${list.replaceAll(' ', '|')})\b`;
}
