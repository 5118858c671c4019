import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { headAfter } from '../../../../core/domain/payments/event.js';
import { SEARCHED_MAX, searchEvents } from '../../../../core/usecases/webhooks/feed.js';
import { deleteSubscription } from '../../../../core/usecases/webhooks/subscriptions.js';
import { lawRuns } from '../../../support/law-runs.js';
import { scene, tenant } from '../../../support/scenes/webhook-scene.js';
import { valuesOf } from '../../../support/values-of.js';

const otherMode: Tenant = { ...tenant, mode: 'live' };
const otherOrg: Tenant = { orgId: 'org_2', mode: 'test' };

test('each tenant has its gap-free sequence from 1, in the order of its events', async (t) => {
  const { emit, feed } = await scene(t);
  const events = await emit({}, otherMode, {}, otherOrg, {}, otherMode);
  for (const [of, mine] of [
    [tenant, [events[0], events[2], events[4]]],
    [otherMode, [events[1], events[5]]],
    [otherOrg, [events[3]]],
  ] as const) {
    const rows = await feed(of);
    assert.deepEqual(
      valuesOf(rows, 'id'),
      mine.map((event) => event?.id),
    );
    assert.deepEqual(
      valuesOf(rows, 'sequence'),
      mine.map((_, index) => index + 1),
    );
  }
});

test('the sequence goes on where the last batch ended', async (t) => {
  const { emit, feed } = await scene(t);
  await emit({}, {}, {});
  await emit({});
  assert.deepEqual(valuesOf(await feed(), 'sequence'), [1, 2, 3, 4]);
});

test('an event keeps its id, type, subject, time and the bytes of its body', async (t) => {
  const { emit, feed } = await scene(t);
  const body = '{"a":"ç✓"}';
  const [event] = await emit({ type: 'invoice.created', subjectId: 'inv_9', body });
  const [row] = await feed();
  assert.deepEqual({ ...row }, { ...event, ...headAfter(null, body) });
});

test('each chain hash covers the one before and the body: hex SHA-256 over both', async (t) => {
  const { emit, feed } = await scene(t);
  await emit({}, {});
  await emit({});
  let before = '';
  for (const { body, chainHash: hash } of await feed()) {
    assert.equal(hash, createHash('sha256').update(`${before}${body}`, 'utf8').digest('hex'));
    before = hash;
  }
});

test('each matching active subscription gets one delivery, due immediately', async (t) => {
  const made = await scene(t);
  const { deps, emit, subscribe, deliveries } = made;
  const all = await subscribe(['*']);
  const intents = await subscribe(['payment_intent.*']);
  const exact = await subscribe(['payment_intent.settled', 'payment_intent.*', '*']);
  const invoices = await subscribe(['invoice.*']);
  const live = await subscribe(['*'], { tenant: otherMode });
  const stranger = await subscribe(['*'], { tenant: otherOrg });
  const gone = await subscribe(['*']);
  await deleteSubscription(deps, tenant, gone.subscription.id);
  made.advanceClock(1_000);
  const nowMs = deps.clock.nowMs();
  const [event] = await emit({ type: 'payment_intent.settled' });
  for (const { subscription } of [all, intents, exact]) {
    const rows = await deliveries(subscription.id);
    assert.equal(rows.length, 1);
    const [row] = rows;
    assert.partialDeepStrictEqual(row, { eventId: event?.id, eventType: 'payment_intent.settled' });
    assert.deepEqual([row?.status, row?.attempt, row?.dueAtMs], ['pending', 0, nowMs]);
    assert.deepEqual([row?.orgId, row?.mode], [tenant.orgId, tenant.mode]);
  }
  for (const { subscription } of [invoices, live, stranger, gone]) {
    assert.deepEqual(await deliveries(subscription.id), []);
  }
});

test('webhook.test goes to the tested subscription only, with any event types', async (t) => {
  const { emit, subscribe, deliveries } = await scene(t);
  const tested = await subscribe(['invoice.created']);
  const eager = await subscribe(['*', 'webhook.*', 'webhook.test']);
  await emit({ type: 'webhook.test', subjectId: tested.subscription.id });
  assert.equal((await deliveries(tested.subscription.id)).length, 1);
  assert.deepEqual(await deliveries(eager.subscription.id), []);
});

test('readers are woken after a batch with events; deliveries if one waits for a claim', async (t) => {
  const { emit, subscribe, woken } = await scene(t);
  await emit({});
  assert.deepEqual(woken, ['feed']);
  await subscribe();
  await emit({});
  assert.deepEqual(woken, ['feed', 'feed', 'deliveries']);
});

test('nobody is woken for events of a batch that is not stored', async (t) => {
  const { deps, emit, woken } = await scene(t);
  const [event] = await emit({});
  await assert.rejects(emit({ id: event?.id ?? '' }), { code: 'StoreContention' });
  assert.deepEqual(woken, ['feed']);
  assert.equal((await deps.store.run((tx) => tx.feed.head(tenant)))?.sequence, 1);
});

test('law: batches that are stored side by side leave no gap, and each event has its deliveries', async (t) => {
  const made = await scene(t);
  const subjects = ['pi_1', 'pi_2', 'pi_3'];
  let tenants = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.constantFrom(...subjects), { maxLength: 4 }), { maxLength: 30 }),
      async (batches) => {
        tenants += 1;
        const mine: Tenant = { orgId: `org_law_${tenants}`, mode: 'test' };
        const { subscription } = await made.subscribe(['*'], { tenant: mine });
        const emitted = await Promise.all(
          batches.map((batch) => made.emit(...batch.map((subjectId) => ({ ...mine, subjectId })))),
        );
        const rows = await made.feed(mine);
        assert.deepEqual(
          valuesOf(rows, 'sequence'),
          emitted.flat().map((_, index) => index + 1),
        );
        assert.deepEqual(valuesOf(rows, 'id'), valuesOf(emitted.flat(), 'id'));
        let head: ReturnType<typeof headAfter> | null = null;
        for (const { sequence, chainHash, body } of rows) {
          head = headAfter(head, body);
          assert.deepEqual({ sequence, chainHash }, head);
        }
        const delivered = (await made.deliveries(subscription.id)).map(({ eventId }) => eventId);
        assert.deepEqual(delivered.sort(), valuesOf(emitted.flat(), 'id').toSorted());
      },
    ),
    { numRuns: lawRuns(60) },
  );
});

test('a search for a type goes on behind the events that its page has looked at', async (t) => {
  const { deps, emit } = await scene(t);
  const rare = { type: 'invoice.settled', subjectId: 'inv_9' };
  await emit(rare, {}, rare);
  for (let count = 0; count < SEARCHED_MAX; count += 500) {
    await emit(...Array.from({ length: 500 }, () => ({})));
  }
  const search = (filter: { type?: string; subjectId?: string; beforeSequence?: number }) =>
    searchEvents(deps, tenant, {
      type: null,
      subjectId: null,
      beforeSequence: null,
      limit: 1,
      ...filter,
    });
  const { type, subjectId } = rare;
  const first = await search({ type });
  assert.deepEqual(first, { events: [], next: 4 });
  const second = await search({ type, beforeSequence: 4 });
  assert.deepEqual([valuesOf(second.events, 'sequence'), second.next], [[3], 3]);
  const third = await search({ type, beforeSequence: 3 });
  assert.deepEqual([valuesOf(third.events, 'sequence'), third.next], [[1], null]);
  const ofSubject = await search({ type, subjectId });
  assert.deepEqual([valuesOf(ofSubject.events, 'sequence'), ofSubject.next], [[3], 3]);
  const newest = await search({});
  assert.deepEqual(valuesOf(newest.events, 'sequence'), [SEARCHED_MAX + 3]);
  assert.deepEqual(await search({ type: 'invoice.created', beforeSequence: 4 }), {
    events: [],
    next: null,
  });
});
