// `ponte key`: API keys of an organization. A key's secret is printed once, when it is made.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { apiKey } from '../adapters/http/key-routes.js';
import { isScope, scopes } from '../core/domain/scope.js';
import type { Mode } from '../core/domain/tenant.js';
import { addVerb, asOperator, modeOption, onlyId, type Shell } from './operator.js';
import { fields, table } from './output.js';

const keys = () => import('../core/usecases/keys.js');
const routes = () => import('../adapters/http/key-routes.js');

const orgOption = () => new Option('--org <org-id>', 'the organization').makeOptionMandatory();

export function addKeyVerbs(shell: Shell, program: Command): void {
  const key = program.command('key').description('API keys');

  addVerb<{ org: string; mode: Mode; name: string; scope: readonly string[] }>(shell, key, {
    name: 'create',
    description: 'make a key; its secret is shown this once',
    options: [
      orgOption(),
      modeOption(),
      new Option('--name <name>', 'what it is for').makeOptionMandatory(),
      new Option('--scope <scope...>', 'what it may do, as a,b or repeated; all unless given')
        .default([])
        .argParser(scopeList),
    ],
    details: `Scopes:\n${fields(scopes).replaceAll(/^/gm, '  ')}`,
    run: ({ org: orgId, mode, name, scope: scopes }) =>
      asOperator(shell, async ({ deps }) => {
        const { createKey } = await keys();
        const { apiKeyWithSecret } = await routes();
        const { key, secret } = await createKey(deps, { orgId, mode, name, scopes });
        const json = apiKeyWithSecret.show({ ...key, secret });
        return { json, text: `${shown(json)}\nsecret   ${secret}` };
      }),
  });

  addVerb<{ org: string }>(shell, key, {
    name: 'list',
    description:
      'list the active keys of an organization, of both modes, and the newest revoked ones',
    options: [orgOption()],
    run: ({ org }) =>
      asOperator(shell, async ({ deps }) => {
        const { listKeys } = await keys();
        const { apiKey } = await routes();
        const data = (await listKeys(deps, org)).map(apiKey.show);
        return {
          json: { data, nextCursor: null },
          text: table(
            ['ID', 'MODE', 'NAME', 'SCOPES', 'LAST USED', 'REVOKED'],
            data.map(({ id, testMode, name, scopes, lastUsedAt, revokedAt }) => [
              id,
              testMode ? 'test' : 'live',
              name,
              scopes.join(' ') || 'all',
              lastUsedAt,
              revokedAt,
            ]),
            'No keys.',
          ),
        };
      }),
  });

  addVerb(shell, key, {
    name: 'revoke <key-id>',
    description: 'refuse a key from its next request on, for ever',
    run: (_, ids) =>
      asOperator(shell, async ({ deps }) => {
        const { revokeKey } = await keys();
        const { apiKey } = await routes();
        const json = apiKey.show(await revokeKey(deps, null, onlyId(ids)));
        return { json, text: shown(json) };
      }),
  });
}

function shown(key: ReturnType<typeof apiKey.show>): string {
  const { id, name, scopes, testMode, revokedAt, createdAt } = key;
  const granted = scopes.join(' ') || 'all';
  return fields({
    id,
    mode: testMode ? 'test' : 'live',
    name,
    scopes: granted,
    created: createdAt,
    revoked: revokedAt,
  });
}

/** Adds the scopes of one value to those before it. */
function scopeList(text: string, before: readonly string[]): readonly string[] {
  const given = text.split(',').map((scope) => scope.trim());
  const unknown = given.filter((scope) => !isScope(scope));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. See key create --help.`);
  }
  return [...before, ...given];
}
