// What a report of the partner does to its command, and when the partner is asked next.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffMs, schedules } from '../../../../core/domain/base/schedules.js';
import {
  type CommandReport,
  holdForReview,
  pollAgain,
  type ReportEffect,
  reportCommand,
  reportEffect,
  stopPolling,
} from '../../../../core/domain/commands/command-report.js';
import {
  type CommandEnd,
  type CommandState,
  isStuck,
  type MoneyCommand,
} from '../../../../core/domain/commands/partner-command.js';
import { isPayinShort } from '../../../../core/domain/commands/poll-plan.js';
import {
  commandIn,
  leased,
  START_MS,
  sampleCommand,
} from '../../../support/samples/sample-rows.js';

const HOUR_MS = 3_600_000;
const ends = ['open', 'completed', 'failed', 'returned'] as const;
const kinds = ['payin', 'payout', 'refund'] as const;

function reported(command: MoneyCommand, fields: Partial<CommandReport>, nowMs = START_MS) {
  const report = { partnerRef: 'partner_1', end: 'open', reason: null, polled: false } as const;
  const sums = { receivedMinor: 0n, refunded: null };
  return reportCommand(command, { ...report, ...sums, ...fields }, nowMs);
}

/** An accepted command whose end was reported. */
function ended(end: CommandEnd, fields: Partial<MoneyCommand> = {}): MoneyCommand {
  return { ...reported(commandIn.done, { end }), dueAtMs: null, ...fields };
}

/**
 * Rows: the known end. Cells: the effect of a message. An answer to a question applies where a
 * message applies or polls.
 */
const effects: Record<CommandEnd, Record<CommandEnd, ReportEffect>> = {
  open: { open: 'ignore', completed: 'apply', failed: 'apply', returned: 'apply' },
  completed: { open: 'ignore', completed: 'ignore', failed: 'poll', returned: 'poll' },
  failed: { open: 'ignore', completed: 'poll', failed: 'ignore', returned: 'poll' },
  returned: { open: 'ignore', completed: 'poll', failed: 'ignore', returned: 'ignore' },
};

for (const kind of kinds) {
  test(`the end that is known of a ${kind} takes each report as the table says`, () => {
    for (const was of ends) {
      for (const end of ends) {
        for (const asked of [false, true]) {
          const name = `${was} ${end} ${asked ? 'asked' : 'message'}`;
          const ofMessage = effects[was][end];
          const effect = asked && ofMessage === 'poll' ? 'apply' : ofMessage;
          assert.equal(reportEffect(was, end, asked), effect, name);
          const command = ended(was, { kind });
          const next = reported(command, { end, polled: asked }, START_MS + 1);
          assert.deepEqual([next.state, next.end], ['done', effect === 'apply' ? end : was], name);
          if (effect === 'ignore' && !asked) assert.equal(next, command, `${name} is old`);
          if (effect === 'poll')
            assert.equal(next.dueAtMs, START_MS + 1, `${name} is asked at once`);
        }
      }
    }
  });
}

test('a command that is reported exists', () => {
  for (const kind of kinds) {
    for (const state of ['pending', 'sent', 'unknown', 'denied', 'done'] as const) {
      for (const end of ends) {
        const name = `${kind} ${state} ${end}`;
        const command = leased({ ...commandIn[state], kind, partnerRef: null }, START_MS);
        const next = reported(command, { end });
        assert.deepEqual([next.state, next.end, next.partnerRef], ['done', end, 'partner_1'], name);
        if (state === 'done' && end === 'open') continue;
        assert.equal(next.leaseToken, null, `${name}: the answer of a call under way is late now`);
        assert.equal(next.tries, 0, name);
      }
    }
  }
});

test('the partner’s first id is stored', () => {
  assert.equal(reported(sampleCommand, { partnerRef: 'partner_9' }).partnerRef, 'partner_9');
  assert.equal(reported(commandIn.done, { partnerRef: 'partner_9' }).partnerRef, 'partner_1');
});

/** The state of a command that had ended here without one, by what is reported of it. */
const revivals: Record<(typeof kinds)[number], Record<CommandEnd, 'done' | 'stays'>> = {
  payin: { open: 'done', completed: 'done', failed: 'stays', returned: 'stays' },
  // Only the partner knows where the money of a payout is that failed.
  payout: { open: 'done', completed: 'done', failed: 'done', returned: 'done' },
  refund: { open: 'done', completed: 'done', failed: 'stays', returned: 'stays' },
};

for (const kind of kinds) {
  test(`a ${kind} that was refused or voided and exists after all is revived as the table says`, () => {
    for (const state of ['refused', 'void'] as const) {
      for (const end of ends) {
        const command = { ...commandIn[state], kind, partnerRef: null };
        const next = reported(command, { end });
        const expected: CommandState = revivals[kind][end] === 'done' ? 'done' : state;
        assert.deepEqual([next.state, next.end], [expected, end], `${state} ${end}`);
        assert.equal(next.partnerRef, 'partner_1');
      }
    }
  });
}

test('amounts of a pay-in grow, after its end by an answer to a poll, and only a return lowers them', () => {
  const report = fc.record({
    end: fc.constantFrom(...ends),
    polled: fc.boolean(),
    // So few that equal totals occur.
    receivedMinor: fc.bigInt({ min: 0n, max: 20n }),
  });
  fc.assert(
    fc.property(fc.array(report), (reports) => {
      let command: MoneyCommand = { ...commandIn.done, kind: 'payin' };
      let [received, confirmed] = [0n, 0n];
      for (const next of reports) {
        const isReturned = next.end === 'returned' && next.receivedMinor > 0n;
        const isLess = isReturned && next.receivedMinor < received;
        const counts = next.polled || (command.end === 'open' && !isLess);
        command = reported(command, next);
        if (!counts) {
          const isMore = next.receivedMinor > received;
          if (isMore || isLess)
            assert.equal(command.dueAtMs, START_MS, 'the partner is asked at once');
          assert.deepEqual([command.receivedMinor, command.confirmedMinor], [received, confirmed]);
          continue;
        }
        if (isReturned || next.receivedMinor > received) received = next.receivedMinor;
        if (isReturned) confirmed = 0n;
        if (next.end === 'completed' && next.receivedMinor > confirmed) {
          confirmed = next.receivedMinor;
        }
        assert.deepEqual([command.receivedMinor, command.confirmedMinor], [received, confirmed]);
      }
    }),
  );
});

test('a return lowers the total, unless a person overruled it or the partner does not say', () => {
  const command = ended('completed', { kind: 'payin', receivedMinor: 6_551n });
  const after = (receivedMinor: bigint, overruled: CommandEnd | null) =>
    reported({ ...command, overruled }, { end: 'returned', receivedMinor, polled: true })
      .receivedMinor;
  assert.equal(after(6_521n, null), 6_521n);
  assert.equal(after(6_521n, 'returned'), 6_551n);
  assert.equal(after(0n, null), 6_551n);
});

test('a message that the pay-in was returned takes nothing from one that completed', () => {
  const returned = { end: 'returned', receivedMinor: 10_000n } as const;
  const completed = { ...returned, end: 'completed' } as const;
  const command = reported({ ...commandIn.done, kind: 'payin' }, completed);
  const told = reported(command, returned);
  assert.deepEqual(
    [told.end, told.receivedMinor, told.confirmedMinor, told.dueAtMs],
    ['completed', 10_000n, 10_000n, START_MS],
  );
  const read = reported(told, { ...returned, polled: true });
  assert.deepEqual([read.end, read.confirmedMinor], ['returned', 0n]);
});

test('law: reports that come twice leave the command as they do once', () => {
  const report = fc.record({
    end: fc.constantFrom(...ends),
    // So few that equal totals occur.
    receivedMinor: fc.bigInt({ min: 0n, max: 20n }),
  });
  const state = fc.constantFrom(...(Object.keys(commandIn) as CommandState[]));
  fc.assert(
    fc.property(state, fc.constantFrom(...kinds), fc.array(report), (from, kind, reports) => {
      let once: MoneyCommand = { ...commandIn[from], kind };
      let twice = once;
      for (const next of reports) {
        once = reported(once, next);
        twice = reported(reported(twice, next), next);
        assert.deepEqual([twice.state, twice.end], [once.state, once.end]);
        assert.equal(twice.receivedMinor, once.receivedMinor);
        assert.equal(twice.confirmedMinor, once.confirmedMinor);
      }
    }),
  );
});

test('an open command is polled by the table of schedules, and the last wait repeats', () => {
  const [firstMs, ...nextMs] = schedules.commandPoll.waitsMs;
  const lastMs = nextMs.at(-1) ?? 0;
  assert.equal(reported(commandIn.sent, { end: 'open' }).dueAtMs, START_MS + firstMs);
  let command = commandIn.done;
  for (const waitMs of [...nextMs, lastMs, lastMs]) {
    command = pollAgain(leased(command, START_MS), 'not reached', START_MS);
    assert.partialDeepStrictEqual(command, { dueAtMs: START_MS + waitMs, leaseToken: null });
    assert.partialDeepStrictEqual(command, { lastError: 'not reached', state: 'done' });
  }
});

test('a command that ended is not asked about any more', () => {
  for (const kind of kinds) {
    for (const end of ['completed', 'returned'] as const) {
      const command = { ...commandIn.done, kind };
      const next = reported(command, { end, receivedMinor: 10_000n });
      assert.equal(next.dueAtMs, null, `${kind} ${end}`);
    }
  }
  const asked = leased(ended('completed', { lastError: 'not reached' }), START_MS);
  const stopped = stopPolling(asked, START_MS);
  assert.deepEqual([stopped.dueAtMs, stopped.leaseToken, stopped.lastError], [null, null, null]);
});

test('a pay-in that completed short is asked about until it is topped up', () => {
  const payin: MoneyCommand = { ...commandIn.done, kind: 'payin' };
  const short = reported(payin, { end: 'completed', receivedMinor: 9_999n });
  assert.deepEqual(
    [isPayinShort(short), short.dueAtMs],
    [true, START_MS + backoffMs('commandPoll', 0)],
  );
  const full = reported(short, { end: 'completed', receivedMinor: 10_000n, polled: true });
  assert.equal(isPayinShort(full), false);
});

test('a failed pay-in or refund is asked about a while longer: it may end otherwise yet', () => {
  for (const kind of ['payin', 'refund'] as const) {
    let command = reported({ ...commandIn.done, kind }, { end: 'failed' });
    for (const waitMs of schedules.endedPoll.waitsMs) {
      assert.equal(command.dueAtMs, START_MS + waitMs, kind);
      command = reported(leased(command, START_MS), { end: 'failed', polled: true });
    }
    assert.deepEqual([command.dueAtMs, command.leaseToken], [null, null], kind);
  }
});

test('a failed payout is polled until it is known where its money is', () => {
  const { waitsMs } = schedules.failedPayoutPoll;
  const lastMs = waitsMs.at(-1) ?? 0;
  let command = reported(commandIn.done, { end: 'failed' });
  for (const waitMs of [...waitsMs, lastMs, lastMs]) {
    assert.equal(command.dueAtMs, START_MS + waitMs);
    command = reported(leased(command, START_MS), { end: 'failed', polled: true });
  }
  const unanswered = pollAgain(leased(command, START_MS), 'not reached', START_MS);
  assert.equal(unanswered.dueAtMs, START_MS + lastMs);
  for (const end of ['completed', 'returned'] as const) {
    assert.equal(reported(unanswered, { end, polled: true }).dueAtMs, null, end);
  }
});

test('an abandoned pay-in is asked about ever more rarely, daily in the end, for 180 days', () => {
  const asked = { ...leased(commandIn.done, START_MS), tries: 50 };
  const lastMs = backoffMs('payoutPoll', asked.tries);
  for (const [agoMs, waitMs] of [
    [0, lastMs],
    [lastMs + 1, lastMs + 1],
    [6 * HOUR_MS, 6 * HOUR_MS],
    [24 * HOUR_MS, 24 * HOUR_MS],
    [1_000 * HOUR_MS, 24 * HOUR_MS],
  ] as const) {
    const { dueAtMs } = pollAgain(asked, null, START_MS, START_MS - agoMs);
    assert.equal(dueAtMs, START_MS + waitMs);
  }
  assert.equal(schedules.abandonedPoll.forMs, 180 * 24 * HOUR_MS);
});

const odd = { text: '{"reason":"x"}', end: 'completed' } as const;

test('an implausible report is held for a person, and polled rarely', () => {
  const held = holdForReview(leased(commandIn.done, START_MS), odd, START_MS);
  assert.deepEqual(
    [held.review, held.end, held.dueAtMs, held.leaseToken, isStuck(held)],
    [odd.text, 'open', START_MS + backoffMs('reviewPoll', 0), null, true],
  );
  assert.equal(holdForReview(held, odd, START_MS + 1), held, 'held once');
});

test('a command exists of which a held report says that it is open or completed', () => {
  for (const state of ['pending', 'sent', 'unknown', 'denied', 'refused', 'void'] as const) {
    const command = leased({ ...commandIn[state], partnerRef: 'partner_1' }, START_MS);
    for (const end of ['open', 'completed'] as const) {
      const held = holdForReview(command, { ...odd, end }, START_MS);
      assert.deepEqual(
        [held.state, held.end, held.dueAtMs, held.leaseToken],
        ['done', 'open', START_MS + backoffMs('reviewPoll', 0), null],
        `${state} ${end}`,
      );
    }
  }
});

test('a held report of a command that failed leaves the work on it as it is', () => {
  for (const state of ['pending', 'sent', 'unknown', 'denied'] as const) {
    const command = leased({ ...commandIn[state], partnerRef: 'partner_1' }, START_MS);
    const held = holdForReview(command, { ...odd, end: 'failed' }, START_MS);
    assert.partialDeepStrictEqual(held, { state, dueAtMs: command.dueAtMs }, state);
    assert.partialDeepStrictEqual(held, { leaseToken: command.leaseToken }, state);
  }
  for (const state of ['refused', 'void'] as const) {
    const known = { ...commandIn[state], partnerRef: 'partner_1' };
    const failed = { ...odd, end: 'failed' } as const;
    assert.equal(
      holdForReview(known, failed, START_MS).dueAtMs,
      START_MS + backoffMs('reviewPoll', 0),
      state,
    );
    const unknown = { ...known, partnerRef: null };
    assert.equal(holdForReview(unknown, failed, START_MS).dueAtMs, null, state);
  }
});

test('a command that stays refused or void is not asked about', () => {
  for (const state of ['refused', 'void'] as const) {
    const next = reported({ ...commandIn[state], kind: 'payin' }, { end: 'failed' });
    assert.deepEqual([next.state, next.end, next.dueAtMs], [state, 'failed', null]);
  }
});

test('a message that is applied although an answer was held may be older: it is asked at once', () => {
  const held = ended('open', { review: '{}' });
  for (const end of ['completed', 'failed', 'returned'] as const) {
    const next = reported(held, { end, receivedMinor: 10_000n }, START_MS + 1);
    assert.deepEqual([next.end, next.review, next.dueAtMs], [end, null, START_MS + 1], end);
    const asked = reported(held, { end, polled: true }, START_MS + 1);
    assert.notEqual(asked.dueAtMs, START_MS + 1, `${end} asked`);
  }
});

test('a review ends with the next report that is applied or asked for, and stays with any other', () => {
  const table: readonly (readonly [
    was: CommandEnd,
    end: CommandEnd,
    polled: boolean,
    kept: boolean,
  ])[] = [
    ['open', 'open', false, true],
    ['open', 'open', true, false],
    ['open', 'completed', false, false],
    ['completed', 'completed', false, true],
    ['completed', 'completed', true, false],
    ['completed', 'failed', false, true],
    ['completed', 'failed', true, false],
    ['returned', 'completed', false, true],
  ];
  for (const [was, end, asked, kept] of table) {
    const next = reported(ended(was, { review: '{}' }), { end, polled: asked });
    assert.equal(next.review, kept ? '{}' : null, `${was} ${end} ${asked}`);
  }
});
