// Rings the workers when something falls due. An idle host knows the next due instant of each queue
// and sleeps until then: it looks again after its own writes and, for those of other processes,
// once a second. A wake-up that was missed is made up for by that look.
import type { ServedStore } from '../adapters/storage/store.js';
import type { NextDue, Queue } from '../adapters/storage/upkeep.js';
import { SECOND_MS } from '../core/domain/instant.js';
import type { WorkerStep, WorkSignals } from './workers.js';

const LOOK_EVERY_MS = SECOND_MS;
/** Looks after writes are this far apart, so that many writes cost few looks. */
const REST_MS = 25;
/** A look at long queues takes longer: looks take a twentieth of the time at most. */
const REST_PER_LOOK = 20;

export function dueAlarm(
  store: Pick<ServedStore, 'nextDue' | 'writeMark' | 'onWrite'>,
  signals: Pick<WorkSignals, 'heard'>,
): WorkerStep {
  let known: { readonly mark: number | null; readonly due: NextDue } | null = null;
  let lookedAtMs = 0;
  let restMs = REST_MS;
  store.onWrite(() => {
    if (known === null) return;
    known = null;
    signals.heard('write');
  });

  const look = async (): Promise<NextDue> => {
    const mark = store.writeMark();
    // Other processes write beside this one: what cannot be seen by a mark is looked at.
    if (known !== null && mark !== null && mark === known.mark) return known.due;
    const reading = { mark, due: {} as NextDue };
    known = reading;
    const startedMs = performance.now();
    try {
      const due = await store.nextDue();
      // A write meanwhile has made it unknown again.
      if (known === reading) known = { mark, due };
      const spentMs = performance.now() - startedMs;
      restMs = Math.min(LOOK_EVERY_MS, Math.max(REST_MS, REST_PER_LOOK * spentMs));
      return due;
    } catch (error) {
      known = null;
      throw error;
    }
  };

  return {
    name: 'due work',
    wokenBy: ['write'],
    pollMs: LOOK_EVERY_MS,
    restMs: () => restMs,
    async run(nowMs) {
      lookedAtMs = nowMs;
      for (const [queue, dueAtMs] of Object.entries(await look())) {
        if (dueAtMs !== null && dueAtMs <= nowMs) signals.heard(queue as Queue);
      }
      return 0;
    },
    nextDueAtMs: () => {
      const later = Object.values<number | null>(known?.due ?? {})
        .filter((atMs) => atMs !== null)
        .filter((atMs) => atMs > lookedAtMs);
      return later.length === 0 ? null : Math.min(...later);
    },
  };
}
