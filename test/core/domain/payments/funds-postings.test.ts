// What is posted when commands change, and what the accounts hold then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandEnd, MoneyCommand } from '../../../../core/domain/commands/partner-command.js';
import { withSettlement } from '../../../../core/domain/commands/settlement.js';
import { balancesOf, postingsBetween, sumsOf } from '../../../../core/domain/payments/funds.js';
import {
  commandOf,
  completedPayin,
  START_MS,
  sampleSettlement,
} from '../../../support/samples/sample-rows.js';
import { valuesOf } from '../../../support/values-of.js';

const payin = completedPayin('in', 10_000n);
const payout = (fields: Partial<MoneyCommand> = {}) => commandOf('payout', 'out', fields);
const refund = (amountMinor: bigint, fields: Partial<MoneyCommand> = {}) =>
  commandOf('refund', `back_${amountMinor}`, { amountMinor, ...fields });

/** An operator paid it by other means. */
const byHand = commandOf('refund', 'hand', {
  amountMinor: 4_000n,
  end: 'completed',
  partnerRef: null,
  lastSentAtMs: null,
});

/** From one set of commands to another: the lines of the posting. */
const moves: Readonly<
  Record<string, readonly [from: readonly MoneyCommand[], to: readonly MoneyCommand[], string]>
> = {
  funds_received: [
    [{ ...payin, receivedMinor: 4_000n }],
    [payin],
    'buyer -6000 USD, partner_float 6000 USD',
  ],
  refund_owed: [
    [payin],
    [payin, refund(4_000n, { state: 'pending' })],
    'partner_float -4000 USD, refunds 4000 USD',
  ],
  refund_withdrawn: [
    [payin, refund(4_000n, { state: 'pending' })],
    [payin, refund(4_000n, { state: 'void' })],
    'partner_float 4000 USD, refunds -4000 USD',
  ],
  refund_paid: [
    [payin, refund(4_000n)],
    [payin, refund(4_000n, { end: 'completed' })],
    'refunds -4000 USD, buyer 4000 USD',
  ],
  refund_bounced: [
    [payin, refund(4_000n, { end: 'completed' })],
    [payin, refund(4_000n, { state: 'refused', end: 'failed' })],
    'refunds 4000 USD, buyer -4000 USD',
  ],
  refund_by_hand: [
    [payin, refund(4_000n, { state: 'pending' })],
    [payin, refund(4_000n, { state: 'void' }), byHand],
    'refunds -4000 USD, partner_float 4000 USD, operator -4000 USD, buyer 4000 USD',
  ],
  returned_by_partner: [
    [payin],
    [{ ...payin, end: 'returned' }],
    'partner_float -10000 USD, buyer 10000 USD',
  ],
  return_reversed: [
    [{ ...payin, end: 'returned' }],
    [payin],
    'partner_float 10000 USD, buyer -10000 USD',
  ],
  payout_paid: [
    [payin, payout()],
    [payin, payout({ end: 'completed' })],
    'partner_float -10000 USD, fees 100 USD, conversion 9900 USD, ' +
      'conversion -51480 BRL, seller 51480 BRL',
  ],
  payout_returned: [
    [payin, payout({ end: 'completed' })],
    [payin, payout({ end: 'returned' })],
    'partner_float 10000 USD, fees -100 USD, conversion -9900 USD, ' +
      'conversion 51480 BRL, seller -51480 BRL',
  ],
};

for (const [kind, [from, to, lines]] of Object.entries(moves)) {
  test(`a posting ${kind} moves the money so`, () => {
    const postings = postingsBetween(sumsOf(from), sumsOf(to), 'USD');
    const expected = lines.split(', ').map((line) => {
      const [account, minor = '', currency] = line.split(' ');
      return { account, money: { amountMinor: BigInt(minor), currency } };
    });
    assert.deepEqual(postings, [{ kind, lines: expected }]);
  });
}

test('a seller who is paid by hand has a payout, and the partner keeps the money', () => {
  const never = { partnerRef: null, lastSentAtMs: null };
  const hand = { ...payout({ end: 'completed' }), ...never, id: 'hand' };
  const refused = payout({ state: 'refused' });
  const postings = postingsBetween(sumsOf([payin, refused]), sumsOf([payin, refused, hand]), 'USD');
  const kept = [
    { account: 'operator', money: { amountMinor: -10_000n, currency: 'USD' } },
    { account: 'partner_float', money: { amountMinor: 10_000n, currency: 'USD' } },
  ];
  assert.deepEqual(valuesOf(postings, 'kind'), ['payout_paid', 'payout_by_hand']);
  assert.deepEqual(postings[1]?.lines, kept);
});

test('a loss is booked with what caused it, and its recovery too', () => {
  const sums = (end: CommandEnd) => sumsOf([{ ...payin, end }, payout({ end: 'completed' })]);
  const kinds = (from: CommandEnd, to: CommandEnd) =>
    postingsBetween(sums(from), sums(to), 'USD').map((one) => one.kind);
  assert.deepEqual(kinds('completed', 'returned'), ['loss', 'returned_by_partner']);
  assert.deepEqual(kinds('returned', 'completed'), ['loss_recovered', 'return_reversed']);
});

test('nothing is posted for a command that is only planned, sent or in doubt', () => {
  const planned = sumsOf([payin, payout({ state: 'pending' })]);
  for (const state of ['sent', 'unknown', 'denied', 'done'] as const) {
    const next = sumsOf([payin, payout({ state })]);
    assert.deepEqual(postingsBetween(planned, next, 'USD'), [], state);
  }
});

test('a smaller total corrects what was received', () => {
  const [less, more] = [sumsOf([{ ...payin, receivedMinor: 1n }]), sumsOf([payin])];
  const [corrected] = postingsBetween(more, less, 'USD');
  assert.equal(corrected?.kind, 'funds_corrected');
  const taken = { amountMinor: 9_999n, currency: 'USD' };
  assert.deepEqual(corrected?.lines[0], { account: 'buyer', money: taken });
});

test('two payouts that the seller has are posted with what each of them brought', () => {
  const facts = { ...sampleSettlement, settled: { amountMinor: 51_400n, currency: 'BRL' } };
  const other = commandOf('payout', 'again', {
    end: 'completed',
    settlements: withSettlement([], facts, START_MS + 1),
  });
  const one = [payin, payout({ end: 'completed' })];
  const [, paid] = postingsBetween(sumsOf(one), sumsOf([...one, other]), 'USD');
  const seller = paid?.lines.find(({ account }) => account === 'seller');
  assert.equal(seller?.money.amountMinor, 51_400n);
  const balances = balancesOf(sumsOf([...one, other]), { currency: 'USD', writtenOffMinor: 0n });
  assert.equal(balances.get('seller BRL'), 51_480n + 51_400n);
});

test('the accounts hold what the commands say, in both currencies', () => {
  const commands = [
    completedPayin('in', 17_000n),
    payout({ end: 'completed' }),
    refund(4_000n, { end: 'completed' }),
    refund(2_000n),
    refund(1_000n, { state: 'pending' }),
  ];
  const balances = balancesOf(sumsOf(commands), { currency: 'USD', writtenOffMinor: 0n });
  assert.deepEqual(Object.fromEntries([...balances].filter(([, sum]) => sum !== 0n)), {
    'buyer USD': -13_000n,
    'refunds USD': 3_000n,
    'fees USD': 100n,
    'conversion USD': 9_900n,
    'conversion BRL': -51_480n,
    'seller BRL': 51_480n,
  });
});
