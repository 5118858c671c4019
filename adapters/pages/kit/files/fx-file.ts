// The extract of a month as CSV, for a command, a member and an operator.
import { type FxLine, fxFactNames, fxFacts } from '../../../../core/domain/accounting/fx-line.js';
import type { FxReport } from '../../../../core/usecases/accounting/fx-reports.js';
import { csvLine, plainCsv } from '../csv-line.js';

const kinds = [...fxFactNames.map((name) => fxFacts[name].kind), 'text'] as const;

export async function* fxLines(pages: AsyncIterable<FxReport>): AsyncGenerator<readonly FxLine[]> {
  for await (const { lines } of pages) yield lines;
}

export async function* fxCsv(pages: AsyncIterable<readonly FxLine[]>): AsyncGenerator<string> {
  yield csvLine([...fxFactNames, 'missing'], plainCsv);
  for await (const lines of pages) yield fxRows(lines);
}

export function fxText(lines: readonly FxLine[]): string {
  return `${csvLine([...fxFactNames, 'missing'], plainCsv)}${fxRows(lines)}`;
}

function fxRows(lines: readonly FxLine[]): string {
  const rows = lines.map(({ facts, missing }) =>
    csvLine([...fxFactNames.map((name) => facts[name]), missing.join(' ')], plainCsv, kinds),
  );
  return rows.join('');
}
