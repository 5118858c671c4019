// The cap per transfer of the rule under which the partner pays out, in the currency of a transfer.
import { type Money, money, parseRate } from '../../domain/base/money.js';
import { capIn, regimes } from '../../domain/commands/regime.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { QuoteAnswer, SettlementPartner } from '../../ports/partner.js';

type Priced = Parameters<SettlementPartner['quote']>[0];
type Partner = Pick<SettlementPartner, 'quote'>;

/**
 * Null if there is no cap. Another currency has the cap at the rates of the partner for as many
 * units as `source`. PartnerUnavailable without both: what cannot be compared is not sent.
 */
export async function transferCap(
  { settings }: Pick<Deps, 'settings'>,
  partner: Partner,
  { source, destination }: Priced,
): Promise<Money | null> {
  const { cap }: { readonly cap: Money | null } = regimes[settings.regime];
  const { amountMinor, currency } = source;
  if (cap === null || currency === cap.currency) return cap;
  const asked = [money(amountMinor, cap.currency), source].map((one) =>
    partner.quote({ source: one, destination }),
  );
  const [rateOfCap, rate] = (await Promise.all(asked)).map(rateIn);
  if (!rateOfCap || !rate) throw new PonteError('PartnerUnavailable');
  return capIn(cap, rateOfCap, currency, rate);
}

/** A price for more than one transfer may have is none. PartnerUnavailable. */
export async function withinCap(
  deps: Pick<Deps, 'settings'>,
  partner: Partner,
  priced: Priced,
  answer: QuoteAnswer,
): Promise<QuoteAnswer> {
  if (answer.outcome !== 'done') return answer;
  const cap = await transferCap(deps, partner, priced);
  if (cap === null || priced.source.amountMinor <= cap.amountMinor) return answer;
  return { outcome: 'over_limit', limit: { period: 'transfer', left: cap, untilMs: null } };
}

function rateIn(answer: QuoteAnswer) {
  return answer.outcome === 'done' ? parseRate(answer.value.rate) : null;
}
