// Keys that the service generates for itself and stores sealed in its database. Every host uses the
// same keys, and none can be derived from a secret key.

/**
 * `session` signs session tokens. `partner` makes idempotency keys for the settlement partner. It
 * is never rotated: under another key, a retried request would count as a new one.
 */
export const serviceKeyPurposes = ['session', 'partner'] as const;
export type ServiceKeyPurpose = (typeof serviceKeyPurposes)[number];

export const SERVICE_KEY_BYTES = 32;

export interface ServiceKey {
  readonly id: string;
  readonly purpose: ServiceKeyPurpose;
  readonly sealed: string;
  readonly createdAtMs: number;
  /** Null for the current key; there is at most one per purpose. */
  readonly expiresAtMs: number | null;
  readonly version: number;
}

export function isCurrent({ expiresAtMs }: ServiceKey): boolean {
  return expiresAtMs === null;
}

export function isValid({ expiresAtMs }: ServiceKey, nowMs: number): boolean {
  return expiresAtMs === null || nowMs < expiresAtMs;
}

/** Binds the sealed text to its row. */
export function serviceKeyPurpose({ id }: Pick<ServiceKey, 'id'>): string {
  return `service-key:${id}`;
}
