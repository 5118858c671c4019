// Reminders of the due date of an invoice: when they are due, and while which state they are sent.
// Each occasion is one notice, found by its cause, so that a crash neither repeats nor adds one.
import { DAY_MS, HOUR_MS } from '../base/instant.js';
import { schedules } from '../base/schedules.js';
import type { PaymentAggregate } from '../payments/change.js';
import { isPageOpen, type Payment } from '../payments/payment.js';
import { isBuyerAwaited } from '../payments/situation.js';
import { mailRules } from './mail.js';

/** The time of day in UTC: working hours in Europe and the Americas. */
const HOUR_OF_DAY_MS = 14 * HOUR_MS;

/** The next occasion after `afterMs`; null if there is none. `dueDate` is YYYY-MM-DD. */
export function nextReminderAtMs(dueDate: string | null, afterMs: number): number | null {
  if (dueDate === null) return null;
  const lastMs = Date.parse(`${dueDate}T00:00:00Z`) + HOUR_OF_DAY_MS;
  const [beforeMs] = schedules.reminder.waitsMs;
  return [lastMs - beforeMs, lastMs].find((atMs) => atMs > afterMs) ?? null;
}

/** The buyer was asked for money, and it, or a part of it, is awaited. */
export function isUnpaid(about: PaymentAggregate): boolean {
  return isPageOpen(about.payment) && isBuyerAwaited(about);
}

/**
 * The cause of the notice of an occasion; null if none is sent: it is too late, the invitation of
 * the last day says the same, or `isUnpaid` is false.
 */
export function reminderCause(about: PaymentAggregate, nowMs: number): string | null {
  const { id, remindAtMs, invitedAtMs } = about.payment;
  if (remindAtMs === null || nowMs < remindAtMs || !isUnpaid(about)) return null;
  const isLate = nowMs >= remindAtMs + mailRules.reminder.lifeMs;
  const isFresh = invitedAtMs !== null && nowMs < invitedAtMs + DAY_MS;
  return isLate || isFresh ? null : `reminder:${id}:${remindAtMs}`;
}

/** Order of invoices by their due day. */
export function earliestFirst(
  one: Pick<Payment, 'dueDate' | 'createdAtMs' | 'id'>,
  other: Pick<Payment, 'dueDate' | 'createdAtMs' | 'id'>,
): number {
  const [left, right] = [one.dueDate ?? '9999-12-31', other.dueDate ?? '9999-12-31'];
  if (left !== right) return left < right ? -1 : 1;
  return one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1);
}
