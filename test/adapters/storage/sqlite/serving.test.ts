// One process serves a file. What it acknowledged survives its death by SIGKILL, and the next one
// can serve at once.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import SqliteConnection from 'better-sqlite3';
import { openSqliteStore } from '../../../../adapters/storage/sqlite/store.js';
import { StoreRefusal } from '../../../../core/errors.js';
import { aBuyer, tenant } from '../../../support/samples/domain-samples.js';
import { loadTypeScript } from '../../../support/source-tree.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();

test('one store at a time serves a file; others use it without serving', async () => {
  const path = join(folder, 'lock.db');
  const serving = openSqliteStore({ path });
  const beside = openSqliteStore({ path });
  await serving.migrate();
  assert.deepEqual(await beside.servers(), [], 'nobody was here yet');
  const beforeMs = Date.now();
  serving.acquireServing();
  for (const store of [serving, beside]) {
    const [server, ...more] = await store.servers();
    assert.deepEqual([server?.name, more], [`process ${process.pid}`, []]);
    assert.ok((server?.sinceMs ?? 0) >= beforeMs);
  }
  assert.equal(statSync(`${path}.lock`).mode & 0o777, 0o600);
  assert.throws(
    () => beside.acquireServing(),
    (error: unknown) =>
      error instanceof StoreRefusal &&
      error.message.startsWith(`Process ${process.pid} already serves ${path}.`),
  );
  await beside.run(async (tx) => tx.buyers.insert(aBuyer()));
  assert.deepEqual(await serving.run((tx) => tx.buyers.get('test', 'byr_1')), aBuyer());
  await serving.close();
  assert.deepEqual(await beside.servers(), []);
  beside.acquireServing();
  await beside.close();
});

test('each store in memory serves itself', async () => {
  for (const store of [1, 2].map(() => openSqliteStore({ path: ':memory:' }))) {
    store.acquireServing();
    await store.close();
  }
});

test('what was acknowledged before a SIGKILL is there, whole, and served immediately', async () => {
  const path = join(folder, 'crash.db');
  const script = fileURLToPath(new URL('./crashing-writer.ts', import.meta.url));
  const acknowledged: string[] = [];
  for (const enough of [50, 200]) {
    const child = spawn(process.execPath, [...loadTypeScript, script, `${path}-${enough}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    acknowledged.length = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line);
      if (acknowledged.length === enough) {
        const beside = openSqliteStore({ path: `${path}-${enough}` });
        assert.throws(() => beside.acquireServing(), /already serves/);
        await beside.close();
        child.kill('SIGKILL');
      }
    }
    await exited;
    assert.ok(acknowledged.length >= enough);

    const store = openSqliteStore({ path: `${path}-${enough}` });
    store.acquireServing();
    const payments = await store.run((tx) =>
      Promise.all(acknowledged.map((id) => tx.payments.get(tenant, id))),
    );
    assert.ok(payments.every((payment) => payment !== null));
    await store.close();

    const connection = new SqliteConnection(`${path}-${enough}`);
    const count = (table: string) =>
      connection.prepare(`select count(*) from ${table}`).pluck().get();
    assert.equal(count('payments'), count('events'), 'a payment and its event are one batch');
    assert.equal(connection.pragma('integrity_check', { simple: true }), 'ok');
    connection.close();
  }
});
