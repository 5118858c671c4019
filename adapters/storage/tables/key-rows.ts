// Key canaries and marks, which a start checks, and the service's own keys: columns, rows and SQL.
import { type KeyState, keyStates } from '../../../core/domain/sealed-text.js';
import { type ServiceKey, serviceKeyPurposes } from '../../../core/domain/service-key.js';
import type { KeyCanary, StorageFingerprint, Tx } from '../../../core/ports.js';
import { type StatementTemplate, time } from '../database.js';
import { integer, oneOf, text, timeMs, timeMsOrNull } from '../row.js';
import { defineTable, rowName, templateSql, type Write } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

const keyCanaries = defineTable<KeyCanary>({
  name: 'key_canaries',
  key: { key_id: (canary) => canary.keyId },
  fixed: {
    sealed: (canary) => canary.sealed,
    created_at: (canary) => time(canary.createdAtMs),
  },
  changing: { state: (canary) => canary.state },
  version: (canary) => canary.version,
  read: (row) =>
    Object.freeze({
      keyId: text(row, 'key_id'),
      sealed: text(row, 'sealed'),
      state: oneOf(row, 'state', keyStates),
      createdAtMs: timeMs(row, 'created_at'),
      version: integer(row, 'version'),
    }),
});

const inUseKey = ['key_id', 'state'];
const inUseTemplate: StatementTemplate = {
  ...{ kind: 'expect', table: keyCanaries.name },
  ...{ columns: inUseKey, key: inUseKey },
};

/** Guards a batch that contains a text sealed under this key. */
export function expectInUse(keyId: string): Write {
  const params = [keyId, 'in_use' satisfies KeyState];
  const statement = {
    ...{ sql: templateSql(inUseTemplate), params },
    ...{ guards: keyCanaries.name, template: inUseTemplate },
  };
  return { table: keyCanaries.name, row: rowName(params), kind: 'expect', statement };
}

export function keyCanariesOf(unit: UnitOfWork): Tx['keyCanaries'] {
  return {
    list: () => unit.all(keyCanaries, 'select * from key_canaries order by key_id', []),
    insert: (canary) => unit.stage(keyCanaries.insert(canary)),
    update: (canary) => unit.stage(keyCanaries.update(canary)),
    remove: (canary) => unit.stage(keyCanaries.remove(canary)),
  };
}

const marks = defineTable<StorageFingerprint>({
  name: 'marks',
  key: { name: (mark) => mark.name },
  fixed: {
    value: (mark) => mark.value,
    created_at: (mark) => time(mark.createdAtMs),
  },
  changing: {},
  version: null,
  read: (row) => ({
    name: text(row, 'name'),
    value: text(row, 'value'),
    createdAtMs: timeMs(row, 'created_at'),
  }),
});

export function storageFingerprintsOf(unit: UnitOfWork): Tx['storageFingerprints'] {
  return {
    get: (name) => unit.byKey(marks, [name], 'select * from marks where name = $1', [name]),
    insert: (mark) => unit.stage(marks.insert(mark)),
  };
}

export const serviceKeys = defineTable<ServiceKey>({
  name: 'service_keys',
  key: { id: (key) => key.id },
  fixed: {
    purpose: (key) => key.purpose,
    sealed: (key) => key.sealed,
    created_at: (key) => time(key.createdAtMs),
  },
  changing: { expires_at: (key) => time(key.expiresAtMs) },
  version: (key) => key.version,
  sealed: 'sealed',
  read: (row) =>
    Object.freeze({
      id: text(row, 'id'),
      purpose: oneOf(row, 'purpose', serviceKeyPurposes),
      sealed: text(row, 'sealed'),
      createdAtMs: timeMs(row, 'created_at'),
      expiresAtMs: timeMsOrNull(row, 'expires_at'),
      version: integer(row, 'version'),
    }),
});

export function serviceKeysOf(unit: UnitOfWork): Tx['serviceKeys'] {
  return {
    list: (purpose) =>
      unit.all(serviceKeys, 'select * from service_keys where purpose = $1 order by id', [purpose]),
    insert: (key) => unit.stage(serviceKeys.insert(key)),
    update: (key) => unit.stage(serviceKeys.update(key)),
    remove: (key) => unit.stage(serviceKeys.remove(key)),
  };
}
