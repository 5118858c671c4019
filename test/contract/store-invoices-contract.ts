// What every store promises about invoices and the mails to their buyers: rows come back as they
// were written, an address has each number once, and due mails are leased to one worker. Run over
// each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Tenant, tenantOf } from '../../core/domain/base/tenant.js';
import type { Mail, MailSubject } from '../../core/domain/mail/mail.js';
import type { Payment } from '../../core/domain/payments/payment.js';
import type { Claim } from '../../core/ports/storage.js';
import {
  aBarePayment,
  anOrganization,
  aPayment,
  otherMode,
  otherOrg,
  someFunds,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { aMail } from '../support/samples/mail-samples.js';
import { valuesOf } from '../support/values-of.js';
import { assertContended } from './contention.js';
import { asTaken } from './store-claims-contract.js';
import type { OpenStore } from './store-contracts.js';

const invoice = (id: string, fields: Partial<Payment> = {}): Payment =>
  aBarePayment({ id, origin: 'invoice', ...fields });

export function storeInvoicesContract(open: OpenStore): void {
  const fresh = (
    rows: { readonly payments?: readonly Payment[]; readonly mails?: readonly Mail[] } = {},
  ) =>
    open((tx) => {
      for (const payment of rows.payments ?? []) {
        tx.payments.insert(payment);
        tx.funds.put(someFunds({ ...tenantOf(payment), paymentId: payment.id }));
      }
      for (const mail of rows.mails ?? []) tx.mails.insert(mail);
    });
  test('an invoice comes back as it was written, full or bare', async () => {
    const full = aPayment({ id: 'inv_1', origin: 'invoice' });
    const store = await fresh({ payments: [full, invoice('inv_2')] });
    assert.deepEqual(await store.run((tx) => tx.payments.get(tenant, 'inv_1')), full);
    assert.deepEqual(await store.run((tx) => tx.payments.get(tenant, 'inv_2')), invoice('inv_2'));
  });

  test('approver, invitation and fiscal document may change, who created it not', async () => {
    const store = await fresh({ payments: [invoice('inv_1', { createdByMemberId: 'mem_1' })] });
    const fiscalDocument = { kind: 'other', key: null, number: '8', issuedOn: null } as const;
    const changed = { approvedByMemberId: 'mem_2', invitedAtMs: T0 + 9, fiscalDocument };
    await store.run(async (tx) =>
      tx.payments.update(
        invoice('inv_1', { ...changed, createdByMemberId: 'mem_3', number: 'other' }),
      ),
    );
    assert.deepEqual(
      await store.run((tx) => tx.payments.get(tenant, 'inv_1')),
      invoice('inv_1', { ...changed, createdByMemberId: 'mem_1', version: 2 }),
    );
  });

  test('a payment of any tenant is found by its publicId', async () => {
    const stranger = invoice('inv_2', { ...otherOrg, publicId: 'pub_2' });
    const store = await fresh({ payments: [invoice('inv_1', { publicId: 'pub_1' }), stranger] });
    assert.deepEqual(await store.run((tx) => tx.payments.byPublicId('pub_2')), stranger);
    assert.equal(await store.run((tx) => tx.payments.byPublicId('pub_3')), null);
  });

  test('an expected organization that changed fails the whole batch', async () => {
    const store = await fresh();
    await store.run(async (tx) => tx.organizations.insert(anOrganization(), []));
    await store.run(async (tx) => tx.organizations.update(anOrganization()));
    await assertContended(store, (tx) => {
      tx.organizations.expect(anOrganization());
      tx.payments.insert(invoice('inv_1'));
    });
    assert.equal(await store.run((tx) => tx.payments.find('inv_1')), null);
    await store.run(async (tx) => tx.organizations.expect(anOrganization({ version: 2 })));
  });

  test('a mail comes back as it was written, full or bare, and so it does changed', async () => {
    const bare = aMail({ nth: null, linkUsedAtMs: null, leaseToken: null, lastError: null });
    const noLink = { tokenHash: null, tokenSealed: null, codeHash: null, browserHash: null };
    const notice = (subject: MailSubject) =>
      aMail({ purpose: 'payout_changed', subject, ...noLink });
    const ofForm = { kind: 'submission', submissionId: 'kyc_1', ownerIndex: null } as const;
    const mails = [
      aMail(),
      bare,
      aMail({ subject: ofForm }),
      aMail({ subject: { ...ofForm, ownerIndex: 3 } }),
      notice({ kind: 'account', accountId: 'acct_1' }),
      notice({ kind: 'account', accountId: null }),
      aMail({ purpose: 'receipt', cause: 'receipt pi_1', ...noLink }),
    ];
    for (const mail of mails) {
      const store = await fresh({ mails: [mail] });
      const read = () => store.run((tx) => tx.mails.get(tenant, 'mail_1'));
      assert.deepEqual(await read(), mail);
      const ended = { status: 'sent', tokenSealed: null, dueAtMs: null, sentAtMs: T0 } as const;
      const link = { linkUsedAtMs: T0 + 9, linkEndsAtMs: T0 + 8, codeTries: 5 };
      const changed = { ...mail, ...ended, ...link, tries: 9, lastError: 'x' };
      await store.run(async (tx) => tx.mails.update(changed));
      assert.deepEqual(await read(), { ...changed, version: 2 });
      for (const place of [otherMode, otherOrg]) {
        assert.equal(await store.run((tx) => tx.mails.get(place, 'mail_1')), null);
      }
    }
  });

  test('a mail is found by the hash of its link; two do not have the same', async () => {
    const store = await fresh({ mails: [aMail({ ...otherOrg, tokenHash: 'h1', nth: null })] });
    const found = await store.run((tx) => tx.mails.byTokenHash('h1'));
    assert.equal(found?.orgId, otherOrg.orgId);
    assert.equal(await store.run((tx) => tx.mails.byTokenHash('h2')), null);
    const second = aMail({ id: 'mail_2', tokenHash: 'h1', nth: null });
    await assertContended(store, (tx) => tx.mails.insert(second));
  });

  test('each number of an address is taken once per purpose; unnumbered mails are many', async () => {
    const store = await fresh({
      mails: [
        numbered('mail_1', 1),
        numbered('mail_2', 3, otherOrg),
        numbered('mail_3', 10),
        numbered('mail_4', 3, otherMode),
        numbered('mail_5', null),
        numbered('mail_6', null),
        aMail({ id: 'mail_7', tokenHash: 'mail_7', nth: 11, toKey: 'bo@example.com' }),
        invitation('mail_a', 1),
        invitation('mail_b', 10),
        invitation('mail_c', 11, otherOrg),
        invitation('mail_d', 2),
        aMail({
          id: 'mail_e',
          nth: 9,
          purpose: 'invitation',
          ...aboutAccount,
        }),
      ],
    });
    const newest = async (purpose: Mail['purpose'], home: Tenant = tenant) => {
      const to = { ...home, purpose, toKey: 'ana@example.com' };
      return valuesOf(await store.run((tx) => tx.mails.newestNumbered(to, 2)), 'id');
    };
    assert.deepEqual(await newest('sign_in'), ['mail_3', 'mail_1'], 'of the organization');
    assert.deepEqual(await newest('sign_in', otherOrg), ['mail_2']);
    assert.deepEqual(await newest('sign_in', otherMode), ['mail_4']);
    assert.deepEqual(await newest('invitation'), ['mail_b', 'mail_e']);
    assert.deepEqual(await newest('invitation', otherOrg), ['mail_c']);
    const about = async (accountId: string | null) => {
      const to = { ...tenant, purpose: 'invitation', toKey: 'ana@example.com' } as const;
      return valuesOf(await store.run((tx) => tx.mails.newestAbout({ ...to, accountId }, 2)), 'id');
    };
    assert.deepEqual(await about(null), ['mail_b', 'mail_d']);
    assert.deepEqual(await about('acct_1'), ['mail_e'], 'about the account');
    for (const taken of [
      numbered('mail_8', 1),
      numbered('mail_8', 3, otherOrg),
      invitation('mail_8', 11, otherOrg),
      invitation('mail_8', 2),
    ]) {
      await assertContended(store, (tx) => tx.mails.insert(taken));
    }
    await store.run(async (tx) => tx.mails.insert(invitation('mail_8', 1, otherOrg)));
  });

  test('operators list mails newest first over all tenants', async () => {
    const store = await fresh({
      mails: [
        numbered('mail_1', 1),
        numbered('mail_2', 2, otherOrg),
        { ...numbered('mail_3', 3, otherMode), ...refused },
        { ...numbered('mail_4', 4), ...refused },
      ],
    });
    const listed = async (status: Mail['status'] | null, beforeId: string | null, limit = 9) =>
      valuesOf(await store.run((tx) => tx.mails.list({ status, beforeId, limit })), 'id');
    assert.deepEqual(await listed(null, null), ['mail_4', 'mail_3', 'mail_2', 'mail_1']);
    assert.deepEqual(await listed(null, 'mail_4', 2), ['mail_3', 'mail_2']);
    assert.deepEqual(await listed('refused', null), ['mail_4', 'mail_3']);
    assert.deepEqual(await listed('refused', 'mail_4'), ['mail_3']);
    assert.deepEqual(await listed('sent', null), []);
  });

  test('the oldest mails are found over all tenants, and removed as they were read', async () => {
    const mails = [numbered('mail_2', 2, otherOrg), numbered('mail_1', 1), numbered('mail_3', 3)];
    const store = await fresh({ mails });
    const oldest = await store.run((tx) => tx.mails.oldest(2));
    assert.deepEqual(valuesOf(oldest, 'id'), ['mail_1', 'mail_2']);
    await store.run(async (tx) => {
      for (const mail of oldest) tx.mails.remove(mail);
    });
    assert.deepEqual(valuesOf(await store.run((tx) => tx.mails.oldest(9)), 'id'), ['mail_3']);
    await assertContended(store, (tx) => tx.mails.remove({ ...numbered('mail_3', 3), version: 9 }));
  });

  test('due mails are leased to one worker, oldest due first, each try counted', async () => {
    const store = await fresh({
      mails: [
        due('mail_1', T0),
        due('mail_2', T0 - 2, otherOrg),
        due('mail_3', T0 - 1),
        due('mail_4', T0 + 1),
        { ...due('mail_5', T0), ...refused },
      ],
    });
    const first = await store.claims.mails({ ...claim(), limit: 2 });
    assert.deepEqual(valuesOf(first, 'id'), ['mail_2', 'mail_3']);
    assert.deepEqual(first.map(asTaken)[1], {
      ...due('mail_3', T0 + 1_000),
      leaseToken: 'leased',
      tries: 3,
      version: 2,
    });
    const [second, third] = await Promise.all([
      store.claims.mails(claim()),
      store.claims.mails(claim()),
    ]);
    assert.deepEqual(valuesOf([...second, ...third], 'id'), ['mail_1']);
    const again = await store.claims.mails(claim(T0 + 1_000));
    assert.deepEqual(valuesOf(again, 'id').toSorted(), ['mail_1', 'mail_2', 'mail_3', 'mail_4']);
  });

  test('ending all leases makes claimed rows due immediately', async () => {
    const store = await fresh({ mails: [due('mail_1', T0), due('mail_2', T0 + 50)] });
    await store.claims.mails(claim());
    await store.claims.releaseAll(T0 + 1);
    assert.deepEqual(valuesOf(await store.claims.mails(claim(T0 + 1)), 'id'), ['mail_1']);
    assert.equal(await store.claims.nextDueAtMs(), T0 + 50);
  });
}

const aboutAccount = {
  subject: { kind: 'account', accountId: 'acct_1' },
  tokenHash: null,
  tokenSealed: null,
  codeHash: null,
  browserHash: null,
} as const;

const refused = { status: 'refused', dueAtMs: null, tokenSealed: null } as const;

function numbered(id: string, nth: number | null, place: Tenant = tenant): Mail {
  return aMail({ ...place, id, nth, tokenHash: id });
}

function invitation(id: string, nth: number, place: Tenant = tenant): Mail {
  return { ...numbered(id, nth, place), purpose: 'invitation' };
}

function due(id: string, dueAtMs: number, place = tenant): Mail {
  return aMail({ ...place, id, dueAtMs, nth: null, tokenHash: id, leaseToken: null });
}

function claim(nowMs = T0): Claim {
  return { nowMs, limit: 10, leaseMs: 1_000 };
}
