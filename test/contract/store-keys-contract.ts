// What every store promises about keys: which secret keys have sealed something, and the keys that
// the service made for itself. Run over each database.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { KeyCanary, Store } from '../../core/ports.js';
import { T0 } from '../support/domain-samples.js';
import { aServiceKey } from '../support/key-samples.js';
import type { OpenStore } from './store-contract.js';

export function storeKeysContract(database: string, open: OpenStore): void {
  describe(`the store over ${database}: keys`, () => {
    const opened: Store[] = [];
    const fresh = async (): Promise<Store> => {
      const store = await open();
      opened.push(store);
      return store;
    };
    after(() => Promise.all(opened.map((store) => store.close())));

    test('the known text of each secret key is kept once', async () => {
      const store = await fresh();
      const [first, second] = ['k1', 'k2'].map((keyId) => {
        return { keyId, sealed: `sealed under ${keyId}`, createdAtMs: T0 };
      }) as [KeyCanary, KeyCanary];
      await store.run(async (tx) => tx.keyCanaries.insert(second));
      await store.run(async (tx) => tx.keyCanaries.insert(first));
      assert.deepEqual(await store.run((tx) => tx.keyCanaries.list()), [first, second]);
      await assert.rejects(
        store.run(async (tx) => tx.keyCanaries.insert({ ...first, sealed: 'another' })),
        { code: 'StoreContention' },
      );
    });

    test('a key of the service comes back as it was written; its end alone changes', async () => {
      const store = await fresh();
      const [key, other] = [aServiceKey(), aServiceKey({ id: 'skey_2', purpose: 'partner' })];
      await store.run(async (tx) => {
        tx.serviceKeys.insert(other);
        tx.serviceKeys.insert(key);
      });
      const list = (purpose: 'session' | 'partner') =>
        store.run((tx) => tx.serviceKeys.list(purpose));
      assert.deepEqual(await list('session'), [key]);
      assert.deepEqual(await list('partner'), [other]);
      const changed = { ...key, sealed: 'other', endsAtMs: T0 + 9 };
      await store.run(async (tx) => tx.serviceKeys.update(changed));
      assert.deepEqual(await list('session'), [{ ...key, endsAtMs: T0 + 9, version: 2 }]);
      await assert.rejects(
        store.run(async (tx) => tx.serviceKeys.remove(key)),
        { code: 'StoreContention' },
      );
      await store.run(async (tx) => tx.serviceKeys.remove({ ...key, version: 2 }));
      assert.deepEqual(await list('session'), []);
    });

    test('one key of each purpose has no end, also when two come at once', async () => {
      const store = await fresh();
      const make = (id: string, purpose: 'session' | 'partner') =>
        store.run(async (tx) => {
          const known = await tx.serviceKeys.list(purpose);
          if (known.length > 0) return known[0]?.id;
          tx.serviceKeys.insert(aServiceKey({ id, purpose, endsAtMs: null }));
          return id;
        });
      const made = await Promise.all([
        ...['skey_1', 'skey_2'].map((id) => make(id, 'session')),
        make('skey_3', 'partner'),
      ]);
      assert.equal(made[0], made[1]);
      assert.equal(made[2], 'skey_3');
      await store.run(async (tx) => {
        for (const key of await tx.serviceKeys.list('session')) {
          tx.serviceKeys.update({ ...key, endsAtMs: T0 });
        }
        tx.serviceKeys.insert(aServiceKey({ id: 'skey_4', endsAtMs: null }));
      });
      const keys = await store.run((tx) => tx.serviceKeys.list('session'));
      assert.deepEqual(
        keys.map(({ endsAtMs }) => endsAtMs),
        [T0, null],
      );
    });
  });
}
