// Compares what the partner says of money with what was asked and quoted: its form, currency and
// amount, rate and fees. It is the one comparison of ordered money, deposits and shares. A report
// that fails is stored with the command until an operator decides or the partner corrects it; a
// deposit waits in its queue. An `unusable` report cannot be booked, an `implausible` one can be
// accepted by an operator.
import { hash } from 'node:crypto';
import { absolute, convert, type Money, parseRate } from '../base/money.js';
import type { Asset } from './asset.js';
import type { CommandEnd, MoneyCommand } from './partner-command.js';
import type { Payer } from './payer.js';
import type { Quote } from './quote.js';

/** Amounts are totals. A smaller one from a poll is a correction; a larger one may be old. */
export interface PayinReport {
  /** `returned`: all but our refunds went back to the buyer. */
  readonly status: CommandEnd;
  /**
   * The total so far, in the currency that arrived. Of a returned pay-in: what came before it went
   * back; zero if the partner does not say.
   */
  readonly received: Money;
  readonly transactionHash: string | null;
  /** What arrived in the payee's wallet. */
  readonly asset?: Asset | null;
  /** What the bank says about the payer; absent or null: nothing. */
  readonly payer?: Payer | null;
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
  /** What was sold for the BRL. */
  readonly asset?: Asset | null;
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

export function reviewKind(review: string): ReportProblem['kind'] {
  return (JSON.parse(review) as { readonly kind: ReportProblem['kind'] }).kind;
}

/** Far above any payment; fits into 64 bits. */
const AMOUNT_MINOR_MAX = 10n ** 18n;
/** More than this multiple of what was asked is a mistake, not an overpayment. */
const RECEIVED_TIMES_MAX = 2n;
/** More than this multiple of the fees of the quote is a mistake. */
const FEES_TIMES_MAX = 2n;
/** In minor units: fees that count even if the quote has less, as a flat fee of a network. */
const FEES_ALLOWED_MINOR = 100n;
/** Allowed rounding, in centavos, between a locked quote and its payout. */
const LOCKED_SLACK_MINOR = 1n;
/** Allowed rounding of the rate: amount, fees and rate must give the BRL paid. */
const ROUNDING_PERMILLE = 1n;

/** Settings: how far the BRL of a payout may be from its quote, in percent. */
export interface DriftLimits {
  /** From here on, an alert is raised. */
  readonly alertPercent: number;
  /** Beyond it, the report waits for an operator. */
  readonly waitPercent: number;
}

export const defaultDrift: DriftLimits = { alertPercent: 3, waitPercent: 8 };

/** What a total is compared with. */
export interface KnownEnd extends Pick<MoneyCommand, 'end' | 'receivedMinor'> {
  /** What the payment asks for, or all payments that share the money. */
  readonly asked: Money;
}

/** Why money that arrives does not count without an operator for payments that ask for `asked`. */
export function arrivalProblem(
  asked: Money,
  received: Money,
  knownMinor = 0n,
): ReportProblem | null {
  const { amountMinor, currency } = received;
  if (typeof amountMinor !== 'bigint' || amountMinor < 0n) {
    return unusable('the amount received is not a whole number of minor units');
  }
  if (amountMinor > AMOUNT_MINOR_MAX) return unusable('the amount received cannot be stored');
  if (amountMinor > 0n && currency !== asked.currency) {
    return unusable(`the money is in ${currency}, ${asked.currency} was requested`);
  }
  // A person may have accepted this total before.
  if (amountMinor <= asked.amountMinor * RECEIVED_TIMES_MAX || amountMinor <= knownMinor) {
    return null;
  }
  return implausible(`received ${amountMinor} minor units, ${asked.amountMinor} were requested`);
}

/**
 * `polled`: the report answers a poll; it is not a late message. `takenMinor`: what our refunds
 * took from the pay-in, or may still take.
 */
export function payinProblem(
  { asked, end, receivedMinor: knownMinor }: KnownEnd,
  { received, status }: PayinReport,
  polled: boolean,
  takenMinor: bigint,
): ReportProblem | null {
  const problem = arrivalProblem(asked, received, knownMinor);
  if (problem !== null) return problem;
  const receivedMinor = received.amountMinor;
  // It says what is known; a person may have accepted it.
  if (status !== 'open' && status === end && receivedMinor === knownMinor) return null;
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
  limits: DriftLimits,
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
  return againstQuote(report, { ...quote, isLocked }, limits);
}

/** Why a payout that counts raises an alert; null if it is close to its quote. */
export function payoutDrift(
  { settled, fxRate, fees }: PayoutReport,
  quote: Quote | null,
  { alertPercent }: DriftLimits,
): string | null {
  if (quote === null || settled === null || fxRate === null) return null;
  const isFar =
    isOffBy(alertPercent, rateOf(fxRate), rateOf(quote.rate)) ||
    isOffBy(alertPercent, settled.amountMinor, quote.target.amountMinor);
  if (!isFar) return null;
  const [had, has] = [quote, { rate: fxRate, fees, target: settled }].map(
    ({ rate, fees: one, target }) =>
      `${target.amountMinor} centavos at ${rate} with fees of ${one?.amountMinor}`,
  );
  return `paid ${has}; the quote had ${had}`;
}

function rateOf(text: string): bigint {
  return parseRate(text)?.rateScaled ?? 0n;
}

/** At least this many percent. */
function isOffBy(percent: number, value: bigint, expected: bigint): boolean {
  return absolute(value - expected) * 100n >= expected * BigInt(percent);
}

function againstQuote(
  { settled, fees, fxRate }: PayoutReport,
  quote: Quote & { readonly isLocked: boolean },
  { waitPercent }: DriftLimits,
): ReportProblem | null {
  const timesMinor = quote.fees.amountMinor * FEES_TIMES_MAX;
  const feesMaxMinor = timesMinor > FEES_ALLOWED_MINOR ? timesMinor : FEES_ALLOWED_MINOR;
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
  const quoted = rateOf(quote.rate);
  const drift = absolute(rateOf(fxRate ?? '') - quoted);
  if (drift * 100n <= quoted * BigInt(waitPercent)) return null;
  return implausible(`the rate is more than ${waitPercent} % off the quote's ${quote.rate}`);
}

export function unusable(text: string): ReportProblem {
  return { kind: 'unusable', text };
}

function implausible(text: string): ReportProblem {
  return { kind: 'implausible', text };
}
