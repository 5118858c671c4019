// An action with an Idempotency-Key has one effect: the batch of the effect binds the key.
import type { Tenant } from '../../domain/base/tenant.js';
import type { KeyOrigin } from '../../domain/payments/idempotency.js';
import { PonteError } from '../../errors.js';
import type { Tx } from '../../ports/storage.js';

/** The actions that take a key, each with what it is done to. */
const actions = {
  invite: ['invoice', 'invited the buyer of another invoice'],
  accept_terms: ['connected_account', 'accepted the terms of another account'],
  submit: ['connected_account', 'submitted another account'],
  payout: ['connected_account', 'configured the payout of another account'],
} as const satisfies Readonly<Record<string, readonly [KeyOrigin, string]>>;

export interface KeyedAction {
  readonly action: keyof typeof actions;
  /** Null: nothing is recognized as a repeat. */
  readonly key: string | null;
  /** What the action is done to. */
  readonly id: string;
}

/**
 * Whether the action was done under this key. If not, the key is bound with this batch.
 * IdempotencyKeyConflict for a key under which it was done to another resource.
 */
export async function isRepeat(
  tx: Tx,
  tenant: Tenant,
  { action, key, id }: KeyedAction,
  nowMs: number,
): Promise<boolean> {
  if (key === null) return false;
  const [origin, done] = actions[action];
  // No key of a create has a line end: they are printable.
  const ofAction = `${key}\n${action}`;
  const bound = await tx.idempotency.find(tenant, ofAction);
  if (bound?.resourceId === id) return true;
  if (bound !== null) {
    throw new PonteError('IdempotencyKeyConflict', `This Idempotency-Key ${done}. Send a new key.`);
  }
  tx.idempotency.bind(tenant, ofAction, origin, id, nowMs);
  return false;
}
