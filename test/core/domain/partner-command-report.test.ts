import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  askAgain,
  backoffMs,
  isDebt,
  isStuck,
  isVoidable,
  leaveToOperator,
  type PartnerCommand,
  POLL_BACKOFF_MS,
  refuseCommand,
  reportOrder,
  supersedeCommand,
} from '../../../core/domain/partner-command.js';
import { AssertionFailure } from '../../../core/errors.js';
import { commandIn, leased, START_MS, sampleCommand } from '../../support/sample-rows.js';

test('the waits between questions begin with 2 s, and the last of 15 min repeats', () => {
  assert.equal(commandIn.done.dueAtMs, START_MS + 2_000);
  let command = commandIn.done;
  for (const waitMs of [3_000, 5_000, 15_000, 60_000, 300_000, 900_000, 900_000, 900_000]) {
    command = askAgain(leased(command, START_MS), null, START_MS);
    assert.equal(command.dueAtMs, START_MS + waitMs);
    assert.equal(command.leaseToken, null);
    assert.equal(command.state, 'done');
  }
  assert.equal(backoffMs(POLL_BACKOFF_MS, 1_000), 900_000);
  assert.throws(() => backoffMs([], 0), AssertionFailure);
});

test('an accepted order is asked about until its end is reported', () => {
  const accepted = commandIn.done;
  assert.equal(accepted.partnerRef, 'partner_1');
  assert.deepEqual(
    [accepted.tries, accepted.leaseToken, accepted.lastError, accepted.end],
    [0, null, null, 'open'],
  );
  for (const end of ['completed', 'returned'] as const) {
    const ended = reportOrder(accepted, 'partner_1', end, START_MS);
    assert.deepEqual([ended.state, ended.end, ended.dueAtMs], ['done', end, null]);
  }
});

test('an order that is told to have ended was accepted, whatever we knew', () => {
  for (const state of ['pending', 'sent', 'unknown', 'done'] as const) {
    const told = reportOrder(
      leased(commandIn[state], START_MS),
      'partner_9',
      'completed',
      START_MS,
    );
    assert.equal(told.state, 'done', state);
    assert.equal(told.leaseToken, null, 'the answer of a call under way is late now');
    assert.equal(told.dueAtMs, null, state);
  }
  assert.equal(
    reportOrder(sampleCommand, 'partner_9', 'completed', START_MS).partnerRef,
    'partner_9',
  );
  assert.equal(
    reportOrder(commandIn.done, 'partner_9', 'completed', START_MS).partnerRef,
    'partner_1',
  );
});

test('news that an order is open tells its id and ends nothing, so that the call goes on', () => {
  const calling = leased(commandIn.sent, START_MS);
  const told = reportOrder(calling, 'partner_1', 'open', START_MS + 1);
  assert.deepEqual(told, { ...calling, partnerRef: 'partner_1', updatedAtMs: START_MS + 1 });
  assert.equal(reportOrder(told, 'partner_1', 'open', START_MS + 2), told);
});

test('the same end told twice changes nothing', () => {
  for (const end of ['open', 'completed', 'returned'] as const) {
    const once = reportOrder(commandIn.done, 'partner_1', end, START_MS);
    assert.equal(reportOrder(once, 'partner_1', end, START_MS + 1), once, end);
  }
});

test('late news that an order was open does not open it again', () => {
  for (const end of ['completed', 'failed', 'returned'] as const) {
    const ended = reportOrder(commandIn.done, 'partner_1', end, START_MS);
    assert.equal(reportOrder(ended, 'partner_1', 'open', START_MS + 1), ended, end);
  }
});

test('an order that was returned stays returned: any other end told then is older', () => {
  const returned = reportOrder(commandIn.done, 'partner_1', 'returned', START_MS);
  for (const end of ['open', 'completed', 'failed'] as const) {
    assert.equal(reportOrder(returned, 'partner_1', end, START_MS + 1), returned, end);
  }
});

test('a failed order is asked about a while longer: it may be returned or completed yet', () => {
  const payin = { ...commandIn.done, kind: 'payin' } as const;
  let command = reportOrder(payin, 'partner_1', 'failed', START_MS);
  for (const waitMs of POLL_BACKOFF_MS) {
    assert.equal(command.dueAtMs, START_MS + waitMs);
    command = reportOrder(leased(command, START_MS), 'partner_1', 'failed', START_MS);
  }
  assert.equal(command.dueAtMs, null);
  for (const end of ['completed', 'returned'] as const) {
    const found = reportOrder(command, 'partner_1', end, START_MS);
    assert.deepEqual([found.state, found.end, found.dueAtMs], ['done', end, null]);
  }
});

test('a failed payout is asked about up to hourly, until it is known where its money is', () => {
  let command = reportOrder(commandIn.done, 'partner_1', 'failed', START_MS);
  for (const waitMs of [...POLL_BACKOFF_MS, 3_600_000, 3_600_000, 3_600_000]) {
    assert.equal(command.dueAtMs, START_MS + waitMs);
    command = reportOrder(leased(command, START_MS), 'partner_1', 'failed', START_MS);
  }
  const unanswered = askAgain(leased(command, START_MS), 'not reached', START_MS);
  assert.equal(unanswered.dueAtMs, START_MS + 3_600_000);
  for (const end of ['completed', 'returned'] as const) {
    assert.equal(reportOrder(unanswered, 'partner_1', end, START_MS).dueAtMs, null, end);
  }
});

test('an abandoned pay-in is asked about ever more rarely, and daily in the end', () => {
  const hourMs = 3_600_000;
  const asked = { ...leased(commandIn.done, START_MS), tries: 50 };
  for (const [agoMs, waitMs] of [
    [0, 900_000],
    [900_001, 900_001],
    [6 * hourMs, 6 * hourMs],
    [24 * hourMs, 24 * hourMs],
    [1_000 * hourMs, 24 * hourMs],
  ] as const) {
    const { dueAtMs } = askAgain(asked, null, START_MS, START_MS - agoMs);
    assert.equal(dueAtMs, START_MS + waitMs);
  }
});

test('an order that was refused or taken back is not worked on again by news of it', () => {
  for (const state of ['refused', 'void'] as const) {
    for (const end of ['failed', 'completed', 'returned'] as const) {
      let told = commandIn[state];
      for (let times = 0; times < 2; times += 1) told = reportOrder(told, 'p', end, START_MS);
      assert.deepEqual([told.state, told.dueAtMs], [state, null], `${state} ${end}`);
    }
  }
});

test('what may exist at the partner and cannot be found there waits for an operator', () => {
  for (const state of ['sent', 'unknown'] as const) {
    const left = leaveToOperator(leased(commandIn[state], START_MS), 'not known', START_MS);
    assert.equal(left.dueAtMs, null);
    assert.equal(left.leaseToken, null);
    assert.equal(left.lastError, 'not known');
    assert.equal(isStuck(left), true, `${state} is not forgotten`);
    assert.equal(isVoidable(left), false);
  }
});

test('stuck is what is in doubt and not looked at any more, and every refused refund', () => {
  const stuck: readonly (readonly [name: string, command: PartnerCommand, stuck: boolean])[] = [
    ['in doubt and due', commandIn.unknown, false],
    ['in doubt and left', { ...commandIn.unknown, dueAtMs: null }, true],
    ['a refused refund', commandIn.refused, true],
    ['a failed refund that was paid after all', { ...commandIn.refused, end: 'completed' }, false],
    ['a refused payout', { ...commandIn.refused, kind: 'payout' }, false],
    ['a refused pay-in', { ...commandIn.refused, kind: 'payin' }, false],
    ['a refund ordered anew', supersedeCommand(commandIn.refused, START_MS), false],
    ['an ended order', reportOrder(commandIn.done, 'p', 'completed', START_MS), false],
    ['taken back', commandIn.void, false],
    ['under way', commandIn.sent, false],
  ];
  for (const [name, command, expected] of stuck) assert.equal(isStuck(command), expected, name);
});

test('only a refused refund is a debt, and only a debt is ordered again', () => {
  assert.equal(isDebt(commandIn.refused), true);
  assert.equal(isDebt({ ...commandIn.done, kind: 'refund' }), false);
  assert.equal(supersedeCommand(commandIn.refused, START_MS).state, 'void');
  const payout = { ...commandIn.refused, kind: 'payout' } as const;
  assert.throws(() => supersedeCommand(payout, START_MS), AssertionFailure);
});

test('a refund that failed after it was accepted is refused, with the reason kept', () => {
  const refund = { ...commandIn.done, kind: 'refund' } as const;
  const failed = refuseCommand(
    reportOrder(refund, 'partner_1', 'failed', START_MS),
    'account closed',
    START_MS,
  );
  assert.deepEqual(
    [failed.state, failed.end, failed.dueAtMs, failed.lastError],
    ['refused', 'failed', null, 'account closed'],
  );
});
