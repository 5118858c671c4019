// The entries for the books of an organization, as an accounting program reads them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, formatInstant, MINUTE_MS } from '../../../../core/domain/base/instant.js';
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
  assert.deepEqual((await read('?from=0000-01-01&to=9999-12-31')).data, data);
  // An entry of a payment that the key may not read is not shown, and the reader goes on behind it.
  const ofInvoices = await world.key(tenant.orgId, { scopes: ['invoices:read'] });
  assert.deepEqual(await read('', ofInvoices), { data: [], nextAfter });
  const refused = await site.call('GET', '/v1/settlement-entries?after=evt_1', { key });
  assert.equal(refused.status, 400);
});

test('accounts have the names of the organization, and a closed month keeps its entries', async (t) => {
  const site = await checkedSite(t);
  const { world } = site;
  const tenant = await world.newTenant();
  const key = await world.key(tenant.orgId);
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) =>
    site.call(method, path, { key, ...(body === undefined ? {} : { body }) });
  const id = await world.newPayment(tenant);
  await world.play(tenant, id, 'settled');
  world.advanceClock(2 * MINUTE_MS);
  const named = await ask('POST', '/v1/accounting/accounts', { accounts: { seller: '1.1.2.01' } });
  assert.equal(named.status, 200);
  const month = formatInstant(world.deps.clock.nowMs()).slice(0, 7);
  const running = await ask('POST', '/v1/accounting/closed-months', { month });
  assert.equal(running.status, 400);
  assert.match(`${running.body['message']}`, /is not over, it can be closed .* in UTC/);
  world.advanceClock(32 * DAY_MS);
  const closed = await ask('POST', '/v1/accounting/closed-months', { month });
  assert.partialDeepStrictEqual(closed.body, { closedMonths: [{ month, timeZone: 'UTC' }] });
  await ask('POST', '/v1/accounting/accounts', { accounts: { seller: '' } });
  const { body } = await ask('GET', '/v1/settlement-entries');
  const lines = (body['data'] as readonly Entry[]).flatMap((entry) => entry.lines);
  const seller = lines.find(({ account }) => account === 'seller');
  assert.equal(seller?.['name'], '1.1.2.01', 'as it was when the month was closed');
  const read = await ask('GET', '/v1/accounting');
  assert.partialDeepStrictEqual(read.body, {
    accounts: { seller: 'Assets:Bank', fees: 'Expenses:PartnerFees' },
  });
  for (const accounts of [{ seller: 'a b' }, { seller: '=1' }])
    assert.equal((await ask('POST', '/v1/accounting/accounts', { accounts })).status, 400);
  for (const wrong of ['2999-01', '2026-13'])
    assert.equal((await ask('POST', '/v1/accounting/closed-months', { month: wrong })).status, 400);
  const reader = await world.key(tenant.orgId, { scopes: ['payment_intents:read'] });
  const refused = await site.call('POST', '/v1/accounting/closed-months', {
    key: reader,
    body: { month },
  });
  assert.equal(refused.status, 403);
});
