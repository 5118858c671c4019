// `ponte commands`: the commands to the settlement partner, and retries of stuck ones.
import { type Command, Option } from 'commander';
import { formatInstant } from '../../core/domain/base/instant.js';
import { formatAmount } from '../../core/domain/base/money.js';
import {
  isMoneyCommand,
  isStuck,
  type PartnerCommand,
} from '../../core/domain/commands/partner-command.js';
import { reviewName } from '../../core/domain/commands/report-check.js';
import {
  addOperatorCommand,
  dryRunOption,
  limitOption,
  listOutcome,
  type Operator,
  type Outcome,
  type Shell,
} from '../operator.js';
import { fields, instantOrNull, table } from '../output.js';

interface ListOptions {
  readonly stuck: boolean;
  readonly limit: number;
}

interface RetryOptions {
  readonly dryRun: boolean;
}

const retries = () => import('../../core/usecases/commands/command-retries.js');

export function addPartnerCommands(shell: Shell, program: Command): void {
  const noun = program.command('commands').description('commands to the settlement partner');

  addOperatorCommand<ListOptions>(shell, noun, {
    name: 'list',
    authority: 'read',
    description: 'list commands, newest first',
    options: [
      new Option('--stuck', 'only commands that need an operator').default(false),
      limitOption(),
    ],
    run: list,
  });

  addOperatorCommand<RetryOptions>(shell, noun, {
    name: 'retry <command-id>',
    authority: 'signed',
    description: 'run an open command now, or send a refused refund again',
    options: [dryRunOption()],
    run: async ({ deps }, { dryRun }, [id = '']) =>
      changed(await (await retries()).retryCommand(deps, id), dryRun && 'retry'),
  });

  addOperatorCommand<RetryOptions & { readonly report: string }>(shell, noun, {
    name: 'accept <command-id>',
    authority: 'confirmed',
    description: 'accept a report of the partner that was held back as implausible',
    options: [
      new Option('--report <id>', 'the report id that commands list shows').makeOptionMandatory(),
      dryRunOption(),
    ],
    run: async ({ deps }, { dryRun, report }, [id = '']) =>
      changed(await (await retries()).acceptReport(deps, id, report), dryRun && 'accept'),
  });
}

async function list({ deps }: Operator, options: ListOptions): Promise<Outcome> {
  const data = (await deps.store.run((tx) => tx.commands.list(options))).map(presentCommand);
  const rows = data.map((row) => [
    row.id,
    row.kind,
    row.stuck ? `${row.state} (stuck)` : row.state,
    row.end,
    row.paymentId,
    row.amount === null ? null : `${row.amount} ${row.currency}`,
    heldBack(row.review) ?? row.lastError,
  ]);
  const headings = ['ID', 'KIND', 'STATE', 'END', 'PAYMENT', 'AMOUNT', 'ERROR'];
  const empty = options.stuck ? 'No command is stuck.' : 'No commands.';
  return listOutcome(data, table(headings, rows, empty));
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
    heldSince: instantOrNull(command.heldSinceMs),
    lateAt: instantOrNull(command.lateAtMs),
    lastSentAt: instantOrNull(command.lastSentAtMs),
    dueAt: instantOrNull(command.dueAtMs),
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

function changed(command: PartnerCommand, dryRunOf: string | false): Outcome {
  const json = presentCommand(command);
  const text = fields({
    id: json.id,
    kind: json.kind,
    payment: json.paymentId,
    account: json.accountId,
    amount: json.amount === null ? null : `${json.amount} ${json.currency}`,
    state: json.stuck ? `${json.state} (stuck)` : json.state,
    end: json.end,
    'held back': heldBack(json.review),
    due: json.dueAt,
    error: json.lastError,
  });
  return { json, text: dryRunOf === false ? text : `Would ${dryRunOf}:\n${text}` };
}
