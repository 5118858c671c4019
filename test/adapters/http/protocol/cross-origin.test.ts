// CORS headers for browsers of other web origins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routes } from '../../../../adapters/http/routes.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { checkedSite, refusalOf } from '../checked-site.js';

const allowed = 'https://app.example.com';
const preflight = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'x-api-key,content-type',
};

const suite = suiteEnd();
const site = await checkedSite(suite, undefined, { corsOrigins: [allowed] });
const closed = await checkedSite(suite);

test('a listed origin may ask, call, and read the headers that matter', async () => {
  const headers = { origin: allowed };
  const asked = await site.call('OPTIONS', '/v1/payments', {
    headers: { ...headers, ...preflight },
  });
  assert.equal(asked.status, 204);
  assert.equal(asked.headers['access-control-allow-origin'], allowed);
  assert.match(asked.headers['access-control-allow-headers'] ?? '', /X-API-Key/);
  const methods = asked.headers['access-control-allow-methods']?.split(', ');
  assert.deepEqual(
    methods?.toSorted(),
    [...new Set(routes.map(({ method }) => method))].toSorted(),
  );
  for (const path of ['/healthz', '/v1/payments/pi_1']) {
    const answer = await site.call('GET', path, { headers });
    assert.equal(answer.headers['access-control-allow-origin'], allowed, path);
    assert.match(answer.headers['access-control-expose-headers'] ?? '', /Idempotent-Replayed/);
    assert.equal(answer.headers['vary'], 'Origin');
  }
});

test('an origin that is not listed gets no CORS headers', async () => {
  for (const [server, origin] of [
    [site, 'https://evil.example'],
    [site, 'http://app.example.com'],
    [site, `${allowed}.evil.example`],
    [site, 'null'],
    [closed, allowed],
  ] as const) {
    const asked = await server.call('OPTIONS', '/v1/payments', {
      headers: { origin, ...preflight },
    });
    assert.equal(refusalOf(asked), '405 MethodNotAllowed', origin);
    const called = await server.call('GET', '/healthz', { headers: { origin } });
    for (const answer of [asked, called]) {
      const cors = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(cors, [], origin);
    }
  }
});

test('keys are asked for all the same', async () => {
  const answer = await site.call('GET', '/v1/payments/pi_1', { headers: { origin: allowed } });
  assert.equal(refusalOf(answer), '401 InvalidApiKey');
});
