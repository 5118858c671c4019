// Where the money of a payment is, by its commands to the partner.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  CommandEnd,
  CommandState,
  MoneyCommand,
} from '../../../../core/domain/commands/partner-command.js';
import { withSettlement } from '../../../../core/domain/commands/settlement.js';
import {
  balancesOf,
  type Funds,
  fundsAmounts,
  fundsOf,
  heldMinor,
  positions,
  postingsBetween,
  refundableMinor,
  refundStates,
  sameFunds,
  stageOf,
  sumsOf,
} from '../../../../core/domain/payments/funds.js';
import {
  commandIn,
  commandOf,
  completedPayin,
  START_MS,
  sampleFunds,
  sampleSettlement,
} from '../../../support/samples/sample-rows.js';
import { valuesOf } from '../../../support/values-of.js';

type Stage = ReturnType<typeof stageOf>;

const ends = ['open', 'completed', 'failed', 'returned'] as const;

const payin = completedPayin('in', 10_000n);
const payout = (fields: Partial<MoneyCommand> = {}) => commandOf('payout', 'out', fields);
const refund = (amountMinor: bigint, fields: Partial<MoneyCommand> = {}) =>
  commandOf('refund', `back_${amountMinor}`, { amountMinor, ...fields });

/** Of a command that was accepted by its end, of any other by its state alone. */
const meaning: Record<
  Exclude<CommandState, 'done'> | `done ${CommandEnd}`,
  Readonly<Record<'payout' | 'refund', Stage>>
> = {
  pending: { payout: 'planned', refund: 'planned' },
  sent: { payout: 'moving', refund: 'moving' },
  unknown: { payout: 'moving', refund: 'moving' },
  denied: { payout: 'moving', refund: 'moving' },
  'done open': { payout: 'moving', refund: 'moving' },
  'done completed': { payout: 'moved', refund: 'moved' },
  'done failed': { payout: 'needs_review', refund: 'owed' },
  'done returned': { payout: 'none', refund: 'owed' },
  refused: { payout: 'none', refund: 'owed' },
  void: { payout: 'none', refund: 'none' },
};

for (const kind of ['payout', 'refund'] as const) {
  test(`what a ${kind} means for its money is as the table says, in every state and end`, () => {
    for (const state of Object.keys(commandIn) as CommandState[]) {
      for (const end of ends) {
        const name = state === 'done' ? (`done ${end}` as const) : state;
        const command = commandOf(kind, 'one', { state, end });
        assert.equal(stageOf(command), meaning[name][kind], `${name} (${end})`);
      }
    }
  });
}

test('a pay-in moves no money by its state', () => {
  for (const command of Object.values(commandIn)) {
    assert.equal(stageOf({ ...command, kind: 'payin' }), 'none');
  }
});

/** Received, held, payout, owed, ordered, refunded, loss: the identity, left to right. */
function amounts(commands: readonly MoneyCommand[]): readonly bigint[] {
  const funds = fundsOf(sampleFunds, commands);
  const { receivedMinor, payoutMinor, refundOwedMinor, refundOrderedMinor } = funds;
  return [
    receivedMinor,
    heldMinor(funds),
    payoutMinor,
    refundOwedMinor,
    refundOrderedMinor,
    funds.refundedMinor,
    funds.lossMinor,
  ];
}

/** What the commands of one payment come to: amounts of 100 minor units, position, refund state. */
const scenes: Readonly<
  Record<string, readonly [commands: readonly MoneyCommand[], expected: string]>
> = {
  'no command': [[], '0 0 0 0 0 0 0 none none'],
  'a pay-in is ordered': [
    [commandOf('payin', 'in', { state: 'pending' })],
    '0 0 0 0 0 0 0 expected none',
  ],
  'a pay-in failed without money': [
    [commandOf('payin', 'in', { end: 'failed' })],
    '0 0 0 0 0 0 0 none none',
  ],
  'part arrived of a pay-in that is open': [
    [commandOf('payin', 'in', { receivedMinor: 4_000n })],
    '40 40 0 0 0 0 0 received none',
  ],
  'all arrived and the payout was not sent': [
    [payin, payout({ state: 'pending' })],
    '100 100 0 0 0 0 0 received none',
  ],
  'the payout is under way': [
    [payin, payout({ state: 'unknown' })],
    '100 0 100 0 0 0 0 payout_ordered none',
  ],
  'the payout completed': [[payin, payout({ end: 'completed' })], '100 0 100 0 0 0 0 paid none'],
  'the payout failed: a person must find its money': [
    [payin, payout({ end: 'failed' })],
    '100 0 100 0 0 0 0 needs_review none',
  ],
  'the payout came back': [[payin, payout({ end: 'returned' })], '100 100 0 0 0 0 0 received none'],
  'two pay-ins count together': [
    [payin, completedPayin('in_2', 7_000n)],
    '170 170 0 0 0 0 0 received none',
  ],
  'a refund waits to be sent': [
    [payin, refund(10_000n, { state: 'pending' })],
    '100 0 0 100 0 0 0 returned_to_buyer refund_owed',
  ],
  'a refund is under way, another waits': [
    [payin, refund(6_000n), refund(4_000n, { state: 'pending' })],
    '100 0 0 40 60 0 0 returned_to_buyer refund_owed',
  ],
  'a refund is under way': [
    [payin, refund(4_000n, { state: 'denied' })],
    '100 60 0 0 40 0 0 received refund_ordered',
  ],
  'a refund completed': [
    [payin, refund(10_000n, { end: 'completed' })],
    '100 0 0 0 0 100 0 returned_to_buyer refunded',
  ],
  'a refund was refused: a person must see it': [
    [payin, refund(6_000n, { state: 'refused' }), refund(4_000n)],
    '100 0 0 60 40 0 0 returned_to_buyer needs_review',
  ],
  'a superseded refund is not owed any more': [
    [payin, refund(6_000n, { state: 'void' })],
    '100 100 0 0 0 0 0 received none',
  ],
  'the partner returned a pay-in': [
    [commandOf('payin', 'in', { end: 'returned', receivedMinor: 10_000n })],
    '100 0 0 0 0 100 0 returned_to_buyer refunded',
  ],
  'a pay-in went back, and the refund that was under way has part of it': [
    [commandOf('payin', 'in', { end: 'returned', receivedMinor: 10_000n }), refund(4_000n)],
    '100 0 0 0 40 60 0 returned_to_buyer refund_ordered',
  ],
  'a pay-in went back after its payout: the house loses it': [
    [
      commandOf('payin', 'in', { end: 'returned', receivedMinor: 10_000n }),
      payout({ end: 'completed' }),
    ],
    '100 0 100 0 0 100 100 paid refunded',
  ],
  'payout and refund both went out: the house loses one': [
    [payin, payout({ end: 'completed' }), refund(10_000n, { end: 'completed' })],
    '100 0 100 0 0 100 100 paid refunded',
  ],
};

for (const [name, [commands, expected]] of Object.entries(scenes)) {
  test(`funds: ${name}`, () => {
    const funds = fundsOf(sampleFunds, commands);
    const [received, ...parts] = amounts(commands);
    const hundreds = [received, ...parts].map((amount) => Number(amount) / 100);
    assert.equal([...hundreds, funds.position, funds.refund].join(' '), expected);
    assert.ok(Object.isFrozen(funds));
    const loss = parts.pop() ?? 0n;
    const sum = parts.reduce((total, part) => total + part, 0n);
    assert.equal(sum, (received ?? 0n) + loss);
  });
}

test('every position and refund state comes about', () => {
  const words = Object.values(scenes).map(([, expected]) => expected.split(' '));
  assert.deepEqual(new Set(words.map((row) => row.at(-2))), new Set(positions));
  assert.deepEqual(new Set(words.map((row) => row.at(-1))), new Set(refundStates));
});

test('a pay-in or a payout in review leaves the position to a person; a refund does not', () => {
  for (const [kind, position] of [
    ['payin', 'needs_review'],
    ['payout', 'needs_review'],
    ['refund', 'received'],
  ] as const) {
    const reviewed = commandOf(kind, 'one', { review: '{}', state: 'void' });
    assert.equal(fundsOf(sampleFunds, [payin, reviewed]).position, position, kind);
  }
});

test('a pay-in can refund what its refunds have not taken, and nothing once it is returned', () => {
  const other = completedPayin('in_2', 5_000n);
  const taken = ['pending', 'sent', 'unknown', 'denied', 'done', 'refused'] as const;
  for (const state of taken) {
    const commands = [payin, other, refund(4_000n, { state })];
    assert.equal(refundableMinor(payin, commands), 6_000n, state);
    assert.equal(refundableMinor(other, commands), 5_000n, state);
  }
  assert.equal(refundableMinor(payin, [payin, refund(4_000n, { state: 'void' })]), 10_000n);
  assert.equal(refundableMinor({ ...payin, end: 'returned' }, [payin]), 0n);
});

test('what a refund of a returned pay-in frees later went back with it', () => {
  const back = commandOf('payin', 'in', { end: 'returned', receivedMinor: 10_000n });
  for (const [state, end, refundedMinor] of [
    ['unknown', 'open', 6_000n],
    ['done', 'completed', 10_000n],
    ['void', 'open', 10_000n],
  ] as const) {
    const commands = [back, refund(4_000n, { state, end })];
    assert.equal(fundsOf(sampleFunds, commands).refundedMinor, refundedMinor, state);
  }
});

test('two rows say the same where position, refund state and amounts are equal', () => {
  const funds = fundsOf(sampleFunds, [payin]);
  assert.equal(sameFunds(funds, { ...funds, version: 9 }), true);
  const others: readonly Partial<Funds>[] = [
    { position: 'needs_review' },
    { refund: 'needs_review' },
    ...fundsAmounts.map((name) => ({ [name]: funds[name] + 1n })),
  ];
  for (const other of others) assert.equal(sameFunds(funds, { ...funds, ...other }), false);
});

// What is posted when commands change, and what the accounts hold then.

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
