// Round trips, statements and commits of HTTP requests: a read, and a create with the webhooks of
// one subscription. A change that adds one fails here.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createHttpServer } from '../../../adapters/http/server.js';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { newStore } from '../../../adapters/storage/store.js';
import { developmentOperator } from '../../../core/domain/base/actor.js';
import { money } from '../../../core/domain/base/money.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { Store } from '../../../core/ports/storage.js';
import { createKey, unlimitedKey } from '../../../core/usecases/access/keys.js';
import { createOrganization } from '../../../core/usecases/parties/organizations.js';
import { createPayment } from '../../../core/usecases/payments/payments.js';
import { asService } from '../../../core/usecases/service/audit-log.js';
import { deliveryRunner } from '../../../core/usecases/webhooks/delivery-runner.js';
import { IN_FLIGHT_PER_SUBSCRIPTION } from '../../../core/usecases/webhooks/delivery-window.js';
import { createSubscription } from '../../../core/usecases/webhooks/subscriptions.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { notedSession } from '../../support/databases/noted-session.js';
import { intentInput } from '../../support/scenes/made-payments.js';
import { openWorld } from '../../support/scenes/test-world.js';
import { until } from '../../support/wait.js';
import { allWell } from '../http/checked-site.js';

const opened: { close(): unknown }[] = [];
after(async () => {
  for (const one of opened.toReversed()) await one.close();
});
const postgres = localPostgres();
/** One more for each of the two deliveries that the receiver took fast. */
const SLOTS = IN_FLIGHT_PER_SUBSCRIPTION + 2;

/** Payments with unique keys and externalIds. */
interface Served {
  /** One, over HTTP, until both its webhooks are sent. */
  one(): Promise<void>;
  /** Reads the newest one by its id, over HTTP. */
  read(): Promise<void>;
  /** A hundred, asked for in one turn, until as many webhooks are sent as there are slots. */
  hundred(): Promise<void>;
  /** Records the end of the webhooks that were sent at once. */
  record(): Promise<void>;
  /** One run of the worker that claims the others; how many those were. */
  claim(): Promise<number>;
}

async function serving(store: Pick<Store, 'run' | 'claims'>): Promise<Served> {
  const made = await openWorld({ settings: { rateLimitPerMinute: 0 } });
  const deps: Deps = {
    ...made.deps,
    store: { ...made.deps.store, ...store },
    dispatch: () => deliveries.dispatch(),
  };
  const deliveries = deliveryRunner(deps);
  let held = Promise.withResolvers<void>();
  made.answer = async () => {
    await held.promise;
    return {};
  };
  const finish = async () => {
    held.resolve();
    await deliveries.idle();
    held = Promise.withResolvers();
  };
  const { organization } = await createOrganization(deps, { name: 'Acme', sandboxKyb: true });
  const tenant = { orgId: organization.id, mode: 'test' } as const;
  const { secret } = await createKey(deps, {
    ...tenant,
    createdBy: developmentOperator.id,
    name: 'test',
    ...unlimitedKey,
  });
  const url = 'https://receiver.example/webhooks';
  await createSubscription(deps, tenant, { url, eventTypes: ['*'] });
  const http = createHttpServer(deps, {
    corsOrigins: [],
    feedReaders: made.feedReaders,
    readiness: async () => allWell,
  });
  opened.push(made, { close: () => http.close(0) });
  const { port } = await http.listen('127.0.0.1', 0);
  // The proof of audit entries is read once a minute.
  await asService(deps, 'warm-up').store.run(async () => undefined);
  // Once it has seen that nothing waits from before.
  await deliveries.runOnce(deps.clock.nowMs(), 1);
  let orders = 0;
  const next = () => {
    orders += 1;
    const name = `order-${orders}`;
    return { name, email: `${name}@buyer.example` };
  };
  let id = '';
  const intents = `http://127.0.0.1:${port}/v1/payment-intents`;
  return {
    async read() {
      const answer = await fetch(`${intents}/${id}`, { headers: { 'x-api-key': secret } });
      assert.equal(answer.status, 200, await answer.text());
    },
    async one() {
      const { name, email } = next();
      const answer = await fetch(intents, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': secret,
          'idempotency-key': name,
        },
        body: JSON.stringify({ externalId: name, amount: '250.00', buyer: { email } }),
      });
      const text = await answer.text();
      assert.equal(answer.status, 201, text);
      id = JSON.parse(text).id;
      await until(() => made.sent.length === 2);
    },
    async hundred() {
      const inputs = Array.from({ length: 100 }, () => inputOf(next()));
      await Promise.all(inputs.map((input) => createPayment(deps, tenant, input)));
      await until(() => made.sent.length === 2 + SLOTS);
      // The others are stored, in two batches or more.
      await until(() => made.woken.filter((work) => work === 'deliveries').length >= 2);
    },
    record: finish,
    async claim() {
      held.resolve();
      const begun = await deliveries.runOnce(deps.clock.nowMs(), 1_000);
      await finish();
      return begun;
    },
  };
}

function inputOf({ name, email }: { readonly name: string; readonly email: string }) {
  return {
    ...intentInput,
    idempotencyKey: name,
    externalId: name,
    amount: money(25_000n, 'USD'),
    buyer: { email, name: null, country: null, phone: null },
  };
}

/** Counts the claims of deliveries that are asked for. */
function countedClaims({ claims }: Pick<Store, 'claims'>): Store['claims'] & { taken: number } {
  const counted = {
    ...claims,
    taken: 0,
    deliveries: (claim: Parameters<typeof claims.deliveries>[0]) => {
      counted.taken += 1;
      return claims.deliveries(claim);
    },
  };
  return counted;
}

test('on PostgreSQL a create takes few round trips, and a hundred concurrent ones few more', async () => {
  const store = openPostgresStore({ url: await postgres.migrated() });
  opened.push(store);
  const claims = countedClaims(store);
  const served = await serving({ run: store.run, claims });
  const costOf = async (work: () => Promise<void>) => {
    const before = store.counts;
    await work();
    const { reads, commits } = store.counts;
    return { reads: reads - before.reads, commits: commits - before.commits };
  };
  // The API key; what has the key or the externalId, profile, buyer; what is known of a new buyer.
  // Then all of the batch. The subscriptions, unless a quarantine holds all webhooks.
  assert.deepEqual(await costOf(served.one), { reads: 4, commits: 1 });
  assert.deepEqual(await costOf(served.record), { reads: 0, commits: 1 });
  assert.equal(claims.taken, 0);
  // The API key; all of the payment's view.
  assert.deepEqual(await costOf(served.read), { reads: 2, commits: 0 });
  // One after another they would take 600 and 200. How many groups they make depends on the load.
  const { reads, commits } = await costOf(served.hundred);
  assert.ok(reads <= 30 && commits <= 20, `${reads} reads, ${commits} commits`);
});

test('on SQLite a create is few statements, and a hundred concurrent ones few commits', async () => {
  let written = 0;
  const { session, database } = notedSession((kind, ...statements) => {
    if (kind === 'write') written += statements.length;
  });
  opened.push(session);
  const served = await serving(newStore(database));
  const costOf = async (work: () => Promise<void>) => {
    const before = { written, reads: session.reads, ...session.counts };
    await work();
    return {
      reads: session.reads - before.reads,
      writes: written - before.written,
      commits: session.counts.commits - before.commits,
    };
  };
  // Written: the guards on profile and epoch, buyer, payment, the key, the event. The head
  // of the feed is not counted: it is stored once for a group.
  assert.deepEqual(await costOf(served.one), { reads: 5, writes: 6, commits: 1 });
  // Two deliveries, each with its attempt.
  assert.deepEqual(await costOf(served.record), { reads: 0, writes: 2, commits: 1 });
  // All of the payment's view. The key is known.
  assert.deepEqual(await costOf(served.read), { reads: 1, writes: 0, commits: 0 });
  assert.deepEqual(await costOf(served.read), { reads: 0, writes: 0, commits: 0 });
  // Buyer and KYC each: profile, subscriptions and epoch are known, and what is new is inserted.
  const writes = 600 + 200 - SLOTS;
  assert.deepEqual(await costOf(served.hundred), { reads: 200, writes, commits: 3 });
  // Where more wait than there are slots, it is known who. The first claim reads where to send;
  // every other one is one statement.
  await served.record();
  const claiming = (count: number) => async () => assert.equal(await served.claim(), count);
  assert.deepEqual(await costOf(claiming(68)), { reads: 1, writes: 1 + 68, commits: 2 });
  assert.deepEqual(await costOf(claiming(98)), { reads: 0, writes: 1 + 98, commits: 2 });
});
