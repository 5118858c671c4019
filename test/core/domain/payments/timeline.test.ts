// The order of a timeline and where its pages begin.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CommandEnd, CommandState } from '../../../../core/domain/commands/partner-command.js';
import { eventTypes, moneyEvents, reportedStatus } from '../../../../core/domain/payments/event.js';
import { paymentStatuses } from '../../../../core/domain/payments/payment.js';
import {
  beginOf,
  type CommandOutcome,
  compareEntries,
  decodeCursor,
  encodeCursor,
  outcomeOf,
  type TimelineCursor,
  timelineKinds,
} from '../../../../core/domain/payments/timeline.js';
import { sampleCommand } from '../../../support/samples/sample-rows.js';

const places: fc.Arbitrary<TimelineCursor> = fc.record({
  atMs: fc.integer({ min: 0, max: 3 }),
  kind: fc.constantFrom(...timelineKinds),
  tie: fc.constantFrom('', 'a_0', 'a_1', 'a_2'),
});

test('a cause stands before what follows from it, where both are of one moment', () => {
  const entries = timelineKinds.toReversed().map((kind) => ({ atMs: 5, kind, tie: '' }));
  assert.deepEqual(
    [{ atMs: 6, kind: 'created' as const, tie: '' }, ...entries]
      .toSorted(compareEntries)
      .map(({ atMs, kind }) => `${atMs} ${kind}`),
    [
      '5 created',
      '5 limit_reached',
      '5 approval_lost',
      '5 question',
      '5 colleague_approval',
      '5 partner_command',
      '5 partner_call',
      '5 partner_outcome',
      '5 money',
      '5 status',
      '5 delivery',
      '5 attempt',
      '6 created',
    ],
  );
});

test('law: entries behind a place are exactly those that its page begins with', () => {
  fc.assert(
    fc.property(places, fc.option(places), (entry, place) => {
      const { fromMs, afterTie } = beginOf(entry.kind, place);
      const { atMs, tie } = entry;
      // An entry without a tie is alone of its kind; those that are sought by it have one.
      fc.pre(tie !== '');
      const begun = atMs > fromMs || (atMs === fromMs && tie > afterTie);
      assert.equal(begun, place === null || compareEntries(entry, place) > 0);
    }),
  );
});

test('law: a place is read as it was written', () => {
  fc.assert(
    fc.property(places, (place) =>
      assert.deepEqual(decodeCursor(encodeCursor(place)), { ...place }),
    ),
  );
});

/** Events without a status. */
const toldOtherwise: readonly string[] = ['created', 'question_asked', ...moneyEvents];

test('every other event of a payment has the new status', () => {
  const ofPayments = eventTypes.filter((type) => /^(payment_intent|invoice)\./.test(type));
  for (const type of ofPayments) {
    const suffix = type.slice(type.indexOf('.') + 1);
    const moved = suffix === 'buyer_kyc_rejected' ? 'failed' : suffix;
    const expected = toldOtherwise.includes(suffix) ? null : moved;
    assert.equal(reportedStatus(type), expected, type);
    assert.ok(expected === null || paymentStatuses.some((status) => status === expected));
  }
});

const outcomes: Readonly<
  Record<CommandState, Readonly<Record<CommandEnd, CommandOutcome | null>>>
> = {
  pending: ended(null),
  sent: ended(null),
  unknown: ended('in_doubt'),
  denied: ended('in_doubt'),
  done: ended(null),
  refused: ended('refused'),
  void: ended('withdrawn'),
};

function ended(open: CommandOutcome | null) {
  return { open, completed: 'completed', failed: 'failed', returned: 'returned' } as const;
}

for (const [state, row] of Object.entries(outcomes)) {
  test(`the partner's report of a ${state} command takes precedence over our state`, () => {
    for (const [end, outcome] of Object.entries(row)) {
      const command = { ...sampleCommand, state: state as CommandState, end: end as CommandEnd };
      assert.equal(outcomeOf(command), outcome);
    }
  });
}
