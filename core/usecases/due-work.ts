// Working on rows that are due: a row that fails neither stops the others nor blocks them.
import { isCode } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { DueCursor, DuePage } from '../ports/storage.js';

/**
 * Works on each item separately: one that fails is logged and stays due. Returns how many
 * succeeded, so that a worker whose items all fail pauses before it looks again.
 */
export async function eachSeparately<T>(
  deps: Deps,
  step: string,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<number> {
  const errors = await failuresOf(items, work);
  for (const error of errors) deps.log.error('a piece of work failed', { step, error });
  return items.length - errors.length;
}

/**
 * Works on rows that are due, each separately; returns how many succeeded. Rows that fail stay due.
 * If a whole page fails, the next page is taken, so that failing rows do not block others. Rejects
 * if all fail because the database is away or in quarantine, so that the worker backs off.
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
    const away = errors.find(
      (error) => isCode(error, 'StoreUnavailable') || isCode(error, 'InQuarantine'),
    );
    if (done === 0 && away !== undefined) throw away;
    for (const error of errors) deps.log.error('a piece of work failed', { step, error });
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
