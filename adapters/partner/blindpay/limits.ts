// What a customer may still receive, checked before a quote. BlindPay counts pay-ins and payouts
// apart, by the days and months of UTC, and completed ones only: payments that are open at the same
// time can be over a limit together. Then the pay-in is refused and the buyer needs another quote.
import { z } from 'zod';
import { MINUTE_MS } from '../../../core/domain/base/instant.js';
import { money } from '../../../core/domain/base/money.js';
import type { AmountLimit } from '../../../core/domain/payments/amount-limit.js';
import type { PartnerAnswer } from '../../../core/ports/partner.js';
import { type BlindPayContext, CURRENCY, done } from './blindpay-context.js';

/** A quote costs two more calls, of a hundred that a development instance has in a minute. */
const FRESH_MS = MINUTE_MS;
const CUSTOMERS_KNOWN_MAX = 1_000;

/** Cents of a US dollar; below zero once a limit was lowered. */
const centsLeft = z.number().nullish();
const windows = z.object({ daily: centsLeft, monthly: centsLeft }).nullish();
const limitsShape = z.object({ limits: z.object({ payin: windows, payout: windows }) });
type Limits = Partial<z.output<typeof limitsShape>['limits']>;
const customerShape = z.object({ limit: z.object({ per_transaction: centsLeft }).nullish() });

export interface LimitBook {
  /** The limit that the amount is over; null if there is none. */
  exceeded(customerId: string, amountMinor: bigint): Promise<PartnerAnswer<AmountLimit | null>>;
  /** After BlindPay refused an amount as too large for one transaction. */
  ofTransaction(customerId: string): Promise<AmountLimit>;
}

export function limitBook({ client, log, nowMs }: BlindPayContext): LimitBook {
  const known = new Map<string, { readonly limits: Limits; readonly readAtMs: number }>();
  const read = async (customerId: string): Promise<PartnerAnswer<Limits>> => {
    const kept = known.get(customerId);
    if (kept !== undefined && nowMs() < kept.readAtMs + FRESH_MS) return done(kept.limits);
    known.delete(customerId);
    const path = `/instances/:instance/limits/customers/${customerId}`;
    const answer = await client.get(path, limitsShape);
    if (answer.outcome === 'refused') {
      // The quote is checked by BlindPay too.
      log.warn('BlindPay has no limits of a customer', { customerId, code: answer.code });
      return done({});
    }
    if (answer.outcome !== 'done') return answer;
    const { limits } = answer.value;
    known.set(customerId, { limits, readAtMs: nowMs() });
    const [oldest] = known.keys();
    if (known.size > CUSTOMERS_KNOWN_MAX && oldest !== undefined) known.delete(oldest);
    return done(limits);
  };
  return {
    async exceeded(customerId, amountMinor) {
      const limits = await read(customerId);
      if (limits.outcome !== 'done') return limits;
      return done(exceededOf(limits.value, amountMinor, nowMs()));
    },
    async ofTransaction(customerId) {
      const path = `/instances/:instance/customers/${customerId}`;
      const answer = await client.get(path, customerShape);
      const cents = answer.outcome === 'done' ? answer.value.limit?.per_transaction : null;
      return { period: 'payment', left: leftOf(cents), untilMs: null };
    },
  };
}

/** The limit that lasts longest is named: what waits for a month need not come back tomorrow. */
function exceededOf(limits: Limits, amountMinor: bigint, nowMs: number): AmountLimit | null {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const periods = [
    ['month', 'monthly', Date.UTC(year, month + 1, 1)],
    ['day', 'daily', Date.UTC(year, month, day + 1)],
  ] as const;
  for (const [period, name, untilMs] of periods) {
    const cents = [limits.payin?.[name], limits.payout?.[name]].filter((one) => one != null);
    const left = cents.length === 0 ? null : leftOf(Math.min(...cents));
    if (left !== null && amountMinor > left.amountMinor) return { period, left, untilMs };
  }
  return null;
}

function leftOf(cents: number | null | undefined) {
  if (cents === null || cents === undefined) return null;
  return money(BigInt(Math.max(0, Math.floor(cents))), CURRENCY);
}
