// `ponte login` and `ponte operator`: the people who run commands, and their keys.
import type { Command } from 'commander';
import {
  CONSOLE_ROOT,
  type RegisteredOperator,
} from '../../core/domain/access/registered-operator.js';
import { linkEnd } from '../../core/domain/access/session.js';
import { formatInstant, instantOrNull } from '../../core/domain/base/instant.js';
import type { NewOperator } from '../../core/usecases/access/registered-operators.js';
import { decided } from '../decided.js';
import {
  type AddCommand,
  addCommand,
  commandGroup,
  listOf,
  type Operator,
  type Outcome,
  type Shell,
  withName,
} from '../operator.js';
import { replace, value } from '../options.js';
import { fields } from '../output.js';

const operators = () => import('../../core/usecases/access/registered-operators.js');

export function addOperatorsCommands(shell: Shell, program: Command): void {
  addCommand(shell, program, {
    name: 'login',
    authority: 'none',
    description: 'create the key of the operator at this machine, or show its public half',
    run: async () => {
      const { keepOperatorKey } = await import('../operator-key.js');
      const { path, publicKey } = keepOperatorKey(shell.env);
      const next = `ponte operator add <name> --public-key ${publicKey}`;
      const shown = fields({ key: path, 'public key': publicKey });
      const text = `${shown}\nTo register it, an operator runs:\n  ${next}`;
      return { json: { path, publicKey }, text };
    },
  });

  const add = commandGroup(shell, program, 'operator', 'people who run commands');

  add({
    name: 'add <name>',
    authority: 'first',
    description: 'register an operator; the first one needs no other operator',
    options: {
      publicKey: value('<key>', 'what ponte login printed; by default the key of this machine'),
      replace,
    },
    // Often the first command for a new database.
    opening: 'makes',
    run: async (operator, { publicKey, replace }, [name = '']) => {
      const [{ requireKey }, { publicKeyOf }] = await Promise.all([
        import('../operator-key.js'),
        import('../../core/domain/access/registered-operator.js'),
      ]);
      const key = publicKey ?? publicKeyOf(requireKey(shell.env));
      return added(operator, { name, publicKey: key }, replace);
    },
  });

  add({
    name: 'list',
    authority: 'read',
    description: 'list the operators, including removed ones',
    run: async ({ deps }) => {
      const { listOperators } = await operators();
      const data = (await listOperators(deps)).map(presentOperator);
      const names = new Map(data.map(({ id, name }) => [id, name]));
      return listOf(data, 'No operators.', null, {
        ID: 'id',
        NAME: 'name',
        'ADDED BY': ({ createdBy }) => withName(names, createdBy),
        ADDED: 'createdAt',
        'LAST SIGNED': 'signedAt',
        REMOVED: 'removedAt',
      });
    },
  });

  addConsoleLink(add);

  add({
    name: 'remove <name>',
    authority: 'signed',
    description: 'refuse all commands of an operator; two must be left',
    run: async ({ deps, actor }, _, [name = '']) => {
      const { removeOperator } = await operators();
      return shown(await removeOperator(deps, name, actor));
    },
  });
}

function addConsoleLink(add: AddCommand): void {
  add({
    name: 'console-link',
    authority: 'signed',
    description: 'print a one-time link to the console of operators, which ends your session there',
    run: async ({ deps, config, actor, signed }) => {
      const [{ makeConsoleLink }, { ConfigError }] = await Promise.all([
        import('../../core/usecases/access/operator-sessions.js'),
        import('../../host/config.js'),
      ]);
      const { console: place } = config;
      if (place === null) {
        throw new ConfigError(['PONTE_OPERATOR_PORT: is not set, so there is no console']);
      }
      if (place.url === null) {
        throw new ConfigError(['PONTE_OPERATOR_URL: must be set if PONTE_OPERATOR_PORT is 0']);
      }
      const { token, link } = await makeConsoleLink(deps, { actor, signed });
      const url = `${place.url}${CONSOLE_ROOT}?token=${token}`;
      const endsAt = formatInstant(linkEnd(link));
      return { json: { url, endsAt }, text: `${fields({ url, 'valid until': endsAt })}` };
    },
  });
}

/** From the third operator on, another one confirms. */
async function added(operator: Operator, given: NewOperator, replace: boolean): Promise<Outcome> {
  const { deps, actor } = operator;
  const { addOperator, isAddedAlone } = await operators();
  if (await isAddedAlone(deps)) return shown(await addOperator(deps, given, actor));
  const done = () => Promise.reject(new Error('another operator confirms it'));
  return decided(operator, given.name, { verb: 'add-operator', ...given }, done, { replace });
}

function presentOperator(operator: RegisteredOperator) {
  const { id, name, publicKey, createdBy, createdAtMs, signedAtMs } = operator;
  return {
    id,
    name,
    publicKey,
    createdBy,
    createdAt: formatInstant(createdAtMs),
    signedAt: signedAtMs === 0 ? null : formatInstant(signedAtMs),
    removedBy: operator.removedBy,
    removedAt: instantOrNull(operator.removedAtMs),
  };
}

function shown(operator: RegisteredOperator): Outcome {
  const json = presentOperator(operator);
  return {
    json,
    text: fields({
      id: json.id,
      name: json.name,
      'public key': json.publicKey,
      'added by': json.createdBy,
      added: json.createdAt,
      removed: json.removedAt,
    }),
  };
}
