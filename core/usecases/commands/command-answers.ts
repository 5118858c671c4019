// What is stored of the partner's answer to a command that runs, in one batch with all that follows
// from it.
import { holdsLease } from '../../domain/base/lease.js';
import { tenantOf } from '../../domain/base/tenant.js';
import {
  denyCommand,
  disownCommand,
  isMoneyCommand,
  lookUpAgain,
  type MoneyCommand,
  markUnknown,
  type PartnerCommand,
  postponeCommand,
  recordAbsence,
  refuseCommand,
  requestPurpose,
  sendCommand,
} from '../../domain/commands/partner-command.js';
import { lateAlert, markLate } from '../../domain/commands/poll-plan.js';
import { isTerminal, type Payment } from '../../domain/payments/payment.js';
import { assert, unreachable } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { AcceptedCommand, PartnerAnswer, SettlementPartner } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { isDepositUndecided } from '../deposits/deposit-matching.js';
import { isIdOfAnother } from '../deposits/deposits.js';
import { expectApproved } from '../parties/buyer-decisions.js';
import {
  holdsPayouts,
  type KnownCommand,
  type Staged,
  stageMoneyCommand,
  storeStaged,
  unchangedCommand,
} from '../payments/command-changes.js';
import { loadPayment } from '../payments/payment-store.js';
import type { Batch } from '../service/batch.js';
import { atInstance } from '../service/partner-calls.js';
import type { AskedStep } from './command-calls.js';
import { stageRead } from './command-polls.js';
import { alertIdOfAnother, ID_OF_ANOTHER, operationOf } from './partner-operations.js';

export const BUYER_UNAPPROVED = 'the buyer is not approved';

/**
 * Returns what is stored; null if the lease is lost. The answer to a read counts without it.
 * Answers about money are stored in quarantine too.
 */
export async function storeAnswer(
  deps: Deps,
  partner: SettlementPartner,
  known: KnownCommand,
  asked: AskedStep,
): Promise<KnownCommand | null> {
  if (asked.step === 'instruct' && asked.instructions === undefined) return known;
  const { command: claimed } = known;
  const stage = stages(partner, claimed, asked);
  const staged = await storeStaged(
    deps,
    async (batch) => {
      const command = await batch.tx.commands.known(claimed);
      assert(command !== null, 'a claimed command exists');
      if (asked.step === 'read') return stage(batch, command);
      return holdsLease(command, claimed) ? stage(batch, command) : null;
    },
    {
      inQuarantine: asked.step !== 'read' && isMoneyCommand(claimed),
      known: asked.step === 'prepare' ? asked.payment : known.payment,
    },
  );
  const stored = staged?.command ?? null;
  // The stored row says that the alert was raised.
  if (stored !== null && stored.lateAtMs !== null && stored.lateAtMs !== claimed.lateAtMs) {
    const about = isMoneyCommand(stored)
      ? { paymentId: stored.paymentId }
      : { subject: stored.subject };
    deps.log.error('alert', { alert: lateAlert(stored), commandId: stored.id, ...about });
  }
  if (stored === null && 'answer' in asked && asked.step !== 'read') {
    const { outcome } = asked.answer;
    deps.log.warn('late answer of the partner', { commandId: claimed.id, outcome });
  }
  return staged;
}

type Stage = (batch: Batch, command: PartnerCommand) => Promise<Staged | null>;

function stages(partner: SettlementPartner, claimed: PartnerCommand, asked: AskedStep): Stage {
  switch (asked.step) {
    case 'prepare': {
      const { answer } = asked;
      if (answer.outcome === 'done')
        return (batch, command) => stageSent(batch, command, answer.value);
      // Preparing has no effect, so an answer in doubt is a failure.
      const failed =
        answer.outcome === 'unknown' ? { ...answer, outcome: 'later' as const } : answer;
      return (batch, command) => stageAnswer(batch, command, failed);
    }
    case 'start':
      return (batch, command) => stageAccepted(batch, command, asked.answer, stageAnswer);
    case 'look_up':
      return async (batch, command) =>
        (await stageDisowned(batch, asked.disowned)) ??
        stageAccepted(batch, command, asked.answer, (_, __, answer) =>
          stageFound(batch, command, partner, { ...asked, answer }),
        );
    case 'instruct':
      return async (batch, command) =>
        isMoneyCommand(command)
          ? stageMoneyCommand(batch, command, () => command, { instructions: asked.instructions })
          : unchangedCommand(command);
    case 'read':
      return async (batch, command) =>
        (await stageDisowned(batch, asked.disowned)) ??
        stageRead(batch, command, claimed, asked.answer);
    default:
      return unreachable(asked);
  }
}

/**
 * Stages `sent`. No payout is sent while the buyer is not approved, or while an operator must
 * decide whether its pay-in failed, and no pay-in while one must decide on a deposit that may be
 * for it.
 */
async function stageSent(batch: Batch, command: PartnerCommand, request: string): Promise<Staged> {
  const { tx, nowMs } = batch;
  const isHeld =
    isMoneyCommand(command) &&
    command.kind === 'payin' &&
    (await isDepositUndecided(tx, tenantOf(command), command.paymentId));
  const unapproved = await unapprovedPayment(tx, command);
  return operationOf(command).onChanged(batch, command, (commands) => {
    if (unapproved !== null) {
      // An operator decides again who gets the money of a settled payment.
      const refusal = { code: null, message: BUYER_UNAPPROVED };
      return isTerminal(unapproved.status)
        ? refuseCommand(command, refusal, nowMs)
        : markLate(postponeCommand(command, BUYER_UNAPPROVED, nowMs), nowMs);
    }
    if (command.kind === 'payout' && commands.some(holdsPayouts)) {
      const reason = 'a person must decide on a report about the pay-in or a refund';
      return postponeCommand(command, reason, nowMs);
    }
    if (isHeld) {
      const reason = 'a person must decide on a deposit from before the restore: ponte money list';
      return postponeCommand(command, reason, nowMs);
    }
    // Answers are stored in quarantine too, but no call starts there.
    tx.epochs.expectNoQuarantine();
    const sealed = command.request ?? batch.deps.secretBox.seal(request, requestPurpose(command));
    return sendCommand(atInstance(batch.deps, command), sealed, nowMs);
  });
}

/** The payment of a payout whose buyer is not approved, else null. Guards the approval. */
async function unapprovedPayment(tx: Tx, command: PartnerCommand): Promise<Payment | null> {
  if (!isMoneyCommand(command) || command.kind !== 'payout') return null;
  const { payment } = await loadPayment(tx, tenantOf(command), command.paymentId);
  return (await expectApproved(tx, payment)) === null ? payment : null;
}

/** An answer with an id that another command has leaves the command in doubt. */
async function stageAccepted<T extends AcceptedCommand | null>(
  batch: Batch,
  command: PartnerCommand,
  answer: PartnerAnswer<T>,
  stage: (batch: Batch, command: PartnerCommand, answer: PartnerAnswer<T>) => Promise<Staged>,
): Promise<Staged> {
  const partnerRef = answer.outcome === 'done' ? (answer.value?.partnerRef ?? null) : null;
  if (partnerRef === null || !isMoneyCommand(command)) return stage(batch, command, answer);
  if (!(await isIdOfAnother(batch, command, partnerRef))) return stage(batch, command, answer);
  const staged = await stage(batch, command, { outcome: 'unknown', reason: ID_OF_ANOTHER });
  const announce = () => {
    staged.announce();
    alertIdOfAnother(batch.deps, command, partnerRef);
  };
  return { ...staged, announce };
}

/** The command loses the id first. The answer is stored in the next batch. */
async function stageDisowned(batch: Batch, disowned: MoneyCommand | null): Promise<Staged | null> {
  if (disowned === null) return null;
  const { id: commandId, version, paymentId, partnerRef } = disowned;
  const current = await batch.tx.commands.get(commandId);
  // It lost the id in the batch before, or has changed since it was read.
  if (current?.version !== version) return null;
  const decide = () => disownCommand(disowned, ID_OF_ANOTHER, batch.nowMs);
  const staged = await stageMoneyCommand(batch, disowned, decide);
  const announce = () => {
    staged.announce();
    const about = { commandId, paymentId, partnerRef };
    batch.deps.log.warn('a command loses the id of another one', about);
    batch.deps.wake('commands');
  };
  return { ...staged, isComplete: false, announce };
}

/** The command may have been found, be absent, or stay in doubt. */
async function stageFound(
  batch: Batch,
  command: PartnerCommand,
  { effectWithinMs }: SettlementPartner,
  { answer: found, askedAtMs }: Extract<AskedStep, { readonly step: 'look_up' }>,
): Promise<Staged> {
  const { nowMs } = batch;
  if (found.outcome === 'done' && found.value !== null) {
    return stageAnswer(batch, command, { outcome: 'done', value: found.value });
  }
  const operation = operationOf(command);
  if (found.outcome !== 'done') {
    const why = found.outcome === 'refused' ? found.code : found.reason;
    const reason = `the command could not be looked up: ${why}`;
    const next = markLate(lookUpAgain(command, reason, nowMs), nowMs);
    return operation.onChanged(batch, command, () => next);
  }
  const next = recordAbsence(command, effectWithinMs, nowMs, askedAtMs);
  return next.state === 'refused'
    ? operation.onRefused(batch, command, next, command.refusal ?? 'refused')
    : operation.onChanged(batch, command, () => next);
}

function stageAnswer(
  batch: Batch,
  command: PartnerCommand,
  given: PartnerAnswer<AcceptedCommand>,
): Promise<Staged> {
  const { nowMs } = batch;
  const answer = isMoneyCommand(command) ? given : withoutWords(given);
  const operation = operationOf(command);
  const changed = (next: PartnerCommand) => operation.onChanged(batch, command, () => next);
  switch (answer.outcome) {
    case 'done':
      return operation.onAccepted(batch, command, answer.value);
    case 'refused':
      // Before any call there is nothing to look up.
      return command.state === 'pending'
        ? operation.onRefused(batch, command, refuseCommand(command, answer, nowMs), answer.code)
        : changed(denyCommand(command, answer, nowMs));
    case 'later':
      return changed(markLate(postponed(command, answer, nowMs), nowMs));
    case 'unknown':
      return changed(markUnknown(command, answer.reason, nowMs));
    default:
      return unreachable(answer);
  }
}

/** The money of a payout is here: a refusal for now is a case for an operator at once. */
function postponed(
  command: PartnerCommand,
  { reason, code }: Extract<PartnerAnswer<never>, { outcome: 'later' }>,
  nowMs: number,
): PartnerCommand {
  return postponeCommand(command, reason, nowMs, command.kind === 'payout' ? (code ?? null) : null);
}

/** The partner's texts about a party may quote its data: only the code is stored. */
function withoutWords(answer: PartnerAnswer<AcceptedCommand>): PartnerAnswer<AcceptedCommand> {
  if (answer.outcome === 'done') return answer;
  if (answer.outcome === 'refused') return { ...answer, message: 'refused by the partner' };
  const reason = answer.outcome === 'later' ? 'not taken for now' : 'no answer to the call';
  return { ...answer, reason };
}
