// Deposits: their states, and that their postings add up to where the
// money is, after any reports and decisions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { money } from '../../../../core/domain/base/money.js';
import type { CommandEnd } from '../../../../core/domain/commands/partner-command.js';
import {
  type Deposit,
  type DepositFacts,
  decideDeposit,
  depositBalances,
  depositPosting,
  depositStates,
  isCurrentDeposit,
  isUnmatched,
  newDeposit,
  nextDepositState,
  readAgain,
} from '../../../../core/domain/deposits/deposit.js';
import { matchRules } from '../../../../core/domain/deposits/deposit-match.js';
import type { Posting } from '../../../../core/domain/payments/ledger.js';
import { AssertionFailure } from '../../../../core/errors.js';

const T0 = 1_800_000_000_000;
const ends: readonly CommandEnd[] = ['open', 'completed', 'failed', 'returned'];
const decisions = ['assign', 'refund', 'resolve'] as const;

const fresh = newDeposit(
  {
    id: 'dep_1',
    partner: 'fake',
    mode: 'test',
    book: 'payin',
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

test('a deposit is decided while it waits; one that went back or was settled otherwise may get its command', () => {
  const moves = ['assign', 'own', 'return', 'refund', 'resolve', 'withdraw', 'arrive'] as const;
  const allowed = depositStates.map((state) => [
    state,
    ...moves.filter((move) => nextDepositState(state, move) !== null),
  ]);
  assert.deepEqual(allowed, [
    ['waiting', 'assign', 'own', 'return', 'refund', 'resolve', 'withdraw'],
    ['returned', 'own', 'arrive'],
    ['assigned'],
    ['refunded'],
    ['resolved', 'own'],
    ['withdrawn'],
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

/** Balances that are not zero, by account and currency. */
type Balances = ReadonlyMap<string, bigint>;

function balancesOf(deposit: Deposit): Balances {
  const { currency } = deposit.amount;
  const found = Object.entries(depositBalances(deposit));
  return new Map(
    found
      .filter(([, amountMinor]) => amountMinor !== 0n)
      .map(([account, amountMinor]) => [`${account} ${currency}`, amountMinor]),
  );
}

function booked(was: Balances, posting: Posting | null): Balances {
  const next = new Map(was);
  for (const { account, money: moved } of posting?.lines ?? []) {
    const name = `${account} ${moved.currency}`;
    const amountMinor = (next.get(name) ?? 0n) + moved.amountMinor;
    if (amountMinor === 0n) next.delete(name);
    else next.set(name, amountMinor);
  }
  return next;
}

const sorted = (balances: Balances) => [...balances].toSorted();
const anAmount = fc.record({
  amountMinor: fc.bigInt({ min: 0n, max: 500n }),
  currency: fc.constantFrom('USD', 'EUR', 'BRL'),
});
const anEnd = fc.constantFrom(...ends);

test('between any two states of a deposit the posting is the difference of their balances', () => {
  const aText = fc.option(fc.constantFrom('a', 'b'));
  const aTime = fc.integer({ min: T0, max: T0 + 9 });
  /** Any value in each field that may differ: the partner corrects what it likes. */
  const aDeposit: fc.Arbitrary<Deposit> = fc.record({
    id: fc.constant('dep_1'),
    partner: fc.constant('fake'),
    mode: fc.constant('test'),
    book: fc.constantFrom('payin', 'payout'),
    partnerRef: fc.constant('p'),
    partyRef: aText,
    orgId: aText,
    accountId: aText,
    amount: anAmount,
    end: anEnd,
    state: fc.constantFrom(...depositStates),
    payerSealed: aText,
    transactionHash: aText,
    asset: fc.constant(null),
    paymentId: aText,
    rule: fc.constantFrom(null, ...matchRules),
    consolidatedReference: aText,
    enteredAtMs: aTime,
    completedAtMs: fc.option(aTime),
    createdAtMs: aTime,
    updatedAtMs: aTime,
    version: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(fc.option(aDeposit), aDeposit, (was, next) => {
      const before: Balances = was === null ? new Map() : balancesOf(was);
      const after = booked(before, depositPosting(was, next));
      assert.deepEqual(sorted(after), sorted(balancesOf(next)));
    }),
  );
});

test('a corrected currency leaves nothing in the former one', () => {
  const euros = readAgain(fresh, { status: 'completed', amount: money(100n, 'EUR') }, T0);
  const dollars = read(euros, 'completed');
  const posting = depositPosting(euros, dollars);
  const lines = posting?.lines.map(
    ({ account, money: { amountMinor, currency } }) => `${account} ${amountMinor} ${currency}`,
  );
  assert.equal(posting?.kind, 'funds_corrected');
  assert.deepEqual(lines, [
    'buyer 100 EUR',
    'suspense -100 EUR',
    'buyer -100 USD',
    'suspense 100 USD',
  ]);
});

type Cause = DepositFacts | (typeof decisions)[number];

test('after any history the postings are where the money is, and none is held below zero', () => {
  const cause: fc.Arbitrary<Cause> = fc.oneof(
    fc.record({ status: anEnd, amount: anAmount }),
    fc.constantFrom(...decisions),
  );
  fc.assert(
    fc.property(fc.array(cause, { maxLength: 12 }), (causes) => {
      let balances: Balances = new Map();
      let was: Deposit | null = null;
      let deposit = fresh;
      for (const one of causes) {
        const next: Deposit =
          typeof one !== 'string'
            ? readAgain(deposit, one, T0)
            : isUnmatched(deposit)
              ? decideDeposit(deposit, one, {}, T0)
              : deposit;
        balances = booked(balances, depositPosting(was, next));
        if (typeof one !== 'string') assert.ok(isCurrentDeposit(next, one));
        [was, deposit] = [next, next];
        assert.deepEqual(sorted(balances), sorted(balancesOf(deposit)));
        const { suspense, adjustments } = depositBalances(deposit);
        assert.ok(suspense >= 0n && adjustments >= 0n);
      }
    }),
  );
});

for (const [what, stated, current] of [
  ['the same', { status: 'completed', amount: money(100n, 'USD') }, true],
  ['another amount', { status: 'completed', amount: money(50n, 'USD') }, false],
  ['another currency', { status: 'completed', amount: money(100n, 'EUR') }, false],
  ['another end', { status: 'returned', amount: money(100n, 'USD') }, false],
  ['no amount', { status: 'completed', amount: money(0n, 'USD') }, true],
] as const) {
  test(`a waiting deposit is ${current ? '' : 'not '}current if the books have ${what}`, () => {
    assert.equal(isCurrentDeposit(read(fresh, 'completed'), stated), current);
  });
}
