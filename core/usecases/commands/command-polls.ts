// What follows from a poll, which reads the state of a command at the partner: its report, and when
// it is read again.
import { holdsLease } from '../../domain/base/lease.js';
import { schedules } from '../../domain/base/schedules.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { pollAgain, stopPolling } from '../../domain/commands/command-report.js';
import {
  isMoneyCommand,
  isOpen,
  type PartnerCommand,
} from '../../domain/commands/partner-command.js';
import { isPayinShort } from '../../domain/commands/poll-plan.js';
import { isTerminal, type Payment } from '../../domain/payments/payment.js';
import type { PartnerAnswer, PartnerFact } from '../../ports/partner.js';
import { type Staged, stageCommand } from '../payments/command-changes.js';
import type { Batch } from '../service/batch.js';
import { operationOf } from './partner-operations.js';

/** The state of an accepted command, in case a message is lost; null if nothing changes. */
export async function stageRead(
  batch: Batch,
  current: PartnerCommand,
  command: PartnerCommand,
  answer: PartnerAnswer<PartnerFact['report']>,
): Promise<Staged | null> {
  const { tx, nowMs } = batch;
  const { partnerRef, reference, version } = command;
  // The id was that of another command.
  if (current.partnerRef !== partnerRef) return null;
  // Its answer is newer. This one would ask for another read, as would the other one after it.
  if (!holdsLease(current, command) && isReadNext(current, nowMs)) return null;
  const lastError = answer.outcome === 'done' ? null : 'the command could not be polled';
  const nextPoll = <C extends PartnerCommand>(next: C, payment: Payment | null): C =>
    holdsLease(next, command) ? afterPoll(next, payment, lastError, nowMs) : next;
  if (answer.outcome !== 'done') {
    const payment = isMoneyCommand(current)
      ? await tx.payments.get(tenantOf(current), current.paymentId)
      : null;
    const next = nextPoll(current, payment);
    return next === current ? null : stageCommand(batch, next);
  }
  const { reportKind: kind, onReport } = operationOf(current);
  // Kind and report belong together by the table of operations.
  const fact = { kind, reference, partnerRef, report: answer.value } as PartnerFact;
  return onReport(batch, current, fact, { polledVersion: version, alsoChange: nextPoll });
}

/** Whether a read is due, or under way. */
function isReadNext({ leaseToken, dueAtMs }: PartnerCommand, nowMs: number): boolean {
  return leaseToken !== null || (dueAtMs !== null && dueAtMs <= nowMs);
}

/** When a polled command is due next, if ever. */
function afterPoll<C extends PartnerCommand>(
  command: C,
  payment: Payment | null,
  lastError: string | null,
  nowMs: number,
): C {
  // The buyer may still pay but is not expected to.
  const isAbandoned = command.kind === 'payin' && payment !== null && isTerminal(payment.status);
  const abandonedAtMs = isAbandoned ? payment.updatedAtMs : null;
  const isOver = abandonedAtMs !== null && nowMs - abandonedAtMs > schedules.abandonedPoll.forMs;
  const isSettled = !isOpen(command) && !mayChange(command) && lastError === null;
  return isSettled || isOver
    ? stopPolling(command, nowMs)
    : pollAgain(command, lastError, nowMs, abandonedAtMs);
}

/** An ended command that is polled: missing money, under review, or a short pay-in. */
function mayChange(command: PartnerCommand): boolean {
  if (command.state !== 'done') return false;
  if (command.end === 'failed' || command.review !== null) return true;
  return command.end === 'completed' && isPayinShort(command);
}
