// Secret keys: the check values, which a start compares, and the service's own keys, sealed.
import {
  type KeyCheckValue,
  type KeyState,
  keyStates,
} from '../../../core/domain/service/sealed-text.js';
import { type ServiceKey, serviceKeyPurposes } from '../../../core/domain/service/service-key.js';
import { oneOf, text, time, version } from '../columns.js';
import { defineTable, rowName, templated, type Write } from '../table.js';
import { type CachedJoin, type TxPart, writes } from '../unit-of-work.js';

const keyCheckValues = defineTable<KeyCheckValue>('key_check_values', {
  keyId: text('key_id').key(),
  sealed: text('sealed').fixed(),
  state: oneOf('state', keyStates),
  createdAtMs: time('created_at').fixed(),
  version,
});

const inUse = templated({
  kind: 'expect',
  table: keyCheckValues.name,
  columns: ['key_id', 'state'],
  key: ['key_id', 'state'],
});

/** Guards a batch that contains a text sealed under this key. */
export function expectInUse(keyId: string): Write {
  const params = [keyId, 'in_use' satisfies KeyState];
  return inUse(rowName(params), params);
}

export const keyCheckValuesPart: TxPart<'keyCheckValues'> = {
  ...writes(keyCheckValues),
  list: (unit) => unit.all(keyCheckValues, 'order by key_id', []),
};

export const serviceKeys = defineTable<ServiceKey>('service_keys', {
  id: text('id').key(),
  purpose: oneOf('purpose', serviceKeyPurposes).fixed(),
  sealed: text('sealed').sealed().fixed(),
  createdAtMs: time('created_at').fixed(),
  expiresAtMs: time.null('expires_at'),
  version,
});

const keysOfPurpose: CachedJoin<ServiceKey> = {
  tables: [serviceKeys],
  sql: 'select * from service_keys where purpose = $1 order by id',
  on: { service_keys: [] },
  read: serviceKeys.read,
  expect: (found) => [serviceKeys.expect(found)],
};

export const serviceKeysPart: TxPart<'serviceKeys'> = {
  ...writes(serviceKeys),
  list: (unit, purpose) => unit.cached(keysOfPurpose, [purpose]),
};
