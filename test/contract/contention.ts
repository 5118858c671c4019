// Writes that lose against rows that another batch has stored.
import assert from 'node:assert/strict';
import type { Store, Tx } from '../../core/ports/storage.js';

/** The batch loses against rows that are there already. */
export async function assertContended(store: Store, write: (tx: Tx) => void): Promise<void> {
  await assert.rejects(
    store.run(async (tx) => write(tx)),
    { code: 'StoreContention' },
  );
}
