import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allows,
  isScope,
  originsAllowed,
  ruleFor,
  type Scope,
  type ScopeRule,
  scopes,
  scopesIn,
} from '../../../../core/domain/access/scope.js';

const names = Object.keys(scopes) as Scope[];

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

test('a credential may name payments of the origins whose scope it has', () => {
  const byOrigin = { payment_intent: 'payment_intents:read', invoice: 'invoices:read' } as const;
  assert.deepEqual(originsAllowed({ byOrigin }, []), ['payment_intent', 'invoice']);
  assert.deepEqual(originsAllowed({ byOrigin }, ['invoices:read']), ['invoice']);
  assert.deepEqual(originsAllowed({ byOrigin }, ['webhooks:read']), []);
});

test('a rule by origin asks for the scope of the payment that the path names', () => {
  const both = { payment_intent: 'payment_intents:read', invoice: 'invoices:read' } as const;
  const invoices = { invoice: 'invoices:read' } as const;
  const cases: readonly (readonly [ScopeRule, string | undefined, readonly Scope[]])[] = [
    [{ byOrigin: both }, 'pi_1', ['payment_intents:read']],
    [{ byOrigin: both }, 'inv_1', ['invoices:read']],
    [{ byOrigin: both }, 'ext_inv_1', ['payment_intents:read', 'invoices:read']],
    [{ byOrigin: both }, 'nothing', ['payment_intents:read', 'invoices:read']],
    [{ byOrigin: both }, undefined, ['payment_intents:read', 'invoices:read']],
    [{ byOrigin: invoices }, 'ext_1', ['invoices:read']],
    [{ byOrigin: invoices }, 'pi_1', ['invoices:read']],
    [{ anyOf: ['webhooks:read', 'invoices:read'] }, 'pi_1', ['webhooks:read', 'invoices:read']],
    ['webhooks:read', 'inv_1', ['webhooks:read']],
    ['none', 'inv_1', []],
  ];
  for (const [rule, reference, expected] of cases) {
    assert.deepEqual(scopesIn(ruleFor(rule, reference)), expected, `${reference}`);
  }
});
