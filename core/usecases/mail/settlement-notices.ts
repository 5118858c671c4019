// Mails to the payee of a settled payment, with its proof: to the seller, or to the owners if the
// organization itself was paid. They are staged in the batch of the settlement, if the organization
// wants them.
import { emailKey } from '../../domain/base/email-address.js';
import { tenantOf } from '../../domain/base/tenant.js';
import type { Payment } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { mailedPayee } from './mailed-payee.js';
import { stageNotice } from './mails.js';

/** One mail to each address for a settlement: the first, or that of this event. */
export async function stageSettlementNotice(
  deps: Deps,
  tx: Tx,
  payment: Payment,
  eventId: string | null,
): Promise<void> {
  const organization = await tx.organizations.get(payment.orgId);
  if (organization?.sendsSettlementNotices !== true) return;
  const { sellerExternalId: name } = payment;
  const seller = name === null ? null : await tx.accounts.byExternalId(tenantOf(payment), name);
  const { addresses, locale } = await mailedPayee(tx, payment, seller);
  const byKey = new Map(addresses.map((to) => [emailKey(to), to.trim()]));
  const nowMs = deps.clock.nowMs();
  const purpose = 'payment_settled' as const;
  const subject = { kind: 'payment', paymentId: payment.id } as const;
  const about = { ...tenantOf(payment), purpose, subject, locale };
  for (const [index, [toKey, to]] of [...byKey].entries()) {
    const cause = `${eventId ?? payment.id}.${purpose}.${index}`;
    stageNotice(deps, tx, { ...about, cause, to, toKey }, nowMs);
  }
}
