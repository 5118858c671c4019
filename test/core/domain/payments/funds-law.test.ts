// The laws of the funds, for any set of commands, however unlikely: nothing is lost or made.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type CommandState,
  commandMoves,
  type MoneyCommand,
} from '../../../../core/domain/commands/partner-command.js';
import { withSettlement } from '../../../../core/domain/commands/settlement.js';
import {
  balanceName,
  balancesOf,
  type Funds,
  fundsOf,
  heldMinor,
  openLossOf,
  postingsBetween,
  sumsOf,
  writeOffPostings,
} from '../../../../core/domain/payments/funds.js';
import { type Posting, sumByCurrency } from '../../../../core/domain/payments/ledger.js';
import { lawRuns } from '../../../support/law-runs.js';
import { commandOf, START_MS, sampleFunds } from '../../../support/samples/sample-rows.js';

const PAYOUT_MINOR = 10_000n;
const amount = fc.bigInt({ min: 0n, max: 12_000n });
const standing = fc.record({
  state: fc.constantFrom(...(Object.keys(commandMoves) as CommandState[])),
  end: fc.constantFrom('open', 'completed', 'failed', 'returned'),
  review: fc.constantFrom(null, null, null, '{}'),
});
/** The next state of any command; the received amount of a pay-in only grows. */
const change = fc.tuple(standing, amount);

type Changes = readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[];

const PAYINS = ['in_0', 'in_1', 'in_2'] as const;
const REFUNDS = ['back_0', 'back_1', 'back_2', 'back_3'] as const;
const PAYOUTS = ['out_0', 'out_1'] as const;
const COMMANDS = PAYINS.length + PAYOUTS.length + REFUNDS.length;

/** Each payout that is paid has its settlement. */
const settlement = fc.record({
  settled: fc.record({
    amountMinor: fc.bigInt({ min: 1n, max: 60_000n }),
    currency: fc.constant('BRL'),
  }),
  fees: fc.record({ amountMinor: fc.bigInt({ min: 0n, max: 500n }), currency: fc.constant('USD') }),
  fxRate: fc.constant('5.20'),
  endToEndId: fc.constant(null),
});

/** One payment's commands: up to three pay-ins, two payouts, four refunds of any pay-in. */
const commands = fc
  .record({
    refunds: fc.array(fc.tuple(amount, fc.constantFrom(...PAYINS)), { maxLength: REFUNDS.length }),
    payins: fc.integer({ min: 0, max: PAYINS.length }),
    payouts: fc.array(settlement, { maxLength: PAYOUTS.length }),
  })
  .map(({ refunds, payins, payouts }) => [
    ...PAYINS.slice(0, payins).map((id) => commandOf('payin', id)),
    ...payouts.map((facts, index) =>
      commandOf('payout', PAYOUTS[index] ?? '', {
        amountMinor: PAYOUT_MINOR,
        settlements: withSettlement([], facts, START_MS),
      }),
    ),
    ...refunds.map(([amountMinor, payinId], index) =>
      commandOf('refund', REFUNDS[index] ?? '', { amountMinor, payinId }),
    ),
  ]);
const changes = fc.array(change, { minLength: COMMANDS, maxLength: COMMANDS });

function changedBy(was: readonly MoneyCommand[], by: Changes): readonly MoneyCommand[] {
  return was.map((command, index) => {
    const [fields, receivedMinor] = by[index] ?? [{}, 0n];
    const next = { ...command, ...fields };
    if (command.kind !== 'payin') return next;
    return { ...next, receivedMinor: command.receivedMinor + receivedMinor };
  });
}

function eachSet(look: (funds: Funds, set: readonly MoneyCommand[]) => void): void {
  fc.assert(
    fc.property(commands, changes, (begun, by) => {
      const set = changedBy(begun, by);
      look(fundsOf(sampleFunds, set), set);
    }),
    { numRuns: lawRuns(1_000) },
  );
}

function postingsFrom(was: readonly MoneyCommand[], next: readonly MoneyCommand[]) {
  return postingsBetween(sumsOf(was), sumsOf(next), 'USD');
}

/** Without the accounts that hold nothing. */
function booked(postings: readonly Posting[], from: ReadonlyMap<string, bigint> = new Map()) {
  const balances = new Map(from);
  for (const { account, money } of postings.flatMap(({ lines }) => lines)) {
    const name = balanceName(account, money.currency);
    balances.set(name, (balances.get(name) ?? 0n) + money.amountMinor);
  }
  return new Map([...balances].filter(([, sum]) => sum !== 0n).sort());
}

test('law: received + loss = held + payout + owed + ordered + refunded, and none is negative', () => {
  eachSet((funds) => {
    const parts = [
      heldMinor(funds),
      funds.payoutMinor,
      funds.refundOwedMinor,
      funds.refundOrderedMinor,
      funds.refundedMinor,
    ];
    for (const part of [...parts, funds.receivedMinor, funds.lossMinor]) assert.ok(part >= 0n);
    assert.equal(
      parts.reduce((sum, part) => sum + part, 0n),
      funds.receivedMinor + funds.lossMinor,
    );
    assert.ok(funds.lossMinor === 0n || heldMinor(funds) === 0n, 'nothing is held beside a loss');
  });
});

test('law: position and refund state say what the amounts say', () => {
  eachSet((funds, set) => {
    const { position, refund } = funds;
    const reviewed = set.some(({ kind, review }) => kind !== 'refund' && review !== null);
    const missing = set.some(
      ({ kind, state, end }) => kind === 'payout' && state === 'done' && end === 'failed',
    );
    assert.equal(position === 'needs_review', reviewed || missing);
    if (position !== 'needs_review') {
      assert.equal(position === 'paid' || position === 'payout_ordered', funds.payoutMinor > 0n);
      if (position === 'none' || position === 'expected') assert.equal(funds.receivedMinor, 0n);
      if (position === 'received') assert.ok(heldMinor(funds) > 0n);
      if (position === 'returned_to_buyer') assert.equal(heldMinor(funds), 0n);
    }
    const [owed, ordered] = [funds.refundOwedMinor > 0n, funds.refundOrderedMinor > 0n];
    if (refund === 'none') assert.ok(!owed && !ordered && funds.refundedMinor === 0n);
    if (refund === 'refund_owed') assert.ok(owed);
    if (refund === 'refund_ordered') assert.ok(!owed && ordered);
    if (refund === 'refunded') assert.ok(!owed && !ordered && funds.refundedMinor > 0n);
  });
});

test('law: the funds follow from the commands in any sequence', () => {
  fc.assert(
    fc.property(commands, changes, fc.infiniteStream(fc.nat()), (begun, by, places) => {
      const set = changedBy(begun, by);
      const shuffled = set
        .map((command) => ({ order: command, at: places.next().value ?? 0 }))
        .sort((left, right) => left.at - right.at)
        .map(({ order: command }) => command);
      assert.deepEqual(fundsOf(sampleFunds, shuffled), fundsOf(sampleFunds, set));
    }),
  );
});

test('law: each posting balances, has lines, and is made once', () => {
  fc.assert(
    fc.property(commands, changes, changes, (begun, first, second) => {
      const was = changedBy(begun, first);
      const postings = postingsFrom(was, changedBy(was, second));
      for (const { lines } of postings) {
        assert.ok(lines.length > 0);
        for (const sum of sumByCurrency(lines).values()) assert.equal(sum, 0n);
      }
      assert.equal(new Set(postings.map(({ kind }) => kind)).size, postings.length);
    }),
    { numRuns: lawRuns(1_000) },
  );
});

test('law: the postings between two sets of commands lead from the balances of one to the other', () => {
  fc.assert(
    fc.property(commands, changes, changes, (begun, first, second) => {
      const was = changedBy(begun, first);
      const next = changedBy(was, second);
      const balances = (set: readonly MoneyCommand[]) => balancesOf(sumsOf(set), sampleFunds);
      assert.deepEqual(booked(postingsFrom([], was)), booked([], balances(was)));
      const found = booked(postingsFrom(was, next), balances(was));
      assert.deepEqual(found, booked([], balances(next)));
    }),
    { numRuns: lawRuns(1_000) },
  );
});

test('law: what is written off is at most the loss, and is posted with it', () => {
  fc.assert(
    fc.property(commands, changes, changes, (begun, first, second) => {
      const was = changedBy(begun, first);
      const next = changedBy(was, second);
      const lost = fundsOf(sampleFunds, was);
      const writtenOff = { ...lost, writtenOffMinor: lost.lossMinor };
      const funds = fundsOf(writtenOff, next);
      assert.ok(funds.writtenOffMinor <= funds.lossMinor);
      assert.ok(funds.writtenOffMinor === lost.lossMinor || openLossOf(funds).amountMinor === 0n);
      const postings = [
        ...postingsFrom([], was),
        ...writeOffPostings(lost, writtenOff),
        ...postingsFrom(was, next),
        ...writeOffPostings(writtenOff, funds),
      ];
      const balances = balancesOf(sumsOf(next), funds);
      assert.deepEqual(booked(postings), booked([], balances));
    }),
    { numRuns: lawRuns(1_000) },
  );
});

test('law: two changes post what they would post together', () => {
  fc.assert(
    fc.property(commands, changes, changes, (begun, first, second) => {
      const was = changedBy(begun, first);
      const next = changedBy(was, second);
      const apart = [...postingsFrom(begun, was), ...postingsFrom(was, next)];
      assert.deepEqual(booked(apart), booked(postingsFrom(begun, next)));
    }),
  );
});
