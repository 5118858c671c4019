// Numbers and codes as any keyboard, bank or spreadsheet writes them: the signs that they consist
// of, in ASCII. Names and addresses are not read by it.

/** Formats, joiners, marks of direction, the byte order mark: nobody sees them, or types them. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const blank = /[\p{Zs}\t]/gu;
/** The dashes of Unicode and the minus sign. */
const dash = /[\p{Pd}\u2212\u2043]/gu;
/** Full-width forms of the signs from ! to ~ (Unicode block FF00). */
const fullWidth = /[\uff01-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;
/** The decimal and the thousands sign of Arabic numbers. */
const arabicDecimal = /\u066b/g;
const arabicThousands = /\u066c/g;
const digit = /\p{Nd}/gu;
const oneDigit = /^\p{Nd}$/u;
/** Most texts. */
const plain = /^[\x20-\x7e]*$/;

/** Digits of every script, full-width signs, dashes and blanks in ASCII; nothing invisible. */
export function plainSigns(text: string): string {
  if (plain.test(text)) return text;
  return text
    .replace(invisible, '')
    .replace(blank, ' ')
    .replace(fullWidth, (sign) => String.fromCharCode(sign.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(dash, '-')
    .replace(arabicDecimal, '.')
    .replace(arabicThousands, "'")
    .replace(digit, asciiDigit);
}

/** Unicode encodes the digits of a script in order, from 0 (The Unicode Standard, 4.6). */
function asciiDigit(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  let first = code;
  while (oneDigit.test(String.fromCodePoint(first - 1))) first -= 1;
  return `${(code - first) % 10}`;
}
