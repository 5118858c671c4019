// Mails about a webhook subscription that gave up a delivery of live mode, for the members who can
// repair it. They are staged in the batch of the outcome.
import { scopesOf } from '../../domain/access/member.js';
import { DAY_MS } from '../../domain/base/instant.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { gaveUpCause, newMail } from '../../domain/mail/mail.js';
import type { WebhookDelivery } from '../../domain/webhooks/webhook-delivery.js';
import type { Batch } from '../service/batch.js';
import { memberMail } from './mails.js';

/** Each member gets a mail a day at most about one subscription. */
export async function stageGaveUpNotices(
  { deps, tx, nowMs }: Batch,
  delivery: WebhookDelivery,
): Promise<void> {
  const tenant = tenantOf(delivery);
  if (delivery.status !== 'dead_letter' || tenant.mode === 'test') return;
  const members = await tx.members.list(tenant.orgId);
  const day = Math.floor(nowMs / DAY_MS);
  const none = { nth: null, tokenHash: null, tokenSealed: null, codeHash: null, browserHash: null };
  for (const { id: memberId, role, email, emailKey, removedAtMs } of members) {
    if (removedAtMs !== null || !scopesOf(role).includes('webhooks:write')) continue;
    const mail = {
      ...memberMail(tenant),
      ...none,
      id: deps.ids.next('mail', nowMs),
      purpose: 'webhooks_gave_up',
      subject: { kind: 'member', memberId },
      cause: gaveUpCause(delivery.subscriptionId, day, memberId),
      to: email,
      toKey: emailKey,
      locale: 'en',
    } as const;
    tx.mails.insertOnce(newMail(mail, nowMs));
  }
}
