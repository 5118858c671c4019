// `ponte store copy` and `ponte prune`, as an operator runs them: the copy is killed in the middle
// and run again, the prune is tried before it is done; and what both say.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { openPostgresStore } from '../../adapters/storage/postgres/store.js';
import { openSqliteStore } from '../../adapters/storage/sqlite/store.js';
import { DAY_MS } from '../../core/domain/base/instant.js';
import { openForOperator } from '../../host/operator-access.js';
import { contentsOf, fillStore } from '../support/databases/filled-store.js';
import { localPostgres } from '../support/databases/local-postgres.js';
import {
  aBarePayment,
  aDelivery,
  aMessage,
  anAttempt,
  anEvent,
  aPartyDraft,
  tenant,
} from '../support/samples/domain-samples.js';
import { runCommand } from '../support/servers/command.js';
import { programArguments } from '../support/servers/host-process.js';
import { projectRoot } from '../support/source-tree.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const postgres = localPostgres();
const folder = temporaryFolder();
const file = join(folder, 'ponte.db');
const PAYMENTS = 20_000;

const store = openSqliteStore({ path: file });
await store.migrate();
await fillStore(store);
for (let from = 0; from < PAYMENTS; from += 1_000) {
  await store.run(async (tx) => {
    for (let index = from; index < from + 1_000; index += 1) {
      tx.payments.insert(aBarePayment({ id: `pi_many_${index}` }));
    }
  });
}
await store.close();

const ponte = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand(env, words);

/** Runs the copy in a separate process and kills it while it copies payments. */
async function killedCopy(url: string): Promise<void> {
  const words = ['store', 'copy', '--from', `sqlite:${file}`, '--to', url];
  const child = spawn(process.execPath, [...programArguments, ...words], {
    cwd: projectRoot,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  for await (const text of child.stderr) {
    output += String(text);
    if (output.includes('copying payments')) break;
  }
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  assert.match(output, /copying payments/);
}

async function paymentsIn(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query('select count(*)::int as count from payments');
  await client.end();
  return rows[0]?.count;
}

test('a copy that is killed goes on when it is given again, and both sides are equal', async () => {
  const url = await postgres.newDatabase();
  await killedCopy(url);
  const there = await paymentsIn(url);
  assert.ok(there >= 500 && there < PAYMENTS, `${there} payments`);

  const target = openPostgresStore({ url });
  await assert.rejects(target.migrate(), { message: /not whole/ });
  const words = ['store', 'copy', '--from', `sqlite:${file}`, '--to', url];
  const { status, stdout } = await ponte([...words, '--json']);
  assert.equal(status, 0, stdout);
  const { equal, tables } = JSON.parse(stdout) as {
    readonly equal: boolean;
    readonly tables: readonly Readonly<Record<string, unknown>>[];
  };
  assert.equal(equal, true);
  const payments = tables.find((one) => one['table'] === 'payments');
  const sum = payments?.['source'] as { readonly rows: number; readonly checksum: string };
  assert.equal(sum.rows, PAYMENTS + 3);
  assert.ok(Number(payments?.['copied']) <= PAYMENTS + 3 - there);
  assert.match(sum.checksum, /^[0-9a-f]{64}$/);
  assert.deepEqual(payments?.['target'], sum);

  const source = openSqliteStore({ path: file });
  assert.deepEqual(await contentsOf(target), await contentsOf(source));
  await Promise.all([source.close(), target.close()]);

  const again = await ponte(words);
  assert.equal(again.status, 4);
  assert.match(again.stderr, /It holds rows already: /);
});

test('people read each table with its rows and its checksum; what differs ends with code 8', async () => {
  const url = await postgres.newDatabase();
  const words = ['store', 'copy', '--from', `sqlite:${file}`, '--to', url];
  await killedCopy(url);
  const client = new pg.Client(url);
  await client.connect();
  await client.query("update members set email = 'mallory@acme.example'");
  const differing = await ponte(words);
  assert.equal(differing.status, 8);
  assert.match(differing.stdout, /^members +0 +1 +1 +DIFFERENT ROWS$/m);
  assert.match(differing.stdout, /^buyers +0 +1 +1 +[0-9a-f]{64}$/m);
  assert.match(differing.stdout, /Copy into another database\.\n$/);
  await client.query("update members set email = 'Ana@Acme.example'");
  await client.end();
  const { status, stdout } = await ponte(words);
  assert.equal(status, 0);
  assert.match(
    stdout,
    /Both sides are equal\. Serve the copy with the same PONTE_SECRET_KEYS\.\n$/,
  );
});

test('what names no databases is refused with code 2, a file that is not there with 3', async () => {
  const copy = async (from: string, to: string) =>
    (await ponte(['store', 'copy', '--from', from, '--to', to])).status;
  assert.equal((await ponte(['store', 'copy', '--from', `sqlite:${file}`])).status, 2);
  assert.equal(await copy(file, 'postgres://127.0.0.1/ponte'), 2);
  assert.equal(await copy(`sqlite:${file}`, 'sqlite:other.db'), 2);
  assert.equal(await copy(`sqlite:${file}.none`, 'postgres://127.0.0.1/ponte'), 3);
});

test('a target that refuses us ends with code 7, one that cannot be reached with 6, and why', async () => {
  const url = new URL(await postgres.newDatabase());
  url.password = 'wrong';
  const wrong = await ponte(['store', 'copy', '--from', `sqlite:${file}`, '--to', url.href]);
  assert.equal(wrong.status, 7);
  assert.match(wrong.stderr, /--to: the database cannot be used: password authentication failed/);
  const env = { PONTE_DATABASE_URL: url.href, PONTE_DATA_DIR: folder, PONTE_LOG_LEVEL: 'silent' };
  for (const words of [['org', 'list'], ['migrate'], ['serve']]) {
    const { status, stderr } = await ponte(words, env);
    assert.equal(status, 7);
    assert.match(
      stderr,
      /PONTE_DATABASE_URL: the database cannot be used: password authentication/,
    );
  }
  url.port = '1';
  const nobody = await ponte(['store', 'copy', '--from', `sqlite:${file}`, '--to', url.href]);
  assert.equal(nobody.status, 6);
  assert.match(nobody.stderr, /cannot be reached.*\(.*ECONNREFUSED/);
});

test('prune removes what is old, after a dry run that counts it and changes nothing', async () => {
  const env = { PONTE_DATA_DIR: join(folder, 'pruned'), PONTE_LOG_LEVEL: 'silent' };
  const { deps, close } = await openForOperator(env, { opening: 'makes' });
  const { store } = deps;
  const createdAtMs = deps.clock.nowMs() - 40 * DAY_MS;
  const deliveryId = deps.ids.next('whd', createdAtMs);
  await store.run(async (tx) => {
    const ended = { status: 'delivered', dueAtMs: null, nextAttemptAtMs: null } as const;
    tx.deliveries.insert(aDelivery({ id: deliveryId, createdAtMs, ...ended }));
    tx.deliveries.logAttempt(anAttempt({ deliveryId, startedAtMs: createdAtMs }));
    tx.inbox.insert(aMessage({ receivedAtMs: createdAtMs, dueAtMs: null }));
    tx.partyDrafts.insert(aPartyDraft({ savedAtMs: createdAtMs }));
    for (const sequence of [1, 2]) {
      tx.feed.append(anEvent({ id: `evt_${sequence}`, createdAtMs }));
    }
  });
  const prune = async (words: string) => {
    const { status, stdout } = await ponte(['prune', ...words.split(' '), '--json'], env);
    return [status, JSON.parse(stdout)] as const;
  };
  const none = { deliveries: 0, messages: 0, events: 0, drafts: 0 };
  const removed = { deliveries: 1, messages: 1, events: 2, drafts: 1 };
  for (const [words, counts] of [
    ['--older-than 41d', none],
    ['--older-than 40d --dry-run', removed],
    ['--older-than 960h', removed],
    ['--older-than 40d', none],
  ] as const) {
    const [status, { dryRun, before, ...pruned }] = await prune(words);
    assert.deepEqual([status, dryRun, pruned], [0, words.includes('dry'), counts], words);
    assert.match(before, /^\d{4}-\d\d-\d\dT/);
  }
  const left = await store.run((tx) =>
    Promise.all([
      tx.deliveries.get(deliveryId),
      tx.deliveries.attempts(deliveryId),
      tx.feed.after(tenant, 0, 9),
      tx.feed.head(tenant).then((head) => head?.sequence),
    ]),
  );
  assert.deepEqual(left, [null, [], [], 2]);
  await close();

  const said = await ponte(['prune', '--older-than', '400d'], env);
  assert.match(said.stdout, /^Removed, from before [^:]+:\d\d:.*:\ndeliveries +0\nmessages +0\n/);
  for (const age of ['29d', '719h', '1w', '-40d', '40']) {
    const { status } = await ponte(['prune', '--older-than', age], env);
    assert.equal(status, 2, age);
  }
});

test('deliveries are kept by month on PostgreSQL, where prune makes the next months', async (t) => {
  const one = { PONTE_DATA_DIR: join(folder, 'by-month'), PONTE_LOG_LEVEL: 'silent' };
  const url = await postgres.newDatabase();
  const shared = { ...one, PONTE_DATABASE_URL: url };
  for (const env of [one, shared]) await (await openForOperator(env, { opening: 'makes' })).close();
  const refused = await ponte(['store', 'months'], one);
  assert.match(refused.stderr, /Only PostgreSQL keeps deliveries by month/);
  assert.notEqual(refused.status, 0);
  for (const changed of [true, false]) {
    const { status, stdout } = await ponte(['store', 'months', '--json'], shared);
    assert.deepEqual([status, JSON.parse(stdout)], [0, { changed }]);
  }
  const client = new pg.Client(url);
  await client.connect();
  t.after(() => client.end());
  const months = async () => {
    const { rows } = await client.query<{ readonly name: string }>(
      "select relname as name from pg_class where relname ~ '^deliveries_[0-9_]+$' order by 1",
    );
    return rows.map(({ name }) => name);
  };
  const made = await months();
  assert.equal(made.length, 4);
  const last = made.at(-1) ?? '';
  await client.query(`drop table ${last}, ${last.replace('deliveries', 'delivery_attempts')}`);
  const { status, stdout } = await ponte(['prune', '--older-than', '30d', '--json'], shared);
  assert.deepEqual([status, JSON.parse(stdout).deliveries, await months()], [0, 0, made]);
});
