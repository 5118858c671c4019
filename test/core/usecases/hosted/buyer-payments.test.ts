// The payments of a buyer in one year, in pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import {
  BUYER_PAGE,
  buyerPages,
  readBuyerPayments,
} from '../../../../core/usecases/hosted/buyer-payments.js';
import { setTimeZone } from '../../../../core/usecases/parties/organizations.js';
import { aBarePayment, someFunds } from '../../../support/samples/domain-samples.js';
import { world } from '../../../support/scenes/test-world.js';

test('a long list is read in pages of any status, newest first, and no other year', async (t) => {
  const { deps, newTenant, newPayment } = await world(t);
  const tenant = await newTenant();
  await setTimeZone(deps, tenant.orgId, 'America/Sao_Paulo');
  const own = await newPayment(tenant);
  const payment = (await deps.store.run((tx) => tx.payments.get(tenant, own))) ?? assert.fail();
  const { buyerId, publicId } = payment;
  const year = 2031;
  const idAt = (at: number) => `pi_old${`${at}`.padStart(5, '0')}`;
  const made = Array.from({ length: BUYER_PAGE + 5 }, (_, at) => idAt(at));
  await deps.store.run(async (tx) => {
    // The year of Brasília, which begins at 03:00 in UTC.
    const startMs = Date.UTC(year, 0, 1, 3);
    const nextMs = Date.UTC(year + 1, 0, 1, 3);
    const times = made.map((_, at) => startMs + Math.floor(at / 3) * DAY_MS);
    for (const [at, createdAtMs] of [...times, startMs - 1, nextMs].entries()) {
      const id = idAt(at);
      const status = at % 2 === 0 ? 'settled' : 'cancelled';
      const names = { id, publicId: id, externalId: id, buyerId };
      tx.payments.insert(aBarePayment({ ...tenant, ...names, createdAtMs, status }));
      tx.funds.put(someFunds({ ...tenant, paymentId: id }));
    }
  });
  const sizes: number[] = [];
  const ids: string[] = [];
  for await (const page of buyerPages(() => deps, publicId, { year, month: null })) {
    sizes.push(page.payments.length);
    ids.push(...page.payments.map(({ id }) => id));
  }
  assert.deepEqual(sizes, [BUYER_PAGE, 5]);
  assert.deepEqual(ids, made.toReversed());
  const first = await readBuyerPayments(deps, publicId, { year, month: null });
  assert.deepEqual([first.payments.length, first.rest], [BUYER_PAGE, true]);
  const none = await readBuyerPayments(deps, publicId, { year: year + 7, month: null });
  assert.deepEqual(none, {
    payments: [],
    settlements: new Map(),
    taxIdsLast4: new Map(),
    rest: false,
  });
  const monthly: number[] = [];
  for (let month = 1; month <= 12; month += 1) {
    const { payments } = await readBuyerPayments(deps, publicId, { year, month });
    const months = payments.map(({ createdAtMs }) => new Date(createdAtMs).getUTCMonth() + 1);
    assert.ok(months.every((one) => one === month));
    monthly.push(payments.length);
  }
  assert.deepEqual(monthly, [93, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
});
