// What a key was used for: the resource and its status, of this tenant only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readIdempotencyKey } from '../../../../core/usecases/payments/idempotency-keys.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { makeIntent, makeInvoice } from '../../../support/scenes/made-payments.js';
import { world } from '../../../support/scenes/test-world.js';

const all = () => true;

test('a key names its resource with the status that it has now', async (t) => {
  const { deps, newTenant } = await world(t);
  const tenant = await newTenant();
  const { payment } = await makeIntent(deps, tenant, { idempotencyKey: 'key 1/' });
  await cancelPayment(deps, tenant, payment.id, 'changed mind');
  assert.deepEqual(await readIdempotencyKey(deps, tenant, 'key 1/', all), {
    key: 'key 1/',
    origin: 'payment_intent',
    resourceId: payment.id,
    status: 'cancelled',
    createdAtMs: payment.createdAtMs,
  });
});

test('a key that was not used, of another tenant or of an unreadable kind, is not found', async (t) => {
  const { deps, newTenant } = await world(t);
  const [tenant, other] = [await newTenant(), await newTenant()];
  await makeInvoice(deps, tenant, { idempotencyKey: 'key' });
  await readIdempotencyKey(deps, tenant, 'key', (origin) => origin === 'invoice');
  for (const [of, key, mayRead] of [
    [tenant, 'other key', all],
    [other, 'key', all],
    [{ ...tenant, mode: 'live' as const }, 'key', all],
    [tenant, 'key', (origin: string) => origin === 'payment_intent'],
  ] as const) {
    await assert.rejects(readIdempotencyKey(deps, of, key, mayRead), { code: 'NotFound' });
  }
});
