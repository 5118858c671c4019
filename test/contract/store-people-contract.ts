// What every store promises about the erasure of a person. Run over each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { Payment } from '../../core/domain/payments/payment.js';
import { aBuyer, tenant } from '../support/samples/domain-samples.js';
import {
  farmerCpf,
  personAddress,
  personKey,
  personName,
  readPerson,
  storePerson,
} from '../support/scenes/stored-person.js';
import type { OpenStore } from './store-contracts.js';

export function storePeopleContract(open: OpenStore): void {
  test('a person is erased but for records of money; others are as they were', async () => {
    const store = await open();
    await storePerson(store);
    const before = await readPerson(store);
    await store.run((tx) => tx.people.erase(personAddress.toUpperCase()));
    const { own, others } = await readPerson(store);
    const [payment, submission, account, member, pending, sent, , buyer] = own;
    assert.doesNotMatch(inspect(own, { depth: 9 }), /@person\.example/i);
    assert.deepEqual(payment?.buyer, {
      email: 'erased-pi_1@erased.invalid',
      name: personName,
      country: 'PT',
      phone: null,
    });
    assert.equal(payment?.metadata, '{"note":"erased, erased-person@erased.invalid"}');
    assert.deepEqual([submission?.draftSealed, submission?.legalName], [null, null]);
    assert.deepEqual([account?.email, account?.displayName], [null, null]);
    assert.equal(account?.legalName, personName, 'whom the partner verified');
    assert.equal(member?.email, 'erased-mem_1@erased.invalid');
    assert.deepEqual([pending?.status, pending?.tokenSealed], ['dropped', null]);
    assert.equal(sent?.to, 'erased-mail_9@erased.invalid');
    assert.equal(buyer, null);
    const [asked, sold, ...rest] = others;
    const { metadata, colleagueApproval, ...kept } = asked as Payment;
    assert.equal(colleagueApproval?.email, 'erased-person@erased.invalid');
    assert.match(metadata, /Rosa .*erased-person@/, 'a name is that of whose payment it is');
    const [was] = before.others;
    assert.deepEqual({ ...was, ...kept, version: 1 }, { ...was, version: 1 });
    const [, wasSold] = before.others;
    const fiscalDocument = { kind: 'nfse', key: null, number: '7', issuedOn: null };
    assert.ok(inspect(wasSold).includes(farmerCpf));
    assert.deepEqual(sold, { ...wasSold, fiscalDocument, version: 2 });
    assert.deepEqual(rest, before.others.slice(2));
  });

  test('a second erasure changes nothing, and the address may come back', async () => {
    const store = await open();
    await storePerson(store);
    const erase = () => store.run((tx) => tx.people.erase(personAddress));
    await erase();
    const once = await readPerson(store);
    await erase();
    assert.deepEqual(await readPerson(store), once);
    const again = aBuyer({ id: 'byr_9', email: personAddress, emailKey: personKey });
    await store.run(async (tx) => tx.buyers.insert(again));
    await erase();
  });

  test('nothing that is open is erased: payments, verifications, memberships', async () => {
    const store = await open();
    await storePerson(store);
    const blocking = () => store.run((tx) => tx.people.blocking(personAddress));
    assert.deepEqual(await blocking(), []);
    const status = 'offramp_pending' as const;
    await store.run(async (tx) => {
      const [payment, asked, account, member, submission, funds] = await Promise.all([
        tx.payments.get(tenant, 'pi_1'),
        tx.payments.get(tenant, 'pi_2'),
        tx.accounts.get(tenant, 'acct_1'),
        tx.members.get('org_a', 'mem_1'),
        tx.buyers.submissionById(tenant, 'kyc_1'),
        tx.funds.get(tenant, 'pi_1'),
      ]);
      assert.ok(payment && asked && account && member && submission && funds);
      tx.funds.put({ ...funds, refund: 'needs_review' });
      tx.payments.update({ ...asked, status });
      tx.accounts.update({ ...account, status: 'verifying' });
      tx.members.update({ ...member, removedAtMs: null });
      tx.buyers.updateSubmission({ ...submission, status: 'verifying' });
    });
    assert.deepEqual(await blocking(), [
      'pi_1 is settled',
      `pi_2 is ${status}`,
      'kyc_1 is verified by the partner',
      'acct_1 is verified by the partner',
      'mem_1 is a member of org_a',
    ]);
  });
}
