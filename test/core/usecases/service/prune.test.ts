// Retention, over real payments and years: what goes when it is old, what never goes, and what
// keeps what is old from going.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import { schedules } from '../../../../core/domain/base/schedules.js';
import { type Tenant, tenantOf } from '../../../../core/domain/base/tenant.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { cancelPayment, readPayment } from '../../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { prune, pruneFor } from '../../../../core/usecases/service/prune.js';
import { replayByOperator } from '../../../../core/usecases/webhooks/deliveries.js';
import {
  changeSubscription,
  createSubscription,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { aDelivery, aPartyDraft } from '../../../support/samples/domain-samples.js';
import { makeIntent } from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { valuesOf } from '../../../support/values-of.js';

const YEAR_MS = 365 * DAY_MS;

interface Stage extends World {
  readonly tenant: Tenant;
  readonly subscriptionId: string;
  create(externalId: string): Promise<Payment>;
  /** Creates a payment and plays it until it is settled. */
  settled(externalId: string): Promise<Payment>;
  deliveries(): Promise<readonly string[]>;
  /** The first sequence that the feed still has, and the last. */
  feedFrom(): Promise<readonly [oldest: number, last: number]>;
  /** All that stands for money, and what a create is recognized by. */
  money(payment: Payment): Promise<unknown>;
}

async function opened(t: TestContext): Promise<Stage> {
  const made = await world(t, { settings: { rateLimitPerMinute: 0 } });
  const { deps } = made;
  const { store } = deps;
  const tenant = await made.newTenant();
  const { subscription } = await createSubscription(deps, tenant, {
    url: 'https://a.example/h',
    eventTypes: ['payment_intent.*'],
  });
  const create = async (externalId: string) => {
    const idempotencyKey = `key of ${externalId}`;
    const { payment } = await makeIntent(deps, tenant, { idempotencyKey, externalId });
    await made.settle();
    return payment;
  };
  return Object.assign(made, {
    tenant,
    subscriptionId: subscription.id,
    create,
    async settled(externalId: string) {
      const { id } = await create(externalId);
      await advancePayment(deps, tenant, id, null);
      for (;;) {
        await made.settle();
        const { payment } = await readPayment(deps, tenant, id);
        if (payment.status === 'settled') return payment;
        made.advanceClock(1_000);
      }
    },
    deliveries: () =>
      store.run(async (tx) => {
        const filter = { status: null, subscriptionId: null, beforeId: null, limit: 10_000 };
        return (await tx.deliveries.list(filter)).map(({ id }) => id);
      }),
    feedFrom: () =>
      store.run(async (tx) => {
        const last = (await tx.feed.head(tenant))?.sequence ?? 0;
        const [oldest] = await tx.feed.after(tenant, 0, 1);
        return [oldest?.sequence ?? last + 1, last] as const;
      }),
    money: (payment: Payment) =>
      store.run((tx) => {
        const whose = tenantOf(payment);
        return Promise.all([
          tx.payments.get(whose, payment.id),
          tx.funds.get(whose, payment.id),
          tx.ledger.ofSubject(whose, payment.id),
          tx.quotes.get(whose, payment.quoteId ?? ''),
          tx.commands.ofPayment(whose, payment.id),
          tx.idempotency.find(whose, `key of ${payment.externalId}`),
          tx.feed.head(whose),
        ]);
      }),
  });
}

test('of an old payment the money stays, and its deliveries, messages and events go', async (t) => {
  const made = await opened(t);
  const payment = await made.settled('old');
  const before = await made.money(payment);
  const [, last] = await made.feedFrom();
  assert.ok(last > 10);
  made.advanceClock(2 * YEAR_MS);
  const { deliveries, messages, events } = await prune(made.deps, YEAR_MS);
  assert.deepEqual([deliveries > 0, messages > 0, events], [true, true, last]);
  assert.deepEqual(await made.deliveries(), []);
  assert.deepEqual(await made.money(payment), before);
  const read = made.feedReaders.read(made.tenant, { after: last - 1, limit: 5 }, null);
  await assert.rejects(read, { code: 'EventsPruned', oldestSequence: last + 1 });
  // A create is recognized for ever.
  assert.equal((await made.create('old')).id, payment.id);
});

test('in quarantine nothing is removed, whether or not anything is old', async (t) => {
  const stage = await opened(t);
  await quarantineRestored(stage.deps);
  await assert.rejects(prune(stage.deps, YEAR_MS), { code: 'InQuarantine' });
});

test('what came since stays whole, and the feed goes on behind what went', async (t) => {
  const made = await opened(t);
  await made.settled('old');
  const [, last] = await made.feedFrom();
  made.advanceClock(2 * YEAR_MS);
  await made.settled('young');
  const young = (await made.deliveries()).length;
  const { deliveries, events } = await prune(made.deps, YEAR_MS);
  assert.deepEqual(await made.feedFrom(), [last + 1, 2 * last]);
  const left = (await made.deliveries()).length;
  assert.deepEqual([events, deliveries, left], [last, young / 2, young / 2]);
  const page = await made.feedReaders.read(made.tenant, { after: last, limit: 1 }, null);
  assert.equal(page.events[0]?.sequence, last + 1);
  assert.deepEqual(await prune(made.deps, YEAR_MS), {
    beforeMs: made.deps.clock.nowMs() - YEAR_MS,
    deliveries: 0,
    messages: 0,
    events: 0,
    drafts: 0,
  });
});

test('a draft that nobody saved since is removed, in pages of any size', async (t) => {
  const made = await opened(t);
  const { store, clock } = made.deps;
  const oldMs = clock.nowMs();
  const number = 501;
  await store.run(async (tx) => {
    for (let n = 0; n < number; n += 1) {
      tx.partyDrafts.insert(aPartyDraft({ id: `acct_${n}`, savedAtMs: oldMs }));
    }
    tx.partyDrafts.insert(aPartyDraft({ id: 'acct_young', savedAtMs: oldMs + YEAR_MS }));
  });
  made.advanceClock(YEAR_MS + 1);
  assert.equal((await prune(made.deps, YEAR_MS)).drafts, number);
  const left = await store.run((tx) => tx.partyDrafts.savedBefore(clock.nowMs(), null, 9));
  assert.deepEqual(valuesOf(left, 'id'), ['acct_young']);
});

test('a payment that has not ended keeps its events and all behind them', async (t) => {
  const made = await opened(t);
  await made.settled('first');
  const [, last] = await made.feedFrom();
  const open = await made.create('open');
  await made.settled('behind');
  made.advanceClock(2 * YEAR_MS);
  assert.equal((await prune(made.deps, YEAR_MS)).events, last);
  assert.equal((await made.feedFrom())[0], last + 1);
  await cancelPayment(made.deps, made.tenant, open.id, 'too late');
  await made.settle();
  // Two of its creation, and those of the settled one; the cancel itself is young.
  assert.equal((await prune(made.deps, YEAR_MS)).events, 2 + last);
  const [oldest, newest] = await made.feedFrom();
  assert.equal(newest - oldest, 1);
});

test('a delivery that is pending keeps its event, however old', async (t) => {
  const made = await opened(t);
  made.answer = () => ({ responseStatus: 500 });
  await made.create('unheard');
  const [id] = await made.deliveries();
  made.advanceClock(2 * YEAR_MS);
  assert.deepEqual((await prune(made.deps, YEAR_MS)).deliveries, 0);
  assert.deepEqual(await made.deliveries(), [id]);
  made.answer = () => ({});
  await made.settle();
  assert.equal(made.sent.at(-1)?.headers['X-Service-Delivery-Id'], id);
});

test('an old delivery that a pause holds goes, with its event and those behind it', async (t) => {
  const made = await opened(t);
  made.answer = () => ({ responseStatus: 500 });
  const payment = await made.create('held');
  const held = await made.deliveries();
  await changeSubscription(made.deps, made.tenant, made.subscriptionId, { paused: true });
  await cancelPayment(made.deps, made.tenant, payment.id, 'no');
  made.advanceClock(schedules.webhookAttempt.waitsMs[0]);
  await made.settle();
  assert.deepEqual([(await prune(made.deps, YEAR_MS)).deliveries, held.length > 0], [0, true]);
  assert.deepEqual(await made.deliveries(), held);
  made.advanceClock(2 * YEAR_MS);
  const [, last] = await made.feedFrom();
  const { deliveries, events } = await prune(made.deps, YEAR_MS);
  assert.deepEqual([deliveries, events], [held.length, last]);
  assert.deepEqual(await made.deliveries(), []);
});

test('a delivery that was tried since stays with its event and can be replayed', async (t) => {
  const made = await opened(t);
  const payment = await made.create('replayed');
  const [ofFirst] = await made.deliveries();
  await cancelPayment(made.deps, made.tenant, payment.id, 'no');
  await made.settle();
  const others = (await made.deliveries()).filter((id) => id !== ofFirst);
  made.advanceClock(2 * YEAR_MS);
  await replayByOperator(made.deps, String(ofFirst));
  await made.settle();
  const { deliveries, events } = await prune(made.deps, YEAR_MS);
  assert.deepEqual([deliveries, events], [others.length, 0]);
  await replayByOperator(made.deps, String(ofFirst));
  const sent = made.sent.length;
  await made.settle();
  assert.equal(made.sent.length, sent + 1);
  await assert.rejects(replayByOperator(made.deps, String(others[0])), { code: 'NotFound' });
});

test('thousands go in batches of 500', async (t) => {
  const made = await opened(t);
  const { deps } = made;
  const old = { status: 'delivered', dueAtMs: null, nextAttemptAtMs: null } as const;
  await deps.store.run(async (tx) => {
    for (let count = 0; count < 1_200; count += 1) {
      tx.deliveries.insert(aDelivery({ id: deps.ids.next('whd', deps.clock.nowMs()), ...old }));
    }
  });
  made.advanceClock(2 * YEAR_MS);
  const sizes: number[] = [];
  const store = {
    ...deps.store,
    run: async <T>(work: Parameters<typeof deps.store.run<T>>[0]) => {
      const there = (await made.deliveries()).length;
      const value = await deps.store.run(work);
      sizes.push(there - (await made.deliveries()).length);
      return value;
    },
  };
  assert.equal((await prune({ ...deps, store }, YEAR_MS)).deliveries, 1_200);
  const removed = sizes.filter((size) => size > 0);
  assert.deepEqual(removed, [500, 500, 200]);
});

test('nothing younger than 30 days is removed', async (t) => {
  const made = await opened(t);
  await assert.rejects(prune(made.deps, 30 * DAY_MS - 1), { code: 'ValidationError' });
  await prune(made.deps, 30 * DAY_MS);
});

test('a run of the service ends in time, and the next one goes on until nothing is old', async (t) => {
  const made = await opened(t);
  const payment = await made.settled('old');
  await made.settled('older');
  const before = await made.money(payment);
  const oldMs = made.deps.clock.nowMs();
  await made.deps.store.run(async (tx) => {
    for (let n = 0; n < 501; n += 1) {
      tx.partyDrafts.insert(aPartyDraft({ id: `acct_${n}`, savedAtMs: oldMs }));
    }
  });
  made.advanceClock(2 * YEAR_MS);
  let runs = 0;
  while ((await pruneFor(made.deps, YEAR_MS, 0)) > 0) runs += 1;
  assert.ok(runs > 1, 'each run without time removes a page');
  assert.deepEqual(await made.deliveries(), []);
  const [first, last] = await made.feedFrom();
  assert.equal(first, last + 1);
  assert.deepEqual(await made.money(payment), before);
  assert.equal(
    made.log.some(({ message }) => message === 'old rows were removed'),
    true,
  );
});
