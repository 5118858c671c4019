// The rule under which the settlement partner pays out, as the operator states it, and the most
// that one transfer may have. Sources: core/domain/law/duty.ts. This is no advice.
import { type Money, money, type Rate } from '../base/money.js';

interface RegimeRule {
  readonly means: string;
  /** The most of one transfer; null: the rule names none. */
  readonly cap: Money | null;
}

export const regimes = {
  unstated: { means: 'nothing is checked', cap: null },
  virtual_assets: {
    means: 'by a stablecoin, the counterpart is not authorised (Res. BCB 521): USD 100,000',
    cap: money(10_000_000n, 'USD'),
  },
  virtual_assets_authorised: {
    means: 'by a stablecoin, the counterpart is authorised (Res. BCB 521): no cap',
    cap: null,
  },
  exchange: {
    means: 'by foreign exchange or a BRL account, eFX (Res. BCB 561): no cap',
    cap: null,
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

/** The cap in another currency, rounded down. Rates are BRL per unit. */
export function capIn(cap: Money, rateOfCap: Rate, currency: string, rate: Rate): Money {
  return money((cap.amountMinor * rateOfCap.rateScaled) / rate.rateScaled, currency);
}
