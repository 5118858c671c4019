// A webhook subscription: where a tenant's events are sent, which of them, and the secret that
// signs them. Deleting is for ever; the row and its deliveries stay to be read.
import type { Tenant } from './tenant.js';

/** Active subscriptions of one tenant at most; lists return all of them whole. */
export const SUBSCRIPTIONS_MAX = 100;

export interface Subscription extends Tenant {
  readonly id: string;
  readonly url: string;
  /** Exact event types, `<namespace>.*`, or `*`. */
  readonly eventTypes: readonly string[];
  readonly active: boolean;
  /** `whsec_<base64>`, sealed by the secret box; the text itself is shown once. */
  readonly secretSealed: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** What a secret is sealed for: copied to another subscription it does not open. */
export function secretPurpose({ id }: Pick<Subscription, 'id'>): string {
  return `webhook_secret:${id}`;
}
