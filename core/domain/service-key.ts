// A key that the service makes for itself and keeps sealed in its database: all hosts have the same
// ones, and they do not follow from a secret key. This file owns what such keys are for and when
// one counts. What is made with them is the use cases' matter.

/**
 * `session` signs sessions. `partner` makes idempotency keys at the settlement partner, so it is
 * never replaced: the same request under another key would be another request.
 */
export const serviceKeyPurposes = ['session', 'partner'] as const;
export type ServiceKeyPurpose = (typeof serviceKeyPurposes)[number];

/** 256 bits. */
export const SERVICE_KEY_BYTES = 32;

export interface ServiceKey {
  readonly id: string;
  readonly purpose: ServiceKeyPurpose;
  readonly sealed: string;
  readonly createdAtMs: number;
  /** From when on it does not count any more; null of the one current key of its purpose. */
  readonly endsAtMs: number | null;
  readonly version: number;
}

export function isInForce({ endsAtMs }: ServiceKey, nowMs: number): boolean {
  return endsAtMs === null || nowMs < endsAtMs;
}

/** What a key is sealed for: it opens as no other key. */
export function serviceKeyPurpose({ id }: Pick<ServiceKey, 'id'>): string {
  return `service-key:${id}`;
}
