// What every store promises about bank details that were given to buyers: they come back as they
// were written, once each, and are found by code, by number and by the payments of a buyer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tenantOf } from '../../core/domain/base/tenant.js';
import type { BankDetails } from '../../core/domain/payments/bank-record.js';
import type { Store } from '../../core/ports/storage.js';
import { someBankDetails } from '../support/samples/bank-detail-samples.js';
import {
  aBarePayment,
  otherMode,
  otherOrg,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { assertContended } from './contention.js';
import type { OpenStore } from './store-contracts.js';

interface Given extends Partial<BankDetails> {
  /** Hashes of its accounts; its numbers have the same. */
  readonly hashes?: readonly string[];
  readonly isPaid?: boolean;
}

export function storeBankDetailsContract(open: OpenStore): void {
  const storeOf = async (...rows: readonly Given[]): Promise<Store> => {
    const store = await open();
    for (const [at, row] of rows.entries()) {
      const { hashes = ['a'], isPaid = true, ...fields } = row;
      const details = someBankDetails({ paymentId: `pi_${at}`, ...fields });
      await store.run(async (tx) => {
        const { paymentId: id, issuedAtMs } = details;
        const coveredAtMs = isPaid ? issuedAtMs : null;
        const names = { ...tenantOf(details), id, publicId: `public-${at}`, coveredAtMs };
        tx.payments.insert(aBarePayment(names));
        const accounts = hashes.map((hash) => ({ accountHash: hash, numberHash: hash }));
        tx.bankDetails.insert(details, accounts);
      });
    }
    return store;
  };

  test('details come back as they were written, oldest first, and are given once', async () => {
    const store = await storeOf({ issuedAtMs: T0 + 1, hashes: [] });
    const bare = someBankDetails({ paymentId: 'pi_0', checkCode: '0', payeeName: null });
    await store.run(async (tx) => tx.bankDetails.insert(bare, []));
    const found = await store.run((tx) => tx.bankDetails.ofPayment(tenant, 'pi_0'));
    assert.deepEqual(found, [bare, someBankDetails({ paymentId: 'pi_0', issuedAtMs: T0 + 1 })]);
    await assertContended(store, (tx) => tx.bankDetails.insert(bare, []));
    for (const place of [otherOrg, otherMode]) {
      assert.deepEqual(await store.run((tx) => tx.bankDetails.ofPayment(place, 'pi_0')), []);
    }
  });

  test('details of any tenant are found by page and code together', async () => {
    const store = await storeOf({ shortId: 's1', checkCode: 'c1', ...otherOrg });
    const found = (shortId: string, code: string) =>
      store.run((tx) => tx.bankDetails.byCode(shortId, code));
    assert.equal((await found('s1', 'c1'))?.orgId, otherOrg.orgId);
    assert.deepEqual([await found('s1', 'c2'), await found('s2', 'c1')], [null, null]);
  });

  test('the latest details of a page with a number are found, of any tenant', async () => {
    const store = await storeOf(
      { shortId: 's1', issuedAtMs: T0 + 2, hashes: ['a', 'b'] },
      { shortId: 's1', issuedAtMs: T0 + 1 },
      { shortId: 's2', issuedAtMs: T0 + 3, ...otherOrg },
    );
    const latest = async (number: string, shortId: string) =>
      (await store.run((tx) => tx.bankDetails.byNumber(number, shortId)))?.issuedAtMs ?? null;
    const found = [await latest('a', 's1'), await latest('b', 's1'), await latest('a', 's2')];
    assert.deepEqual(found, [T0 + 2, T0 + 2, T0 + 3]);
    const others = [await latest('b', 's2'), await latest('c', 's1'), await latest('a', 's3')];
    assert.deepEqual(others, [null, null, null]);
  });

  test('an account is known from the latest paid payment of this buyer to this payee', async () => {
    const store = await storeOf(
      { issuedAtMs: T0 },
      { issuedAtMs: T0 + 1 },
      { issuedAtMs: T0 + 2, isPaid: false },
      { issuedAtMs: T0 + 3, buyerId: 'byr_2' },
      { issuedAtMs: T0 + 4, payeeName: 'Bo Ltda' },
      { issuedAtMs: T0 + 5, payeeName: null },
      { issuedAtMs: T0 + 6, hashes: ['b'] },
      { issuedAtMs: T0 + 7, ...otherOrg },
      { issuedAtMs: T0 + 8, ...otherMode },
    );
    const before = async (fields: Partial<BankDetails>, hash: string) => {
      const details = someBankDetails({ paymentId: 'pi_x', ...fields });
      return (await store.run((tx) => tx.bankDetails.paidBefore(details, hash)))?.paymentId ?? null;
    };
    assert.equal(await before({}, 'a'), 'pi_1');
    assert.equal(await before({ paymentId: 'pi_1' }, 'a'), 'pi_0', 'another payment');
    assert.equal(await before({ payeeName: 'Bo Ltda' }, 'a'), 'pi_4');
    assert.equal(await before({}, 'c'), null);
    assert.equal(await before({ payeeName: null }, 'a'), null);
  });
}
