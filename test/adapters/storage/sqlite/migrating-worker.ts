// One of many workers that open and migrate one file at the same time; it reports the health after.
import { parentPort, workerData } from 'node:worker_threads';
import { openSqliteStore } from '../../../../adapters/storage/sqlite/store.js';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';

interface Start {
  readonly path: string;
  /** Counts who is ready; the last one wakes all. */
  readonly barrier: Int32Array;
  readonly workers: number;
  /** Stores that this one opens side by side. */
  readonly stores: number;
}

const { path, barrier, workers, stores } = workerData as Start;
if (Atomics.add(barrier, 0, 1) + 1 === workers) {
  Atomics.notify(barrier, 0);
} else {
  for (let ready = Atomics.load(barrier, 0); ready < workers; ready = Atomics.load(barrier, 0)) {
    Atomics.wait(barrier, 0, ready);
  }
}
const healths = await Promise.all(
  Array.from({ length: stores }, async () => {
    // Nobody has a turn: one of many may wait long, and longer where the disk is slow.
    const store = openSqliteStore({ path, busyTimeoutMs: MINUTE_MS });
    await store.migrate();
    const health = await store.health();
    await store.close();
    return health;
  }),
);
parentPort?.postMessage(healths);
