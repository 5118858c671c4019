// A search finds payments by what people have at hand, of this tenant only, with the other filters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import {
  configureAccountPayout,
  submitAccount,
} from '../../../../core/usecases/parties/accounts.js';
import { allPayments } from '../../../../core/usecases/payments/payment-lists.js';
import {
  amountsIn,
  findNamed,
  listMatch,
  searchPayments,
} from '../../../../core/usecases/payments/payment-search.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import { anyAuthor } from '../../../support/samples/domain-samples.js';
import { makeIntent, makeInvoice } from '../../../support/scenes/made-payments.js';
import { newSeller } from '../../../support/scenes/seller-scene.js';
import { openWorld } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';

const suite = suiteEnd();
const world = await openWorld();
suite.after(() => world.close());
const { deps } = world;
const tenant = await world.newTenant();
const buyer = (email: string) => ({ email, name: null, country: null, phone: null });
const made = [];
for (const make of [
  () => makeIntent(deps, tenant, { externalId: 'order-1', buyer: buyer('Dana@pine.example') }),
  () => makeIntent(deps, tenant, { externalId: 'RN-7', amount: money(125_000n, 'EUR') }),
  () => makeInvoice(deps, tenant, { number: 'RN-7', buyer: buyer('dana@pine.example') }),
  () => makeInvoice(deps, tenant, { number: 'RN-7', externalId: 'second' }),
]) {
  made.push(await make());
  // Ids of one moment are in no order.
  world.advanceClock(1_000);
}
/** By its place in the list below. */
const ids = made.map(({ payment }) => payment.id);
const publicId = made[0]?.payment.publicId ?? '';

async function found(text: string, filter = {}, of: Tenant = tenant): Promise<readonly number[]> {
  const page = { ...allPayments, limit: 10, ...filter };
  const views = await searchPayments(world.deps, of, text, page);
  return views.map(({ payment }) => ids.indexOf(payment.id));
}

test('a text finds payments by reference, number, address of the buyer and amount', async () => {
  assert.deepEqual(await found('order-1'), [0]);
  assert.deepEqual(await found('ext_order-1'), [0]);
  assert.deepEqual(await found('RN-7'), [3, 2, 1], 'a number, and a reference of another payment');
  assert.deepEqual(await found('DANA@pine.example'), [2, 0]);
  assert.deepEqual(await found('1.250,00'), [3, 2, 1], 'in any currency');
  assert.deepEqual(await found('1,250.00 USD'), [3, 2]);
  assert.deepEqual(await found('eur 1250'), [1]);
  for (const text of ['$1250', '$1,250.00', 'US$ 1.250,00', '$ 1 250 USD']) {
    assert.deepEqual(await found(text), [3, 2], text);
  }
  assert.deepEqual(await found('€1.250'), [1]);
  assert.deepEqual(await found('€ 1250 USD'), []);
  for (const text of [publicId, `https://pay.example/r/${publicId}`, ids[0] ?? '']) {
    assert.deepEqual(await found(text), [0], text);
  }
  assert.deepEqual(
    await found(ids[0] ?? '', { origins: ['invoice'] }),
    [],
    'with the other filters',
  );
  assert.deepEqual(await found('ORDER-'), [0], 'a reference from its start, in any case');
  assert.deepEqual(await found('rn'), [3, 2, 1], 'a number from its start');
  for (const nothing of ['rder-1', '%', 'dana', 'pine.example', '1250.01', 'GBP 1250', '  ']) {
    assert.deepEqual(await found(nothing), [], nothing);
  }
});

test('a search keeps the other filters, and is paged', async () => {
  assert.deepEqual(await found('RN-7', { origins: ['invoice'] }), [3, 2]);
  assert.deepEqual(await found('RN-7', { statuses: ['settled'] }), []);
  assert.deepEqual(await found('RN-7', { limit: 2 }), [3, 2]);
  assert.deepEqual(await found('RN-7', { limit: 2, beforeId: ids[2] }), [1]);
  assert.deepEqual(await found('RN-7', { limit: 1, afterId: ids[1] }), [2]);
});

test('an amount with a state is searched in parts, which miss nothing', async () => {
  const { deps } = world;
  const other = await world.newTenant();
  const made: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    world.advanceClock(1_000);
    made.push(await world.newPayment(other, { amount: money(777_700n, 'USD') }));
  }
  const [first, , third] = made;
  for (const id of [first, third]) await world.play(other, id ?? '', 'settled');
  const sought = { ...allPayments, amount: money(777_700n, 'USD'), statuses: ['settled'] as const };
  const page = async (filter: Partial<Parameters<typeof listMatch>[2]>) => {
    const views = await listMatch(deps, other, { ...sought, limit: 10, ...filter }, 2);
    return views.map(({ payment }) => made.indexOf(payment.id));
  };
  assert.deepEqual(await page({}), [2, 0]);
  assert.deepEqual(await page({ limit: 1 }), [2]);
  assert.deepEqual(await page({ beforeId: third ?? '' }), [0]);
  assert.deepEqual(await page({ afterId: first ?? '' }), [2]);
  assert.deepEqual(await page({ afterId: third ?? '' }), []);
  assert.deepEqual(await page({ sellerExternalId: 'nobody' }), []);
});

test('an id, or the address of a payment page, names one payment', async () => {
  const { deps } = world;
  for (const text of [ids[0] ?? '', publicId, `https://pay.example/pay/r/${publicId}`]) {
    assert.equal(await findNamed(deps, tenant, text), ids[0], text);
  }
  for (const text of ['pi_unknown', 'order-1', `${publicId}x`, '']) {
    assert.equal(await findNamed(deps, tenant, text), null, text);
  }
});

test('nothing of another organization or mode is found', async () => {
  const others = [
    { orgId: await world.organization(), mode: 'test' },
    { orgId: tenant.orgId, mode: 'live' },
  ] as const;
  for (const other of others) {
    assert.equal(await findNamed(world.deps, other, ids[0] ?? ''), null);
    assert.equal(await findNamed(world.deps, other, publicId), null);
    for (const text of ['order-1', 'RN-7', 'dana@pine.example', '1250.00 USD']) {
      assert.deepEqual(await found(text, {}, other), []);
    }
  }
});

test('an amount without a currency is sought in each currency', () => {
  const known = ['USD', 'EUR'];
  assert.deepEqual(amountsIn('12,50', known), [money(1_250n, 'USD'), money(1_250n, 'EUR')]);
  assert.deepEqual(amountsIn('gbp 12.50', known), [money(1_250n, 'GBP')]);
  for (const text of ['0', 'USD', 'USD 5 EUR', 'RN-7', 'order 5', '5 apples']) {
    assert.deepEqual(amountsIn(text, known), [], text);
  }
});

test('names of buyer and seller, order and PIX id find a payment', async () => {
  const { deps } = world;
  const own = await world.newTenant();
  const { id } = await newSeller(deps, own, {
    externalId: 'loja',
    displayName: 'São José',
    email: 'loja@loja.example',
  });
  await submitAccount(deps, own, id, { legalName: 'Oficina Ltda', cnpj: '11.222.333/0001-81' });
  const pix = { pixKey: 'loja@pix.example', accountHolderName: 'Oficina Ltda' };
  await configureAccountPayout(deps, own, id, pix, anyAuthor);
  const buyer = (name: string) => ({
    email: `${name.length}@buyer.example`,
    name,
    country: null,
    phone: null,
  });
  const made = [
    await makeIntent(deps, own, { buyer: buyer('Lindqvist Interiors AB') }),
    await makeIntent(deps, own, { buyer: buyer('Harbor & Pine'), purchaseOrder: 'PO/Münster 7' }),
    await makeIntent(deps, own, { sellerExternalId: 'loja' }),
  ].map(({ payment }) => payment.id);
  const one = async (text: string, filter = {}) => {
    const page = { ...allPayments, limit: 10, ...filter };
    const views = await searchPayments(deps, own, text, page);
    return views.map(({ payment }) => made.indexOf(payment.id)).toSorted();
  };
  assert.deepEqual(await one('interiors LINDQ'), [0]);
  assert.deepEqual(await one('lindqvist pine'), []);
  assert.deepEqual(await one('harbor & pine'), [1]);
  assert.deepEqual(await one('po/munster'), [1]);
  assert.deepEqual(await one('sao jose oficina'), [2]);
  assert.deepEqual(await one('oficina', { sellerExternalId: 'another' }), []);
  assert.deepEqual(await one('oficina', { statuses: ['settled'] }), []);
  await world.play(own, made[0] ?? '', 'settled');
  const { payment } = await readPayment(deps, own, made[0] ?? '');
  const endToEndId = payment.settlement?.endToEndId ?? '';
  assert.deepEqual(await one(endToEndId), [0]);
  assert.deepEqual(await one(endToEndId.slice(0, -1).toLowerCase()), [0]);
  assert.deepEqual(await one('lindqvist', { statuses: ['settled'] }), [0]);
});

test('of a name that very many have, the newest are found, page by page', async () => {
  const { deps } = world;
  const own = await world.newTenant();
  const made: string[] = [];
  for (let count = 0; count < 60; count += 1) {
    world.advanceClock(1_000);
    const buyer = {
      email: `b${count}@buyer.example`,
      name: `Ltda ${count}`,
      country: null,
      phone: null,
    };
    const { payment } = await makeIntent(deps, own, { externalId: `Ref-${count}`, buyer });
    made.push(payment.id);
  }
  const newest = made.toReversed();
  for (const text of ['ltda', 'REF-']) {
    const pages: string[] = [];
    for (let beforeId: string | null = null; ; ) {
      const page = { ...allPayments, limit: 7, beforeId };
      const views = await searchPayments(deps, own, text, page);
      pages.push(...views.map(({ payment }) => payment.id));
      beforeId = views.at(-1)?.payment.id ?? null;
      if (views.length < 7) break;
    }
    assert.deepEqual(pages, newest, text);
  }
});
