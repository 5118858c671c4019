// Alerts for operators: which changes of a payment's orders need a person.
import { type Funds, stageOf, sumsOf } from './funds.js';
import type { MoneyCommand } from './partner-command.js';
import type { Payment } from './payment.js';

interface Books {
  readonly payment: Payment;
  readonly funds: Funds;
  readonly orders: readonly MoneyCommand[];
}

/** The alerts of a change, each raised once: by what was not so before. */
export function alertsBetween(was: Books, { payment, funds, orders }: Books): readonly string[] {
  const [before, after] = [sumsOf(was.orders), sumsOf(orders)];
  const rules = [
    [
      after.lossMinor > before.lossMinor,
      `more left than arrived: the house loses ${after.lossMinor} minor units so far`,
    ],
    [
      funds.position === 'needs_review' && was.funds.position !== 'needs_review',
      'the position of the money must be found out',
    ],
    [
      debtsOf(orders) > debtsOf(was.orders),
      'a refund was refused or failed: the buyer must be paid back by hand',
    ],
    [
      doubtsOf(orders) > doubtsOf(was.orders),
      'a report about a refund cannot be believed: a person must look',
    ],
    [
      after.paidMinor > before.paidMinor && payment.status !== 'settled',
      `payout completed although the payment is ${payment.status}`,
    ],
    [after.paidMinor < before.paidMinor, 'a payout came back after it was paid'],
    [
      after.returnedMinor > before.returnedMinor && after.payoutMinor > 0n,
      'a pay-in went back to the buyer although its payout was ordered',
    ],
  ] as const;
  return rules.filter(([applies]) => applies).map(([, text]) => text);
}

/** Refunds that a person must see to. */
function debtsOf(orders: readonly MoneyCommand[]): number {
  return orders.filter((order) => order.kind === 'refund' && stageOf(order) === 'owed').length;
}

/** Refunds of which a report waits for a person. */
function doubtsOf(orders: readonly MoneyCommand[]): number {
  return orders.filter(({ kind, review }) => kind === 'refund' && review !== null).length;
}
