// What operators do with commands that the service cannot finish: refused refunds and payouts,
// implausible reports.
import { tenantOf } from '../../domain/base/tenant.js';
import {
  isMoneyCommand,
  isOpen,
  isUnpaidRefund,
  type MoneyCommand,
  type PartnerCommand,
  supersedeCommand,
} from '../../domain/commands/partner-command.js';
import { reviewName } from '../../domain/commands/report-check.js';
import { isPayoutDecidable } from '../../domain/money-desk/money-decision.js';
import { assert, expectFound, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerFact } from '../../ports/partner.js';
import { readDeposit, stageSplit } from '../deposits/deposits.js';
import {
  readReview,
  stageMoneyCommand,
  stagePayoutDecided,
  storeStaged,
} from '../payments/command-changes.js';
import type { Batch } from '../service/batch.js';
import { partnerFor } from '../service/partner-calls.js';
import { sentRequest } from './command-calls.js';
import { applyPartnerUpdate } from './partner-inbox.js';
import { operationOf } from './partner-operations.js';

/**
 * Retries a command: a refused refund or payout by a new command, which is prepared afresh, after
 * a look-up of the old one; any other open command immediately. The deposit of a share is read in
 * its place. CommandNotRetryable if it has ended, PartnerUnavailable without a look-up.
 */
export async function retryCommand(deps: Deps, commandId: string): Promise<PartnerCommand> {
  const command = await readCommand(deps, commandId);
  if (command.depositId !== null && command.review !== null) {
    const { mode, partnerRef } = command;
    assert(partnerRef !== null, 'a share has the id of its deposit');
    const outcome = await readDeposit(deps, mode, { book: 'payin', partnerRef });
    if (outcome === 'no answer') throw new PonteError('PartnerUnavailable');
    return readCommand(deps, commandId);
  }
  if (isRepeatable(command)) {
    await lookUpRefused(deps, command);
    return repeatCommand(deps, commandId);
  }
  const retried = await deps.store.run(async (tx) => {
    const current = expectFound(await tx.commands.get(commandId));
    const retryable = isOpen(current) || current.review !== null;
    if (!retryable) {
      const message = 'The command has ended. There is nothing to retry.';
      throw new PonteError('CommandNotRetryable', message);
    }
    if (current.leaseToken !== null) {
      const message = 'The command is in progress. Check it again in a moment.';
      throw new PonteError('CommandNotRetryable', message);
    }
    const due = { ...current, dueAtMs: deps.clock.nowMs() };
    tx.commands.update(due);
    return due;
  });
  deps.wake('commands');
  return retried;
}

/**
 * An operator accepts the implausible report of this name (`reviewName`): it is applied unchanged,
 * by all shares of a transfer that was split. Returns what is to be called after the batch is
 * stored. CommandNotRetryable if none waits, another one waits, or it cannot be booked.
 */
export async function stageAccepted(
  batch: Batch,
  command: PartnerCommand,
  report: string,
): Promise<() => Promise<void>> {
  const fact = expectAcceptable(command, report);
  if (command.depositId !== null && fact.kind === 'payin') {
    const deposit = await batch.tx.deposits.get(command.depositId);
    assert(deposit !== null, 'a deposit stays');
    const { received: amount, ...report } = fact.report;
    const { announce } = await stageSplit(batch, deposit, { ...report, amount }, true);
    return async () => announce();
  }
  const source = { polledVersion: command.version, accepted: true };
  const staged = await operationOf(command).onReport(batch, command, fact, source);
  return async () => {
    staged.announce();
    if (!staged.isComplete) await applyPartnerUpdate(batch.deps, command, fact, source);
  };
}

/** The fact of the report. CommandNotRetryable. */
export function expectAcceptable(command: PartnerCommand, report: string): PartnerFact {
  if (command.review === null) {
    const message = 'No report of this command waits for a decision.';
    throw new PonteError('CommandNotRetryable', message);
  }
  if (reviewName(command.review) !== report) {
    const message =
      'Another report of this command waits now. Read it: ponte commands list --stuck';
    throw new PonteError('CommandNotRetryable', message);
  }
  const { kind, reason, fact } = readReview(command.review);
  if (kind === 'unusable') {
    const todo = 'Ask the partner to correct it, or cancel the payment.';
    const message = `The report cannot be booked: ${reason}. ${todo}`;
    throw new PonteError('CommandNotRetryable', message);
  }
  return fact;
}

async function readCommand(deps: Deps, commandId: string): Promise<PartnerCommand> {
  return expectFound(await deps.store.run((tx) => tx.commands.get(commandId)));
}

/** The partner refused it and does not have it. After a payout that came back, two decide. */
function isRepeatable(command: PartnerCommand): command is MoneyCommand {
  if (!isMoneyCommand(command)) return false;
  const isPayout = command.state !== 'done' && isPayoutDecidable(command);
  return isPayout || isUnpaidRefund(command);
}

/** Looks a refused command up at the partner and applies the answer. */
async function lookUpRefused(deps: Deps, command: MoneyCommand): Promise<void> {
  const partner = partnerFor(deps, command);
  if (partner === null) throw new PonteError('PartnerUnavailable');
  // Without a request it was refused before any call: the partner never saw it.
  if (command.request === null) return;
  const { callsOf, reportKind: kind } = operationOf(command);
  const calls = callsOf(partner);
  const request = sentRequest(deps, command);
  const found = await calls.find(request);
  if (found.outcome !== 'done') throw new PonteError('PartnerUnavailable');
  if (found.value === null) return;
  const { partnerRef } = found.value;
  const answer = await calls.read(partnerRef, () => request);
  if (answer.outcome !== 'done') throw new PonteError('PartnerUnavailable');
  const { reference } = command;
  // Kind and report belong together by the table of operations.
  const fact = { kind, reference, partnerRef, report: answer.value } as PartnerFact;
  const source = { polledVersion: command.version };
  const stored = await applyPartnerUpdate(deps, command, fact, source);
  const isNamed = stored !== null && stored.command.partnerRef !== null;
  if (!isNamed) throw new PonteError('PartnerUnavailable');
}

async function repeatCommand(deps: Deps, commandId: string): Promise<PartnerCommand> {
  let known: readonly string[] = [];
  const stored = await storeStaged(deps, async (batch) => {
    const refused = await batch.tx.commands.get(commandId);
    assert(refused !== null, 'a command stays');
    const { kind } = refused;
    if (!isRepeatable(refused)) {
      const message = `The partner has this ${kind} after all. It is not sent again.`;
      throw new PonteError('CommandNotRetryable', message);
    }
    if (refused.kind === 'payout') {
      const { staged, commands } = await stagePayoutDecided(batch, refused, 'seller');
      known = commands.map(({ id }) => id);
      return staged;
    }
    // Without the refused command its money is held again, and so owed back by a new one.
    return stageMoneyCommand(batch, refused, (commands) => {
      known = commands.map(({ id }) => id);
      return supersedeCommand(refused, batch.nowMs);
    });
  });
  const superseded = stored?.command;
  assert(superseded !== undefined && isMoneyCommand(superseded), 'it is about a payment');
  const commands = await deps.store.run((tx) =>
    tx.commands.ofPayment(tenantOf(superseded), superseded.paymentId),
  );
  // A dry run stores no other command.
  return commands.find(({ id }) => !known.includes(id)) ?? superseded;
}
