// Poolers between a host and PostgreSQL: session poolers work, with or without support for startup
// parameters, and transaction poolers are refused before anything is stored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { LEADER_LOCK } from '../../../../adapters/storage/postgres/cluster-channel.js';
import { postgresConnections } from '../../../../adapters/storage/postgres/connections.js';
import { optionsIn, timeMs } from '../../../../adapters/storage/postgres/session.js';
import { openPostgresStore } from '../../../../adapters/storage/postgres/store.js';
import { StoreRefusal } from '../../../../core/errors.js';
import { localPostgres } from '../../../support/databases/local-postgres.js';
import { sessionPooler, transactionPooler } from '../../../support/databases/pooler-double.js';
import { aBuyer } from '../../../support/samples/domain-samples.js';

const postgres = localPostgres();

for (const [what, ignores] of [
  ['refuses startup parameters', []],
  ['drops startup parameters', ['options']],
] as const) {
  test(`through a session pooler that ${what}, sessions have their settings`, async (t) => {
    const pooler = await sessionPooler(await postgres.newDatabase(), ignores);
    t.after(() => pooler.close());
    const store = openPostgresStore({ url: pooler.url });
    t.after(() => store.close());
    await store.migrate();
    await store.run(async (tx) => tx.buyers.insert(aBuyer()));
    assert.deepEqual(await store.run((tx) => tx.buyers.get('test', 'byr_1')), aBuyer());
    const connections = postgresConnections({ url: pooler.url });
    t.after(() => connections.close());
    const shown = await connections.use('once', async (client) => {
      const names = ['statement_timeout', 'enable_seqscan', 'timezone', 'application_name'];
      const { rows } = await client.query(
        'select current_setting(name) as value from unnest($1::text[]) as name',
        [names],
      );
      return rows.map(({ value }) => value);
    });
    assert.deepEqual(shown, ['30s', 'off', 'UTC', 'ponte']);
    assert.deepEqual(await store.connectionProblems(), []);
  });
}

test('a pooler of transactions is refused in one line, and nothing is stored', async (t) => {
  const url = await postgres.newDatabase();
  const pooler = await transactionPooler(url);
  t.after(() => pooler.close());
  const store = openPostgresStore({ url: pooler.url });
  t.after(() => store.close());
  await assert.rejects(store.migrate(), (error) => {
    assert.ok(error instanceof StoreRefusal);
    assert.match(error.message, /^PONTE_DATABASE_URL: a pooler gives each transaction[^\n]*$/);
    return true;
  });
  const [problem] = await store.connectionProblems();
  assert.match(problem ?? '', /pool_mode = session/);
  const direct = openPostgresStore({ url });
  t.after(() => direct.close());
  assert.equal(await direct.isNew(), true);
});

test('a lock held by a silent session of ours is reported with how to end it', async (t) => {
  const url = await postgres.newDatabase();
  const silent = new pg.Client(url);
  silent.on('error', () => undefined);
  await silent.connect();
  t.after(() => silent.end());
  await silent.query(`select pg_advisory_lock(${LEADER_LOCK}, 7)`);
  const { rows } = await silent.query('select pg_backend_pid() as pid');
  const store = openPostgresStore({ url }, null, { silentSeconds: 0 });
  t.after(() => store.close());
  await store.migrate();
  const [problem, ...more] = await store.connectionProblems();
  assert.deepEqual(more, []);
  assert.match(
    problem ?? '',
    new RegExp(`of the leader .* pg_terminate_backend\\(${rows[0].pid}\\)`),
  );
});

test('a time is the same moment in any offset of the session', () => {
  const moment = Date.UTC(2026, 10, 20, 15, 43, 18, 123);
  for (const text of [
    '2026-11-20 15:43:18.123+00',
    '2026-11-20 12:43:18.123-03',
    '2026-11-20 21:13:18.123+05:30',
    '2026-11-20 16:02:50.123+00:19:32',
  ]) {
    assert.equal(timeMs(text), moment, text);
  }
  assert.throws(() => timeMs('20/11/2026 15:43:18 -03'), /a time with its offset/);
});

test('options of the URL are settings, in the ways in which libpq takes them', () => {
  assert.deepEqual(optionsIn('-c search_path=a,b  -clock_timeout=1s --work-mem=4MB'), {
    search_path: 'a,b',
    lock_timeout: '1s',
    work_mem: '4MB',
  });
  assert.deepEqual(optionsIn('-c application_name=two\\ words'), { application_name: 'two words' });
  assert.throws(() => optionsIn('-c search_path'), /write -c name=value/);
});
