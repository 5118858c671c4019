// `ponte key`: API keys of an organization. The secret of a key is printed only when it is created.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { apiKey } from '../../adapters/http/resources/key-routes.js';
import { OPERATOR } from '../../core/domain/access/api-key.js';
import { isScope, scopes } from '../../core/domain/access/scope.js';
import type { Mode } from '../../core/domain/base/tenant.js';
import { addOperatorCommand, listOutcome, modeOption, orgOption, type Shell } from '../operator.js';
import { fields, table } from '../output.js';

const keys = () => import('../../core/usecases/access/keys.js');
const routes = () => import('../../adapters/http/resources/key-routes.js');

export function addKeyCommands(shell: Shell, program: Command): void {
  const key = program.command('key').description('API keys');

  addOperatorCommand<{ org: string; mode: Mode; name: string; scope: readonly string[] }>(
    shell,
    key,
    {
      name: 'create',
      description: 'create a key; its secret is shown only once',
      options: [
        orgOption(),
        modeOption(),
        new Option('--name <name>', 'what the key is for').makeOptionMandatory(),
        new Option(
          '--scope <scope...>',
          'what it may do, for example a,b; may be repeated; all by default',
        )
          .default([])
          .argParser(scopeList),
      ],
      details: `Scopes:\n${fields(scopes).replaceAll(/^/gm, '  ')}`,
      run: async ({ deps }, { org: orgId, mode, name, scope: scopes }) => {
        const { createKey } = await keys();
        const { apiKeyWithSecret } = await routes();
        const { key, secret } = await createKey(deps, {
          orgId,
          mode,
          createdBy: OPERATOR,
          name,
          scopes,
        });
        const json = apiKeyWithSecret.show({ ...key, secret });
        return { json, text: `${shown(json)}\nsecret   ${secret}` };
      },
    },
  );

  addOperatorCommand<{ org: string }>(shell, key, {
    name: 'list',
    description: 'list the active keys of an organization in both modes, and the newest revoked',
    options: [orgOption()],
    run: async ({ deps }, { org }) => {
      const { listKeys } = await keys();
      const { apiKey } = await routes();
      const data = (await listKeys(deps, org)).map(apiKey.show);
      const rows = data.map((row) => [
        row.id,
        row.testMode ? 'test' : 'live',
        row.name,
        row.scopes.join(' ') || 'all',
        row.createdBy,
        row.lastUsedAt,
        row.revokedAt,
      ]);
      const headings = ['ID', 'MODE', 'NAME', 'SCOPES', 'CREATED BY', 'LAST USED', 'REVOKED'];
      return listOutcome(data, table(headings, rows, 'No keys.'));
    },
  });

  addOperatorCommand(shell, key, {
    name: 'revoke <key-id>',
    description: 'revoke a key, from its next request on',
    run: async ({ deps }, _, [id = '']) => {
      const { revokeKey } = await keys();
      const { apiKey } = await routes();
      const json = apiKey.show(await revokeKey(deps, null, id));
      return { json, text: shown(json) };
    },
  });
}

function shown(key: ReturnType<typeof apiKey.show>): string {
  const { id, name, scopes, testMode, revokedAt, createdBy, createdAt } = key;
  const granted = scopes.join(' ') || 'all';
  return fields({
    id,
    mode: testMode ? 'test' : 'live',
    name,
    scopes: granted,
    created: createdAt,
    'created by': createdBy,
    revoked: revokedAt,
  });
}

/** Adds the scopes of one value to those of the values before it. */
function scopeList(text: string, before: readonly string[]): readonly string[] {
  const given = text.split(',').map((scope) => scope.trim());
  const unknown = given.filter((scope) => !isScope(scope));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. See key create --help.`);
  }
  return [...before, ...given];
}
