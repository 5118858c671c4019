// The rule under which the settlement partner pays out, as the operator states it, and the most
// that one transfer may have. Sources: core/domain/law/duty.ts. This is no advice.
import { type Money, money } from '../base/money.js';

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
 * Whether the amount is certainly over the cap. A create knows no rate: an amount in a currency
 * that is worth more than a dollar is over it from the same number on; the partner judges the rest.
 */
export function isOverCap(regime: Regime, { amountMinor }: Money): boolean {
  const { cap }: RegimeRule = regimes[regime];
  return cap !== null && amountMinor > cap.amountMinor;
}
