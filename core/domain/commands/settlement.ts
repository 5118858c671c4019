// What reached the seller by a payout. The facts of a settlement never change: one that came back
// says when, and a later one has separate facts.
import { type Money, sameMoney } from '../base/money.js';
import type { Asset } from './asset.js';
import { readAmount } from './partner-message.js';

/** Reported with a completed payout. */
export interface SettlementFacts {
  /** BRL that reached the seller. */
  readonly settled: Money;
  /** In the payment's currency. */
  readonly fees: Money;
  /** BRL per unit of the payment's currency, as a decimal string. */
  readonly fxRate: string;
  /** The BACEN end-to-end id of the PIX transfer; null if the partner does not report it. */
  readonly endToEndId: string | null;
  /** What was sold for the BRL; absent or null if the partner does not report it. */
  readonly asset?: Asset | null;
}

export interface Settlement extends SettlementFacts {
  /** When the partner reported it. */
  readonly settledAtMs: number;
  /** When the partner reported that it came back; null while the seller has it. */
  readonly returnedAtMs: number | null;
}

/** The settlement that the seller has; null if there is none. A payout has one at a time. */
export function standingSettlement(settlements: readonly Settlement[]): Settlement | null {
  return settlements.find(({ returnedAtMs }) => returnedAtMs === null) ?? null;
}

/** What a receipt is of: the PIX that the seller has, or the first one if all came back. */
export function receiptOf(settlements: readonly Settlement[]): Settlement | null {
  return standingSettlement(settlements) ?? settlements[0] ?? null;
}

/** The payout reached the seller. With the facts of the last one, that one did not come back. */
export function withSettlement(
  settlements: readonly Settlement[],
  { settled, fees, fxRate, endToEndId, asset = null }: SettlementFacts,
  settledAtMs: number,
): readonly Settlement[] {
  const next = { settled, fees, fxRate, endToEndId, asset, settledAtMs, returnedAtMs: null };
  const last = settlements.at(-1);
  const isLast = last !== undefined && sameFacts(last, next);
  const kept = isLast ? { ...last, returnedAtMs: null } : next;
  return Object.freeze([...(isLast ? settlements.slice(0, -1) : settlements), kept]);
}

/** The payout came back. */
export function withReturn(
  settlements: readonly Settlement[],
  nowMs: number,
): readonly Settlement[] {
  return Object.freeze(
    settlements.map((one) => (one.returnedAtMs === null ? { ...one, returnedAtMs: nowMs } : one)),
  );
}

/** The settlements of all payouts of a payment, oldest first. */
export function settlementsOf(
  payouts: readonly { readonly settlements: readonly Settlement[] }[],
): readonly Settlement[] {
  return payouts
    .flatMap(({ settlements }) => settlements)
    .sort((left, right) => left.settledAtMs - right.settledAtMs);
}

/** The lists of several payouts, with commas between them. */
export function readSettlementLists(stored: string): readonly Settlement[] {
  const lists = JSON.parse(`[${stored}]`, readAmount) as readonly (readonly Settlement[])[];
  return settlementsOf(lists.map((settlements) => ({ settlements })));
}

export function sameFacts(left: SettlementFacts, right: SettlementFacts): boolean {
  return (
    sameMoney(left.settled, right.settled) &&
    sameMoney(left.fees, right.fees) &&
    left.fxRate === right.fxRate &&
    left.endToEndId === right.endToEndId
  );
}
