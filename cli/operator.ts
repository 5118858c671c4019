// What every command shares: its row in the program, one document of output, exit codes, and the
// database opened beside a running server. What a command does stands in the file of its noun. What
// is heavy is imported when a command runs, so that help comes at once.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { writeJson } from '../core/domain/raw-json.js';
import { catalogue, PonteError } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import type { Store } from '../core/ports/storage.js';
import type { Opening, OperatorAccess } from '../host/main.js';
import { type ExitKind, exitCodes, exitOf } from './exit-codes.js';

/** What a command tells programs, people, and by its exit code; `done` unless it says otherwise. */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
  readonly exit?: ExitKind;
}

/** The database opened beside a server that may be running. */
export type Operator = Omit<OperatorAccess, 'close'>;

export interface Verb<Options> {
  /** Name and arguments, as `show <id>`. */
  readonly name: string;
  readonly description: string;
  readonly options?: readonly Option[];
  /** What its help says after the options. */
  readonly details?: string;
  readonly run: (options: Options, ids: readonly string[]) => Promise<Outcome>;
}

/** Where a command comes from and what it is told to: a process, or a test. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Buffer | string> & { readonly isTTY?: boolean };
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  exitCode: number;
}

export function addVerb<Options>(shell: Shell, parent: Command, row: Verb<Options>): void {
  const command = parent.command(row.name).description(row.description);
  for (const option of row.options ?? []) command.addOption(option);
  command.option('--json', 'print one JSON document', false);
  if (row.details !== undefined) command.addHelpText('after', `\n${row.details}`);
  command.action(async () => {
    const options = command.opts<Options & { readonly json: boolean }>();
    try {
      finish(shell, await row.run(options, command.args), options.json);
    } catch (error) {
      const { org, member, email } = command.opts<Readonly<Record<string, string | undefined>>>();
      const ids = command.args.filter((word) => word.includes('_'));
      const told = withNames(error, [...ids, org, member, email]);
      finish(shell, failure(shell, told), options.json);
    }
  });
}

export const modeOption = () =>
  new Option('--mode <mode>', 'test or live').choices(['test', 'live']).makeOptionMandatory();

export const dryRunOption = () =>
  new Option('--dry-run', 'check and show, change nothing').default(false);

export const limitOption = () =>
  new Option('--limit <count>', 'rows at most, 1 to 100').default(25).argParser((text) => {
    const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    if (limit < 1 || limit > 100) throw new InvalidArgumentError('Give 1 to 100.');
    return limit;
  });

export const cursorOption = () =>
  new Option('--cursor <id>', 'the nextCursor of the page before').default(null);

/**
 * Runs `work` on the configured database, beside a server that may be running. With `dryRun`
 * everything is decided as always and nothing is stored. With other secret keys than the database's
 * nothing is done, unless it only `looks`.
 */
export async function asOperator<T>(
  shell: Shell,
  work: (operator: Operator) => Promise<T>,
  {
    dryRun = false,
    opening = 'finds',
  }: { readonly dryRun?: boolean; readonly opening?: Opening } = {},
): Promise<T> {
  const [{ inWords, openForOperator }, { ConfigError }] = await Promise.all([
    import('../host/main.js'),
    import('../host/config.js'),
  ]);
  const opened = await openForOperator(shell.env, { opening: dryRun ? 'reads' : opening });
  try {
    const { deps, ...rest } = opened;
    const { keysProblem, config } = rest;
    if (keysProblem !== null && opening !== 'looks') {
      throw new ConfigError([`PONTE_SECRET_KEYS: ${keysProblem}`]);
    }
    return await inWords(config, () => work({ ...rest, deps: dryRun ? dryDeps(deps) : deps }));
  } finally {
    await opened.close();
  }
}

/** The first id; commander has made sure that it is there. */
export function onlyId(ids: readonly string[]): string {
  return ids[0] ?? '';
}

export function finish(shell: Shell, outcome: Outcome, json: boolean): void {
  if (json) shell.stdout.write(`${writeJson(outcome.json)}\n`);
  else if (outcome.text !== '') shell.stdout.write(`${outcome.text}\n`);
  shell.exitCode = exitCodes[outcome.exit ?? 'done'][0];
}

/** What to tell of an error: programs get the envelope of the API. */
export function failure(shell: Shell, error: unknown): Outcome {
  const exit = exitOf(error);
  const envelope = envelopeOf(withReason(error), exit);
  shell.stderr.write(`ponte: ${String(envelope['message'])}\n`);
  // A refusal says all there is to say; of a fault, where it happened helps to report it.
  const fault = error instanceof Error && !(error instanceof PonteError) && exit === 'failure';
  if (fault) shell.stderr.write(`${error.stack}\n`);
  return { json: envelope, text: '', exit };
}

/** What is not there is told by the names given: the API's text speaks of paths and keys. */
function withNames(error: unknown, named: readonly (string | null | undefined)[]): unknown {
  const names = named.filter(Boolean).join(', ');
  const isPlain = error instanceof PonteError && error.message === catalogue.NotFound.message;
  return isPlain && names !== ''
    ? new PonteError('NotFound', `Nothing is there under ${names}.`)
    : error;
}

/** An operator reads what is wrong with the database; the API's text is for everybody. */
function withReason(error: unknown): unknown {
  if (!(error instanceof PonteError)) return error;
  if (error.code === 'InQuarantine') {
    const todo = 'Ask the partner by ponte restore --check, then run ponte release.';
    return new PonteError(error.code, `The database is in quarantine: nothing changes. ${todo}`);
  }
  if (error.code !== 'StoreUnavailable') return error;
  const why = reasonOf(error);
  return why === null ? error : new PonteError(error.code, `${error.message} (${why})`);
}

/** What the machine or the database said; null when nothing did. */
export function reasonOf({ cause }: PonteError): string | null {
  if (!(cause instanceof Error)) return null;
  // Of several addresses that were tried each has its own.
  return cause.message || String(Reflect.get(cause, 'code') ?? cause.name);
}

/** Programs get the envelope of the API where there is one. */
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

/** Nothing is stored, so nobody is told of it. */
function dryDeps(deps: Deps): Deps {
  const mute = () => undefined;
  const log = { debug: mute, info: mute, warn: mute, error: mute };
  return { ...deps, store: dryStore(deps.store), log, wake: mute };
}

/** A store that decides as always, guards included up to the last write, and stores nothing. */
function dryStore(store: Store): Store {
  return {
    claims: store.claims,
    migrate: () => store.migrate(),
    health: () => store.health(),
    close: () => store.close(),
    run: async (work, options) => {
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
    },
  };
}

class Undone<T> extends Error {
  value: T | undefined;
}
