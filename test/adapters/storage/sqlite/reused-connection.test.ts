import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reusedConnection } from '../../../support/databases/reused-connection.js';

const count = 'select count(*) as number from files';

test('who opens a database after another test has neither its rows nor its tables', () => {
  const first = reusedConnection();
  first.exec('create table files (id text)');
  for (const end of ['commit', 'rollback']) {
    first.exec('begin immediate');
    first.exec("insert into files values ('a')");
    first.exec(end);
    assert.equal(first.inTransaction, false);
  }
  assert.deepEqual(first.prepare(count).get(), { number: 1 });
  first.exec('begin');
  first.close();
  assert.throws(() => first.prepare(count), /not open/);
  const second = reusedConnection();
  assert.equal(second.inTransaction, false);
  assert.throws(() => second.prepare('select 1 from files'), /no such table/);
  second.close();
});

test('a transaction in another one, and the end of none, are refused as SQLite does', () => {
  const connection = reusedConnection();
  assert.throws(() => connection.prepare('commit').run());
  connection.prepare('begin').run();
  assert.throws(() => connection.prepare('begin immediate').run());
  connection.prepare('rollback').run();
  assert.throws(() => connection.prepare('rollback').run());
  connection.close();
});
