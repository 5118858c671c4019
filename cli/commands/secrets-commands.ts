// `ponte secrets`: retires secret keys, rotates the keys of sessions and of records.
import type { Command } from 'commander';
import { formatInstant, instantOrNull } from '../../core/domain/base/instant.js';
import type { Progress, Reseal } from '../../core/usecases/service/reseal.js';
import type { RotatedSessionKey } from '../../core/usecases/service/service-keys.js';
import { commandGroup, type Operator, type Outcome, type Shell } from '../operator.js';
import { dryRun, flag } from '../options.js';
import { table } from '../output.js';

const afterRetirement = [
  'Webhook secrets, document URLs, links in mails, API keys and sessions stay valid. List cursors',
  'made under a dropped key are refused: clients start those lists again.',
].join('\n');

export function addSecretsCommands(shell: Shell, program: Command): void {
  const add = commandGroup(
    shell,
    program,
    'secrets',
    'secret keys, and the keys of sessions and records',
  );

  add({
    name: 'reseal',
    authority: 'signed',
    description: 're-seal everything under the first secret key and retire the others',
    options: { dryRun },
    run: (operator, { dryRun }) => reseal(shell, operator, dryRun),
  });

  add({
    name: 'rotate-session-key',
    authority: 'signed',
    description: 'sign sessions with a new key; existing sessions stay valid until they expire',
    options: { endSessions: flag('end all existing sessions now'), dryRun },
    run: async ({ deps, config }, { endSessions, dryRun }) => {
      if (config.jwtKeys !== null) {
        const { ConfigError } = await import('../../host/config.js');
        const advice = 'add a new key in front, and drop the old one to end its sessions';
        throw new ConfigError([`PONTE_JWT_KEY: it signs the sessions: ${advice}`]);
      }
      const { rotateSessionKey } = await import('../../core/usecases/service/service-keys.js');
      const rotated = await rotateSessionKey(deps, { endSessions });
      return {
        json: { dryRun, ...presentSessionKey(rotated) },
        text: `${dryRun ? 'Dry run: ' : ''}${sessionKeyText(rotated)}`,
      };
    },
  });

  add({
    name: 'rotate-record-key',
    authority: 'signed',
    description: 'sign bank details and proofs with a new key; earlier ones stay published',
    options: { dryRun },
    details: [
      'What an earlier key signed stays genuine, because its public key stays at',
      '/.well-known/ponte-keys.json. If a key leaked, tell who checks signatures from which day on',
      'its kid proves nothing.',
    ].join('\n'),
    async run({ deps }, { dryRun }) {
      const { rotateRecordKey } = await import('../../core/usecases/service/service-keys.js');
      const { kid } = await rotateRecordKey(deps);
      const text = `${dryRun ? 'Dry run: ' : ''}A new key signs bank details and proofs: ${kid}.`;
      return { json: { dryRun, kid }, text };
    },
  });
}

/** A dry run only counts: a reseal reads what it has written. */
async function reseal(shell: Shell, operator: Operator, dryRun: boolean): Promise<Outcome> {
  const usecase = await import('../../core/usecases/service/reseal.js');
  const { deps } = operator;
  const progress: Progress = (step, column) => shell.stderr.write(`${step} ${column}\n`);
  if (dryRun) return countedOutcome(await usecase.countSealed(deps, progress));
  await refuseUnknownKey(operator);
  return resealedOutcome(await usecase.reseal(deps, progress));
}

/** Running hosts without the key could not open re-sealed texts. */
async function refuseUnknownKey({ deps, servers }: Operator): Promise<void> {
  const { keyId } = deps.secretBox;
  const checkValues = await deps.store.run((tx) => tx.keyCheckValues.list());
  const isKnown = checkValues.some((checkValue) => checkValue.keyId === keyId);
  if (isKnown || (await servers()).length === 0) return;
  const { ConfigError } = await import('../../host/config.js');
  const problem = `no host was started with ${JSON.stringify(keyId)} as the first key`;
  throw new ConfigError([`PONTE_SECRET_KEYS: ${problem}. Restart all hosts with it first`]);
}

function countedOutcome(found: Reseal): Outcome {
  const { columns, requiredKeys, keyId } = found;
  const rows = columns.map(({ column, remaining }) => [...splitColumn(column), remaining]);
  const end =
    requiredKeys.length === 0
      ? [`No key other than ${quoted([keyId])} is required.`]
      : [`A reseal would retire ${quoted(requiredKeys)}.`, afterRetirement];
  return {
    json: presentReseal(found, true),
    text: [table(['TABLE', 'COLUMN', 'TO RE-SEAL'], rows, ''), ...end].join('\n'),
  };
}

function resealedOutcome(done: Reseal): Outcome {
  const { keyId, columns, sessionKey, retiredKeys, requiredKeys } = done;
  const rows = columns.map((one) => [...splitColumn(one.column), one.resealed, one.remaining]);
  return {
    json: presentReseal(done, false),
    text: [
      table(['TABLE', 'COLUMN', 'RE-SEALED', 'REMAINING'], rows, ''),
      ...(sessionKey === null ? [] : [sessionKeyText(sessionKey)]),
      ...(requiredKeys.length === 0
        ? [`Everything is sealed under ${quoted([keyId])}.`]
        : incompleteText(done)),
      ...(retiredKeys.length === 0
        ? []
        : [`Remove ${quoted(retiredKeys)} from PONTE_SECRET_KEYS.`, afterRetirement]),
    ].join('\n'),
    exit: requiredKeys.length === 0 ? 'done' : 'checkFailed',
  };
}

function incompleteText({ keyId, requiredKeys, keysInUse }: Reseal): readonly string[] {
  const unused = requiredKeys.filter((one) => !keysInUse.includes(one));
  const inUse =
    `A process still seals under ${quoted(keysInUse)}. Restart all hosts with ` +
    `${quoted([keyId])} as the first key, then reseal again.`;
  const remaining =
    `Texts under ${quoted(unused)} remain: they were written just now, or the configured keys do ` +
    'not open them. Reseal again with the keys that sealed them.';
  return [...(keysInUse.length === 0 ? [] : [inUse]), ...(unused.length === 0 ? [] : [remaining])];
}

function sessionKeyText({ previousExpiresAtMs }: RotatedSessionKey): string {
  const rotated = 'A new key signs sessions.';
  return previousExpiresAtMs === null
    ? `${rotated} No earlier session is valid.`
    : `${rotated} Earlier sessions expire by ${formatInstant(previousExpiresAtMs)}.`;
}

function presentReseal({ keyId, columns, sessionKey, ...keys }: Reseal, dryRun: boolean) {
  return {
    dryRun,
    keyId,
    columns: columns.map(({ column, ...counts }) => {
      const [name, columnName] = splitColumn(column);
      return { table: name, column: columnName, ...counts };
    }),
    sessionKey: sessionKey === null ? null : presentSessionKey(sessionKey),
    ...keys,
  };
}

function presentSessionKey({ id, previousExpiresAtMs }: RotatedSessionKey) {
  return { id, previousExpiresAt: instantOrNull(previousExpiresAtMs) };
}

function splitColumn(column: string): readonly [table: string, column: string] {
  const [name = '', columnName = ''] = column.split('.');
  return [name, columnName];
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}
