// A price without a payment: what a seller would receive. Nothing is stored, and nobody can confirm
// it; the buyer's own quote may differ.
import type { Money } from '../../domain/base/money.js';
import type { Tenant } from '../../domain/base/tenant.js';
import type { QuoteTerms } from '../../domain/commands/quote.js';
import { PARTY_BLOCKED } from '../../domain/parties/party-due.js';
import type { AmountLimit } from '../../domain/payments/amount-limit.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { expectAccepted } from '../service/partner-calls.js';
import { takePreviewSlot } from '../service/rate-limits.js';
import { checkCreate } from './payments.js';
import { withinCap } from './transfer-cap.js';

interface PreviewInput {
  readonly amount: Money;
  /** Null: the organization itself is paid. */
  readonly sellerExternalId: string | null;
}

/** One of the two is null. */
export interface QuotePreview {
  readonly terms: QuoteTerms | null;
  readonly limit: AmountLimit | null;
}

/**
 * Refused like a create of this payment; ValidationError if the partner gives no price,
 * PreviewLimitExceeded, PartnerUnavailable.
 */
export async function previewQuote(
  deps: Deps,
  tenant: Tenant,
  { amount, sellerExternalId }: PreviewInput,
): Promise<QuotePreview> {
  const input = { origin: 'payment_intent', amount, sellerExternalId, expiresAtMs: null } as const;
  const reads = await deps.store.run(async (tx) => {
    const [named, seller] = await Promise.all([
      tx.organizations.named(tenant),
      sellerExternalId === null ? null : tx.accounts.byExternalId(tenant, sellerExternalId),
    ]);
    return { named, seller, organization: null };
  });
  const checked = checkCreate(deps, tenant, input, reads, deps.clock.nowMs());
  if (checked instanceof PonteError) throw checked;
  const partner = deps.partners[tenant.mode];
  assert(partner !== null, 'a create without a partner is refused');
  await takePreviewSlot(deps, tenant);
  const priced = { source: amount, destination: checked.destination };
  const answer = await withinCap(deps, partner, priced, await partner.quote(priced));
  if (answer.outcome === 'over_limit') {
    if (answer.limit.period === 'transfer') throw new PonteError('AmountAboveCap');
    return { terms: null, limit: answer.limit };
  }
  if (answer.outcome === 'refused' && answer.code === PARTY_BLOCKED) {
    throw new PonteError('PartnerUnavailable');
  }
  return { terms: expectAccepted(answer), limit: null };
}
