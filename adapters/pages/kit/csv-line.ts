// A line of a CSV file (RFC 4180) that no spreadsheet runs, whether it splits at commas, semicolons
// or tabs.

/** Spreadsheets read UTF-8 as such if it begins with this. */
export const BYTE_ORDER_MARK = '\ufeff';

/**
 * Where a spreadsheet reads a formula: also a sign of double width, and, in one that splits at
 * semicolons and takes the quotes of a cell as text, within a cell. The blanks before a sign
 * contain no separator, so that a run of separators is read once.
 */
const formula = /(^|[;\t\r\n])([[\s--[\t\r\n]]"]*[=+\-@＝＋－＠])/gv;
const firstBlank = /^(?=[\t\r\n])/;

export function csvLine(cells: readonly (string | null)[], divider: ',' | ';' = ','): string {
  return `${cells.map((cell) => cellOf(cell ?? '')).join(divider)}\r\n`;
}

function cellOf(text: string): string {
  const plain = text.replace(formula, "$1'$2").replace(firstBlank, "'");
  return /[",;\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
