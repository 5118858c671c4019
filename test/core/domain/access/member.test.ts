// Which role holds which scope.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MemberRole, memberRoles, scopesOf } from '../../../../core/domain/access/member.js';
import { isScope, scopes } from '../../../../core/domain/access/scope.js';

const every = Object.keys(scopes).filter(isScope);

test('owner and admin hold every scope, finance no keys, hooks or log, viewer the reads', () => {
  const withheld: Readonly<Record<MemberRole, (scope: string) => boolean>> = {
    owner: () => false,
    admin: () => false,
    finance: (scope) => ['api_keys:write', 'webhooks:write', 'audit:read'].includes(scope),
    viewer: (scope) => !scope.endsWith(':read') || scope === 'audit:read',
  };
  for (const role of memberRoles) {
    const held = every.filter((scope) => !withheld[role](scope));
    assert.deepEqual(scopesOf(role), held, role);
  }
});

test('no role is without scopes: none would be taken for all', () => {
  for (const role of memberRoles) assert.notEqual(scopesOf(role).length, 0, role);
});
