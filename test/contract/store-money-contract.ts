// What every store promises about money: the ledger keeps what was posted, funds add up, and one
// reference names one order. Run over each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENTRY_DELAY_MS } from '../../core/domain/accounting/accounting.js';
import { money } from '../../core/domain/base/money.js';
import type { Mode } from '../../core/domain/base/tenant.js';
import type { MoneyCommand } from '../../core/domain/commands/partner-command.js';
import { depositTenant } from '../../core/domain/deposits/deposit.js';

import {
  ledgerAccounts,
  posting,
  postingKinds,
  transfer,
} from '../../core/domain/payments/ledger.js';
import type { Payment } from '../../core/domain/payments/payment.js';
import { PonteError } from '../../core/errors.js';
import { aDeposit } from '../support/samples/deposit-samples.js';
import {
  aCommand,
  anOrganization,
  aPartyCommand,
  aPayment,
  aQuote,
  someFunds,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import type { OpenStore } from './store-contracts.js';

const live = { orgId: 'org_a', mode: 'live' } as const;

export function storeMoneyContract(fresh: OpenStore): void {
  test('the ledger holds what was posted, payment by payment, in the order of its posting', async () => {
    const paid = posting('funds_received', [
      ...transfer('buyer', 'partner_float', money(700n, 'EUR')),
      ...transfer('buyer', 'partner_float', money(9_007_199_254_740_993n, 'USD')),
    ]);
    const back = posting('refund_owed', transfer('partner_float', 'refunds', money(1n, 'EUR')));
    const store = await fresh((tx) => {
      tx.ledger.append(tenant, 'pi_1', 'pst_1', paid, T0);
      tx.ledger.append(tenant, 'pi_1', 'pst_2', back, T0 + 1);
      tx.ledger.append(tenant, 'pi_2', 'pst_3', back, T0);
    });
    assert.deepEqual(await store.run((tx) => tx.ledger.ofSubject(tenant, 'pi_1')), [
      { id: 'pst_1', atMs: T0, ...paid },
      { id: 'pst_2', atMs: T0 + 1, ...back },
    ]);
  });

  test('postings from before a process stood still are not stored: the work runs again', async (t) => {
    const store = await fresh();
    t.mock.timers.enable({ apis: ['Date'], now: T0 });
    const back = posting('refund_owed', transfer('partner_float', 'refunds', money(1n, 'EUR')));
    const began: number[] = [];
    await store.run(async (tx) => {
      const atMs = Date.now();
      began.push(atMs);
      tx.ledger.append(tenant, 'pi_1', `pst_${atMs}`, back, atMs);
      if (began.length === 1) t.mock.timers.setTime(T0 + ENTRY_DELAY_MS);
    });
    const stored = await store.run((tx) => tx.ledger.ofSubject(tenant, 'pi_1'));
    assert.deepEqual(began, [T0, T0 + ENTRY_DELAY_MS]);
    assert.deepEqual(
      stored.map(({ atMs }) => atMs),
      began.slice(1),
    );
  });

  test('the time of the last posting is that of the highest id, over all organizations', async () => {
    const empty = await fresh();
    assert.equal(await empty.run((tx) => tx.ledger.newestMs()), null);
    const paid = posting('funds_received', transfer('buyer', 'partner_float', money(7n, 'EUR')));
    const store = await fresh((tx) => {
      tx.organizations.insert(anOrganization(), []);
      tx.ledger.append(tenant, 'pi_1', 'pst_1', paid, T0 + 5);
      tx.ledger.append(live, 'pi_2', 'pst_3', paid, T0 + 4);
      tx.ledger.append(live, 'pi_2', 'pst_2', paid, T0 + 9);
    });
    assert.equal(await store.run((tx) => tx.ledger.newestMs()), T0 + 5);
  });

  test('the postings of a tenant are read in order of their ids, whole, between two ids', async () => {
    const paid = posting('funds_received', transfer('buyer', 'partner_float', money(7n, 'EUR')));
    const store = await fresh((tx) => {
      for (const id of ['pst_3', 'pst_1', 'pst_4', 'pst_2'])
        tx.ledger.append(tenant, `pi_${id}`, id, paid, T0);
      tx.ledger.append(live, 'pi_9', 'pst_25', paid, T0);
    });
    const page = (afterId: string, beforeId: string, limit: number) =>
      store.run((tx) => tx.ledger.page(tenant, { afterId, beforeId, limit }));
    const named = (...ids: readonly string[]) =>
      ids.map((id) => ({ id, subjectId: `pi_${id}`, atMs: T0, ...paid }));
    assert.deepEqual(await page('pst_', 'pst_4', 9), named('pst_1', 'pst_2', 'pst_3'));
    assert.deepEqual(await page('pst_1', 'pst_9', 2), named('pst_2', 'pst_3'));
    assert.deepEqual(await page('pst_4', 'pst_9', 2), []);
  });

  test('the accounts of a mode have their sums, and the payments whose money is held', async () => {
    const store = await fresh((tx) => {
      tx.payments.insert(aPayment({ destination: 'pix_1' }));
      const quoted = { source: money(700n, 'EUR'), fees: money(7n, 'EUR') };
      tx.quotes.insert(aQuote({ id: 'qt_1', ...quoted }));
      const received = transfer('buyer', 'partner_float', money(700n, 'EUR'));
      tx.ledger.append(tenant, 'pi_1', 'pst_1', posting('funds_received', received), T0);
      const owed = transfer('partner_float', 'refunds', money(100n, 'EUR'));
      tx.ledger.append(tenant, 'pi_1', 'pst_2', posting('refund_owed', owed), T0);
      tx.ledger.append(live, 'pi_2', 'pst_3', posting('refund_owed', owed), T0);
      tx.deposits.insert(aDeposit());
      const waiting = posting('funds_received', transfer('buyer', 'suspense', money(50n, 'USD')));
      tx.ledger.append(depositTenant(aDeposit()), 'dep_1', 'pst_4', waiting, T0);
    });
    const [balances, floats] = await store.run(async (tx) => [
      await tx.ledger.balances('test'),
      await tx.ledger.floats('test'),
    ]);
    assert.deepEqual(
      balances.map(({ account, currency, amountMinor, lines }) => {
        return `${account} ${amountMinor} ${currency} ${lines}`;
      }),
      [
        'buyer -700 EUR 1',
        'buyer -50 USD 1',
        'partner_float 600 EUR 2',
        'refunds 100 EUR 1',
        'suspense 50 USD 1',
      ],
    );
    const held = { paymentId: 'pi_1', destination: 'pix_1', currency: 'EUR', floatMinor: 700n };
    assert.deepEqual(floats, [{ ...held, quotedMinor: 700n, feesMinor: 7n }]);
  });

  test('what sellers were paid in a time is summed, less payouts that came back', async () => {
    const paid = (amount: bigint) =>
      posting('payout_paid', transfer('conversion', 'seller', money(amount, 'BRL')));
    const back = posting('payout_returned', transfer('seller', 'conversion', money(30n, 'BRL')));
    const received = transfer('buyer', 'partner_float', money(9n, 'USD'));
    const store = await fresh((tx) => {
      tx.ledger.append(tenant, 'pi_1', 'pst_1', paid(100n), T0);
      tx.ledger.append(tenant, 'pi_2', 'pst_2', posting('funds_received', received), T0 + 1);
      tx.ledger.append(tenant, 'pi_1', 'pst_3', back, T0 + 9);
      tx.ledger.append(tenant, 'pi_1', 'pst_4', paid(1_000n), T0 + 10);
      tx.ledger.append({ ...tenant, orgId: 'org_b' }, 'pi_3', 'pst_5', paid(5n), T0);
    });
    const paidOut = (from: number, to: number) =>
      store.run((tx) => tx.ledger.paidOut(tenant, from, to));
    assert.deepEqual(await paidOut(T0, T0 + 10), [money(70n, 'BRL')]);
    assert.deepEqual(await paidOut(T0 + 11, T0 + 20), []);
  });

  test('funds that are owed or need a person are found for their tenant, newest first', async () => {
    const owed = { refund: 'refund_owed', receivedMinor: 9n, refundOwedMinor: 9n } as const;
    const review = { position: 'needs_review', receivedMinor: 9n, payoutMinor: 9n } as const;
    const store = await fresh((tx) => {
      tx.funds.put(someFunds({ paymentId: 'pi_1', ...owed }));
      tx.funds.put(someFunds({ paymentId: 'inv_2', ...review }));
      tx.funds.put(someFunds({ paymentId: 'pi_3' }));
      tx.funds.put(someFunds({ paymentId: 'pi_4', orgId: 'org_b', ...owed }));
    });
    const found = (limit: number) => store.run((tx) => tx.funds.attention(tenant, limit));
    assert.deepEqual(valuesOf(await found(9), 'paymentId'), ['inv_2', 'pi_1']);
    assert.equal((await found(1)).length, 1);
  });

  test('every account and every kind of posting can be stored', async () => {
    const all = postingKinds.map((kind) =>
      posting(
        kind,
        ledgerAccounts.flatMap((account) => transfer('buyer', account, money(1n, 'EUR'))),
      ),
    );
    const store = await fresh((tx) => {
      for (const one of all) tx.ledger.append(tenant, 'pi_1', `pst_${one.kind}`, one, T0);
    });
    const found = await store.run((tx) => tx.ledger.ofSubject(tenant, 'pi_1'));
    const byKind = new Map(found.map(({ kind, lines }) => [kind, lines]));
    for (const { kind, lines } of all) assert.deepEqual(byKind.get(kind), lines, kind);
  });

  test('an update changes the outcome of a command, never what was ordered', async () => {
    const store = await fresh((tx) => tx.commands.insert(aCommand()));
    const became: Partial<MoneyCommand> = {
      state: 'denied',
      request: 'another',
      partnerRef: 'pa_2',
      end: 'returned',
      receivedMinor: 7n,
      confirmedMinor: 6n,
      refusal: 'no',
      review: '{}',
      tries: 9,
      lastSentAtMs: T0 + 7,
      dueAtMs: null,
      leaseToken: 'w',
      lastError: null,
      amount: money(1n, aCommand().amount.currency),
      updatedAtMs: T0 + 8,
    };
    const ordered: Partial<MoneyCommand> = {
      reference: 'another',
      kind: 'refund',
      paymentId: 'pi_2',
      payinId: 'cmd_0',
      createdAtMs: T0 + 9,
    };
    await store.run(async (tx) => tx.commands.update(aCommand({ ...became, ...ordered })));
    const found = await store.run((tx) => tx.commands.get('cmd_1'));
    assert.deepEqual(found, aCommand({ ...became, version: 2 }));
  });

  test('commands come page by page, by their creation', async () => {
    const foreign = { orgId: 'org_b', mode: 'live' } as const;
    const store = await fresh((tx) => {
      tx.commands.insert(aCommand({ id: 'cmd_old', createdAtMs: T0 }));
      tx.commands.insert(aCommand({ id: 'cmd_b', createdAtMs: T0 + 2 }));
      tx.commands.insert(aPartyCommand({ id: 'cmd_a', createdAtMs: T0 + 2 }));
      tx.commands.insert(aCommand({ id: 'cmd_c', createdAtMs: T0 + 1, ...foreign }));
    });
    const page = async (fromMs: number, afterId: string) => {
      const found = store.run((tx) => tx.commands.since({ fromMs, afterId, limit: 2 }));
      return (await found).map(({ id }) => id);
    };
    assert.deepEqual(await page(T0 + 1, ''), ['cmd_c', 'cmd_a']);
    assert.deepEqual(await page(T0 + 2, 'cmd_a'), ['cmd_b']);
    assert.deepEqual(await page(T0 + 2, 'cmd_b'), []);
  });

  test('one reference names one command in each mode', async () => {
    const live = { ...aCommand({ id: 'cmd_live', mode: 'live' }), reference: 'ref_of_cmd_1' };
    const store = await fresh((tx) => {
      tx.commands.insert(aCommand());
      tx.commands.insert(live);
    });
    const named = (mode: Mode) => store.run((tx) => tx.commands.byReference(mode, 'ref_of_cmd_1'));
    assert.deepEqual([await named('test'), await named('live')], [aCommand(), live]);
    assert.equal(await store.run((tx) => tx.commands.byReference('test', 'cmd_1')), null);
    let runs = 0;
    const second = { ...aCommand({ id: 'cmd_2' }), reference: 'ref_of_cmd_1' };
    const twice = store.run(async (tx) => {
      runs += 1;
      tx.commands.insert(second);
    });
    await assert.rejects(twice, PonteError);
    assert.ok(runs > 1, 'the work runs again, and could read the first');
  });

  test('money that its columns cannot hold together is refused', async () => {
    const store = await fresh();
    const spent = someFunds({ receivedMinor: 1n, payoutMinor: 2n });
    await assert.rejects(store.run(async (tx) => tx.funds.put(spent)));
    const lost = { ...spent, lossMinor: 1n };
    await store.run(async (tx) => tx.funds.put(lost));
    assert.deepEqual(await store.run((tx) => tx.funds.get(tenant, 'pi_1')), {
      ...lost,
      version: 1,
    });
  });

  test('payments of all tenants are read page by page, in the order of their keys', async () => {
    const rows = [
      ...['pi_1', 'pi_2', 'pi_3'].map((id) => aPayment({ ...live, id, publicId: `live_${id}` })),
      ...['pi_1', 'pi_2'].map((id) => aPayment({ id })),
      aPayment({ orgId: 'org_b', id: 'pi_0' }),
    ];
    const store = await fresh((tx) => {
      for (const row of rows.toReversed()) tx.payments.insert(row);
    });
    for (const limit of [1, 2, rows.length, 10]) {
      const found = [];
      for (let last: Payment | null = null; ; ) {
        const after: Payment | null = last;
        const page: readonly Payment[] = await store.run((tx) => tx.payments.page(after, limit));
        assert.ok(page.length <= limit);
        found.push(...page);
        last = page.at(-1) ?? null;
        if (last === null) break;
      }
      assert.deepEqual(found, rows, `${limit} at a time`);
    }
  });
}
