// A secret as programs get it: from a file or a Kubernetes secret that was made with `echo`, which
// ends it with a line, or from an .env file that a tool read with its quotes. No secret of Ponte
// contains blanks or quotes.

/** Length of the longest secret that is looked at, in characters. */
const SECRET_LENGTH_MAX = 4_096;

/** The secret without the blanks, line ends and quotes around it. */
export function pastedSecret(text: string): string {
  const trimmed = text.slice(0, SECRET_LENGTH_MAX).trim();
  const [quote] = trimmed;
  const isQuoted = (quote === '"' || quote === "'") && trimmed.length > 1;
  return isQuoted && trimmed.endsWith(quote) ? trimmed.slice(1, -1).trim() : trimmed;
}
