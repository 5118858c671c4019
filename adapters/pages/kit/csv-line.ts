// A line of a CSV file (RFC 4180) that no spreadsheet runs, whether it splits at commas, semicolons
// or tabs.

/** Spreadsheets read UTF-8 as such if it begins with this. */
export const BYTE_ORDER_MARK = '\ufeff';

/**
 * Where a spreadsheet would read a formula. One that splits at semicolons takes the quotes of a
 * cell as text, so that a formula may begin within it.
 */
const formula = /^(?=[\s"]*[=+\-@]|[\t\r])|(?<=[;\t\r\n])(?=[\s"]*[=+\-@])/g;

export function csvLine(cells: readonly (string | null)[], divider: ',' | ';' = ','): string {
  return `${cells.map((cell) => cellOf(cell ?? '')).join(divider)}\r\n`;
}

function cellOf(text: string): string {
  const plain = text.replace(formula, "'");
  return /[",;\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
