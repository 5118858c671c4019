// A real host is killed again and again under load, with a receiver that is down now and then.
// Afterwards everything that was acknowledged is there, every payment is settled, nothing was done
// twice at the partner, and the receiver got every event, repeats under the same id and bytes.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openSqliteStore, type SqliteStore } from '../../adapters/storage/sqlite/store.js';
import type { WebhookDelivery } from '../../core/domain/webhooks/webhook-delivery.js';
import {
  checkBooks,
  checkReceived,
  nothingIsLeftToSend,
  readFeed,
} from '../support/scenes/after-faults.js';
import { runCommand } from '../support/servers/command.js';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.js';
import { type LocalReceiver, startReceiver } from '../support/servers/local-receiver.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const KILLS = 3;
const CLIENTS = 8;
const PAYMENTS_PER_LIFE = 10;
/** Far beyond what it takes: a condition that does not come true by then never will. */
const PATIENCE_MS = 60_000;
const READ_EVERY_MS = 50;

const folder = temporaryFolder();
const env = {
  PONTE_DATA_DIR: folder,
  PONTE_FAKE_PARTNER_DELAY_MS: '20',
  PONTE_RATE_LIMIT_PER_MINUTE: '0',
  PONTE_WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1',
} as const;

/** How the receiver behaves now. */
let receiving: 'well' | 'refusing' | 'cutting off' = 'well';
let receiver: LocalReceiver;
let host: HostProcess;
let key = '';
let secret = '';

/** Id of every payment whose creation was answered, by externalId. */
const acknowledged = new Map<string, string>();
/** ExternalIds of payments whose advance was answered. */
const advanced = new Set<string>();

const suite = suiteEnd();

before(async () => {
  receiver = await startReceiver((response) => {
    if (receiving === 'cutting off') response.destroy();
    else response.writeHead(receiving === 'well' ? 204 : 500).end();
  });
  suite.after(() => receiver.close());
  host = await startHostProcess(env);
  suite.after(() => host.kill());
  key = host.key ?? '';
  const subscription = await call('POST', '/v1/webhook-subscriptions', {
    url: `${receiver.url}/webhooks`,
    eventTypes: ['*'],
  });
  secret = String(subscription['secret']);
});

test('a host killed under load loses nothing it acknowledged and does nothing twice', async () => {
  for (let life = 0; life < KILLS; life += 1) {
    receiving = (['well', 'refusing', 'cutting off'] as const)[life % 3] ?? 'well';
    await loadUntilKilled(life);
    host = await startHostProcess(env);
  }
  receiving = 'well';
  const planned = Array.from({ length: KILLS * PAYMENTS_PER_LIFE }, (_, index) => nameOf(index));
  // What was not answered is asked for again, with the same key: a client's way.
  for (const externalId of planned) await createAndAdvance(externalId);
  assert.equal(new Set(acknowledged.values()).size, planned.length, 'one payment for each key');

  for (const [externalId, id] of acknowledged) {
    const payment = await until(`${id} is settled`, async () => {
      const found = await call('GET', `/v1/payments/${id}`);
      assert.notEqual(found['status'], 'failed');
      return found['status'] === 'settled' ? found : null;
    });
    assert.equal(payment['externalId'], externalId);
    assert.equal((payment['funds'] as Record<string, unknown>)['received'], '100.00');
  }
  // Refusals and kills use up attempts here, so some deliveries may have none left.
  await until('no delivery is on its way', allIsSent);
  assert.equal((await runCommand(env, ['deliveries', 'replay', '--all-dead'])).status, 0);
  await until('no delivery is on its way', allIsSent);
  assert.deepEqual(await deadLetters(), [], 'no dead letters are left');
  assert.equal((await runCommand(env, ['ledger', 'verify', '--json'])).status, 0);
  const { stdout } = await runCommand(env, ['audit', 'verify', '--json']);
  const { sound, entries } = JSON.parse(stdout);
  assert.ok(sound && entries > planned.length, 'the audit log is unbroken');
  assert.equal(await host.stop('SIGTERM'), 0);
  const ids = [...acknowledged.values()];
  await withStore((store) => checkBooks(store, ids));
  const events = await withStore((store) => readFeed(store, ids));
  checkReceived(receiver.requests, secret, events);
});

/** Clients create and advance payments of this life until enough are answered; then the kill. */
async function loadUntilKilled(life: number): Promise<void> {
  const names = Array.from({ length: PAYMENTS_PER_LIFE }, (_, index) =>
    nameOf(life * PAYMENTS_PER_LIFE + index),
  );
  const queue = [...names];
  const client = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      // A call cut off by the kill is no failure: its effect is found out later.
      await createAndAdvance(name).catch((error: unknown) => assert.ok(error instanceof TypeError));
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  // Each life ends at another point of the work.
  const enough = Math.ceil(((life + 1) * PAYMENTS_PER_LIFE) / (KILLS + 1));
  await until(`${enough} payments of life ${life} are answered`, async () =>
    names.filter((name) => advanced.has(name)).length >= enough ? true : null,
  );
  await host.kill();
  await clients;
}

async function createAndAdvance(externalId: string): Promise<void> {
  const created = await call('POST', '/v1/payment-intents', {
    externalId,
    amount: '100.00',
    buyer: { email: `${externalId}@example.com` },
  });
  const id = String(created['id']);
  assert.equal(acknowledged.get(externalId) ?? id, id, 'one key is one payment');
  acknowledged.set(externalId, id);
  await call('POST', `/v1/test-helpers/payments/${id}/advance`, {});
  advanced.add(externalId);
}

/** Rejects with a TypeError (of fetch) when the host is gone, and fails on a refusal. */
async function call(
  method: string,
  path: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${host.url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-api-key': key,
      ...(body?.['externalId'] === undefined ? {} : { 'idempotency-key': `${body['externalId']}` }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text().catch((cause: unknown) => {
    throw new TypeError('the host is gone', { cause });
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** Looked up in the file beside the host, as the CLI does. */
async function allIsSent(): Promise<true | null> {
  return (await withStore(nothingIsLeftToSend)) ? true : null;
}

function deadLetters(): Promise<readonly WebhookDelivery[]> {
  const filter = { status: 'dead_letter', subscriptionId: null, beforeId: null, limit: 1 } as const;
  return withStore((store) => store.run((tx) => tx.deliveries.list(filter)));
}

async function withStore<T>(work: (store: SqliteStore) => Promise<T>): Promise<T> {
  const store = openSqliteStore({ path: join(folder, 'ponte.db') });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function nameOf(index: number): string {
  return `order-${index}`;
}

async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > endsAtMs) assert.fail(`not seen: ${what}\n${host.log()}`);
    await wait(READ_EVERY_MS);
  }
}
