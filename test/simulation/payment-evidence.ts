// A payment as the invariants see it: its rows as they read now, every status that it ever had, and
// what of it must be read again after a batch.
import type { Funds } from '../../core/domain/funds.js';
import type { PartnerCommand } from '../../core/domain/partner-command.js';
import type { Payment, PaymentStatus } from '../../core/domain/payment.js';
import type { Tenant } from '../../core/domain/tenant.js';
import type { Advance, StoredPosting, Tx } from '../../core/ports.js';

export interface PaymentEvidence {
  readonly payment: Payment;
  readonly funds: Funds;
  readonly commands: readonly PartnerCommand[];
  readonly postings: readonly StoredPosting[];
  readonly advance: Advance | null;
  /** Every status that a committed batch stored, in order. */
  readonly statuses: readonly PaymentStatus[];
}

export const allParts = ['payments', 'funds', 'commands', 'ledger', 'advances'] as const;
export type Part = (typeof allParts)[number];

/** Of a payment that was read before, only the parts that changed. */
export async function readParts(
  tx: Tx,
  tenant: Tenant,
  id: string,
  was: PaymentEvidence | undefined,
  parts: ReadonlySet<Part>,
): Promise<Omit<PaymentEvidence, 'statuses'> | null> {
  const has = (part: Part) => was === undefined || parts.has(part);
  const payment = has('payments') ? await tx.payments.get(tenant, id) : was?.payment;
  const funds = has('funds') ? await tx.funds.get(tenant, id) : was?.funds;
  if (!payment || !funds) return null;
  const { commands = [], postings = [], advance = null } = was ?? {};
  return {
    payment,
    funds,
    commands: has('commands') ? await tx.commands.ofPayment(tenant, id) : commands,
    postings: has('ledger') ? await tx.ledger.ofPayment(tenant, id) : postings,
    advance: has('advances') ? await tx.advances.get(tenant, id) : advance,
  };
}

/** Sign-in of a verified buyer passes buyer_kyc_pending within one batch, but of an invoice. */
export function walk({ payment, statuses }: PaymentEvidence): readonly PaymentStatus[] {
  if (payment.origin === 'invoice') return statuses;
  return statuses.flatMap((status, index) =>
    status === 'buyer_kyc_approved' && statuses[index - 1] === 'awaiting_buyer'
      ? ['buyer_kyc_pending', status]
      : [status],
  );
}
