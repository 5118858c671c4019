// Where the money of a payment is, by its orders to the partner.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Funds,
  fundsAmounts,
  fundsOf,
  heldMinor,
  type Position,
  positions,
  type RefundState,
  refundableMinor,
  refundStates,
  sameFunds,
  stageOf,
} from '../../../core/domain/funds.js';
import type { CommandState, MoneyCommand, OrderEnd } from '../../../core/domain/partner-command.js';
import { commandIn, completedPayin, orderOf, sampleFunds } from '../../support/sample-rows.js';

type Stage = ReturnType<typeof stageOf>;

const ends = ['open', 'completed', 'failed', 'returned'] as const;

const payin = completedPayin('in', 10_000n);
const payout = (fields: Partial<MoneyCommand> = {}) => orderOf('payout', 'out', fields);
const refund = (amountMinor: bigint, fields: Partial<MoneyCommand> = {}) =>
  orderOf('refund', `back_${amountMinor}`, { amountMinor, ...fields });

/** Of an order that was accepted by its end, of any other by its state alone. */
const meaning: Record<
  'payout' | 'refund',
  Record<Exclude<CommandState, 'done'> | `done ${OrderEnd}`, Stage>
> = {
  payout: {
    pending: 'planned',
    sent: 'moving',
    unknown: 'moving',
    denied: 'moving',
    'done open': 'moving',
    'done completed': 'moved',
    'done failed': 'unreturned',
    'done returned': 'none',
    refused: 'none',
    void: 'none',
  },
  refund: {
    pending: 'planned',
    sent: 'moving',
    unknown: 'moving',
    denied: 'moving',
    'done open': 'moving',
    'done completed': 'moved',
    'done failed': 'owed',
    'done returned': 'owed',
    refused: 'owed',
    void: 'none',
  },
};

for (const kind of ['payout', 'refund'] as const) {
  test(`what a ${kind} means for its money is as the table says, in every state and end`, () => {
    for (const state of Object.keys(commandIn) as CommandState[]) {
      for (const end of ends) {
        const name = state === 'done' ? (`done ${end}` as const) : state;
        const order = orderOf(kind, 'one', { state, end });
        assert.equal(stageOf(order), meaning[kind][name], `${name} (${end})`);
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
function amounts(orders: readonly MoneyCommand[]): readonly bigint[] {
  const funds = fundsOf(sampleFunds, orders);
  const { receivedMinor, payoutMinor, refundOwedMinor, refundOrderedMinor } = funds;
  return [
    ...[receivedMinor, heldMinor(funds), payoutMinor],
    ...[refundOwedMinor, refundOrderedMinor, funds.refundedMinor, funds.lossMinor],
  ];
}

/** What the money of one payment comes to, in words. */
const scenes: readonly (readonly [
  name: string,
  orders: readonly MoneyCommand[],
  amounts: readonly bigint[],
  position: Position,
  refund: RefundState,
])[] = [
  ['no order', [], [0n, 0n, 0n, 0n, 0n, 0n, 0n], 'none', 'none'],
  [
    'a pay-in is ordered',
    [orderOf('payin', 'in', { state: 'pending' })],
    [0n, 0n, 0n, 0n, 0n, 0n, 0n],
    'expected',
    'none',
  ],
  [
    'a pay-in failed without money',
    [orderOf('payin', 'in', { end: 'failed' })],
    [0n, 0n, 0n, 0n, 0n, 0n, 0n],
    'none',
    'none',
  ],
  [
    'part arrived of a pay-in that is open',
    [orderOf('payin', 'in', { receivedMinor: 4_000n })],
    [4_000n, 4_000n, 0n, 0n, 0n, 0n, 0n],
    'received',
    'none',
  ],
  [
    'all arrived and the payout was not sent',
    [payin, payout({ state: 'pending' })],
    [10_000n, 10_000n, 0n, 0n, 0n, 0n, 0n],
    'received',
    'none',
  ],
  [
    'the payout is under way',
    [payin, payout({ state: 'unknown' })],
    [10_000n, 0n, 10_000n, 0n, 0n, 0n, 0n],
    'payout_ordered',
    'none',
  ],
  [
    'the payout completed',
    [payin, payout({ end: 'completed' })],
    [10_000n, 0n, 10_000n, 0n, 0n, 0n, 0n],
    'paid',
    'none',
  ],
  [
    'the payout failed: a person must find its money',
    [payin, payout({ end: 'failed' })],
    [10_000n, 0n, 10_000n, 0n, 0n, 0n, 0n],
    'needs_review',
    'none',
  ],
  [
    'the payout came back',
    [payin, payout({ end: 'returned' })],
    [10_000n, 10_000n, 0n, 0n, 0n, 0n, 0n],
    'received',
    'none',
  ],
  [
    'two pay-ins count together',
    [payin, completedPayin('in_2', 7_000n)],
    [17_000n, 17_000n, 0n, 0n, 0n, 0n, 0n],
    'received',
    'none',
  ],
  [
    'a refund waits to be sent',
    [payin, refund(10_000n, { state: 'pending' })],
    [10_000n, 0n, 0n, 10_000n, 0n, 0n, 0n],
    'returned_to_buyer',
    'refund_owed',
  ],
  [
    'a refund is under way, another waits',
    [payin, refund(6_000n), refund(4_000n, { state: 'pending' })],
    [10_000n, 0n, 0n, 4_000n, 6_000n, 0n, 0n],
    'returned_to_buyer',
    'refund_owed',
  ],
  [
    'a refund is under way',
    [payin, refund(4_000n, { state: 'denied' })],
    [10_000n, 6_000n, 0n, 0n, 4_000n, 0n, 0n],
    'received',
    'refund_ordered',
  ],
  [
    'a refund completed',
    [payin, refund(10_000n, { end: 'completed' })],
    [10_000n, 0n, 0n, 0n, 0n, 10_000n, 0n],
    'returned_to_buyer',
    'refunded',
  ],
  [
    'a refund was refused: a person must see it',
    [payin, refund(6_000n, { state: 'refused' }), refund(4_000n)],
    [10_000n, 0n, 0n, 6_000n, 4_000n, 0n, 0n],
    'returned_to_buyer',
    'needs_review',
  ],
  [
    'a superseded refund is not owed any more',
    [payin, refund(6_000n, { state: 'void' })],
    [10_000n, 10_000n, 0n, 0n, 0n, 0n, 0n],
    'received',
    'none',
  ],
  [
    'a pay-in went back by itself',
    [orderOf('payin', 'in', { end: 'returned', receivedMinor: 10_000n })],
    [10_000n, 0n, 0n, 0n, 0n, 10_000n, 0n],
    'returned_to_buyer',
    'refunded',
  ],
  [
    'a pay-in went back, and the refund that was under way has part of it',
    [orderOf('payin', 'in', { end: 'returned', receivedMinor: 10_000n }), refund(4_000n)],
    [10_000n, 0n, 0n, 0n, 4_000n, 6_000n, 0n],
    'returned_to_buyer',
    'refund_ordered',
  ],
  [
    'a pay-in went back after its payout: the house loses it',
    [
      orderOf('payin', 'in', { end: 'returned', receivedMinor: 10_000n }),
      payout({ end: 'completed' }),
    ],
    [10_000n, 0n, 10_000n, 0n, 0n, 10_000n, 10_000n],
    'paid',
    'refunded',
  ],
  [
    'payout and refund both went out: the house loses one',
    [payin, payout({ end: 'completed' }), refund(10_000n, { end: 'completed' })],
    [10_000n, 0n, 10_000n, 0n, 0n, 10_000n, 10_000n],
    'paid',
    'refunded',
  ],
];

for (const [name, orders, expected, position, refundState] of scenes) {
  test(`funds: ${name}`, () => {
    const funds = fundsOf(sampleFunds, orders);
    assert.deepEqual(amounts(orders), expected);
    assert.deepEqual([funds.position, funds.refund], [position, refundState]);
    assert.ok(Object.isFrozen(funds));
    const [received = 0n, ...parts] = expected;
    const loss = parts.pop() ?? 0n;
    assert.equal(
      parts.reduce((sum, part) => sum + part, 0n),
      received + loss,
    );
  });
}

test('every position and refund state comes about', () => {
  assert.deepEqual(new Set(scenes.map(([, , , position]) => position)), new Set(positions));
  assert.deepEqual(
    new Set(scenes.map(([, , , , refundState]) => refundState)),
    new Set(refundStates),
  );
});

test('a pay-in or a payout in review leaves the position to a person; a refund does not', () => {
  for (const [kind, position] of [
    ['payin', 'needs_review'],
    ['payout', 'needs_review'],
    ['refund', 'received'],
  ] as const) {
    const reviewed = orderOf(kind, 'one', { review: '{}', state: 'void' });
    assert.equal(fundsOf(sampleFunds, [payin, reviewed]).position, position, kind);
  }
});

test('a pay-in can refund what its refunds have not taken, and nothing once it is returned', () => {
  const other = completedPayin('in_2', 5_000n);
  const taken = ['pending', 'sent', 'unknown', 'denied', 'done', 'refused'] as const;
  for (const state of taken) {
    const orders = [payin, other, refund(4_000n, { state })];
    assert.equal(refundableMinor(payin, orders), 6_000n, state);
    assert.equal(refundableMinor(other, orders), 5_000n, state);
  }
  assert.equal(refundableMinor(payin, [payin, refund(4_000n, { state: 'void' })]), 10_000n);
  assert.equal(refundableMinor({ ...payin, end: 'returned' }, [payin]), 0n);
});

test('what a refund of a returned pay-in frees later went back with it', () => {
  const back = orderOf('payin', 'in', { end: 'returned', receivedMinor: 10_000n });
  for (const [state, end, refundedMinor] of [
    ['unknown', 'open', 6_000n],
    ['done', 'completed', 10_000n],
    ['void', 'open', 10_000n],
  ] as const) {
    const orders = [back, refund(4_000n, { state, end })];
    assert.equal(fundsOf(sampleFunds, orders).refundedMinor, refundedMinor, state);
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
