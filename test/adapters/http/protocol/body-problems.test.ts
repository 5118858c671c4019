// Names that a request does not know: those that come near a known one are refused with it, others
// are ignored; query parameters are never ignored. Bodies that are too large or too deep.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { openApiDocument } from '../../../../adapters/http/docs/openapi.js';
import { bodyProblems } from '../../../../adapters/http/protocol/body-problems.js';
import { submitAccountBody } from '../../../../adapters/http/resources/account-routes.js';
import { createPaymentIntentBody } from '../../../../adapters/http/resources/payment-routes.js';
import { routes } from '../../../../adapters/http/routes.js';
import { fakeNotes } from '../../../../adapters/partner/fake.js';
import { nearMiss } from '../../../../core/domain/base/near-miss.js';
import { RawJson } from '../../../../core/domain/base/raw-json.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { refusalOf } from '../checked-site.js';
import { createBody } from '../docs/example-calls.js';
import { operations, tableScene } from '../table-scene.js';

const least = { externalId: 'a', amount: '10', buyer: { email: 'ana@example.com' } };

const problemsOf = (...call: Parameters<typeof bodyProblems>) => bodyProblems(...call).problems;

const scene = await tableScene(suiteEnd());

test('a misspelled property is refused with the known one, and nothing is created', async () => {
  const { site, key } = scene;
  for (const [name, value, meant] of [
    ['curency', 'EUR', 'currency'],
    ['Currency', 'EUR', 'currency'],
    ['return_url', 'https://shop.example', 'returnUrl'],
    ['expiresat', '2031-01-01T00:00:00Z', 'expiresAt'],
    ['meta-data', {}, 'metadata'],
    ['sellerExternalID', 'shop', 'sellerExternalId'],
  ] as const) {
    const body = { ...createBody(), [name]: value };
    const answer = await site.call('POST', '/v1/payment-intents', { key, body });
    assert.equal(refusalOf(answer), '400 ValidationError', name);
    const message = `${name}: unknown property; send ${meant} instead.`;
    assert.equal(answer.body['message'], message);
    const read = `/v1/payments/ext_${String(body['externalId'])}`;
    assert.equal((await site.call('GET', read, { key })).status, 404, name);
  }
});

test('nested objects are checked too, and missing fields are named as well', async () => {
  const { site, key } = scene;
  const body = { ...createBody(), buyer: { emial: 'ana@example.com' } };
  const answer = await site.call('POST', '/v1/payment-intents', { key, body });
  assert.equal(
    answer.body['message'],
    'buyer.emial: unknown property; send email instead; ' + 'buyer.email: send an e-mail address.',
  );
  assert.deepEqual(problemsOf(submitAccountBody, { owners: [{}, { fristName: 'Ana' }] }), [
    'owners[1].fristName: unknown property; send firstName instead',
  ]);
});

test('what metadata and display hold is free', () => {
  const raw = new RawJson('{"curency":"EUR","lineItems":[{"descripton":"x"}],"titel":"y"}');
  assert.deepEqual(problemsOf(createPaymentIntentBody, { ...least, metadata: raw }), []);
  assert.deepEqual(problemsOf(createPaymentIntentBody, { ...least, display: raw }), []);
});

test('a second name next to the known one is not a misspelling', () => {
  const buyer = { ...least.buyer, country: 'GB', county: 'Kent' };
  assert.deepEqual(problemsOf(createPaymentIntentBody, { ...least, buyer }), []);
  assert.equal(
    problemsOf(createPaymentIntentBody, { ...least, buyer: { ...buyer, country: null } }).length,
    1,
  );
});

test('no property of the interface is taken for another one', () => {
  const names = new Set<string>();
  const gather = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties } = value as { readonly properties?: object };
    for (const name of Object.keys(properties ?? {})) names.add(name);
    for (const item of Object.values(value)) gather(item);
  };
  gather(openApiDocument(routes, fakeNotes));
  assert.ok(names.size > 100);
  const taken = routes.flatMap(({ operations, body }) => {
    const known = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
    return (
      [...names]
        // `kid` is a name of RFC 7517.
        .filter((name) => !known.includes(name) && name !== 'kid')
        .flatMap((name) => {
          const meant = nearMiss(name, known);
          return meant === null ? [] : [`${Object.keys(operations)[0]}: ${name} is ${meant}`];
        })
    );
  });
  // These are right: of one object where the body names several, or the reverse; a day or a time.
  assert.deepEqual(taken, [
    'simulateTestPayment: events is event',
    'setAccountNames: account is accounts',
    'inviteInvoiceBuyers: invoiceId is invoiceIds',
    'createConnectedAccountVendorDocument: expiresAt is expiresOn',
    'startBuyerKyc: invoiceIds is invoiceId',
    'startBuyerKyc: invoice is invoiceId',
    'createWebhookSubscription: eventType is eventTypes',
    'changeWebhookSubscription: eventType is eventTypes',
    'createApiKey: expiresOn is expiresAt',
    'createApiKey: network is networks',
  ]);
});

test('every body refuses each of its longer properties when it is misspelled', () => {
  let looked = 0;
  for (const { operations, body } of routes) {
    if (!(body instanceof z.ZodObject) || body.def.catchall !== undefined) continue;
    for (const name of Object.keys(body.shape).filter(({ length }) => length >= 4)) {
      looked += 1;
      const [misspelled] = problemsOf(body, { [`${name.slice(0, 2)}q${name.slice(2)}`]: 'x' });
      const context = `${Object.keys(operations)[0]} ${name}: ${misspelled}`;
      assert.match(misspelled ?? '', new RegExp(`; send ${name} instead$`), context);
    }
  }
  assert.ok(looked > 50, `${looked}`);
});

test('of very many unknown properties only the first hundred are looked at', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`other${at}`, at]));
  const found = [100, 99].map((count) => {
    const body = { ...many(count), curency: 'EUR', ...least };
    return problemsOf(createPaymentIntentBody, body).length;
  });
  assert.deepEqual(found, [0, 1]);
});

test('a query parameter that is not known is refused with those that are', async () => {
  const { site, own, exampleOf } = scene;
  for (const { operationId, route } of operations) {
    const { path, ...example } = await exampleOf(operationId);
    const asked = `${path}${path.includes('?') ? '&' : '?'}unheard_of=1`;
    const answer = await site.call(route.method, asked, { ...example, ...own });
    if (['none', 'partner', 'signature'].includes(route.access.auth)) {
      assert.ok(answer.status < 300, `${operationId}: a probe or a reader may append anything`);
      continue;
    }
    assert.equal(refusalOf(answer), '400 ValidationError', operationId);
    assert.match(String(answer.body['message']), /^unheard_of: unknown query parameter/);
  }
  const { body } = await site.call('GET', '/v1/invoices?staus=expired&limit=1', own);
  const known = 'the known ones are limit, cursor, status, q, externalId, dueFrom, dueTo, overdue';
  assert.equal(body['message'], `staus: unknown query parameter; ${known}.`);
});

/** `count` times `item`, separated by commas. */
const many = (count: number, item: string) => Array<string>(count).fill(item).join(',');

const heavyBodies: readonly (readonly [string, string])[] = [
  ['65 levels', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`],
  ['125,000 levels', `{"a":${'['.repeat(125_000)}${']'.repeat(125_000)}}`],
  ['10,001 values', `{"a":[${many(10_000, '0')}],"b":0}`],
  ['10,001 properties', `{${many(10_001, '"a":0')}}`],
];

test('a body with more levels or values than any schema has is refused unread', async (t) => {
  const { site, key } = scene;
  const parse = t.mock.method(JSON, 'parse');
  for (const [name, body] of heavyBodies) {
    const parsed = parse.mock.callCount();
    const answer = await site.call('POST', '/v1/buyer-kyc', { key, body });
    assert.equal(refusalOf(answer), '400 ValidationError', name);
    const message = 'body: must have at most 64 levels and 10000 values.';
    assert.equal(answer.body['message'], message, name);
    const texts = parse.mock.calls.slice(parsed).map(({ arguments: [text] }) => text);
    assert.equal(texts.includes(body), false, name);
  }
});

/** What stands behind `{"externalId":"…",` in a create, and the path that is named twice. */
const repeatedNames: readonly (readonly [rest: string, path: string])[] = [
  ['"amount":"10.00","amount":"9999.00","buyer":{"email":"a@b.example"}', 'amount'],
  ['"amount":"10.00","buyer":{"email":"a@b.example"},"amount":"10.00"', 'amount'],
  ['"amount":"10.00","\\u0061mount":"9.00","buyer":{"email":"a@b.example"}', 'amount'],
  ['"amount":"10.00", "amount" : null ,"buyer":{"email":"a@b.example"}', 'amount'],
  ['"amount":"10.00","buyer":{"email":"a@b.example","email":"eve@c.example"}', 'buyer.email'],
  ['"amount":"10.00","buyer":{"email":"a@b.example"},"buyer":{}', 'buyer'],
  [
    '"amount":"10.00","buyer":{"email":"a@b.example"},"metadata":{"a":[{"b":1,"c":2,"b":3}]}',
    'metadata.a[0].b',
  ],
  [
    '"amount":"10.00","buyer":{"email":"a@b.example"},' +
      '"display":{"lineItems":[{"unitPrice":"1.00"},{"unitPrice":"1.00","unitPrice":"2.00"}]}',
    'display.lineItems[1].unitPrice',
  ],
  ['"amount":"10.00","buyer":{"email":"a@b.example"},"metadata":{"":1,"":2}', 'metadata.'],
  ['"amount":"1","buyer":{"email":"a@b.example"},"__proto__":{},"__proto__":{}', '__proto__'],
  ['"amount":"10.00","buyer":{"email":"a@b.example"},"metadata":{"\\n":1,"\n":2}', 'metadata.\n'],
];

test('a name that occurs twice in an object is refused with its path', async () => {
  const { site, key } = scene;
  for (const [rest, path] of repeatedNames) {
    // A line break within a name is sent as an escape.
    const body = `{"externalId":"twice",${rest.replaceAll('\n', '\\n')}}`;
    const answer = await site.call('POST', '/v1/payment-intents', { key, body });
    assert.equal(refusalOf(answer), '400 ValidationError', rest);
    const message = `${path}: the name occurs twice. Send each name of an object once.`;
    assert.equal(answer.body['message'], message, rest);
  }
});

test('a name that occurs in several objects, or in a text, is no repetition', async () => {
  const { site, key } = scene;
  const metadata = { amount: '"amount":1,"amount":2', a: [{ b: 1 }, { b: 1 }], b: { a: { b: 1 } } };
  const body = { ...createBody(), externalId: 'not twice', metadata };
  assert.equal((await site.call('POST', '/v1/payment-intents', { key, body })).status, 201);
});

test('a byte order mark before a body is skipped; another encoding is refused', async () => {
  const { site, key } = scene;
  const body = JSON.stringify({ ...createBody(), externalId: 'marked' });
  for (const [sent, status] of [
    [`\ufeff${body}`, 201],
    [`\ufeff\n${body}\n`, 200],
    [`\ufeff\ufeff${body}`, 400],
    [Buffer.from(`\ufeff${body}`, 'utf16le'), 400],
  ] as const) {
    const answer = await site.call('POST', '/v1/payment-intents', { key, body: sent });
    assert.equal(answer.status, status, String(answer.body['message']));
  }
});

test('text in a body is not counted as levels and values', async () => {
  const { site, key } = scene;
  const externalId = `${'{'.repeat(70)}\\"[,`;
  const body = { ...createBody(), externalId, metadata: { text: ','.repeat(20_000) } };
  assert.equal((await site.call('POST', '/v1/payment-intents', { key, body })).status, 201);
});

test('an array, an object or a map that is too large is refused before its schema', () => {
  const map = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
  for (const [value, found] of [
    [{ owners: Array(10).fill({}) }, null],
    [{ owners: Array(11).fill({}) }, 'owners: send at most 10 items'],
    [{ owners: [{}, map(1_001)] }, 'owners[1]: send at most 1000 properties'],
    [{ answers: map(1_000) }, null],
    [{ answers: map(1_001) }, 'answers: send at most 1000 properties'],
    [map(1_001), 'body: send at most 1000 properties'],
    // Not of the schema, so nothing walks it.
    [{ other: Array(2_000).fill(0) }, null],
    // Nothing else is said about it.
    [{ legalNam: 'x', owners: Array(11).fill({}) }, 'owners: send at most 10 items'],
  ] as const) {
    const problems = found === null ? [] : [found];
    assert.deepEqual(bodyProblems(submitAccountBody, value), {
      problems,
      isTooLarge: found !== null,
    });
  }
});
