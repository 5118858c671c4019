// The references of orders about money, also their idempotency keys at the partner. A reference
// follows from payment, kind and number; for a refund, from its pay-in and number. So an order that
// is made again after a restore has the same reference. A payment with an `externalId` is named by
// it: if the backup lacks the payment and it is created again, its orders are the same. The key of
// the hash is created in the database before any payment, so that every backup contains it.
import { createHmac } from 'node:crypto';
import type { CommandDraft, CommandKind, MoneyCommand } from '../domain/partner-command.js';
import type { Payment } from '../domain/payment.js';

export function orderSubject({ id, orgId, mode, origin, externalId }: Payment): string {
  return externalId === null ? id : [orgId, mode, origin, externalId].join('.');
}

/** Of the next order of this kind, or of the next refund of this pay-in. `orders` are all known. */
export function nextReference(
  key: Uint8Array,
  payment: Payment,
  orders: readonly MoneyCommand[],
  { kind, payinId }: Pick<CommandDraft, 'kind' | 'payinId'>,
): string {
  const alike = orders.filter((order) => order.kind === kind && order.payinId === payinId);
  const subject = orders.find(({ id }) => id === payinId)?.reference ?? orderSubject(payment);
  return orderReference(key, { subject, kind, number: alike.length + 1 });
}

/**
 * 32 hex digits. `subject` is `orderSubject` or, for a refund, the reference of its pay-in.
 * `number` counts the orders of this kind and subject from 1.
 */
export function orderReference(
  key: Uint8Array,
  order: { readonly subject: string; readonly kind: CommandKind; readonly number: number },
): string {
  const text = `${order.subject}.${order.kind}.${order.number}`;
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
}
