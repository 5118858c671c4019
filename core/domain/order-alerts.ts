// Alerts for operators: changes of a payment's orders that need a person.
import { type Funds, stageOf, sumsOf } from './funds.js';
import type { MoneyCommand } from './partner-command.js';
import type { Payment } from './payment.js';

interface Books {
  readonly payment: Payment;
  readonly funds: Funds;
  readonly orders: readonly MoneyCommand[];
}

/** Each alert is raised once, by the change that makes its condition true. */
export function alertsBetween(was: Books, { payment, funds, orders }: Books): readonly string[] {
  const [before, after] = [sumsOf(was.orders), sumsOf(orders)];
  const rules = [
    [
      after.lossMinor > before.lossMinor,
      `more left than arrived: the loss is ${after.lossMinor} minor units so far`,
    ],
    [
      funds.position === 'needs_review' && was.funds.position !== 'needs_review',
      'the position of the money is unknown',
    ],
    [
      debtsOf(orders) > debtsOf(was.orders),
      'a refund was refused or failed: the buyer must be paid back by hand',
    ],
    [
      doubtsOf(orders) > doubtsOf(was.orders),
      'a report about a refund is implausible and waits for a decision',
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

function debtsOf(orders: readonly MoneyCommand[]): number {
  return orders.filter((order) => order.kind === 'refund' && stageOf(order) === 'owed').length;
}

function doubtsOf(orders: readonly MoneyCommand[]): number {
  return orders.filter(({ kind, review }) => kind === 'refund' && review !== null).length;
}
