// Epochs of the database: columns, rows, SQL, and the guard of batches that a quarantine refuses.
import {
  type Epoch,
  type EpochState,
  epochCauses,
  epochStates,
} from '../../../core/domain/epoch.js';
import { assert } from '../../../core/errors.js';
import type { Tx } from '../../../core/ports.js';
import { time } from '../database.js';
import { integer, oneOf, textOrNull, timeMs, timeMsOrNull } from '../row.js';
import type { Staging } from '../staging.js';
import { defineTable } from '../table.js';

const epochs = defineTable<Epoch>({
  name: 'epochs',
  key: { number: (epoch) => epoch.number },
  fixed: {
    cause: (epoch) => epoch.cause,
    began_at: (epoch) => time(epoch.beganAtMs),
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
      checkProgress: textOrNull(row, 'check_progress'),
      checkedAtMs: timeMsOrNull(row, 'checked_at'),
      releasedAtMs: timeMsOrNull(row, 'released_at'),
      releasedBy: textOrNull(row, 'released_by'),
      forcedBecause: textOrNull(row, 'forced_because'),
      version: integer(row, 'version'),
    }),
});

const currentSql = 'select * from epochs where state <> $1 order by number desc limit 1';

export function epochsOf(staging: Staging): Tx['epochs'] {
  return {
    async current() {
      const current = await staging.first(epochs, currentSql, ['over' satisfies EpochState]);
      assert(current !== null, 'a database has an epoch');
      return current;
    },
    list: () => staging.all(epochs, 'select * from epochs order by number', []),
    insert: (epoch) => staging.stage(epochs.insert(epoch)),
    update: (epoch) => staging.stage(epochs.update(epoch)),
  };
}
