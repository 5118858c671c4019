// `ponte key`: API keys of an organization. The secret of a key is printed only when it is created.
import { type Command, InvalidArgumentError } from 'commander';
import { isNetwork } from '../../adapters/http/protocol/client-address.js';
import type { apiKey } from '../../adapters/http/resources/key-routes.js';
import type { KeyToIssue } from '../../core/domain/access/api-key.js';
import { isScope, type Scope, scopes, sessionScopes } from '../../core/domain/access/scope.js';
import { formatInstant, parseInstant } from '../../core/domain/base/instant.js';
import type { Tenant } from '../../core/domain/base/tenant.js';
import type { ServiceAction } from '../../core/domain/money-desk/service-decisions.js';
import type { Deps } from '../../core/ports/deps.js';
import type { IssuedKey } from '../../core/usecases/access/keys.js';
import { decided } from '../decided.js';
import {
  type AddCommand,
  commandGroup,
  listOf,
  type Operator,
  type Outcome,
  readNames,
  type Shell,
  withName,
} from '../operator.js';
import { mode, org, parsed, replace, value } from '../options.js';
import { fields } from '../output.js';

const keys = () => import('../../core/usecases/access/keys.js');
const routes = () => import('../../adapters/http/resources/key-routes.js');

export function addKeyCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'key', 'API keys');
  addIssuing(add);
  addLists(add);

  add({
    name: 'revoke <key-id>',
    authority: 'signed',
    description: 'revoke a key, from its next request on',
    run: async ({ deps }, _, [id = '']) => {
      const { revokeKey } = await keys();
      const { apiKey } = await routes();
      const json = apiKey.show(await revokeKey(deps, null, id));
      return { json, text: shown(json) };
    },
  });
}

const scopesOfKeys = Object.fromEntries(
  Object.entries(scopes).map(([scope, text]) => {
    const isOfSessions = isScope(scope) && sessionScopes.includes(scope);
    return [scope, isOfSessions ? `${text} (sessions only: no effect on a key)` : text];
  }),
);

function addIssuing(add: AddCommand): void {
  add({
    name: 'create',
    authority: 'confirmed',
    description: 'create a key; its secret is shown only once',
    options: {
      org,
      mode,
      name: value('<name>', 'what the key is for').required(),
      scope: parsed(
        '<scope...>',
        'what it may do, for example a,b; may be repeated; all by default',
        itemsOf(isScope),
      ).or([]),
      network: parsed(
        '<network...>',
        'IP addresses or CIDR networks that may use it; may be repeated; all by default',
        itemsOf(isNetwork),
      ).or([]),
      expiresAt: parsed('<time>', 'when it ends, such as 2030-01-31T12:00:00Z', readTime),
    },
    details: `Scopes:\n${fields(scopesOfKeys).replaceAll(/^/gm, '  ')}`,
    run: async (operator, { org: orgId, mode, name, scope, network, expiresAt }) => {
      const { deps, actor } = operator;
      const { newKey, revokeExpired } = await keys();
      const granted = { scopes: scope, networks: network, expiresAtMs: expiresAt };
      const input = { orgId, mode, name, createdBy: actor.id, ...granted };
      const { made, secret } = newKey(deps, input);
      await revokeExpired(deps, orgId);
      const { id: keyId, salt, secretHash, scopes: checked, networks } = made;
      const what = { mode, name: made.name, scopes: checked, networks, expiresAtMs: expiresAt };
      const request = { verb: 'create-key', keyId, salt, secretHash, ...what } as const;
      const { outcome, isStored } = await decidedKey(operator, orgId, request, secret, false);
      if (!isStored) return outcome;
      const unready = await unreadyNote(deps, { orgId, mode });
      return { ...outcome, text: outcome.text + uselessNote(checked) + unready };
    },
  });

  add({
    name: 'roll <key-id>',
    authority: 'confirmed',
    description: 'create a key like this one, which stays valid for an overlap',
    options: {
      replace,
      overlapHours: parsed(
        '<hours>',
        'how long it stays valid, 0 to 168; 24 by default',
        readHours,
      ),
    },
    run: async (operator, { overlapHours, replace }, [id = '']) => {
      const { deps } = operator;
      const { issueSecret, OVERLAP_HOURS, ownKey, revokeExpired } = await keys();
      const { orgId, mode } = await deps.store.run((tx) => ownKey(tx, null, id));
      await revokeExpired(deps, orgId);
      const { secret, ...issue } = issueSecret(deps, mode);
      const hours = overlapHours ?? OVERLAP_HOURS;
      const request = { verb: 'roll-key', overlapHours: hours, ...issue } as const;
      const { outcome, isStored } = await decidedKey(operator, id, request, secret, replace);
      if (!isStored) return outcome;
      const { revokedAtMs, expiresAtMs } = await deps.store.run((tx) => ownKey(tx, null, id));
      const end = formatInstant(revokedAtMs ?? expiresAtMs ?? 0);
      const note = `${id}, which it replaces, is refused from ${end} on.`;
      return { ...outcome, text: `${outcome.text}\n${note}` };
    },
  });
}

/**
 * The secret is printed at once. Until another operator confirms a key of live mode, it opens
 * nothing.
 */
async function decidedKey(
  operator: Operator,
  itemId: string,
  request: Extract<ServiceAction, KeyToIssue>,
  secret: string,
  replace: boolean,
): Promise<{ readonly outcome: Outcome; readonly isStored: boolean }> {
  const { deps } = operator;
  const { keyId } = request;
  const { ownKey } = await keys();
  const done = async () => {
    const key = await deps.store.run((tx) => ownKey(tx, null, keyId));
    return issued({ key, secret });
  };
  const outcome = await decided(operator, itemId, request, done, { replace });
  const stored = await deps.store.run((tx) => tx.keys.get(keyId));
  if (stored !== null) return { outcome, isStored: true };
  const note = 'Store the secret: it is not shown again. It opens nothing before that.';
  return {
    outcome: {
      ...outcome,
      json: { ...(outcome.json as object), secret },
      text: `${outcome.text}\n\nsecret   ${secret}\n${note}`,
    },
    isStored: false,
  };
}

function addLists(add: AddCommand): void {
  add({
    name: 'list',
    authority: 'read',
    description: 'list the active keys of an organization in both modes, and the newest revoked',
    options: { org },
    run: async ({ deps }, { org }) => {
      const { listKeys } = await keys();
      const { apiKey } = await routes();
      const data = (await listKeys(deps, org)).map(apiKey.show);
      return listOf(data, 'No keys.', null, {
        ID: 'id',
        MODE: (row) => (row.testMode ? 'test' : 'live'),
        NAME: 'name',
        SCOPES: scopesOf,
        'CREATED BY': 'createdBy',
        'KEPT BY': 'keptBy',
        'LAST USED': 'lastUsedAt',
        EXPIRES: 'expiresAt',
        REVOKED: 'revokedAt',
      });
    },
  });

  add({
    name: 'report',
    authority: 'read',
    description: 'list keys that were not used for 90 days, and scopes that were never used',
    run: async ({ deps }) => {
      const { reportKeys } = await keys();
      const { apiKey } = await routes();
      const found = await reportKeys(deps);
      const names = await readNames(deps);
      const data = found.map(({ key, isIdle, scopes: unused }) => ({
        ...apiKey.show(key),
        isIdle,
        unusedScopes: unused,
      }));
      return listOf(
        data,
        'No key is older than 90 days without use, and every scope was used.',
        null,
        {
          ID: 'id',
          ORGANIZATION: (row) => withName(names, row.orgId),
          MODE: (row) => (row.testMode ? 'test' : 'live'),
          NAME: 'name',
          'LAST USED': 'lastUsedAt',
          WHAT: (row) =>
            row.isIdle ? 'not used for 90 days' : `never used: ${row.unusedScopes.join(' ')}`,
        },
      );
    },
  });
}

async function issued({ key, secret }: IssuedKey): Promise<Outcome> {
  const { apiKeyWithSecret } = await routes();
  const json = apiKeyWithSecret.show({ ...key, secret });
  return {
    json,
    text: `${shown(json)}\nsecret   ${secret}\nStore the secret: it is not shown again.`,
  };
}

/** Scopes that only sessions use are taken, as the API takes them. */
function uselessNote(scopes: readonly Scope[]): string {
  const useless = scopes.filter((scope) => sessionScopes.includes(scope));
  if (useless.length === 0) return '';
  return `\nNo effect on a key, because only sessions use it: ${useless.join(', ')}.`;
}

/** A line that says what the mode of a new key lacks, or nothing. */
async function unreadyNote(deps: Deps, tenant: Tenant): Promise<string> {
  const { readStanding } = await import('../../core/usecases/access/sessions.js');
  const { lacksToCollect } = await import('../../core/domain/parties/organization.js');
  const { organization, profile } = await readStanding(deps, tenant);
  const lacks = lacksToCollect(organization, profile).map(({ message }) => message);
  if (lacks.length === 0) return '';
  return `\n${tenant.mode} mode is not ready: ${lacks.join(', ')} (ponte org show ${tenant.orgId})`;
}

function shown(key: ReturnType<typeof apiKey.show>): string {
  const { id, name, networks, testMode, createdAt, createdBy } = key;
  const { keptBy, expiresAt, revokedAt } = key;
  return fields({
    id,
    mode: testMode ? 'test' : 'live',
    name,
    scopes: scopesOf(key),
    networks: networks.join(' ') || 'all',
    created: createdAt,
    'created by': createdBy,
    'kept by': keptBy,
    expires: expiresAt,
    revoked: revokedAt,
  });
}

function scopesOf({ scopes, keptScopes }: ReturnType<typeof apiKey.show>): string {
  const kept = keptScopes.map((scope) => `${scope} (kept)`);
  return [...scopes, ...kept].join(' ') || 'all';
}

/** Adds the items of one value to those of the values before it. */
function itemsOf(isItem: (text: string) => boolean) {
  return (text: string, before: readonly string[]): readonly string[] => {
    const given = text.split(',').map((item) => item.trim());
    const unknown = given.filter((item) => !isItem(item));
    if (unknown.length > 0) {
      throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. See key create --help.`);
    }
    return [...before, ...given];
  };
}

function readTime(text: string): number {
  const timeMs = parseInstant(text);
  if (timeMs === null) throw new InvalidArgumentError('Give a time such as 2030-01-31T12:00:00Z.');
  return timeMs;
}

function readHours(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}
