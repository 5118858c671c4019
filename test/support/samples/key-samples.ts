// Samples of keys and epochs stored in the database, like those of domain-samples.ts.
import type { Epoch } from '../../../core/domain/service/epoch.js';
import type { KeyCheckValue } from '../../../core/domain/service/sealed-text.js';
import type { ServiceKey } from '../../../core/domain/service/service-key.js';
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

export function aCheckValue(fields: Partial<KeyCheckValue> = {}): KeyCheckValue {
  const { keyId = 'first' } = fields;
  const sealed = `sealed under ${keyId}`;
  return { keyId, sealed, state: 'in_use', createdAtMs: T0, version: 1, ...fields };
}

/** One that is over. */
export function anEpoch(fields: Partial<Epoch> = {}): Epoch {
  return {
    number: 7,
    cause: 'lost_commits',
    state: 'over',
    beganAtMs: T0,
    timeline: 3,
    checkProgress: '{}',
    checkedAtMs: T0 + 1,
    releasedAtMs: T0 + 2,
    releasedBy: 'ana',
    forcedBecause: null,
    version: 1,
    ...fields,
  };
}
