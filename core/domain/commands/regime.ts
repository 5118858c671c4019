// The rule under which the settlement partner pays out, as the operator states it, the most that
// one transfer may have, and what a payment must say. Sources: core/domain/law/duty.ts. This is no
// advice.
import { type Money, money, type Rate } from '../base/money.js';

interface RegimeRule {
  readonly means: string;
  /** The most of one transfer; null: the rule names none. */
  readonly cap: Money | null;
  /** What the partner reports of each payment and only the create can say. */
  readonly asks: readonly ('purpose' | 'payerRelation')[];
}

export const regimes = {
  unstated: { means: 'nothing is checked', cap: null, asks: [] },
  virtual_assets: {
    means: 'by a stablecoin, the counterpart is not authorised (Res. BCB 521): USD 100,000',
    cap: money(10_000_000n, 'USD'),
    asks: ['purpose', 'payerRelation'],
  },
  virtual_assets_authorised: {
    means: 'by a stablecoin, the counterpart is authorised (Res. BCB 521): no cap',
    cap: null,
    asks: ['purpose', 'payerRelation'],
  },
  exchange: {
    means: 'by foreign exchange or a BRL account, eFX (Res. BCB 561): no cap',
    cap: null,
    asks: [],
  },
} as const satisfies Readonly<Record<string, RegimeRule>>;

export type Regime = keyof typeof regimes;
export const regimeNames = Object.keys(regimes) as readonly Regime[];

/**
 * Whether the amount is over the cap before a rate is known: a unit of another currency counts as a
 * dollar. No price is given to a buyer before the cap is compared at a rate (transfer-cap.ts).
 */
export function isOverCap(regime: Regime, { amountMinor }: Money): boolean {
  const { cap }: RegimeRule = regimes[regime];
  return cap !== null && amountMinor > cap.amountMinor;
}

/** The facts that the payment lacks under the rule. */
export function missingFacts(
  regime: Regime,
  payment: { readonly purpose: string | null; readonly payerRelation: string | null },
): readonly string[] {
  const { asks }: RegimeRule = regimes[regime];
  return asks.filter((name) => payment[name] === null);
}

/** The cap in another currency, rounded down. Rates are BRL per unit. */
export function capIn(cap: Money, rateOfCap: Rate, currency: string, rate: Rate): Money {
  return money((cap.amountMinor * rateOfCap.rateScaled) / rate.rateScaled, currency);
}
