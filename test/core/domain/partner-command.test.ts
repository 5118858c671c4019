import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  acceptCommand,
  CALL_BACKOFF_MS,
  COMMAND_LEASE_MS,
  type CommandMove,
  type CommandState,
  commandMoves,
  isOpen,
  isVoidable,
  KEY_KEPT_MS,
  loseCommand,
  mayRepeat,
  nextCommandState,
  type OrderEnd,
  type PartnerCommand,
  postponeCommand,
  refuseCommand,
  reportOrder,
  requestPurpose,
  sendCommand,
  supersedeCommand,
  voidCommand,
} from '../../../core/domain/partner-command.js';
import { AssertionFailure } from '../../../core/errors.js';
import { commandIn, leased, START_MS, sampleCommand, sent } from '../../support/sample-rows.js';

const HOUR_MS = 3_600_000;

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
    assert.equal(commandIn[state].state, state);
    for (const [move, expected] of Object.entries(matrix[state])) {
      const name = `${state} ${move}`;
      const make = makers[move as CommandMove];
      assert.equal(nextCommandState(state, move as CommandMove), expected, name);
      if (state === 'sent' && move === 'send') continue;
      if (expected === null) assert.throws(() => make(commandIn[state]), AssertionFailure, name);
      else assert.equal(make(commandIn[state]).state, expected, name);
    }
  }
});

test('the request of a party is erased once nobody calls with it; of a payment it stays', () => {
  const erased = new Set<string>();
  for (const state of states) {
    for (const [move, make] of Object.entries(makers)) {
      const kept = { ...commandIn[state], request: 'sealed' };
      if (nextCommandState(state, move as CommandMove) === null) continue;
      assert.equal(make(kept).request, 'sealed', `${state} ${move}`);
      // Only a refund is ordered again under another command.
      if (move === 'supersede') continue;
      const ofParty = { kind: 'submit_buyer', paymentId: null, submissionId: 'kyc_1' } as const;
      const next = make({ ...kept, ...ofParty });
      if (next.request === null) erased.add(next.state);
      else assert.ok(['pending', 'sent', 'unknown'].includes(next.state), `${state} ${move}`);
    }
  }
  assert.deepEqual([...erased].toSorted(), ['done', 'refused', 'void']);
  const inDoubt = { ...commandIn.unknown, paymentId: null, request: 'sealed' };
  assert.equal(reportOrder(inDoubt, 'partner_1', 'open', START_MS).request, 'sealed');
  assert.equal(reportOrder(inDoubt, 'partner_1', 'completed', START_MS).request, null);
});

test('only a command of which the partner surely knows nothing can be taken back', () => {
  assert.deepEqual(
    states.filter((state) => isVoidable(commandIn[state])),
    ['pending'],
  );
});

test('a command is open until it ended here or at the partner', () => {
  const open = states.filter((state) => isOpen(commandIn[state]));
  assert.deepEqual(open, ['pending', 'sent', 'unknown', 'done']);
  for (const end of ['completed', 'failed', 'returned'] as const) {
    assert.equal(isOpen({ ...commandIn.done, end }), false, end);
  }
});

test('sending fixes the request, counts the try and keeps the lease', () => {
  const sending = sent(sampleCommand, START_MS + 5);
  assert.equal(sending.request, 'sealed');
  assert.equal(sending.tries, 1);
  assert.equal(sending.firstSentAtMs, START_MS + 5);
  assert.equal(sending.leaseToken, 'lease_1');
  assert.equal(sending.dueAtMs, START_MS + 5 + COMMAND_LEASE_MS);
  assert.equal(sending.updatedAtMs, START_MS + 5);
  assert.equal(sending.version, sampleCommand.version);
  assert.ok(Object.isFrozen(sending));
});

test('a call whose worker lost its lease is in doubt, and is repeated as such', () => {
  const again = sent(commandIn.sent, START_MS + COMMAND_LEASE_MS);
  assert.equal(again.state, 'unknown');
  assert.equal(again.tries, 2);
  assert.equal(again.firstSentAtMs, START_MS);
  const refused = postponeCommand(again, 'connection refused', START_MS + COMMAND_LEASE_MS);
  assert.equal(isVoidable(refused), false);
});

test('an unknown outcome stays in doubt, however a later call of the same order ends', () => {
  let command = commandIn.unknown;
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
  const postponed = postponeCommand(commandIn.sent, 'connection refused', START_MS);
  assert.equal(postponed.state, 'pending');
  assert.equal(postponed.leaseToken, null);
  assert.equal(postponed.lastError, 'connection refused');
  assert.equal(voidCommand(postponed, START_MS).state, 'void');
  assert.equal(sent(postponed).tries, 2);
});

test('a call in doubt is repeated within 23 h of the first one, then only read back', () => {
  assert.equal(KEY_KEPT_MS, 23 * HOUR_MS);
  for (const state of ['sent', 'unknown'] as const) {
    assert.equal(mayRepeat(commandIn[state], START_MS + KEY_KEPT_MS - 1), true, state);
    assert.equal(mayRepeat(commandIn[state], START_MS + KEY_KEPT_MS), false, state);
  }
  const repeated = sent(commandIn.unknown, START_MS + 22 * HOUR_MS);
  assert.equal(mayRepeat(repeated, START_MS + KEY_KEPT_MS), false, 'the first call counts');
});

test('an order that the partner surely does not know may be sent however late', () => {
  const DAYS_LATER_MS = START_MS + 72 * HOUR_MS;
  const postponed = postponeCommand(commandIn.sent, 'connection refused', START_MS);
  assert.equal(mayRepeat(sampleCommand, DAYS_LATER_MS), true);
  assert.equal(mayRepeat(postponed, DAYS_LATER_MS), true);
  const late = loseCommand(sent(postponed, DAYS_LATER_MS), 'time-out', DAYS_LATER_MS);
  assert.equal(late.firstSentAtMs, DAYS_LATER_MS, 'the calls before surely left no key behind');
  assert.equal(mayRepeat(late, DAYS_LATER_MS + KEY_KEPT_MS - 1), true);
  assert.equal(mayRepeat(late, DAYS_LATER_MS + KEY_KEPT_MS), false);
});

test('the waits before the same call are 1 s, 5 s, 15 s, 1 min, then 5 min each', () => {
  const expected = [1_000, 5_000, 15_000, 60_000, 300_000, 300_000, 300_000];
  for (const end of [loseCommand, postponeCommand]) {
    let command = sampleCommand;
    for (const [index, waitMs] of expected.entries()) {
      command = end(sent(command), 'no', START_MS);
      assert.equal(command.dueAtMs, START_MS + waitMs, `${end.name} ${index + 1}`);
      assert.equal(command.leaseToken, null);
    }
  }
});

test('preparing that fails again and again waits as long as calls that do', () => {
  let command = sampleCommand;
  for (const waitMs of [...CALL_BACKOFF_MS, 300_000]) {
    command = postponeCommand(leased(command, START_MS), 'busy', START_MS);
    assert.equal(command.dueAtMs, START_MS + waitMs);
    assert.equal(command.state, 'pending');
    assert.equal(command.firstSentAtMs, null);
  }
});

test('the purpose of a stored request names its command', () => {
  assert.notEqual(requestPurpose(sampleCommand), requestPurpose({ ...sampleCommand, id: 'cmd_2' }));
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
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      let command = sampleCommand;
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
        assert.equal(command.id, sampleCommand.id);
        if (was.request !== null) assert.equal(command.request, was.request);
        const idle = command.state === 'refused' || command.state === 'void';
        if (idle) assert.equal(command.dueAtMs, null);
      }
    }),
    { numRuns: 500 },
  );
});
