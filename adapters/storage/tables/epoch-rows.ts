// Epochs of the database: columns, SQL, and the guard of batches that a quarantine refuses.
import {
  type Epoch,
  type EpochState,
  epochCauses,
  epochStates,
} from '../../../core/domain/service/epoch.js';
import { assert } from '../../../core/errors.js';
import { integer, oneOf, text, time, version } from '../columns.js';
import type { Database, StatementTemplate } from '../database.js';
import { defineTable, templated, type Write } from '../table.js';
import { type CachedJoin, type TxPart, writes } from '../unit-of-work.js';

const epochs = defineTable<Epoch>('epochs', {
  number: integer('number').key(),
  cause: oneOf('cause', epochCauses).fixed(),
  state: oneOf('state', epochStates),
  beganAtMs: time('began_at').fixed(),
  timeline: integer.null('timeline').fixed(),
  checkProgress: text.null('check_progress'),
  checkedAtMs: time.null('checked_at'),
  releasedAtMs: time.null('released_at'),
  releasedBy: text.null('released_by'),
  forcedBecause: text.null('forced_because'),
  version,
});

const stateIsOpen: StatementTemplate = {
  kind: 'expect',
  table: epochs.name,
  columns: ['state'],
  key: ['state'],
};
const locked = templated(stateIsOpen);
/** Every batch has this guard: hosts must not share a lock for it. */
const unlocked = templated({ ...stateIsOpen, unlocked: true });

/** Guards a batch that a quarantine refuses: exactly one epoch is open. */
export function expectNoQuarantine(guard: typeof locked = unlocked): Write {
  return guard('open' satisfies EpochState, ['open']);
}

/** Those before the last one are over. */
const lastOne = 'order by number desc limit 1';

/** A condition of claims: nothing is claimed in quarantine. `exists` would make SQLite sort. */
export const isOpenSql = `(select state from epochs ${lastOne}) = '${'open' satisfies EpochState}'`;

const everyEpoch: CachedJoin<Epoch> = {
  tables: [epochs],
  sql: 'select * from epochs order by number',
  on: { epochs: [] },
  read: epochs.read,
  expect: (epoch) => [epochs.expect(epoch)],
};
const currentEpoch: CachedJoin<Epoch> = { ...everyEpoch, sql: `select * from epochs ${lastOne}` };

export async function isInQuarantine(database: Pick<Database, 'read'>): Promise<boolean> {
  const sql = 'select 1 as hit from epochs where state = $1';
  return (await database.read(sql, ['quarantine' satisfies EpochState])).length > 0;
}

export const epochsPart: TxPart<'epochs'> = {
  ...writes(epochs),
  async current(unit) {
    const current = await unit.firstCached(currentEpoch, []);
    assert(current !== null, 'a database has an epoch');
    return current;
  },
  list: (unit) => unit.cached(everyEpoch, []),
  expectNoQuarantine: (unit) => unit.stage(expectNoQuarantine(locked)),
};
