// The law of calls in doubt: what counts as pending, refused or void is not at the partner.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  acceptCommand,
  denyCommand,
  isInDoubt,
  isVoidable,
  lookUpAgain,
  type MoneyCommand,
  markUnknown,
  postponeCommand,
  recordAbsence,
  sendCommand,
  voidCommand,
} from '../../../../core/domain/commands/partner-command.js';
import { lawRuns } from '../../../support/law-runs.js';
import {
  EFFECT_WITHIN_MS,
  leased,
  START_MS,
  sampleCommand,
} from '../../../support/samples/sample-rows.js';

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
