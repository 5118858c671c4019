// `ponte commands`: what the service asked of the settlement partner, and taking up again what is
// stuck. `ponte ledger`: whether the books balance.
import { type Command, Option } from 'commander';
import { formatInstant } from '../core/domain/instant.js';
import { formatAmount } from '../core/domain/money.js';
import { isMoneyCommand, isStuck, type PartnerCommand } from '../core/domain/partner-command.js';
import { reviewName } from '../core/domain/report-check.js';
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

/** Differences shown at most: one is as bad as many. */
const DIFFERENCES_MAX = 100;

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
    description: 'look an open order up again, or order a refused refund anew',
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

  addVerb<{ readonly dryRun: boolean; readonly report: string }>(shell, noun, {
    name: 'accept <command-id>',
    description: 'accept a report of the partner that was held back as implausible',
    options: [
      new Option('--report <name>', 'as commands list shows it').makeOptionMandatory(),
      dryRunOption(),
    ],
    run: ({ dryRun, report }, ids) =>
      asOperator(
        shell,
        async ({ deps }) => {
          const { acceptReport } = await import('../core/usecases/command-retries.js');
          const command = await acceptReport(deps, onlyId(ids), report);
          const json = presentCommand(command);
          return { json, text: `${dryRun ? 'Would accept:\n' : ''}${shown(command)}` };
        },
        { dryRun },
      ),
  });
}

export function addLedgerVerbs(shell: Shell, program: Command): void {
  addVerb(shell, program.command('ledger').description('the books'), {
    name: 'verify',
    description: 'check for each payment that ledger, funds and orders to the partner agree',
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
        heldBack(row.review) ?? row.lastError,
      ]),
      options.stuck ? 'Nothing is stuck.' : 'No orders.',
    ),
  };
}

async function verify({ deps }: Operator): Promise<Outcome> {
  const { findDifferences } = await import('../core/usecases/ledger-check.js');
  const found = await findDifferences(deps, DIFFERENCES_MAX);
  const imbalances = found.map(({ paymentId, what, currency, expectedMinor, foundMinor }) => ({
    paymentId,
    what,
    amount: formatAmount(foundMinor - expectedMinor),
    currency,
    expected: formatAmount(expectedMinor),
    found: formatAmount(foundMinor),
  }));
  const balanced = imbalances.length === 0;
  return {
    json: { balanced, imbalances },
    text: balanced
      ? 'The books balance.'
      : table(
          ['PAYMENT', 'WHAT', 'EXPECTED', 'FOUND', 'CURRENCY'],
          imbalances.map((row) => [row.paymentId, row.what, row.expected, row.found, row.currency]),
          '',
        ),
    exit: balanced ? 'done' : 'checkFailed',
  };
}

function heldBack(review: ShownReview | null): string | null {
  return review === null ? null : `report ${review.name}: ${review.reason}`;
}

interface ShownReview {
  /** For `commands accept --report`. */
  readonly name: string;
  readonly kind: string;
  readonly reason: string;
  readonly fact: unknown;
}

function presentCommand(command: PartnerCommand) {
  const instant = (atMs: number | null) => (atMs === null ? null : formatInstant(atMs));
  return {
    id: command.id,
    orgId: command.orgId,
    testMode: command.mode === 'test',
    kind: command.kind,
    ...presentSubject(command),
    reference: command.reference,
    state: command.state,
    end: command.end,
    review: command.review === null ? null : presentReview(command.review),
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

function presentSubject(command: PartnerCommand) {
  if (isMoneyCommand(command)) {
    const { paymentId, amount } = command;
    const sum = { amount: formatAmount(amount.amountMinor), currency: amount.currency };
    return { paymentId, submissionId: null, accountId: null, ...sum };
  }
  const { kind, id } = command.subject;
  return {
    paymentId: null,
    submissionId: kind === 'submission' ? id : null,
    accountId: kind === 'account' ? id : null,
    amount: null,
    currency: null,
  };
}

function presentReview(review: string): ShownReview {
  return { name: reviewName(review), ...(JSON.parse(review) as Omit<ShownReview, 'name'>) };
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
    'held back': heldBack(row.review),
    due: row.dueAt,
    error: row.lastError,
  });
}
