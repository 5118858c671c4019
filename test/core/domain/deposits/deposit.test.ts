// Deposits: their states, and that their postings add up to where the
// money is, after any reports and decisions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { money } from '../../../../core/domain/base/money.js';
import type { CommandEnd } from '../../../../core/domain/commands/partner-command.js';
import {
  type Deposit,
  decideDeposit,
  depositBalances,
  depositPosting,
  depositStates,
  isUnmatched,
  newDeposit,
  nextDepositState,
  readAgain,
} from '../../../../core/domain/deposits/deposit.js';
import type { LedgerLine } from '../../../../core/domain/payments/ledger.js';
import { AssertionFailure } from '../../../../core/errors.js';

const T0 = 1_800_000_000_000;
const ends: readonly CommandEnd[] = ['open', 'completed', 'failed', 'returned'];
const decisions = ['assign', 'refund', 'resolve'] as const;

const fresh = newDeposit(
  {
    id: 'rct_1',
    partner: 'fake',
    mode: 'test',
    partnerRef: 'p',
    partyRef: null,
    orgId: null,
    accountId: null,
    payerSealed: null,
    enteredAtMs: T0,
    amount: money(100n, 'USD'),
  },
  T0,
);
const read = (deposit: Deposit, status: CommandEnd, amountMinor = 100n, nowMs = T0) =>
  readAgain(deposit, { status, amount: money(amountMinor, 'USD') }, nowMs);

test('a deposit is decided while it waits; one that was settled otherwise may get its command', () => {
  const moves = ['assign', 'own', 'return', 'refund', 'resolve', 'arrive'] as const;
  const allowed = depositStates.map((state) => [
    state,
    ...moves.filter((move) => nextDepositState(state, move) !== null),
  ]);
  assert.deepEqual(allowed, [
    ['waiting', 'assign', 'own', 'return', 'refund', 'resolve'],
    ['returned', 'arrive'],
    ['assigned'],
    ['refunded'],
    ['resolved', 'own'],
  ]);
  const decided = decideDeposit(read(fresh, 'completed'), 'refund', {}, T0);
  for (const move of decisions) {
    assert.throws(() => decideDeposit(decided, move, {}, T0), AssertionFailure);
  }
});

test('its end at the partner decides the state of a deposit that nobody decided on', () => {
  const after = (...statuses: CommandEnd[]) => {
    const last = statuses.reduce((deposit, status) => read(deposit, status), fresh);
    return `${last.state} ${last.end} ${isUnmatched(last)}`;
  };
  assert.equal(after('open'), 'waiting open false');
  assert.equal(after('completed'), 'waiting completed true');
  assert.equal(after('failed'), 'waiting failed false');
  assert.equal(after('failed', 'completed'), 'waiting completed true');
  assert.equal(after('completed', 'failed'), 'waiting failed false');
  assert.equal(after('completed', 'open'), 'waiting completed true');
  assert.equal(after('completed', 'returned'), 'returned returned false');
  assert.equal(after('completed', 'returned', 'failed'), 'returned returned false');
  assert.equal(after('completed', 'returned', 'completed'), 'waiting completed true');
});

test('the amount follows the books until the money is decided on; none is no amount', () => {
  const larger = read(read(fresh, 'open'), 'completed', 120n);
  assert.equal(larger.amount.amountMinor, 120n);
  const decided = decideDeposit(larger, 'resolve', {}, T0);
  assert.equal(read(decided, 'completed', 130n).amount.amountMinor, 120n);
  assert.equal(read(fresh, 'open', 0n).amount.amountMinor, 100n);
});

test('each move of the money has its posting', () => {
  const kinds = (was: Deposit | null, next: Deposit) => {
    const posting = depositPosting(was, next);
    const lines = posting?.lines.map((line) => `${line.account} ${line.money.amountMinor}`);
    return posting === null ? null : [posting.kind, ...(lines ?? [])].join(' ');
  };
  const [open, here] = [read(fresh, 'open'), read(fresh, 'completed')];
  const decide = (move: (typeof decisions)[number]) => decideDeposit(here, move, {}, T0);
  assert.equal(kinds(null, open), null);
  assert.equal(kinds(open, here), 'funds_received buyer -100 suspense 100');
  assert.equal(kinds(null, here), 'funds_received buyer -100 suspense 100');
  assert.equal(kinds(here, read(here, 'completed', 90n)), 'funds_corrected buyer 10 suspense -10');
  for (const end of ['returned', 'failed'] as const) {
    assert.equal(kinds(here, read(here, end)), 'returned_by_partner buyer 100 suspense -100');
  }
  assert.equal(kinds(here, decide('assign')), 'deposit_assigned buyer 100 suspense -100');
  assert.equal(
    kinds(here, decide('refund')),
    'refund_by_hand buyer 100 suspense -100 adjustments 100 operator -100',
  );
  assert.equal(kinds(here, decide('resolve')), 'deposit_resolved suspense -100 adjustments 100');
  const refunded = decide('refund');
  assert.equal(
    kinds(refunded, read(refunded, 'returned')),
    'returned_by_partner buyer 100 adjustments -100',
  );
  const resolved = decide('resolve');
  assert.equal(
    kinds(resolved, read(resolved, 'returned')),
    'returned_by_partner buyer 100 adjustments -100',
  );
  assert.equal(
    kinds(resolved, decideDeposit(resolved, 'own', {}, T0)),
    'deposit_assigned buyer 100 adjustments -100',
  );
});

type Cause =
  | { readonly status: CommandEnd; readonly amountMinor: bigint }
  | (typeof decisions)[number];

test('after any history the postings are where the money is, and none is held below zero', () => {
  const cause: fc.Arbitrary<Cause> = fc.oneof(
    fc.record({
      status: fc.constantFrom(...ends),
      amountMinor: fc.bigInt({ min: 0n, max: 500n }),
    }),
    fc.constantFrom(...decisions),
  );
  fc.assert(
    fc.property(fc.array(cause, { maxLength: 12 }), (causes) => {
      const booked = new Map<string, bigint>();
      let was: Deposit | null = null;
      let deposit = fresh;
      for (const one of causes) {
        const next: Deposit =
          typeof one !== 'string'
            ? read(deposit, one.status, one.amountMinor)
            : isUnmatched(deposit)
              ? decideDeposit(deposit, one, {}, T0)
              : deposit;
        const lines: readonly LedgerLine[] = depositPosting(was, next)?.lines ?? [];
        for (const { account, money: given } of lines) {
          booked.set(account, (booked.get(account) ?? 0n) + given.amountMinor);
        }
        [was, deposit] = [next, next];
        const expected = depositBalances(deposit);
        for (const [account, amountMinor] of Object.entries(expected)) {
          assert.equal(booked.get(account) ?? 0n, amountMinor, account);
        }
        assert.ok(expected.suspense >= 0n && expected.adjustments >= 0n);
      }
    }),
  );
});
