// The references of orders about money, which are their idempotency keys at the partner too. One
// follows from what is ordered: payment, kind and number; of a refund, from the pay-in that it
// takes from and the number of refunds of that pay-in. So an order that is made again after a
// restored backup has the same reference, and the partner knows it. A payment is named by its
// `externalId` where it has one: one that the backup lacks and that is created again orders the
// same. The key of the hash is in the database, made at the first start before any payment, so that
// every backup holds it.
import { createHmac } from 'node:crypto';
import type { CommandKind } from '../domain/partner-command.js';
import type { Payment } from '../domain/payment.js';

/** What names a payment in the references of its orders: unique, as `externalId` is. */
export function orderSubject({ id, orgId, mode, origin, externalId }: Payment): string {
  return externalId === null ? id : [orgId, mode, origin, externalId].join('.');
}

/**
 * 32 hex digits. `subject` is that of the payment; of a refund, the reference of its pay-in.
 * `number` counts the orders of this kind and subject from 1.
 */
export function orderReference(
  key: Uint8Array,
  order: { readonly subject: string; readonly kind: CommandKind; readonly number: number },
): string {
  const text = `${order.subject}.${order.kind}.${order.number}`;
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
}
