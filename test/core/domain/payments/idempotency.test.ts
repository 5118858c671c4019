import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  accountMismatch,
  type CreateDecision,
  type CreateFindings,
  decideCreate,
  isIdempotencyKey,
  paymentMismatch,
  type SentAccount,
  type SentPayment,
} from '../../../../core/domain/payments/idempotency.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { AssertionFailure } from '../../../../core/errors.js';
import { samplePayment } from '../../../support/samples/sample-rows.js';

const keyed = { origin: 'payment_intent', key: 'k1' } as const;
const here = { origin: 'payment_intent', resourceId: 'pi_bound' } as const;
const elsewhere = { origin: 'invoice', resourceId: 'inv_bound' } as const;

const known = { existingByExternalId: 'pi_known' } as const;
const create = (bindKey: boolean) => ({ kind: 'create', bindKey }) as const;
const replay = (resourceId: string, bindKey: boolean) =>
  ({ kind: 'replay', resourceId, bindKey }) as const;
const conflict = { kind: 'conflict' } as const;

const rules: Readonly<
  Record<string, readonly [findings: Partial<CreateFindings>, decision: CreateDecision]>
> = {
  'without a key a new externalId creates': [{ key: null }, create(false)],
  'without a key a known externalId replays its resource': [
    { ...known, key: null },
    replay('pi_known', false),
  ],
  'a new key creates and is bound': [{}, create(true)],
  'a new key seen with a known externalId is bound to that resource': [
    known,
    replay('pi_known', true),
  ],
  'a bound key replays its resource': [{ boundTo: here }, replay('pi_bound', false)],
  'a bound key wins over a known externalId': [
    { ...known, boundTo: here },
    replay('pi_bound', false),
  ],
  'a key of another origin is a conflict': [{ boundTo: elsewhere }, conflict],
  'a key of another origin is a conflict with a known externalId too': [
    { ...known, boundTo: elsewhere },
    conflict,
  ],
  'the rules are the same from the side of invoices': [
    { origin: 'invoice', boundTo: here },
    conflict,
  ],
};

for (const [rule, [findings, decision]] of Object.entries(rules)) {
  test(rule, () => {
    const all = { ...keyed, boundTo: null, existingByExternalId: null, ...findings };
    assert.deepEqual(decideCreate(all as CreateFindings), decision);
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

test('law: one key is one resource for any creates in any order', () => {
  const create = fc.record({
    origin: fc.constantFrom('payment_intent' as const, 'invoice' as const),
    key: fc.option(fc.constantFrom('k1', 'k2', 'k3')),
    externalId: fc.constantFrom('e1', 'e2', 'e3'),
  });
  fc.assert(
    fc.property(fc.array(create, { maxLength: 30 }), (creates) => {
      const bindings = new Map<string, NonNullable<CreateFindings['boundTo']>>();
      const resources = new Map<string, string>();
      for (const { origin, key, externalId } of creates) {
        const name = `${origin} ${externalId}`;
        const bound = key === null ? null : (bindings.get(key) ?? null);
        const existing = resources.get(name) ?? null;
        const decision = decideCreate({
          origin,
          key,
          boundTo: bound,
          existingByExternalId: existing,
        });
        if (decision.kind === 'conflict') {
          assert.ok(bound !== null && bound.origin !== origin);
          continue;
        }
        if (decision.kind === 'replay') {
          assert.equal(decision.resourceId, bound?.resourceId ?? existing);
        } else {
          assert.deepEqual([existing, bound], [null, null]);
        }
        const resourceId = decision.kind === 'create' ? `r${resources.size}` : decision.resourceId;
        if (decision.kind === 'create') resources.set(name, resourceId);
        assert.equal(decision.bindKey, key !== null && bound === null);
        if (key !== null && decision.bindKey) bindings.set(key, { origin, resourceId });
        if (key !== null) assert.equal(bindings.get(key)?.resourceId, resourceId);
      }
    }),
  );
});

const stored: Payment = {
  ...samplePayment,
  purchaseOrder: 'PO-4711',
  buyerReference: 'KST 300',
  origin: 'invoice',
  number: 'A-1',
  dueDate: '2031-01-31',
  buyer: { email: 'Buyer@Example.com', name: 'Ana', country: 'PT', phone: '+351 1' },
  sellerExternalId: 'shop',
  returnUrl: 'https://shop.example/done',
  display: '{"title":"Order 1"}',
  metadata: '{"order":1,"tags":["a"]}',
  expiresAtMs: samplePayment.createdAtMs + 1_000,
};

const changes: readonly (readonly [changed: Partial<SentPayment>, fields: readonly string[]])[] = [
  [{ externalId: 'order-2' }, ['externalId']],
  [{ externalId: null }, ['externalId']],
  [{ amount: { amountMinor: 10_001n, currency: 'USD' } }, ['amount']],
  [{ amount: { amountMinor: 10_000n, currency: 'EUR' } }, ['currency']],
  [{ buyer: { ...stored.buyer, email: 'other@example.com' } }, ['buyer.email']],
  [{ buyer: { ...stored.buyer, email: ' BUYER@example.com' } }, []],
  [{ buyer: { ...stored.buyer, name: null } }, ['buyer.name']],
  [{ buyer: { ...stored.buyer, country: 'DE' } }, ['buyer.country']],
  [{ buyer: { ...stored.buyer, phone: '' } }, ['buyer.phone']],
  [{ returnUrl: null }, ['returnUrl']],
  [{ display: null }, ['display']],
  [{ display: '{ "title": "Order\\u0020\\u0031" }' }, []],
  [{ metadata: '{}' }, ['metadata']],
  [{ metadata: '{"tags":["a"],"order":1.0}' }, []],
  [{ metadata: '{"tags":["a","b"],"order":1}' }, ['metadata']],
  [{ expiresAtMs: null }, ['expiresAt']],
  [{ purchaseOrder: 'other' }, ['purchaseOrder']],
  [{ buyerReference: null }, ['buyerReference']],
  [{ number: 'A-2' }, ['number']],
  [{ sellerExternalId: null }, ['sellerExternalId']],
  [{ dueDate: null }, ['dueDate']],
  [{ dueDate: null, externalId: 'b', metadata: '[]' }, ['externalId', 'metadata', 'dueDate']],
];

test('a repeated create names the fields that differ from what is stored, and no others', () => {
  assert.deepEqual(paymentMismatch(stored, stored), []);
  for (const [changed, fields] of changes) {
    const repeated = { ...stored, ...changed };
    assert.deepEqual(paymentMismatch(repeated, stored), fields, Object.keys(changed).join());
  }
});

test('only the given fields of an account are compared: a submit adds the rest', () => {
  const account: SentAccount = {
    role: 'seller',
    entityType: 'business',
    email: 'Shop@example.com',
    legalName: 'Loja Ltda',
    displayName: 'Loja',
    country: 'BR',
    locale: 'pt-BR',
    taxId: '11222333000181',
  };
  const silent = {
    email: null,
    legalName: null,
    displayName: null,
    country: null,
    locale: null,
    taxId: null,
  };
  assert.deepEqual(accountMismatch(account, account), []);
  assert.deepEqual(accountMismatch({ ...account, ...silent }, account), []);
  assert.deepEqual(accountMismatch({ ...account, email: ' shop@EXAMPLE.com' }, account), []);
  const names = Object.keys(account);
  const other = Object.fromEntries(names.map((name) => [name, 'x'])) as unknown as SentAccount;
  assert.deepEqual(accountMismatch(other, account), names);
  assert.deepEqual(accountMismatch(account, { ...account, ...silent }), names.slice(2));
});
