// What every store promises about connected accounts: rows come back as they were written, one
// externalId is one account per tenant, and lists run newest first under any filter. Run over each
// database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountStatuses,
  type ConnectedAccount,
  entityTypes,
  roles,
} from '../../core/domain/parties/connected-account.js';
import { PonteError } from '../../core/errors.js';
import {
  aCommand,
  anAccount,
  aPartyCommand,
  otherMode,
  otherOrg,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import { assertContended } from './contention.js';
import type { OpenStore } from './store-contracts.js';

const bare = anAccount({
  externalId: null,
  status: 'created',
  receiverId: null,
  commandId: null,
  partnerRef: null,
  email: null,
  legalName: null,
  displayName: null,
  country: null,
  taxIdSealed: null,
  taxIdLast4: null,
  tosSessionKey: null,
  tosId: null,
  destinationRef: null,
  railsCommandId: null,
  railsRef: null,
  readyAtMs: null,
  reason: null,
  approvedAtMs: null,
  rejectedAtMs: null,
  corrections: null,
  answerByMs: null,
  answerAlertedAtMs: null,
});

export function storeAccountsContract(open: OpenStore): void {
  const fresh = (accounts: readonly ConnectedAccount[]) =>
    open((tx) => {
      for (const account of accounts) tx.accounts.insert(account);
    });

  test('an account comes back as it was written, full or bare, changed or not', async () => {
    const full = anAccount({ externalId: 'seller-1' });
    for (const account of [full, bare]) {
      const store = await fresh([account]);
      const read = () => store.run((tx) => tx.accounts.get(tenant, 'acct_1'));
      assert.deepEqual(await read(), account);
      const other = account === full ? { ...bare, externalId: 'seller-1' } : full;
      // Fields set at creation never change.
      const { externalId, displayName } = account;
      await store.run(async (tx) => tx.accounts.update(other));
      assert.deepEqual(await read(), { ...other, externalId, displayName, version: 2 });
    }
  });

  test('a command about an account names it', async () => {
    const command = aPartyCommand({
      kind: 'submit_account',
      subject: { kind: 'account', id: 'acct_1' },
    });
    const store = await open((tx) => tx.commands.insert(command));
    assert.deepEqual(await store.run((tx) => tx.commands.get('cmd_1')), command);
    const found = await store.run((tx) =>
      tx.commands.byPartnerRef('test', 'submit_account', 'pa_1'),
    );
    assert.deepEqual(found, command);
  });

  test('of several commands about one party the newest is found, of money the oldest', async () => {
    const subject = { kind: 'account', id: 'acct_1' } as const;
    const pay = { partnerRef: 'pa_1', isAdopted: true };
    const store = await open((tx) => {
      for (const id of ['cmd_2', 'cmd_3', 'cmd_1']) {
        const name = { id, reference: id };
        tx.commands.insert({ ...aPartyCommand({ kind: 'submit_account', subject }), ...name });
        tx.commands.insert(aCommand({ ...pay, id: `${id}_pay`, reference: `${id}_pay` }));
      }
    });
    const found = async (kind: 'submit_account' | 'payin') =>
      (await store.run((tx) => tx.commands.byPartnerRef('test', kind, 'pa_1')))?.id;
    assert.deepEqual(await Promise.all([found('submit_account'), found('payin')]), [
      'cmd_3',
      'cmd_1_pay',
    ]);
  });

  test('an account is found by its tenant only', async () => {
    const store = await fresh([anAccount({ externalId: 'e', role: 'buyer' })]);
    for (const place of [otherMode, otherOrg]) {
      const found = await store.run((tx) =>
        Promise.all([
          tx.accounts.get(place, 'acct_1'),
          tx.accounts.byExternalId(place, 'e'),
          tx.accounts.list(place, { role: null, status: null, beforeId: null, limit: 9 }),
          tx.accounts.ofBuyer(place, 'seller@example.com'),
        ]),
      );
      assert.deepEqual(found, [null, null, [], []]);
    }
  });

  test('an externalId is taken once per tenant; accounts without one are many', async () => {
    const store = await fresh([
      anAccount({ id: 'acct_1', externalId: 'e' }),
      anAccount({ id: 'acct_2', externalId: 'e', ...otherMode }),
      anAccount({ id: 'acct_3', externalId: 'e', ...otherOrg }),
      anAccount({ id: 'acct_4' }),
      anAccount({ id: 'acct_5' }),
    ]);
    const found = await store.run((tx) => tx.accounts.byExternalId(tenant, 'e'));
    assert.equal(found?.id, 'acct_1');
    await assertContended(store, (tx) =>
      tx.accounts.insert(anAccount({ id: 'acct_6', externalId: 'e' })),
    );
  });

  test('an expected account that changed fails the whole batch', async () => {
    const store = await fresh([anAccount()]);
    await store.run(async (tx) => tx.accounts.update(anAccount()));
    await assert.rejects(
      store.run(async (tx) => {
        tx.accounts.expect(anAccount());
        tx.commands.insert(aPartyCommand());
      }),
      PonteError,
    );
    assert.equal(await store.run((tx) => tx.commands.get('cmd_1')), null);
    await store.run(async (tx) => tx.accounts.expect(anAccount({ version: 2 })));
  });

  test('verifying and approved buyers are found by their address, newest first', async () => {
    const rows = roles.flatMap((role) =>
      accountStatuses.map((status) =>
        anAccount({ id: `acct_${role}_${status}`, role, status, email: ' Ana@Example.COM' }),
      ),
    );
    const elsewhere = { role: 'buyer', email: 'bo@example.com' } as const;
    const store = await fresh([...rows, anAccount({ ...elsewhere, id: 'acct_0' })]);
    const found = await store.run((tx) => tx.accounts.ofBuyer(tenant, 'ana@example.com'));
    assert.deepEqual(valuesOf(found, 'id'), ['acct_buyer_verifying', 'acct_buyer_approved']);
  });

  test('lists follow each other without gap under every filter, newest first', async () => {
    const rows = Array.from({ length: 37 }, (_, index) =>
      anAccount({
        id: `acct_${String(index).padStart(2, '0')}`,
        role: roles[index % 2] ?? 'buyer',
        status: accountStatuses[index % 3] ?? 'created',
        entityType: entityTypes[index % 2] ?? 'business',
        // One moment for all: ids alone order them.
        createdAtMs: T0,
      }),
    );
    const stranger = anAccount({ id: 'acct_05x', ...otherOrg });
    const store = await fresh([...rows, stranger]);
    for (const role of [null, ...roles]) {
      for (const status of [null, ...accountStatuses]) {
        const expected = rows
          .filter((row) => role === null || row.role === role)
          .filter((row) => status === null || row.status === status)
          .toReversed();
        const pages: ConnectedAccount[] = [];
        for (;;) {
          const beforeId = pages.at(-1)?.id ?? null;
          const page = await store.run((tx) =>
            tx.accounts.list(tenant, { role, status, beforeId, limit: 4 }),
          );
          assert.ok(page.length <= 4);
          if (page.length === 0) break;
          pages.push(...page);
        }
        assert.deepEqual(pages, expected, `${role} ${status}`);
      }
    }
  });
}
