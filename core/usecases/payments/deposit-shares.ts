// The shares of a deposit that was split (consolidated-payment.ts), as they are stored.
import type { MoneyCommand } from '../../domain/commands/partner-command.js';
import type { Deposit } from '../../domain/deposits/deposit.js';
import type { Payment } from '../../domain/payments/payment.js';
import type { Tx } from '../../ports/storage.js';

/** The payments that the transfer pays; none if the deposit was not split. */
export async function paymentsOf(
  tx: Tx,
  { orgId, mode, consolidatedReference }: Deposit,
): Promise<readonly Payment[]> {
  if (orgId === null || consolidatedReference === null) return [];
  return tx.payments.consolidated({ orgId, mode }, consolidatedReference);
}

/** Those of the deposit among these commands. */
export function sharesIn(
  { id }: Deposit,
  commands: readonly MoneyCommand[],
): readonly MoneyCommand[] {
  return commands.filter(({ depositId }) => depositId === id);
}

/** The pay-ins that have the money of a deposit that was split. */
export async function readShares(tx: Tx, deposit: Deposit): Promise<readonly MoneyCommand[]> {
  const payments = await paymentsOf(tx, deposit);
  const commands = payments.map((payment) => tx.commands.ofPayment(payment, payment.id));
  return sharesIn(deposit, (await Promise.all(commands)).flat());
}

/** Whether a report about the deposit waits for an operator: each of its shares has it. */
export async function isInReview(tx: Tx, deposit: Deposit): Promise<boolean> {
  const { orgId, mode, paymentId, consolidatedReference } = deposit;
  if (orgId === null || paymentId === null || consolidatedReference === null) return false;
  const commands = await tx.commands.ofPayment({ orgId, mode }, paymentId);
  return sharesIn(deposit, commands).some(({ review }) => review !== null);
}
