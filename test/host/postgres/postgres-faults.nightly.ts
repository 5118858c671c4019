// Three real hosts on one PostgreSQL under load: one is killed, one stopped, and the database
// restarted. Afterwards everything acknowledged is stored and done, no command was executed twice
// at the partner, and no delivery was sent by two hosts at the same time.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { seededBytes } from '../../../adapters/crypto/ids.js';
import { openPostgresStore, type PostgresStore } from '../../../adapters/storage/postgres/store.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import {
  checkBooks,
  checkReceived,
  nothingIsLeftToSend,
  readFeed,
} from '../../support/scenes/after-faults.js';
import {
  type HostProcess,
  runCommand,
  startHostProcess,
} from '../../support/servers/host-process.js';
import { jsonCall } from '../../support/servers/json-call.js';
import { type LocalReceiver, startReceiver } from '../../support/servers/local-receiver.js';
import { created, numbersOf, orderOf, startLoad } from '../../support/servers/payment-load.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const PAYMENTS = 30;
const CLIENTS = 4;
/** The receiver takes its time, so that attempts would meet. */
const ANSWER_MS = 30;
const READ_EVERY_MS = 100;
/** Far beyond what it takes: a condition that does not come true by then never will. */
const PATIENCE_MS = 60_000;

const seed = process.env['FAULTS_SEED'] ?? randomBytes(4).toString('hex');
const below = numbersOf(seededBytes(seed));
const folder = temporaryFolder();
const secretKeys = `a:${randomBytes(32).toString('base64')}`;
const running = new Set<HostProcess>();
const receivers: LocalReceiver[] = [];

after(async () => {
  await Promise.all([...running].map((host) => host.kill()));
  await Promise.all(receivers.map((receiver) => receiver.close()));
});
// The server ends after its hosts.
const postgres = localPostgres({ own: true });

function environment(url: string) {
  return {
    PONTE_DATABASE_URL: url,
    PONTE_DATA_DIR: folder,
    PONTE_SECRET_KEYS: secretKeys,
    PONTE_FAKE_PARTNER_DELAY_MS: '20',
    PONTE_RATE_LIMIT_PER_MINUTE: '0',
    PONTE_WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1',
  } as const;
}

async function start(url: string): Promise<HostProcess> {
  const host = await startHostProcess(environment(url));
  running.add(host);
  return host;
}

async function kill(host: HostProcess): Promise<void> {
  await host.kill();
  running.delete(host);
}

async function stop(host: HostProcess): Promise<void> {
  assert.equal(await host.stop('SIGTERM'), 0, host.log());
  running.delete(host);
}

/** Well, badly or not at all, each after a while; what came while the same was on its way. */
async function startSlowReceiver() {
  const underWay = new Set<string>();
  const met: string[] = [];
  const answer = (response: ServerResponse) => {
    const fate = below(10);
    if (fate === 0) response.destroy();
    else response.writeHead(fate === 1 ? 500 : 204).end();
  };
  const receiver = await startReceiver((response, { headers }) => {
    const id = String(headers['x-service-delivery-id']);
    if (underWay.has(id)) met.push(id);
    underWay.add(id);
    response.once('close', () => underWay.delete(id));
    setTimeout(answer, below(ANSWER_MS), response);
  });
  receivers.push(receiver);
  return { receiver, met };
}

async function call(...request: Parameters<typeof jsonCall>) {
  const { status, body } = await jsonCall(...request);
  assert.ok(status < 300, `${request[2]}: ${status} ${JSON.stringify(body)}`);
  return body;
}

test('hosts that die, stop and lose their database lose nothing and do nothing twice', async (t) => {
  t.diagnostic(`FAULTS_SEED=${seed}`);
  const url = await postgres.newDatabase();
  const { receiver, met } = await startSlowReceiver();
  const first = await start(url);
  const apiKey = first.key ?? '';
  const subscribed = await call(first, apiKey, '/v1/webhook-subscriptions', {
    url: receiver.url,
    eventTypes: ['*'],
  });
  const hosts = [first, ...(await Promise.all([start(url), start(url)]))];
  const options = { hosts: () => hosts.map((host) => host.url), apiKey, below };

  const load = startLoad({ ...options, payments: PAYMENTS, clients: CLIENTS });
  const third = PAYMENTS / 3;
  const one = () => hosts.splice(below(hosts.length), 1)[0] as HostProcess;
  const [killed, stopped] = [one(), one()];
  hosts.push(killed, stopped);
  await load.reached(1 + below(third - 1));
  await kill(killed);
  await load.reached(third + below(third));
  await stop(stopped);
  await load.reached(2 * third + below(third));
  await postgres.stop();
  await postgres.start();
  await load.done;

  // Leases of a host that died end after half a minute. With all hosts gone nobody need wait.
  for (const host of running) await stop(host);
  await withStore(url, (store) => store.claims.releaseAll(Date.now()));
  const healer = await start(url);
  hosts.splice(0, hosts.length, healer);
  const ids = new Set(load.acknowledged.values());
  assert.equal(ids.size, PAYMENTS, 'one payment for each key');
  await checkAcknowledged(healer, apiKey, load.acknowledged);
  for (const index of Array(PAYMENTS).keys()) {
    const order = orderOf(index);
    assert.equal(await created(options, order), load.acknowledged.get(order.externalId));
  }
  await until('no delivery is on its way', healer, () => withStore(url, nothingIsLeftToSend));
  const env = environment(url);
  assert.equal((await runCommand(env, ['deliveries', 'replay', '--all-dead'])).status, 0);
  await until('no delivery is on its way', healer, () => withStore(url, nothingIsLeftToSend));
  assert.equal((await runCommand(env, ['ledger', 'verify', '--json'])).status, 0);
  await stop(healer);

  assert.deepEqual(met, [], 'attempts of one delivery that were under way at once');
  await withStore(url, (store) => checkBooks(store, ids));
  const events = await withStore(url, (store) => readFeed(store, ids));
  const secret = String(subscribed['secret']);
  checkReceived(receiver.requests, secret, events);
});

/** Messages of the partner are work of the leader. */
async function settleOne(host: HostProcess, apiKey: string, index: number): Promise<void> {
  const order = { ...orderOf(index), amount: '100.00' };
  const { id } = await call(host, apiKey, '/v1/payment-intents', order);
  await call(host, apiKey, `/v1/test-helpers/payments/${id}/advance`, {});
  await until(`payment ${index} is settled`, host, async () => {
    return (await call(host, apiKey, `/v1/payments/${id}`))['status'] === 'settled';
  });
}

test('while the leader is paused another one goes on, and then both', async () => {
  const url = await postgres.newDatabase();
  const receiver = await startReceiver((response) => response.writeHead(204).end());
  receivers.push(receiver);
  const paused = await start(url);
  const apiKey = paused.key ?? '';
  const hook = { url: receiver.url, eventTypes: ['*'] };
  await call(paused, apiKey, '/v1/webhook-subscriptions', hook);
  const create = (host: HostProcess, index: number) =>
    call(host, apiKey, '/v1/payment-intents', { ...orderOf(index), amount: '100.00' });
  const settle = (host: HostProcess, count: number) =>
    until(`${count} events are delivered`, host, async () => {
      const { nextAfter } = await call(host, apiKey, '/v1/events?limit=100');
      return nextAfter === count && (await withStore(url, nothingIsLeftToSend));
    });
  await create(paused, 1);
  await settle(paused, 2);
  const other = await start(url);

  paused.pause();
  await settleOne(other, apiKey, 2);
  const { nextAfter } = await call(other, apiKey, '/v1/events?limit=100');
  const sofar = Number(nextAfter);
  await settle(other, sofar);
  paused.resume();
  // What it knows is old, and it finds out without harm.
  await Promise.all([create(paused, 3), create(other, 4)]);
  await settle(paused, sofar + 4);
  await settle(other, sofar + 4);
  const ids = receiver.requests.map(({ headers }) => headers['x-service-delivery-id']);
  assert.deepEqual([ids.length, new Set(ids).size], [sofar + 4, sofar + 4]);
  await stop(paused);
  await stop(other);
});

/** Each with its content, and settled before long. */
async function checkAcknowledged(
  host: HostProcess,
  apiKey: string,
  acknowledged: ReadonlyMap<string, string>,
): Promise<void> {
  for (const index of Array(acknowledged.size).keys()) {
    const order = orderOf(index);
    const id = acknowledged.get(order.externalId);
    await until(`${id} is settled`, host, async () => {
      const found = await call(host, apiKey, `/v1/payments/${id}`);
      const { externalId, amount, metadata, status } = found;
      const { email } = found['buyer'] as Readonly<Record<string, unknown>>;
      assert.deepEqual({ externalId, amount, buyer: { email }, metadata }, order);
      assert.notEqual(status, 'failed');
      return status === 'settled';
    });
  }
}

async function withStore<T>(url: string, work: (store: PostgresStore) => Promise<T>): Promise<T> {
  const store = openPostgresStore({ url });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function until(what: string, host: HostProcess, look: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  while (!(await look())) {
    if (performance.now() > endsAtMs) assert.fail(`not seen: ${what}\n${host.log()}`);
    await wait(READ_EVERY_MS);
  }
}
