import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type CreateDecision,
  type CreateFindings,
  decideCreate,
  isIdempotencyKey,
} from '../../../core/domain/idempotency.js';
import { AssertionFailure } from '../../../core/errors.js';

const keyed = { surface: 'payment_intent', key: 'k1' } as const;
const here = { surface: 'payment_intent', resourceId: 'pi_bound' } as const;
const elsewhere = { surface: 'invoice', resourceId: 'inv_bound' } as const;

const rules: readonly (readonly [
  rule: string,
  findings: CreateFindings,
  decision: CreateDecision,
])[] = [
  [
    'without a key a new externalId creates',
    { ...keyed, key: null, boundTo: null, existingByExternalId: null },
    { kind: 'create', bindKey: false },
  ],
  [
    'without a key a known externalId replays its resource',
    { ...keyed, key: null, boundTo: null, existingByExternalId: 'pi_known' },
    { kind: 'replay', resourceId: 'pi_known', bindKey: false },
  ],
  [
    'a new key creates and is bound',
    { ...keyed, boundTo: null, existingByExternalId: null },
    { kind: 'create', bindKey: true },
  ],
  [
    'a new key seen with a known externalId is bound to that resource',
    { ...keyed, boundTo: null, existingByExternalId: 'pi_known' },
    { kind: 'replay', resourceId: 'pi_known', bindKey: true },
  ],
  [
    'a bound key replays its resource',
    { ...keyed, boundTo: here, existingByExternalId: null },
    { kind: 'replay', resourceId: 'pi_bound', bindKey: false },
  ],
  [
    'a bound key wins over a known externalId',
    { ...keyed, boundTo: here, existingByExternalId: 'pi_known' },
    { kind: 'replay', resourceId: 'pi_bound', bindKey: false },
  ],
  [
    'a key of another surface is a conflict',
    { ...keyed, boundTo: elsewhere, existingByExternalId: null },
    { kind: 'conflict' },
  ],
  [
    'a key of another surface is a conflict with a known externalId too',
    { ...keyed, boundTo: elsewhere, existingByExternalId: 'pi_known' },
    { kind: 'conflict' },
  ],
  [
    'the rules are the same from the side of invoices',
    { surface: 'invoice', key: 'k1', boundTo: here, existingByExternalId: null },
    { kind: 'conflict' },
  ],
];

for (const [rule, findings, decision] of rules) {
  test(rule, () => {
    assert.deepEqual(decideCreate(findings), decision);
  });
}

test('a binding without a key is a programmer error', () => {
  assert.throws(
    () => decideCreate({ ...keyed, key: null, boundTo: here, existingByExternalId: null }),
    AssertionFailure,
  );
});

test('a key is 1-255 printable ASCII characters', () => {
  for (const key of ['a', ' ', '~', 'a b', '6f1c…'.slice(0, 4), 'x'.repeat(255)]) {
    assert.equal(isIdempotencyKey(key), true, JSON.stringify(key));
  }
  for (const key of ['', 'x'.repeat(256), 'ação', 'a\n', 'a\tb', '\0', '\x7f', 'a\u2028']) {
    assert.equal(isIdempotencyKey(key), false, JSON.stringify(key));
  }
});

test('law: one key is one resource, whatever creates came with it, in any order', () => {
  const create = fc.record({
    surface: fc.constantFrom('payment_intent' as const, 'invoice' as const),
    key: fc.option(fc.constantFrom('k1', 'k2', 'k3')),
    externalId: fc.constantFrom('e1', 'e2', 'e3'),
  });
  fc.assert(
    fc.property(fc.array(create, { maxLength: 30 }), (creates) => {
      const bindings = new Map<string, NonNullable<CreateFindings['boundTo']>>();
      const resources = new Map<string, string>();
      for (const { surface, key, externalId } of creates) {
        const name = `${surface} ${externalId}`;
        const bound = key === null ? null : (bindings.get(key) ?? null);
        const existing = resources.get(name) ?? null;
        const decision = decideCreate({
          surface,
          key,
          boundTo: bound,
          existingByExternalId: existing,
        });
        if (decision.kind === 'conflict') {
          assert.ok(bound !== null && bound.surface !== surface);
          continue;
        }
        if (decision.kind === 'replay') {
          assert.equal(decision.resourceId, bound?.resourceId ?? existing);
        } else {
          assert.equal(existing, null);
          assert.equal(bound, null);
        }
        const resourceId = decision.kind === 'create' ? `r${resources.size}` : decision.resourceId;
        if (decision.kind === 'create') resources.set(name, resourceId);
        assert.equal(decision.bindKey, key !== null && bound === null);
        if (key !== null && decision.bindKey) bindings.set(key, { surface, resourceId });
        if (key !== null) assert.equal(bindings.get(key)?.resourceId, resourceId);
      }
    }),
  );
});
