// The extract of a month as CSV, for a command, a member and an operator.
import { fxFactNames, fxFacts } from '../../../../core/domain/accounting/fx-line.js';
import type { FxReport } from '../../../../core/usecases/accounting/fx-reports.js';
import { csvLine, plainCsv } from '../csv-line.js';

const kinds = [...fxFactNames.map((name) => fxFacts[name].kind), 'text'] as const;

export function fxCsv({ lines }: Pick<FxReport, 'lines'>): string {
  const rows = lines.map(({ facts, missing }) =>
    csvLine([...fxFactNames.map((name) => facts[name]), missing.join(' ')], plainCsv, kinds),
  );
  return [csvLine([...fxFactNames, 'missing'], plainCsv), ...rows].join('');
}
