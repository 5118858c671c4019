// A webhook subscription: the URL and types of events of a tenant, and the secret that signs them.
// A deletion is final; the row and its deliveries can still be read.
import type { Tenant } from '../base/tenant.js';

/** Active subscriptions of one tenant. A list contains all of them. */
export const SUBSCRIPTIONS_MAX = 100;
/** A list contains this many of the latest deleted subscriptions. */
export const DELETED_LISTED_MAX = 100;

export interface Subscription extends Tenant {
  readonly id: string;
  readonly url: string;
  /** Exact event types, `<namespace>.*`, or `*`. */
  readonly eventTypes: readonly string[];
  readonly active: boolean;
  /** Nothing is sent; what happens in the pause is sent after it. */
  readonly paused: boolean;
  /** Occupied while the subscription is active (slot.ts); null: it counts for no limit. */
  readonly slot: number | null;
  /** `whsec_<base64>`, sealed by the secret box; the text itself is shown once. */
  readonly secretSealed: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

export function secretPurpose({ id }: Pick<Subscription, 'id'>): string {
  return `webhook_secret:${id}`;
}
