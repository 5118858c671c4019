// How often a command is read at the partner at which age, and when it is late.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { schedules } from '../../../../core/domain/base/schedules.js';
import { pollAgain, reportCommand } from '../../../../core/domain/commands/command-report.js';
import {
  commandKinds,
  type MoneyCommand,
  type PartnerCommand,
} from '../../../../core/domain/commands/partner-command.js';
import {
  isDecisionLate,
  isLate,
  lateFromMs,
  markLate,
} from '../../../../core/domain/commands/poll-plan.js';
import { aPartyCommand } from '../../../support/samples/domain-samples.js';
import { leased, START_MS, sampleCommand } from '../../../support/samples/sample-rows.js';

/** A Thursday. */
const SINCE_MS = Date.UTC(2026, 0, 1, 12);
const FIVE_BUSINESS_DAYS_MS = 7 * DAY_MS;

const fields = {
  ...({ state: 'done', partnerRef: 'partner_1', end: 'open', receivedMinor: 0n } as const),
  createdAtMs: SINCE_MS,
  heldSinceMs: null,
  lateAtMs: null,
  tries: schedules.commandPoll.waitsMs.length,
};

function command(kind: MoneyCommand['kind'], others: Partial<MoneyCommand> = {}): MoneyCommand {
  return { ...leased({ ...sampleCommand, ...fields, kind }, SINCE_MS), ...others };
}

function party(kind: 'submit_buyer' | 'provision_rails'): PartnerCommand {
  return { ...aPartyCommand(), ...fields, kind };
}

const held = command('payin', { heldSinceMs: SINCE_MS });
const short = command('payin', { end: 'completed', receivedMinor: 9_999n });

/** Waits at an age of an hour, two days, ten days and forty days; then the age of the alert. */
const plan: readonly (readonly [
  name: string,
  command: PartnerCommand,
  waits: readonly [number, number, number, number],
  lateMs: number | null,
])[] = (() => {
  const quarter = 15 * MINUTE_MS;
  const transfer = [quarter, 2 * quarter, 6 * HOUR_MS, DAY_MS] as const;
  const payout = [quarter, HOUR_MS, HOUR_MS, HOUR_MS] as const;
  return [
    ['a pay-in', command('payin'), transfer, FIVE_BUSINESS_DAYS_MS],
    ['a pay-in on hold', held, transfer, 30 * DAY_MS],
    ['a short pay-in', short, transfer, FIVE_BUSINESS_DAYS_MS],
    ['a payout', command('payout'), payout, HOUR_MS],
    ['a payout on hold', command('payout', { heldSinceMs: SINCE_MS }), payout, HOUR_MS],
    [
      'a failed payout',
      command('payout', { end: 'failed' }),
      [HOUR_MS, HOUR_MS, HOUR_MS, HOUR_MS],
      null,
    ],
    ['a refund', command('refund'), transfer, FIVE_BUSINESS_DAYS_MS],
    ['a party', party('submit_buyer'), transfer, FIVE_BUSINESS_DAYS_MS],
    [
      'a party that is awaited',
      { ...party('submit_buyer'), heldSinceMs: SINCE_MS },
      transfer,
      null,
    ],
    ['the rails of a seller', party('provision_rails'), transfer, FIVE_BUSINESS_DAYS_MS],
  ] as const;
})();

for (const [name, command, waits, lateMs] of plan) {
  test(`${name} is read and becomes late by its age`, () => {
    const ages = [HOUR_MS, 2 * DAY_MS, 10 * DAY_MS, 40 * DAY_MS];
    // Marked before, so that the next poll is not earlier because of the alert.
    const marked = { ...command, lateAtMs: SINCE_MS };
    const found = ages.map((ageMs) => {
      const nowMs = SINCE_MS + ageMs;
      return (pollAgain(marked, null, nowMs).dueAtMs ?? 0) - nowMs;
    });
    assert.deepEqual(found, waits);
    assert.equal(lateFromMs(command), lateMs === null ? null : SINCE_MS + lateMs);
    if (lateMs === null) return;
    assert.equal(isLate(command, SINCE_MS + lateMs - 1), false);
    assert.equal(isLate(command, SINCE_MS + lateMs), true);
  });
}

test('every kind of command has a plan', () => {
  for (const kind of commandKinds) {
    const command = { ...aPartyCommand(), ...fields, kind } as PartnerCommand;
    assert.notEqual(lateFromMs(command), null, kind);
  }
});

test('a command is marked late once, at its time, and not if it is refused or void', () => {
  const payin = command('payin');
  const lateMs = SINCE_MS + FIVE_BUSINESS_DAYS_MS;
  assert.equal(markLate(payin, lateMs - 1), payin);
  const late = markLate(payin, lateMs);
  assert.equal(late.lateAtMs, lateMs);
  assert.equal(markLate(late, lateMs + DAY_MS), late);
  for (const state of ['refused', 'void'] as const) {
    assert.equal(markLate({ ...payin, state }, lateMs).lateAtMs, null, state);
  }
});

test('the poll at which a command becomes late comes at that time, however long its wait', () => {
  const lateMs = SINCE_MS + FIVE_BUSINESS_DAYS_MS;
  const early = pollAgain(command('payin'), null, lateMs - MINUTE_MS);
  assert.deepEqual([early.dueAtMs, early.lateAtMs], [lateMs, null]);
  const late = pollAgain(early, null, lateMs);
  assert.deepEqual([late.dueAtMs, late.lateAtMs], [lateMs + 6 * HOUR_MS, lateMs]);
});

test('a pay-in of a payment that ended is not late', () => {
  const nowMs = SINCE_MS + 60 * DAY_MS;
  assert.equal(pollAgain(command('payin'), null, nowMs, nowMs - DAY_MS).lateAtMs, null);
});

test('business days are Monday to Friday', () => {
  for (const [since, late] of [
    ['2026-01-01T12:00:00Z', '2026-01-08T12:00:00Z'],
    ['2026-01-02T12:00:00Z', '2026-01-09T12:00:00Z'],
    ['2026-01-03T12:00:00Z', '2026-01-09T12:00:00Z'],
    ['2026-01-04T00:00:00Z', '2026-01-09T00:00:00Z'],
    ['2026-01-05T00:00:00Z', '2026-01-12T00:00:00Z'],
  ] as const) {
    const sinceMs = Date.parse(since);
    assert.equal(lateFromMs(command('payin', { createdAtMs: sinceMs })), Date.parse(late), since);
    assert.equal(isDecisionLate(sinceMs, Date.parse(late) - 1), false, since);
    assert.equal(isDecisionLate(sinceMs, Date.parse(late)), true, since);
  }
});

test('a hold begins and ends by polls alone, and restarts age and alert', () => {
  const report = { partnerRef: 'partner_1', end: 'open', reason: null, refunded: null } as const;
  const say = (command: MoneyCommand, isHeld: boolean, polled: boolean, nowMs: number) =>
    reportCommand(command, { ...report, receivedMinor: 0n, held: isHeld, polled }, nowMs);
  const late = command('payin', { lateAtMs: START_MS });
  assert.equal(say(late, true, false, START_MS).heldSinceMs, null, 'a message may be old');
  const begun = say(late, true, true, START_MS + 1);
  assert.deepEqual([begun.heldSinceMs, begun.lateAtMs], [START_MS + 1, null]);
  const kept = say(begun, true, true, START_MS + 2);
  assert.equal(kept.heldSinceMs, START_MS + 1);
  assert.equal(say(kept, false, false, START_MS + 3).heldSinceMs, START_MS + 1);
  assert.equal(say(kept, false, true, START_MS + 3).heldSinceMs, null);
  const done = reportCommand(
    kept,
    { ...report, end: 'completed', receivedMinor: 10_000n, polled: true },
    START_MS + 4,
  );
  assert.equal(done.end, 'completed');
});
