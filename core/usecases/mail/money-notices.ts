// Mails to the owners of an organization about money that moved beside the status of a payment, or
// after its end: their books and their integration must follow. They are staged with the event.
import { tenantOf } from '../../domain/base/tenant.js';
import { moneyNoticeCause } from '../../domain/mail/mail.js';
import { type DomainEvent, movedMoneyIn } from '../../domain/payments/event.js';
import type { Payment } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { stageNotice } from './mails.js';

/** One mail to each owner for each event; an intent has its events in two namespaces. */
export async function stageMoneyNotices(
  deps: Deps,
  tx: Tx,
  { id: paymentId, origin, ...payment }: Payment,
  events: readonly DomainEvent[],
): Promise<void> {
  const told = events.filter(
    (event) => event.type.startsWith(`${origin}.`) && movedMoneyIn(event) !== null,
  );
  if (told.length === 0) return;
  const members = await tx.members.list(payment.orgId);
  const owners = members.filter((one) => one.role === 'owner' && one.removedAtMs === null);
  const nowMs = deps.clock.nowMs();
  const about = {
    ...tenantOf(payment),
    purpose: 'money_moved',
    subject: { kind: 'payment', paymentId },
    locale: 'en',
  } as const;
  for (const { id: eventId } of told) {
    for (const { id: memberId, email, emailKey: toKey } of owners) {
      const cause = moneyNoticeCause(eventId, memberId);
      stageNotice(deps, tx, { ...about, cause, to: email.trim(), toKey }, nowMs);
    }
  }
}
