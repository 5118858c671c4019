// What every store promises about the audit log: what a run says of its changes, and that entries
// stay as they are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NumberedEvent } from '../../core/domain/payments/event.js';
import { auditFeed, type ChangedRow, heldTypes } from '../../core/domain/service/audit-record.js';
import type { HeldRow, Store, Tx } from '../../core/ports/storage.js';
import {
  aFeedEvent,
  aKey,
  anAdvance,
  anEvent,
  aPayment,
  otherOrg,
  tenant,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import type { OpenStore } from './store-contracts.js';
import { checkedFeed } from './store-feed-contract.js';

type Shown = Omit<ChangedRow, 'details' | 'sizeBytes'> & ReturnType<ChangedRow['details']>;

export function storeAuditContract(open: OpenStore): void {
  test('a run names what it changes, with the hash of each row before and after', async () => {
    const store = await open();
    const [inserted] = await changesOf(store, async (tx) => tx.payments.insert(aPayment()));
    const about = { table: 'payments', isOne: true, isWhole: true, word: null };
    const row = { ...about, id: 'pi_1', ...tenant };
    assert.deepEqual(
      { ...inserted, after: null },
      { ...row, kind: 'insert', before: null, after: null },
    );
    const change = async (tx: Tx, settles: boolean) => {
      const payment = (await tx.payments.get(tenant, 'pi_1')) ?? assert.fail();
      tx.payments.update(settles ? { ...payment, status: 'settled' } : payment);
    };
    const [changed] = await changesOf(store, (tx) => change(tx, true));
    assert.deepEqual([changed?.kind, changed?.before], ['change', inserted?.after]);
    assert.notEqual(changed?.after, inserted?.after);
    const [same] = await changesOf(store, (tx) => change(tx, false));
    assert.deepEqual([same?.before, same?.after], [changed?.after, changed?.after]);
  });

  test('the row before a change is the one that was read last', async () => {
    const store = await open((tx) => tx.payments.insert(aPayment()));
    const settle = async (tx: Tx) => {
      const payment = (await tx.payments.get(tenant, 'pi_1')) ?? assert.fail();
      tx.payments.update({ ...payment, status: 'settled' });
    };
    let others: Awaited<ReturnType<typeof changesOf>> = [];
    const own = await changesOf(store, async (tx) => {
      await tx.payments.get(tenant, 'pi_1');
      if (others.length === 0) others = await changesOf(store, settle);
      await settle(tx);
    });
    assert.deepEqual(valuesOf(own, 'before'), valuesOf(others, 'after'));
  });

  test('a removed row has no hash after it; a guard and a read change nothing', async () => {
    const store = await open((tx) => tx.advances.put(anAdvance()));
    const removed = await changesOf(store, async (tx) => {
      const advance = (await tx.advances.get(tenant, anAdvance().paymentId)) ?? assert.fail();
      tx.epochs.expectNoQuarantine();
      tx.advances.remove(advance);
    });
    const [only, ...others] = removed;
    assert.deepEqual([others, only?.kind, only?.after], [[], 'remove', null]);
    assert.match(only?.before ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual(await changesOf(store, (tx) => tx.buyers.get('test', 'byr_1')), []);
  });

  test('held rows are read with the hash that their newest entry has, by pages', async () => {
    const store = await open();
    const ids = ['key_1', 'key_2', 'key_3'];
    const hashes: (string | null | undefined)[] = [];
    for (const [slot, id] of ids.entries()) {
      const key = aKey({ id, slot, lastUsedAtMs: null });
      const [made] = await changesOf(store, async (tx) => tx.keys.insert(key));
      hashes.push(made?.after);
    }
    const page = (after: HeldRow | null, limit: number) =>
      store.run((tx) => tx.held.page('api_key', after, limit));
    const first = await page(null, 2);
    const rest = await page(first.at(-1) ?? null, 2);
    const rows = [...first, ...rest];
    assert.deepEqual([first.length, valuesOf(rows, 'id')], [2, ids]);
    assert.deepEqual(valuesOf(rows, 'hash'), hashes);
    await store.run(async (tx) => tx.keys.touch('key_1', 7));
    assert.deepEqual(await page(null, 1), first.slice(0, 1), 'its use changes no hash');
  });

  test('every kind of held row is read', async () => {
    const store = await open();
    for (const type of heldTypes) {
      assert.deepEqual(await store.run((tx) => tx.held.page(type, null, 9)), [], type);
    }
  });

  test('entries are found by what they are about, newest first', async () => {
    const store = await open((tx) => {
      for (const [at, subjectId] of ['org_1', 'org_2', 'org_1', 'org_1'].entries()) {
        append(tx, `aud_${at}`, subjectId);
      }
    });
    const found = (subjectId: string | null, beforeSequence: number | null, limit: number) =>
      store.run((tx) => {
        const filter = { subjectId, type: null, fromSequence: 0 };
        return tx.feed.newest(auditFeed, filter, { beforeSequence, limit });
      });
    const ids = async (rows: Promise<readonly NumberedEvent[]>) => valuesOf(await rows, 'id');
    assert.deepEqual(await ids(found('org_1', null, 2)), ['aud_3', 'aud_2']);
    assert.deepEqual(await ids(found('org_1', 3, 2)), ['aud_0']);
    assert.deepEqual(await ids(found(null, null, 2)), ['aud_3', 'aud_2']);
    assert.deepEqual(await ids(found(null, 2, 9)), ['aud_0']);
  });

  test('entries of concurrent batches of several tenants are one chain', async () => {
    const store = await open();
    const tenants = [tenant, otherOrg];
    await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        store.run(async (tx) => {
          const of = tenants[at % 2] ?? tenant;
          const id = `evt_${at}`;
          tx.feed.append(anEvent({ ...of, id }));
          append(tx, `aud_${at}`, of.orgId);
        }),
      ),
    );
    assert.equal(await checkedFeed(store, auditFeed), 40);
    for (const of of tenants) assert.equal(await checkedFeed(store, of), 20);
  });

  test('an entry is not removed, and no pruning names its feed', async () => {
    const store = await open((tx) => {
      append(tx, 'aud_1', 'org_1');
      tx.feed.append(anEvent());
    });
    await assert.rejects(store.run(async (tx) => tx.retention.removeEvents(auditFeed, 0, 1)));
    assert.equal(await checkedFeed(store, auditFeed), 1);
    assert.deepEqual(await store.run((tx) => tx.retention.tenants(null, 9)), [tenant]);
  });
}

function append(tx: Tx, id: string, subjectId: string): void {
  const { body, type } = aFeedEvent();
  const entry = { ...auditFeed, id, subjectId, type, body, createdAtMs: 1 };
  tx.feed.append(entry);
}

/** What a run says of its changes before its end. */
async function changesOf(
  store: Store,
  work: (tx: Tx) => Promise<unknown>,
): Promise<readonly Shown[]> {
  return store.run(async (tx) => {
    await work(tx);
    return tx
      .changes()
      .map(({ details, sizeBytes: _, ...change }) => ({ ...change, ...details() }));
  });
}
