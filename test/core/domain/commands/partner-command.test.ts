import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffMs, schedules } from '../../../../core/domain/base/schedules.js';
import {
  absenceCountsAtMs,
  acceptCommand,
  COMMAND_LEASE_MS,
  type CommandMove,
  type CommandState,
  changed,
  commandMoves,
  denyCommand,
  disownCommand,
  isInDoubt,
  isOpen,
  isPolled,
  isRefusedPayout,
  isStuck,
  isUnpaidRefund,
  isVoidable,
  lookUpAgain,
  type MoneyCommand,
  markUnknown,
  moneyKinds,
  nextCommandState,
  type PartnerCommand,
  partyCommandKinds,
  postponeCommand,
  recordAbsence,
  refuseCommand,
  requestPurpose,
  STUCK_AFTER_TRIES,
  sendCommand,
  supersedeCommand,
  voidCommand,
} from '../../../../core/domain/commands/partner-command.js';
import { AssertionFailure } from '../../../../core/errors.js';
import { lawRuns } from '../../../support/law-runs.js';
import { aPartyCommand } from '../../../support/samples/domain-samples.js';
import {
  commandIn,
  EFFECT_WITHIN_MS,
  leased,
  START_MS,
  sampleCommand,
  sent,
} from '../../../support/samples/sample-rows.js';

const LATER_MS = START_MS + EFFECT_WITHIN_MS;
const refusal = { code: 'account_blocked', message: 'The account is blocked.' };

const matrix: Record<CommandState, Partial<Record<CommandMove, CommandState>>> = {
  pending: { send: 'sent', accept: 'done', refuse: 'refused', postpone: 'pending', void: 'void' },
  sent: { accept: 'done', deny: 'denied', postpone: 'pending', lose: 'unknown' },
  unknown: { accept: 'done', absent: 'pending' },
  denied: { accept: 'done', absent: 'refused' },
  done: { refuse: 'refused', disown: 'unknown' },
  refused: { accept: 'done', supersede: 'void' },
  void: { accept: 'done' },
};
const states = Object.keys(matrix) as readonly CommandState[];

/** Each move as the function that makes it, late enough for a look-up to count. */
const makers: Record<CommandMove, (command: MoneyCommand) => MoneyCommand> = {
  send: (command) => sendCommand(command, 'sealed', LATER_MS),
  accept: (command) => acceptCommand(command, 'partner_1', LATER_MS),
  deny: (command) => denyCommand(command, refusal, LATER_MS),
  absent: (command) => recordAbsence(command, EFFECT_WITHIN_MS, LATER_MS),
  refuse: (command) => refuseCommand(command, refusal, LATER_MS),
  postpone: (command) => postponeCommand(command, 'busy', LATER_MS),
  lose: (command) => markUnknown(command, 'time-out', LATER_MS),
  void: (command) => voidCommand(command, LATER_MS),
  supersede: (command) => supersedeCommand(command, LATER_MS),
  disown: (command) => disownCommand(command, 'of another', LATER_MS),
};

test('every command state and move is as the table says, and no other move is made', () => {
  assert.deepEqual(Object.keys(commandMoves), states);
  for (const state of states) {
    assert.equal(commandIn[state].state, state);
    for (const [move, make] of Object.entries(makers)) {
      const name = `${state} ${move}`;
      const expected = matrix[state][move as CommandMove] ?? null;
      assert.equal(nextCommandState(state, move as CommandMove), expected, name);
      // A call whose worker lost its lease is in doubt: see below.
      if (state === 'sent' && move === 'absent') continue;
      if (expected === null) assert.throws(() => make(commandIn[state]), AssertionFailure, name);
      else assert.equal(make(commandIn[state]).state, expected, name);
    }
  }
});

test('what each state says of a command', () => {
  const table: Record<CommandState, readonly [voidable: boolean, open: boolean, inDoubt: boolean]> =
    {
      pending: [true, true, false],
      sent: [false, true, true],
      unknown: [false, true, true],
      denied: [false, true, true],
      done: [false, true, false],
      refused: [false, false, false],
      void: [false, false, false],
    };
  for (const state of states) {
    const command = commandIn[state];
    const found = [isVoidable(command), isOpen(command), isInDoubt(command)];
    assert.deepEqual(found, table[state], state);
  }
});

test('a command is asked about by the partner’s id: accepted, or ended here all the same', () => {
  for (const state of states) {
    const polled = ['done', 'refused', 'void'].includes(state);
    assert.equal(isPolled({ ...commandIn[state], partnerRef: 'partner_1' }), polled, state);
    assert.equal(isPolled({ ...commandIn[state], partnerRef: null }), false, state);
  }
});

test('an accepted command is open until the partner reports its end', () => {
  for (const end of ['completed', 'failed', 'returned'] as const) {
    assert.equal(isOpen({ ...commandIn.done, end }), false, end);
  }
});

/** One command of each kind, of money and of parties. */
function inEachKind(state: CommandState): readonly PartnerCommand[] {
  return [
    ...moneyKinds.map((kind) => ({ ...commandIn[state], kind })),
    ...partyCommandKinds.map((kind) =>
      aPartyCommand({ kind, state, tries: 0, lastError: null, dueAtMs: null }),
    ),
  ];
}

test('a person must look at what is refused with money, reports and commands long tried in vain', () => {
  for (const state of states) {
    for (const command of inEachKind(state)) {
      const { kind } = command;
      const isRefusedRefund = kind === 'refund' && state === 'refused';
      assert.equal(isUnpaidRefund(command), isRefusedRefund, `${kind} ${state}`);
      const isRefused = isRefusedRefund || isRefusedPayout(command);
      assert.equal(isStuck(command), isRefused, `${kind} ${state}`);
      assert.equal(isStuck({ ...command, review: '{}' }), true, `${kind} ${state} in review`);
      const isUnderWay = isOpen(command);
      const tried = (tries: number, lastError: string | null) =>
        isStuck({ ...command, tries, lastError });
      assert.equal(tried(STUCK_AFTER_TRIES - 1, 'no answer'), isRefused, `${kind} ${state}`);
      assert.equal(tried(STUCK_AFTER_TRIES, 'no answer'), isRefused || isUnderWay, state);
      assert.equal(tried(STUCK_AFTER_TRIES, null), isRefused, 'it waits, and nothing fails');
    }
  }
});

const party = { kind: 'submit_buyer', subject: { kind: 'submission', id: 'kyc_1' } } as const;

test('a party that a look-up does not find may be submitted again immediately', () => {
  const unknown = aPartyCommand({ ...party, state: 'unknown' });
  assert.equal(recordAbsence(unknown, EFFECT_WITHIN_MS, START_MS).state, 'pending');
});

test('the dossier of a party is erased once its command can neither be sent nor looked up', () => {
  for (const state of states) {
    const kept = ['pending', 'sent', 'unknown', 'denied'].includes(state);
    const command = { ...commandIn[state], request: 'sealed' };
    const ofParty = changed(aPartyCommand({ ...party, state }), START_MS, { tries: 1 });
    assert.equal(ofParty.request, kept ? 'sealed' : null, state);
    assert.equal(changed(command, START_MS, { tries: 1 }).request, 'sealed', `money ${state}`);
  }
});

test('sending fixes the request, counts the try and keeps the lease and a known refusal', () => {
  const sending = sent({ ...sampleCommand, refusal: 'of an earlier call' }, START_MS + 5);
  assert.partialDeepStrictEqual(sending, { request: 'sealed', tries: 1 });
  assert.partialDeepStrictEqual(sending, { lastSentAtMs: START_MS + 5, leaseToken: 'lease_1' });
  assert.equal(sending.dueAtMs, START_MS + 5 + COMMAND_LEASE_MS);
  assert.equal(sending.refusal, 'of an earlier call', 'until the partner accepts it');
  assert.equal(acceptCommand(sending, 'partner_1', START_MS + 6).refusal, null);
  assert.deepEqual([sending.updatedAtMs, sending.version], [START_MS + 5, sampleCommand.version]);
  assert.ok(Object.isFrozen(sending));
});

test('a call without an answer leaves the command in doubt, and it is looked up after a wait', () => {
  const lost = markUnknown(commandIn.sent, 'time-out', START_MS);
  assert.partialDeepStrictEqual(lost, { state: 'unknown', leaseToken: null });
  assert.partialDeepStrictEqual(lost, { lastError: 'time-out', dueAtMs: START_MS + 1_000 });
});

test('a refusal is only noted, and the worker that holds the lease looks the command up', () => {
  const refused = denyCommand(commandIn.sent, refusal, START_MS);
  assert.partialDeepStrictEqual(refused, { state: 'denied', refusal: 'account_blocked' });
  assert.partialDeepStrictEqual(refused, { lastError: 'account_blocked: The account is blocked.' });
  assert.deepEqual(
    [refused.leaseToken, refused.dueAtMs],
    [commandIn.sent.leaseToken, commandIn.sent.dueAtMs],
  );
});

test('a look-up that finds nothing counts 6 minutes after the call, after a refusal immediately', () => {
  const table: readonly (readonly [
    from: CommandState,
    sinceCallMs: number,
    state: CommandState,
    next: 'sent by the same worker' | 'looked up again' | 'over',
  ])[] = [
    ['unknown', 0, 'unknown', 'looked up again'],
    ['unknown', EFFECT_WITHIN_MS - 1, 'unknown', 'looked up again'],
    ['unknown', EFFECT_WITHIN_MS, 'pending', 'sent by the same worker'],
    // The worker that called lost its lease.
    ['sent', EFFECT_WITHIN_MS - 1, 'unknown', 'looked up again'],
    ['sent', EFFECT_WITHIN_MS, 'pending', 'sent by the same worker'],
    ['denied', 0, 'refused', 'over'],
    ['denied', EFFECT_WITHIN_MS, 'refused', 'over'],
  ];
  for (const [from, sinceCallMs, state, next] of table) {
    const name = `${from} ${sinceCallMs}`;
    const nowMs = START_MS + sinceCallMs;
    const command = leased(commandIn[from], nowMs);
    const looked = recordAbsence(command, EFFECT_WITHIN_MS, nowMs);
    const { leaseToken, dueAtMs } = {
      'sent by the same worker': command,
      'looked up again': { leaseToken: null, dueAtMs: LATER_MS },
      over: { leaseToken: null, dueAtMs: null },
    }[next];
    assert.deepEqual(
      [looked.state, looked.leaseToken, looked.dueAtMs],
      [state, leaseToken, dueAtMs],
      name,
    );
    assert.equal(isVoidable(looked), state === 'pending', name);
    const { reference, request, lastSentAtMs } = command;
    assert.partialDeepStrictEqual(looked, { reference, request, lastSentAtMs }, name);
  }
});

test('the six minutes count from the last call that the partner may have seen', () => {
  const again = markUnknown(
    sent(recordAbsence(commandIn.unknown, EFFECT_WITHIN_MS, LATER_MS), LATER_MS),
    'no',
    LATER_MS,
  );
  assert.equal(absenceCountsAtMs(again, EFFECT_WITHIN_MS), LATER_MS + EFFECT_WITHIN_MS);
  const early = recordAbsence(again, EFFECT_WITHIN_MS, LATER_MS + EFFECT_WITHIN_MS - 1);
  assert.equal(early.state, 'unknown');
});

test('a look-up that could not be done keeps the doubt, and is repeated after the same waits', () => {
  for (const state of ['sent', 'unknown', 'denied'] as const) {
    let command: MoneyCommand = { ...commandIn[state], tries: 0 };
    for (const waitMs of [1_000, 5_000, 15_000, 60_000, 300_000, 300_000]) {
      command = lookUpAgain(leased(command, LATER_MS), 'not reached', LATER_MS);
      assert.equal(command.state, state === 'denied' ? 'denied' : 'unknown');
      assert.partialDeepStrictEqual(command, { dueAtMs: LATER_MS + waitMs, leaseToken: null });
      assert.partialDeepStrictEqual(command, { lastError: 'not reached' });
    }
    assert.equal(command.refusal, commandIn[state].refusal);
  }
});

test('a call that surely did nothing leaves the command pending, to be sent or voided', () => {
  const postponed = postponeCommand(commandIn.sent, 'connection refused', START_MS);
  assert.partialDeepStrictEqual(postponed, { state: 'pending', leaseToken: null });
  assert.partialDeepStrictEqual(postponed, { lastError: 'connection refused' });
  assert.deepEqual([voidCommand(postponed, START_MS).state, sent(postponed).tries], ['void', 2]);
});

test('the waits before the same call are those of the table, and the last one repeats', () => {
  const lastMs = schedules.call.waitsMs.at(-1) ?? 0;
  let command = sampleCommand;
  for (const waitMs of [...schedules.call.waitsMs, lastMs, lastMs]) {
    command = postponeCommand(sent(command), 'busy', START_MS);
    assert.equal(command.dueAtMs, START_MS + waitMs);
  }
  assert.throws(() => backoffMs('call', -1), AssertionFailure);
});

test('a preparation that fails again and again waits as long as a call that does', () => {
  let command = sampleCommand;
  for (const waitMs of schedules.call.waitsMs) {
    command = postponeCommand(leased(command, START_MS), 'busy', START_MS);
    assert.partialDeepStrictEqual(command, { dueAtMs: START_MS + waitMs, state: 'pending' });
    assert.partialDeepStrictEqual(command, { lastSentAtMs: null });
  }
});

test('an accepted command keeps the partner’s id, and is polled soon unless it ended', () => {
  const accepted = acceptCommand(commandIn.sent, 'partner_1', START_MS);
  assert.deepEqual(
    [
      accepted.partnerRef,
      accepted.tries,
      accepted.leaseToken,
      accepted.lastError,
      accepted.dueAtMs,
    ],
    ['partner_1', 0, null, null, START_MS + backoffMs('commandPoll', 0)],
  );
  const ended = acceptCommand({ ...commandIn.refused, end: 'completed' }, 'partner_1', START_MS);
  assert.equal(ended.dueAtMs, null);
});

test('a command that ends without effect keeps the reason, and nothing is due', () => {
  for (const [code, lastError] of [
    ['account_blocked', 'account_blocked: The account is blocked.'],
    [null, 'The account is blocked.'],
  ] as const) {
    for (const state of ['pending', 'done'] as const) {
      const command = leased(commandIn[state], START_MS);
      const refused = refuseCommand(command, { ...refusal, code }, START_MS);
      assert.partialDeepStrictEqual(refused, { state: 'refused', refusal: code, lastError });
      assert.partialDeepStrictEqual(refused, { dueAtMs: null, leaseToken: null });
    }
  }
});

test('a voided command is not due, and no worker holds it', () => {
  const voided = voidCommand(leased(sampleCommand, START_MS), START_MS);
  assert.deepEqual([voided.state, voided.dueAtMs, voided.leaseToken], ['void', null, null]);
});

test('only a refused refund is superseded', () => {
  for (const refused of inEachKind('refused')) {
    const { kind } = refused;
    if (kind === 'refund') assert.equal(supersedeCommand(refused, START_MS).state, 'void');
    else assert.throws(() => supersedeCommand(refused, START_MS), AssertionFailure, kind);
  }
});

test('the purpose of a stored request names its command', () => {
  assert.notEqual(requestPurpose(sampleCommand), requestPurpose({ ...sampleCommand, id: 'cmd_2' }));
});

// The law of calls in doubt: what counts as pending, refused or void is not at the partner.

const blocked = { code: 'account_blocked', message: 'The account is blocked.' };
const answers = {
  accept: (command: MoneyCommand, nowMs: number) => acceptCommand(command, 'partner_1', nowMs),
  deny: (command: MoneyCommand, nowMs: number) => denyCommand(command, blocked, nowMs),
  postpone: (command: MoneyCommand, nowMs: number) => postponeCommand(command, 'busy', nowMs),
  lose: (command: MoneyCommand, nowMs: number) => markUnknown(command, 'time-out', nowMs),
} as const;

/** How a call ends: what it does at the partner, and what is recorded here. */
const calls = {
  accepted: { effectAfterMs: 0, answer: 'accept' },
  refused: { effectAfterMs: null, answer: 'deny' },
  'refused after its effect': { effectAfterMs: 0, answer: 'deny' },
  later: { effectAfterMs: null, answer: 'postpone' },
  'lost on its way': { effectAfterMs: null, answer: 'lose' },
  'lost after its effect': { effectAfterMs: 0, answer: 'lose' },
  'late on its way': { effectAfterMs: 300_000, answer: 'lose' },
  'crash before its effect': { effectAfterMs: null, answer: null },
  'crash after its effect': { effectAfterMs: 0, answer: null },
  'crash, and late on its way': { effectAfterMs: 300_000, answer: null },
} as const satisfies Record<
  string,
  { effectAfterMs: number | null; answer: keyof typeof answers | null }
>;

const history = fc.array(
  fc.record({
    step: fc.constantFrom('call', 'look up', 'fail to look up', 'void'),
    call: fc.constantFrom(...(Object.keys(calls) as (keyof typeof calls)[])),
    laterMs: fc.constantFrom(0, 1_000, 60_000, 299_999, 360_000),
  }),
  { maxLength: 30, size: 'max' },
);

test('law: a command that counts as pending, refused or void is not at the partner, now or later', () => {
  fc.assert(
    fc.property(history, (steps) => {
      let command = sampleCommand;
      let nowMs = START_MS;
      /** When the partner has the command; null while no call of it takes effect. */
      let existsAtMs: number | null = null;
      for (const { step, call, laterMs } of steps) {
        nowMs += laterMs;
        const isCall = step === 'call' && command.state === 'pending';
        if (isCall) {
          const { effectAfterMs, answer } = calls[call];
          command = sendCommand(leased(command, nowMs), 'sealed', nowMs);
          if (effectAfterMs !== null) existsAtMs ??= nowMs + effectAfterMs;
          if (answer !== null) command = answers[answer](command, nowMs);
        } else if (step === 'look up' && isInDoubt(command)) {
          const found = existsAtMs !== null && existsAtMs <= nowMs;
          command = found
            ? acceptCommand(command, 'partner_1', nowMs)
            : recordAbsence(command, EFFECT_WITHIN_MS, nowMs);
        } else if (step === 'fail to look up' && isInDoubt(command)) {
          command = lookUpAgain(command, 'not reached', nowMs);
        } else if (step === 'void' && isVoidable(command)) {
          command = voidCommand(command, nowMs);
        }
        if (['pending', 'refused', 'void'].includes(command.state)) {
          assert.equal(existsAtMs, null, command.state);
        }
        assert.equal(command.reference, sampleCommand.reference);
      }
    }),
    { numRuns: lawRuns(1_000) },
  );
});
