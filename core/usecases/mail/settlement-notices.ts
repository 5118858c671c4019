// Mails to the payee of a settled payment, with its proof: to the seller, or to the owners if the
// organization itself was paid. They are staged in the batch of the settlement, if the organization
// wants them.
import { isActiveMember } from '../../domain/access/member.js';
import { emailKey } from '../../domain/base/email-address.js';
import type { Locale } from '../../domain/base/locale.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { payeeLocale } from '../../domain/parties/connected-account.js';
import type { Payment } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
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
  const { addresses, locale } = await mailedPayee(tx, payment, payment.sellerExternalId);
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

interface MailedPayee {
  readonly addresses: readonly string[];
  readonly locale: Locale;
}

/** The seller of this externalId; null: the owners. */
async function mailedPayee(
  tx: Tx,
  tenant: Tenant,
  externalId: string | null,
): Promise<MailedPayee> {
  if (externalId === null) {
    const members = await tx.members.list(tenant.orgId);
    const owners = members.filter((one) => one.role === 'owner' && isActiveMember(one));
    return { addresses: owners.map(({ email }) => email), locale: payeeLocale(null) };
  }
  const seller = await tx.accounts.byExternalId(tenantOf(tenant), externalId);
  const email = seller?.email ?? null;
  return { addresses: email === null ? [] : [email], locale: payeeLocale(seller) };
}
