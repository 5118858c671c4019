// Events about refunds to the buyer, and alerts for a person.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAmount } from '../../../../core/domain/base/money.js';
import type { MoneyCommand } from '../../../../core/domain/commands/partner-command.js';
import type { EventAmounts } from '../../../../core/domain/payments/event.js';
import { commandOf, START_MS } from '../../../support/samples/sample-rows.js';
import {
  confirmed,
  MoneyScene,
  payin,
  paying,
  payout,
  settled,
} from '../../../support/scenes/money-scene.js';

const refund = (fields: Partial<MoneyCommand> = {}) =>
  commandOf('refund', 'back', { amountMinor: 4_000n, ...fields });
const unsent = { state: 'pending', partnerRef: null, lastSentAtMs: null } as const;
const returned = { end: 'returned', receivedMinor: 10_000n } as const;

const waits = MoneyScene.at('on_ramp_pending', [commandOf('payin', 'in')]);
const was = (fields: Partial<MoneyCommand>) =>
  MoneyScene.at('settled', [
    payin,
    commandOf('payout', 'out', { amountMinor: 6_000n }),
    refund(fields),
  ]);
const alone = (fields: Partial<MoneyCommand>) =>
  MoneyScene.at('cancelled', [payin, refund(fields)]);

/** What happens to a refund of 40.00, and the event: its name and how much it is about. */
const refunds: Readonly<Record<string, readonly [next: MoneyScene, event: string | null]>> = {
  'sent for the first time': [was(unsent).send('back'), 'refund_ordered 4000'],
  'sent once more': [was({ ...unsent, lastSentAtMs: START_MS }).send('back'), null],
  'in doubt': [was({ state: 'sent' }).changed([refund({ state: 'unknown' })]), null],
  accepted: [was({ state: 'sent' }).report('back', { end: 'open' }), null],
  completed: [was({}).report('back', { end: 'completed' }), 'refunded 4000'],
  'completed twice': [was({ end: 'completed' }).report('back', { end: 'completed' }), null],
  'completed before we sent it': [
    was(unsent).report('back', { end: 'completed' }),
    'refunded 4000',
  ],
  failed: [was({}).report('back', { end: 'failed' }), 'refund_failed 4000'],
  'failed, as it was known': [
    was({ state: 'refused', end: 'failed' }).report('back', { end: 'failed' }),
    null,
  ],
  refused: [was({ state: 'denied' }).changed([refund({ state: 'refused' })]), 'refund_failed 4000'],
  'refused before any call': [
    was(unsent).changed([refund({ state: 'refused' })]),
    'refund_failed 4000',
  ],
  bounced: [
    was({ end: 'completed' }).report('back', { end: 'failed', polled: true }),
    'refund_failed 4000',
  ],
  superseded: [was({ state: 'refused' }).changed([refund({ state: 'void' })]), null],
  'completed although it was superseded': [
    was({ state: 'void', end: 'failed' }).report('back', { end: 'completed', polled: true }),
    'refunded 4000',
  ],
  'withdrawn: its pay-in went back': [alone(unsent).report('in', returned), 'refunded 10000'],
  'under way: the rest went back': [alone({}).report('in', returned), 'refunded 6000'],
  'failed after the rest went back': [
    MoneyScene.at('cancelled', [{ ...payin, end: 'returned' }, refund()]).report('back', {
      end: 'failed',
    }),
    'refunded 4000',
  ],
};

for (const [name, [{ change }, event]] of Object.entries(refunds)) {
  test(`a refund that is ${name} has the event ${event ?? 'none'}`, () => {
    assert.deepEqual(
      change.events.map(
        ({ type, amounts }) =>
          `${type} ${amounts?.refundAmount?.amountMinor} ${amounts?.refundAmount?.currency}`,
      ),
      event === null ? [] : [`payment_intent.${event} USD`, `invoice.${event} USD`],
    );
  });
}

test('the refund of an invoice has an event in the namespace of invoices only', () => {
  const invoice = MoneyScene.at('cancelled', [payin, refund()], { id: 'inv_1', origin: 'invoice' });
  assert.deepEqual(invoice.report('back', { end: 'completed' }).events(), ['invoice.refunded']);
});

test('an event about a refund carries the payment as it is then', () => {
  const paying = MoneyScene.at('on_ramp_pending', [commandOf('payin', 'in')]);
  const { events } = paying.report('in', returned).change;
  assert.deepEqual(
    events.map(({ type, payment }) => `${type} ${payment.status}`),
    [
      'payment_intent.failed failed',
      'invoice.failed failed',
      'payment_intent.refunded failed',
      'invoice.refunded failed',
    ],
  );
});

/** Reports about a pay-in of 100.00, and the amounts of the event. */
const arrivals: Readonly<Record<string, readonly [next: MoneyScene, reported: string | null]>> = {
  'a part of it arrives': [waits.report('in', { receivedMinor: 9_900n }), '99.00, missing 1.00'],
  'the same is reported again': [
    waits.report('in', { receivedMinor: 9_900n }).report('in', { receivedMinor: 9_900n }),
    null,
  ],
  'another part arrives': [
    waits.report('in', { receivedMinor: 5_000n }).report('in', { receivedMinor: 9_900n }),
    '99.00, missing 1.00',
  ],
  'too much arrives, not yet confirmed': [
    waits.report('in', { receivedMinor: 10_500n }),
    '105.00, surplus 5.00',
  ],
  'all of it is confirmed, with an event of the status': [
    waits.report('in', { receivedMinor: 10_000n, end: 'completed' }),
    null,
  ],
  'it arrives after the cancel': [
    MoneyScene.at('cancelled', [commandOf('payin', 'in')]).report('in', {
      receivedMinor: 10_000n,
      end: 'completed',
    }),
    '100.00',
  ],
};

for (const [name, [{ change }, reported]] of Object.entries(arrivals)) {
  test(`funds_changed when ${name}: ${reported ?? 'none'}`, () => {
    const events = change.events.filter(({ type }) => type.endsWith('.funds_changed'));
    const types = ['payment_intent.funds_changed', 'invoice.funds_changed'];
    assert.deepEqual(
      events.map(({ type, amounts }) => `${type} ${textOf(amounts)}`),
      reported === null ? [] : types.map((type) => `${type} ${reported}`),
    );
  });
}

function textOf(amounts: EventAmounts = {}): string {
  const { received, missing, surplus } = amounts;
  const parts = Object.entries({ missing, surplus })
    .filter(([, money]) => money?.amountMinor !== 0n)
    .map(([name, money]) => `, ${name} ${formatAmount(money?.amountMinor ?? -1n)}`);
  return `${formatAmount(received?.amountMinor ?? -1n)}${parts.join('')}`;
}

const lost = 'more left than arrived: the loss is 10000 minor units so far';
const unknown = 'the position of the money is unknown';
const debt = 'a refund was refused or failed: the buyer must be paid back by hand';
const late = 'payout completed although the payment is failed';
const cameBack = 'a payout came back after it was paid';
const chargedBack = 'a pay-in went back to the buyer although its payout was sent';

const verified = MoneyScene.at('on_ramp_pending', [commandOf('payin', 'in')], {
  payer: { verified: { name: 'Acme Inc.', country: 'US' }, told: [] },
});
const otherPayer = 'the bank names another payer than the one that was verified';

/** Part of the money arrives, and the bank writes this name. */
function from(name: string, receivedMinor = 100n) {
  const payer = { name, bank: null, texts: [], trace: null };
  return [{ receivedMinor }, { payer }] as const;
}

/** What happens, and the alerts for a person, each once. */
const alerts: Readonly<Record<string, readonly [next: MoneyScene, ...alerts: string[]]>> = {
  'a payout failed': [paying.report('out', { end: 'failed' }), unknown],
  'a failed payout failed, as it was known': [
    MoneyScene.at('failed', [payin, payout({ end: 'failed' })]).report('out', { end: 'failed' }),
  ],
  'a report is held for review': [paying.changed([payout({ review: '{}' })]), unknown],
  'a refund failed': [alone({}).report('back', { end: 'failed' }), debt],
  'a second refund failed': [
    MoneyScene.at('cancelled', [
      payin,
      refund({ state: 'refused' }),
      commandOf('refund', 'other', { amountMinor: 6_000n }),
    ]).report('other', { end: 'failed' }),
    debt,
  ],
  'a failed refund failed, as it was known': [
    alone({ state: 'refused', end: 'failed' }).report('back', { end: 'failed' }),
  ],
  'a payout completed in time': [paying.report('out', { end: 'completed' })],
  'a payout completed after the payment failed': [
    MoneyScene.at('failed', [payin, payout()]).report('out', { end: 'completed' }),
    late,
  ],
  'a payout completed that was taken for never sent when its payment was cancelled': [
    MoneyScene.at('cancelled', [
      payin,
      payout({ state: 'void' }),
      refund({ ...unsent, amount: payin.amount }),
    ]).report('out', { end: 'completed' }),
    'payout completed although the payment is cancelled',
  ],
  'another payer is named, told once': [verified.report('in', ...from('OTHER LTD')), otherPayer],
  'the same other payer is named again': [
    verified.report('in', ...from('OTHER LTD')).report('in', ...from('OTHER LTD', 200n)),
  ],
  'the verified payer is named': [verified.report('in', ...from('ACME INC'))],
  'a payout came back in time': [paying.report('out', { end: 'returned' })],
  'a payout came back after it was paid': [settled.report('out', { end: 'returned' }), cameBack],
  'a payout completed after its refund': [
    MoneyScene.at('failed', [
      payin,
      payout({ end: 'returned' }),
      refund({ end: 'completed', amount: payin.amount }),
    ]).report('out', { end: 'completed', polled: true }),
    lost,
    late,
  ],
  'a pay-in went back before the payout': [confirmed.report('in', returned)],
  'a pay-in went back after the payout': [settled.report('in', returned), lost, chargedBack],
};

for (const [name, [{ change }, ...expected]] of Object.entries(alerts)) {
  test(`alerts: ${name}`, () => assert.deepEqual(change.alerts, expected));
}
