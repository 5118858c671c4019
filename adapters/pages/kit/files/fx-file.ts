// The extract of a month as CSV, for a command, a member and an operator.
import { type FxLine, fxFactNames, fxFacts } from '../../../../core/domain/accounting/fx-line.js';
import type { FxReport } from '../../../../core/usecases/accounting/fx-reports.js';
import { type CsvStyle, csvLine, programStyle } from '../csv-line.js';

const kinds = [...fxFactNames.map((name) => fxFacts[name].kind), 'text'] as const;

export async function* fxLines(pages: AsyncIterable<FxReport>): AsyncGenerator<readonly FxLine[]> {
  for await (const { lines } of pages) yield lines;
}

export async function* fxCsv(
  pages: AsyncIterable<readonly FxLine[]>,
  style = programStyle,
): AsyncGenerator<string> {
  yield fxHead(style);
  for await (const lines of pages) yield fxRows(lines, style);
}

export function fxText(lines: readonly FxLine[]): string {
  return `${fxHead(programStyle)}${fxRows(lines, programStyle)}`;
}

function fxHead({ begin, form }: CsvStyle): string {
  return `${begin}${csvLine([...fxFactNames, 'missing'], form)}`;
}

function fxRows(lines: readonly FxLine[], { form }: CsvStyle): string {
  const rows = lines.map(({ facts, missing }) =>
    csvLine([...fxFactNames.map((name) => facts[name]), missing.join(' ')], form, kinds),
  );
  return rows.join('');
}
