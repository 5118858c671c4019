// Mails that remind buyers of the due date of an invoice, if the organization wants it.
import { emailKey } from '../../domain/base/email-address.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { nextReminderAtMs, reminderCause } from '../../domain/mail/reminder.js';
import { readDisplay } from '../../domain/payments/display.js';
import type { Payment } from '../../domain/payments/payment.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { stageNotice } from '../mail/mails.js';
import { eachDue } from '../service/due-work.js';
import { loadPayment } from './payment-store.js';

/** Returns how many payments had a reminder due. */
export async function runReminders(deps: Deps, nowMs: number, limit: number): Promise<number> {
  return eachDue(
    deps,
    'reminders',
    { nowMs, limit },
    {
      read: (page) => deps.store.claims.paymentsToRemind(page),
      cursorOf: ({ id, remindAtMs }) => ({ id, dueAtMs: remindAtMs ?? nowMs }),
      work: (payment) => remind(deps, payment, nowMs),
    },
  );
}

/** One batch stages the mail and the next occasion. */
async function remind(deps: Deps, payment: Payment, nowMs: number): Promise<void> {
  const tenant = tenantOf(payment);
  await deps.store.run(async (tx) => {
    const [was, organization] = await Promise.all([
      loadPayment(tx, tenant, payment.id),
      tx.organizations.get(tenant.orgId),
    ]);
    assert(organization !== null, 'an organization stays');
    const { buyer, buyerLocale, display, dueDate, remindAtMs } = was.payment;
    if (remindAtMs === null || remindAtMs > nowMs) return;
    const cause = organization.sendsReminders ? reminderCause(was, nowMs) : null;
    tx.payments.update({ ...was.payment, remindAtMs: nextReminderAtMs(dueDate, nowMs) });
    if (cause === null) return;
    const notice = {
      ...tenant,
      purpose: 'reminder',
      cause,
      subject: { kind: 'payment', paymentId: payment.id },
      to: buyer.email.trim(),
      toKey: emailKey(buyer.email),
      locale: buyerLocale ?? readDisplay(display)?.locale ?? 'en',
    } as const;
    stageNotice(deps, tx, notice, nowMs);
  });
  deps.wake('mails');
}
