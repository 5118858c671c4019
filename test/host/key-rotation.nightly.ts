// Secret keys are rotated under load: real hosts restart one after the other, drained as by a load
// balancer, with the old key, both, and the new one alone. No request fails, every payment settles,
// every webhook verifies, and what was handed out at first is still valid at the end.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import { openPostgresStore } from '../../adapters/storage/postgres/store.js';
import { openSqliteStore } from '../../adapters/storage/sqlite/store.js';
import type { Store } from '../../core/ports/storage.js';
import { localPostgres } from '../support/databases/local-postgres.js';
import { columnsHolding } from '../support/databases/texts-in-database.js';
import { checkBooks, checkReceived, readFeed } from '../support/scenes/after-faults.js';
import { runCommand } from '../support/servers/command.js';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.js';
import type { Json } from '../support/servers/json-call.js';
import { startReceiver } from '../support/servers/local-receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const CLIENTS = 3;
/** Payments between one step and the next. */
const PAYMENTS_A_STEP = 4;
const READ_EVERY_MS = 10;
/** Pause of a client after each payment. */
const PAUSE_MS = 50;

const [oldKey, newKey] = [newSecretKey('old'), newSecretKey('new')];
const steps = {
  'the new key last': `${oldKey},${newKey}`,
  'the new key first': `${newKey},${oldKey}`,
} as const;

const folder = temporaryFolder();
const postgres = localPostgres();

/** A host that takes requests, and the number of requests in flight. */
interface Place {
  readonly host: HostProcess;
  inFlight: number;
}

class Service {
  readonly #env: Readonly<Record<string, string>>;
  readonly #places: Place[] = [];
  key = '';

  constructor(database: string) {
    this.#env = {
      PONTE_DATABASE_URL: database,
      PONTE_DATA_DIR: join(folder, 'data'),
      PONTE_FAKE_PARTNER_DELAY_MS: '20',
      PONTE_RATE_LIMIT_PER_MINUTE: '0',
      // A host that stops may cut off an attempt: the next one comes soon.
      PONTE_WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1',
      PONTE_LOG_LEVEL: 'warn',
    };
  }

  async start(secretKeys: string): Promise<void> {
    const host = await startHostProcess({ ...this.#env, PONTE_SECRET_KEYS: secretKeys });
    this.key = host.key ?? this.key;
    this.#places.push({ host, inFlight: 0 });
  }

  /** Drains the oldest host, stops it and starts it again. */
  async restart(secretKeys: string): Promise<void> {
    const place = this.#places.shift();
    assert.ok(place !== undefined);
    while (place.inFlight > 0) await wait(READ_EVERY_MS);
    assert.equal(await place.host.stop('SIGTERM'), 0);
    await this.start(secretKeys);
  }

  /** Asks any running host. A refusal or a lost connection fails the test. */
  async call(
    method: string,
    path: string,
    body?: Json,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Json> {
    const place = await this.#free();
    place.inFlight += 1;
    try {
      const response = await fetch(`${place.host.url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'x-api-key': this.key, ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await response.text();
      assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
      return text.startsWith('{') ? (JSON.parse(text) as Json) : { text };
    } finally {
      place.inFlight -= 1;
    }
  }

  command(secretKeys: string, words: string) {
    return runCommand({ ...this.#env, PONTE_SECRET_KEYS: secretKeys }, words.split(' '));
  }

  async end(): Promise<void> {
    for (const { host } of this.#places.splice(0)) assert.equal(await host.stop('SIGTERM'), 0);
  }

  async kill(): Promise<void> {
    await Promise.all(this.#places.map(({ host }) => host.kill()));
  }

  /** The least busy host; waits while the only one restarts. */
  async #free(): Promise<Place> {
    for (;;) {
      const [first] = this.#places.toSorted((a, b) => a.inFlight - b.inFlight);
      if (first !== undefined) return first;
      await wait(READ_EVERY_MS);
    }
  }
}

/** Clients that create and advance payments until `end`. */
class Load {
  readonly ids: string[] = [];
  readonly #service: Service;
  readonly #clients: Promise<unknown>;
  #isEnough = false;

  constructor(service: Service) {
    this.#service = service;
    this.#clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => this.#run(client)));
    // `more` and `end` report a failure; until then it must not count as unhandled.
    this.#clients.catch(() => undefined);
  }

  /** Resolves after this many more payments. */
  async more(count = PAYMENTS_A_STEP): Promise<void> {
    const wanted = this.ids.length + count;
    const reached = async () => {
      while (this.ids.length < wanted) await wait(READ_EVERY_MS);
    };
    await Promise.race([reached(), this.#clients]);
  }

  async end(): Promise<void> {
    this.#isEnough = true;
    await this.#clients;
  }

  async #run(client: number): Promise<void> {
    for (let count = 0; !this.#isEnough; count += 1) {
      const externalId = `order-${client}-${count}`;
      const { id } = await this.#service.call('POST', '/v1/payment-intents', {
        externalId,
        amount: '100.00',
        buyer: { email: `${externalId}@example.com` },
      });
      await this.#service.call('POST', `/v1/test-helpers/payments/${id}/advance`, {});
      this.ids.push(String(id));
      await wait(PAUSE_MS);
    }
  }
}

const databases = {
  'one host over SQLite': { hosts: 1, url: async () => `sqlite:${join(folder, 'ponte.db')}` },
  'two hosts over PostgreSQL': { hosts: 2, url: () => postgres.newDatabase() },
} as const;

for (const [name, { hosts, url }] of Object.entries(databases)) {
  describe(`the secret key of ${name} is rotated under load`, () => {
    test('no request fails, every webhook verifies, and the old key can be dropped', async (t) => {
      const receiver = await startReceiver((response) => response.writeHead(204).end());
      t.after(() => receiver.close());
      const database = await url();
      const service = new Service(database);
      t.after(() => service.kill());
      for (let count = 0; count < hosts; count += 1) await service.start(oldKey);
      const given = await giveOut(service, `${receiver.url}/webhooks`);
      const load = new Load(service);
      await load.more();
      for (const [step, keys] of Object.entries(steps)) {
        for (let count = 0; count < hosts; count += 1) {
          await service.restart(keys);
          await load.more();
          const isHalfway = step === 'the new key first' && count + 1 < hosts;
          if (isHalfway) await untilOldHostIsReported(service);
        }
      }
      const done = await service.command(steps['the new key first'], 'secrets reseal --json');
      assert.equal(done.status, 0, done.stdout);
      assert.deepEqual((JSON.parse(done.stdout) as Json)['retiredKeys'], ['old']);
      assert.deepEqual(await columnsHolding(database, 's1.old.'), []);
      await load.more();
      for (let count = 0; count < hosts; count += 1) {
        await service.restart(newKey);
        await load.more();
      }
      await load.end();
      await stillGood(service, given);
      for (const id of load.ids) {
        for (let status: unknown = ''; status !== 'settled'; ) {
          ({ status } = await service.call('GET', `/v1/payments/${id}`));
          assert.notEqual(status, 'failed');
        }
      }
      const open = 'deliveries list --status pending --json';
      for (let left: unknown = null; JSON.stringify(left) !== '[]'; ) {
        left = (JSON.parse((await service.command(newKey, open)).stdout) as Json)['data'];
      }
      assert.equal((await service.command(newKey, 'doctor')).status, 0);
      await service.end();
      await withStore(database, async (store) => {
        await checkBooks(store, load.ids);
        const events = await readFeed(store, load.ids);
        checkReceived(receiver.requests, given.secret, events);
      });
    });
  });
}

/** One host still has the old key first. A reseal reports it once that host seals in time. */
async function untilOldHostIsReported(service: Service): Promise<void> {
  for (;;) {
    const { status, stdout } = await service.command(steps['the new key first'], 'secrets reseal');
    if (status === 0) continue;
    assert.equal(status, 8);
    assert.match(
      stdout,
      /A process still seals under "old"\. Restart all hosts with "new" as the first/,
    );
    return;
  }
}

interface Given {
  readonly secret: string;
  readonly publicPath: string;
  readonly token: string;
}

/** A webhook secret, a document URL and a session token, all made under the old key. */
async function giveOut(service: Service, url: string): Promise<Given> {
  const body = { url, eventTypes: ['*'] };
  const { secret } = await service.call('POST', '/v1/webhook-subscriptions', body);
  const { buyerId } = await service.call('POST', '/v1/buyer-kyc', { buyerEmail: 'bo@example.com' });
  const upload = await service.call('POST', `/v1/buyer-kyc/${buyerId}/upload-url`, {
    kind: 'selfie',
    contentType: 'image/png',
  });
  const headers = upload['uploadHeaders'] as Record<string, string>;
  const sent = await fetch(String(upload['uploadUrl']), { method: 'PUT', headers, body: 'a face' });
  assert.equal(sent.status, 200);
  const { pathname, search } = new URL(String(upload['publicUrl']));
  const orgs = await service.command(oldKey, 'org list --json');
  const [{ id }] = (JSON.parse(orgs.stdout) as { data: [{ id: string }] }).data;
  await service.command(oldKey, `member add --org ${id} --email ana@acme.example --role owner`);
  const words = `token create --org ${id} --member ana@acme.example`;
  const token = (await service.command(oldKey, words)).stdout.trim();
  return { secret: String(secret), publicPath: `${pathname}${search}`, token };
}

async function stillGood(service: Service, { publicPath, token }: Given): Promise<void> {
  assert.deepEqual(await service.call('GET', publicPath), { text: 'a face' });
  const headers = { authorization: `Bearer ${token}` };
  const status = await service.call('GET', '/v1/onboarding/status', undefined, headers);
  assert.equal(status['mode'], 'test');
}

async function withStore(database: string, work: (store: Store) => Promise<void>): Promise<void> {
  const store = database.startsWith('sqlite:')
    ? openSqliteStore({ path: database.slice('sqlite:'.length) })
    : openPostgresStore({ url: database });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}
