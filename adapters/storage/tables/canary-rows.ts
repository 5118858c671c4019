// The known texts by which secret keys are told: columns, rows and SQL.
import type { KeyCanary, Tx } from '../../../core/ports.js';
import { time } from '../database.js';
import { text, timeMs } from '../row.js';
import type { Staging } from '../staging.js';
import { defineTable } from '../table.js';

const keyCanaries = defineTable<KeyCanary>({
  name: 'key_canaries',
  key: { key_id: (canary) => canary.keyId },
  fixed: {
    sealed: (canary) => canary.sealed,
    created_at: (canary) => time(canary.createdAtMs),
  },
  changing: {},
  version: null,
  read: (row) => ({
    keyId: text(row, 'key_id'),
    sealed: text(row, 'sealed'),
    createdAtMs: timeMs(row, 'created_at'),
  }),
});

export function keyCanariesOf(staging: Staging): Tx['keyCanaries'] {
  return {
    list: () => staging.all(keyCanaries, 'select * from key_canaries order by key_id', []),
    insert: (canary) => staging.stage(keyCanaries.insert(canary)),
  };
}
