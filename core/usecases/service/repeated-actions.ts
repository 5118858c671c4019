// An action with an Idempotency-Key has one effect: the batch of the effect binds the key. A repeat
// changes nothing and reaches no partner, also with another body. Its answer names what differs.
import { hmacSha256 } from '../../domain/base/hmac.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { type BodyMacs, changedFields, type KeyOrigin } from '../../domain/payments/idempotency.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { currentKey } from './service-keys.js';

/** The actions that take a key, each with what it is done to. */
const actions = {
  invite: ['invoice', 'invited the buyer of another invoice'],
  invite_many: ['invoice', 'invited other buyers'],
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
  /** The fields that were sent, as repeats are compared by. Only their MACs are stored. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Binds the key with the batch of the effect; nothing without a key. */
export type BindKey = (tx: Tx, nowMs: number) => Promise<void>;

export const noKey: BindKey = async () => undefined;

export interface ActionEnd<T> {
  readonly value: T;
  /** The action was done under this key before. */
  readonly replayed: boolean;
  /** The fields of a repeat that differ from those of the first request. */
  readonly mismatch: readonly string[];
}

/** Stops the batch of a repeat that came while the first request was running. */
class Repeated extends Error {}

/**
 * `act` for the first request with the key, `current` for each repeat, with the fields that differ.
 * IdempotencyKeyConflict for a key under which the action was done to another resource.
 */
export async function onceByKey<T>(
  deps: Deps,
  tenant: Tenant,
  { action, key, id, body }: KeyedAction,
  act: (bindKey: BindKey) => Promise<T>,
  current: (mismatch: readonly string[]) => Promise<T>,
): Promise<ActionEnd<T>> {
  if (key === null) return { value: await act(noKey), replayed: false, mismatch: [] };
  const [origin, done] = actions[action];
  // No key of a create has a line end: they are printable.
  const ofAction = `${key}\n${action}`;
  const macs = await bodyMacs(deps, [tenant.orgId, tenant.mode, action, id], body);
  const find = async (tx: Tx) => {
    const bound = await tx.idempotency.find(tenant, ofAction);
    if (bound === null || bound.resourceId === id) return bound;
    throw new PonteError('IdempotencyKeyConflict', `This Idempotency-Key ${done}. Send a new key.`);
  };
  const repeat = async () => {
    const bound = await deps.store.run(find);
    if (bound === null) return null;
    const mismatch = bound.bodyMacs === null ? [] : changedFields(macs, bound.bodyMacs);
    if (mismatch.length > 0) deps.log.warn('a repeated action differs', { id, fields: mismatch });
    return { value: await current(mismatch), replayed: true, mismatch };
  };
  const before = await repeat();
  if (before !== null) return before;
  try {
    const value = await act(async (tx, nowMs) => {
      if ((await find(tx)) !== null) throw new Repeated();
      tx.idempotency.bind(tenant, ofAction, origin, id, nowMs, macs);
    });
    return { value, replayed: false, mismatch: [] };
  } catch (error) {
    const end = error instanceof Repeated ? await repeat() : null;
    if (end === null) throw error;
    return end;
  }
}

/** Hex digits: they tell two values apart, and are too few to find a CPF by. */
const MAC_LENGTH = 4;

async function bodyMacs(
  deps: Deps,
  context: readonly string[],
  body: KeyedAction['body'],
): Promise<BodyMacs> {
  const { bytes } = await currentKey(deps, 'partner');
  const sent = Object.entries(body).filter(([, value]) => value != null);
  const macs = sent.map(([name, value]) => {
    const text = JSON.stringify(['action-field', ...context, name, value]);
    return [name, hmacSha256(bytes).update(text).digest('hex').slice(0, MAC_LENGTH)];
  });
  return Object.fromEntries(macs);
}
