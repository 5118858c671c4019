// Which role holds which scope.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type MemberRole,
  mayGive,
  memberRoles,
  scopesOf,
} from '../../../../core/domain/access/member.js';
import { isScope, scopes } from '../../../../core/domain/access/scope.js';

const every = Object.keys(scopes).filter(isScope);

test('owner holds every scope, admin all but one, finance no keys, hooks or log, viewer the reads', () => {
  const withheld: Readonly<Record<MemberRole, (scope: string) => boolean>> = {
    owner: () => false,
    admin: (scope) => scope === 'org:write',
    finance: (scope) =>
      [
        'api_keys:write',
        'webhooks:write',
        'audit:read',
        'team:write',
        'kyb:write',
        'org:write',
      ].includes(scope),
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

test('a role gives and takes those whose scopes it has', () => {
  const given = memberRoles.map((role) => memberRoles.filter((other) => mayGive(role, other)));
  assert.deepEqual(given, [
    ['owner', 'admin', 'finance', 'viewer'],
    ['admin', 'finance', 'viewer'],
    ['finance', 'viewer'],
    ['viewer'],
  ]);
});
