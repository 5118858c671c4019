import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { hashSessionToken } from '../../../../core/domain/access/session.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { schedules } from '../../../../core/domain/base/schedules.js';
import {
  ADDRESS_MAILS_MAX,
  afterTry,
  codeOf,
  codeTried,
  codeUsed,
  dropMail,
  hasFailed,
  hashLinkToken,
  invitationWaitMs,
  isCodeOpen,
  isExpiredMail,
  isLinkExpired,
  isSameSubject,
  linkEnded,
  linkUsed,
  MAIL_LEASE_MS,
  type Mail,
  type MailMove,
  type MailStatus,
  type MailSubject,
  mailMoves,
  mailPurposes,
  mailResent,
  mailRules,
  mailStatuses,
  maskedAddress,
  newMail,
  nextMail,
  nextMailStatus,
  takesCode,
  tokenPurpose,
} from '../../../../core/domain/mail/mail.js';
import { AssertionFailure } from '../../../../core/errors.js';
import { START_MS, sampleTenant } from '../../../support/samples/sample-rows.js';

const pending = newMail(
  {
    ...sampleTenant,
    id: 'mail_1',
    purpose: 'invitation',
    locale: 'en',
    cause: null,
    subject: { kind: 'payment', paymentId: 'inv_1' },
    to: 'Ana@Example.com',
    toKey: 'ana@example.com',
    nth: null,
    tokenHash: 'ab',
    tokenSealed: 'sealed',
    codeHash: null,
    browserHash: null,
  },
  START_MS,
);
const claimed: Mail = { ...pending, tries: 1, leaseToken: 'w1', dueAtMs: START_MS + MAIL_LEASE_MS };
const later = { outcome: 'later', reason: 'busy' } as const;

const inStatus: Readonly<Record<MailStatus, Mail>> = {
  pending,
  sent: afterTry(claimed, { outcome: 'sent' }, START_MS + 1),
  refused: afterTry(claimed, { outcome: 'refused', reason: 'no such user' }, START_MS + 1),
  dropped: dropMail(claimed, 'its link has ended'),
};

const resend = 'pending' as const;
const ended = { sent: null, later: null, refused: null, drop: null, resend };
const matrix: Record<MailStatus, Record<MailMove, MailStatus | null>> = {
  pending: { sent: 'sent', later: 'pending', refused: 'refused', drop: 'dropped', resend },
  sent: ended,
  refused: ended,
  dropped: ended,
};

test('every mail status and move is as the table says, and no other move is made', () => {
  assert.deepEqual(Object.keys(mailMoves), mailStatuses);
  for (const status of mailStatuses) {
    const noLink = { tokenHash: null, tokenSealed: null };
    const mail = { ...inStatus[status], ...noLink, tries: 1 };
    const moves: Readonly<Record<MailMove, () => Mail>> = {
      sent: () => afterTry(mail, { outcome: 'sent' }, START_MS),
      later: () => afterTry(mail, later, START_MS),
      refused: () => afterTry(mail, { outcome: 'refused', reason: 'x' }, START_MS),
      drop: () => dropMail(mail, 'x'),
      resend: () => mailResent(mail, START_MS),
    };
    for (const [move, run] of Object.entries(moves)) {
      const next = matrix[status][move as MailMove];
      assert.equal(nextMailStatus(status, move as MailMove), next, `${status} ${move}`);
      if (next === null) assert.throws(run, AssertionFailure, `${status} ${move}`);
      else assert.equal(run().status, next, `${status} ${move}`);
    }
  }
});

test('a new mail is due immediately', () => {
  assert.equal(pending.dueAtMs, START_MS);
  assert.deepEqual([pending.tries, pending.leaseToken, pending.sentAtMs], [0, null, null]);
});

test('an ended mail has no token and is not due', () => {
  for (const status of ['sent', 'refused', 'dropped'] as const) {
    const { tokenSealed, dueAtMs, leaseToken } = inStatus[status];
    assert.deepEqual([tokenSealed, dueAtMs, leaseToken], [null, null, null], status);
  }
  assert.equal(inStatus.sent.sentAtMs, START_MS + 1);
  assert.equal(inStatus.refused.lastError, 'no such user');
});

test('a mail that was not taken is tried after growing waits, the last one again and again', () => {
  const { waitsMs } = schedules.mail;
  const waits = Array.from({ length: waitsMs.length + 2 }, (_, index) => {
    const tried = afterTry({ ...claimed, tries: index + 1 }, later, START_MS);
    assert.partialDeepStrictEqual(tried, { tokenSealed: 'sealed', lastError: 'busy' });
    return Number(tried.dueAtMs) - START_MS;
  });
  assert.deepEqual(waits, [...waitsMs, waitsMs.at(-1), waitsMs.at(-1)]);
  for (const [index, waitMs] of waits.entries()) assert.ok(waitMs >= (waits[index - 1] ?? 0));
});

test('what the mail server refuses is blocked at once, what it takes later after six tries', () => {
  const blocked = { outcome: 'blocked', reason: '554 5.7.1 block list' } as const;
  assert.partialDeepStrictEqual(afterTry(claimed, blocked, START_MS), {
    status: 'pending',
    isBlocked: true,
    lastError: '554 5.7.1 block list',
  });
  for (let tries = 1; tries < 9; tries += 1) {
    const { isBlocked } = afterTry({ ...claimed, tries }, later, START_MS);
    assert.equal(isBlocked, tries >= 6, `${tries}`);
  }
  const again = { ...afterTry(claimed, blocked, START_MS), leaseToken: 'w2' };
  assert.equal(afterTry(again, later, START_MS).isBlocked, false);
  assert.equal(afterTry(again, { outcome: 'sent' }, START_MS).isBlocked, false);
  assert.equal(
    dropMail(again, 'its link has ended').lastError,
    'its link has ended; 554 5.7.1 block list',
  );
});

test('a mail failed if the mailbox or the mail server did not take it', () => {
  const blocked = { ...claimed, isBlocked: true };
  assert.deepEqual(
    mailStatuses.map((status) => [status, hasFailed({ ...blocked, status })]),
    [
      ['pending', true],
      ['sent', false],
      ['refused', true],
      ['dropped', true],
    ],
  );
  assert.equal(hasFailed({ ...claimed, status: 'dropped' }), false);
  assert.equal(hasFailed(claimed), false);
});

test('a notice that is sent again is worth sending from now on; a waiting link keeps its end', () => {
  const nowMs = START_MS + 20 * DAY_MS;
  const notice = { ...claimed, purpose: 'receipt', tokenHash: null, tokenSealed: null } as const;
  const dropped = dropMail({ ...notice, isBlocked: true, lastError: 'x' }, 'it is too old');
  const { status, dueAtMs, tries, isBlocked, linkEndsAtMs } = mailResent(dropped, nowMs);
  assert.deepEqual(
    [status, dueAtMs, tries, isBlocked, linkEndsAtMs],
    ['pending', nowMs, 0, false, nowMs + 7 * DAY_MS],
  );
  assert.equal(mailResent(pending, START_MS + 5).linkEndsAtMs, pending.linkEndsAtMs);
  assert.throws(() => mailResent(inStatus.refused, START_MS), AssertionFailure);
});

test('an invitation signs in for a day, a requested link for 15 minutes, others for a week', () => {
  const weeks = { owner_link: 7 * DAY_MS, approval_link: 7 * DAY_MS };
  const asked = { sign_in: 15 * MINUTE_MS, confirmation: 15 * MINUTE_MS };
  const links = { invitation: DAY_MS, ...asked, ...weeks };
  const lives: Partial<Record<string, number>> = { ...links, reminder: DAY_MS };
  for (const purpose of mailPurposes) {
    const life = lives[purpose];
    assert.equal(mailRules[purpose].signsIn, purpose in links, purpose);
    const mail = newMail({ ...pending, purpose, tokenSealed: 'sealed' }, START_MS);
    const endsAtMs = START_MS + (life ?? 7 * DAY_MS);
    assert.equal(isLinkExpired(mail, endsAtMs - 1), false);
    assert.equal(isLinkExpired(mail, endsAtMs), true, 'others are worth sending for a week');
  }
});

test('a link that another one replaced has ended, and its own end is not put off', () => {
  const replaced = linkEnded(pending, START_MS + 5);
  assert.deepEqual([replaced.linkUsedAtMs, isLinkExpired(replaced, START_MS + 5)], [null, true]);
  const late = pending.linkEndsAtMs + 9;
  assert.equal(linkEnded(pending, late).linkEndsAtMs, pending.linkEndsAtMs);
});

test('a code is entered five times at most, while its link is open', () => {
  let mail: Mail = { ...pending, codeHash: 'cd', browserHash: 'ef' };
  for (let tries = 0; tries < 5; tries += 1) {
    assert.equal(takesCode(mail, START_MS), true, `${tries} tries`);
    mail = codeTried(mail);
  }
  assert.equal(takesCode(mail, START_MS), false);
  assert.equal(isLinkExpired(mail, START_MS), false, 'the link stays open');
  assert.equal(takesCode(pending, START_MS), false, 'a mail that no browser asked for has none');
  const open = { ...mail, codeTries: 0 };
  assert.equal(takesCode(open, open.linkEndsAtMs), false);
  const pressed = linkUsed(open, START_MS);
  assert.equal(takesCode(pressed, START_MS), true, 'a gateway may have pressed the button');
  assert.equal(isCodeOpen(codeUsed(pressed), START_MS), false);
});

test('a code is six digits that follow from the token', () => {
  fc.assert(
    fc.property(fc.string(), (token) => {
      assert.match(codeOf(token), /^\d{6}$/);
      assert.equal(codeOf(token), codeOf(token));
    }),
  );
  const codes = new Set(Array.from({ length: 1_000 }, (_, index) => codeOf(`token ${index}`)));
  assert.ok(codes.size > 990, `${codes.size}`);
});

test('an address is masked but for its first character and its domain', () => {
  const cases = {
    'ana@buyer.example': 'a•••@buyer.example',
    'a@b.co': 'a•••@b.co',
    '"x@y"@b.co': '"•••@b.co',
    '𝒜na@b.co': '𝒜•••@b.co',
  };
  for (const [address, masked] of Object.entries(cases)) {
    assert.equal(maskedAddress(address), masked);
  }
});

test('subjects are the same if they have the same kind and names', () => {
  const subjects: readonly MailSubject[] = [
    { kind: 'payment', paymentId: 'a' },
    { kind: 'payment', paymentId: 'b' },
    { kind: 'submission', submissionId: 'a', ownerIndex: null },
    { kind: 'submission', submissionId: 'a', ownerIndex: 0 },
    { kind: 'submission', submissionId: 'b', ownerIndex: 0 },
    { kind: 'account', accountId: 'a' },
    { kind: 'account', accountId: null },
  ];
  for (const [at, one] of subjects.entries()) {
    for (const [there, other] of subjects.entries()) {
      assert.equal(isSameSubject({ ...one }, other), at === there, `${at} ${there}`);
    }
  }
});

test('a mail is kept for thirty days, and longer while it is pending', () => {
  const agoMs = 30 * DAY_MS;
  for (const status of mailStatuses) {
    const mail = { ...inStatus[status], createdAtMs: START_MS };
    assert.equal(isExpiredMail(mail, START_MS + agoMs - 1), false, status);
    assert.equal(isExpiredMail(mail, START_MS + agoMs), status !== 'pending', status);
  }
});

test('a link is good once', () => {
  const used = linkUsed(pending, START_MS + 5);
  assert.deepEqual([used.linkUsedAtMs, isLinkExpired(used, START_MS + 5)], [START_MS + 5, true]);
  assert.throws(() => linkUsed(used, START_MS + 6), AssertionFailure);
  assert.throws(() => linkUsed(pending, pending.linkEndsAtMs), AssertionFailure);
});

test('tokens are stored as SHA-256 and sealed for their own mail', () => {
  const stored = crypto.createHash('sha256').update('sign-in link abc').digest('hex');
  assert.equal(hashLinkToken('abc'), stored, 'its purpose is part of the input');
  assert.notEqual(hashLinkToken('abc'), hashSessionToken('abc'));
  assert.notEqual(tokenPurpose({ id: 'mail_1' }), tokenPurpose({ id: 'mail_2' }));
});

test('a buyer is invited once a minute at most', () => {
  assert.equal(invitationWaitMs(null, START_MS), 0);
  assert.equal(invitationWaitMs(START_MS, START_MS), MINUTE_MS);
  assert.equal(invitationWaitMs(START_MS, START_MS + MINUTE_MS - 1), 1);
  assert.equal(invitationWaitMs(START_MS, START_MS + MINUTE_MS), 0);
});

test('an address is sent five mails of a purpose in any hour, each with its number', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 30 * MINUTE_MS }), { maxLength: 60 });
  fc.assert(
    fc.property(gaps, (waits) => {
      const sent: Mail[] = [];
      let nowMs = START_MS;
      for (const gapMs of waits) {
        nowMs += gapMs;
        const newest = sent.toReversed().slice(0, ADDRESS_MAILS_MAX);
        const { nth, waitMs } = nextMail(newest, nowMs);
        const inLastHour = sent.filter(({ createdAtMs }) => createdAtMs > nowMs - HOUR_MS);
        assert.equal(waitMs > 0, inLastHour.length === 5);
        assert.equal(nth, sent.length + 1);
        assert.equal(nextMail(newest, nowMs + waitMs).waitMs, 0);
        if (waitMs > 0) continue;
        sent.push({ ...pending, nth, createdAtMs: nowMs });
      }
    }),
  );
});

test('mails from a clock that was an hour ahead block no address', () => {
  const aheadMs = START_MS + HOUR_MS;
  const newest = Array.from({ length: ADDRESS_MAILS_MAX }, (_, index) => ({
    nth: ADDRESS_MAILS_MAX - index,
    createdAtMs: aheadMs - index,
  }));
  assert.ok(nextMail(newest, aheadMs).waitMs > 0);
  assert.deepEqual(nextMail(newest, START_MS), { nth: ADDRESS_MAILS_MAX + 1, waitMs: 0 });
  assert.equal(invitationWaitMs(aheadMs, START_MS), 0);
});
