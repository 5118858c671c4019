// What pay-ins bring to their payment: more or less than asked, late, and several of them; and
// which of them a refund gives back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandEnd, MoneyCommand } from '../../../../core/domain/commands/partner-command.js';
import { commandOf, completedPayin } from '../../../support/samples/sample-rows.js';
import {
  confirmed,
  MoneyScene,
  payin,
  paying,
  payout,
  refund,
  settled,
  unsent,
} from '../../../support/scenes/money-scene.js';

const all = { receivedMinor: 10_000n } as const;

test('a surplus is owed back immediately, before and after the payout', () => {
  const early = MoneyScene.at('on_ramp_pending', [commandOf('payin', 'in')]).report('in', {
    receivedMinor: 10_070n,
  });
  assert.deepEqual(
    [early.payment.status, early.drafts()],
    ['on_ramp_pending', ['refund 70 of in']],
  );
  assert.deepEqual(early.amounts(), [10_070n, 10_000n, 0n, 70n, 0n, 0n, 0n]);
  const done = early.report('in', { end: 'completed', receivedMinor: 10_100n });
  assert.deepEqual(done.drafts(), ['payout 10000', 'refund 30 of in']);
  for (const scene of [confirmed, paying, settled, MoneyScene.at('failed', [payin, payout()])]) {
    const late = scene.report('in', { end: 'completed', receivedMinor: 10_030n });
    assert.equal(late.payment.status, scene.payment.status);
    assert.deepEqual(late.drafts(), ['refund 30 of in'], scene.payment.status);
  }
});

test('money that arrives for an ended payment is owed back immediately', () => {
  for (const status of ['cancelled', 'expired', 'failed'] as const) {
    for (const end of ['open', 'completed', 'failed'] as const) {
      const was = MoneyScene.at(status, [commandOf('payin', 'in')]);
      const next = was.report('in', { end, receivedMinor: 2_500n });
      assert.equal(next.payment.status, status);
      assert.deepEqual(next.events(), ['payment_intent.funds_changed', 'invoice.funds_changed']);
      assert.deepEqual(next.amounts(), [2_500n, 0n, 0n, 2_500n, 0n, 0n, 0n]);
      assert.deepEqual(next.drafts(), ['refund 2500 of in']);
      const again = next.report('in', { end, receivedMinor: 2_500n });
      assert.deepEqual([again.drafts(), again.postings()], [[], []], 'reported twice');
    }
  }
});

/** Reports of two pay-ins in this sequence, and where they lead a payment that waits for both. */
const twoPayins: Readonly<
  Record<string, readonly [reports: string, outcome: string, ordered: readonly string[]]>
> = {
  'both complete': [
    'in completed 10000, in_2 completed 10000',
    'on_chain_confirmed, 10000 held',
    ['payout 10000', 'refund 10000 of in_2'],
  ],
  'one completes short and the other tops it up': [
    'in completed 6000, in_2 completed 4000',
    'on_chain_confirmed, 10000 held',
    ['payout 10000'],
  ],
  'neither completes, both received money': [
    'in open 6000, in_2 open 6000',
    'on_ramp_pending, 10000 held',
    ['refund 2000 of in_2'],
  ],
  'one fails and the other completes': [
    'in failed 0, in_2 completed 10000',
    'on_chain_confirmed, 10000 held',
    ['payout 10000'],
  ],
  'one completes short and the other fails': [
    'in completed 6000, in_2 failed 0',
    'on_ramp_pending, 6000 held',
    [],
  ],
  'both fail': ['in failed 0, in_2 failed 0', 'failed, 0 held', []],
  'one goes back and the other completes': [
    'in open 10000, in returned 10000, in_2 completed 10000',
    'on_chain_confirmed, 10000 held',
    ['payout 10000'],
  ],
  'one completes short and goes back: it confirms nothing any more': [
    'in completed 6000, in returned 6000, in_2 completed 4000',
    'on_ramp_pending, 4000 held',
    [],
  ],
  'both complete over': [
    'in completed 12000, in_2 completed 3000',
    'on_chain_confirmed, 10000 held',
    ['payout 10000', 'refund 2000 of in', 'refund 3000 of in_2'],
  ],
};

for (const [name, [reports, outcome, ordered]] of Object.entries(twoPayins)) {
  test(`two pay-ins of one payment: ${name}`, () => {
    const payins = [commandOf('payin', 'in'), commandOf('payin', 'in_2')];
    let scene = MoneyScene.at('on_ramp_pending', payins);
    const drafts: string[] = [];
    for (const [id = '', end, minor = ''] of reports.split(', ').map((one) => one.split(' '))) {
      scene = scene.report(id, { end: end as CommandEnd, receivedMinor: BigInt(minor) });
      drafts.push(...scene.drafts());
    }
    assert.equal(`${scene.payment.status}, ${scene.amounts()[1]} held`, outcome);
    assert.deepEqual(drafts, ordered);
  });
}

test('money that is promised back is not paid out', () => {
  const payins = [commandOf('payin', 'in'), commandOf('payin', 'in_2')];
  const both = MoneyScene.at('on_ramp_pending', payins)
    .report('in', { receivedMinor: 10_000n })
    .report('in_2', { receivedMinor: 10_000n });
  assert.deepEqual(both.drafts(), ['refund 10000 of in_2']);
  const gone = both.send('refund_1').report('in', { ...all, end: 'returned' });
  const next = gone.report('in_2', { ...all, end: 'completed' });
  assert.deepEqual([next.payment.status, next.drafts()], ['failed', []]);
  assert.deepEqual(next.amounts(), [20_000n, 0n, 0n, 0n, 10_000n, 10_000n, 0n]);
});

test('a refund that was not sent is withdrawn where the payout needs its money', () => {
  const payins = [commandOf('payin', 'in'), commandOf('payin', 'in_2')];
  const twice = { receivedMinor: 20_000n } as const;
  const both = MoneyScene.at('on_ramp_pending', payins)
    .report('in_2', { ...twice, end: 'completed' })
    .report('in', twice);
  assert.deepEqual(both.drafts(), ['refund 10000 of in_2', 'refund 10000 of in']);
  const gone = both.send('refund_3').report('in', { ...twice, end: 'returned' });
  const refunds = ['refund_1 pending', 'refund_2 void', 'refund_3 sent'];
  assert.deepEqual(gone.standing().slice(2), ['payout_1 pending', ...refunds]);
  assert.deepEqual([gone.payment.status, gone.drafts()], ['on_chain_confirmed', []]);
  assert.deepEqual(gone.amounts(), [40_000n, 10_000n, 0n, 10_000n, 10_000n, 10_000n, 0n]);
});

test('a covered payment needs no further pay-in: one that was not sent is void', () => {
  const late = commandOf('payin', 'in', { state: 'refused', refusal: 'quote_expired' });
  const next = commandOf('payin', 'in_2', unsent);
  const scene = MoneyScene.at('on_ramp_pending', [late, next]);
  const found = scene.report('in', { ...all, end: 'completed' });
  assert.deepEqual(found.standing(), ['in done/completed', 'in_2 void', 'payout_1 pending']);
});

test('each refund goes against the pay-in that holds the money, the newest first', () => {
  const second = completedPayin('in_2', 6_000n);
  const taken = refund({ payinId: 'in_2', amountMinor: 2_500n });
  const table: readonly (readonly [
    commands: readonly MoneyCommand[],
    drafts: readonly string[],
  ])[] = [
    [
      [completedPayin('in', 6_000n), second],
      ['refund 6000 of in_2', 'refund 6000 of in'],
    ],
    [
      [payin, second, taken],
      ['refund 3500 of in_2', 'refund 10000 of in'],
    ],
    [[payin, { ...second, end: 'returned' }], ['refund 10000 of in']],
    [[payin, second, payout()], ['refund 6000 of in_2']],
    [[payin, second, payout({ amountMinor: 13_000n })], ['refund 3000 of in_2']],
    [
      [payin, second, payout({ amountMinor: 4_000n })],
      ['refund 6000 of in_2', 'refund 6000 of in'],
    ],
  ];
  for (const [commands, drafts] of table) {
    assert.deepEqual(MoneyScene.at('failed', commands).changed([]).drafts(), drafts);
  }
});
