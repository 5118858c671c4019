import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type AccountMove,
  type AccountStatus,
  accepted,
  accountEvents,
  accountMoves,
  accountStatuses,
  type ConnectedAccount,
  countsAsBuyerKyc,
  decided,
  isDecision,
  isSubmitted,
  nextAccountStatus,
  paused,
  payableParty,
  payoutConfigured,
  railsProvisioned,
  railsRefused,
  railsRequested,
  readyToCollect,
  submitted,
  termsAccepted,
  termsStarted,
} from '../../../core/domain/connected-account.js';
import { nothingDue } from '../../../core/domain/party-due.js';
import { type ErrorCode, PonteError } from '../../../core/errors.js';
import { anAccount, T0 } from '../../support/domain-samples.js';

const matrix: Record<AccountStatus, Record<AccountMove, AccountStatus | null>> = {
  created: { submit: 'verifying', approve: null, reject: null, pause: null },
  verifying: { submit: null, approve: 'approved', reject: 'rejected', pause: null },
  approved: { submit: null, approve: null, reject: 'rejected', pause: 'verifying' },
  rejected: { submit: 'verifying', approve: null, reject: null, pause: null },
};
const statuses = Object.keys(matrix) as readonly AccountStatus[];
const moves = ['submit', 'approve', 'reject', 'pause'] as const;

const details = {
  email: 'new@example.com',
  legalName: 'New Ltda',
  country: 'BR',
  taxIdSealed: 'sealed again',
  taxIdLast4: '0191',
};
const submission = { receiverId: 'rcv_new', submitCommandId: 'cmd_new', ...details };

function verdict(decision: 'approve' | 'reject', reason: string | null = null) {
  return { decision, reason, railsCommandId: 'cmd_rails' };
}

/** Just created, without a dossier or a report. */
const created = anAccount({
  status: 'created',
  ...{ receiverId: null, submitCommandId: null, partnerRef: null, tosSessionKey: null },
  ...{ tosId: null, destinationRef: null, railsCommandId: null, railsRef: null, readyAtMs: null },
  ...{ reason: null, approvedAtMs: null, rejectedAtMs: null },
  ...nothingDue,
});
const verifying = submitted(created, submission, T0 + 1);
const approved = decided(accepted(verifying, 're_1', T0 + 2), verdict('approve'), T0 + 3);
const payable = payoutConfigured(approved, 'pix_1', 'cmd_rails', T0 + 4);
const ready = railsProvisioned(payable, 'cmd_rails', 'wallet_1', T0 + 5);

function assertRefused(work: () => unknown, code: ErrorCode): void {
  assert.throws(work, (error) => error instanceof PonteError && error.code === code);
}

function moved(was: ConnectedAccount, move: AccountMove): ConnectedAccount {
  if (move === 'submit') return submitted(was, submission, T0);
  return move === 'pause' ? paused(was, T0) : decided(was, verdict(move), T0);
}

test('every account status and move is as the table says, and no other move is made', () => {
  assert.deepEqual(Object.keys(accountMoves), statuses);
  assert.deepEqual(accountStatuses, statuses);
  for (const status of statuses) {
    for (const move of moves) {
      const expected = matrix[status][move];
      assert.equal(nextAccountStatus(status, move), expected, `${status} ${move}`);
      const was = { ...created, status };
      const next = moved(was, move);
      assert.equal(next.status, expected ?? status, `${status} ${move}`);
      if (expected === null) assert.equal(next, was);
    }
    assert.deepEqual(
      Object.keys(accountMoves[status]).filter((move) => !moves.includes(move as AccountMove)),
      [],
    );
  }
});

test('while verifying or approved a submit answers with the account as it is', () => {
  assert.deepEqual(statuses.filter(isSubmitted), ['verifying', 'approved']);
  assert.equal(submitted(approved, submission, T0), approved);
});

test('a submission records its dossier, receiver and command', () => {
  const changed = { ...submission, status: 'verifying', updatedAtMs: T0 + 1 };
  assert.deepEqual(verifying, { ...created, ...changed });
});

test('after a rejection a submit opens a fresh party: what the one before had is gone', () => {
  const rejected = decided(ready, verdict('reject', 'taken back'), T0 + 6);
  assert.deepEqual(rejected, {
    ...ready,
    status: 'rejected',
    reason: 'taken back',
    // Terms serve one party.
    ...{ tosId: null, tosSessionKey: null },
    rejectedAtMs: T0 + 6,
    updatedAtMs: T0 + 6,
  });
  const again = submitted(rejected, { ...submission, receiverId: 'rcv_2' }, T0 + 7);
  assert.deepEqual(again, {
    ...rejected,
    status: 'verifying',
    receiverId: 'rcv_2',
    ...{ partnerRef: null, destinationRef: null, railsCommandId: null, railsRef: null },
    ...{ reason: null, approvedAtMs: null, rejectedAtMs: null },
    updatedAtMs: T0 + 7,
  });
});

test('a party keeps the first id that the partner gave it', () => {
  assert.equal(accepted(approved, 're_other', T0), approved);
});

test('ready to collect: a seller, approved, with a PIX destination and a wallet', () => {
  assert.equal(readyToCollect(ready), true);
  const lacking: readonly Partial<ConnectedAccount>[] = [
    { role: 'buyer' },
    ...(['created', 'verifying', 'rejected'] as const).map((status) => ({ status })),
    { destinationRef: null },
    { railsRef: null },
  ];
  for (const fields of lacking) assert.equal(readyToCollect({ ...ready, ...fields }), false);
});

test('the events of an account: created, each decision, and once that it is ready', () => {
  assert.deepEqual(accountEvents(null, created), ['created']);
  assert.deepEqual(accountEvents(created, verifying), []);
  assert.deepEqual(accountEvents(verifying, approved), ['kyb_approved']);
  assert.deepEqual(accountEvents(approved, payable), []);
  assert.deepEqual(accountEvents(payable, ready), ['ready_to_collect']);
  const rejected = decided(ready, verdict('reject'), T0 + 6);
  assert.deepEqual(accountEvents(ready, rejected), ['kyb_rejected']);
  assert.deepEqual(accountEvents(verifying, decided(verifying, verdict('reject'), T0)), [
    'kyb_rejected',
  ]);
});

test('a decision is a change to approved or rejected, also one that is taken back', () => {
  assert.equal(isDecision(verifying, approved), true);
  assert.equal(isDecision(ready, decided(ready, verdict('reject'), T0)), true);
  assert.deepEqual([isDecision(created, verifying), isDecision(approved, payable)], [false, false]);
});

test('ready_to_collect fires when the last condition becomes true', () => {
  const early = { ...verifying, partnerRef: 're_1', destinationRef: 'pix_1', railsRef: 'w_1' };
  const last = decided(early, verdict('approve'), T0 + 2);
  assert.deepEqual(accountEvents(early, last), ['kyb_approved', 'ready_to_collect']);
  const noPix = { ...approved, railsRef: 'w_1' };
  const withPix = payoutConfigured(noPix, 'pix_1', 'cmd_rails', T0 + 3);
  assert.deepEqual(accountEvents(noPix, withPix), ['ready_to_collect']);
});

test('ready_to_collect fires once per account', () => {
  const step = fc.oneof(
    ...moves.map((move) => fc.constant(move)),
    ...(['accept', 'pix', 'rails'] as const).map((what) => fc.constant(what)),
  );
  const apply = (was: ConnectedAccount, what: AccountMove | 'accept' | 'pix' | 'rails') => {
    switch (what) {
      case 'accept':
        return accepted(was, 're_1', T0);
      case 'pix':
        return payoutConfigured(was, 'pix_1', 'cmd_rails', T0);
      case 'rails':
        return railsProvisioned(was, 'cmd_rails', 'wallet_1', T0);
      default:
        return moved(was, what);
    }
  };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let account: ConnectedAccount = created;
      let fired = 0;
      let wasReady = false;
      for (const what of steps) {
        const next = apply(account, what);
        const events = accountEvents(account, next);
        fired += events.filter((event) => event === 'ready_to_collect').length;
        account = next;
        wasReady ||= readyToCollect(account);
        assert.equal(fired, wasReady ? 1 : 0);
      }
    }),
  );
});

test('the wallet is asked for when approval and destination are both there, and once', () => {
  assert.equal(railsRequested(approved, payable), 'cmd_rails');
  assert.equal(railsRequested(payable, ready), null);
  const other = payoutConfigured(payable, 'pix_2', 'cmd_other', T0);
  assert.equal(railsRequested(payable, other), null);
  assert.equal(railsRequested(ready, payoutConfigured(ready, 'pix_2', 'cmd_other', T0)), null);
  const early = { ...verifying, partnerRef: 're_1', destinationRef: 'pix_1' };
  assert.equal(railsRequested(early, decided(early, verdict('approve'), T0)), 'cmd_rails');
  assert.equal(railsRequested(early, decided(early, verdict('reject'), T0)), null);
  assert.equal(railsRequested(verifying, decided(verifying, verdict('approve'), T0)), null);
  const buyer = { ...approved, role: 'buyer' } as const;
  assert.equal(railsRequested(buyer, payoutConfigured(buyer, 'pix_1', 'cmd_rails', T0)), null);
});

test('a wallet that was refused is asked for again when the payout is configured again', () => {
  const refused = railsRefused(payable, 'cmd_rails', T0 + 5);
  assert.deepEqual(refused, { ...payable, railsCommandId: null, updatedAtMs: T0 + 5 });
  assert.equal(railsRequested(payable, refused), null);
  const again = payoutConfigured(refused, 'pix_1', 'cmd_again', T0 + 6);
  assert.equal(railsRequested(refused, again), 'cmd_again');
  assert.equal(railsRefused(again, 'cmd_rails', T0), again);
});

test('a wallet that another command asked for is not taken', () => {
  assert.equal(railsProvisioned(payable, 'cmd_old', 'wallet_1', T0), payable);
  assert.equal(railsProvisioned(ready, 'cmd_rails', 'wallet_2', T0), ready);
});

test('a payout is for sellers, and for approved ones', () => {
  assert.equal(payableParty(approved), 're_1');
  assertRefused(() => payableParty({ ...approved, role: 'buyer' }), 'ValidationError');
  for (const status of ['created', 'verifying', 'rejected'] as const) {
    assertRefused(() => payableParty({ ...approved, status }), 'ConnectedAccountNotApproved');
    assertRefused(() => payableParty({ ...approved, status, role: 'buyer' }), 'ValidationError');
  }
});

test('the same destination again changes nothing', () => {
  assert.equal(payoutConfigured(payable, 'pix_1', 'cmd_rails', T0 + 9), payable);
});

test('terms are accepted after a session for this account, once, and stay', () => {
  assertRefused(() => termsAccepted(created, 'tos_1', T0), 'TosSessionRequired');
  const started = termsStarted(created, 'key_1', T0 + 1);
  const bound = termsAccepted(started, 'tos_1', T0 + 2);
  assert.deepEqual(bound, {
    ...created,
    tosSessionKey: 'key_1',
    tosId: 'tos_1',
    updatedAtMs: T0 + 2,
  });
  assert.equal(termsAccepted(bound, 'tos_1', T0 + 3), bound);
  assertRefused(() => termsAccepted(bound, 'tos_2', T0), 'TosIdMismatch');
  const restarted = termsStarted(bound, 'key_2', T0 + 4);
  assertRefused(() => termsAccepted(restarted, 'tos_2', T0), 'TosIdMismatch');
});

test('an approved account of role buyer counts as the KYC of the buyer', () => {
  for (const role of ['seller', 'buyer'] as const) {
    for (const status of statuses) {
      const counts = role === 'buyer' && status === 'approved';
      assert.equal(countsAsBuyerKyc({ ...created, role, status }), counts, `${role} ${status}`);
    }
  }
});
