// The load of the queues, for the metrics and `ponte doctor`.
import type { Deps } from '../../ports/deps.js';
import type { QueueName } from '../../ports/storage.js';

/** Counts stop here, so that the read stays cheap. */
export const COUNTED_MAX = 10_000;

export type QueueReport = Awaited<ReturnType<typeof readQueueStats>>;

export interface QueueLoad {
  readonly due: number;
  /** How long the oldest row has been due; 0 if none is. */
  readonly lateMs: number;
}

export async function readQueueStats({ store, clock }: Pick<Deps, 'store' | 'clock'>) {
  const nowMs = clock.nowMs();
  const [stats, current] = await store.run((tx) =>
    Promise.all([tx.queueStats.read(nowMs, COUNTED_MAX), tx.epochs.current()]),
  );
  const { queues, oldestUndeliveredAtMs, unmatched, booksRead, reconciliations, ...attention } =
    stats;
  const { number: epoch, state, checkedAtMs } = current;
  // Another host's clock may be ahead.
  const since = (atMs: number | null) => (atMs === null ? 0 : Math.max(0, nowMs - atMs));
  const loads = Object.entries(queues).map(([name, { due, oldestDueAtMs }]) => {
    return [name, { due, lateMs: since(oldestDueAtMs) }] as const;
  });
  return {
    queues: Object.fromEntries(loads) as Record<QueueName, QueueLoad>,
    /** Age of the oldest undelivered event; 0 if there is none. */
    undeliveredMs: since(oldestUndeliveredAtMs),
    ...attention,
    /** Money that nobody ordered and that needs a decision; the oldest arrived so long ago. */
    unmatched: unmatched.map(({ oldestAtMs, ...sum }) => ({ ...sum, oldestMs: since(oldestAtMs) })),
    /** How long ago all books of a partner were last read completely. */
    booksRead: booksRead.map(({ atMs, ...books }) => ({ ...books, ageMs: since(atMs) })),
    /** What the last comparison with a partner found, and how long ago; null before the first. */
    reconciliations: reconciliations.map(({ partner, mode, last, dueAtMs }) => ({
      partner,
      mode,
      last: last === null ? null : { ...last, ageMs: since(last.endedAtMs) },
      /** For how long the next one has been due; 0 if it is not. */
      lateMs: since(dueAtMs),
    })),
    epoch,
    inQuarantine: state === 'quarantine',
    /** Whether every payment was reconciled with the partner since the epoch began. */
    isChecked: checkedAtMs !== null,
  };
}
