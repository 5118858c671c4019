// Samples of keys stored in the database, like those of domain-samples.ts.
import type { ServiceKey } from '../../core/domain/service-key.js';
import type { KeyCanary } from '../../core/ports.js';
import { T0 } from './domain-samples.js';

/** A rotated key. */
export function aServiceKey(fields: Partial<ServiceKey> = {}): ServiceKey {
  return {
    id: 'skey_1',
    purpose: 'session',
    sealed: 'sealed',
    createdAtMs: T0,
    expiresAtMs: T0 + 1,
    version: 1,
    ...fields,
  };
}

export function aCanary(fields: Partial<KeyCanary> = {}): KeyCanary {
  const { keyId = 'first' } = fields;
  const sealed = `sealed under ${keyId}`;
  return { keyId, sealed, state: 'in_use', createdAtMs: T0, version: 1, ...fields };
}
