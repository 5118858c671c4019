// Money has no dead end: in each state of a payment, its payout and its refund, with a partner
// that takes nothing any more, operators can decide until all of it is somewhere. The states are
// those of the tables.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  acceptCommand,
  type CommandEnd,
  type CommandState,
  changed,
  commandMoves,
  commandStates,
  isInDoubt,
  isOpen,
  isVoidable,
  type MoneyCommand,
  paidByHand,
  postponeCommand,
  recordAbsence,
  refuseCommand,
  replacedRefund,
} from '../../../../core/domain/commands/partner-command.js';
import {
  isPayoutBack,
  isPayoutDecidable,
  isRefundableByHand,
  isResolvable,
  queueOf,
} from '../../../../core/domain/money-desk/money-decision.js';
import { payoutDecided } from '../../../../core/domain/payments/command-outcomes.js';
import { heldMinor, openLossOf, stageOf, sumsOf } from '../../../../core/domain/payments/funds.js';
import {
  isCancellable,
  isTerminal,
  paymentStatuses,
} from '../../../../core/domain/payments/payment.js';
import {
  cancelled,
  failedByOperator,
  lossWrittenOff,
} from '../../../../core/domain/payments/payment-transitions.js';
import { EFFECT_WITHIN_MS, sampleSettlement } from '../../../support/samples/sample-rows.js';
import { MoneyScene, payin, payout, unsent } from '../../../support/scenes/money-scene.js';

/** Decisions in a row that are needed at most: give the money back, pay by hand, write off. */
const DECISIONS_MAX = 3;

const blocked = { code: 'instance_blocked', message: 'blocked' };

/** What operators can decide; null where they cannot. */
const decisions: Readonly<
  Record<string, (scene: MoneyScene, command: MoneyCommand) => MoneyScene | null>
> = {
  'give back': (scene, command) =>
    isPayoutDecidable(command)
      ? scene.after(payoutDecided(scene, scene.commands, command, 'buyer', scene.nowMs))
      : null,
  'resolve as paid': (scene, command) =>
    isResolvable(command) ? scene.report(command.id, { end: 'completed' }) : null,
  'resolve as returned': (scene, command) =>
    isResolvable(command) ? scene.report(command.id, { end: 'returned' }) : null,
  'pay by hand': (scene, command) => {
    if (!isRefundableByHand(command)) return null;
    const name = { id: `hand_${scene.commands.length}`, reference: 'hand' };
    const { draft, paid } = paidByHand(command, name, scene.nowMs);
    const all = [...scene.commands, draft];
    const adopting = new MoneyScene(scene, all, undefined, scene.nowMs);
    return adopting.changed([replacedRefund(command, scene.nowMs), paid]);
  },
  fail: (scene) =>
    isTerminal(scene.payment.status)
      ? null
      : scene.after(failedByOperator(scene, scene.commands, 'by hand', scene.nowMs)),
  cancel: (scene) =>
    isCancellable(scene.payment.status)
      ? scene.after(cancelled(scene, scene.commands, 'withdrawn', scene.nowMs))
      : null,
  'write off': (scene) =>
    openLossOf(scene.funds).amountMinor === 0n || scene.commands.some(isPayoutBack)
      ? null
      : scene.after(lossWrittenOff(scene)),
};

/**
 * The partner at its worst: it takes nothing and ends nothing, and a look-up finds a command in
 * doubt or does not. Each scene that can follow.
 */
function atWorst(scene: MoneyScene): readonly MoneyScene[] {
  for (const command of scene.commands) {
    const { id, kind, state, end, refusal, lateAtMs } = command;
    const { nowMs } = scene;
    if (kind === 'payin' || state === 'void') continue;
    if (isInDoubt(command)) {
      const known = state === 'sent' ? { ...command, state: 'unknown' as const } : command;
      return [
        scene.changed([recordAbsence(known, EFFECT_WITHIN_MS, nowMs + EFFECT_WITHIN_MS)]),
        scene.changed([acceptCommand(known, `partner_${id}`, nowMs)]),
      ].flatMap(atWorst);
    }
    if (state === 'pending' && kind === 'payout' && refusal === null) {
      const put = postponeCommand(command, 'blocked', nowMs, blocked.code);
      return [
        scene.changed([put]),
        scene.changed([refuseCommand(command, blocked, nowMs)]),
      ].flatMap(atWorst);
    }
    if (kind === 'refund' && isVoidable(command))
      return atWorst(scene.changed([refuseCommand(command, blocked, nowMs)]));
    if (kind === 'refund' && isOpen(command)) return atWorst(scene.report(id, { end: 'failed' }));
    if (kind === 'payout' && state === 'done' && end === 'open' && lateAtMs === null)
      return atWorst(scene.changed([changed(command, nowMs, { lateAtMs: nowMs })]));
  }
  return [scene];
}

/** All money is with the seller, with the buyer, or written off. */
function isOver({ payment, funds, commands }: MoneyScene): boolean {
  const { owedMinor, orderedMinor, needsReviewMinor } = sumsOf(commands);
  const isMoving = commands.some((command) => stageOf(command) === 'moving');
  const open = heldMinor(funds) + owedMinor + orderedMinor + needsReviewMinor;
  return (
    isTerminal(payment.status) &&
    open + openLossOf(funds).amountMinor === 0n &&
    !isMoving &&
    commands.every(({ review }) => review === null)
  );
}

function canEnd(scene: MoneyScene, left = DECISIONS_MAX): boolean {
  if (isOver(scene)) return true;
  if (left === 0) return false;
  return scene.commands.some((command) =>
    Object.values(decisions).some((decide) => {
      const next = decide(scene, command);
      return next !== null && atWorst(next).every((one) => canEnd(one, left - 1));
    }),
  );
}

const ends: readonly CommandEnd[] = ['open', 'completed', 'failed', 'returned'];

/** A payout in each state of its table, with and without what may be stored beside. */
const payoutFields = commandStates.flatMap((state: CommandState) =>
  (state === 'done' ? ends : (['open'] as const)).flatMap((end) =>
    [null, '{}'].flatMap((review) => {
      // A held report needs a command that the partner has.
      if (review !== null && (state !== 'done' || end === 'completed')) return [];
      const partnerRef = state === 'done' ? 'partner_out' : null;
      return [{ state, end, review, partnerRef }];
    }),
  ),
);

const back = MoneyScene.at('settled', [payin, payout({ end: 'completed' })]).report('out', {
  end: 'returned',
});
const again = back.after(
  payoutDecided(back, back.commands, back.command('out'), 'seller', back.nowMs),
);

/** Each status in which a payout exists, with its last payout. */
const starts: readonly (readonly [name: string, scene: MoneyScene, payoutId: string])[] = [
  ...paymentStatuses
    .filter((status) => isTerminal(status) || status.startsWith('off') || status.startsWith('on_c'))
    .map((status) => {
      const scene = MoneyScene.at(status, [payin, payout({ ...unsent, lastSentAtMs: null })]);
      return [status, scene, 'out'] as const;
    }),
  ['settled, paid again', again, 'payout_2'],
];

describe('money has no dead end', () => {
  for (const [name, start, id] of starts) {
    for (const fields of payoutFields) {
      const was = start.command(id);
      const next = Object.freeze({ ...was, ...fields, refusal: null });
      // A payout is void once its payment has ended, or another one takes its place.
      if (fields.state === 'void' && !isTerminal(start.payment.status)) continue;
      const shown = `${fields.state}/${fields.end}${fields.review === null ? '' : ', held'}`;
      for (const isRecalled of [false, true]) {
        const recall = isRecalled ? ', its pay-in recalled' : '';
        test(`${name}: a payout ${shown}${recall}`, () => {
          const isPaid = fields.end === 'completed';
          const details = isPaid ? { settlement: sampleSettlement } : {};
          const reached = start.changed([next], details);
          const scenes = isRecalled
            ? [reached.report('in', { end: 'returned', receivedMinor: 10_000n })]
            : [reached];
          for (const scene of scenes.flatMap(atWorst)) {
            const rows = `${scene.payment.status}: ${scene.standing().join(', ')}`;
            assert.ok(canEnd(scene), rows);
            const waits = scene.commands.some((one) => queueOf(one) !== null);
            const isLost = openLossOf(scene.funds).amountMinor > 0n;
            assert.ok(isOver(scene) || waits || isLost, `no queue shows ${rows}`);
          }
        });
      }
    }
  }

  test('the enumeration has each state of the table', () => {
    const seen = new Set(payoutFields.map(({ state }) => state));
    assert.deepEqual([...seen].toSorted(), Object.keys(commandMoves).toSorted());
  });
});
