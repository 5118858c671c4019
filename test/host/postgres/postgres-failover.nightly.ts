// A primary of PostgreSQL that is killed under load, with a synchronous standby that is promoted
// in its place: nothing that was acknowledged is lost, and hosts that know both go on.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { seededBytes } from '../../../adapters/crypto/ids.js';
import { postgresConnections } from '../../../adapters/storage/postgres/connections.js';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { verifyAudit } from '../../../core/usecases/service/audit-log.js';
import { readConfig } from '../../../host/config.js';
import { type Host, startHost } from '../../../host/main.js';
import { postgresPair } from '../../support/databases/postgres-pair.js';
import { checkBooks, readFeed } from '../../support/scenes/after-faults.js';
import { numbersOf, orderOf, startLoad } from '../../support/servers/payment-load.js';
import { suiteEnd } from '../../support/suite-end.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/wait.js';

const PAYMENTS = 40;
const CLIENTS = 6;

const seed = process.env['FAULTS_SEED'] ?? randomBytes(4).toString('hex');
const below = numbersOf(seededBytes(seed));
const folder = temporaryFolder();
const secretKeys = `a:${randomBytes(32).toString('base64')}`;
const hosts: Host[] = [];

const suite = suiteEnd();
const pair = await postgresPair();
suite.after(() => pair.stop());
suite.after(() => Promise.all(hosts.map((host) => host.stop())));

async function start(): Promise<Host> {
  const config = readConfig({
    PONTE_DATABASE_URL: pair.url,
    PONTE_PORT: '0',
    PONTE_DATA_DIR: folder,
    PONTE_SECRET_KEYS: secretKeys,
    PONTE_FAKE_PARTNER_DELAY_MS: '0',
    PONTE_RATE_LIMIT_PER_MINUTE: '0',
    PONTE_LOG_LEVEL: 'silent',
  });
  const host = await startHost(config);
  hosts.push(host);
  return host;
}

async function get(host: Host, apiKey: string, path: string) {
  const response = await fetch(`${host.url}${path}`, { headers: { 'x-api-key': apiKey } });
  assert.equal(response.status, 200, path);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

test('connections go to the server that takes writes, in any order of the URL', async () => {
  const ports = pair.urls.map((url) => `127.0.0.1:${new URL(url).port}`);
  const turned = pair.url.replace(ports.join(','), ports.toReversed().join(','));
  const connections = postgresConnections({ url: turned });
  const question = 'select pg_is_in_recovery() as standby';
  const line = await connections.connect();
  assert.deepEqual((await line.query(question)).rows, [{ standby: false }]);
  await line.end();
  const { rows } = await connections.use('once', (client) => client.query(question));
  assert.deepEqual(rows, [{ standby: false }]);
  await connections.close();
});

test('a primary killed under load loses no acknowledged payment to its standby', async (t) => {
  t.diagnostic(`FAULTS_SEED=${seed}`);
  const pairOfHosts = [await start(), await start()] as const;
  const apiKey = pairOfHosts[0].demo?.secret ?? '';
  const urls = () => hosts.map(({ url }) => url);
  const load = startLoad({ hosts: urls, apiKey, payments: PAYMENTS, clients: CLIENTS, below });
  await load.reached(5 + below(PAYMENTS / 2));
  await pair.killPrimary();
  const untilNow = load.acknowledged.size;
  await pair.promoteStandby();
  assert.ok(untilNow < PAYMENTS, 'the load went on');
  await load.done;

  // Each host is notified of the other's events over the new primary.
  const events = await Promise.all(
    pairOfHosts.map((host) => get(host, apiKey, '/v1/events?after=0&wait=30')),
  );
  for (const { data } of events) assert.ok((data as readonly unknown[]).length > 0);
  // What could not be recorded while nobody took writes is theirs until they give it back.
  await Promise.all(hosts.splice(0).map((host) => host.stop()));
  // The URL of a host that starts now begins with the dead server.
  const third = await start();
  for (const index of Array(PAYMENTS).keys()) {
    const order = orderOf(index);
    const id = load.acknowledged.get(order.externalId);
    await until(async () => {
      const found = await get(third, apiKey, `/v1/payments/${id}`);
      const { externalId, amount, metadata } = found;
      assert.deepEqual({ externalId, amount, metadata, buyer: order.buyer }, order);
      assert.notEqual(found['status'], 'failed');
      return found['status'] === 'settled';
    });
  }
  const store = openPostgresStore({ url: pair.url });
  await checkBooks(store, load.acknowledged.values());
  await readFeed(store, load.acknowledged.values());
  const { defects, records } = await verifyAudit({ store });
  assert.deepEqual(defects, []);
  assert.ok(records > 0, 'messages of the partner are in the audit log');
  await store.close();
});
