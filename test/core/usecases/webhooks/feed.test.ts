import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { chainHash, runSequencer } from '../../../../core/usecases/webhooks/feed.js';
import { deleteSubscription } from '../../../../core/usecases/webhooks/subscriptions.js';
import { lawRuns } from '../../../support/law-runs.js';
import { scene, tenant } from '../../../support/scenes/webhook-scene.js';
import { valuesOf } from '../../../support/values-of.js';

const otherMode: Tenant = { ...tenant, mode: 'live' };
const otherOrg: Tenant = { orgId: 'org_2', mode: 'test' };

test('each tenant has its gap-free sequence from 1, in the order of the outbox', async (t) => {
  const { deps, emit, feed } = await scene(t);
  const events = await emit({}, otherMode, {}, otherOrg, {}, otherMode);
  assert.equal(await runSequencer(deps, deps.clock.nowMs(), 100), 6);
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
  const { deps, emit, feed } = await scene(t);
  await emit({}, {}, {});
  assert.deepEqual([await runSequencer(deps, 0, 2), await runSequencer(deps, 0, 2)], [2, 1]);
  assert.equal(await runSequencer(deps, 0, 2), 0);
  await emit({});
  assert.equal(await runSequencer(deps, 0, 2), 1);
  assert.deepEqual(valuesOf(await feed(), 'sequence'), [1, 2, 3, 4]);
});

test('an event keeps its id, type, subject, time and the bytes of its body', async (t) => {
  const { deps, emit, feed } = await scene(t);
  const [event] = await emit({ type: 'invoice.created', subjectId: 'inv_9', body: '{"a":"ç✓"}' });
  await runSequencer(deps, deps.clock.nowMs() + 5, 10);
  const [row] = await feed();
  assert.deepEqual({ ...row }, { ...event, sequence: 1, chainHash: chainHash(null, '{"a":"ç✓"}') });
});

test('each chain hash covers the one before and the body: hex SHA-256 over both', async (t) => {
  const { deps, emit, feed } = await scene(t);
  await emit({}, {}, {});
  await runSequencer(deps, 0, 2);
  await runSequencer(deps, 0, 2);
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
  await runSequencer(deps, nowMs, 10);
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
  const { deps, emit, subscribe, deliveries } = await scene(t);
  const tested = await subscribe(['invoice.created']);
  const eager = await subscribe(['*', 'webhook.*', 'webhook.test']);
  await emit({ type: 'webhook.test', subjectId: tested.subscription.id });
  await runSequencer(deps, 0, 10);
  assert.equal((await deliveries(tested.subscription.id)).length, 1);
  assert.deepEqual(await deliveries(eager.subscription.id), []);
});

test('deliveries are woken when there are new ones, and only then', async (t) => {
  const { deps, emit, subscribe, woken } = await scene(t);
  await emit({});
  await runSequencer(deps, 0, 10);
  assert.deepEqual(woken, ['feed']);
  await subscribe();
  await emit({});
  await runSequencer(deps, 0, 10);
  assert.deepEqual(woken, ['feed', 'feed', 'deliveries']);
});

test('readers are woken once in a run whose feeds have grown, else not', async (t) => {
  const { deps, emit } = await scene(t);
  const wakes: unknown[] = [];
  const listening = { ...deps, wake: (...about: unknown[]) => wakes.push(about) };
  await runSequencer(listening, 0, 10);
  assert.deepEqual(wakes, []);
  await emit({}, otherOrg, {}, otherOrg);
  await runSequencer(listening, 0, 10);
  assert.deepEqual(wakes, [['feed', [tenant, otherOrg]]]);
});

test('a batch ends before it grows too large, and no event is split', async (t) => {
  const { deps, emit, subscribe, feed } = await scene(t);
  for (let count = 0; count < 60; count += 1) await subscribe();
  await emit(...Array.from({ length: 30 }, () => ({})));
  // 17 events of 60 deliveries pass the thousand.
  assert.deepEqual([await runSequencer(deps, 0, 100), await runSequencer(deps, 0, 100)], [17, 13]);
  assert.equal((await feed()).length, 30);
});

test('law: sequencers that run side by side lose and double nothing', async (t) => {
  const made = await scene(t);
  const subjects = ['pi_1', 'pi_2', 'pi_3'];
  let tenants = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.record({ run: fc.integer({ min: 1, max: 5 }) }),
          fc.record({ emit: fc.array(fc.constantFrom(...subjects), { maxLength: 4 }) }),
        ),
        { maxLength: 30 },
      ),
      async (steps) => {
        tenants += 1;
        const mine: Tenant = { orgId: `org_law_${tenants}`, mode: 'test' };
        const { subscription } = await made.subscribe(['*'], { tenant: mine });
        const emitted: { id: string; subjectId: string }[] = [];
        const running: Promise<unknown>[] = [];
        for (const step of steps) {
          if ('run' in step) {
            for (const limit of [step.run, 3]) running.push(runSequencer(made.deps, 0, limit));
          } else {
            const events = step.emit.map((subjectId) => ({ ...mine, subjectId }));
            emitted.push(...(await made.emit(...events)));
          }
        }
        await Promise.all(running);
        while ((await runSequencer(made.deps, 0, 100)) > 0);
        const rows = await made.feed(mine);
        assert.deepEqual(
          valuesOf(rows, 'sequence'),
          emitted.map((_, index) => index + 1),
        );
        for (const subject of subjects) {
          const ofSubject = (row: { subjectId: string }) => row.subjectId === subject;
          assert.deepEqual(
            valuesOf(rows.filter(ofSubject), 'id'),
            emitted.filter(ofSubject).map(({ id }) => id),
          );
        }
        let before: string | null = null;
        for (const row of rows) {
          assert.equal(row.chainHash, chainHash(before, row.body));
          before = row.chainHash;
        }
        const delivered = (await made.deliveries(subscription.id)).map(({ eventId }) => eventId);
        assert.deepEqual(delivered.sort(), emitted.map(({ id }) => id).sort());
      },
    ),
    { numRuns: lawRuns(60) },
  );
});
