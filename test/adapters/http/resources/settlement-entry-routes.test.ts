// The entries for the books of an organization, as an accounting program reads them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { checkedSite } from '../checked-site.js';

interface Entry {
  readonly id: string;
  readonly paymentId: string;
  readonly kind: string;
  readonly day: string;
  readonly lines: readonly Readonly<Record<string, string>>[];
}

test('a settled payment has entries that balance, and a reader resumes after the last', async (t) => {
  const site = await checkedSite(t);
  const { world } = site;
  const tenant = await world.newTenant();
  const key = await world.key(tenant.orgId);
  const id = await world.newPayment(tenant);
  await world.play(tenant, id, 'settled');
  const read = async (query: string, by = key) =>
    (await site.call('GET', `/v1/settlement-entries${query}`, { key: by })).body as {
      readonly data: readonly Entry[];
      readonly nextAfter: string | null;
    };
  assert.deepEqual(await read(''), { data: [], nextAfter: null });
  world.advanceClock(2 * MINUTE_MS);
  const { data, nextAfter } = await read('');
  assert.deepEqual(data.map(({ kind, paymentId }) => [kind, paymentId]).sort(), [
    ['funds_received', id],
    ['payout_paid', id],
  ]);
  for (const { lines } of data) {
    for (const currency of ['USD', 'BRL']) {
      const cents = lines
        .filter((line) => line['currency'] === currency)
        .map(({ amount = '' }) => Number(amount.replace('.', '')));
      assert.equal(
        cents.reduce((sum, one) => sum + one, 0),
        0,
      );
    }
  }
  const bank = data.flatMap(({ lines }) => lines).filter((line) => line['name'] === 'Assets:Bank');
  const { body } = await site.call('GET', `/v1/payments/${id}`, { key });
  assert.deepEqual(
    bank.map(({ amount, currency }) => [amount, currency]),
    [[body['brlSettledAmount'], 'BRL']],
  );
  assert.equal(nextAfter, data.at(-1)?.id);
  assert.deepEqual(await read(`?after=${nextAfter}`), { data: [], nextAfter });
  const [first] = data;
  assert.deepEqual((await read('?limit=1')).data, [first]);
  assert.deepEqual((await read(`?from=${first?.day}&to=${first?.day}`)).data, data);
  assert.deepEqual((await read('?to=2020-01-01')).data, []);
  // An entry of a payment that the key may not read is not shown, and the reader goes on behind it.
  const ofInvoices = await world.key(tenant.orgId, { scopes: ['invoices:read'] });
  assert.deepEqual(await read('', ofInvoices), { data: [], nextAfter });
  const refused = await site.call('GET', '/v1/settlement-entries?after=evt_1', { key });
  assert.equal(refused.status, 400);
});
