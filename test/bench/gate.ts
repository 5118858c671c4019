// `npm run bench -- --gate`: what a request costs, against a recorded table (costs.json). The
// statements and the bytes written to the log are counts, the same on any machine: more than 5 %
// above the table fails, and so does another set of requests. `--record` writes the table.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createHttpServer } from '../../adapters/http/server.js';
import { SqliteDatabase } from '../../adapters/storage/sqlite/database.js';
import { newStore } from '../../adapters/storage/store.js';
import { developmentOperator } from '../../core/domain/base/actor.js';
import type { Deps } from '../../core/ports/deps.js';
import { createKey, unlimitedKey } from '../../core/usecases/access/keys.js';
import { receivePartnerMessage } from '../../core/usecases/commands/partner-inbox.js';
import { createOrganization } from '../../core/usecases/parties/organizations.js';
import { createPayment } from '../../core/usecases/payments/payments.js';
import { advancePayment } from '../../core/usecases/sandbox/sandbox.js';
import { deliveryRunner } from '../../core/usecases/webhooks/delivery-runner.js';
import { feedReaders } from '../../core/usecases/webhooks/feed-readers.js';
import { createSubscription } from '../../core/usecases/webhooks/subscriptions.js';
import { allWell } from '../adapters/http/checked-site.js';
import { migratedImage } from '../support/databases/migrated-image.js';
import { intentInput } from '../support/scenes/made-payments.js';
import { openWorld, settler } from '../support/scenes/test-world.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { countedStatements } from './counted-statements.js';

/** Of one request. */
interface Cost {
  readonly statements: number;
  readonly bytesWritten: number;
}

type Costs = Readonly<Record<string, Cost>>;

const table = new URL('costs.json', import.meta.url);
const counted = ['statements', 'bytesWritten'] as const;
const MORE_MAX = 0.05;
/** As many creates as share a commit under load, and payments that are played side by side. */
const GROUP = 25;
const GROUPS = 20;
const READS = 300;
/** 2,000 creates a second. Ids of one moment have no order, so each would write other pages. */
const CREATES_PER_MS = 2;

/** Whether no count has grown by more than 5 %. */
export async function gate({ record }: { readonly record: boolean }): Promise<boolean> {
  const costs = await measured();
  if (record) writeFileSync(table, `${JSON.stringify(costs, null, 2)}\n`);
  const recorded = JSON.parse(readFileSync(table, 'utf8')) as Costs;
  const names = (of: Costs) => Object.keys(of).toSorted().join();
  let isKept = names(recorded) === names(costs);
  if (!isKept) process.stdout.write('The table has other requests: record it.\n');
  for (const [what, cost] of Object.entries(costs)) {
    const before = recorded[what];
    const grown = counted.filter((name) => cost[name] > (before?.[name] ?? 0) * (1 + MORE_MAX));
    if (grown.length > 0) isKept = false;
    const figures = counted.map(
      (name) => `${name} ${cost[name]} (${before?.[name] ?? 'not recorded'})`,
    );
    const verdict = grown.length > 0 ? `GROWN: ${grown.join(', ')}` : 'ok';
    process.stdout.write(`${what}: ${figures.join(', ')}: ${verdict}\n`);
  }
  return isKept;
}

async function measured(): Promise<Costs> {
  const path = join(temporaryFolder(), 'gate.db');
  writeFileSync(path, migratedImage());
  const database = new SqliteDatabase({ path });
  // The log only grows, by what is written.
  database.connection.pragma('wal_autocheckpoint = 0');
  const served = await serving(database);
  const statements = countedStatements(database.connection);
  const costOf = async (requests: number, work: () => Promise<unknown>): Promise<Cost> => {
    // Compiles the code, and fills the caches.
    await work();
    const before = { statements: statements(), bytes: statSync(`${path}-wal`).size };
    await work();
    const perRequest = (total: number) => Math.round((total / requests) * 100) / 100;
    return {
      statements: perRequest(statements() - before.statements),
      bytesWritten: Math.round((statSync(`${path}-wal`).size - before.bytes) / requests),
    };
  };
  const creates = await costOf(GROUPS * GROUP, async () => {
    for (let group = 0; group < GROUPS; group += 1) await served.create(GROUP);
  });
  const reads = (path: string) => async () => {
    for (let read = 0; read < READS; read += 1) await served.get(path);
  };
  const costs = {
    'create + webhook, 25 in a group': creates,
    'read by id': await costOf(READS, reads(`/v1/payment-intents/${served.id()}`)),
    'list of 25': await costOf(READS, reads('/v1/payments?limit=25')),
    'feed of 25': await costOf(READS, reads('/v1/events?after=100&limit=25')),
    'a payment of a new buyer, create to settled + 8 webhooks': await costOf(GROUP, () =>
      served.settle(GROUP),
    ),
  };
  await served.close();
  await database.close();
  return costs;
}

async function serving(database: SqliteDatabase) {
  const world = await openWorld({ settings: { rateLimitPerMinute: 0 } });
  const deps: Deps = {
    ...world.deps,
    store: { ...world.deps.store, ...newStore(database) },
    dispatch: () => deliveries.dispatch(),
  };
  const deliveries = deliveryRunner(deps);
  const { organization } = await createOrganization(deps, { name: 'Acme', sandboxKyb: true });
  const tenant = { orgId: organization.id, mode: 'test' } as const;
  const key = { ...tenant, createdBy: developmentOperator.id, name: 'gate', ...unlimitedKey };
  const { secret } = await createKey(deps, key);
  const url = 'https://receiver.example/webhooks';
  await createSubscription(deps, tenant, { url, eventTypes: ['payment_intent.*'] });
  const http = createHttpServer(deps, {
    corsOrigins: [],
    feedReaders: feedReaders(deps),
    readiness: async () => allWell,
  });
  const { port } = await http.listen('127.0.0.1', 0);
  const agent = new Agent({ keepAlive: true });
  let orders = 0;
  let id = '';
  const createOne = async () => {
    orders += 1;
    if (orders % CREATES_PER_MS === 0) world.advanceClock(1);
    const name = `order-${orders}`;
    const email = `buyer-${orders % 100}@buyer.example`;
    const buyer = { email, name: null, country: null, phone: null };
    const input = { ...intentInput, externalId: name, idempotencyKey: name, buyer };
    const { payment } = await createPayment(deps, tenant, input);
    id = payment.id;
    return payment.id;
  };
  world.deliver = async ({ headers, body }) =>
    void (await receivePartnerMessage(deps, { partner: 'fake', mode: 'test', headers, body }));
  const settle = settler(deps, world.partner);
  return {
    id: () => id,
    async create(count: number) {
      await Promise.all(Array.from({ length: count }, createOne));
      await deliveries.idle();
      await deliveries.runOnce(deps.clock.nowMs(), 1_000);
      await deliveries.idle();
    },
    async settle(count: number) {
      const ids = await Promise.all(Array.from({ length: count }, createOne));
      for (const one of ids) await advancePayment(deps, tenant, one, 'settled');
      for (let left = count; left > 0; world.advanceClock(100)) {
        await settle();
        await deliveries.idle();
        const found = await deps.store.run((tx) =>
          Promise.all(ids.map((one) => tx.payments.find(one))),
        );
        left = found.filter((payment) => payment?.status !== 'settled').length;
      }
    },
    get: (path: string) =>
      new Promise<void>((resolve, reject) => {
        const headers = { 'x-api-key': secret };
        request({ port, host: '127.0.0.1', path, headers, agent }, (answer) => {
          if (answer.statusCode !== 200) reject(new Error(`${path}: ${answer.statusCode}`));
          answer.resume().once('end', resolve);
        })
          .once('error', reject)
          .end();
      }),
    async close() {
      agent.destroy();
      await http.close(0);
      await world.close();
    },
  };
}
