// A webhook subscription: where a tenant's events are sent, which of them, and the secret that
// signs them. Deleting is for ever; the row and its deliveries stay to be read.
import type { Tenant } from './tenant.js';

/** Active subscriptions of one tenant at most; a list has all of them, */
export const SUBSCRIPTIONS_MAX = 100;
/** and of the deleted ones so many, the newest. */
export const DELETED_LISTED_MAX = 100;

export interface Subscription extends Tenant {
  readonly id: string;
  readonly url: string;
  /** Exact event types, `<namespace>.*`, or `*`. */
  readonly eventTypes: readonly string[];
  readonly active: boolean;
  /** Taken while it is active, see slot.ts; null of one that an earlier version created. */
  readonly slot: number | null;
  /** `whsec_<base64>`, sealed by the secret box; the text itself is shown once. */
  readonly secretSealed: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** Binds a sealed secret to its subscription. */
export function secretPurpose({ id }: Pick<Subscription, 'id'>): string {
  return `webhook_secret:${id}`;
}
