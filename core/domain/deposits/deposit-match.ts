// Which payment a deposit is for. The first rule that finds something decides: one payment, or a
// person.
import type { Money } from '../base/money.js';
import { arrivalProblem } from '../commands/report-check.js';
import { isTerminal, type PaymentStatus, progress } from '../payments/payment.js';
import { hasName, isNearName } from './printed-name.js';

/** Payments of the party whose account received the money. */
export interface MatchCandidate {
  readonly paymentId: string;
  /** All payments of this transfer together, of which this is one; null: the payment alone. */
  readonly consolidatedReference: string | null;
  readonly status: PaymentStatus;
  /** The pay-in has a quote of this payment. */
  readonly isQuoted: boolean;
  /** Our names of it, which no other text has by chance: its reference and its short id. */
  readonly names: readonly string[];
  /** The reference of a transfer for several payments, of which this is one. */
  readonly sharedName: string | null;
  /** The integrator's, which may be a word of any text, as `2026`. */
  readonly externalId: string | null;
  readonly missing: Money;
  /** By the payment, or by all payments of this transfer. */
  readonly asked: Money;
}

export interface Arrival {
  readonly amount: Money;
  /** What the payer wrote. */
  readonly texts: readonly string[];
  /** Before a restore: it may have been assigned, or paid back, in what was lost. */
  readonly isFromBefore: boolean;
  /** The text names a payment to somebody else. */
  readonly namesAnother: boolean;
}

export const matchRules = ['quote', 'text', 'amount'] as const;
export type MatchRule = (typeof matchRules)[number];

interface Rule {
  readonly name: MatchRule;
  finds(candidate: MatchCandidate, arrival: Arrival): boolean;
  /** The earliest status in which the money may count without an operator. */
  readonly from: PaymentStatus;
  /**
   * Whether it holds for money from before a restore, or with the name of a payment to somebody
   * else: what it matches names one payment.
   */
  readonly isLasting: boolean;
  /** Another candidate like this leaves it to an operator. */
  readonly unless?: (candidate: MatchCandidate, arrival: Arrival) => boolean;
}

const rules: readonly Rule[] = [
  // After a restore: the buyer confirmed the quote, and the confirmation was lost.
  { name: 'quote', finds: ({ isQuoted }) => isQuoted, from: 'fx_quoted', isLasting: true },
  { name: 'text', finds: isNamed, from: 'on_ramp_pending', isLasting: true },
  {
    name: 'text',
    finds: (candidate, arrival) => isCalled(candidate, arrival) && isMissing(candidate, arrival),
    from: 'on_ramp_pending',
    isLasting: false,
    unless: isMentioned,
  },
  {
    name: 'amount',
    finds: isMissing,
    from: 'on_ramp_pending',
    isLasting: false,
    unless: isMentioned,
  },
];

export interface PaymentMatch extends Pick<MatchCandidate, 'paymentId' | 'consolidatedReference'> {
  readonly rule: MatchRule;
}

/** If it is null, an operator decides. */
export function matchOf(
  arrival: Arrival,
  candidates: readonly MatchCandidate[],
): PaymentMatch | null {
  for (const { name: rule, finds, from, isLasting, unless } of rules) {
    if ((arrival.isFromBefore || arrival.namesAnother) && !isLasting) return null;
    const found = candidates.filter((candidate) => finds(candidate, arrival));
    const [first] = found;
    if (first === undefined) continue;
    const { paymentId, consolidatedReference } = first;
    const isOne = found.every(
      (one) => one.paymentId === paymentId && one.consolidatedReference === consolidatedReference,
    );
    const isBounded = arrivalProblem(first.asked, arrival.amount) === null;
    const counts = isBounded && takesMoney(first, arrival.amount, from);
    const isDoubted = candidates.some((one) => !found.includes(one) && unless?.(one, arrival));
    return isOne && counts && !isDoubted ? { rule, paymentId, consolidatedReference } : null;
  }
  return null;
}

/**
 * Whether money that nobody ordered may count for it. Earlier its buyer is not verified: money
 * would carry the payment past that.
 */
export function takesMoney(
  { status, missing }: Pick<MatchCandidate, 'status' | 'missing'>,
  { currency }: Money,
  from: PaymentStatus = 'fx_quoted',
): boolean {
  const isLate = (progress(status) ?? 0) >= (progress(from) ?? 0);
  return missing.currency === currency && (isTerminal(status) || isLate);
}

function isMissing({ status, missing }: MatchCandidate, { amount }: Arrival): boolean {
  return (
    status === 'on_ramp_pending' &&
    missing.currency === amount.currency &&
    missing.amountMinor === amount.amountMinor
  );
}

function isCalled({ externalId }: MatchCandidate, { texts }: Arrival): boolean {
  return externalId !== null && texts.some((text) => hasName(text, externalId));
}

function isNamed({ names }: MatchCandidate, { texts }: Arrival): boolean {
  return texts.some((text) => names.some((name) => hasName(text, name)));
}

/** The text may name it, too: the amount does not decide between that and another payment. */
function isMentioned(candidate: MatchCandidate, arrival: Arrival): boolean {
  const names = [...candidate.names, candidate.sharedName ?? ''];
  const isNear = arrival.texts.some((text) => names.some((name) => isNearName(text, name)));
  return isNear || isCalled(candidate, arrival);
}
