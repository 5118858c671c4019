// The order of refusals, and the headers of every answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Readiness } from '../../../../adapters/http/protocol/route-row.js';
import { formatApiKey, parseApiKey } from '../../../../core/domain/access/api-key.js';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { REFUSALS_WAITING_MAX } from '../../../../core/domain/service/refused-request.js';
import { revokeKey } from '../../../../core/usecases/access/keys.js';
import { allWell, type CallOptions, checkedSite, refusalOf, sharedSite } from '../checked-site.js';
import { createBody } from '../docs/example-calls.js';

let key: string;

const site = sharedSite(
  async () => {
    const orgId = await site.world.organization();
    key = await site.world.key(orgId);
  },
  { rateLimitPerMinute: 6, rateLimitBurst: 1 },
);

test('refusals come in one order: the first failed check answers', async () => {
  const { world } = site;
  const uncleared = await world.organization({ sandboxKyb: false });
  const readOnly = await world.key(uncleared, { scopes: ['payment_intents:read'] });
  // Of another organization, whose keys share a limit.
  const spent = await world.key(await world.organization({ sandboxKyb: false }));
  await site.call('POST', '/v1/payments', { key: spent, body: {} });

  const cleared = await world.organization();
  const text = { 'content-type': 'text/plain' };
  const large = Buffer.alloc(300 * 1024, '{');
  const early = '2001-01-01T00:00:00Z';
  const read = { ...createBody(), amount: '1.00', currency: 'XXX', expiresAt: early };
  const named = { ...read, sellerExternalId: 'nobody' };
  const inEuro = { ...named, currency: 'EUR', amount: '0' };
  const inDollars = { ...named, currency: 'USD', amount: '10' };
  // Each row mends what the row before was refused for, and nothing else; null is a fresh key.
  const ladder: readonly (readonly [string, string | null, string, CallOptions])[] = [
    ['404 NotFound', 'bad', '/v1/paymentz', { body: large, headers: text }],
    ['401 InvalidApiKeyFormat', 'bad', '/v1/payments', { body: large, headers: text }],
    ['401 InvalidApiKey', 'pk_test_a.b', '/v1/payments', { body: large, headers: text }],
    ['403 InsufficientScope', readOnly, '/v1/payments', { body: large, headers: text }],
    ['429 RateLimitExceeded', spent, '/v1/payments', { body: large, headers: text }],
    ['415 UnsupportedMediaType', null, '/v1/payments', { body: large, headers: text }],
    ['413 PayloadTooLarge', null, '/v1/payments', { body: large }],
    ['400 ValidationError body', null, '/v1/payments', { body: '{' }],
    ['400 ValidationError sellerExternalId', null, '/v1/payments', { body: read }],
    ['400 KybNotApproved', null, '/v1/payments', { body: named }],
  ];
  const later: typeof ladder = [
    ['400 ValidationError currency', null, '/v1/payments', { body: named }],
    ['400 ValidationError amount', null, '/v1/payments', { body: inEuro }],
    ['400 AmountBelowMinimum', null, '/v1/payments', { body: { ...inDollars, amount: '9.99' } }],
    ['400 ValidationError expiresAt', null, '/v1/payments', { body: inDollars }],
    ['400 SellerNotReady', null, '/v1/payments', { body: { ...inDollars, expiresAt: null } }],
  ];
  for (const [orgId, rows, form] of [
    [uncleared, ladder, null],
    [cleared, later, '/v1/payments'],
    [await world.organization(), later, '/v1/invoices'],
  ] as const) {
    for (const [refusal, used, path, options] of rows) {
      const answer = await site.call('POST', form ?? path, {
        ...options,
        key: used ?? (await world.key(orgId)),
      });
      const [first] = /^\w+(?=: )/.exec(String(answer.body['message'])) ?? [];
      const refused = first === undefined ? refusalOf(answer) : `${refusalOf(answer)} ${first}`;
      assert.equal(refused, refusal, answer.text);
    }
  }
});

test('no header and no parameter changes the organization or the mode of a key', async () => {
  const { world, call } = site;
  const [mine, theirs] = [await world.organization(), await world.organization()];
  const fresh = async (orgId: string) => ({ key: await world.key(orgId) });
  const made = await call('POST', '/v1/payment-intents', {
    ...(await fresh(theirs)),
    body: { ...createBody(), externalId: 'theirs' },
  });
  assert.equal(made.status, 201);
  const session = await world.session(theirs);
  const headers = {
    'x-org-id': theirs,
    'x-organization-id': theirs,
    'x-tenant-id': theirs,
    'x-mode': 'live',
    authorization: `Bearer ${session}`,
  };
  for (const [query, refusal] of [
    ['', '404 NotFound'],
    [`?orgId=${theirs}`, '400 ValidationError'],
    ['?mode=live', '400 ValidationError'],
  ] as const) {
    const path = `/v1/payments/ext_theirs${query}`;
    const answer = await call('GET', path, { ...(await fresh(mine)), headers });
    assert.equal(refusalOf(answer), refusal);
  }
  const hook = {
    url: 'https://acme.example/hooks',
    eventTypes: ['*'],
    orgId: theirs,
    mode: 'live',
  };
  const path = '/v1/webhook-subscriptions';
  const own = await call('POST', path, { ...(await fresh(mine)), headers, body: hook });
  assert.equal(own.body['orgId'], mine);
  const seen = await call('GET', '/v1/webhook-subscriptions', await fresh(mine));
  assert.equal((seen.body['data'] as readonly unknown[]).length, 1, 'in the mode of the key');
});

test('what is there already is found before KYB, currency, minimum, expiry, seller', async () => {
  const { world } = site;
  const orgId = await world.organization();
  const body = createBody();
  const headers = { 'idempotency-key': 'one' };
  const fresh = async () => ({ key: await world.key(orgId), headers });
  const made = await site.call('POST', '/v1/payment-intents', { ...(await fresh()), body });
  const wrong = { ...body, amount: '0.01', currency: 'XXX', expiresAt: '2001-01-01T00:00:00Z' };
  const found = await site.call('POST', '/v1/payment-intents', { ...(await fresh()), body: wrong });
  assert.equal(found.status, 200);
  assert.deepEqual(found.body, made.body);
});

test('one refusal names every problem of a body', async () => {
  const answer = await site.call('POST', '/v1/payments', {
    key: await site.world.key(await site.world.organization()),
    headers: { 'idempotency-key': '' },
    body: {
      amount: 10,
      currency: 'dollars',
      buyer: { email: 'nobody', name: 7 },
      returnUrl: 'ftp://example.com',
      metadata: [],
      display: 'text',
      expiresAt: '2031-01-01 00:00',
    },
  });
  assert.equal(refusalOf(answer), '400 ValidationError');
  for (const path of [
    'externalId',
    'amount',
    'currency',
    'buyer.email',
    'buyer.name',
    'returnUrl',
    'metadata',
    'display',
    'expiresAt',
    'sellerExternalId',
    'Idempotency-Key',
  ]) {
    assert.match(String(answer.body['message']), new RegExp(`(^|; )${path}: `), path);
  }
});

test('an X-Request-Id of harmless characters is kept, any other is replaced', async () => {
  for (const kept of ['a', 'A-b_c.9', 'x'.repeat(128)]) {
    const answer = await site.call('GET', '/healthz', { headers: { 'x-request-id': kept } });
    assert.equal(answer.headers['x-request-id'], kept);
  }
  for (const replaced of ['', 'x'.repeat(129), 'a b', 'a"b', '<script>', ['a', 'b']]) {
    const answer = await site.call('GET', '/healthz', { headers: { 'x-request-id': replaced } });
    assert.notEqual(answer.headers['x-request-id'], `${replaced}`);
  }
});

test('every refusal is logged under its request id, without what the request said', async () => {
  const headers = { 'x-request-id': 'look-for-me' };
  await site.call('POST', '/v1/payments/ext_private', { key, headers, body: {} });
  await site.call('GET', '/v1/payments/ext_private', { key, headers });
  const entries = site.world.log.filter(({ fields }) => fields['requestId'] === 'look-for-me');
  assert.deepEqual(
    entries.map(({ level, fields }) => [level, fields['operation'], fields['code']]),
    [
      ['info', null, 'MethodNotAllowed'],
      ['info', 'readPayment', 'NotFound'],
    ],
  );
  assert.ok(!JSON.stringify(site.world.log).includes('private'));
});

test('a failure of ours is InternalError and nothing more; the log has the cause', async (t) => {
  const failing = await checkedSite(t, undefined, {
    readiness: async () => {
      throw new Error('password=hunter2 at db.internal');
    },
  });
  const headers = { 'x-request-id': 'broken' };
  const answer = await failing.call('GET', '/readyz', { headers });
  assert.equal(refusalOf(answer), '500 InternalError');
  assert.ok(!answer.text.includes('hunter2') && !answer.text.includes('Error:'), answer.text);
  const entry = failing.world.log.find(({ level }) => level === 'error');
  assert.equal(entry?.fields['requestId'], 'broken');
  assert.match(String(entry?.fields['err']), /hunter2/);
});

test('a partner that a call needs and cannot have: 503 PartnerUnavailable, Retry-After', async () => {
  const orgId = await site.world.organization();
  // There is no partner for live mode.
  const live = await site.world.key(orgId, { mode: 'live' });
  const path = '/v1/connected-accounts';
  const account = { role: 'seller', entityType: 'business' };
  const made = await site.call('POST', path, { key: live, body: account });
  assert.equal(made.status, 201);
  const answer = await site.call('POST', `${path}/${String(made.body['id'])}/tos-session`, {
    key: live,
    body: { redirectUrl: 'https://shop.example' },
  });
  assert.equal(refusalOf(answer), '503 PartnerUnavailable');
  assert.equal(answer.headers['retry-after'], '5');
  assert.equal(answer.body['retryAfter'], 5);
});

test('readiness answers 503 with the check that failed', async (t) => {
  const checks: { -readonly [Check in keyof Readiness]: Readiness[Check] } = { ...allWell };
  const tried = await checkedSite(t, undefined, { readiness: async () => checks });
  assert.equal((await tried.call('GET', '/readyz')).status, 200);
  for (const [name, word] of [
    ['database', 'failed'],
    ['migrations', 'pending'],
    ['worker', 'stalled'],
    ['clock', 'wrong'],
    ['serving', 'stopping'],
  ] as const) {
    checks[name] = false;
    const answer = await tried.call('GET', '/readyz');
    assert.equal(answer.status, 503);
    assert.equal(answer.body['status'], 'unavailable');
    assert.equal((answer.body['checks'] as Record<string, string>)[name], word);
    checks[name] = true;
  }
});

test('HEAD is answered like GET, without the body', async () => {
  const got = await site.call('GET', '/healthz');
  const head = await site.call('HEAD', '/healthz');
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
  assert.equal(head.headers['content-length'], got.headers['content-length']);
});

test('a probe is answered with a slash at its end, other paths are not', async () => {
  // Not described: `call` would refuse the answer.
  for (const path of ['/healthz/', '/readyz/', '/healthz/?a=b']) {
    const { status } = await fetch(`http://127.0.0.1:${site.port}${path}`);
    assert.equal(status, 200, path);
  }
  for (const path of ['/healthz//', '/readyz/a', '/docs-json/', '/v1/payments/']) {
    assert.equal((await site.call('GET', path)).status, 404, path);
  }
});

test('paths are matched exactly', async () => {
  for (const path of [
    '/v1',
    '/v1/payments/',
    '/v1//payments',
    '/V1/payments',
    '/v2/payments',
    '/v1/payments/a/b',
    '/docs-json/x',
    '/%2e%2e/healthz',
    '/healthz;a=1',
    '/..;/healthz',
    '*',
  ]) {
    assert.equal(refusalOf(await site.call('GET', path, { key })), '404 NotFound', path);
  }
  const messageOf = async (path: string) => (await site.call('GET', path, { key })).body['message'];
  for (const path of ['/v1/payments/?limit=1', '/v1//payments']) {
    assert.match(String(await messageOf(path)), /a slash too many, or an id is missing/, path);
  }
  assert.match(String(await messageOf('/v1/payment?a=//')), /^Not found\. Check the path/);
  for (const path of ['/healthz?', '/healthz?a=%', '/healthz?a=1&a=2', '/healthz#x']) {
    assert.equal((await site.call('GET', path)).status, 200, path);
  }
});

test('a refusal is in the request log with its organization and credential', async () => {
  const { world } = site;
  const orgId = await world.organization();
  const key = await world.key(orgId);
  // Other tests of this file were refused often in this minute.
  world.advanceClock(MINUTE_MS);
  const refused = await site.call('POST', '/v1/payments', { key, body: { amount: {} } });
  const unknown = await site.call('GET', '/v1/payments', { key: 'pk_test_a.b' });
  const found = (answer: typeof refused) =>
    world.deps.refusals
      .oldest(REFUSALS_WAITING_MAX)
      .find(({ requestId }) => requestId === answer.headers['x-request-id']);
  const { operation, status, code, mode, ...rest } = found(refused) ?? assert.fail();
  assert.deepEqual(
    [operation, status, code, mode],
    ['createPayment', 400, 'ValidationError', 'test'],
  );
  assert.equal(rest.orgId, orgId);
  assert.match(key, new RegExp(`${rest.credentialId?.replace('key_', '')}`));
  const bare = found(unknown) ?? assert.fail();
  assert.deepEqual([bare.code, bare.orgId, bare.credentialId], ['InvalidApiKey', null, null]);
});

test('a revoked key is named in the request log by who has its secret alone', async () => {
  const { world } = site;
  const orgId = await world.organization();
  const [key, other] = [await world.key(orgId), await world.key(orgId)].map(
    (text) => parseApiKey(text) ?? assert.fail(text),
  );
  assert.ok(key !== undefined && other !== undefined);
  const { keyId: id } = key;
  await revokeKey(world.deps, orgId, id);
  world.advanceClock(MINUTE_MS);
  const credentialWith = async (presented: typeof key) => {
    const answer = await site.call('GET', '/v1/payments', { key: formatApiKey(presented) });
    assert.equal(refusalOf(answer), '401 InvalidApiKey');
    assert.doesNotMatch(answer.text, /key_|org_/);
    const waiting = world.deps.refusals.oldest(REFUSALS_WAITING_MAX);
    const noted = waiting.find(({ requestId }) => requestId === answer.headers['x-request-id']);
    return [noted?.orgId, noted?.mode, noted?.credentialId];
  };
  assert.deepEqual(await credentialWith(key), [orgId, 'test', id]);
  // The form of before checksums, so that it is compared.
  const guessed = { ...key, secret: other.secret.slice(0, 43) };
  assert.deepEqual(await credentialWith(guessed), [null, null, null]);
});
