// Addresses of one name of which some do not answer, and networks with NAT64.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { reach } from '../../../adapters/webhooks/reach.js';
import { silentAddress } from '../../support/servers/silent-address.js';
import { suiteEnd } from '../../support/suite-end.js';

const suite = suiteEnd();
const usual = { host: 'receiver.test', isTls: false, isGuarded: false } as const;

async function listeningAt(address: string): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => undefined));
  server.listen(0, address);
  await once(server, 'listening');
  suite.after(() => new Promise((done) => server.close(done)));
  return (server.address() as AddressInfo).port;
}

test('an address that does not answer is a warning where another one does', async () => {
  const port = await listeningAt('127.0.0.2');
  const silent = await silentAddress('127.0.0.1', port);
  suite.after(() => silent.close());
  const checks = await reach({ ...usual, port, resolve: async () => ['127.0.0.1', '127.0.0.2'] });
  assert.deepEqual(
    checks.map(({ name, severity }) => [name, severity]),
    [
      ['name', 'ok'],
      ['IPv4', 'warning'],
    ],
  );
  assert.match(
    checks[1]?.detail ?? '',
    /^127\.0\.0\.1 does not answer.*ETIMEDOUT.*127\.0\.0\.2 in/,
  );
});

test('a family without a route is no defect where the other one answers, else it is', async () => {
  const port = await listeningAt('127.0.0.1');
  // Documentation addresses (RFC 3849) have no route, or a closed one.
  const both = await reach({ ...usual, port, resolve: async () => ['127.0.0.1', '2001:db8::1'] });
  const [, v4, v6] = both;
  assert.deepEqual([v4?.name, v4?.severity, v6?.name], ['IPv4', 'ok', 'IPv6']);
  assert.notEqual(v6?.severity, 'critical');
  const alone = await reach({ ...usual, port, resolve: async () => ['2001:db8::1'] });
  assert.deepEqual([alone[1]?.name, alone[1]?.severity], ['IPv6', 'critical']);
});

test('of a guarded target, one private address refuses all, as a delivery does', async () => {
  const resolve = async () => ['93.184.216.34', '10.0.0.7', '64:ff9b::a00:7'];
  const checks = await reach({ ...usual, isGuarded: true, port: 443, resolve });
  assert.deepEqual(
    checks.map(({ severity, detail }) => `${severity} ${detail}`),
    ['critical 10.0.0.7, 64:ff9b::a00:7: not public, so Ponte does not connect. Use a public host'],
  );
});

test('a name without addresses is named', async () => {
  const [check] = await reach({ ...usual, port: 443, resolve: async () => [] });
  assert.match(check?.detail ?? '', /^receiver\.test does not resolve \(ENOTFOUND\)/);
});
