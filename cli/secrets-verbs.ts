// `ponte secrets`: taking secret keys out of use, and another key for sessions.
import { type Command, Option } from 'commander';
import { formatInstant } from '../core/domain/instant.js';
import type { Reseal } from '../core/usecases/reseal.js';
import type { RenewedSessionKey } from '../core/usecases/service-keys.js';
import {
  addVerb,
  asOperator,
  dryRunOption,
  type Operator,
  type Outcome,
  type Shell,
} from './operator.js';
import { table } from './output.js';

interface RotateOptions {
  readonly endSessions: boolean;
  readonly dryRun: boolean;
}

export function addSecretsVerbs(shell: Shell, program: Command): void {
  const noun = program.command('secrets').description('the keys that keep what is secret');

  addVerb<{ readonly dryRun: boolean }>(shell, noun, {
    name: 'reseal',
    description: 'seal everything anew under the first secret key, so that the others can go',
    options: [dryRunOption()],
    run: ({ dryRun }) => asOperator(shell, (operator) => reseal(shell, operator, dryRun)),
  });

  addVerb<RotateOptions>(shell, noun, {
    name: 'rotate-session-key',
    description: 'sign sessions with another key; those there are go on until they end',
    options: [
      new Option('--end-sessions', 'end all sessions at once').default(false),
      dryRunOption(),
    ],
    run: (options) => asOperator(shell, (operator) => rotate(operator, options), options),
  });
}

/** A dry run counts: it has nothing to decide, and what it would write it would look for again. */
async function reseal(shell: Shell, operator: Operator, dryRun: boolean): Promise<Outcome> {
  const usecase = await import('../core/usecases/reseal.js');
  const { deps } = operator;
  let looking = '';
  const progress = (column: string) => {
    if (column !== looking) shell.stderr.write(`looking at ${column}\n`);
    looking = column;
  };
  if (dryRun) return countedOutcome(await usecase.countSealed(deps, progress));
  await refuseUnserved(operator);
  return resealedOutcome(await usecase.reseal(deps, progress));
}

/** Hosts that do not know the key could open nothing any more. */
async function refuseUnserved({ deps, servers }: Operator): Promise<void> {
  const { keyId } = deps.secretBox;
  const canaries = await deps.store.run((tx) => tx.keyCanaries.list());
  if (canaries.some((canary) => canary.keyId === keyId) || (await servers()).length === 0) return;
  const { ConfigError } = await import('../host/config.js');
  const problem = `no host was started with ${JSON.stringify(keyId)} as the first key`;
  throw new ConfigError([`PONTE_SECRET_KEYS: ${problem}. Start all of them so, then reseal`]);
}

function countedOutcome(found: Reseal): Outcome {
  const { columns, needed, keyId } = found;
  const rows = columns.map(({ column, left }) => [...placeOf(column), left]);
  return {
    json: presentReseal(found, true),
    text: [
      table(['TABLE', 'COLUMN', 'WOULD BE RE-SEALED'], rows, ''),
      needed.length === 0
        ? `No other key than ${quoted([keyId])} is needed.`
        : `${quoted(needed)} could be dropped from PONTE_SECRET_KEYS then.`,
      ...(needed.length === 0 ? [] : staysSaid),
    ].join('\n'),
  };
}

function resealedOutcome(done: Reseal): Outcome {
  const { keyId, retired, needed, sealing, sessionKey } = done;
  const rows = done.columns.map(({ column, resealed, left }) => [
    ...[...placeOf(column), resealed, left],
  ]);
  const others = needed.filter((one) => !sealing.includes(one));
  const said: readonly (readonly [boolean, string])[] = [
    [sessionKey !== null, sessionKey === null ? '' : sessionsSaid(sessionKey)],
    [
      sealing.length > 0,
      `A process seals under ${quoted(sealing)} yet. Start all of them with ${quoted([keyId])} ` +
        'as the first key, then give this command again.',
    ],
    [
      others.length > 0,
      `Texts under ${quoted(others)} are left: they were written just now, or do not open with ` +
        'these keys. Give the command again, with the very keys that sealed them.',
    ],
    [needed.length === 0, `Everything is sealed under ${quoted([keyId])}.`],
    [retired.length > 0, `${quoted(retired)} can be dropped from PONTE_SECRET_KEYS.`],
    [retired.length > 0, staysSaid.join('\n')],
  ];
  return {
    json: presentReseal(done, false),
    text: [
      table(['TABLE', 'COLUMN', 'RE-SEALED', 'LEFT'], rows, ''),
      ...said.flatMap(([applies, text]) => (applies ? [text] : [])),
    ].join('\n'),
    exit: needed.length === 0 ? 'done' : 'checkFailed',
  };
}

/** What becomes of all that was given out while another key was the first one. */
const staysSaid = [
  'Webhook secrets, upload and public URLs of documents, mailed links and API keys go on as they',
  'are. A cursor of a list that was given out under a dropped key is refused: begin the list anew.',
];

async function rotate(
  { deps, config }: Operator,
  { endSessions, dryRun }: RotateOptions,
): Promise<Outcome> {
  if (config.jwtKeys !== null) {
    const { ConfigError } = await import('../host/config.js');
    const advice = 'put another key before the one there, and drop that to end its sessions';
    throw new ConfigError([`PONTE_JWT_KEY: it signs sessions: ${advice}`]);
  }
  const { renewSessionKey } = await import('../core/usecases/service-keys.js');
  const renewed = await renewSessionKey(deps, { endSessions });
  return {
    json: { dryRun, ...presentSessionKey(renewed) },
    text: `${dryRun ? 'Would be done: ' : ''}${sessionsSaid(renewed)}`,
  };
}

function sessionsSaid({ previousEndAtMs }: RenewedSessionKey): string {
  return previousEndAtMs === null
    ? 'Another key signs sessions; none of before counts.'
    : `Another key signs sessions; those of before end by ${formatInstant(previousEndAtMs)}.`;
}

function presentReseal({ keyId, columns, sessionKey, ...ends }: Reseal, dryRun: boolean) {
  return {
    ...{ dryRun, keyId },
    columns: columns.map(({ column, ...counts }) => {
      const [name, columnName] = placeOf(column);
      return { table: name, column: columnName, ...counts };
    }),
    sessionKey: sessionKey === null ? null : presentSessionKey(sessionKey),
    ...ends,
  };
}

function presentSessionKey({ id, previousEndAtMs }: RenewedSessionKey) {
  return {
    id,
    previousEndAt: previousEndAtMs === null ? null : formatInstant(previousEndAtMs),
  };
}

function placeOf(column: string): readonly [table: string, column: string] {
  const [name = '', columnName = ''] = column.split('.');
  return [name, columnName];
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}
