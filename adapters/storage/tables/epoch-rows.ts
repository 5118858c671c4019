// Epochs of the database: columns, rows, SQL, and the guard of batches that a quarantine refuses.
import {
  type Epoch,
  type EpochState,
  epochCauses,
  epochStates,
} from '../../../core/domain/epoch.js';
import { assert } from '../../../core/errors.js';
import type { Tx } from '../../../core/ports.js';
import { type Database, type StatementTemplate, time } from '../database.js';
import { integer, integerOrNull, oneOf, textOrNull, timeMs, timeMsOrNull } from '../row.js';
import { defineTable, rowName, templateSql, type Write } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

const epochs = defineTable<Epoch>({
  name: 'epochs',
  key: { number: (epoch) => epoch.number },
  fixed: {
    cause: (epoch) => epoch.cause,
    began_at: (epoch) => time(epoch.beganAtMs),
    timeline: (epoch) => epoch.timeline,
  },
  changing: {
    state: (epoch) => epoch.state,
    check_progress: (epoch) => epoch.checkProgress,
    checked_at: (epoch) => time(epoch.checkedAtMs),
    released_at: (epoch) => time(epoch.releasedAtMs),
    released_by: (epoch) => epoch.releasedBy,
    forced_because: (epoch) => epoch.forcedBecause,
  },
  version: (epoch) => epoch.version,
  read: (row) =>
    Object.freeze({
      number: integer(row, 'number'),
      cause: oneOf(row, 'cause', epochCauses),
      state: oneOf(row, 'state', epochStates),
      beganAtMs: timeMs(row, 'began_at'),
      timeline: integerOrNull(row, 'timeline'),
      checkProgress: textOrNull(row, 'check_progress'),
      checkedAtMs: timeMsOrNull(row, 'checked_at'),
      releasedAtMs: timeMsOrNull(row, 'released_at'),
      releasedBy: textOrNull(row, 'released_by'),
      forcedBecause: textOrNull(row, 'forced_because'),
      version: integer(row, 'version'),
    }),
});

const stateColumns = ['state'];
const lockingTemplate: StatementTemplate = {
  ...{ kind: 'expect', table: epochs.name },
  ...{ columns: stateColumns, key: stateColumns },
};
const guardTemplate: StatementTemplate = { ...lockingTemplate, unlocked: true };

/** Guards a batch that a quarantine refuses: one epoch is open, or none. */
export function expectOpen(template = guardTemplate): Write {
  const params = ['open' satisfies EpochState];
  const statement = { sql: templateSql(template), params, guards: epochs.name, template };
  return { table: epochs.name, row: rowName(params), kind: 'expect', statement };
}

/** A condition of claims: nothing is claimed in quarantine. `exists` would make SQLite sort. */
export const isOpenSql = `(${lastSql('state')}) = '${'open' satisfies EpochState}'`;

export async function isInQuarantine(database: Pick<Database, 'read'>): Promise<boolean> {
  const sql = 'select 1 as hit from epochs where state = $1';
  return (await database.read(sql, ['quarantine' satisfies EpochState])).length > 0;
}

export function epochsOf(unit: UnitOfWork): Tx['epochs'] {
  return {
    async current() {
      const current = await unit.first(epochs, lastSql('*'), []);
      assert(current !== null, 'a database has an epoch');
      return current;
    },
    list: () => unit.all(epochs, 'select * from epochs order by number', []),
    expectOpen: () => unit.stage(expectOpen(lockingTemplate)),
    insert: (epoch) => unit.stage(epochs.insert(epoch)),
    update: (epoch) => unit.stage(epochs.update(epoch)),
  };
}

/** Those before the last one are over. */
function lastSql(columns: string): string {
  return `select ${columns} from epochs order by number desc limit 1`;
}
