// Several hosts on one PostgreSQL: what one of them stores or changes counts on the others, and
// only one does what must be done once.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { loadMigrations, type Migration } from '../../../adapters/storage/migrations.js';
import { postgresConnections } from '../../../adapters/storage/postgres/connections.js';
import { migratePostgres } from '../../../adapters/storage/postgres/migrations.js';
import { revokeKey } from '../../../core/usecases/access/keys.js';
import { readConfig } from '../../../host/config.js';
import { type Host, type HostRole, startHost } from '../../../host/main.js';
import { allOk } from '../../adapters/http/checked-site.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { startHostProcess } from '../../support/servers/host-process.js';
import { jsonCall } from '../../support/servers/json-call.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const secretKeys = `a:${randomBytes(32).toString('base64')}`;
const hosts: Host[] = [];

afterEach(() => Promise.all(hosts.splice(0).map((host) => host.stop())));

const postgres = localPostgres({ own: true });

const buyer = { email: 'ana@buyer.example' } as const;

type Answer = Awaited<ReturnType<typeof jsonCall>>;

async function start(
  url: string,
  role: HostRole = 'all',
  env: Readonly<Record<string, string>> = {},
): Promise<Host> {
  const config = readConfig({
    PONTE_DATABASE_URL: url,
    PONTE_PORT: '0',
    PONTE_DATA_DIR: folder,
    PONTE_SECRET_KEYS: secretKeys,
    PONTE_FAKE_PARTNER_DELAY_MS: '0',
    PONTE_LOG_LEVEL: 'silent',
    ...env,
  });
  const host = await startHost(config, role);
  hosts.push(host);
  return host;
}

function create(host: Host, key: string, externalId: string): Promise<Answer> {
  return jsonCall(host, key, '/v1/payment-intents', { externalId, amount: '250.00', buyer });
}

/** Messages of the partner are work of the leader. */
async function settledBy(host: Host, key: string, externalId: string): Promise<void> {
  const { id } = (await create(host, key, externalId)).body;
  await jsonCall(host, key, `/v1/test-helpers/payments/${id}/advance`, {});
  await settled(host, key, id);
}

async function settled(host: Host, key: string, id: unknown): Promise<Answer['body']> {
  for (;;) {
    const { body } = await jsonCall(host, key, `/v1/payments/${id}`);
    if (body['status'] === 'settled') return body;
    await wait(50);
  }
}

test('hosts of one role each settle a payment together, and only a worker works', async () => {
  const url = await postgres.newDatabase();
  const api = await start(url, 'api');
  const key = api.demo?.secret ?? '';
  const { status, body } = await create(api, key, 'order-1');
  assert.equal(status, 201);
  assert.equal((await jsonCall(api, key, '/v1/events')).body['nextAfter'], 2);
  const worker = await start(url, 'worker');
  await jsonCall(api, key, `/v1/test-helpers/payments/${body['id']}/advance`, {});
  const payment = await settled(api, key, body['id']);
  assert.equal(payment['brlSettledAmount'] !== null, true);
  assert.equal((await jsonCall(worker, key, `/v1/payments/${body['id']}`)).status, 404);
  const ready = await fetch(`${worker.url}/readyz`);
  assert.equal(ready.status, 200);
});

test('a reader waiting at one host receives an event created at another', async () => {
  const url = await postgres.migrated();
  const [first, second] = [await start(url), await start(url)];
  const key = first.demo?.secret ?? '';
  const waiting = jsonCall(second, key, '/v1/events?after=0&wait=30');
  await create(first, key, 'order-1');
  const { data } = (await waiting).body as { data: readonly { readonly sequence: number }[] };
  assert.equal(data[0]?.sequence, 1);
});

test('a key revoked at one host is refused by the next request at another', async () => {
  const url = await postgres.migrated();
  const [first, second] = [await start(url), await start(url)];
  const key = first.demo?.secret ?? '';
  assert.equal((await jsonCall(second, key, '/v1/events')).status, 200);
  await revokeKey(first.deps, null, /^pk_test_(.+)\./.exec(key)?.[1] ?? '');
  assert.equal((await jsonCall(second, key, '/v1/events')).status, 401);
});

test('one rate limit holds over all hosts', async () => {
  const url = await postgres.migrated();
  const limit = { PONTE_RATE_LIMIT_PER_MINUTE: '1', PONTE_RATE_LIMIT_BURST: '5' };
  const pair = [await start(url, 'all', limit), await start(url, 'all', limit)];
  const key = pair[0]?.demo?.secret ?? '';
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      create(pair[index % 2] as Host, key, `order-${index}`),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(5).fill(201), ...Array(15).fill(429)]);
});

test('two creates with one key at two hosts are one payment', async () => {
  const url = await postgres.migrated();
  const pair = [await start(url), await start(url)];
  const key = pair[0]?.demo?.secret ?? '';
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(pair.map((host) => create(host, key, `order-${round}`)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 201]);
    assert.equal(new Set(answers.map(({ body }) => body['id'])).size, 1);
  }
});

test('another host leads when the leader stops', async () => {
  const url = await postgres.migrated();
  const [first, second] = [await start(url), await start(url)];
  const key = first.demo?.secret ?? '';
  await settledBy(first, key, 'order-1');
  await first.stop();
  hosts.splice(hosts.indexOf(first), 1);
  await settledBy(second, key, 'order-2');
});

test('a host goes on while a newer one adds columns, tables and indexes', async () => {
  const url = await postgres.migrated();
  const host = await start(url);
  const key = host.demo?.secret ?? '';
  // Everything is prepared on the older columns.
  const before = (await create(host, key, 'order-0')).body['id'];
  await jsonCall(host, key, `/v1/test-helpers/payments/${before}/advance`, {});
  await settled(host, key, before);
  const running = Promise.all(
    Array.from({ length: 20 }, (_, index) => create(host, key, `running-${index}`)),
  );
  await addEverywhere(url);
  assert.deepEqual([...new Set((await running).map(({ status }) => status))], [201]);
  const { status, body } = await create(host, key, 'order-1');
  assert.equal(status, 201);
  await jsonCall(host, key, `/v1/test-helpers/payments/${body['id']}/advance`, {});
  await settled(host, key, body['id']);
  assert.equal((await create(host, key, 'order-1')).status, 200);
  const ready = await fetch(`${host.url}/readyz`);
  const { version, ...probe } = await ready.json();
  assert.deepEqual([ready.status, probe], [200, { status: 'ready', checks: allOk }]);
  assert.equal(typeof version, 'string');
  await assert.rejects(start(url), /newer than this version of Ponte/);
});

/** What migrations may do while older hosts run, done to every table: a lock on one at a time. */
async function addEverywhere(url: string): Promise<void> {
  const known = loadMigrations('postgres');
  const connections = postgresConnections({ url });
  const { rows } = await connections.use('once', (client) =>
    client.query('select tablename as name from pg_tables where schemaname = current_schema()'),
  );
  const added = [
    ...rows.map(({ name }) => `alter table ${name} add later text not null default 'x'`),
    'create table later (n integer not null primary key)',
    'create index payments_later on payments (org_id, mode, later)',
  ].map((sql, index): Migration => {
    const number = known.length + 1 + index;
    return { number, name: `${number}.sql`, sql, checksum: sql };
  });
  await migratePostgres(connections, [...known, ...added]);
  await connections.close();
}

test('hosts share one folder of documents: one with its own is refused', async () => {
  const url = await postgres.migrated();
  await start(url);
  for (const role of ['all', 'api', 'worker'] as const) {
    await start(url, role);
    const own = { PONTE_DATA_DIR: join(folder, role) };
    await assert.rejects(start(url, role, own), {
      name: 'ConfigError',
      message: /PONTE_DOCUMENTS: \S+\/documents is not where this database has its documents/,
    });
    await start(url, role, { ...own, PONTE_DOCUMENTS: 'none' });
  }
});

test('the roles api and worker need a database that several processes can serve', async () => {
  const dataDir = mkdtempSync(join(folder, 'sqlite-'));
  const refused = startHost(readConfig({ PONTE_DATA_DIR: dataDir, PONTE_PORT: '0' }), 'api');
  await assert.rejects(refused, /--role: api and worker are for hosts that share a PostgreSQL/);
});

test('without its database a host says so, with a time to come back, and recovers', async () => {
  const url = await postgres.migrated();
  const host = await start(url);
  const key = host.demo?.secret ?? '';
  await postgres.stop();
  const refused = await create(host, key, 'order-1');
  assert.equal(refused.status, 503);
  assert.equal(refused.body['error'], 'StoreUnavailable');
  assert.equal((await fetch(`${host.url}/readyz`)).status, 503);
  await postgres.start();
  assert.equal((await create(host, key, 'order-1')).status, 201);
  const events = await jsonCall(host, key, '/v1/events?after=0&wait=30');
  assert.equal((events.body['data'] as readonly unknown[]).length > 0, true);
});

test('a create that waits too long for a lock changes nothing and is logged', async (t) => {
  const url = await postgres.migrated();
  const env = { PONTE_DATA_DIR: folder, PONTE_SECRET_KEYS: secretKeys };
  const impatient = url.replace('search_path', 'lock_timeout=200ms -c search_path');
  const host = await startHostProcess({ ...env, PONTE_DATABASE_URL: impatient });
  t.after(() => host.kill());
  const order = { externalId: 'order-1', amount: '250.00', buyer };
  const create = () => jsonCall(host, host.key ?? '', '/v1/payment-intents', order);
  const holder = await postgresConnections({ url }).connect();
  await holder.query('begin; lock table payments in exclusive mode');
  const refused = await create();
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '2']);
  const { error, message } = refused.body;
  assert.equal(error, 'StoreUnavailable');
  assert.match(String(message), /Nothing was changed; repeat after 2s/);
  const logged = /"code":"StoreUnavailable".*canceling statement due to lock timeout/;
  while (!logged.test(host.log())) await wait(10);
  await holder.end();
  assert.equal((await create()).status, 201, 'and not a replay');
});
