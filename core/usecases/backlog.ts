// How much waits and since when, for whoever watches the service: its metrics and `ponte doctor`
// read this and nothing else. What is too much is for them to say.
import type { Backlog, Deps, QueueName } from '../ports.js';

/** Counts end here: more is as bad, and costs more to look at. */
export const COUNTED_MAX = 10_000;

export interface Waiting extends Omit<Backlog, 'queues' | 'oldestUndeliveredAtMs'> {
  readonly queues: Readonly<Record<QueueName, WaitingQueue>>;
  /** Age of the oldest event that a receiver is still owed; 0 when there is none. */
  readonly undeliveredMs: number;
  /** The epoch of the database, and whether it is in quarantine (epoch.ts). */
  readonly epoch: number;
  readonly inQuarantine: boolean;
  /** Whether the partner was asked about every payment since it began. */
  readonly isChecked: boolean;
}

export interface WaitingQueue {
  readonly due: number;
  /** For how long the oldest of it has been due; 0 when nothing is. */
  readonly lateMs: number;
}

export async function readBacklog({
  store,
  clock,
}: Pick<Deps, 'store' | 'clock'>): Promise<Waiting> {
  const nowMs = clock.nowMs();
  const [{ queues, oldestUndeliveredAtMs, ...needy }, current] = await store.run((tx) =>
    Promise.all([tx.backlog.read(nowMs, COUNTED_MAX), tx.epochs.current()]),
  );
  const { number: epoch, state, checkedAtMs } = current;
  // Another host's clock may be a little ahead.
  const since = (atMs: number | null) => (atMs === null ? 0 : Math.max(0, nowMs - atMs));
  const waiting = Object.entries(queues).map(([name, { due, oldestDueAtMs }]) => {
    return [name, { due, lateMs: since(oldestDueAtMs) }] as const;
  });
  return {
    queues: Object.fromEntries(waiting) as Record<QueueName, WaitingQueue>,
    undeliveredMs: Math.max(since(oldestUndeliveredAtMs), since(queues.outbox.oldestDueAtMs)),
    ...needy,
    ...{ epoch, inQuarantine: state === 'quarantine', isChecked: checkedAtMs !== null },
  };
}
