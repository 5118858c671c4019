// Keys that lie in the database, for tests that need some: what domain-samples.ts is for the rest.
import type { ServiceKey } from '../../core/domain/service-key.js';
import type { KeyCanary } from '../../core/ports.js';
import { T0 } from './domain-samples.js';

/** Replaced, and still counting. */
export function aServiceKey(fields: Partial<ServiceKey> = {}): ServiceKey {
  return {
    id: 'skey_1',
    purpose: 'session',
    sealed: 'sealed',
    createdAtMs: T0,
    endsAtMs: T0 + 1,
    version: 1,
    ...fields,
  };
}

export function aCanary(fields: Partial<KeyCanary> = {}): KeyCanary {
  const { keyId = 'first' } = fields;
  const sealed = `sealed under ${keyId}`;
  return { keyId, sealed, state: 'in_use', createdAtMs: T0, version: 1, ...fields };
}
