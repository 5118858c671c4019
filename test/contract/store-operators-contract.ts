// What every store promises about operators: rows come back as they were written, names, keys and
// numbers are unique. Run over each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RegisteredOperator } from '../../core/domain/access/registered-operator.js';
import { T0 } from '../support/samples/domain-samples.js';
import { anOperator } from '../support/samples/operator-samples.js';
import { valuesOf } from '../support/values-of.js';
import type { OpenStore } from './store-contracts.js';

const second = anOperator({ id: 'opr_0', name: 'bia', publicKey: 'y'.repeat(43), number: 2 });

export function storeOperatorsContract(open: OpenStore): void {
  const fresh = (operators: readonly RegisteredOperator[]) =>
    open((tx) => {
      for (const operator of operators) tx.operators.insert(operator);
    });

  test('an operator comes back as written; its removal and latest signature change', async () => {
    const store = await fresh([anOperator()]);
    const read = () => store.run((tx) => tx.operators.get('opr_1'));
    assert.deepEqual(await read(), anOperator());
    const changed = { removedBy: 'opr_0', removedAtMs: T0 + 5, signedAtMs: T0 + 4 };
    const moved = { name: 'eva', publicKey: 'z'.repeat(43), number: 9, createdBy: 'opr_3' };
    await store.run(async (tx) => tx.operators.update(anOperator({ ...changed, ...moved })));
    assert.deepEqual(await read(), anOperator({ ...changed, version: 2 }));
  });

  test('operators are listed by number, and found by key, also when they were removed', async () => {
    const removed = anOperator({ removedAtMs: T0 });
    const store = await fresh([second, removed]);
    assert.deepEqual(valuesOf(await store.run((tx) => tx.operators.list()), 'name'), [
      'ana',
      'bia',
    ]);
    const found = await store.run((tx) =>
      Promise.all([
        tx.operators.byKey(removed.publicKey),
        tx.operators.byKey('none'),
        tx.operators.first(),
      ]),
    );
    assert.deepEqual(found, [removed, null, removed]);
  });

  test('a number and a key are never free again, a name is once its operator is removed', async () => {
    for (const taken of [{ number: 1 }, { publicKey: anOperator().publicKey }]) {
      const store = await fresh([anOperator({ removedAtMs: T0 })]);
      const insert = store.run(async (tx) => tx.operators.insert({ ...second, ...taken }));
      await assert.rejects(insert, { code: 'StoreContention' });
    }
    const store = await fresh([anOperator()]);
    const namesake = { ...second, name: 'ana' };
    const insert = () => store.run(async (tx) => tx.operators.insert(namesake));
    await assert.rejects(insert, { code: 'StoreContention' });
    await store.run(async (tx) => tx.operators.update(anOperator({ removedAtMs: T0 })));
    await insert();
  });
}
