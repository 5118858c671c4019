// What every store promises about views: a payment comes with its own funds and with the KYC of its
// buyer as its tenant knows it, all of one moment. Run over each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../core/domain/base/instant.js';
import { money } from '../../core/domain/base/money.js';
import { type Tenant, tenantOf } from '../../core/domain/base/tenant.js';
import type { Settlement } from '../../core/domain/commands/settlement.js';
import type { KycStatus } from '../../core/domain/parties/buyer-kyc.js';
import { type Funds, noFunds } from '../../core/domain/payments/funds.js';
import { AssertionFailure, PonteError } from '../../core/errors.js';
import type { Tx } from '../../core/ports/storage.js';
import { allPayments } from '../../core/usecases/payments/payment-lists.js';
import {
  aBuyer,
  aCommand,
  anAccount,
  aPayment,
  aSubmission,
  otherMode,
  otherOrg,
  someFunds,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import type { OpenStore } from './store-contracts.js';

const page = { ...allPayments, fromMoment: null, beforeMoment: null, settled: null, limit: 1 };

const buyerAccount = (fields: Parameters<typeof anAccount>[0]) => (tx: Tx) =>
  tx.accounts.insert(anAccount({ role: 'buyer', email: ' BUYER@example.com', ...fields }));
const submission = (fields: Parameters<typeof aSubmission>[0]) => (tx: Tx) =>
  tx.buyers.insertSubmission(aSubmission(fields));

/** By what the tenant has of the buyer: the status, and the rows. */
const known: Readonly<Record<string, readonly [KycStatus, ...((tx: Tx) => void)[]]>> = {
  nothing: ['not_started'],
  'a submission': ['verifying', submission({})],
  'of several submissions the one that is not rejected, even if it is the older one': [
    'pending',
    submission({ id: 'kyc_1', flowId: 'f1', status: 'rejected' }),
    submission({ id: 'kyc_2', flowId: 'f2', status: 'rejected', createdAtMs: T0 + 9 }),
    submission({ id: 'kyc_3', flowId: 'f3', status: 'pending', createdAtMs: T0 + 5 }),
  ],
  'a submission for another buyer': ['not_started', submission({ buyerId: 'byr_2' })],
  'submissions of others': [
    'not_started',
    submission({ ...otherOrg, flowId: 'f1' }),
    submission({ ...otherMode, flowId: 'f2' }),
  ],
  'an account that is approved': ['approved', buyerAccount({})],
  'an account that is approved, and a rejection': [
    'approved',
    buyerAccount({}),
    submission({ status: 'rejected' }),
  ],
  'one of several accounts that is approved': [
    'approved',
    buyerAccount({ id: 'acct_1', status: 'verifying' }),
    buyerAccount({ id: 'acct_2' }),
    buyerAccount({ id: 'acct_3', status: 'verifying' }),
  ],
  'accounts that are not approved': [
    'not_started',
    buyerAccount({ id: 'acct_1', status: 'verifying' }),
    buyerAccount({ id: 'acct_2', status: 'rejected' }),
    buyerAccount({ id: 'acct_3', status: 'created' }),
  ],
  'a seller of the same address': ['not_started', buyerAccount({ role: 'seller' })],
  'an account of another address': ['not_started', buyerAccount({ email: 'other@example.com' })],
  'an account without an address': ['not_started', buyerAccount({ email: null })],
  'accounts of others': ['not_started', buyerAccount(otherOrg), buyerAccount(otherMode)],
};

export function storeViewsContract(open: OpenStore): void {
  test('a view is the payment and the funds as they were written', async () => {
    const intent = aPayment({ externalId: 'order-1' });
    const invoice = aPayment({ id: 'inv_1', origin: 'invoice', externalId: 'order-1' });
    const funds = someFunds({ receivedMinor: 7n, position: 'received', currency: 'USD' });
    const store = await open((tx) => {
      for (const payment of [intent, invoice]) {
        tx.payments.insert(payment);
        tx.funds.put({ ...funds, paymentId: payment.id });
      }
      for (const place of [otherOrg, otherMode]) {
        tx.payments.insert(aPayment({ ...place, publicId: `pub_${place.orgId}_${place.mode}` }));
        tx.funds.put(someFunds(place));
      }
    });
    await store.run(async (tx) => tx.funds.put({ ...funds, version: 1 }));
    const viewOf = (id: string) => store.run((tx) => tx.views.get(tenant, id));
    const ofIntent = { payment: intent, funds: { ...funds, version: 2 } };
    const rest = { kycStatus: 'not_started', settlements: [] } as const;
    assert.deepEqual(await viewOf('pi_1'), { ...ofIntent, ...rest });
    assert.equal(await viewOf('pi_2'), null);
    const named = (place: Tenant, origin: 'payment_intent' | 'invoice') =>
      store.run((tx) => tx.views.byExternalId(place, origin, 'order-1'));
    assert.deepEqual((await named(tenant, 'payment_intent'))?.payment, intent);
    assert.deepEqual((await named(tenant, 'invoice'))?.payment, invoice);
    assert.equal(await named(otherOrg, 'invoice'), null);
    assert.equal(await named(otherMode, 'invoice'), null);
  });

  test('a payment without money has no row of funds, and a view of it has none received', async () => {
    const payment = aPayment();
    const store = await open((tx) => tx.payments.insert(payment));
    const first = noFunds(payment);
    const read = () =>
      store.run(async (tx) => ({
        row: await tx.funds.get(tenant, 'pi_1'),
        of: await tx.funds.of(payment),
        view: (await tx.views.get(tenant, 'pi_1'))?.funds,
        both: await tx.payments.withFunds(tenant, 'pi_1'),
        listed: (await tx.views.listPayments(tenant, page))[0]?.funds.position,
      }));
    const found = (funds: Funds) => ({ of: funds, view: funds, both: { payment, funds } });
    assert.deepEqual(await read(), { row: null, ...found(first), listed: 'none' });
    const expected = { ...first, position: 'expected' } as const;
    await store.run(async (tx) => tx.funds.put(expected));
    const row = { ...expected, version: 1 };
    assert.deepEqual(await read(), { row, ...found(row), listed: 'expected' });
    // Another payment of the batch may have a staged write, this one may not.
    await store.run(async (tx) => {
      tx.payments.insert(aPayment({ id: 'pi_2', publicId: 'p2', externalId: 'e2' }));
      assert.deepEqual(await tx.payments.withFunds(tenant, 'pi_1'), { payment, funds: row });
      tx.funds.put(row);
      await assert.rejects(tx.payments.withFunds(tenant, 'pi_1'), /staged/);
    });
    // Both read that there is none: one of them is decided again.
    await assert.rejects(store.run(async (tx) => tx.funds.put(expected)));
  });

  test('a view has the settlements of all payouts, in order, and a list has them too', async () => {
    const facts = (id: string) => ({
      settled: money(51_480n, 'BRL'),
      fees: money(100n, 'USD'),
      fxRate: '5.20',
      endToEndId: id,
    });
    const paid = aPayment({ settlement: facts('E1'), settledAtMs: T0, status: 'settled' });
    const payout = (id: string, settlements: readonly Settlement[]) =>
      aCommand({ id, reference: id, kind: 'payout', paymentId: paid.id, settlements });
    const first = { ...facts('E1'), settledAtMs: T0, returnedAtMs: T0 + 1 };
    const second = { ...facts('E2'), settledAtMs: T0 + 2, returnedAtMs: null };
    const third = { ...facts("E'3,"), settledAtMs: T0 + 3, returnedAtMs: null };
    const store = await open((tx) => {
      tx.payments.insert(paid);
      tx.funds.put(someFunds());
      tx.commands.insert(payout('cmd_1', [first, third]));
      tx.commands.insert(payout('cmd_2', [second]));
      tx.commands.insert(payout('cmd_3', []));
      tx.commands.insert(aCommand({ id: 'cmd_4', reference: 'cmd_4', paymentId: paid.id }));
    });
    const view = await store.run((tx) => tx.views.get(tenant, paid.id));
    assert.deepEqual(view?.settlements, [first, second, third]);
    const listed = await store.run((tx) =>
      tx.views.updatedPayments(tenant, {
        origins: ['payment_intent'],
        fromMs: 0,
        afterId: '',
        untilMs: T0 + DAY_MS,
        limit: 10,
      }),
    );
    assert.deepEqual(valuesOf(listed, 'settlements'), [view?.settlements]);
  });

  for (const [what, [status, ...stages]] of Object.entries(known)) {
    test(`by ${what}, a tenant knows a buyer as ${status}`, async () => {
      const store = await open((tx) => {
        tx.payments.insert(aPayment());
        tx.funds.put(someFunds());
        tx.buyers.insert(aBuyer());
        for (const stage of stages) stage(tx);
      });
      const buyer = { id: 'byr_1', emailKey: 'buyer@example.com' };
      const [view, kycStatus] = await store.run((tx) =>
        Promise.all([tx.views.get(tenant, 'pi_1'), tx.views.kycStatus(tenant, buyer)]),
      );
      assert.deepEqual([view?.kycStatus, kycStatus], [status, status]);
    });
  }

  test('concurrent reads of views each return the view of their payment', async () => {
    const payments = Array.from({ length: 20 }, (_, at) =>
      aPayment({ id: `pi_${at}`, buyerId: `byr_${at}` }),
    );
    const statuses = ['verifying', 'approved', 'rejected'] as const;
    const store = await open((tx) => {
      for (const [at, payment] of payments.entries()) {
        const { id, buyerId } = payment;
        tx.payments.insert(payment);
        tx.funds.put(someFunds({ paymentId: id, receivedMinor: BigInt(at) }));
        tx.buyers.insert(aBuyer({ id: buyerId, emailKey: `${buyerId}@example.com` }));
        const kyc = { id: `kyc_${at}`, flowId: `flow_${at}`, buyerId };
        tx.buyers.insertSubmission(aSubmission({ ...kyc, status: statuses[at % 3] }));
      }
    });
    const views = await Promise.all(
      payments.map(({ id }) => store.run((tx) => tx.views.get(tenant, id))),
    );
    assert.deepEqual(
      views.map((view) => [view?.payment.id, view?.funds.receivedMinor, view?.kycStatus]),
      payments.map(({ id }, at) => [id, BigInt(at), statuses[at % 3]]),
    );
  });

  test('a view is not read after a write to any of its tables was staged', async () => {
    const writes: readonly ((tx: Tx) => void)[] = [
      (tx) => tx.payments.insert(aPayment()),
      (tx) => tx.funds.put(someFunds()),
      (tx) => tx.buyers.insert(aBuyer()),
      submission({}),
      buyerAccount({}),
    ];
    for (const write of writes) {
      const store = await open(() => undefined);
      await store.run(async (tx) => {
        write(tx);
        await assert.rejects(tx.views.get(tenant, 'pi_1'), AssertionFailure);
      });
    }
  });

  test('a refusal decided on a view that changed before the next read is decided again', async () => {
    for (const change of ['payments', 'funds'] as const) {
      const store = await open((tx) => {
        tx.payments.insert(aPayment());
        tx.funds.put(someFunds());
        tx.buyers.insertSubmission(aSubmission());
      });
      const changed = {
        payments: (tx: Tx) => tx.payments.update(aPayment()),
        funds: (tx: Tx) => tx.funds.put(someFunds({ version: 1 })),
      }[change];
      let runs = 0;
      const refused = store.run(async (tx) => {
        runs += 1;
        const view = await tx.views.get(tenant, 'pi_1');
        if (runs === 1) await store.run(async (other) => changed(other));
        await tx.buyers.submissionById(tenant, 'kyc_1');
        assert.deepEqual(tenantOf(view?.payment ?? otherOrg), tenant);
        throw new PonteError('NotFound');
      });
      await assert.rejects(refused, { code: 'NotFound' });
      assert.equal(runs, 2, change);
    }
  });
}
