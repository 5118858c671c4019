// The cap per transfer of the rule under which the partner pays out, in the currency of a transfer.
import { type Money, money, parseRate } from '../../domain/base/money.js';
import { capIn, regimes } from '../../domain/commands/regime.js';
import type { Deps } from '../../ports/deps.js';
import type { QuoteAnswer, SettlementPartner } from '../../ports/partner.js';

/**
 * Null if there is no cap. Another currency has the cap at the rates of the partner; without them a
 * unit counts as one of the cap.
 */
export async function transferCap(
  { settings }: Pick<Deps, 'settings'>,
  partner: Pick<SettlementPartner, 'quote'>,
  currency: string,
  destination: string,
): Promise<Money | null> {
  const { cap }: { readonly cap: Money | null } = regimes[settings.regime];
  if (cap === null || currency === cap.currency) return cap;
  const same = money(cap.amountMinor, currency);
  const asked = [cap, same].map((source) => partner.quote({ source, destination }));
  const [rateOfCap, rate] = (await Promise.all(asked)).map(rateIn);
  return rateOfCap && rate ? capIn(cap, rateOfCap, currency, rate) : same;
}

function rateIn(answer: QuoteAnswer) {
  return answer.outcome === 'done' ? parseRate(answer.value.rate) : null;
}
