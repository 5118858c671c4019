// Payments over HTTP: create, repeat, race, read, cancel, advance, and what an answer says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, checkedSite, refusalOf, sharedSite } from '../checked-site.js';
import { createBody, justCreated } from '../docs/example-calls.js';

let orgId: string;
let key: string;

const site = sharedSite(async () => {
  orgId = await site.world.organization();
  key = await site.world.key(orgId);
});

test('a created payment says all that is known of it', async () => {
  const answer = await create({
    ...createBody(),
    externalId: 'order 1/ü',
    amount: '1250.5',
    currency: 'EUR',
    buyer: { email: 'Ana@Example.com', name: 'Ana', country: 'DE', phone: '+49 30 1' },
    returnUrl: 'https://shop.example/done',
    expiresAt: '2031-01-31T12:00:00-03:00',
    display: { title: 'Order 1' },
    metadata: { order: 1 },
  });
  assert.equal(answer.status, 201);
  const { id, hostedPaymentUrl, buyer, ...rest } = answer.body;
  assert.match(String(id), /^pi_[0-9a-z]{26}$/);
  assert.match(String(hostedPaymentUrl), /^https:\/\/pay\.example\.com\/r\/[A-Za-z0-9_-]{22,}$/);
  assert.ok(!String(hostedPaymentUrl).includes(String(id).slice(3)));
  const { id: buyerId, ...who } = buyer as Readonly<Record<string, unknown>>;
  assert.match(String(buyerId), /^byr_/);
  const named = { email: 'Ana@Example.com', name: 'Ana', country: 'DE' };
  assert.deepEqual(who, { ...named, kycStatus: 'not_started' });
  assert.deepEqual(rest, {
    externalId: 'order 1/ü',
    situation: 'with_buyer',
    status: 'awaiting_buyer',
    statusText: 'The buyer has not begun to pay.',
    amount: '1250.50',
    currency: 'EUR',
    sellerExternalId: null,
    returnUrl: 'https://shop.example/done',
    metadata: { order: 1 },
    display: { title: 'Order 1' },
    expiresAt: '2031-01-31T15:00:00.000Z',
    ...justCreated,
  });
});

test('what authorities ask of a payment is kept, and a key with a wrong digit is refused', async () => {
  const key = '35261112ABC34501DE35550010000123451123456711';
  const facts = { purpose: 'goods', payerRelation: 'affiliate', bookedRate: '5.40' };
  const sent = { kind: 'nfe', key, issuedOn: '2026-11-03' };
  const { body } = await create({ ...createBody(), ...facts, fiscalDocument: sent });
  for (const [name, value] of Object.entries(facts)) assert.equal(body[name], value, name);
  assert.deepEqual(body['fiscalDocument'], { ...sent, number: '12345' });
  const wrong = { ...sent, key: '35261112ABC34501DE35550010000123451123456712' };
  const refused = await create({ ...createBody(), fiscalDocument: wrong });
  assert.equal(refusalOf(refused), '400 ValidationError');
  assert.match(String(refused.body['message']), /^fiscalDocument\.key: /);
});

test('a fiscal document is added after the money came, replaced, and the same once again', async () => {
  const { id } = await advanced('320.00');
  const put = (body: unknown) => {
    site.world.advanceClock(1_000);
    return site.call('PUT', `/v1/payments/${id}/fiscal-document`, { key, body });
  };
  const accessKey = '35261112ABC34501DE35550010000123451123456711';
  const sent = { kind: 'nfe', key: accessKey, issuedOn: '2026-11-03' };
  const [added, again] = [await put(sent), await put(sent)];
  assert.equal(added.status, 200);
  assert.deepEqual(added.body['fiscalDocument'], { ...sent, number: '12345' });
  assert.deepEqual(again.body, added.body);
  const wrong = await put({ ...sent, key: accessKey.replace(/1$/, '2') });
  assert.equal(refusalOf(wrong), '400 ValidationError');
  assert.match(String(wrong.body['message']), /^key: /);
  const other = { kind: 'other', key: null, number: '8', issuedOn: null };
  const replaced = await put({ kind: 'other', number: '8' });
  const { fiscalDocument, updatedAt, ...rest } = replaced.body;
  assert.deepEqual(fiscalDocument, other);
  const { fiscalDocument: _, updatedAt: addedAt, ...unchanged } = added.body;
  assert.deepEqual(rest, unchanged);
  assert.ok(String(updatedAt) > String(addedAt));
  assert.deepEqual((await site.call('GET', `/v1/payments/${id}`, { key })).body, replaced.body);
});

test('what was left out is there and null, metadata is {}, the currency USD', async () => {
  const { body } = await create(createBody());
  assert.equal(body['currency'], 'USD');
  assert.deepEqual(body['metadata'], {});
  for (const name of ['returnUrl', 'display', 'expiresAt', 'sellerExternalId']) {
    assert.equal(body[name], null, name);
  }
});

test('the URL of the page has 128 random bits or more, and nothing of the id', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => create(createBody())));
  for (const { body } of made) {
    assert.ok(!String(body['hostedPaymentUrl']).includes(String(body['id']).slice('pi_'.length)));
  }
  const bytes = made.map(({ body }) => publicIdOf(body));
  // Behind the two bytes of the moment all are random: no two begin alike, or end alike.
  for (const from of [2, 14]) {
    const parts = bytes.map((one) => one.toString('hex', from, from + 4));
    assert.equal(new Set(parts).size, made.length);
  }
  assert.ok(bytes.every(({ length }) => length === 2 + 16));
});

test('URLs of pages made in one moment begin alike, those of the next otherwise', async () => {
  const beginning = async () => {
    const { body } = await create(createBody());
    return publicIdOf(body).readUInt16BE();
  };
  const moment = await beginning();
  assert.equal(await beginning(), moment);
  site.world.advanceClock(64);
  assert.equal(await beginning(), (moment + 1) % 2 ** 16);
});

/** The bytes that the last part of the URL writes as a number of base 36. */
function publicIdOf(body: Answer['body']): Buffer {
  const text = String(body['hostedPaymentUrl']).split('/r/')[1] ?? '';
  const number = [...text].reduce((sum, sign) => sum * 36n + BigInt(parseInt(sign, 36)), 0n);
  const hex = number.toString(16);
  return Buffer.from(hex.padStart(hex.length > 36 ? hex.length : 36, '0'), 'hex');
}

const amounts: readonly (readonly [amount: string, currency: string | null, refusal: string])[] = [
  ['10.00', null, '201 -'],
  ['9.99', null, '400 AmountBelowMinimum'],
  ['0', 'USD', '400 AmountBelowMinimum'],
  ['0.01', 'EUR', '201 -'],
  ['0.01', 'GBP', '201 -'],
  ['0.00', 'EUR', '400 ValidationError'],
  ['100.00', 'BRL', '400 ValidationError'],
  ['100.00', 'XXX', '400 ValidationError'],
];

test('USD from 10.00 on, EUR and GBP above zero, no other currency', async () => {
  for (const path of ['/v1/payment-intents', '/v1/invoices']) {
    for (const [amount, currency, refusal] of amounts) {
      const body = { ...createBody(), amount, currency };
      const answer = await site.call('POST', path, { key, body });
      assert.equal(refusalOf(answer), refusal, `${path} ${amount} ${currency}`);
    }
  }
});

test('expiresAt in the past refuses a fresh create, and no repeated one', async () => {
  const { world, call } = site;
  const expiresAt = (ms: number) => new Date(world.deps.clock.nowMs() + ms).toISOString();
  const late = await create({ ...createBody(), expiresAt: expiresAt(0) });
  assert.equal(refusalOf(late), '400 ValidationError');
  assert.match(String(late.body['message']), /^expiresAt: /);
  const body = { ...createBody(), expiresAt: expiresAt(1_000) };
  const made = await create(body);
  assert.equal(made.status, 201);
  world.advanceClock(1_000);
  await world.settle();
  const again = await call('POST', '/v1/payment-intents', { key, body });
  assert.deepEqual([again.status, again.body['status']], [200, 'expired']);
});

test('display with a name that the buyer would not see is refused, with the right name', async () => {
  const display = { items: [{ description: 'Chairs' }], taxes: [{ amout: '1.00' }], sku: 'c-1' };
  const refused = await create({ ...createBody(), display });
  assert.equal(refused.status, 400);
  const message = `${refused.body['message']}`;
  assert.match(message, /display\.items: unknown property; send lineItems instead/);
  assert.match(message, /display\.taxes\[0\]\.amout: unknown property; send amount instead/);
  assert.doesNotMatch(message, /sku/);
});

test('metadata and display come back as they were written, order and digits included', async () => {
  const metadata =
    '{ "b": 1, "2": 12345678901234567890.10, "a": {"z":[1E3, "\\u00e9"]},  "__proto__": 1 }';
  const display = '{"lineItems":[{"quantity":"1.0"}],"10":1,"9":2}';
  const text = `{"externalId":"raw","amount":"10","display":${display},
    "buyer":{"email":"ana@example.com","metadata":{"not":"this"}},"metadata" : ${metadata} }`;
  const made = await create(text);
  const read = await site.call('GET', '/v1/payments/ext_raw', { key });
  for (const answer of [made, read]) {
    assert.ok(answer.text.includes(`"metadata":${metadata}`), answer.text);
    assert.ok(answer.text.includes(`"display":${display}`), answer.text);
  }
});

test('a body nested as deep as is allowed is taken, and read back', async () => {
  // In the body and metadata.
  const deep = `${'['.repeat(62)}${']'.repeat(62)}`;
  const more = `${'[{"a":'.repeat(31)}1${'}]'.repeat(31)}`;
  const least = JSON.stringify({ ...createBody(), externalId: 'deep' }).slice(0, -1);
  const text = `${least},"metadata":{"\\u0061":${deep}},"more":${more}}`;
  const { status } = await create(text);
  assert.equal(status, 201);
  const read = await site.call('GET', '/v1/payments/ext_deep', { key });
  assert.ok(read.text.includes(deep));
  await site.world.settle();
});

test('unknown properties are ignored', async () => {
  const answer = await create({ ...createBody(), status: 'settled', orgId: 'org_1', id: 'pi_1' });
  assert.equal(answer.status, 201);
  assert.equal(answer.body['status'], 'awaiting_buyer');
});

test('a payment is read by its id and by its externalId, under both paths', async () => {
  const externalId = 'a/b c%?#ü😀';
  const { body } = await create({ ...createBody(), externalId });
  for (const form of ['/v1/payments', '/v1/payment-intents']) {
    for (const reference of [String(body['id']), `ext_${encodeURIComponent(externalId)}`]) {
      const answer = await site.call('GET', `${form}/${reference}`, { key });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, body);
    }
  }
});

test('each call on a payment takes pi_ and its ext_; under /v1/payments also those of invoices', async () => {
  const calls = [
    ['GET', '/v1/payments/{id}', undefined],
    ['GET', '/v1/payments/{id}/timeline', undefined],
    ['POST', '/v1/test-helpers/payments/{id}/advance', {}],
    ['POST', '/v1/payments/{id}/cancel', { reason: 'enough' }],
    ['GET', '/v1/payment-intents/{id}', undefined],
    ['POST', '/v1/payment-intents/{id}/cancel', { reason: 'enough' }],
  ] as const;
  const intent = (await create(createBody())).body;
  const invoice = (await site.call('POST', '/v1/invoices', { key, body: createBody() })).body;
  const names = ({ id, externalId }: typeof intent) => [String(id), `ext_${String(externalId)}`];
  const [ofIntent, ofInvoice] = [names(intent), new Set(names(invoice))];
  for (const [method, form, body] of calls) {
    for (const id of [...ofIntent, ...ofInvoice]) {
      const path = form.replace('{id}', id);
      const answer = await site.call(method, path, { key, ...(body && { body }) });
      const isKnown = !ofInvoice.has(id) || !form.startsWith('/v1/payment-intents');
      assert.equal(answer.status, isKnown ? 200 : 404, `${method} ${path}`);
    }
  }
});

test('a key or externalId seen before answers with what is there, on both paths', async () => {
  const body = { ...createBody(), metadata: { first: true } };
  const first = await create(body, { 'idempotency-key': 'k1' });
  const cases = [
    ['/v1/payment-intents', { ...createBody(), amount: '99' }, 'k1'],
    ['/v1/payment-intents', body, 'k2'],
    ['/v1/payment-intents', body, null],
    ['/v1/payments', { ...createBody(), sellerExternalId: 's' }, 'k1'],
    ['/v1/payments', { ...createBody(), sellerExternalId: 's' }, 'k2'],
    ['/v1/payments', { ...body, sellerExternalId: 's' }, null],
  ] as const;
  for (const [path, other, idempotencyKey] of cases) {
    const headers = { 'idempotency-key': idempotencyKey };
    const answer = await site.call('POST', path, { key, body: other, headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['idempotent-replayed'], 'true');
    assert.deepEqual(answer.body, first.body);
  }
  assert.equal(first.headers['idempotent-replayed'], undefined);
});

test('keys and externalIds do not expire', async (t) => {
  const later = await checkedSite(t);
  const used = await later.world.key(await later.world.organization());
  const headers = { 'idempotency-key': 'kept' };
  const body = createBody();
  const path = '/v1/payment-intents';
  const first = await later.call('POST', path, { key: used, body, headers });
  later.world.advanceClock(20 * 365 * 86_400_000);
  await later.world.settle();
  for (const [repeat, sent] of [
    [body, { 'idempotency-key': 'another' }],
    [createBody(), headers],
  ] as const) {
    const answer = await later.call('POST', path, { key: used, body: repeat, headers: sent });
    assert.deepEqual([answer.status, answer.body['id']], [200, first.body['id']]);
  }
});

test('creates that race on a key or externalId make one payment, one 201, one event', async () => {
  await site.world.settle();
  for (const how of ['key', 'externalId', 'both']) {
    const shared = createBody();
    const feed = { orgId, mode: 'test' } as const;
    const before = await site.world.deps.store.run((tx) => tx.feed.after(feed, 0, 10_000));
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        create(how === 'key' ? createBody() : shared, {
          'idempotency-key': how === 'externalId' ? null : `race on ${how}`,
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [...Array.from({ length: 39 }, () => 200), 201], how);
    assert.equal(new Set(answers.map(({ body }) => body['id'])).size, 1, how);
    await site.world.settle();
    const after = await site.world.deps.store.run((tx) => tx.feed.after(feed, 0, 10_000));
    const types = after.slice(before.length).map(({ type }) => type);
    assert.deepEqual(types.toSorted(), ['invoice.created', 'payment_intent.created'], how);
  }
});

test('a cancel keeps its reason; again it changes nothing; after the end it is late', async () => {
  const { body } = await create(createBody());
  const path = `/v1/payment-intents/${String(body['id'])}/cancel`;
  const first = await site.call('POST', path, { key, body: { reason: 'out of stock' } });
  assert.equal(first.body['status'], 'cancelled');
  assert.equal(first.body['cancelReason'], 'out of stock');
  const again = await site.call('POST', path, { key, body: { reason: 'another' } });
  assert.deepEqual(again.body, first.body);

  const settled = await advanced('100.00');
  assert.equal(settled['status'], 'settled');
  const late = await site.call('POST', `/v1/payments/${String(settled['id'])}/cancel`, {
    key,
    body: { reason: 'too late' },
  });
  assert.equal(refusalOf(late), '409 PaymentNotCancellable');
});

test('an advance plays a test payment to settled, with the sums of its settlement', async () => {
  const body = await advanced('1250.00');
  assert.equal(body['status'], 'settled');
  assert.match(String(body['brlSettledAmount']), /^[0-9]{4}\.[0-9]{2}$/);
  assert.match(String(body['fxRateAtSettlement']), /^[0-9]\.[0-9]+$/);
  assert.match(String(body['settlementFees']), /^[0-9]+\.[0-9]{2}$/);
  assert.match(String(body['endToEndId']), /^E/);
  assert.match(String(body['settledAt']), /^\d{4}-\d{2}-\d{2}T/);
  assert.match(String(body['transactionHash']), /^0x/);
  const [settled] = body['settlements'] as Readonly<Record<string, unknown>>[];
  const [brought, sold] = [body['payinAsset'], settled?.['asset']] as Record<string, unknown>[];
  assert.equal(brought?.['transactionHash'], body['transactionHash']);
  assert.equal(brought?.['toWallet'], sold?.['fromWallet'], 'one wallet holds it in between');
  const net = 1_250 - Number(body['settlementFees']);
  assert.deepEqual([sold?.['token'], sold?.['quantity']], ['USDC', net.toFixed(2)]);
  const effective = Number(body['brlSettledAmount']) / 1_250;
  assert.ok(Math.abs(Number(body['effectiveRateAtSettlement']) - effective) < 1e-8);
  assert.deepEqual(body['funds'], { ...justCreated.funds, status: 'paid', received: '1250.00' });
  assert.equal((body['buyer'] as Readonly<Record<string, unknown>>)['kycStatus'], 'approved');
});

test('a failed payment says why, and where its money is', async () => {
  const body = await advanced('100.88');
  assert.equal(body['status'], 'failed');
  assert.equal(body['failureCode'], 'payout_failed');
  assert.ok(String(body['failureReason']).length > 0);
});

test('the partner reports over HTTP: taken once, refused when it is not genuine', async () => {
  const deliver = site.world.deliver;
  const statuses: number[] = [];
  site.world.deliver = async ({ headers, body }) => {
    const path = '/v1/partner-webhooks/fake/test';
    const tampered = Buffer.concat([body, Buffer.from(' ')]);
    const forged = await site.call('POST', path, { headers, body: tampered });
    assert.equal(refusalOf(forged), '401 InvalidSignature');
    for (const mode of ['live', 'prod']) {
      const elsewhere = await site.call('POST', `/v1/partner-webhooks/fake/${mode}`, {
        headers,
        body: Buffer.from(body),
      });
      assert.equal(refusalOf(elsewhere), '404 NotFound');
    }
    const nobody = await site.call('POST', '/v1/partner-webhooks/else/test', { headers, body });
    assert.equal(refusalOf(nobody), '404 NotFound');
    for (let times = 0; times < 2; times += 1) {
      const answer = await site.call('POST', path, {
        headers: { ...headers, 'content-type': 'text/plain' },
        body: Buffer.from(body),
      });
      statuses.push(answer.status);
    }
  };
  assert.equal((await advanced('200.00'))['status'], 'settled');
  site.world.deliver = deliver;
  assert.ok(statuses.length >= 4);
  assert.deepEqual([...new Set(statuses)], [200]);
});

function create(
  body: unknown,
  headers: Readonly<Record<string, string | null>> = {},
): Promise<Answer> {
  return site.call('POST', '/v1/payment-intents', { key, body, headers });
}

/** A payment of this amount, played to its end. */
async function advanced(amount: string): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await create({ ...createBody(), amount });
  const id = String(body['id']);
  await site.call('POST', `/v1/test-helpers/payments/${id}/advance`, { key, body: {} });
  for (let looks = 0; looks < 100; looks += 1) {
    await site.world.settle();
    const answer = await site.call('GET', `/v1/payments/${id}`, { key });
    if (['settled', 'failed'].includes(String(answer.body['status']))) return answer.body;
    site.world.advanceClock(100);
  }
  throw new Error('the payment does not end');
}
