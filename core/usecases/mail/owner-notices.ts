// Mails to the owners of an organization about one of its payments: money that moved beside the
// status or after the end, an approval in live mode, and a buyer who was verified as somebody else.
// They are staged in the batch in which it happens.
import { isActiveMember } from '../../domain/access/member.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { type OwnerNoticePurpose, ownerNoticeCause } from '../../domain/mail/mail.js';
import { type DomainEvent, movedMoneyIn } from '../../domain/payments/event.js';
import type { Payment } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { stageNotice } from './mails.js';

/** One mail to each owner for each event; an intent has its events in two namespaces. */
export async function stageMoneyNotices(
  deps: Deps,
  tx: Tx,
  payment: Payment,
  events: readonly DomainEvent[],
): Promise<void> {
  const noticed = events.filter(
    (event) => event.type.startsWith(`${payment.origin}.`) && movedMoneyIn(event) !== null,
  );
  const causes = noticed.map(({ id }) => id);
  await stageOwnerNotices(deps, tx, payment, 'money_moved', causes);
}

/** One mail to each owner in live mode, who can cancel the payment before it is paid. */
export async function stageApprovalNotices(deps: Deps, tx: Tx, payment: Payment): Promise<void> {
  if (payment.mode === 'test') return;
  await stageOwnerNotices(deps, tx, payment, 'payment_approved', [payment.id]);
}

/** One mail to each owner, however often the buyer signs in. */
export function stageDifferNotices(deps: Deps, tx: Tx, payment: Payment): Promise<void> {
  return stageOwnerNotices(deps, tx, payment, 'buyer_differs', [payment.id]);
}

/** One mail to each owner for each cause. */
async function stageOwnerNotices(
  deps: Deps,
  tx: Tx,
  { id: paymentId, ...payment }: Payment,
  purpose: OwnerNoticePurpose,
  causes: readonly string[],
): Promise<void> {
  if (causes.length === 0) return;
  const members = await tx.members.list(payment.orgId);
  const owners = members.filter((one) => one.role === 'owner' && isActiveMember(one));
  const nowMs = deps.clock.nowMs();
  const subject = { kind: 'payment', paymentId } as const;
  const about = { ...tenantOf(payment), purpose, subject, locale: 'en' } as const;
  for (const objectId of causes) {
    for (const { id: memberId, email, emailKey: toKey } of owners) {
      const cause = ownerNoticeCause(purpose, objectId, memberId);
      stageNotice(deps, tx, { ...about, cause, to: email.trim(), toKey }, nowMs);
    }
  }
}
