// Alerts for operators: changes of a payment's commands that need an operator.
import { isRefusedPayout, type MoneyCommand } from '../commands/partner-command.js';
import { type Funds, stageOf, sumsOf } from './funds.js';
import { payerAgreement } from './payer-facts.js';
import type { Payment } from './payment.js';

interface MoneyState {
  readonly payment: Payment;
  readonly funds: Funds;
  readonly commands: readonly MoneyCommand[];
}

/** Each alert is raised once, by the change that makes its condition true. */
export function alertsBetween(
  was: MoneyState,
  { payment, funds, commands }: MoneyState,
): readonly string[] {
  const [before, after] = [sumsOf(was.commands), sumsOf(commands)];
  const refused = newlyRefused(was.commands, commands);
  const rules = [
    [
      after.lossMinor > before.lossMinor,
      `more left than arrived: the loss is ${after.lossMinor} minor units so far`,
    ],
    [
      funds.position === 'needs_review' &&
        was.funds.position !== 'needs_review' &&
        after.paidMinor >= before.paidMinor &&
        refused === undefined,
      'the position of the money is unknown',
    ],
    [
      refused !== undefined,
      `a payout is refused and waits for an operator: ${refused?.refusal ?? refused?.lastError}`,
    ],
    [
      debtsOf(commands) > debtsOf(was.commands),
      'a refund was refused or failed: the buyer must be paid back by hand',
    ],
    [
      doubtsOf(commands) > doubtsOf(was.commands),
      'a report about a refund is implausible and waits for a decision',
    ],
    [
      after.paidMinor > before.paidMinor && payment.status !== 'settled',
      `payout completed although the payment is ${payment.status}`,
    ],
    [after.paidMinor < before.paidMinor, 'a payout came back after it was paid'],
    [
      payerAgreement(payment.payer) === 'differs' &&
        payerAgreement(was.payment.payer) !== 'differs',
      'the bank names another payer than the one that was verified',
    ],
    [
      after.returnedMinor > before.returnedMinor && after.payoutMinor > 0n,
      'a pay-in went back to the buyer although its payout was sent',
    ],
  ] as const;
  return rules.filter(([applies]) => applies).map(([, text]) => text);
}

function newlyRefused(
  was: readonly MoneyCommand[],
  commands: readonly MoneyCommand[],
): MoneyCommand | undefined {
  const known = new Set(was.filter(isRefusedPayout).map(({ id }) => id));
  return commands.find((command) => isRefusedPayout(command) && !known.has(command.id));
}

function debtsOf(commands: readonly MoneyCommand[]): number {
  return commands.filter((command) => command.kind === 'refund' && stageOf(command) === 'owed')
    .length;
}

function doubtsOf(commands: readonly MoneyCommand[]): number {
  return commands.filter(({ kind, review }) => kind === 'refund' && review !== null).length;
}
