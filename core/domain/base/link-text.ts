// The random parts of links, and how they are read. Programs between a mail and a browser change
// links: they end one before a `-` or `_`, or after the `.` or `>` that follows it, break it into
// lines, write `&amp;` or `=3D` into it, and add parameters. So a random part has lower-case
// letters and digits only, and everything else around a token is no part of it.

/** As many signs for each text of as many bytes. */
export function linkText(bytes: Uint8Array): string {
  const length = Math.ceil((bytes.length * 8) / Math.log2(36));
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
    .toString(36)
    .padStart(length, '0');
}

/** What the parameter `token` of an opened link names; null without one, '' if it is no token. */
export function linkTokenIn(query: URLSearchParams): string | null {
  const text = decodeURIComponent(query.toString().replaceAll('+', ' '));
  const [, given] = tokenForm.exec(text) ?? [];
  return given === undefined ? null : given.replaceAll(lineBreak, '');
}

/** The `=3D` and the `=` at the end of a line are those of Quoted-Printable (RFC 2045, 6.7). */
const tokenForm = /(?:^|[&;])token=(?:3D)?([a-z0-9=\s]{0,200})/;
const lineBreak = /[=\s]/g;

/** The path of a link without the signs of the text that it stood in, and without a last slash. */
export function linkPath(path: string): string {
  let end = path.length;
  for (;;) {
    const [sign] = signBehind.exec(path.slice(Math.max(0, end - SIGN_LENGTH_MAX), end)) ?? [];
    if (sign === undefined) return path.slice(0, end) || '/';
    end -= sign.length;
  }
}

/** `%E2%80%9D` */
const SIGN_LENGTH_MAX = 9;
/** Ends a sentence, a bracket or a quotation; browsers send some as percent-encoded UTF-8. */
const signBehind =
  /(?:[/.,;:!?'"*)>\]}|]|%(?:2[012579AC]|3[ABEF]|5D|7[CD]|C2%A0|C2%BB|E2%80%9[9D]|E2%80%A6))$/i;
