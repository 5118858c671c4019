import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  accountEvents,
  accountStatuses,
  accountTermsAccepted,
  type ConnectedAccount,
  changedAccount,
  countsAsBuyerKyc,
  payableSeller,
  readyToCollect,
  sellerLacks,
} from '../../../../core/domain/parties/connected-account.js';
import { decided, newParty, reported, submitted } from '../../../../core/domain/parties/party.js';
import {
  noPayout,
  railsProvisioned,
  withDestination,
} from '../../../../core/domain/parties/payee.js';
import { type ErrorCode, PonteError } from '../../../../core/errors.js';
import { anAccount, T0 } from '../../../support/samples/domain-samples.js';

/** As in test mode. */
const unheld = { nowMs: 0, holdMs: 0, holdsFirst: true } as const;
const moves = ['submit', 'approve', 'reject', 'pause'] as const;

/** Just created, without a dossier or a report. */
const created = anAccount({
  ...newParty,
  ...noPayout,
  status: 'created',
  receiverId: null,
  tosSessionKey: null,
  readyAtMs: null,
});
const verifying = changed(created, (was) => submitted(was, 'cmd_new'), T0 + 1);
const approved = changed(
  verifying,
  (was) => reported(was, { partnerRef: 're_1', status: 'approved', reason: null }, T0 + 3),
  T0 + 3,
);
const payable = changed(approved, (was) => withDestination(was, 'pix_1', unheld), T0 + 4);
const requested = { ...payable, railsCommandId: 'cmd_rails' };
const ready = changed(requested, (was) => railsProvisioned(was, 'cmd_rails', 'wallet_1'), T0 + 5);

function changed(
  was: ConnectedAccount,
  change: (was: ConnectedAccount) => ConnectedAccount,
  nowMs = T0,
): ConnectedAccount {
  const next = change(was);
  return next === was ? was : changedAccount(was, next, nowMs);
}

function assertRefused(work: () => unknown, code: ErrorCode): void {
  assert.throws(work, (error) => error instanceof PonteError && error.code === code);
}

function moved(was: ConnectedAccount, move: (typeof moves)[number]): ConnectedAccount {
  if (move !== 'submit') return changed(was, (account) => decided(account, move, null, T0));
  return was.status === 'created' || was.status === 'rejected'
    ? changed(was, (account) => submitted(account, 'cmd_new'))
    : was;
}

test('a new party has neither the payout nor the used terms of the one before', () => {
  const bound = { ...ready, tosId: 'tos_1', tosSessionKey: 'session_1' };
  const rejected = changed(bound, (was) => decided(was, 'reject', 'taken back', T0 + 6), T0 + 6);
  assert.deepEqual(rejected, {
    ...bound,
    status: 'rejected',
    reason: 'taken back',
    tosId: null,
    tosSessionKey: null,
    rejectedAtMs: T0 + 6,
    updatedAtMs: T0 + 6,
  });
  const again = changed(rejected, (was) => submitted(was, 'cmd_2'), T0 + 7);
  assert.deepEqual(again, {
    ...rejected,
    ...newParty,
    ...noPayout,
    status: 'verifying',
    commandId: 'cmd_2',
    updatedAtMs: T0 + 7,
  });
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

test('what a seller lacks is what keeps it from collecting, and answers that are asked for', () => {
  assert.deepEqual(sellerLacks({ ...ready, corrections: null }), []);
  assert.deepEqual(sellerLacks({ ...ready, corrections: '[]' }), ['answers']);
  const open = { ...created, tosId: null, corrections: null };
  const all = ['terms', 'submission', 'approval', 'pix_destination', 'wallet'];
  assert.deepEqual(sellerLacks(open), all);
  for (const status of accountStatuses) {
    for (const destinationRef of [null, 'pix_1']) {
      for (const railsRef of [null, 'w_1']) {
        const seller = { ...ready, status, destinationRef, railsRef, corrections: null };
        assert.equal(sellerLacks(seller).length === 0, readyToCollect(seller));
      }
    }
  }
});

test('the events of an account: created, each decision, and once that it is ready', () => {
  assert.deepEqual(accountEvents(null, created), ['created']);
  assert.deepEqual(accountEvents(created, verifying), []);
  assert.deepEqual(accountEvents(verifying, approved), ['kyb_approved']);
  assert.deepEqual(accountEvents(approved, payable), []);
  assert.deepEqual(accountEvents(requested, ready), ['ready_to_collect']);
  assert.deepEqual(accountEvents(ready, moved(ready, 'reject')), ['kyb_rejected']);
  assert.deepEqual(accountEvents(verifying, moved(verifying, 'reject')), ['kyb_rejected']);
});

test('ready_to_collect fires when the last condition becomes true', () => {
  const early = { ...verifying, partnerRef: 're_1', destinationRef: 'pix_1', railsRef: 'w_1' };
  const last = moved(early, 'approve');
  assert.deepEqual(accountEvents(early, last), ['kyb_approved', 'ready_to_collect']);
  const noPix = { ...approved, railsRef: 'w_1' };
  const withPix = changed(noPix, (was) => withDestination(was, 'pix_1', unheld));
  assert.deepEqual(accountEvents(noPix, withPix), ['ready_to_collect']);
});

test('ready_to_collect fires once per account', () => {
  const step = fc.constantFrom(...moves, 'name', 'pix', 'rails');
  const apply = (
    was: ConnectedAccount,
    what: (typeof moves)[number] | 'name' | 'pix' | 'rails',
  ) => {
    switch (what) {
      case 'name':
        return changed(was, (account) => ({ ...account, partnerRef: 're_1' }));
      case 'pix':
        return changed(was, (account) => withDestination(account, 'pix_1', unheld));
      case 'rails': {
        const asking = { ...was, railsCommandId: 'cmd_rails' };
        return changed(asking, (account) => railsProvisioned(account, 'cmd_rails', 'wallet_1'));
      }
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

test('a payout is for sellers, and for approved ones', () => {
  assert.equal(payableSeller(approved), 're_1');
  assertRefused(() => payableSeller({ ...approved, role: 'buyer' }), 'ValidationError');
  assertRefused(() => payableSeller(approved, 're_2'), 'ConnectedAccountNotApproved');
  for (const status of ['created', 'verifying', 'rejected'] as const) {
    assertRefused(() => payableSeller({ ...approved, status }), 'ConnectedAccountNotApproved');
    assertRefused(() => payableSeller({ ...approved, status, role: 'buyer' }), 'ValidationError');
  }
});

test('terms are accepted after a session for this account, once, and stay', () => {
  assertRefused(() => accountTermsAccepted(created, 'tos_1'), 'TosSessionRequired');
  const started = { ...created, tosSessionKey: 'key_1' };
  const bound = accountTermsAccepted(started, 'tos_1');
  assert.deepEqual(bound, { ...started, tosId: 'tos_1' });
  assert.equal(accountTermsAccepted(bound, 'tos_1'), bound);
  assertRefused(() => accountTermsAccepted(bound, 'tos_2'), 'TosIdMismatch');
  assertRefused(
    () => accountTermsAccepted({ ...bound, tosSessionKey: 'key_2' }, 'tos_2'),
    'TosIdMismatch',
  );
});

test('an approved account of role buyer counts as the KYC of the buyer', () => {
  for (const role of ['seller', 'buyer'] as const) {
    for (const status of accountStatuses) {
      const counts = role === 'buyer' && status === 'approved';
      assert.equal(countsAsBuyerKyc({ ...created, role, status }), counts, `${role} ${status}`);
    }
  }
});
