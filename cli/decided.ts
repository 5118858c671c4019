// A command that in live mode needs a second operator: proposes, or executes at once.
import { Option } from 'commander';
import { developmentOperator } from '../core/domain/base/actor.js';
import {
  commandOf,
  type DecisionInput,
  type DecisionName,
  decisionOf,
  decisionsIn,
  type GivenInputs,
  inputs,
} from '../core/domain/money-desk/decisions.js';
import { assert, invalid } from '../core/errors.js';
import type { DeskRequest } from '../core/usecases/money-desk/service-items.js';
import type { AddCommand, Operator, Outcome } from './operator.js';
import { dryRun, OptionRow, type Options, replace } from './options.js';

/** `done` gives the result once the decision has taken effect; until then it is the proposal. */
export async function decided(
  { deps, actor }: Operator,
  itemId: string,
  request: DeskRequest,
  done: (() => Promise<Outcome>) | null,
  { replace = false, dryRun = false, evidence = null }: Partial<DecisionOptions> = {},
): Promise<Outcome> {
  const [{ decide }, { decidedOutcome }] = await Promise.all([
    import('../core/usecases/money-desk/money-desk.js'),
    import('./money-texts.js'),
  ]);
  const outcome = await decide(deps, { itemId, request, evidence, operator: actor, replace });
  const isDone = done !== null && outcome.kind === 'done' && !dryRun;
  return isDone ? done() : decidedOutcome(deps, outcome, { dryRun });
}

export interface DecisionOptions {
  readonly replace: boolean;
  readonly dryRun: boolean;
  readonly evidence: string | null;
}

type Asked = DecisionOptions & GivenInputs & { readonly as?: string; readonly retry?: boolean };

const twoOperators = [
  'In test mode the decision takes effect at once. In live mode it is a proposal until another',
  'operator confirms it (ponte confirm). Giving it again changes nothing.',
].join('\n');

/** Descriptions of commands with several decisions, or whose label is none. */
const descriptions: Readonly<Record<string, string>> = {
  assign: 'count money that nobody ordered as money of a payment',
  refund: 'record a refund by other means, send one again, or refund a payout',
  resolve: 'record where the money of a payout, deposit or withdrawal is',
};

interface DecisionCommands {
  readonly group: 'money' | 'commands' | 'payments';
  readonly argument: string;
  /** Shows the effect; without it, the decision is shown. */
  readonly done?: (operator: Operator, id: string) => Promise<Outcome>;
  /** Sends it again instead, of the command with a row to do so. */
  readonly again?: (operator: Operator, id: string, options: DecisionOptions) => Promise<Outcome>;
}

/** A command for each verb of the decisions of a group: its item or `--as` says which one. */
export function addDecisions(add: AddCommand, row: DecisionCommands): void {
  const all = decisionsIn(row.group).map((name) => ({ ...decisionOf(name), name }));
  const byVerb = Object.groupBy(all, ({ name }) => commandOf(name).split(' ')[1] ?? name);
  for (const [verb, rows = []] of Object.entries(byVerb)) {
    const [first] = rows;
    assert(first !== undefined, 'a verb has a decision');
    const isSentAgain = row.again !== undefined && 'refund' in first.of;
    add({
      name: `${verb} ${row.argument}`,
      authority: 'confirmed',
      description: descriptions[verb] ?? describedDecision(first),
      options: {
        ...named(optionsOf(rows)),
        ...(row.group === 'money' ? named([evidenceOption(first.evidence, isSentAgain)]) : {}),
        ...(isSentAgain ? named(againOptions()) : {}),
        replace,
        dryRun,
      },
      details: [...listOf(rows), twoOperators, ...(isSentAgain ? [againDetails] : [])].join('\n\n'),
      run: async (operator, given, [id = '']) => {
        const options = given as unknown as Asked;
        if (options.retry && row.again !== undefined) return row.again(operator, id, options);
        const chosen = rows.find(({ as }) => as === options.as);
        assert(chosen !== undefined, 'commander checks the choice');
        const request = await requestOf(chosen.name, options);
        const done = row.done;
        return decided(operator, id, request, done ? () => done(operator, id) : null, options);
      },
    });
  }
}

function named(options: readonly Option[]): Options {
  return Object.fromEntries(
    options.map((option) => [option.attributeName(), new OptionRow(() => option)]),
  );
}

type Row = ReturnType<typeof decisionOf>;

/** `cancel the payment: money received …`. */
function describedDecision({ label, hint }: Row): string {
  const text = `${label}: ${hint.charAt(0).toLowerCase()}${hint.slice(1, -1)}`;
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function listOf(rows: readonly Row[]): readonly string[] {
  const several = rows.filter(({ as }) => as !== undefined);
  const lines = several.map((row) => {
    const subjects = Object.keys(row.of).join(' or ');
    return `${row.as}: of a ${subjects}: ${row.label}`;
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function optionsOf(rows: readonly Row[]): readonly Option[] {
  const found = rows.flatMap(({ as }) => as ?? []);
  const as = new Option('--as <found>', 'what you found').choices(found).makeOptionMandatory();
  const needed = [...new Set(rows.flatMap((row) => row.inputs ?? []))].map((input) => {
    const { flags, label } = inputs[input];
    const only = rows.flatMap((row) => (row.inputs?.includes(input) && row.as) || []);
    const text = only.length === 0 ? label : `${label}; with --as ${only.join(' or ')}`;
    return new Option(flags, text).makeOptionMandatory(only.length === 0);
  });
  return found.length === 0 ? needed : [as, ...needed];
}

function evidenceOption(example: string | undefined, isSentAgain: boolean): Option {
  const how = example === undefined ? 'where the deposit does not show it' : `as ${example}`;
  const unless = isSentAgain ? '; required without --retry' : '';
  return new Option('--evidence <text>', `how you know it, ${how}; recorded${unless}`)
    .default(null)
    .makeOptionMandatory(example !== undefined && !isSentAgain);
}

const againDetails = [
  '--retry takes effect at once in live mode too: no other operator confirms it. It only sends',
  'again what is owed to the payer.',
].join('\n');

/** `--order` is the former name. */
function againOptions(): readonly Option[] {
  const text = 'send it to the partner again, as commands retry does';
  return [new Option('--retry', text), new Option('--order').implies({ retry: true }).hideHelp()];
}

/** ValidationError. */
async function requestOf(name: DecisionName, options: Asked): Promise<DeskRequest> {
  const needed = decisionOf(name).inputs ?? [];
  const isOther = (input: DecisionInput) => options[input] !== undefined && !needed.includes(input);
  const other = (Object.keys(inputs) as DecisionInput[]).find(isOther);
  if (other === undefined) {
    const { requestFor } = await import('../core/usecases/money-desk/desk-items.js');
    return requestFor(name, options);
  }
  throw invalid(`${inputs[other].flags} does not belong to this decision.`);
}

/** On a development host without operators, links and tokens are printed. */
export function isDevelopment({ actor }: Pick<Operator, 'actor'>): boolean {
  return actor.id === developmentOperator.id;
}
