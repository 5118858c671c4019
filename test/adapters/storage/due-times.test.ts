// SQLite on a machine whose clock is set back: rows in every queue keep their wait.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSqliteStore } from '../../../adapters/storage/sqlite/store.js';
import {
  aCommand,
  aDelivery,
  aDocument,
  aMessage,
  anAdvance,
  anEvent,
  aSubscription,
  T0,
} from '../../support/samples/domain-samples.js';
import { aMail } from '../../support/samples/mail-samples.js';

const HOUR_MS = 3_600_000;
const back = { fromMs: T0 + HOUR_MS, toMs: T0 };

test('rows of every queue keep the rest of their wait when the clock goes back', async (t) => {
  const store = openSqliteStore({ path: ':memory:' });
  t.after(() => store.close());
  await store.migrate();
  const dueAtMs = T0 + HOUR_MS + 30_000;
  await store.run(async (tx) => {
    tx.commands.insert(aCommand({ dueAtMs, leaseToken: 'lost' }));
    tx.deliveries.insert(aDelivery({ dueAtMs, leaseToken: 'lost' }));
    tx.inbox.insert(aMessage({ dueAtMs }));
    tx.advances.put(anAdvance({ dueAtMs }));
    tx.documents.insert(aDocument({ dueAtMs }));
    tx.mails.insert(aMail({ dueAtMs, leaseToken: 'lost' }));
  });
  await store.shiftDueTimes(back);
  const { expiries, ...queues } = await store.nextDue();
  assert.equal(expiries, null);
  for (const [queue, atMs] of Object.entries(queues)) assert.equal(atMs, T0 + 30_000, queue);
});

test('what was due before the clock went back is due, and what waits for nothing stays', async (t) => {
  const store = openSqliteStore({ path: ':memory:' });
  t.after(() => store.close());
  await store.migrate();
  await store.run(async (tx) => {
    tx.commands.insert(aCommand({ id: 'cmd_due', dueAtMs: T0 + HOUR_MS - 1 }));
    tx.commands.insert(aCommand({ id: 'cmd_long_due', reference: 'b', dueAtMs: T0 - 1 }));
    tx.commands.insert(aCommand({ id: 'cmd_idle', reference: 'c', dueAtMs: null }));
  });
  await store.shiftDueTimes(back);
  const found = await store.run((tx) =>
    Promise.all(['cmd_due', 'cmd_long_due', 'cmd_idle'].map((id) => tx.commands.get(id))),
  );
  assert.deepEqual(
    found.map((command) => command?.dueAtMs),
    [T0, T0 - 1, null],
  );
});

test('a lease taken by a clock that was ahead ends when its time has passed', async (t) => {
  const store = openSqliteStore({ path: ':memory:' });
  t.after(() => store.close());
  await store.migrate();
  await store.run(async (tx) => {
    tx.subscriptions.insert(aSubscription());
    tx.feed.append(anEvent());
    tx.deliveries.insert(aDelivery({ dueAtMs: T0 }));
  });
  const claim = (nowMs: number) =>
    store.claims.deliveries({
      nowMs,
      limit: 1,
      leaseMs: 30_000,
      subscriptionId: aSubscription().id,
    });
  assert.equal((await claim(T0 + HOUR_MS)).length, 1);
  await store.shiftDueTimes(back);
  assert.equal((await claim(T0 + 29_999)).length, 0);
  assert.equal((await claim(T0 + 30_000)).length, 1);
});
