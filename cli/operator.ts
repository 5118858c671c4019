// What all commands share: the declaration of a command, its output, its exit code, and the
// database opened next to a running server. Commands import large modules when they run, so that
// help is fast.
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { writeJson } from '../core/domain/base/raw-json.js';
import { catalogue, PonteError, reasonOf } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import { type ListPage, type Store, withRun } from '../core/ports/storage.js';
import type {
  CommandIdentity,
  GivenCommand,
} from '../core/usecases/access/registered-operators.js';
import type { Opening, OperatorAccess } from '../host/operator-access.js';
import { type ExitKind, exitCodes, exitOf } from './exit-codes.js';
import type { Authority } from './operator-key.js';
import { addOptions, type Options, type OptionValues, type page } from './options.js';
import { laidOut, paperOf, type TableColumns, tableOf } from './output.js';

/** The result of a command: for programs, for people, and as an exit code (`done` by default). */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
  readonly exit?: ExitKind;
}

export interface Operator extends Omit<OperatorAccess, 'close'>, CommandIdentity {}

/** What help and the reference of commands say about each. */
export const authorityTexts: Readonly<Record<Authority, string>> = {
  none: '',
  read: ' Needs an operator.',
  signed: ' Signed by an operator.',
  first: ' Signed by an operator once there is one; from the third on, another one confirms.',
  confirmed: ' Signed by an operator; in live mode another one confirms.',
};

type None = Record<never, never>;

interface CommandRow<O extends Options> {
  /** Name and arguments, as `show <id>`. */
  readonly name: string;
  readonly authority: Authority;
  readonly description: string;
  readonly options?: O;
  /** Text of its help after the options. */
  readonly details?: string;
  /** It may take long: a terminal shows for how many seconds it works. */
  readonly isLong?: true;
  readonly run: (
    options: OptionValues<O> & { readonly json: boolean },
    ids: readonly string[],
  ) => Promise<Outcome>;
}

/** A command on the configured database. With the option `--dry-run` it stores nothing. */
interface OperatorCommandRow<O extends Options> extends Omit<CommandRow<O>, 'run'> {
  readonly opening?: Opening;
  readonly run: (
    operator: Operator,
    options: OptionValues<O>,
    ids: readonly string[],
  ) => Outcome | Promise<Outcome>;
}

interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** The environment and streams of a command: of a process, or of a test. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Buffer | string> & { readonly isTTY?: boolean };
  readonly stdout: Stream & { readonly columns?: number };
  readonly stderr: Stream;
  exitCode: number;
}

const authorities = new WeakMap<Command, Authority>();

/** Each command has one; groups of commands have none. */
export function authorityOf(command: Command): Authority | undefined {
  return authorities.get(command);
}

/** A value for each argument and each required option, by what help calls it. */
const sampleValues: Readonly<Record<string, string>> = {
  address: 'ana@acme.example',
  count: '50',
  hours: '24',
  'key-id': 'key_1',
  mode: 'test',
  name: 'ana',
  'on|off': 'off',
  'org-id': 'org_1',
};

/** The command with its arguments and required options. */
export function exampleOf(command: Command): string {
  const sample = (shown: string) => sampleValues[shown] ?? shown.toUpperCase();
  const words = command.registeredArguments
    .filter(({ required }) => required)
    .map((argument) => sample(argument.name()));
  const options = command.options
    .filter(({ mandatory }) => mandatory)
    .map(({ long, flags }) => {
      const [, shown] = /<([^>.]+)/.exec(flags) ?? [];
      return shown === undefined ? `${long}` : `${long} ${sample(shown)}`;
    });
  return ['ponte', commandPath(command), ...words, ...options].join(' ');
}

/** What help says about a command: what it does, who may give it, and an example. */
export function describedCommand(command: Command): string {
  const authority = authorityOf(command);
  if (authority === undefined) return command.description();
  const text = `${command.description()}.${authorityTexts[authority]}`;
  return `${text}\n\nExample: ${exampleOf(command)}`;
}

export function withAuthority(command: Command, authority: Authority): Command {
  authorities.set(command, authority);
  return command;
}

/** A command that anybody may give who has the settings. */
export function addCommand<O extends Options = None>(
  shell: Shell,
  parent: Command,
  row: CommandRow<O> & { readonly authority: 'none' },
): void {
  declareCommand(shell, parent, row);
}

function declareCommand<O extends Options>(
  shell: Shell,
  parent: Command,
  row: CommandRow<O>,
): Command {
  const command = parent.command(row.name).description(row.description);
  withAuthority(command, row.authority);
  addOptions(command, row.options ?? {}).option('--json', 'print one JSON document', false);
  if (row.details !== undefined) command.addHelpText('after', `\n${row.details}`);
  command.action(async () => {
    const options = command.opts<OptionValues<O> & { readonly json: boolean }>();
    try {
      const work = async () => row.run(options, command.args);
      const outcome = await (row.isLong ? counting(shell, commandPath(command), work) : work());
      finish(shell, outcome, options.json);
    } catch (error) {
      const { org, member, email } = command.opts<Readonly<Record<string, string | undefined>>>();
      const ids = command.args.filter((word) => word.includes('_'));
      const members = org === undefined ? [] : [org, member, email];
      const named = withNames(error, [...ids, ...members]);
      finish(shell, failureOutcome(shell, named), options.json);
    }
  });
  return command;
}

const COUNT_EVERY_MS = 1_000;
/** Work that is shorter needs no counter. */
const COUNT_AFTER_MS = 2_000;

/** Shows the seconds on the error output, if that is a terminal, and removes them at the end. */
export async function counting<T>(
  { stderr }: Pick<Shell, 'stderr'>,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  if (stderr.isTTY !== true) return work();
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += COUNT_EVERY_MS / 1_000;
    if (seconds * 1_000 >= COUNT_AFTER_MS) stderr.write(`\rponte ${name}: ${seconds} s`);
  }, COUNT_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    stderr.write('\r\x1b[K');
  }
}

export function addOperatorCommand<O extends Options = None>(
  shell: Shell,
  parent: Command,
  { opening, run, ...row }: OperatorCommandRow<O>,
): void {
  const command: Command = declareCommand<O>(shell, parent, {
    ...row,
    run: (options, ids) =>
      asOperator(shell, async (operator) => run(operator, options, ids), {
        ...(opening === undefined ? {} : { opening }),
        authority: row.authority,
        given: { command: commandPath(command), arguments: { ...options, ids } },
        dryRun: 'dryRun' in options && options.dryRun === true,
      }),
  });
}

/** Adds a group of commands, `ponte <name> …`; returns what adds a command to it. */
export function commandGroup(shell: Shell, program: Command, name: string, description: string) {
  const group = program.command(name).description(description);
  return <O extends Options = None>(row: OperatorCommandRow<O>) =>
    addOperatorCommand(shell, group, row);
}

export type AddCommand = ReturnType<typeof commandGroup>;

/** Without the name of the program, such as `org create`. */
export function commandPath(command: Command): string {
  const { parent } = command;
  const isTop = parent === null || parent.parent === null;
  return isTop ? command.name() : `${commandPath(parent)} ${command.name()}`;
}

/** Names of operators and organizations by their ids, which `--json` has. */
export async function readNames({
  store,
}: Pick<Operator['deps'], 'store'>): Promise<ReadonlyMap<string, string>> {
  const [operators, organizations] = await store.run((tx) =>
    Promise.all([tx.operators.list(), tx.organizations.list()]),
  );
  return new Map([...operators, ...organizations].map(({ id, name }) => [id, name]));
}

/** An id with the name that people know. */
export function withName(names: ReadonlyMap<string, string>, id: string | null): string | null {
  const name = names.get(id ?? '');
  return name === undefined ? id : `${name} ${id}`;
}

/** A list that has no next page unless `nextCursor` names one. */
export function listOutcome(
  data: readonly unknown[],
  text: string,
  nextCursor: string | null = null,
): Outcome {
  const more = nextCursor === null ? '' : `\nMore: --cursor ${nextCursor}`;
  return { json: { data, nextCursor }, text: `${text}${more}` };
}

/** The same with a table of these columns. */
export function listOf<T>(
  data: readonly T[],
  empty: string,
  nextCursor: string | null,
  columns: TableColumns<T>,
): Outcome {
  return listOutcome(data, tableOf(data, empty, columns), nextCursor);
}

/** A page of a list: `read` gets one row more, to find out if there is a next page. */
export async function readPage<T extends { readonly id: string }>(
  { limit, cursor }: OptionValues<typeof page>,
  read: (page: ListPage) => Promise<readonly T[]>,
) {
  const found = await read({ beforeId: cursor, limit: limit + 1 });
  const rows = found.slice(0, limit);
  return { rows, nextCursor: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

const unsigned: GivenCommand = { command: '', arguments: {} };

interface OperatorWork {
  readonly authority: Authority;
  /** What is signed, unless the authority is `none`. */
  readonly given?: GivenCommand;
  readonly dryRun?: boolean;
  readonly opening?: Opening;
}

/**
 * Runs `work` on the configured database, next to a server that may be running, for an operator
 * with this authority. With `dryRun` nothing is stored. ConfigError if the secret keys are not
 * those of the database, except for `looks`. OperatorNotAllowed.
 */
export async function asOperator<T>(
  shell: Shell,
  work: (operator: Operator) => Promise<T>,
  { authority, given = unsigned, dryRun = false, opening = 'finds' }: OperatorWork,
): Promise<T> {
  const [{ depsOfCommand }, { openForOperator }, { explainErrors }, { ConfigError }, { identify }] =
    await Promise.all([
      import('../core/usecases/access/registered-operators.js'),
      import('../host/operator-access.js'),
      import('../host/startup-errors.js'),
      import('../host/config.js'),
      import('./operator-key.js'),
    ]);
  const { stderr } = shell;
  const opened = await openForOperator(shell.env, {
    opening: dryRun ? 'reads' : opening,
    stderr,
  });
  try {
    const { deps, ...rest } = opened;
    const { keysProblem, config } = rest;
    if (keysProblem !== null && opening !== 'looks') {
      throw new ConfigError([`PONTE_SECRET_KEYS: ${keysProblem}`]);
    }
    return await explainErrors(config, async () => {
      const used = dryRun ? dryDeps(deps) : deps;
      const identity = await identify(shell.env, config, used, { authority, given });
      // Nobody has said who works without authority.
      if (authority === 'none') return work({ ...rest, ...identity, deps: used });
      const author = { action: given.command, address: hostname() };
      return work({ ...rest, ...identity, deps: depsOfCommand(used, identity, author) });
    });
  } finally {
    await opened.close();
  }
}

export function finish(shell: Shell, outcome: Outcome, json: boolean): void {
  if (json) shell.stdout.write(`${writeJson(outcome.json)}\n`);
  else if (outcome.text !== '') {
    shell.stdout.write(`${laidOut(outcome.text, paperOf(shell.stdout, shell.env))}\n`);
  }
  shell.exitCode = exitCodes[outcome.exit ?? 'done'][0];
}

/** The output for an error: programs get the envelope of the API. */
export function failureOutcome(shell: Shell, error: unknown): Outcome {
  const exit = exitOf(error);
  const envelope = envelopeOf(withReason(error), exit);
  shell.stderr.write(`ponte: ${String(envelope['message'])}\n`);
  // The stack of a fault helps to report it.
  const fault = error instanceof Error && !(error instanceof PonteError) && exit === 'failure';
  if (fault) shell.stderr.write(`${error.stack}\n`);
  return { json: envelope, text: '', exit };
}

/** Names the ids that were given: the API's text is about paths and keys. */
function withNames(error: unknown, named: readonly (string | null | undefined)[]): unknown {
  const names = named.filter(Boolean).join(', ');
  const isPlain = error instanceof PonteError && error.message === catalogue.NotFound.message;
  return isPlain && names !== '' ? new PonteError('NotFound', `Not found: ${names}.`) : error;
}

/** Operators see the cause of a database error, which the API hides. */
function withReason(error: unknown): unknown {
  if (!(error instanceof PonteError)) return error;
  if (error.code === 'InQuarantine') {
    const next = 'Run ponte restore --check, then ponte release.';
    return new PonteError(error.code, `The database is in quarantine and read-only. ${next}`);
  }
  if (error.code !== 'StoreUnavailable') return error;
  const why = reasonOf(error);
  return why === null ? error : new PonteError(error.code, `${error.message} (${why})`);
}

function envelopeOf(error: unknown, exit: ExitKind): Readonly<Record<string, unknown>> {
  if (error instanceof PonteError) {
    const { status, code, message, retryAfterSeconds } = error;
    const envelope = { statusCode: status, error: code, message };
    return retryAfterSeconds === null ? envelope : { ...envelope, retryAfter: retryAfterSeconds };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (exit === 'configuration') return { error: 'ConfigurationInvalid', message };
  if (exit === 'conflict') return { error: 'StoreRefused', message };
  if (exit === 'checkFailed') return { error: 'UnsoundCopy', message };
  return { statusCode: 500, error: 'InternalError', message };
}

/** Nothing is stored, so nothing is logged and no worker is woken. */
function dryDeps(deps: Deps): Deps {
  const mute = () => undefined;
  const log = { debug: mute, info: mute, warn: mute, error: mute };
  return { ...deps, store: dryStore(deps.store), deliveryMonths: null, log, wake: mute };
}

/** Runs work and discards its writes. */
function dryStore(store: Store): Store {
  return withRun(store, async (work, options) => {
    const answer = new Undone<Awaited<ReturnType<typeof work>>>();
    await store
      .run(async (tx) => {
        answer.value = await work(tx);
        throw answer;
      }, options)
      .catch((error: unknown) => {
        if (error !== answer) throw error;
      });
    return answer.value as Awaited<ReturnType<typeof work>>;
  });
}

class Undone<T> extends Error {
  value: T | undefined;
}
