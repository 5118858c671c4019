// Wakes workers when work falls due. An idle host sleeps until the next due time of its queues. It
// reads these times again after its own writes, and once a second for writes of other processes;
// that poll also makes up for missed wake-ups.
import type { NextDue, Queue } from '../adapters/storage/due-times.js';
import type { ServedStore } from '../adapters/storage/store.js';
import { SECOND_MS } from '../core/domain/base/instant.js';
import type { WorkerStep, WorkSignals } from './workers.js';

const POLL_MS = SECOND_MS;
/** The minimum time between two reads. */
const PAUSE_MS = 25;
/** Reads of long queues take longer: at most a twentieth of the time is spent on them. */
const PAUSE_PER_READ = 20;

export function dueAlarm(
  store: Pick<ServedStore, 'nextDue' | 'writeMark' | 'onWrite'>,
  signals: Pick<WorkSignals, 'wakeLocal'>,
): WorkerStep {
  let known: { readonly mark: number | null; readonly due: NextDue } | null = null;
  let readAtMs = 0;
  let pauseMs = PAUSE_MS;
  let lastMark = store.writeMark();
  store.onWrite(() => {
    if (known === null) return;
    known = null;
    signals.wakeLocal('write');
  });

  const readDue = async (): Promise<NextDue> => {
    const mark = store.writeMark();
    // Without a mark, writes of other processes can only be detected by a read.
    if (known !== null && mark !== null && mark === known.mark) return known.due;
    const reading = { mark, due: {} as NextDue };
    known = reading;
    const startedMs = performance.now();
    try {
      const due = await store.nextDue();
      // Unless a write has happened since.
      if (known === reading) known = { mark, due };
      const spentMs = performance.now() - startedMs;
      pauseMs = Math.min(POLL_MS, Math.max(PAUSE_MS, PAUSE_PER_READ * spentMs));
      return due;
    } catch (error) {
      known = null;
      throw error;
    }
  };

  return {
    name: 'due work',
    wokenBy: ['write'],
    pollMs: POLL_MS,
    pauseMs: () => pauseMs,
    async run(nowMs) {
      readAtMs = nowMs;
      const mark = store.writeMark();
      // Events of another process wake no reader of this one.
      if (mark !== lastMark) signals.wakeLocal('feed');
      lastMark = mark;
      for (const [queue, dueAtMs] of Object.entries(await readDue())) {
        if (dueAtMs !== null && dueAtMs <= nowMs) signals.wakeLocal(queue as Queue);
      }
      return 0;
    },
    nextDueAtMs: () => {
      const later = Object.values<number | null>(known?.due ?? {})
        .filter((atMs) => atMs !== null)
        .filter((atMs) => atMs > readAtMs);
      return later.length === 0 ? null : Math.min(...later);
    },
  };
}
