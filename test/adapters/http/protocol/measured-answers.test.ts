// Metrics of requests: the operation and never the path, the status, and that creates
// are timed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createHttpServer } from '../../../../adapters/http/server.js';
import { notedMetrics } from '../../../support/noted-metrics.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { allWell } from '../checked-site.js';
import { createBody } from '../docs/example-calls.js';

const metrics = notedMetrics();

const suite = suiteEnd();
const made = await world(suite, { settings: { rateLimitPerMinute: 0 } });
const key = await made.key(await made.organization());
const server = createHttpServer(
  { ...made.deps, metrics },
  {
    corsOrigins: ['https://app.example.com'],
    feedReaders: made.feedReaders,
    readiness: async () => allWell,
  },
);
suite.after(() => server.close(0));
const { port } = await server.listen('127.0.0.1', 0);

/** The record of one call. */
async function linesOf(method: string, path: string, body?: unknown, headers = {}) {
  const first = metrics.recorded.length;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return metrics.recorded.slice(first);
}

test('a request is counted under its operation, which is that of the path form', async () => {
  assert.deepEqual(await linesOf('GET', '/v1/connected-accounts?limit=5'), [
    'listConnectedAccounts 200',
  ]);
  assert.deepEqual(await linesOf('GET', '/v1/accounts'), ['listAccounts 200']);
  assert.deepEqual(await linesOf('GET', '/v1/payments/pi_secret'), ['readPayment 404']);
});

test('creates are timed, replays too; refused ones are not', async () => {
  const body = createBody();
  const post = async (sent: unknown) => (await linesOf('POST', '/v1/payment-intents', sent))[0];
  assert.equal(await post(body), 'createPaymentIntent 201 created');
  assert.equal(await post(body), 'createPaymentIntent 200 created');
  assert.equal(await post({ ...createBody(), amount: '1.00' }), 'createPaymentIntent 400');
});

test('a request without an operation is counted without its path', async () => {
  assert.deepEqual(await linesOf('GET', '/v1/no/such/path'), ['none 404']);
  assert.deepEqual(await linesOf('DELETE', '/v1/payments'), ['none 405']);
  const preflight = { origin: 'https://app.example.com', 'access-control-request-method': 'GET' };
  assert.deepEqual(await linesOf('OPTIONS', '/v1/payments', undefined, preflight), ['none 204']);
  const socket = connect(port, '127.0.0.1');
  socket.resume().write('no HTTP at all\r\n\r\n');
  await once(socket, 'close');
  assert.equal(metrics.recorded.at(-1), 'none 400');
});
