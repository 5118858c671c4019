// `ponte money`: the money desk. Queues of money that waits for an operator, and the decisions of
// operators. In live mode a second operator confirms each decision.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseAmount } from '../../core/domain/base/money.js';
import { type Mode, modes } from '../../core/domain/base/tenant.js';
import { type MoneyQueue, moneyQueues } from '../../core/domain/money-desk/money-decision.js';
import { PonteError } from '../../core/errors.js';
import type { QueueCursor } from '../../core/usecases/money-desk/money-queues.js';
import type { DeskRequest } from '../../core/usecases/money-desk/service-items.js';
import { decidedOutcome, presentRow, rowsText } from '../money-texts.js';
import {
  addOperatorCommand,
  dryRunOption,
  listOutcome,
  type Operator,
  type Outcome,
  type PageOptions,
  pageOptions,
  replaceOption,
  type Shell,
} from '../operator.js';

interface ListOptions extends PageOptions {
  readonly queue: MoneyQueue | null;
  readonly org: string | null;
  readonly mode: Mode | null;
}

interface DecisionOptions {
  readonly evidence: string | null;
  readonly replace: boolean;
  readonly dryRun: boolean;
}

interface RefundOptions extends DecisionOptions {
  readonly retry: boolean;
  readonly order: boolean;
}

interface ResolveOptions extends DecisionOptions {
  readonly as: (typeof findings)[number];
  readonly settled: bigint | null;
  readonly fees: bigint | null;
  readonly endToEndId: string | null;
}

const queues = () => import('../../core/usecases/money-desk/money-queues.js');

const findings = ['returned', 'paid', 'paid-by-hand', 'otherwise', 'withdrawn'] as const;

const foundDetails = [
  'returned      of a payout: the partner holds its money again',
  'paid          of a payout: the seller has its money from the partner',
  'paid-by-hand  of a payout that the partner does not have: you paid the seller by other means',
  'otherwise     of a deposit or withdrawal: it was settled outside of Ponte',
  'withdrawn     of a withdrawal: the operator has its money, as after a refund by hand',
].join('\n');

const twoOperators = [
  'In test mode the decision takes effect at once. In live mode it is a proposal until another',
  'operator confirms it (ponte confirm). Giving it again changes nothing.',
].join('\n');

const retryDetails = [
  '--retry takes effect at once in live mode too: no other operator confirms it. It only sends',
  'again what is owed to the payer.',
].join('\n');

export function addMoneyCommands(shell: Shell, program: Command): void {
  const noun = program
    .command('money')
    .description('money that waits for an operator, and decisions about it');

  addOperatorCommand<ListOptions>(shell, noun, {
    name: 'list',
    authority: 'read',
    description: 'list what waits, oldest first, with the commands to copy',
    options: [
      queueOption(),
      new Option('--org <org-id>', 'only of this organization').default(null),
      new Option('--mode <mode>', 'only of this mode').choices(modes).default(null),
      ...pageOptions(),
    ],
    run: list,
  });

  addOperatorCommand<DecisionOptions & { readonly payment: string }>(shell, noun, {
    name: 'assign <deposit-id>',
    authority: 'confirmed',
    description: 'count money that nobody ordered as money of a payment',
    options: [
      new Option('--payment <payment-id>', 'the payment it is for').makeOptionMandatory(),
      evidenceOption('where the deposit does not show it').default(null),
      ...decisionOptions(),
    ],
    details: twoOperators,
    run: (operator, { payment: paymentId, ...options }, [id = '']) =>
      decideMoney(operator, id, { verb: 'assign', paymentId }, options),
  });

  addRefundCommand(shell, noun);
  addPayAgainCommand(shell, noun);
  addWriteOffCommand(shell, noun);
  addResolveCommand(shell, noun);
}

/** `out_of_sight` is the former name of `in_review`. */
function queueOption(): Option {
  const option = new Option('--queue <queue>', 'only this queue')
    .choices(moneyQueues)
    .default(null);
  const { parseArg } = option;
  return option.argParser((name, before) =>
    parseArg?.(name === 'out_of_sight' ? 'in_review' : name, before),
  );
}

function addRefundCommand(shell: Shell, noun: Command): void {
  addOperatorCommand<RefundOptions>(shell, noun, {
    name: 'refund <command-or-deposit-id>',
    authority: 'confirmed',
    description: 'record a refund by other means, send one again, or refund a returned payout',
    options: [
      evidenceOption('as the reference of the bank', 'required without --retry').default(null),
      new Option('--retry', 'send it to the partner again, as commands retry does').default(false),
      // The former name.
      new Option('--order').default(false).hideHelp(),
      ...decisionOptions(),
    ],
    details: `${twoOperators}\n\n${retryDetails}`,
    run: async (operator, options, [id = '']) => {
      if (!options.retry && !options.order)
        return decideMoney(operator, id, { verb: 'refund' }, options);
      if (options.evidence === null) return repeatCommand(operator, id, options.dryRun);
      throw new PonteError('ValidationError', 'Give --evidence or --retry, not both.');
    },
  });
}

function addPayAgainCommand(shell: Shell, noun: Command): void {
  addOperatorCommand<DecisionOptions>(shell, noun, {
    name: 'pay-again <payout-id>',
    authority: 'confirmed',
    description: 'pay the seller again, whose payout came back after the settlement',
    options: [
      evidenceOption('as the answer of the seller').makeOptionMandatory(),
      ...decisionOptions(),
    ],
    details: twoOperators,
    run: (operator, options, [id = '']) =>
      decideMoney(operator, id, { verb: 'pay-again' }, options),
  });
}

function addWriteOffCommand(shell: Shell, noun: Command): void {
  addOperatorCommand<DecisionOptions>(shell, noun, {
    name: 'write-off <payment-id>',
    authority: 'confirmed',
    description: 'write off the loss of a payment of which more left than arrived',
    options: [
      evidenceOption('as the approval of the loss').makeOptionMandatory(),
      ...decisionOptions(),
    ],
    details: twoOperators,
    run: (operator, options, [id = '']) =>
      decideMoney(operator, id, { verb: 'write-off' }, options),
  });
}

function addResolveCommand(shell: Shell, noun: Command): void {
  addOperatorCommand<ResolveOptions>(shell, noun, {
    name: 'resolve <command-or-deposit-id>',
    authority: 'confirmed',
    description: 'record where the money of a payout or of a deposit is',
    options: [
      new Option('--as <found>', 'what you found').choices(findings).makeOptionMandatory(),
      new Option('--settled <amount>', 'BRL that the seller received')
        .argParser(amount)
        .default(null),
      new Option('--fees <amount>', "fees, in the payment's currency")
        .argParser(amount)
        .default(null),
      new Option('--end-to-end-id <id>', 'of the PIX transfer').default(null),
      evidenceOption('as the answer of the partner').makeOptionMandatory(),
      ...decisionOptions(),
    ],
    details: `${foundDetails}\n\n${twoOperators}`,
    run: (operator, options, [id = '']) => decideMoney(operator, id, resolution(options), options),
  });
}

function evidenceOption(example: string, ...more: readonly string[]): Option {
  const text = [`how you know it, ${example}`, 'recorded', ...more].join('; ');
  return new Option('--evidence <text>', text);
}

const decisionOptions = () => [replaceOption(), dryRunOption()];

async function list({ deps }: Operator, options: ListOptions): Promise<Outcome> {
  const { queue, org: orgId, mode, limit, cursor } = options;
  const page = { orgId, mode, limit: limit + 1 };
  const { listQueues } = await queues();
  const after = cursor === null ? null : readCursor(cursor);
  const found = await listQueues(deps, { ...page, queue, after });
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const nextCursor = last === undefined ? null : `${last.queue}:${last.id}`;
  const more = nextCursor === null ? '' : '\n';
  const text = `${rowsText(rows, deps.clock.nowMs())}${more}`;
  return listOutcome(rows.map(presentRow), text, nextCursor);
}

function readCursor(text: string): QueueCursor {
  const [name = '', id = ''] = text.split(':');
  const queue = moneyQueues.find((one) => one === name);
  if (queue !== undefined && id !== '') return { queue, id };
  throw new PonteError('ValidationError', '--cursor: give the nextCursor of the previous page.');
}

async function decideMoney(
  operator: Operator,
  itemId: string,
  request: DeskRequest,
  { evidence, replace, dryRun }: DecisionOptions,
): Promise<Outcome> {
  if (evidence === null && request.verb !== 'assign') {
    throw new PonteError('ValidationError', 'Give --evidence or --retry.');
  }
  const { decide } = await import('../../core/usecases/money-desk/money-desk.js');
  const { deps, actor } = operator;
  const asked = { itemId, request, evidence, operator: actor, replace };
  return decidedOutcome(deps, await decide(deps, asked), { dryRun });
}

async function repeatCommand({ deps }: Operator, id: string, dryRun: boolean): Promise<Outcome> {
  if (id.startsWith('dep_')) {
    const message = 'A deposit is not ordered back: pay it back by other means, with --evidence.';
    throw new PonteError('DecisionNotAllowed', message);
  }
  const { retryCommand } = await import('../../core/usecases/commands/command-retries.js');
  const ordered = await retryCommand(deps, id);
  const text = dryRun ? 'Would send it again.' : `Sent it again, as ${ordered.id}.`;
  return { json: { outcome: 'ordered', commandId: ordered.id, dryRun }, text };
}

function resolution({ as, settled, fees, endToEndId }: ResolveOptions): DeskRequest {
  const figures = [settled, fees, endToEndId];
  if (as !== 'paid' && as !== 'paid-by-hand') {
    if (figures.every((one) => one === null)) return { verb: 'resolve', found: as };
    const message = '--settled, --fees and --end-to-end-id belong to --as paid or paid-by-hand.';
    throw new PonteError('ValidationError', message);
  }
  if (settled === null || fees === null || endToEndId === null) {
    const message = `Give --settled, --fees and --end-to-end-id with --as ${as}.`;
    throw new PonteError('ValidationError', message);
  }
  const by = as === 'paid-by-hand' ? ({ by: 'hand' } as const) : {};
  const paid = { settledMinor: settled, feesMinor: fees, endToEndId, ...by };
  return { verb: 'resolve', found: 'paid', ...paid };
}

function amount(text: string): bigint {
  const minor = parseAmount(text);
  if (minor === null) throw new InvalidArgumentError('Give an amount, for example 100.00.');
  return minor;
}
