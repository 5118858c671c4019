// `ponte ledger`: whether the ledger agrees with funds, commands and receipts.
import type { Command } from 'commander';
import { formatAmount } from '../../core/domain/base/money.js';
import { addOperatorCommand, type Operator, type Outcome, type Shell } from '../operator.js';
import { table } from '../output.js';

const DIFFERENCES_MAX = 100;

export function addLedgerCommands(shell: Shell, program: Command): void {
  addOperatorCommand(shell, program.command('ledger').description('the ledger'), {
    name: 'verify',
    description: 'check that ledger, funds, partner commands and receipts agree',
    run: verify,
  });
}

async function verify({ deps }: Operator): Promise<Outcome> {
  const { findDifferences } = await import('../../core/usecases/payments/ledger-check.js');
  const found = await findDifferences(deps, DIFFERENCES_MAX);
  const imbalances = found.map(({ subjectId, what, currency, expectedMinor, foundMinor }) => ({
    subjectId,
    what,
    amount: formatAmount(foundMinor - expectedMinor),
    currency,
    expected: formatAmount(expectedMinor),
    found: formatAmount(foundMinor),
  }));
  const balanced = imbalances.length === 0;
  const rows = imbalances.map((row) => [
    row.subjectId,
    row.what,
    row.expected,
    row.found,
    row.currency,
  ]);
  const headings = ['SUBJECT', 'ACCOUNT', 'EXPECTED', 'FOUND', 'CURRENCY'];
  return {
    json: { balanced, imbalances },
    text: table(headings, rows, 'The ledger balances.'),
    exit: balanced ? 'done' : 'checkFailed',
  };
}
