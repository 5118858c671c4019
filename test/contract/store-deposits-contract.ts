// What every store promises about money that nobody ordered: one row for each pay-in of a partner,
// and the look-ups by which a deposit finds its payment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../core/domain/base/money.js';
import type { Deposit } from '../../core/domain/deposits/deposit.js';
import { isCode } from '../../core/errors.js';
import type { Store, Tx } from '../../core/ports/storage.js';
import { someBankDetails } from '../support/samples/bank-detail-samples.js';
import { aDeposit } from '../support/samples/deposit-samples.js';
import {
  aCommand,
  anAccount,
  anOrganization,
  aPayment,
  aProfile,
  aQuote,
  otherMode,
  otherOrg,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import type { OpenStore } from './store-contracts.js';

export function storeDepositsContract(fresh: OpenStore): void {
  const written = async (work: (tx: Tx) => void): Promise<Store> => {
    const store = await fresh((tx) => work(tx));
    return store;
  };
  const deposits = (...rows: readonly Partial<Deposit>[]) =>
    written((tx) => {
      for (const [at, fields] of rows.entries()) {
        tx.deposits.insert(aDeposit({ id: `dep_${at}`, partnerRef: `pa_${at}`, ...fields }));
      }
    });
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

  test('a pay-in of a partner has one deposit in each mode, and the second insert loses', async () => {
    const store = await deposits({ id: 'dep_a', partnerRef: 'pa' });
    let runs = 0;
    const second = store.run(async (tx) => {
      runs += 1;
      tx.deposits.insert(aDeposit({ id: `dep_${runs}`, partnerRef: 'pa' }));
    });
    await assert.rejects(second, (error) => isCode(error, 'StoreContention'));
    assert.ok(runs > 1, 'it ran again, to read the winner');
    await store.run(async (tx) => {
      tx.deposits.insert(aDeposit({ id: 'dep_b', partnerRef: 'pa', mode: 'live' }));
      tx.deposits.insert(aDeposit({ id: 'dep_c', partnerRef: 'pa', partner: 'other' }));
    });
    const found = await store.run((tx) => tx.deposits.byPartnerRef('fake', 'live', 'payin', 'pa'));
    assert.equal(found?.id, 'dep_b');
  });

  test('deposits to one party that wait are found among any number to others', async () => {
    const others = Array.from({ length: 300 }, (_, at) => ({ partyRef: `re_other_${at}` }));
    const eur = money(5n, 'EUR');
    const store = await deposits(
      ...others,
      { id: 'dep_own', partyRef: 're_own' },
      { id: 'dep_own_2', partyRef: 're_own' },
      { id: 'dep_eur', partyRef: 're_own', amount: eur },
      { id: 'dep_live', partyRef: 're_own', mode: 'live' },
      { id: 'dep_open', partyRef: 're_own', end: 'open' },
      { id: 'dep_paid', partyRef: 're_own', state: 'refunded' },
    );
    const found = await store.run((tx) => tx.deposits.unmatchedTo('test', 're_own', 'USD'));
    assert.deepEqual(ids(found), ['dep_own', 'dep_own_2']);
  });

  test('payments of one consolidated payment are found by its reference, in their tenant', async () => {
    const reference = 'AAAA-BBBB';
    const store = await written((tx) => {
      const rows = [
        { id: 'pi_2', createdAtMs: T0 + 1 },
        { id: 'pi_1', createdAtMs: T0 + 2 },
        { id: 'pi_3', consolidatedReference: 'CCCC-DDDD' },
        { id: 'pi_4', consolidatedReference: null },
        { id: 'pi_5', ...otherOrg },
      ];
      for (const fields of rows) {
        const { id } = fields;
        const names = { publicId: `pub_${id}`, externalId: id };
        tx.payments.insert(aPayment({ consolidatedReference: reference, ...names, ...fields }));
      }
    });
    const found = await store.run((tx) => tx.payments.consolidated(tenant, reference));
    assert.deepEqual(ids(found), ['pi_2', 'pi_1']);
  });

  test('a share is not found by the id that the partner has for its deposit', async () => {
    const store = await written((tx) => {
      const share = { partnerRef: 'pa', depositId: 'dep_1', isAdopted: true };
      tx.commands.insert(aCommand({ ...share, id: 'cmd_1', reference: 'r_1' }));
      tx.commands.insert(aCommand({ ...share, id: 'cmd_2', reference: 'r_2' }));
    });
    const byRef = () => store.run((tx) => tx.commands.byPartnerRef('test', 'payin', 'pa'));
    assert.equal(await byRef(), null);
    const other = aCommand({ id: 'cmd_3', reference: 'r_3', partnerRef: 'pa' });
    await store.run(async (tx) => tx.commands.insert(other));
    assert.equal((await byRef())?.id, 'cmd_3');
  });

  const here = { id: 'cmd_1', partnerRef: 'pa', instance: 'here' };
  for (const [name, fields, isFree] of [
    ['another command', {}, false],
    ['one of another organization', { ...otherOrg, paymentId: 'pi_2' }, false],
    ['one that was adopted from a deposit', { isAdopted: true }, true],
    ['one of another kind', { kind: 'payout' }, true],
    ['one of the other mode', otherMode, true],
    ['one of another instance of the partner', { instance: 'there' }, true],
  ] as const) {
    test(`${name} ${isFree ? 'may have' : 'never has'} the partner's id of a command`, async () => {
      const second = aCommand({ ...here, id: 'cmd_2', partnerRef: null, ...fields });
      const store = await written((tx) => {
        tx.commands.insert(aCommand(here));
        tx.commands.insert(second);
      });
      const named = store.run(async (tx) => tx.commands.update({ ...second, partnerRef: 'pa' }));
      if (isFree) await named;
      else await assert.rejects(named, (error) => isCode(error, 'StoreContention'));
    });
  }

  test('an update is guarded by the version, and changes no identity', async () => {
    const store = await deposits({});
    const change = { state: 'assigned', paymentId: 'pi_1', rule: 'text', orgId: 'org_b' } as const;
    const read = aDeposit({ id: 'dep_0', partnerRef: 'pa_0' });
    await store.run(async (tx) => tx.deposits.update({ ...read, ...change, partnerRef: 'other' }));
    const found = await store.run((tx) => tx.deposits.get('dep_0'));
    assert.deepEqual(found, { ...read, ...change, version: 2 });
    const stale = store.run(async (tx) => tx.deposits.update(read));
    await assert.rejects(stale, (error) => isCode(error, 'StoreContention'));
  });

  test('only an assigned deposit has a payment', async () => {
    for (const fields of [{ state: 'assigned' }, { paymentId: 'pi_1' }] as const) {
      await assert.rejects(deposits(fields));
    }
  });

  test('what waits is what is open or here and undecided, newest first', async () => {
    const store = await deposits(
      {},
      { end: 'open' },
      { end: 'failed' },
      { state: 'returned', end: 'returned' },
      { state: 'refunded' },
      { state: 'assigned', paymentId: 'pi_1' },
    );
    const list = (waiting: boolean, beforeId: string | null = null) =>
      store.run((tx) => tx.deposits.list({ waiting, beforeId, limit: 3 }));
    assert.deepEqual(ids(await list(true)), ['dep_1', 'dep_0']);
    assert.deepEqual(ids(await list(false)), ['dep_5', 'dep_4', 'dep_3']);
    assert.deepEqual(ids(await list(false, 'dep_3')), ['dep_2', 'dep_1', 'dep_0']);
    assert.deepEqual(ids(await store.run((tx) => tx.deposits.after('dep_3', 9))), [
      'dep_4',
      'dep_5',
    ]);
  });

  test('pay-ins in flight were sent, have no id of the partner, and have not ended', async () => {
    const flying = { partnerRef: null, lastSentAtMs: T0 } as const;
    const rows = {
      cmd_sent: { ...flying, state: 'sent' },
      cmd_unknown: { ...flying, state: 'unknown' },
      cmd_denied: { ...flying, state: 'denied' },
      cmd_again: { ...flying, state: 'pending' },
      cmd_fresh: { ...flying, state: 'pending', lastSentAtMs: null },
      cmd_known: { state: 'done' },
      cmd_refused: { ...flying, state: 'refused' },
      cmd_payout: { ...flying, state: 'sent', kind: 'payout' },
      cmd_live: { ...flying, state: 'sent', mode: 'live' },
    } as const;
    const store = await written((tx) => {
      for (const [id, fields] of Object.entries(rows))
        tx.commands.insert(aCommand({ id, ...fields }));
    });
    const found = await store.run((tx) => tx.commands.payinsInFlight('test', 9));
    assert.deepEqual(ids(found), ['cmd_again', 'cmd_denied', 'cmd_sent', 'cmd_unknown']);
    assert.equal((await store.run((tx) => tx.commands.payinsInFlight('test', 1))).length, 1);
  });

  test('payments that await money are those of one seller, or of the organization', async () => {
    const paying = { status: 'on_ramp_pending' } as const;
    const rows = {
      pi_1: { ...paying, sellerExternalId: null },
      pi_2: { ...paying, sellerExternalId: 's1' },
      pi_3: { ...paying, sellerExternalId: 's2' },
      pi_4: { status: 'settled', sellerExternalId: null },
      pi_5: { ...paying, sellerExternalId: null, ...otherOrg },
      pi_6: { ...paying, sellerExternalId: null, ...otherMode },
    } as const;
    const store = await written((tx) => {
      for (const [id, fields] of Object.entries(rows)) {
        tx.payments.insert(aPayment({ id, publicId: id, externalId: id, ...fields }));
      }
    });
    const found = (seller: string | null) =>
      store.run((tx) => tx.payments.awaitingMoney(tenant, seller, 9));
    assert.deepEqual([ids(await found(null)), ids(await found('s1'))], [['pi_1'], ['pi_2']]);
  });

  test('quotes, parties and bank details are found by what the partner or a payer names', async () => {
    const details = someBankDetails();
    const store = await written((tx) => {
      tx.quotes.insert(aQuote({ partnerQuoteId: 'q' }));
      tx.quotes.insert(aQuote({ id: 'qt_2', partnerQuoteId: 'q', ...otherOrg }));
      tx.quotes.insert(aQuote({ id: 'qt_3', partnerQuoteId: 'q', ...otherMode }));
      tx.organizations.insert(anOrganization(), [
        aProfile({ partnerRef: 're' }),
        aProfile({ ...otherMode, partnerRef: 're' }),
      ]);
      tx.accounts.insert(anAccount({ partnerRef: 're' }));
      tx.accounts.insert(anAccount({ id: 'acct_2', externalId: null, partnerRef: 're_2' }));
      tx.bankDetails.insert(details, []);
    });
    const found = await store.run((tx) =>
      Promise.all([
        tx.quotes.byPartnerQuoteId('test', 'q', 9),
        tx.quotes.byPartnerQuoteId('test', 'q', 1),
        tx.quotes.byPartnerQuoteId('test', 'other', 9),
        tx.organizations.profilesByPartnerRef('test', 're'),
        tx.accounts.byPartnerRef('test', 're'),
        tx.bankDetails.byShortId(details.shortId, 9),
        tx.bankDetails.byShortId('other', 9),
      ]),
    );
    assert.deepEqual(valuesOf(found, 'length'), [2, 1, 0, 1, 1, 1, 0]);
  });
}
