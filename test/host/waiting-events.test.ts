// Events that version 0.1.0 stored without a number, in a database that is migrated already: a
// restored copy, or an upgrade that was interrupted.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import type { Deps } from '../../core/ports/deps.js';
import { quarantineRestored } from '../../core/usecases/service/epochs.js';
import { createSubscription } from '../../core/usecases/webhooks/subscriptions.js';
import { readConfig } from '../../host/config.js';
import { startHost } from '../../host/main.js';
import { openForOperator } from '../../host/operator-access.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { valuesOf } from '../support/values-of.js';

const tenant = { orgId: 'org_1', mode: 'test' } as const;

/** A database in quarantine with twelve waiting events and a subscription. */
async function restored() {
  const folder = temporaryFolder();
  const env = {
    PONTE_PORT: '0',
    PONTE_DATA_DIR: folder,
    PONTE_LOG_LEVEL: 'silent',
  };
  const { deps, close } = await openForOperator(env, { opening: 'makes' });
  await createSubscription(deps, tenant, { url: 'http://127.0.0.1:9/', eventTypes: ['*'] });
  await quarantineRestored(deps);
  await close();
  const connection = new SqliteConnection(join(folder, 'ponte.db'));
  connection.exec(`
    with recursive n (n) as (select 1 union all select n + 1 from n where n < 12)
    insert into outbox (org_id, mode, event_id, type, subject_id, body, created_at)
      select 'org_1', 'test', 'evt_' || n, 'invoice.created', 'inv_1', '{}', 1 from n;
  `);
  connection.close();
  return env;
}

async function assertAppended({ store }: Pick<Deps, 'store'>): Promise<void> {
  const list = { status: null, subscriptionId: null, beforeId: null, limit: 100 };
  const [events, deliveries] = await store.run((tx) =>
    Promise.all([tx.feed.after(tenant, 0, 100), tx.deliveries.list(list)]),
  );
  const ids = Array.from({ length: 12 }, (_, index) => `evt_${index + 1}`);
  assert.deepEqual(valuesOf(events, 'id'), ids);
  assert.deepEqual(valuesOf(deliveries, 'attempt'), Array(12).fill(0));
}

test('a start in quarantine numbers the events that wait, and sends nothing', async (t) => {
  const host = await startHost(readConfig(await restored()));
  t.after(() => host.stop());
  await assertAppended(host.deps);
});

test('a command that may write numbers the events that wait before it does', async (t) => {
  const { deps, close } = await openForOperator(await restored());
  t.after(close);
  await assertAppended(deps);
});
