// `ponte commands`: what the service asked of the settlement partner, and taking up again what is
// stuck. `ponte ledger`: whether the books balance.
import { type Command, Option } from 'commander';
import { formatInstant } from '../core/domain/instant.js';
import { formatAmount } from '../core/domain/money.js';
import { isStuck, type PartnerCommand } from '../core/domain/partner-command.js';
import {
  addVerb,
  asOperator,
  dryRunOption,
  limitOption,
  type Operator,
  type Outcome,
  onlyId,
  type Shell,
} from './operator.js';
import { fields, table } from './output.js';

/** Imbalances told at most: one is as bad as many. */
const IMBALANCES_MAX = 100;

export function addCommandsVerbs(shell: Shell, program: Command): void {
  const noun = program.command('commands').description('orders to the settlement partner');

  addVerb<{ readonly stuck: boolean; readonly limit: number }>(shell, noun, {
    name: 'list',
    description: 'list orders, newest first',
    options: [
      new Option('--stuck', 'only those that wait for a person').default(false),
      limitOption(),
    ],
    run: (options) => asOperator(shell, (operator) => list(operator, options)),
  });

  addVerb<{ readonly dryRun: boolean }>(shell, noun, {
    name: 'retry <command-id>',
    description: 'take an open or stuck order up again, under the same key where that is safe',
    options: [dryRunOption()],
    run: ({ dryRun }, ids) =>
      asOperator(
        shell,
        async ({ deps }) => {
          const { retryCommand } = await import('../core/usecases/command-retries.js');
          const command = await retryCommand(deps, onlyId(ids));
          const json = presentCommand(command);
          return { json, text: `${dryRun ? 'Would retry:\n' : ''}${shown(command)}` };
        },
        { dryRun },
      ),
  });
}

export function addLedgerVerbs(shell: Shell, program: Command): void {
  addVerb(shell, program.command('ledger').description('the books'), {
    name: 'verify',
    description: 'check that the postings of each payment and currency sum to zero',
    run: () => asOperator(shell, verify),
  });
}

async function list(
  { deps }: Operator,
  options: { readonly stuck: boolean; readonly limit: number },
): Promise<Outcome> {
  const found = await deps.store.run((tx) => tx.commands.list(options));
  const data = found.map(presentCommand);
  return {
    json: { data, nextCursor: null },
    text: table(
      ['ID', 'KIND', 'STATE', 'END', 'PAYMENT', 'AMOUNT', 'ERROR'],
      data.map((row) => [
        row.id,
        row.kind,
        row.stuck ? `${row.state} (stuck)` : row.state,
        row.end,
        row.paymentId,
        row.amount === null ? null : `${row.amount} ${row.currency}`,
        row.lastError,
      ]),
      options.stuck ? 'Nothing is stuck.' : 'No orders.',
    ),
  };
}

async function verify({ deps }: Operator): Promise<Outcome> {
  const { findImbalances } = await import('../core/usecases/books.js');
  const found = await findImbalances(deps, IMBALANCES_MAX);
  const imbalances = found.map(({ paymentId, sum }) => ({
    paymentId,
    amount: formatAmount(sum.amountMinor),
    currency: sum.currency,
  }));
  const balanced = imbalances.length === 0;
  return {
    json: { balanced, imbalances },
    text: balanced
      ? 'The books balance.'
      : table(
          ['PAYMENT', 'SUM', 'CURRENCY'],
          imbalances.map((row) => [row.paymentId, row.amount, row.currency]),
          '',
        ),
    exit: balanced ? 'done' : 'checkFailed',
  };
}

function presentCommand(command: PartnerCommand) {
  const instant = (atMs: number | null) => (atMs === null ? null : formatInstant(atMs));
  return {
    id: command.id,
    orgId: command.orgId,
    testMode: command.mode === 'test',
    kind: command.kind,
    paymentId: command.paymentId,
    submissionId: command.submissionId,
    accountId: command.accountId,
    amount: command.amount === null ? null : formatAmount(command.amount.amountMinor),
    currency: command.amount?.currency ?? null,
    state: command.state,
    end: command.end,
    stuck: isStuck(command),
    tries: command.tries,
    partnerRef: command.partnerRef,
    lastError: command.lastError,
    firstSentAt: instant(command.firstSentAtMs),
    dueAt: instant(command.dueAtMs),
    createdAt: formatInstant(command.createdAtMs),
    updatedAt: formatInstant(command.updatedAtMs),
  };
}

function shown(command: PartnerCommand): string {
  const row = presentCommand(command);
  return fields({
    id: row.id,
    kind: row.kind,
    payment: row.paymentId,
    account: row.accountId,
    amount: row.amount === null ? null : `${row.amount} ${row.currency}`,
    state: row.stuck ? `${row.state} (stuck)` : row.state,
    end: row.end,
    due: row.dueAt,
    error: row.lastError,
  });
}
