// JSON for people to read. The text is only indented: what a parser would change stays.

/** An empty object or list, a text, blanks, or a sign. Numbers and words stay as they are. */
const tokens = /\{\s*\}|\[\s*\]|"(?:[^"\\]|\\.)*"|\s+|[{}[\],:]/g;

/** With one member a line. It is not parsed: numbers keep their digits. */
export function indentedJson(text: string): string {
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return text.replaceAll(tokens, (token) => {
    if (/^\s/.test(token)) return '';
    if (token === '{' || token === '[') {
      depth += 1;
      return `${token}${line()}`;
    }
    if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1);
      return `${line()}${token}`;
    }
    if (token === ',') return `,${line()}`;
    return token === ':' ? ': ' : token;
  });
}
