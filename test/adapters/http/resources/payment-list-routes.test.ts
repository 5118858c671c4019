// The list of payments over HTTP: its filters, what a key may see, pages, and a copy that is kept
// up to date with updatedSince.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scope } from '../../../../core/domain/access/scope.js';
import { formatInstant, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { tenantOf } from '../../../../core/domain/base/tenant.js';
import { dayOf, daysAfter } from '../../../../core/domain/base/time-zone.js';
import { setTimeZone } from '../../../../core/usecases/parties/organizations.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { aBarePayment, someFunds } from '../../../support/samples/domain-samples.js';
import { makeIntent, makeInvoice } from '../../../support/scenes/made-payments.js';
import type { Json } from '../../../support/servers/json-call.js';
import { refusalOf, sharedSite } from '../checked-site.js';
import { readySeller } from './account-calls.js';

const site = sharedSite();

interface Page {
  readonly data: readonly Json[];
  readonly nextCursor: string | null;
}

async function newTenant(scopes: readonly Scope[] = []) {
  const tenant = await site.world.newTenant();
  return { tenant, key: await site.world.key(tenant.orgId, { scopes }) };
}

async function page(key: string, query: Readonly<Record<string, string>> = {}): Promise<Page> {
  const path = `/v1/payments?${new URLSearchParams(query)}`;
  const { status, text, body } = await site.call('GET', path, { key });
  assert.equal(status, 200, text);
  return body as unknown as Page;
}

const idsOf = ({ data }: Page) => data.map(({ id }) => String(id));

async function refused(key: string, query: string): Promise<string> {
  return refusalOf(await site.call('GET', `/v1/payments?${query}`, { key }));
}

test('payments of both origins are listed newest first, as each is read', async () => {
  const { tenant, key } = await newTenant();
  const ids: string[] = [];
  for (const make of [makeIntent, makeInvoice, makeIntent, makeInvoice]) {
    ids.unshift((await make(site.world.deps, tenant)).payment.id);
    site.world.advanceClock(1);
  }
  const listed = await page(key);
  assert.deepEqual([idsOf(listed), listed.nextCursor], [ids, null]);
  for (const row of listed.data) {
    assert.deepEqual((await site.call('GET', `/v1/payments/${row['id']}`, { key })).body, row);
  }
});

test('each filter selects, and filters combine', async () => {
  const { tenant, key } = await newTenant();
  const { deps } = site.world;
  const { externalId: sellerExternalId } = await readySeller(site.world, tenant);
  const early = formatInstant(deps.clock.nowMs());
  const one = (await makeIntent(deps, tenant, { externalId: 'order-1' })).payment;
  site.world.advanceClock(HOUR_MS);
  const late = formatInstant(deps.clock.nowMs());
  const two = (await makeIntent(deps, tenant, { externalId: 'order-2', sellerExternalId })).payment;
  site.world.advanceClock(1);
  const bill = (await makeInvoice(deps, tenant, { externalId: 'order-1' })).payment;
  await cancelPayment(deps, tenant, two.id, 'changed mind');
  const cases: readonly (readonly [Record<string, string>, readonly { readonly id: string }[]])[] =
    [
      [{}, [bill, two, one]],
      [{ origin: 'invoice' }, [bill]],
      [{ origin: 'payment_intent' }, [two, one]],
      [{ status: 'cancelled' }, [two]],
      [{ status: 'settled' }, []],
      [{ externalId: 'order-1' }, [bill, one]],
      [{ externalId: 'order-1', origin: 'payment_intent' }, [one]],
      [{ sellerExternalId: String(sellerExternalId) }, [two]],
      [{ sellerExternalId: String(sellerExternalId), status: 'approved' }, []],
      [{ createdFrom: late }, [bill, two]],
      [{ createdTo: late }, [one]],
      [{ createdFrom: early, createdTo: late, status: 'awaiting_buyer' }, [one]],
      [{ createdFrom: '0001-01-01T00:00:00Z' }, [bill, two, one]],
      // A client that does not escape the plus sign of an offset.
      [{ createdFrom: '0001-01-01T00:00:00 00:00' }, [bill, two, one]],
      [{ createdFrom: late, createdTo: early }, []],
    ];
  for (const [query, expected] of cases) {
    const ids = expected.map(({ id }) => id);
    assert.deepEqual(idsOf(await page(key, query)), ids, JSON.stringify(query));
  }
});

test('payments of origins that the key may not read are left out', async () => {
  const { tenant, key } = await newTenant();
  const intent = (await makeIntent(site.world.deps, tenant)).payment.id;
  const invoice = (await makeInvoice(site.world.deps, tenant)).payment.id;
  const updatedSince = formatInstant(site.world.deps.clock.nowMs());
  for (const [scopes, expected] of [
    [['payment_intents:read'], [intent]],
    [['invoices:read'], [invoice]],
    [['invoices:read', 'payment_intents:read'], idsOf(await page(key))],
  ] as const) {
    const narrow = await site.world.key(tenant.orgId, { scopes });
    assert.deepEqual(idsOf(await page(narrow)), expected);
    const changed = idsOf(await page(narrow, { updatedSince }));
    assert.deepEqual(changed.toSorted(), expected.toSorted());
  }
  const intents = await site.world.key(tenant.orgId, { scopes: ['payment_intents:read'] });
  assert.deepEqual(idsOf(await page(intents, { origin: 'invoice' })), []);
  const neither = await site.world.key(tenant.orgId, { scopes: ['payment_intents:write'] });
  assert.equal(await refused(neither, ''), '403 InsufficientScope');
});

test('unknown values, a cursor of the other order, and filters of changes are refused', async () => {
  const { tenant, key } = await newTenant();
  for (let rows = 0; rows < 3; rows += 1) await makeIntent(site.world.deps, tenant);
  const updatedSince = formatInstant(site.world.deps.clock.nowMs());
  const cursor = String((await page(key, { limit: '1' })).nextCursor);
  const changes = String((await page(key, { limit: '1', updatedSince })).nextCursor);
  for (const query of [
    'status=paid',
    'origin=pi',
    'createdFrom=2030-01-01',
    'createdTo=now',
    'updatedSince=1',
    `cursor=${changes}`,
    `cursor=${cursor}&updatedSince=${updatedSince}`,
    ...[
      'status=approved',
      'externalId=a',
      'sellerExternalId=a',
      'createdFrom=2030-01-01T00:00:00Z',
    ].map((filter) => `updatedSince=${updatedSince}&${filter}`),
  ]) {
    assert.equal(await refused(key, query), '400 ValidationError', query);
  }
  // The limit may differ from page to page.
  assert.equal(idsOf(await page(key, { cursor, limit: '5' })).length, 2);
});

test('with updatedSince changes come oldest first, until the time of the first page', async () => {
  const { tenant, key } = await newTenant();
  const { deps } = site.world;
  const sinceMs = deps.clock.nowMs();
  const made: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    made.push((await makeIntent(deps, tenant)).payment.id);
    site.world.advanceClock(2 * MINUTE_MS);
  }
  const [first = '', second = '', third = '', fourth = ''] = made;
  await cancelPayment(deps, tenant, first, 'changed mind');
  const updatedSince = formatInstant(sinceMs + 2 * MINUTE_MS);
  const query = { updatedSince, limit: '2' };
  const one = await page(key, query);
  assert.deepEqual(idsOf(one), [second, third]);
  site.world.advanceClock(1);
  await cancelPayment(deps, tenant, fourth, 'changed mind');
  const two = await page(key, { ...query, cursor: String(one.nextCursor) });
  assert.deepEqual([idsOf(two), two.nextCursor], [[first], null]);
  const next = String(two.data.at(-1)?.['updatedAt']);
  const later = await page(key, { updatedSince: next });
  assert.deepEqual(idsOf(later), [first, fourth]);
});

test('a copy that repeats the latest updatedAt misses no change that is stored late', async () => {
  const { tenant, key } = await newTenant();
  const { deps } = site.world;
  const late = (await makeIntent(deps, tenant)).payment;
  site.world.advanceClock(HOUR_MS);
  const decidedAtMs = deps.clock.nowMs();
  site.world.advanceClock(MINUTE_MS);
  await makeIntent(deps, tenant);
  const seen = await page(key, { updatedSince: formatInstant(decidedAtMs) });
  const updatedSince = String(seen.data.at(-1)?.['updatedAt']);
  assert.equal(idsOf(seen).includes(late.id), false);
  // Stored after the newer change was read.
  await deps.store.run(async (tx) => {
    const found = await tx.payments.get(tenantOf(late), late.id);
    if (found !== null) tx.payments.update({ ...found, updatedAtMs: decidedAtMs });
  });
  assert.ok(idsOf(await page(key, { updatedSince })).includes(late.id));
});

test('q finds payments among those that the key may read, page by page', async () => {
  const { tenant, key } = await newTenant();
  const { deps } = site.world;
  const buyer = { email: 'dana@pine.example', name: null, country: null, phone: null };
  const one = (await makeIntent(deps, tenant, { externalId: 'RN-7', buyer })).payment;
  site.world.advanceClock(1_000);
  const two = (await makeInvoice(deps, tenant, { number: 'RN-7', buyer })).payment;
  assert.deepEqual(idsOf(await page(key, { q: 'RN-7' })), [two.id, one.id]);
  assert.deepEqual(idsOf(await page(key, { q: one.publicId })), [one.id]);
  assert.deepEqual(idsOf(await page(key, { q: one.id, status: 'settled' })), []);
  const first = await page(key, { q: buyer.email, limit: '1' });
  const cursor = String(first.nextCursor);
  const second = await page(key, { q: buyer.email, limit: '1', cursor });
  assert.deepEqual([...idsOf(first), ...idsOf(second)], [two.id, one.id]);
  assert.equal(await refused(key, `q=other&limit=1&cursor=${cursor}`), '400 ValidationError');
  const since = encodeURIComponent(formatInstant(0));
  assert.equal(await refused(key, `q=RN-7&updatedSince=${since}`), '400 ValidationError');

  const restricted = await site.world.key(tenant.orgId, { scopes: ['payment_intents:read'] });
  assert.deepEqual(idsOf(await page(restricted, { q: 'RN-7' })), [one.id]);
  const { body } = await site.call('GET', '/v1/invoices?q=RN-7', { key });
  assert.deepEqual(idsOf(body as unknown as Page), [two.id]);
  assert.deepEqual(idsOf(await page((await newTenant()).key, { q: 'RN-7' })), []);
});

test('each list finds by externalId, within its other filters, in its tenant, without q', async () => {
  const { tenant, key } = await newTenant();
  const { deps } = site.world;
  const externalId = '1,23457E+20 / “A&B”';
  const { id: intent } = (await makeIntent(deps, tenant, { externalId })).payment;
  site.world.advanceClock(1);
  const { id: invoice } = (await makeInvoice(deps, tenant, { externalId })).payment;
  const seller = { role: 'seller', entityType: 'business', externalId };
  const { body: account } = await site.call('POST', '/v1/connected-accounts', {
    key,
    body: seller,
  });
  const strangersKey = (await newTenant()).key;
  for (const [path, ids, other] of [
    ['/v1/payments', [invoice, intent], 'settled'],
    ['/v1/invoices', [invoice], 'settled'],
    ['/v1/connected-accounts', [account['id']], 'rejected'],
  ] as const) {
    const found = async (query: Readonly<Record<string, string>>, asked = key) => {
      const called = await site.call('GET', `${path}?${new URLSearchParams(query)}`, {
        key: asked,
      });
      return called.status === 200 ? idsOf(called.body as unknown as Page) : refusalOf(called);
    };
    assert.deepEqual(await found({ externalId, limit: '2' }), ids, path);
    assert.deepEqual(await found({ externalId: externalId.slice(0, -1) }), [], path);
    assert.deepEqual(await found({ externalId, status: other }), [], path);
    assert.deepEqual(await found({ externalId }, strangersKey), [], path);
    assert.equal(await found({ externalId, q: 'A' }), '400 ValidationError', path);
  }
});

/** Of a refused query. */
async function messageOf(key: string, query: Readonly<Record<string, string>>): Promise<string> {
  const { status, body } = await site.call('GET', `/v1/payments?${new URLSearchParams(query)}`, {
    key,
  });
  assert.equal(status, 400);
  return String(body['message']);
}

/** Settled payments, named by the instant. */
async function settledAt(instants: readonly string[]) {
  const { tenant, key } = await newTenant();
  await site.world.deps.store.run(async (tx) => {
    for (const [at, instant] of instants.entries()) {
      const id = `${at % 2 === 0 ? 'pi' : 'inv'}_0000000001${tenant.orgId.slice(-8)}${at}`;
      const settledAtMs = Date.parse(instant);
      const names = { id, publicId: id, externalId: instant };
      const origin = at % 2 === 0 ? ('payment_intent' as const) : ('invoice' as const);
      const row = { ...tenant, ...names, origin, settledAtMs, status: 'settled' as const };
      tx.payments.insert(aBarePayment(row));
      tx.funds.put(someFunds({ ...tenant, paymentId: id }));
    }
  });
  return { tenant, key };
}

test('settledFrom and settledTo are days of the organization, or instants', async () => {
  // 31 March in São Paulo ends at 03:00 in UTC.
  const all = [
    '2027-04-01T03:00:00.000Z',
    '2027-04-01T02:59:59.999Z',
    '2027-04-01T01:30:00.000Z',
    '2027-03-31T12:00:00.000Z',
    '2027-03-01T03:00:00.000Z',
    '2027-03-01T02:59:59.999Z',
  ];
  const { tenant, key } = await settledAt(all);
  await setTimeZone(site.world.deps, tenant.orgId, 'America/Sao_Paulo');
  const found = async (query: Readonly<Record<string, string>>) =>
    (await page(key, query)).data.map(({ externalId }) => externalId);
  const march = { settledFrom: '2027-03-01', settledTo: '2027-03-31' };
  for (const [query, expected] of [
    [march, all.slice(1, 5)],
    [{ settledFrom: '2027-04-01' }, all.slice(0, 1)],
    [{ settledTo: '2027-02-28' }, all.slice(5)],
    [{ settledFrom: '2027-03-31', settledTo: '2027-03-31' }, all.slice(1, 4)],
    [{ settledFrom: '2027-04-01T00:00:00Z', settledTo: '2027-04-01T02:59:59.999Z' }, [all[2]]],
    [{ settledFrom: '2027-03-31T22:30:00-03:00', settledTo: '2027-03-31' }, all.slice(1, 3)],
    [{ ...march, origin: 'invoice' }, [all[1], all[3]]],
    [{ ...march, status: 'cancelled' }, []],
    [{ ...march, q: '2027-03-31T12:00:00.000Z' }, [all[3]]],
    [{ settledFrom: '2027-04-01', q: '2027-03-31T12:00:00.000Z' }, []],
    [{ settledFrom: '2027-03-31', settledTo: '2027-03-30' }, []],
  ] as const) {
    assert.deepEqual(await found(query), expected, JSON.stringify(query));
  }
  const first = await page(key, { ...march, limit: '3' });
  const second = await page(key, { ...march, limit: '3', cursor: first.nextCursor ?? '' });
  assert.deepEqual([...idsOf(first), ...idsOf(second)].length, 4);
  await setTimeZone(site.world.deps, tenant.orgId, 'UTC');
  assert.deepEqual(await found(march), [all[3], all[4], all[5]]);
  await setTimeZone(site.world.deps, tenant.orgId, 'Asia/Tokyo');
  assert.deepEqual(
    await found({ settledFrom: '2027-04-01', settledTo: '2027-04-01' }),
    all.slice(0, 3),
  );
});

test('invoices are listed by their due day, and overdue ones by the day of the organization', async () => {
  const { tenant, key } = await newTenant();
  await setTimeZone(site.world.deps, tenant.orgId, 'America/Sao_Paulo');
  const today = dayOf('America/Sao_Paulo', site.world.deps.clock.nowMs());
  const day = (count: number) => daysAfter(today, count);
  const rows = [
    ['late', day(-3), 'awaiting_buyer', null],
    ['later', day(-40), 'on_ramp_pending', null],
    ['covered', day(-2), 'on_ramp_pending', 1],
    ['unapproved', day(-2), 'awaiting_approval', null],
    ['ended', day(-2), 'expired', null],
    ['today', today, 'approved', null],
    ['without', null, 'approved', null],
  ] as const;
  await site.world.deps.store.run(async (tx) => {
    for (const [at, [externalId, dueDate, status, coveredAtMs]] of rows.entries()) {
      const id = `inv_0000000001${tenant.orgId.slice(-8)}${at}`;
      const names = { id, publicId: id, externalId, origin: 'invoice' as const };
      const row = aBarePayment({ ...tenant, ...names, dueDate, status, coveredAtMs });
      tx.payments.insert(row);
      const receivedMinor = coveredAtMs === null ? 0n : row.amount.amountMinor;
      tx.funds.put(someFunds({ ...tenant, paymentId: id, receivedMinor }));
    }
  });
  const listed = async (query: Readonly<Record<string, string>>) => {
    const { status, body } = await site.call('GET', `/v1/invoices?${new URLSearchParams(query)}`, {
      key,
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body as unknown as Page;
  };
  for (const [query, expected] of [
    [{ overdue: 'true' }, ['later', 'late']],
    [{ overdue: 'true', status: 'awaiting_buyer' }, ['late']],
    [{ overdue: 'true', status: 'expired' }, []],
    [{ overdue: 'true', dueFrom: day(-3) }, ['late']],
    [{ overdue: 'true', dueTo: day(-4) }, ['later']],
    [{ overdue: 'true', q: 'late' }, ['later', 'late']],
    [{ dueFrom: today }, ['today']],
    [{ dueTo: day(-3) }, ['later', 'late']],
    [{ dueFrom: day(-2), dueTo: day(-2) }, ['covered', 'unapproved', 'ended']],
    [{ dueFrom: day(1) }, []],
  ] as const) {
    const found = (await listed(query)).data.map(({ externalId }) => externalId);
    const inOrder = 'q' in query ? [...found].sort().reverse() : found;
    assert.deepEqual(inOrder, expected, JSON.stringify(query));
  }
  const first = await listed({ overdue: 'true', limit: '1' });
  const second = await listed({ overdue: 'true', limit: '1', cursor: String(first.nextCursor) });
  assert.deepEqual(
    [...first.data, ...second.data].map(({ externalId }) => externalId),
    ['later', 'late'],
  );
  for (const query of ['dueFrom=2027-02-30', 'dueTo=x', 'overdue=no']) {
    const { status } = await site.call('GET', `/v1/invoices?${query}`, { key });
    assert.equal(status, 400, query);
  }
});

test('a settlement that is sought at neither a day nor an instant is refused', async () => {
  const { key } = await newTenant();
  for (const name of ['settledFrom', 'settledTo']) {
    for (const value of [
      '31/03/2027',
      '2027-02-30',
      '2027-3-1',
      '2027-03',
      '2027-03-01T10:00',
      '0',
    ]) {
      const message = await messageOf(key, { [name]: value });
      assert.match(message, new RegExp(`${name}.*send a day`), `${name} ${value}`);
    }
    const both = { [name]: '2027-03-01', updatedSince: '2027-03-01T00:00:00Z' };
    assert.match(await messageOf(key, both), new RegExp(`${name}: send it without`));
  }
});
