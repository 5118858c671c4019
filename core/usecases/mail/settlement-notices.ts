// Mails to the payee of a settled payment, with its proof: to the seller, or to the owners if the
// organization itself was paid. They are staged in the batch of the settlement, if the organization
// wants them.
import { isActiveMember } from '../../domain/access/member.js';
import { emailKey } from '../../domain/base/email-address.js';
import { localeIn } from '../../domain/base/locale.js';
import { tenantOf } from '../../domain/base/tenant.js';
import type { Payment } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { stageNotice } from './mails.js';

/** One mail to each address for the first settlement of a payment. */
export async function stageSettlementNotice(deps: Deps, tx: Tx, payment: Payment): Promise<void> {
  const organization = await tx.organizations.get(payment.orgId);
  if (organization?.sendsSettlementNotices !== true) return;
  const { addresses, country } = await payeeOf(tx, payment);
  const byKey = new Map(addresses.map((to) => [emailKey(to), to.trim()]));
  const nowMs = deps.clock.nowMs();
  const purpose = 'payment_settled' as const;
  const subject = { kind: 'payment', paymentId: payment.id } as const;
  const about = { ...tenantOf(payment), purpose, subject, locale: localeIn(country) };
  for (const [index, [toKey, to]] of [...byKey].entries()) {
    const cause = `${payment.id}.${purpose}.${index}`;
    stageNotice(deps, tx, { ...about, cause, to, toKey }, nowMs);
  }
}

interface MailedPayee {
  readonly addresses: readonly string[];
  readonly country: string | null;
}

async function payeeOf(tx: Tx, payment: Payment): Promise<MailedPayee> {
  const { orgId, sellerExternalId } = payment;
  if (sellerExternalId === null) {
    const members = await tx.members.list(orgId);
    const owners = members.filter((one) => one.role === 'owner' && isActiveMember(one));
    return { addresses: owners.map(({ email }) => email), country: null };
  }
  const seller = await tx.accounts.byExternalId(tenantOf(payment), sellerExternalId);
  const email = seller?.email ?? null;
  return { addresses: email === null ? [] : [email], country: seller?.country ?? null };
}
