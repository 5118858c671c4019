// Which payment a receipt is for. The first rule that finds something decides: one payment, or a
// person.
import type { Money } from './money.js';
import { isTerminal, type PaymentStatus, progress } from './payment.js';

/** Payments of the party whose account received the money. */
export interface Candidate {
  readonly paymentId: string;
  readonly status: PaymentStatus;
  /** The pay-in has a quote of this payment. */
  readonly isQuoted: boolean;
  /** What a payer may write to name it: its reference, its short id, its `externalId`. */
  readonly names: readonly string[];
  readonly missing: Money;
}

export interface Arrival {
  readonly amount: Money;
  /** What the payer wrote. */
  readonly texts: readonly string[];
}

interface Rule {
  readonly name: 'quote' | 'text' | 'amount';
  finds(candidate: Candidate, arrival: Arrival): boolean;
  /** The earliest status in which the money may count without a person. */
  readonly from: PaymentStatus;
}

const rules = [
  // After a restore: the buyer confirmed the quote, and the confirmation was lost.
  { name: 'quote', finds: ({ isQuoted }) => isQuoted, from: 'fx_quoted' },
  { name: 'text', finds: isNamed, from: 'on_ramp_pending' },
  { name: 'amount', finds: isMissing, from: 'on_ramp_pending' },
] as const satisfies readonly Rule[];

export type MatchRule = (typeof rules)[number]['name'];
export const matchRules: readonly MatchRule[] = rules.map(({ name }) => name);

export interface Match {
  readonly rule: MatchRule;
  readonly paymentId: string;
}

/** Null: a person decides. */
export function matchOf(arrival: Arrival, candidates: readonly Candidate[]): Match | null {
  for (const { name: rule, finds, from } of rules) {
    const found = candidates.filter((candidate) => finds(candidate, arrival));
    const [first] = found;
    if (first === undefined) continue;
    const isOne = found.every(({ paymentId }) => paymentId === first.paymentId);
    const counts = takesMoney(first, arrival.amount, from);
    return isOne && counts ? { rule, paymentId: first.paymentId } : null;
  }
  return null;
}

/**
 * Whether money that nobody ordered may count for it. Earlier its buyer is not verified: money
 * would carry the payment past that.
 */
export function takesMoney(
  { status, missing }: Pick<Candidate, 'status' | 'missing'>,
  { currency }: Money,
  from: PaymentStatus = 'fx_quoted',
): boolean {
  const isLate = (progress(status) ?? 0) >= (progress(from) ?? 0);
  return missing.currency === currency && (isTerminal(status) || isLate);
}

function isMissing({ status, missing }: Candidate, { amount }: Arrival): boolean {
  return (
    status === 'on_ramp_pending' &&
    missing.currency === amount.currency &&
    missing.amountMinor === amount.amountMinor
  );
}

/** A shorter name is in a text by chance. */
const NAME_MIN = 4;
/** Parts of a name that a bank may have separated. */
const PARTS_MAX = 6;

function isNamed({ names }: Candidate, { texts }: Arrival): boolean {
  const wanted = new Set(names.map(bare).filter(({ length }) => length >= NAME_MIN));
  return texts.some((text) => joinedWords(text).some((word) => wanted.has(word)));
}

/** Banks change case and punctuation: letters and digits count. */
function bare(text: string): string {
  return text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Each word of a text, and neighbours as one word: `7KQ4-M2XD` is also `7KQ4M2XD`. */
export function joinedWords(text: string): readonly string[] {
  const words = text.split(/[^\p{L}\p{N}]+/u).map(bare);
  const parts = words.filter((word) => word !== '');
  return parts.flatMap((_, from) =>
    Array.from({ length: Math.min(PARTS_MAX, parts.length - from) }, (_, more) =>
      parts.slice(from, from + more + 1).join(''),
    ),
  );
}
