// What operators do with partner commands that the service will not finish by itself: refunds that
// were refused, and orders that were lost on the way for so long that repeating them is no worker's
// decision any more. Doing the work is commands.ts's matter.
import { type Change, payinRefused, payoutRefused } from '../domain/collection.js';
import {
  isDebt,
  isLost,
  isOpen,
  type PartnerCommand,
  refuseCommand,
  repeatCommand,
  supersedeCommand,
} from '../domain/partner-command.js';
import { isTerminal } from '../domain/payment.js';
import { tenantOf } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps, Tx } from '../ports.js';
import { loadCollection, newCommand, stageChange, withCommandChanged } from './collections.js';

/**
 * An operator sets a command to work again: a refused refund under a new command; an order that the
 * partner does not know once more, or given up when its payment has ended; any other open one at
 * once. Answers with the command as it stands then. CommandNotRetryable when there is nothing to
 * do.
 */
export async function retryCommand(deps: Deps, commandId: string): Promise<PartnerCommand> {
  const retried = await deps.store.run(async (tx) => {
    const command = await tx.commands.get(commandId);
    if (command === null) throw new PonteError('NotFound');
    const nowMs = deps.clock.nowMs();
    if (isDebt(command)) return stageNewRefund(deps, tx, command, nowMs);
    if (isLost(command)) return stageLost(deps, tx, command, nowMs);
    if (!isOpen(command) || command.leaseToken !== null) {
      throw new PonteError('CommandNotRetryable');
    }
    const due = { ...command, dueAtMs: nowMs };
    tx.commands.update(due);
    return due;
  });
  deps.wake('commands');
  deps.wake('outbox');
  return retried;
}

function stageNewRefund(
  deps: Deps,
  tx: Tx,
  refused: PartnerCommand,
  nowMs: number,
): PartnerCommand {
  assert(refused.paymentId !== null, 'a refund serves a payment');
  const id = deps.ids.next('cmd', nowMs);
  const draft = { kind: refused.kind, amount: refused.amount };
  const next = newCommand(refused, id, draft, { paymentId: refused.paymentId }, nowMs);
  tx.commands.update(supersedeCommand(refused, nowMs));
  tx.commands.insert(next);
  return next;
}

async function stageLost(
  deps: Deps,
  tx: Tx,
  lost: PartnerCommand,
  nowMs: number,
): Promise<PartnerCommand> {
  const change = await givenUpChange(tx, lost, nowMs);
  if (change === null) {
    const repeated = repeatCommand(lost, nowMs);
    tx.commands.update(repeated);
    return repeated;
  }
  const refused = refuseCommand(lost, 'lost: the partner does not know it', nowMs);
  stageChange(deps, tx, change.was, withCommandChanged(change.change, refused));
  return refused;
}

/** What follows when a pay-in or payout of an ended payment surely never happened; else null. */
async function givenUpChange(tx: Tx, lost: PartnerCommand, nowMs: number) {
  if (lost.paymentId === null || lost.kind === 'refund') return null;
  const tenant = tenantOf(lost);
  const was = await loadCollection(tx, tenant, lost.paymentId);
  if (!isTerminal(was.payment.status)) return null;
  const commands = await tx.commands.ofPayment(tenant, lost.paymentId);
  const change: Change =
    lost.kind === 'payin'
      ? payinRefused(was, 'lost', nowMs)
      : payoutRefused(was, commands, 'lost', nowMs);
  return { was, change };
}
