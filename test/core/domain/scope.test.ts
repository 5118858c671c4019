import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allows, isScope, type Scope, scopes } from '../../../core/domain/scope.js';

const names = Object.keys(scopes) as Scope[];

test('the scopes are those of the interface', () => {
  assert.deepEqual(names, [
    'payment_intents:write',
    'payment_intents:read',
    'invoices:write',
    'invoices:read',
    'webhooks:write',
    'webhooks:read',
    'api_keys:write',
    'connected_accounts:write',
    'connected_accounts:read',
  ]);
});

test('a name outside the table is no scope', () => {
  for (const name of names) assert.equal(isScope(name), true, name);
  for (const name of ['', '*', 'payments:read', 'invoices', 'toString', '__proto__']) {
    assert.equal(isScope(name), false, name);
  }
});

test('a key without scopes is unrestricted', () => {
  for (const needed of names) assert.equal(allows([], needed), true, needed);
});

test('a scoped key has exactly its scopes: writing does not include reading', () => {
  for (const granted of names) {
    for (const needed of names) {
      assert.equal(allows([granted], needed), granted === needed, `${granted} for ${needed}`);
    }
  }
  assert.equal(allows(['invoices:read', 'webhooks:read'], 'webhooks:read'), true);
});
