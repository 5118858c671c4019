// Checks a report of the partner: its form, then against the command and the quote. A report that
// fails is stored with the command until a person decides or the partner corrects it. An `unusable`
// report cannot be booked, an `implausible` one can be accepted by a person.
import { hash } from 'node:crypto';
import { absolute, convert, type Money, parseRate } from '../base/money.js';
import type { CommandEnd, MoneyCommand } from './partner-command.js';
import type { Quote } from './quote.js';

/** Amounts are totals. A smaller one from a poll is a correction; a larger one may be old. */
export interface PayinReport {
  /** `returned`: all but our refunds went back to the buyer. */
  readonly status: CommandEnd;
  /**
   * The total so far, in minor units of the payment's currency. Of a returned pay-in: what came
   * before it went back; zero if the partner does not say.
   */
  readonly receivedMinor: bigint;
  readonly transactionHash: string | null;
  readonly reason: string | null;
  /** While open: the partner has the money and checks it. */
  readonly held?: boolean;
}

/** `returned`: the partner holds all of its money again. */
export interface PayoutReport {
  readonly status: CommandEnd;
  /** BRL that reached the seller; null until completed. */
  readonly settled: Money | null;
  /** BRL per unit of the payment's currency, a decimal string with at most eight decimals. */
  readonly fxRate: string | null;
  /** In the currency paid; null until completed. */
  readonly fees: Money | null;
  readonly endToEndId: string | null;
  readonly reason: string | null;
  /** While open: the partner checks the payout. */
  readonly held?: boolean;
}

export interface ReportProblem {
  readonly kind: 'unusable' | 'implausible';
  /** For operators: amounts and rates, no personal data. */
  readonly text: string;
}

/** 8 hex digits, by which an operator names the report. */
export function reviewName(review: string): string {
  return hash('sha256', review).slice(0, 8);
}

/** Far above any payment; fits into 64 bits. */
const AMOUNT_MINOR_MAX = 10n ** 18n;
/** More than this multiple of the amount is a mistake, not an overpayment. */
const RECEIVED_TIMES_MAX = 2n;
/** Allowed above the fees of the quote, in percent of the amount paid out. */
const FEES_ABOVE_QUOTE_PERCENT = 5n;
/** Allowed change of an indicative rate between quote and payout. */
const RATE_DRIFT_PERCENT = 25n;
/** Allowed rounding, in centavos, between a locked quote and its payout. */
const LOCKED_SLACK_MINOR = 1n;
/** Allowed rounding of the rate: amount, fees and rate must give the BRL paid. */
const ROUNDING_PERMILLE = 1n;

/**
 * `polled`: the report answers a poll; it is not a late message. `takenMinor`: what our refunds
 * took from the pay-in, or may still take.
 */
export function payinProblem(
  { amount, end, receivedMinor: knownMinor }: MoneyCommand,
  { receivedMinor, status }: PayinReport,
  polled: boolean,
  takenMinor: bigint,
): ReportProblem | null {
  if (typeof receivedMinor !== 'bigint' || receivedMinor < 0n) {
    return unusable('the amount received is not a whole number of minor units');
  }
  if (receivedMinor > AMOUNT_MINOR_MAX) return unusable('the amount received cannot be stored');
  // A person may have accepted this total before.
  if (receivedMinor > amount.amountMinor * RECEIVED_TIMES_MAX && receivedMinor > knownMinor) {
    return implausible(
      `received ${receivedMinor} minor units, ${amount.amountMinor} were requested`,
    );
  }
  if (status === 'completed' && receivedMinor === 0n && knownMinor === 0n) {
    return implausible('a pay-in without money is reported completed');
  }
  if (!polled) return null;
  if (end === 'completed' && status === 'failed') {
    return implausible('a completed pay-in is reported failed');
  }
  if (status === 'returned') {
    // Zero: the partner does not say what came before it went back.
    return receivedMinor > 0n && receivedMinor < takenMinor
      ? implausible(`received ${receivedMinor} minor units, ${takenMinor} are or may be refunded`)
      : null;
  }
  return receivedMinor < knownMinor
    ? implausible(`received ${receivedMinor} minor units, ${knownMinor} were reported before`)
    : null;
}

/** Whether it can be the amount of a refund at all. */
export function refundAmountProblem(reported: Money, currency: string): ReportProblem | null {
  if (reported.currency !== currency) return unusable(`the refund is not in ${currency}`);
  if (typeof reported.amountMinor !== 'bigint' || reported.amountMinor <= 0n) {
    return unusable('the amount refunded is not a whole number of minor units above zero');
  }
  return reported.amountMinor > AMOUNT_MINOR_MAX
    ? unusable('the amount refunded cannot be stored')
    : null;
}

/**
 * The command at the partner counts: after a restore it may be an earlier one of another amount
 * under the same reference. A smaller amount is accepted from a poll; the rest is owed.
 */
export function refundProblem(
  { amount }: MoneyCommand,
  reported: Money,
  polled: boolean,
): ReportProblem | null {
  const problem = refundAmountProblem(reported, amount.currency);
  if (problem !== null) return problem;
  const isKnown = reported.amountMinor === amount.amountMinor;
  if (isKnown || (polled && reported.amountMinor < amount.amountMinor)) return null;
  return implausible(
    `refunds ${reported.amountMinor} minor units, ${amount.amountMinor} were requested`,
  );
}

export function payoutProblem(
  { amount, lastSentAtMs }: MoneyCommand,
  report: PayoutReport,
  quote: Quote | null,
): ReportProblem | null {
  if (report.status !== 'completed') return null;
  const { settled, fees, fxRate } = report;
  const rate = fxRate === null ? null : parseRate(fxRate);
  if (settled === null || settled.currency !== 'BRL' || settled.amountMinor <= 0n) {
    return unusable('the amount paid to the seller is not BRL above zero');
  }
  if (settled.amountMinor > AMOUNT_MINOR_MAX) {
    return unusable('the amount paid to the seller cannot be stored');
  }
  if (fees === null || fees.currency !== amount.currency) {
    return unusable(`the fees are not in ${amount.currency}`);
  }
  if (fees.amountMinor < 0n || fees.amountMinor >= amount.amountMinor) {
    return unusable('the fees are not between zero and the amount paid out');
  }
  if (rate === null) return unusable('the rate is not a decimal number above zero');
  const converted = { ...amount, amountMinor: amount.amountMinor - fees.amountMinor };
  const expected = convert(converted, rate, 'BRL', 'half-even').amountMinor;
  const slack = (expected * ROUNDING_PERMILLE) / 1_000n + 1n;
  if (absolute(settled.amountMinor - expected) > slack) {
    return implausible(
      `${settled.amountMinor} centavos, but amount, fees and rate give ${expected}`,
    );
  }
  if (quote === null) return null;
  const isLocked = quote.rateKind === 'locked' && (lastSentAtMs ?? 0) < (quote.lockedUntilMs ?? 0);
  return againstQuote(amount, report, rate.rateScaled, { ...quote, isLocked });
}

function againstQuote(
  amount: Money,
  { settled, fees }: PayoutReport,
  rateScaled: bigint,
  quote: Quote & { readonly isLocked: boolean },
): ReportProblem | null {
  const feesMaxMinor =
    quote.fees.amountMinor + (amount.amountMinor * FEES_ABOVE_QUOTE_PERCENT) / 100n;
  if (fees !== null && fees.amountMinor > feesMaxMinor) {
    return implausible(`fees of ${fees.amountMinor}, the quote had ${quote.fees.amountMinor}`);
  }
  if (quote.isLocked) {
    const short = quote.target.amountMinor - (settled?.amountMinor ?? 0n);
    if (absolute(short) <= LOCKED_SLACK_MINOR) return null;
    return implausible(
      `paid ${settled?.amountMinor}, the locked quote is ${quote.target.amountMinor}`,
    );
  }
  const quoted = parseRate(quote.rate)?.rateScaled ?? rateScaled;
  if (absolute(rateScaled - quoted) * 100n <= quoted * RATE_DRIFT_PERCENT) return null;
  return implausible(`the rate is more than ${RATE_DRIFT_PERCENT} % off the quote's ${quote.rate}`);
}

function unusable(text: string): ReportProblem {
  return { kind: 'unusable', text };
}

function implausible(text: string): ReportProblem {
  return { kind: 'implausible', text };
}
