// API keys of organizations, with hashes of their secrets: columns and SQL.
import type { StoredKey } from '../../../core/domain/access/api-key.js';
import { isScope } from '../../../core/domain/access/scope.js';
import { integer, mode, text, texts, time, version } from '../columns.js';
import { timeParam } from '../database.js';
import { defineTable, merge, type Write } from '../table.js';
import { type CachedJoin, type TxPart, writes } from '../unit-of-work.js';

export const apiKeys = defineTable<StoredKey>('api_keys', {
  id: text('id').key(),
  orgId: text('org_id').fixed(),
  mode: mode.fixed(),
  name: text('name'),
  createdBy: text.null('created_by').fixed(),
  keptBy: text.null('kept_by'),
  scopes: texts('scopes', isScope).fixed(),
  keptScopes: texts('kept_scopes', isScope).fixed(),
  networks: texts('networks').fixed(),
  salt: text('salt').fixed(),
  secretHash: text('secret_hash').fixed(),
  lastUsedAtMs: time.null('last_used_at').readOnly(),
  usedScopes: texts('used_scopes', isScope).readOnly(),
  revokedAtMs: time.null('revoked_at'),
  rolledAtMs: time.null('rolled_at'),
  expiresAtMs: time.null('expires_at'),
  slot: integer.null('slot'),
  createdAtMs: time('created_at').fixed(),
  version,
});

export const keyById: CachedJoin<StoredKey> = {
  tables: [apiKeys],
  sql: apiKeys.selectByKey,
  on: { api_keys: ['id'] },
  read: apiKeys.read,
  expect: (key) => [apiKeys.expect(key)],
};

export const keysPart: TxPart<'keys'> = {
  ...writes(apiKeys),
  get: (unit, keyId) => unit.firstCached(keyById, [keyId]),
  list: (unit, orgId, revokedMax) =>
    unit.all(
      apiKeys,
      [
        'where org_id = $1 and revoked_at is null union all select * from (select * from',
        'api_keys where org_id = $1 and revoked_at is not null order by id desc limit $2 )',
        'chosen order by id desc',
      ].join(' '),
      [orgId, revokedMax],
    ),
  unrevoked: (unit, orgId) =>
    unit.all(apiKeys, 'where org_id = $1 and revoked_at is null order by id desc', [orgId]),
  async slots(unit, { orgId, mode }) {
    const sql = [
      'select slot from api_keys',
      'where org_id = $1 and mode = $2 and revoked_at is null and slot is not null',
    ].join(' ');
    const rows = await unit.rows(apiKeys.name, sql, [orgId, mode]);
    return rows.map(integer('slot').read);
  },
  insert(unit, key) {
    unit.stage(apiKeys.insert(key));
    if (key.lastUsedAtMs !== null) unit.stage(touch(key.id, key.lastUsedAtMs));
    if (key.usedScopes.length > 0) unit.stage(noteScopes(key.id, key.usedScopes));
  },
  touch: (unit, keyId, lastUsedAtMs) => unit.stage(touch(keyId, lastUsedAtMs)),
  noteScopes: (unit, keyId, usedScopes) => unit.stage(noteScopes(keyId, usedScopes)),
};

function touch(keyId: string, lastUsedAtMs: number): Write {
  const sql = [
    'update api_keys set last_used_at = $2',
    'where id = $1 and (last_used_at is null or last_used_at < $2)',
  ].join(' ');
  return merge(apiKeys.name, keyId, sql, [keyId, timeParam(lastUsedAtMs)]);
}

function noteScopes(keyId: string, usedScopes: readonly string[]): Write {
  const sql = 'update api_keys set used_scopes = $2 where id = $1';
  return merge(apiKeys.name, keyId, sql, [keyId, JSON.stringify(usedScopes)]);
}
