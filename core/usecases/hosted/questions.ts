// Questions of buyers about a payment: an event with the text, from which the timeline and webhooks
// have it, and a mail to the contact of the organization, which answers to the buyer's address.
import { emailKey } from '../../domain/base/email-address.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { newMail } from '../../domain/mail/mail.js';
import { paymentEvents, questionEventTypes } from '../../domain/payments/event.js';
import type { Payment } from '../../domain/payments/payment.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { takeQuestionSlot } from '../service/rate-limits.js';
import { stageEvents } from '../webhooks/feed.js';

export interface AskedQuestion {
  /** A repeat with this id asks nothing. */
  readonly mailId: string;
  /** As `readQuestion` returns it. */
  readonly question: string;
}

/** NotFound without an address that answers; RateLimitExceeded. */
export async function askQuestion(
  deps: Deps,
  { id: paymentId, ...payment }: Payment,
  { mailId: id, question }: AskedQuestion,
): Promise<void> {
  const tenant = tenantOf(payment);
  const isAsked = await deps.store.run(async (tx) => (await tx.mails.get(tenant, id)) !== null);
  if (isAsked) return;
  await takeQuestionSlot(deps, paymentId);
  await deps.store.run(async (tx) => {
    const [repeated, organization, current] = await Promise.all([
      tx.mails.get(tenant, id),
      tx.organizations.get(tenant.orgId),
      tx.payments.get(tenant, paymentId),
    ]);
    if (repeated !== null) return;
    const to = organization?.supportEmail ?? null;
    if (to === null || current === null) throw new PonteError('NotFound');
    const nowMs = deps.clock.nowMs();
    const drafts = questionEventTypes(current).map((type) => ({
      type,
      payment: current,
      occurredAtMs: nowMs,
      question,
    }));
    const events = paymentEvents(drafts, () => deps.ids.next('evt', nowMs));
    const mail = {
      ...tenant,
      id,
      purpose: 'question',
      subject: { kind: 'payment', paymentId },
      cause: events[0]?.id ?? '',
      to,
      toKey: emailKey(to),
      nth: null,
      locale: 'en',
      tokenHash: null,
      tokenSealed: null,
      codeHash: null,
      browserHash: null,
    } as const;
    tx.mails.insert(newMail(mail, nowMs));
    await stageEvents(deps, tx, events);
  });
  deps.wake('mails');
}
