// Processes due rows: a row that fails does not stop the others.
import { isCode } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { DueCursor, DuePage } from '../../ports/storage.js';

/** An item that fails is logged and stays due. Returns how many succeeded. */
export async function eachSeparately<T>(
  deps: Deps,
  step: string,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<number> {
  const errors = await failuresOf(items, work);
  for (const error of errors) deps.log.error('a due row could not be processed', { step, error });
  return items.length - errors.length;
}

/**
 * Processes due rows; returns how many succeeded. Rows that fail are logged and stay due. If a
 * whole page fails, the next one is read. Rejects if all fail because the database is unavailable
 * or in quarantine, so that the worker backs off.
 */
export async function eachDue<T>(
  deps: Deps,
  step: string,
  { nowMs, limit }: Omit<DuePage, 'after'>,
  rows: {
    readonly read: (page: DuePage) => Promise<readonly T[]>;
    readonly cursorOf: (row: T) => DueCursor;
    readonly work: (row: T) => Promise<void>;
  },
): Promise<number> {
  for (let after: DueCursor | null = null; ; ) {
    const due = await rows.read({ nowMs, limit, after });
    const errors = await failuresOf(due, rows.work);
    const done = due.length - errors.length;
    const unavailable = errors.find(
      (error) => isCode(error, 'StoreUnavailable') || isCode(error, 'InQuarantine'),
    );
    if (done === 0 && unavailable !== undefined) throw unavailable;
    for (const error of errors) deps.log.error('a due row could not be processed', { step, error });
    const last = due.at(-1);
    if (done > 0 || last === undefined || due.length < limit) return done;
    after = rows.cursorOf(last);
  }
}

async function failuresOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<readonly unknown[]> {
  const outcomes = await Promise.allSettled(items.map((item) => work(item)));
  return outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
}
