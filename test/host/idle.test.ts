// A host with nothing to do: how often it asks its database, and that work from elsewhere is still
// taken up.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { SqliteDatabase } from '../../adapters/storage/sqlite/database.js';
import { readConfig } from '../../host/config.js';
import { type Host, startHost } from '../../host/main.js';
import { localPostgres } from '../support/databases/local-postgres.js';
import { jsonCall } from '../support/servers/json-call.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const WINDOW_SECONDS = 4;
/** Some work of the start may come later. */
const WINDOWS_MAX = 5;
const folder = temporaryFolder();
const postgres = localPostgres();

async function started(env: Readonly<Record<string, string>>, t: TestContext): Promise<Host> {
  const settings = { PONTE_PORT: '0', PONTE_LOG_LEVEL: 'silent', PONTE_DATA_DIR: folder };
  const host = await startHost(readConfig({ ...settings, ...env }));
  t.after(() => host.stop());
  // What follows from the start is over.
  while ((await host.deps.store.claims.nextDueAtMs()) !== null) await wait(20);
  return host;
}

/** Waits for a window in which it asks at most this often a second. Returns how often it asked. */
async function quietCount(asked: () => number, perSecondMax: number): Promise<number> {
  for (let window = 1; ; window += 1) {
    const [before, sinceMs] = [asked(), performance.now()];
    await wait(WINDOW_SECONDS * 1_000);
    const count = asked() - before;
    // A machine with much else to do makes the window longer.
    const seconds = (performance.now() - sinceMs) / 1_000;
    if (count <= perSecondMax * seconds) return count;
    assert.ok(window < WINDOWS_MAX, `${count} statements in ${seconds} s`);
  }
}

test('an idle host on SQLite asks its file at most once a second', async (t) => {
  await started({}, t);
  let asked = 0;
  for (const method of ['read', 'batch', 'immediate'] as const) {
    const plain = SqliteDatabase.prototype[method] as (...args: never[]) => Promise<never>;
    t.mock.method(SqliteDatabase.prototype, method, function (this: unknown, ...args: never[]) {
      asked += 1;
      return plain.apply(this, args);
    });
  }
  await quietCount(() => asked, 1);
});

test('an idle host on PostgreSQL takes at most three transactions a second', async (t) => {
  const url = await postgres.migrated();
  await started({ PONTE_DATABASE_URL: url }, t);
  let asked = 0;
  const { query } = pg.Client.prototype;
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: never[]) {
    asked += 1;
    return (query as (...args: never[]) => unknown).apply(this, args);
  });
  assert.ok((await quietCount(() => asked, 3)) > 0, 'queries are seen');
});

test('what another process writes to the file is taken up by the idle host', async (t) => {
  const host = await started({ PONTE_DATA_DIR: join(folder, 'shared') }, t);
  const created = await jsonCall(host, host.demo?.secret ?? '', '/v1/payment-intents', {
    externalId: 'order-1',
    amount: '250.00',
    buyer: { email: 'ana@buyer.example' },
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const id = String(created.body['id']);
  const other = new SqliteConnection(join(folder, 'shared', 'ponte.db'));
  t.after(() => other.close());
  const inAMoment = Date.now() + 300;
  other.prepare('update payments set expires_at = ? where id = ?').run(inAMoment, id);
  const statusOf = other.prepare<string, { status: string }>(
    'select status from payments where id = ?',
  );
  while (statusOf.get(id)?.status !== 'expired') await wait(20);
});
