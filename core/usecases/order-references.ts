// The references of orders about money, which are their idempotency keys at the partner too. One
// follows from what is ordered: payment, kind and number. So an order that is made again after a
// restored backup has the same reference, and the partner knows it.
//
// The key of the hash is random and lies in the database, so that every backup holds it. It only
// makes references unguessable for those who know a payment's id; it protects nothing else, which
// is why it is not sealed and survives a change of the secret keys.
import { createHmac } from 'node:crypto';
import type { CommandKind } from '../domain/partner-command.js';
import type { Deps, Tx } from '../ports.js';

const MARK = 'order-references';
const KEY_BYTES = 32;

type Needs = Pick<Deps, 'ids' | 'clock'>;

/** Made at the first start, before any payment, so that no backup is without it. */
export async function makeReferenceKey(deps: Needs & Pick<Deps, 'store'>): Promise<void> {
  await deps.store.run((tx) => referenceKey(deps, tx));
}

/** The key of this database; where it was never served, it is made with the first order. */
export async function referenceKey({ ids, clock }: Needs, tx: Tx): Promise<string> {
  const mark = await tx.marks.get(MARK);
  if (mark !== null) return mark.value;
  const value = Buffer.from(ids.randomBytes(KEY_BYTES)).toString('hex');
  tx.marks.insert({ name: MARK, value, createdAtMs: clock.nowMs() });
  return value;
}

/** 32 hex digits. `number` counts the orders of this kind and payment from 1. */
export function orderReference(
  key: string,
  order: { readonly paymentId: string; readonly kind: CommandKind; readonly number: number },
): string {
  const text = `${order.paymentId}.${order.kind}.${order.number}`;
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
}
