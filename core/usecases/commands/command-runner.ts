// The worker of commands to the partner. It leases due commands, fixes the exact request, stores
// the intention, calls, and records the answer. A look-up decides a call without an answer and a
// refusal; an accepted command is polled until its end is reported. The worker does not wait for
// calls. Without the lease only a polled report is applied.
import { holdsLease } from '../../domain/base/lease.js';
import { schedules } from '../../domain/base/schedules.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { pollAgain, stopPolling } from '../../domain/commands/command-report.js';
import {
  COMMAND_LEASE_MS,
  denyCommand,
  isInDoubt,
  isMoneyCommand,
  isOpen,
  isPolled,
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
import { isPayinShort, lateAlert, markLate } from '../../domain/commands/poll-plan.js';
import { isTerminal, type Payment } from '../../domain/payments/payment.js';
import { assert, unreachable } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type {
  AcceptedCommand,
  PartnerAnswer,
  PartnerFact,
  SettlementPartner,
} from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { isDepositUndecided } from '../deposits/deposit-matching.js';
import { expectApproved } from '../parties/buyer-decisions.js';
import {
  holdsPayouts,
  type Staged,
  stageCommand,
  stageMoneyCommand,
  storeStaged,
  unchangedCommand,
} from '../payments/command-changes.js';
import type { Batch } from '../service/batch.js';
import { ConcurrencyLimiter, type Runner } from '../service/concurrency-limiter.js';
import { eachSeparately } from '../service/due-work.js';
import { atInstance, partnerFor } from '../service/partner-calls.js';
import { operationOf } from './partner-operations.js';

/** Commands that run at a time in one process: each is a connection to the partner. */
const COMMANDS_IN_FLIGHT_MAX = 256;

export const BUYER_UNAPPROVED = 'the buyer is not approved';

/** One per process: it counts the commands in flight. */
export function commandRunner(deps: Deps, inFlightMax = COMMANDS_IN_FLIGHT_MAX): Runner {
  for (const partner of Object.values(deps.partners)) {
    const calledMs = 2 * (partner?.callTimeoutMs ?? 0);
    assert(COMMAND_LEASE_MS > calledMs, 'a lease outlives the calls made under it');
  }
  const limiter = new ConcurrencyLimiter(() => deps.wake('commands'));
  return {
    runOnce: async (nowMs, limitAsked) => {
      const limit = Math.min(limitAsked, inFlightMax - limiter.reserved());
      if (limit <= 0) {
        limiter.onAvailable();
        return 0;
      }
      const claim = { nowMs, limit, leaseMs: COMMAND_LEASE_MS };
      const claimed = await deps.store.claims.commands(claim);
      limiter.reserve([], claimed.length);
      for (const command of claimed) limiter.run([], () => runLeased(deps, command));
      return claimed.length;
    },
    inFlight: () => limiter.inFlight(),
    idle: () => limiter.idle(),
  };
}

/**
 * Runs a command in the request that stored it with a lease. After a failure the workers run it.
 */
export async function runInline(deps: Deps, command: PartnerCommand): Promise<void> {
  await runLeased(deps, command);
  deps.wake('commands');
}

/** Does not reject: after a failure the command is due again when its lease ends. */
async function runLeased(deps: Deps, command: PartnerCommand): Promise<void> {
  await eachSeparately(deps, 'commands', [command], (leased) => run(deps, leased));
}

async function run(deps: Deps, command: PartnerCommand): Promise<void> {
  const partner = partnerFor(deps, command);
  if (partner === null) throw new Error(`no settlement partner is configured for ${command.mode}`);
  if (isPolled(command)) await poll(deps, partner, command);
  else if (isInDoubt(command)) await lookUp(deps, partner, command);
  else await send(deps, partner, command);
}

async function send(deps: Deps, partner: SettlementPartner, claimed: PartnerCommand) {
  const prepared = await prepare(deps, partner, claimed);
  if (prepared.outcome !== 'done') {
    // Preparing has no effect, so an answer in doubt is a failure.
    const { outcome } = prepared;
    await record(
      deps,
      claimed,
      outcome === 'unknown' ? { ...prepared, outcome: 'later' } : prepared,
    );
    return;
  }
  const sent = await markSent(deps, claimed, prepared.value);
  // After a pause longer than the lease, another process may be calling.
  if (sent?.state !== 'sent' || isLeaseOver(claimed, deps.clock.nowMs())) return;
  const answer = await call(partner, sent, prepared.value);
  const recorded = await record(deps, sent, answer);
  if (recorded?.state === 'denied') await lookUp(deps, partner, recorded);
}

async function prepare(
  deps: Deps,
  partner: SettlementPartner,
  command: PartnerCommand,
): Promise<PartnerAnswer<string>> {
  if (command.request !== null) return { outcome: 'done', value: requestOf(deps, command) };
  return operationOf(command).prepare(deps, partner, command);
}

export function requestOf(deps: Deps, command: PartnerCommand): string {
  assert(command.request !== null, 'a command that was sent has its request');
  return deps.secretBox.open(command.request, requestPurpose(command));
}

/**
 * Stores `sent`; null if the lease is lost. No payout is sent while the buyer is not approved, or
 * while a person must decide whether its pay-in failed, and no pay-in while one must decide on a
 * deposit that may be for it.
 */
function markSent(
  deps: Deps,
  claimed: PartnerCommand,
  request: string,
): Promise<PartnerCommand | null> {
  return storeLeased(deps, claimed, async (batch, command) => {
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
        const reason =
          'a person must decide on a deposit from before the restore: ponte money list';
        return postponeCommand(command, reason, nowMs);
      }
      // Answers are stored in quarantine too, but no call starts there.
      tx.epochs.expectNoQuarantine();
      const sealed = command.request ?? deps.secretBox.seal(request, requestPurpose(command));
      return sendCommand(atInstance(deps, command), sealed, nowMs);
    });
  });
}

/** The payment of a payout whose buyer is not approved, else null. Guards the approval. */
async function unapprovedPayment(tx: Tx, command: PartnerCommand): Promise<Payment | null> {
  if (!isMoneyCommand(command) || command.kind !== 'payout') return null;
  const payment = await tx.payments.get(tenantOf(command), command.paymentId);
  assert(payment !== null, 'a payment stays');
  return (await expectApproved(tx, payment)) ? null : payment;
}

/** An adapter that throws leaves the outcome in doubt. */
async function call(
  partner: SettlementPartner,
  command: PartnerCommand,
  request: string,
): Promise<PartnerAnswer<AcceptedCommand>> {
  try {
    return await operationOf(command).callsOf(partner).start(request);
  } catch (error) {
    // Its message may quote the request.
    const name = error instanceof Error ? error.name : typeof error;
    return { outcome: 'unknown', reason: `the adapter threw: ${name}` };
  }
}

/** The command may exist at the partner: only a look-up shows it. */
async function lookUp(deps: Deps, partner: SettlementPartner, claimed: PartnerCommand) {
  const askedAtMs = deps.clock.nowMs();
  const found = await operationOf(claimed).callsOf(partner).find(requestOf(deps, claimed));
  if (found.outcome === 'done' && found.value !== null) {
    const recorded = await record(deps, claimed, { outcome: 'done', value: found.value });
    // A client waits for the decision on a party; a command about money is polled when it is due.
    if (recorded !== null && !isMoneyCommand(recorded) && isOpen(recorded)) {
      await poll(deps, partner, recorded);
    }
    return;
  }
  if (found.outcome !== 'done') {
    const why = found.outcome === 'refused' ? found.code : found.reason;
    const reason = `the command could not be looked up: ${why}`;
    await storeLeased(deps, claimed, (batch, command) => {
      const next = markLate(lookUpAgain(command, reason, batch.nowMs), batch.nowMs);
      return operationOf(command).onChanged(batch, command, () => next);
    });
    return;
  }
  const absent = await storeLeased(deps, claimed, (batch, command) => {
    const next = recordAbsence(command, partner.effectWithinMs, batch.nowMs, askedAtMs);
    const operation = operationOf(command);
    return next.state === 'refused'
      ? operation.onRefused(batch, command, next, command.refusal ?? 'refused')
      : operation.onChanged(batch, command, () => next);
  });
  if (absent?.state === 'pending') await send(deps, partner, absent);
}

/** Records the answer to a call or a look-up that found the command; null if the lease is lost. */
async function record(
  deps: Deps,
  claimed: PartnerCommand,
  answer: PartnerAnswer<AcceptedCommand>,
): Promise<PartnerCommand | null> {
  const recorded = await storeLeased(deps, claimed, (batch, command) =>
    stageAnswer(batch, command, isMoneyCommand(command) ? answer : withoutWords(answer)),
  );
  if (recorded === null) {
    const { outcome } = answer;
    deps.log.warn('late answer of the partner', { commandId: claimed.id, outcome });
  }
  return recorded;
}

function stageAnswer(
  batch: Batch,
  command: PartnerCommand,
  answer: PartnerAnswer<AcceptedCommand>,
): Promise<Staged> {
  const { nowMs } = batch;
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

/** Null if the lease is lost. Answers about money are stored in quarantine too. */
async function storeLeased(
  deps: Deps,
  claimed: PartnerCommand,
  stage: (batch: Batch, command: PartnerCommand) => Promise<Staged>,
): Promise<PartnerCommand | null> {
  const stored = await storeStaged(
    deps,
    async (batch) => {
      const command = await batch.tx.commands.get(claimed.id);
      assert(command !== null, 'a claimed command exists');
      return holdsLease(command, claimed) ? stage(batch, command) : null;
    },
    { inQuarantine: isMoneyCommand(claimed) },
  );
  noteLate(deps, claimed, stored);
  return stored;
}

/** The stored row says that the alert was raised. */
function noteLate({ log }: Deps, was: PartnerCommand, stored: PartnerCommand | null): void {
  if (stored === null || stored.lateAtMs === null || stored.lateAtMs === was.lateAtMs) return;
  const about = isMoneyCommand(stored)
    ? { paymentId: stored.paymentId }
    : { subject: stored.subject };
  log.error('alert', { alert: lateAlert(stored), commandId: stored.id, ...about });
}

/** Reads the state of an accepted command, in case a message is lost. */
async function poll(deps: Deps, partner: SettlementPartner, claimed: PartnerCommand) {
  const command = isMoneyCommand(claimed)
    ? await withInstructions(deps, partner, claimed)
    : claimed;
  if (command === null) return;
  const { partnerRef, reference, version } = command;
  assert(partnerRef !== null, 'an accepted command has the partner’s id');
  const { callsOf, reportKind: kind } = operationOf(command);
  const answer = await callsOf(partner).read(partnerRef);
  const stored = await storeStaged(deps, async (batch) => {
    const { tx, nowMs } = batch;
    const current = await tx.commands.get(command.id);
    assert(current !== null, 'a claimed command exists');
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
    // Kind and report belong together by the table of operations.
    const fact = { kind, reference, partnerRef, report: answer.value } as PartnerFact;
    const source = { polledVersion: version, alsoChange: nextPoll };
    return operationOf(current).onReport(batch, current, fact, source);
  });
  noteLate(deps, command, stored);
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

/**
 * If a message reported a pay-in before its call was answered, a look-up gets the instructions for
 * the buyer. Returns the stored command; null if the lease is lost.
 */
async function withInstructions(
  deps: Deps,
  partner: SettlementPartner,
  claimed: MoneyCommand,
): Promise<PartnerCommand | null> {
  const { kind, end, paymentId, request } = claimed;
  if (kind !== 'payin' || end !== 'open' || request === null) return claimed;
  const payment = await deps.store.run((tx) => tx.payments.get(tenantOf(claimed), paymentId));
  if (payment === null || payment.payinInstructions !== null) return claimed;
  const found = await partner.payin.find(requestOf(deps, claimed));
  const instructions = found.outcome === 'done' ? found.value?.instructions : undefined;
  if (instructions === undefined) return claimed;
  return storeLeased(deps, claimed, async (batch, command) =>
    isMoneyCommand(command)
      ? stageMoneyCommand(batch, command, () => command, { instructions })
      : unchangedCommand(command),
  );
}

/** An ended command that is polled: missing money, under review, or a short pay-in. */
function mayChange(command: PartnerCommand): boolean {
  if (command.state !== 'done') return false;
  if (command.end === 'failed' || command.review !== null) return true;
  return command.end === 'completed' && isPayinShort(command);
}

function isLeaseOver({ dueAtMs }: PartnerCommand, nowMs: number): boolean {
  return dueAtMs !== null && dueAtMs <= nowMs;
}
