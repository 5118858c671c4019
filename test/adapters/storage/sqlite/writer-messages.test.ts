// Messages between the session and the writer thread arrive as they were sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import fc from 'fast-check';
import { StoreConflict } from '../../../../adapters/storage/database.js';
import {
  deserializeError,
  serializeError,
  WriteRequestDecoder,
  WriteRequestEncoder,
} from '../../../../adapters/storage/sqlite/writer-messages.js';
import { AssertionFailure, PonteError } from '../../../../core/errors.js';

const statement = fc.record(
  {
    sql: fc.constantFrom('insert into a', 'delete from a', 'select 1', ''),
    guards: fc.constantFrom('a', 'b', 'insert into a', null),
    params: fc.array(
      fc.oneof(fc.string(), fc.double(), fc.integer(), fc.bigInt(), fc.constant(null)),
      { maxLength: 4 },
    ),
  },
  { noNullPrototype: true },
);
const batch = fc.record(
  { returns: fc.boolean(), statements: fc.array(statement, { maxLength: 4 }) },
  { noNullPrototype: true },
);

test('batches arrive as they were sent, over any messages, and each text is sent once', () => {
  fc.assert(
    fc.property(fc.array(fc.array(batch, { maxLength: 4 }), { maxLength: 5 }), (turns) => {
      const [orders, reader] = [new WriteRequestEncoder(), new WriteRequestDecoder()];
      const texts: (string | null)[] = [];
      for (const batches of turns) {
        for (const one of batches) orders.add(one);
        const message = structuredClone(orders.take());
        texts.push(...message.texts);
        assert.deepEqual(reader.read(message), batches);
      }
      assert.equal(new Set(texts).size, texts.length);
    }),
  );
});

test('an error is the same one again on the other side', () => {
  const taken = new SqliteConnection.SqliteError('taken: a.n', 'SQLITE_CONSTRAINT_UNIQUE');
  const busy = new SqliteConnection.SqliteError('database is locked', 'SQLITE_BUSY');
  for (const error of [
    taken,
    new StoreConflict('unique', 'taken: a.n', taken),
    new StoreConflict('guard', 'a: the row has changed'),
    new PonteError('StoreContention', undefined, { cause: busy }),
    new PonteError('InternalError', 'with its own message'),
    new AssertionFailure('every placeholder has its parameter'),
    new RangeError('The bound string is too big'),
  ]) {
    const again = deserializeError(structuredClone(serializeError(error)));
    const { name, message, stack, cause } = again;
    assert.deepEqual(
      [name, message, stack, cause],
      [error.name, error.message, error.stack, error.cause],
    );
    if (!(error instanceof RangeError)) assert.deepEqual(again, error);
  }
  assert.equal(deserializeError(serializeError('no error at all')).message, 'no error at all');
});
