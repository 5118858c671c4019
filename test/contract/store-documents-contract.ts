// What every store promises about documents: rows come back as they were written, due ones come in
// order, and the order to purge a party's documents reaches all of them and no others. Run over
// each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Document,
  documentStatuses,
  nextDocumentStatus,
  purgeRequested,
} from '../../core/domain/parties/document.js';
import type { Store } from '../../core/ports/storage.js';
import {
  aDocument,
  duePage,
  otherMode,
  otherOrg,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import { assertContended } from './contention.js';
import type { OpenStore } from './store-contracts.js';

const bare = aDocument({
  ownerIndex: null,
  contentName: null,
  sizeBytes: null,
  dueAtMs: null,
  purgedAtMs: null,
});
const owner = aDocument().owner;

export function storeDocumentsContract(open: OpenStore): void {
  const fresh = (...documents: readonly Document[]) =>
    open((tx) => {
      for (const document of documents) tx.documents.insert(document);
    });
  const found = (store: Store, id = 'doc_1') => store.run((tx) => tx.documents.find(id));

  test('a document comes back as it was written, also changed', async () => {
    for (const [document, other] of [
      [aDocument(), bare],
      [bare, aDocument()],
    ] as const) {
      const store = await fresh(document);
      assert.deepEqual(await found(store), document);
      const { ownerIndex } = document;
      const changed = { ...other, ownerIndex, status: 'purged', tries: 9 } as const;
      await store.run(async (tx) => tx.documents.update(changed));
      assert.deepEqual(await found(store), { ...changed, version: 2 });
    }
  });

  test('a slot is of one document of a party that is not purged', async () => {
    const first = aDocument({ slot: 7 });
    const store = await fresh(
      first,
      aDocument({ id: 'doc_2', slot: 7, ...otherMode }),
      aDocument({ id: 'doc_3', slot: 7, owner: { ...owner, id: 'byr_9' } }),
      aDocument({ id: 'doc_4', slot: 7, owner: { ...owner, party: 'account' } }),
      aDocument({ id: 'doc_5', slot: 7, status: 'purged' }),
      aDocument({ id: 'doc_6', slot: 3, status: 'purging' }),
      aDocument({ id: 'doc_7', slot: null }),
    );
    const slots = async () =>
      (await store.run((tx) => tx.documents.slots(tenant, owner))).toSorted();
    const again = (id: string) =>
      store.run(async (tx) => tx.documents.insert(aDocument({ id, slot: 7 })));
    assert.deepEqual(await slots(), [3, 7]);
    await assert.rejects(again('doc_8'), { code: 'StoreContention' });
    await store.run(async (tx) => tx.documents.update({ ...first, status: 'purged' }));
    assert.deepEqual(await slots(), [3]);
    await again('doc_8');
    assert.deepEqual(await slots(), [3, 7]);
  });

  test('a vendor has one submitted document of a kind', async () => {
    const vendor = { party: 'vendor', id: 'acct_1' } as const;
    const paper = { owner: vendor, kind: 'w8', status: 'submitted' } as const;
    const first = aDocument(paper);
    const store = await fresh(
      first,
      aDocument({ ...paper, id: 'doc_2', ...otherMode }),
      aDocument({ ...paper, id: 'doc_3', owner: { ...vendor, id: 'acct_2' } }),
      aDocument({ ...paper, id: 'doc_4', kind: 'engagement_letter' }),
      aDocument({ ...paper, id: 'doc_5', status: 'purging' }),
      aDocument({ ...paper, id: 'doc_6', status: 'stored' }),
    );
    const next = aDocument({ ...paper, id: 'doc_7' });
    const again = (old: Document | null) =>
      store.run(async (tx) => {
        if (old !== null) tx.documents.update({ ...old, status: 'purging' });
        tx.documents.insert(next);
      });
    await assert.rejects(again(null), { code: 'StoreContention' });
    await again(first);
  });

  test('due documents come oldest first, the others not', async () => {
    const store = await fresh(
      aDocument({ id: 'doc_1', dueAtMs: T0 + 2 }),
      aDocument({ id: 'doc_2', dueAtMs: T0 + 1, ...otherOrg }),
      aDocument({ id: 'doc_3', dueAtMs: T0 + 3 }),
      aDocument({ id: 'doc_4', dueAtMs: null }),
    );
    const due = (limit: number) => store.run((tx) => tx.documents.due(duePage(limit, T0 + 2)));
    assert.deepEqual(valuesOf(await due(9), 'id'), ['doc_2', 'doc_1']);
    assert.deepEqual(valuesOf(await due(1), 'id'), ['doc_2']);
    const behind = duePage(9, T0 + 2, { dueAtMs: T0 + 1, id: 'doc_2' });
    assert.deepEqual(valuesOf(await store.run((tx) => tx.documents.due(behind)), 'id'), ['doc_1']);
  });

  test('operators list them newest first, the purged ones only if asked', async () => {
    const store = await fresh(
      aDocument({ id: 'doc_1' }),
      aDocument({ id: 'doc_2', ...otherOrg }),
      aDocument({ id: 'doc_3', status: 'purged' }),
      aDocument({ id: 'doc_4', status: 'purging', ...otherMode }),
    );
    const list = async (kept: boolean, beforeId: string | null, limit = 9) =>
      valuesOf(await store.run((tx) => tx.documents.list({ kept, beforeId, limit })), 'id');
    assert.deepEqual(await list(true, null), ['doc_4', 'doc_2', 'doc_1']);
    assert.deepEqual(await list(true, 'doc_4', 1), ['doc_2']);
    assert.deepEqual(await list(false, null), ['doc_4', 'doc_3', 'doc_2', 'doc_1']);
    assert.deepEqual(await list(false, 'doc_3'), ['doc_2', 'doc_1']);
  });

  test('a command to purge a party reaches what it kept, as the domain has it', async () => {
    const inStatus = documentStatuses.map((status) => aDocument({ id: `doc_${status}`, status }));
    const store = await fresh(...inStatus);
    await store.run(async (tx) => tx.documents.requestPurge(tenant, owner, T0 + 50));
    for (const before of inStatus) {
      const isReached = nextDocumentStatus(before.status, 'purge') !== null;
      const after = isReached ? { ...purgeRequested(before, T0 + 50), version: 2 } : before;
      assert.deepEqual(await found(store, before.id), after, before.status);
    }
  });

  test('a command to purge one party leaves every other', async () => {
    const others = [
      aDocument({ id: 'doc_1', ...otherOrg }),
      aDocument({ id: 'doc_2', ...otherMode }),
      aDocument({ id: 'doc_3', owner: { ...owner, id: 'byr_2' } }),
      aDocument({ id: 'doc_4', owner: { ...owner, party: 'account' } }),
    ];
    const store = await fresh(...others);
    await store.run(async (tx) => tx.documents.requestPurge(tenant, owner, T0 + 50));
    for (const before of others) assert.deepEqual(await found(store, before.id), before);
  });

  test('a decision on a document loses against a later purge command', async () => {
    const store = await fresh(aDocument());
    let runs = 0;
    await store.run(async (tx) => {
      runs += 1;
      const document = (await tx.documents.find('doc_1')) ?? assert.fail();
      if (runs === 1) {
        await store.run(async (other) => other.documents.requestPurge(tenant, owner, T0 + 50));
      }
      if (document.status === 'stored') tx.documents.update({ ...document, status: 'submitted' });
    });
    assert.deepEqual([runs, (await found(store))?.status], [2, 'purging']);
  });

  test('a stale update is a conflict', async () => {
    const store = await fresh(aDocument());
    await assertContended(store, (tx) => tx.documents.update(aDocument({ version: 2 })));
  });
}
