import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  acceptCommand,
  askAgain,
  backoffMs,
  CALL_BACKOFF_MS,
  COMMAND_LEASE_MS,
  type CommandMove,
  type CommandState,
  commandMoves,
  isDebt,
  isOpen,
  isStuck,
  isVoidable,
  KEY_KEPT_MS,
  leaveToOperator,
  loseCommand,
  mayRepeat,
  nextCommandState,
  type OrderEnd,
  type PartnerCommand,
  POLL_BACKOFF_MS,
  postponeCommand,
  refuseCommand,
  reportOrder,
  requestPurpose,
  sendCommand,
  supersedeCommand,
  voidCommand,
} from '../../../core/domain/partner-command.js';
import { AssertionFailure } from '../../../core/errors.js';

const START_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

const fresh: PartnerCommand = Object.freeze({
  orgId: 'org_1',
  mode: 'test',
  id: 'cmd_1',
  kind: 'payout',
  paymentId: 'pi_1',
  submissionId: null,
  amount: { amountMinor: 10_000n, currency: 'USD' },
  state: 'pending',
  request: null,
  partnerRef: null,
  end: 'open',
  tries: 0,
  firstSentAtMs: null,
  dueAtMs: START_MS,
  leaseToken: null,
  lastError: null,
  createdAtMs: START_MS,
  updatedAtMs: START_MS,
  version: 1,
});

/** As the store's claim does: leased until the lease ends. */
function leased(command: PartnerCommand, nowMs: number): PartnerCommand {
  return { ...command, leaseToken: 'lease_1', dueAtMs: nowMs + COMMAND_LEASE_MS };
}

function sent(command: PartnerCommand, nowMs = START_MS): PartnerCommand {
  return sendCommand(leased(command, nowMs), 'sealed', nowMs);
}

const matrix: Record<CommandState, Record<CommandMove, CommandState | null>> = {
  pending: {
    send: 'sent',
    accept: 'done',
    refuse: 'refused',
    postpone: 'pending',
    lose: null,
    void: 'void',
    supersede: null,
  },
  sent: {
    send: null,
    accept: 'done',
    refuse: 'refused',
    postpone: 'pending',
    lose: 'unknown',
    void: null,
    supersede: null,
  },
  unknown: {
    send: 'unknown',
    accept: 'done',
    refuse: 'refused',
    postpone: 'unknown',
    lose: 'unknown',
    void: null,
    supersede: null,
  },
  done: {
    send: null,
    accept: null,
    refuse: 'refused',
    postpone: null,
    lose: null,
    void: null,
    supersede: null,
  },
  refused: {
    send: null,
    accept: null,
    refuse: null,
    postpone: null,
    lose: null,
    void: null,
    supersede: 'void',
  },
  void: {
    send: null,
    accept: null,
    refuse: null,
    postpone: null,
    lose: null,
    void: null,
    supersede: null,
  },
};
const states = Object.keys(matrix) as readonly CommandState[];

const examples: Record<CommandState, PartnerCommand> = {
  pending: fresh,
  sent: sent(fresh),
  unknown: loseCommand(sent(fresh), 'time-out', START_MS),
  done: acceptCommand(sent(fresh), 'partner_1', START_MS),
  refused: refuseCommand(sent({ ...fresh, kind: 'refund' }), 'account_blocked', START_MS),
  void: voidCommand(fresh, START_MS),
};

/** Each move as the function that makes it; `send` of a sent one is the lost lease, see below. */
const makers: Record<CommandMove, (command: PartnerCommand) => PartnerCommand> = {
  send: (command) => sendCommand(command, 'sealed', START_MS),
  accept: (command) => acceptCommand(command, 'partner_1', START_MS),
  refuse: (command) => refuseCommand(command, 'no', START_MS),
  postpone: (command) => postponeCommand(command, 'busy', START_MS),
  lose: (command) => loseCommand(command, 'time-out', START_MS),
  void: (command) => voidCommand(command, START_MS),
  supersede: (command) => supersedeCommand(command, START_MS),
};

test('every command state and move is as the table says, and no other move is made', () => {
  assert.deepEqual(Object.keys(commandMoves), states);
  for (const state of states) {
    assert.equal(examples[state].state, state);
    for (const [move, expected] of Object.entries(matrix[state])) {
      const name = `${state} ${move}`;
      const make = makers[move as CommandMove];
      assert.equal(nextCommandState(state, move as CommandMove), expected, name);
      if (state === 'sent' && move === 'send') continue;
      if (expected === null) assert.throws(() => make(examples[state]), AssertionFailure, name);
      else assert.equal(make(examples[state]).state, expected, name);
    }
  }
});

test('only a command of which the partner surely knows nothing can be taken back', () => {
  assert.deepEqual(
    states.filter((state) => isVoidable(examples[state])),
    ['pending'],
  );
});

test('a command is open until it ended here or at the partner', () => {
  const open = states.filter((state) => isOpen(examples[state]));
  assert.deepEqual(open, ['pending', 'sent', 'unknown', 'done']);
  for (const end of ['completed', 'failed', 'returned'] as const) {
    assert.equal(isOpen({ ...examples.done, end }), false, end);
  }
});

test('sending fixes the request, counts the try and keeps the lease', () => {
  const sending = sent(fresh, START_MS + 5);
  assert.equal(sending.request, 'sealed');
  assert.equal(sending.tries, 1);
  assert.equal(sending.firstSentAtMs, START_MS + 5);
  assert.equal(sending.leaseToken, 'lease_1');
  assert.equal(sending.dueAtMs, START_MS + 5 + COMMAND_LEASE_MS);
  assert.equal(sending.updatedAtMs, START_MS + 5);
  assert.equal(sending.version, fresh.version);
  assert.ok(Object.isFrozen(sending));
});

test('a call whose worker lost its lease is in doubt, and is repeated as such', () => {
  const again = sent(examples.sent, START_MS + COMMAND_LEASE_MS);
  assert.equal(again.state, 'unknown');
  assert.equal(again.tries, 2);
  assert.equal(again.firstSentAtMs, START_MS);
  const refused = postponeCommand(again, 'connection refused', START_MS + COMMAND_LEASE_MS);
  assert.equal(isVoidable(refused), false);
});

test('an unknown outcome stays in doubt, however a later call of the same order ends', () => {
  let command = examples.unknown;
  for (let minute = 1; minute <= 10; minute += 1) {
    const nowMs = START_MS + minute * 60_000;
    command = sent(command, nowMs);
    assert.equal(command.state, 'unknown');
    command =
      minute % 2 === 0
        ? postponeCommand(command, 'connection refused', nowMs)
        : loseCommand(command, 'time-out', nowMs);
    assert.equal(command.state, 'unknown');
    assert.equal(command.firstSentAtMs, START_MS);
    assert.equal(isVoidable(command), false);
  }
  assert.equal(acceptCommand(command, 'partner_1', START_MS + HOUR_MS).state, 'done');
  assert.equal(refuseCommand(command, 'blocked', START_MS + HOUR_MS).state, 'refused');
});

test('a call that surely did nothing leaves the order pending, to be sent or taken back', () => {
  const postponed = postponeCommand(examples.sent, 'connection refused', START_MS);
  assert.equal(postponed.state, 'pending');
  assert.equal(postponed.leaseToken, null);
  assert.equal(postponed.lastError, 'connection refused');
  assert.equal(voidCommand(postponed, START_MS).state, 'void');
  assert.equal(sent(postponed).tries, 2);
});

test('a call in doubt is repeated within 23 h of the first one, then only read back', () => {
  assert.equal(KEY_KEPT_MS, 23 * HOUR_MS);
  for (const state of ['sent', 'unknown'] as const) {
    assert.equal(mayRepeat(examples[state], START_MS + KEY_KEPT_MS - 1), true, state);
    assert.equal(mayRepeat(examples[state], START_MS + KEY_KEPT_MS), false, state);
  }
  const repeated = sent(examples.unknown, START_MS + 22 * HOUR_MS);
  assert.equal(mayRepeat(repeated, START_MS + KEY_KEPT_MS), false, 'the first call counts');
});

test('an order that the partner surely does not know may be sent however late', () => {
  const DAYS_LATER_MS = START_MS + 72 * HOUR_MS;
  const postponed = postponeCommand(examples.sent, 'connection refused', START_MS);
  assert.equal(mayRepeat(fresh, DAYS_LATER_MS), true);
  assert.equal(mayRepeat(postponed, DAYS_LATER_MS), true);
  const late = loseCommand(sent(postponed, DAYS_LATER_MS), 'time-out', DAYS_LATER_MS);
  assert.equal(late.firstSentAtMs, DAYS_LATER_MS, 'the calls before surely left no key behind');
  assert.equal(mayRepeat(late, DAYS_LATER_MS + KEY_KEPT_MS - 1), true);
  assert.equal(mayRepeat(late, DAYS_LATER_MS + KEY_KEPT_MS), false);
});

test('the waits before the same call are 1 s, 5 s, 15 s, 1 min, then 5 min each', () => {
  const expected = [1_000, 5_000, 15_000, 60_000, 300_000, 300_000, 300_000];
  for (const end of [loseCommand, postponeCommand]) {
    let command = fresh;
    for (const [index, waitMs] of expected.entries()) {
      command = end(sent(command), 'no', START_MS);
      assert.equal(command.dueAtMs, START_MS + waitMs, `${end.name} ${index + 1}`);
      assert.equal(command.leaseToken, null);
    }
  }
});

test('preparing that fails again and again waits as long as calls that do', () => {
  let command = fresh;
  for (const waitMs of [...CALL_BACKOFF_MS, 300_000]) {
    command = postponeCommand(leased(command, START_MS), 'busy', START_MS);
    assert.equal(command.dueAtMs, START_MS + waitMs);
    assert.equal(command.state, 'pending');
    assert.equal(command.firstSentAtMs, null);
  }
});

test('the waits between questions begin with 2 s, and the last of 15 min repeats', () => {
  assert.equal(examples.done.dueAtMs, START_MS + 2_000);
  let command = examples.done;
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
  const accepted = examples.done;
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
    const told = reportOrder(leased(examples[state], START_MS), 'partner_9', 'completed', START_MS);
    assert.equal(told.state, 'done', state);
    assert.equal(told.leaseToken, null, 'the answer of a call under way is late now');
    assert.equal(told.dueAtMs, null, state);
  }
  assert.equal(reportOrder(fresh, 'partner_9', 'completed', START_MS).partnerRef, 'partner_9');
  assert.equal(
    reportOrder(examples.done, 'partner_9', 'completed', START_MS).partnerRef,
    'partner_1',
  );
});

test('news that an order is open tells its id and ends nothing, so that the call goes on', () => {
  const calling = leased(examples.sent, START_MS);
  const told = reportOrder(calling, 'partner_1', 'open', START_MS + 1);
  assert.deepEqual(told, { ...calling, partnerRef: 'partner_1', updatedAtMs: START_MS + 1 });
  assert.equal(reportOrder(told, 'partner_1', 'open', START_MS + 2), told);
});

test('the same end told twice changes nothing', () => {
  for (const end of ['open', 'completed', 'returned'] as const) {
    const once = reportOrder(examples.done, 'partner_1', end, START_MS);
    assert.equal(reportOrder(once, 'partner_1', end, START_MS + 1), once, end);
  }
});

test('late news that an order was open does not open it again', () => {
  for (const end of ['completed', 'failed', 'returned'] as const) {
    const ended = reportOrder(examples.done, 'partner_1', end, START_MS);
    assert.equal(reportOrder(ended, 'partner_1', 'open', START_MS + 1), ended, end);
  }
});

test('a failed order is asked about a while longer: it may be returned or completed yet', () => {
  let command = reportOrder(examples.done, 'partner_1', 'failed', START_MS);
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

test('an order that was refused or taken back is not worked on again by news of it', () => {
  for (const state of ['refused', 'void'] as const) {
    for (const end of ['failed', 'completed', 'returned'] as const) {
      let told = examples[state];
      for (let times = 0; times < 2; times += 1) told = reportOrder(told, 'p', end, START_MS);
      assert.deepEqual([told.state, told.dueAtMs], [state, null], `${state} ${end}`);
    }
  }
});

test('what may exist at the partner and cannot be found there waits for an operator', () => {
  for (const state of ['sent', 'unknown'] as const) {
    const left = leaveToOperator(leased(examples[state], START_MS), 'not known', START_MS);
    assert.equal(left.dueAtMs, null);
    assert.equal(left.leaseToken, null);
    assert.equal(left.lastError, 'not known');
    assert.equal(isStuck(left), true, `${state} is not forgotten`);
    assert.equal(isVoidable(left), false);
  }
});

test('stuck is what is in doubt and not looked at any more, and every refused refund', () => {
  const stuck: readonly (readonly [name: string, command: PartnerCommand, stuck: boolean])[] = [
    ['in doubt and due', examples.unknown, false],
    ['in doubt and left', { ...examples.unknown, dueAtMs: null }, true],
    ['a refused refund', examples.refused, true],
    ['a refused payout', { ...examples.refused, kind: 'payout' }, false],
    ['a refused pay-in', { ...examples.refused, kind: 'payin' }, false],
    ['a refund ordered anew', supersedeCommand(examples.refused, START_MS), false],
    ['an ended order', reportOrder(examples.done, 'p', 'completed', START_MS), false],
    ['taken back', examples.void, false],
    ['under way', examples.sent, false],
  ];
  for (const [name, command, expected] of stuck) assert.equal(isStuck(command), expected, name);
});

test('only a refused refund is a debt, and only a debt is ordered again', () => {
  assert.equal(isDebt(examples.refused), true);
  assert.equal(isDebt({ ...examples.done, kind: 'refund' }), false);
  assert.equal(supersedeCommand(examples.refused, START_MS).state, 'void');
  const payout = { ...examples.refused, kind: 'payout' } as const;
  assert.throws(() => supersedeCommand(payout, START_MS), AssertionFailure);
});

test('a refund that failed after it was accepted is refused, with the reason kept', () => {
  const refund = { ...examples.done, kind: 'refund' } as const;
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

test('the purpose of a stored request names its command', () => {
  assert.notEqual(requestPurpose(fresh), requestPurpose({ ...fresh, id: 'cmd_2' }));
});

type Step = 'call' | 'crash' | 'accept' | 'refuse' | 'postpone' | 'lose' | 'void' | OrderEnd;

test('law: no history leaves the table or takes back what the partner may know', () => {
  const step = fc.record({
    step: fc.constantFrom<Step>(
      ...(['call', 'crash', 'postpone', 'lose', 'accept', 'refuse', 'void'] as const),
      ...(['open', 'completed', 'failed', 'returned'] as const),
    ),
    laterMs: fc.constantFrom(0, 1_000, 60_000, 4 * HOUR_MS),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let command = fresh;
      let nowMs = START_MS;
      let doubtSinceMs: number | null = null;
      for (const { step: next, laterMs } of steps) {
        nowMs += laterMs;
        const was = command;
        const calling = command.leaseToken !== null;
        if (next === 'call' || next === 'crash') {
          if (calling || !isOpen(command) || command.state === 'done') continue;
          if (!mayRepeat(command, nowMs)) continue;
          doubtSinceMs ??= nowMs;
          assert.ok(nowMs < doubtSinceMs + KEY_KEPT_MS, 'no key is used that may be forgotten');
          command = sent(command, nowMs);
          if (next === 'crash') command = { ...command, leaseToken: null };
        } else if (next === 'void') {
          if (!isVoidable(command)) continue;
          command = voidCommand(command, nowMs);
          assert.equal(doubtSinceMs, null, 'nothing that may be known is taken back');
        } else if (next === 'accept' || next === 'refuse' || next === 'lose') {
          if (!calling) continue;
          command = makers[next](command);
        } else if (next === 'postpone') {
          if (!calling) continue;
          command = postponeCommand(command, 'busy', nowMs);
          if (was.state === 'sent') doubtSinceMs = null;
        } else {
          command = reportOrder(command, 'partner_1', next, nowMs);
        }
        const reached = [was.state, ...Object.values(matrix[was.state])];
        const lostLease = was.state === 'sent' && command.state === 'unknown';
        assert.ok(reached.includes(command.state) || lostLease, `${was.state} ${next}`);
        assert.equal(command.id, fresh.id);
        if (was.request !== null) assert.equal(command.request, was.request);
        const idle = command.state === 'refused' || command.state === 'void';
        if (idle) assert.equal(command.dueAtMs, null);
      }
    }),
    { numRuns: 500 },
  );
});
