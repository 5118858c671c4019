// What every store promises about the links of mails, notices that are sent once, and sessions on
// the hosted pages. Run over each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AnySession,
  type PageSession,
  pageSessionKinds,
  sessionKinds,
} from '../../core/domain/access/session.js';
import { modes } from '../../core/domain/base/tenant.js';
import { type Mail, type MailSubject, personMail } from '../../core/domain/mail/mail.js';
import type { Tx } from '../../core/ports/storage.js';
import {
  aMemberSession,
  otherMode,
  otherOrg,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { aMail, aNotice, aPageSession } from '../support/samples/mail-samples.js';
import { anOperatorSession } from '../support/samples/operator-samples.js';
import { valuesOf } from '../support/values-of.js';
import { assertContended } from './contention.js';
import type { OpenStore } from './store-contracts.js';

const ofPayment: MailSubject = { kind: 'payment', paymentId: 'pi_1' };
const ofForm = { kind: 'submission', submissionId: 'kyc_1', ownerIndex: null } as const;
const ofMember = { kind: 'member', memberId: 'mem_1' } as const;
const ofApproval = { kind: 'approval', paymentId: 'inv_1' } as const;
const ofPerson = { kind: 'person', emailKey: 'ana@example.com' } as const;
const ofSomebody = {
  subject: { kind: 'person', emailKey: 'eva@example.com' },
  toKey: 'eva@example.com',
} as const;
const ofOwner = { ...ofForm, ownerIndex: 0 } as const;

export function storeLinksContract(open: OpenStore): void {
  const fresh = (rows: {
    readonly mails?: readonly Mail[];
    readonly sessions?: readonly PageSession[];
  }) =>
    open((tx) => {
      for (const mail of rows.mails ?? []) tx.mails.insert(mail);
      for (const session of rows.sessions ?? []) tx.sessions.insert(session);
    });

  test('open links of a subject are found newest first: not used up, not over, not another’s', async () => {
    const store = await fresh({
      mails: [
        link('mail_1', { subject: ofPayment }),
        link('mail_2', { subject: ofPayment }),
        link('mail_3', { subject: ofPayment, linkUsedAtMs: T0, codeHash: null, browserHash: null }),
        link('mail_4', { subject: ofPayment, linkEndsAtMs: T0 }),
        link('mail_5', { subject: { kind: 'payment', paymentId: 'pi_2' } }),
        link('mail_6', { subject: ofPayment, ...otherOrg }),
        link('mail_7', { subject: ofPayment, ...otherMode }),
        aNotice({ id: 'mail_8', subject: ofPayment }),
        link('mail_a', { subject: ofForm }),
        link('mail_b', { subject: ofOwner }),
        // Its code is still open.
        link('mail_c', { subject: ofOwner, linkUsedAtMs: T0 }),
        link('mail_d', { subject: ofMember }),
        link('mail_e', { subject: { kind: 'member', memberId: 'mem_2' } }),
        link('mail_f', { subject: ofApproval }),
        link('mail_h', { subject: ofPerson, ...personMail, nth: 1 }),
        link('mail_i', { subject: ofPerson, ...personMail, nth: 2, linkEndsAtMs: T0 }),
        link('mail_j', { subject: ofPerson, ...personMail, nth: 3 }),
        link('mail_k', { ...ofSomebody, ...personMail, nth: 1 }),
        link('mail_g', { subject: { ...ofApproval, paymentId: 'inv_2' } }),
      ],
    });
    const found = async (subject: MailSubject, nowMs = T0) =>
      valuesOf(await store.run((tx) => tx.mails.openLinks(tenant, subject, nowMs)), 'id');
    assert.deepEqual(await found(ofPayment), ['mail_2', 'mail_1']);
    assert.deepEqual(await found(ofForm), ['mail_a']);
    assert.deepEqual(await found(ofOwner), ['mail_c', 'mail_b']);
    assert.deepEqual(await found(ofMember), ['mail_d']);
    assert.deepEqual(await found(ofApproval), ['mail_f']);
    const [approval] = await store.run((tx) => tx.mails.openLinks(tenant, ofApproval, T0));
    assert.deepEqual(approval?.subject, ofApproval);
    assert.deepEqual(await found(ofPayment, T0 + 1), []);
    const ofAddress = await store.run((tx) => tx.mails.openLinks(personMail, ofPerson, T0));
    assert.deepEqual(valuesOf(ofAddress, 'id'), ['mail_j', 'mail_h']);
    assert.deepEqual(ofAddress[0]?.subject, ofPerson);
  });

  test('the newest link of an owner is found, used or not', async () => {
    const store = await fresh({
      mails: [
        link('mail_1', { purpose: 'owner_link', subject: ofOwner }),
        link('mail_2', { purpose: 'owner_link', subject: ofOwner, linkUsedAtMs: T0 }),
        link('mail_3', { purpose: 'sign_in', subject: ofOwner }),
        link('mail_4', { purpose: 'owner_link', subject: { ...ofForm, ownerIndex: 1 } }),
      ],
    });
    const newest = async (submissionId: string, ownerIndex: number) =>
      (await store.run((tx) => tx.mails.newestOwnerLink(tenant, submissionId, ownerIndex)))?.id;
    assert.equal(await newest('kyc_1', 0), 'mail_2');
    assert.equal(await newest('kyc_1', 2), undefined);
    assert.equal(await newest('kyc_2', 0), undefined);
  });

  test('the newest link that signed the buyer of a form in is found, not an owner’s', async () => {
    const store = await fresh({
      mails: [
        link('mail_1', { subject: ofForm, linkUsedAtMs: T0 }),
        link('mail_2', { subject: ofForm, linkUsedAtMs: T0 }),
        link('mail_3', { subject: ofForm }),
        link('mail_4', { subject: ofOwner, linkUsedAtMs: T0 }),
        link('mail_5', { subject: ofForm, linkUsedAtMs: T0, purpose: 'owner_link' }),
      ],
    });
    const newest = (id: string) => store.run((tx) => tx.mails.newestUsedLink(tenant, id));
    assert.equal((await newest('kyc_1'))?.id, 'mail_2');
    assert.equal(await newest('kyc_2'), null);
  });

  test('of the mails of one cause the first is stored', async () => {
    const store = await fresh({});
    const insert = (...mails: readonly Mail[]) =>
      store.run(async (tx) => {
        for (const mail of mails) tx.mails.insertOnce(mail);
      });
    await insert(aNotice({ id: 'mail_1' }));
    await insert(
      aNotice({ id: 'mail_2' }),
      aNotice({ id: 'mail_3', ...otherOrg }),
      aNotice({ id: 'mail_4', ...otherMode }),
      aNotice({ id: 'mail_5', cause: 'another' }),
      aNotice({ id: 'mail_6', cause: 'another' }),
    );
    const all = await store.run((tx) => tx.mails.oldest(9));
    assert.deepEqual(valuesOf(all, 'id'), ['mail_1', 'mail_3', 'mail_4', 'mail_5']);
    await assertContended(store, (tx) => tx.mails.insert(aNotice({ id: 'mail_7' })));
  });

  test('a session comes back as it was written; its use and its end may change', async () => {
    const store = await fresh({});
    const bare = { paymentId: null, ownerIndex: null, endedAtMs: null, kind: 'buyer' } as const;
    const sessions = [aPageSession(), aPageSession({ id: 'h2', ...bare, ...otherOrg })];
    for (const session of sessions) {
      await store.run(async (tx) => tx.sessions.insert(session));
      const read = () => store.run((tx) => tx.sessions.get([session.kind], session.id));
      assert.deepEqual(await read(), session);
      const changed = { ...session, seenAtMs: T0 + 8, endedAtMs: T0 + 9 };
      await store.run(async (tx) => tx.sessions.update({ ...changed, endsAtMs: T0 + 99 }));
      assert.deepEqual(await read(), { ...changed, version: 2 });
      await assertContended(store, (tx) => tx.sessions.update(session));
    }
    assert.equal(await store.run((tx) => tx.sessions.get(['owner'], 'h3')), null);
    const taken = aPageSession({ id: 'h2', ...otherMode });
    await assertContended(store, (tx) => tx.sessions.insert(taken));
  });

  test('a touch of a session loses no race, and keeps a later time', async () => {
    const store = await fresh({ sessions: [aPageSession({ seenAtMs: T0 })] });
    const read = () => store.run((tx) => tx.sessions.get(['owner'], aPageSession().id));
    const touch = (seenAtMs: number) =>
      store.run(async (tx) => {
        const session = (await tx.sessions.get(['owner'], aPageSession().id)) ?? assert.fail();
        tx.sessions.touch({ ...session, seenAtMs });
      });
    await Promise.all(Array.from({ length: 100 }, (_, index) => touch(T0 + index)));
    await touch(T0 + 50);
    assert.equal((await read())?.seenAtMs, T0 + 99);
  });

  test('the session that was seen last is found by its payment or its form', async () => {
    const form = { kind: 'buyer', paymentId: null, ownerIndex: null } as const;
    const buyer = { kind: 'buyer', submissionId: null, ownerIndex: null } as const;
    const store = await fresh({
      sessions: [
        aPageSession({ id: 'a', ...buyer, seenAtMs: T0 + 2 }),
        aPageSession({ id: 'b', ...buyer, seenAtMs: T0 + 1 }),
        aPageSession({ id: 'c', ...buyer, seenAtMs: T0 + 9, ...otherOrg }),
        aPageSession({ id: 'p', kind: 'upload', ownerIndex: null, seenAtMs: T0 + 9 }),
        aPageSession({ id: 'd', seenAtMs: T0 + 3, ...form }),
        aPageSession({ id: 'e', seenAtMs: T0 + 4, ...form }),
        aPageSession({ id: 'f', seenAtMs: T0 + 5, ...form, kind: 'upload' }),
      ],
    });
    const ofOne = await store.run((tx) => tx.sessions.newest(tenant, { paymentId: 'inv_1' }));
    assert.equal(ofOne?.id, 'a');
    const ofForms = await store.run((tx) => tx.sessions.newest(tenant, { submissionId: 'kyc_1' }));
    assert.equal(ofForms?.id, 'e', 'an owner or a phone is not the buyer');
    assert.equal(
      await store.run((tx) => tx.sessions.newest(tenant, { submissionId: 'kyc_2' })),
      null,
    );
  });

  test('the links of colleagues to a payment that were not ended are found', async () => {
    const link = {
      kind: 'colleague',
      paymentId: 'inv_1',
      submissionId: null,
      ownerIndex: null,
    } as const;
    const store = await fresh({
      sessions: [
        aPageSession({ ...link, id: 'b', createdAtMs: T0 + 1, endedAtMs: null }),
        aPageSession({ ...link, id: 'a', createdAtMs: T0 + 2, endedAtMs: null }),
        aPageSession({ ...link, id: 'c', endedAtMs: T0 + 3 }),
        aPageSession({ ...link, id: 'd', kind: 'buyer', endedAtMs: null }),
        aPageSession({ ...link, id: 'g', kind: 'approver', endedAtMs: null }),
        aPageSession({ ...link, id: 'e', paymentId: 'inv_2', endedAtMs: null }),
        aPageSession({ ...link, id: 'f', endedAtMs: null, ...otherOrg }),
      ],
    });
    const found = await store.run((tx) =>
      tx.sessions.open(tenant, ['colleague'], { paymentId: 'inv_1' }),
    );
    assert.deepEqual(valuesOf(found, 'id').toSorted(), ['a', 'b']);
  });

  test('the sessions of an owner that were not ended are found', async () => {
    const store = await fresh({
      sessions: [
        aPageSession({ id: 'a', endedAtMs: null }),
        aPageSession({ id: 'b' }),
        aPageSession({ id: 'c', endedAtMs: null, ownerIndex: 3 }),
        aPageSession({ id: 'd', endedAtMs: null, submissionId: 'kyc_2' }),
        aPageSession({ id: 'e', endedAtMs: null, ...otherMode }),
      ],
    });
    const found = await store.run((tx) =>
      tx.sessions.open(tenant, ['owner'], { submissionId: 'kyc_1', ownerIndex: 2 }),
    );
    assert.deepEqual(valuesOf(found, 'id'), ['a']);
  });

  test('the sessions of a whole form that were not ended are found, of phones too', async () => {
    const form = { kind: 'buyer', paymentId: null, ownerIndex: null, endedAtMs: null } as const;
    const store = await fresh({
      sessions: [
        aPageSession({ id: 'a', ...form }),
        aPageSession({ id: 'b', ...form, kind: 'upload' }),
        aPageSession({ id: 'c', ...form, endedAtMs: T0 }),
        aPageSession({ id: 'e', ...form, kind: 'owner', ownerIndex: 0 }),
        aPageSession({ id: 'f', ...form, submissionId: 'kyc_2' }),
        aPageSession({ id: 'g', ...form, ...otherOrg }),
      ],
    });
    const found = await store.run((tx) =>
      tx.sessions.open(tenant, ['buyer', 'upload'], { submissionId: 'kyc_1' }),
    );
    assert.deepEqual(valuesOf(found, 'id').toSorted(), ['a', 'b']);
  });

  test('a look-up finds sessions of the kinds that it names, and of no other', async () => {
    const all = ofEveryKind();
    const store = await open((tx) => {
      for (const session of all) tx.sessions.insert(session);
    });
    const about = { paymentId: 'inv_1', submissionId: 'kyc_1', accountId: 'acct_1' };
    for (const session of all) {
      const { id, tokenHash, linkHash } = session;
      const hash = tokenHash ?? '';
      for (const kind of sessionKinds) {
        const found = await store.run((tx) =>
          Promise.all([tx.sessions.get([kind], id), tx.sessions.byToken([kind], hash)]),
        );
        const expected = kind === session.kind ? session : null;
        assert.deepEqual(found, [expected, tokenHash && expected], `${session.kind} as ${kind}`);
      }
      const others = sessionKinds.filter((kind) => kind !== session.kind);
      const [of, byToken, byLink, linked] = await store.run((tx) =>
        Promise.all([
          tx.sessions.get(others, id),
          tx.sessions.byToken(others, hash),
          tx.sessions.byLink(hash),
          tx.sessions.byToken(sessionKinds, linkHash ?? ''),
        ]),
      );
      assert.deepEqual([of, byToken, byLink, linked], [null, null, null, null], session.kind);
    }
    const idsIn = async (read: (tx: Tx) => Promise<readonly AnySession[]>) =>
      valuesOf(await store.run(read), 'id').toSorted();
    for (const mode of modes) {
      const asked = { ...tenant, mode };
      const newest = await store.run((tx) => tx.sessions.newest(asked, about));
      assert.equal(newest?.id, `buyer ${mode}`);
      for (const kind of pageSessionKinds) {
        const found = await idsIn((tx) => tx.sessions.open(asked, [kind], about));
        assert.deepEqual(found, [`${kind} ${mode}`]);
      }
    }
    const people = await idsIn((tx) => tx.sessions.openOfPerson('per_1', T0));
    assert.deepEqual(people, ['member', 'token']);
    assert.deepEqual(await idsIn((tx) => tx.sessions.ofOperator('opr_1')), ['operator']);
    assert.equal((await store.run((tx) => tx.sessions.byLink('link')))?.id, 'operator');
  });

  test('old sessions are found over all tenants, oldest first, and removed', async () => {
    const store = await fresh({
      sessions: [
        aPageSession({ id: 'b', createdAtMs: T0 + 1, ...otherOrg }),
        aPageSession({ id: 'a', createdAtMs: T0 }),
        aPageSession({ id: 'c', createdAtMs: T0 + 2 }),
      ],
    });
    const before = (limit: number) => store.run((tx) => tx.sessions.createdBefore(T0 + 2, limit));
    assert.deepEqual(valuesOf(await before(9), 'id'), ['a', 'b']);
    const [oldest = assert.fail()] = await before(1);
    await store.run(async (tx) => tx.sessions.remove(oldest));
    assert.deepEqual(valuesOf(await before(9), 'id'), ['b']);
  });
}

/** Open until the next millisecond. */
function link(id: string, fields: Partial<Mail>): Mail {
  const open = { linkUsedAtMs: null, linkEndsAtMs: T0 + 1 };
  return aMail({ id, nth: null, tokenHash: id, ...open, ...fields });
}

/** Open; those of the hosted pages in both modes, about the same. */
function ofEveryKind(): readonly AnySession[] {
  const about = { paymentId: 'inv_1', submissionId: 'kyc_1', accountId: 'acct_1' };
  const times = { endsAtMs: T0 + 9, endedAtMs: null };
  const pages = modes.flatMap((mode) =>
    pageSessionKinds.map((kind) => {
      const ownerIndex = kind === 'owner' ? 2 : null;
      return aPageSession({ id: `${kind} ${mode}`, kind, mode, ...about, ownerIndex, ...times });
    }),
  );
  const bare = { kind: 'token', orgId: tenant.orgId, tokenHash: null, seenAtMs: null } as const;
  return [
    ...pages,
    aMemberSession({ id: 'member', ...times }),
    aMemberSession({ id: 'token', ...bare, operatorId: 'opr_1', ...times }),
    anOperatorSession({ id: 'operator', ...times }),
  ];
}
