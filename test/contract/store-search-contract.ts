// What every store promises about a search: what names a payment is found from its start, and the
// words of buyers and accounts lead to them; nothing of another tenant is found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchKey, typedWords } from '../../core/domain/base/search-text.js';
import {
  anAccount,
  aPayment,
  otherMode,
  otherOrg,
  tenant,
} from '../support/samples/domain-samples.js';
import type { OpenStore } from './store-contracts.js';

const buyer = { email: 'a@buyer.example', name: 'São Paulo Café', country: null, phone: null };
const payments = [
  aPayment({ id: 'inv_2', publicId: 'p1', externalId: 'Ref-10', number: 'RN-7', buyer }),
  aPayment({ id: 'inv_1', publicId: 'p2', externalId: 'REF-1', number: 'rn-8', buyer }),
  aPayment({
    id: 'inv_3',
    publicId: 'p3',
    externalId: null,
    number: null,
    purchaseOrder: 'Ref 9',
    buyer: { ...buyer, name: null },
  }),
  aPayment({ ...otherMode, id: 'inv_4', publicId: 'p4', externalId: 'ref-1', buyer }),
  aPayment({ ...otherOrg, id: 'inv_5', publicId: 'p5', externalId: 'ref-1', buyer }),
];

export function storeSearchContract(open: OpenStore): void {
  const filled = async () => {
    const store = await open();
    for (const payment of payments) {
      await store.run(async (tx) => tx.payments.insert(payment));
    }
    return store;
  };

  test('what names a payment is found from its start, each with the highest first', async () => {
    const store = await filled();
    const found = (text: string, limit = 5) =>
      store.run((tx) => tx.payments.startingWith(tenant, searchKey(text), limit));
    assert.deepEqual(await found('REF-'), ['inv_2', 'inv_1']);
    assert.deepEqual(await found('ref-', 1), ['inv_2']);
    assert.deepEqual(await found('ref-1'), ['inv_2', 'inv_1']);
    assert.deepEqual(await found('ref 9'), ['inv_3']);
    assert.deepEqual(await found('RN-8'), ['inv_1']);
    assert.deepEqual(await found('inv_3'), ['inv_3']);
    for (const text of ['ef-1', '%', '_', 'inv_4', 'ref-2'])
      assert.deepEqual(await found(text), []);
  });

  test('words of names lead to buyers and accounts of the tenant, also former ones', async () => {
    const store = await filled();
    const account = anAccount({ legalName: 'Padaria Ltda', displayName: null, version: 1 });
    await store.run(async (tx) => tx.accounts.insert(account));
    await store.run(async (tx) => {
      const read = (await tx.accounts.get(tenant, account.id)) ?? assert.fail();
      tx.accounts.update({ ...read, legalName: 'Confeitaria Ltda' });
    });
    const owners = (word: string, of = tenant) => store.run((tx) => tx.names.owners(of, word, 5));
    const [first] = payments;
    assert.deepEqual(await owners('caf'), [first?.buyerId]);
    assert.deepEqual(await owners('sao'), [first?.buyerId]);
    for (const word of ['padar', 'confeitaria']) assert.deepEqual(await owners(word), [account.id]);
    assert.deepEqual(await owners('padaria', { ...tenant, ...otherOrg }), []);
    assert.deepEqual(await owners('aulo'), []);
    const words = await store.run((tx) => tx.names.ofOwner(tenant, first?.buyerId ?? ''));
    assert.deepEqual(words.toSorted(), ['cafe', 'paulo', 'sao']);
  });

  test('a name in letters of two code units is stored, and found by its words', async () => {
    const name = `A${'𠮷'.repeat(60)}`;
    const payment = aPayment({ buyer: { ...buyer, name } });
    const store = await open((tx) => tx.payments.insert(payment));
    for (const word of typedWords(name)) {
      const found = await store.run((tx) => tx.names.owners(tenant, word, 5));
      assert.deepEqual(found, [payment.buyerId]);
    }
  });
}
