// Groups concurrent work: items that arrive while all slots are busy form the next group, so groups
// grow with the load and no item waits for a group to fill. The queue is bounded in length, and
// each item's wait in time; beyond that the item is rejected.
import { PonteError } from '../../../core/errors.js';

const WAIT_MAX_MS = 3_000;
/** What a busy host processes in three seconds. More items are rejected immediately. */
const WAITING_MAX = 10_000;
const NOT_BEGUN =
  'The database is unavailable or overloaded. Nothing was changed; repeat after <n>s.';
const RETRY_AFTER_SECONDS = 2;

export interface Waiter {
  readonly reject: (error: unknown) => void;
}

/** The waiting items, as a worker sees them. */
export interface BatchQueue<Item> {
  /** Whether an item still waits. Items that time out from now on are rejected with `cause`. */
  isWanted(cause: unknown): boolean;
  /** The next group; empty when all items have timed out. */
  next(): readonly Item[];
  /**
   * Returns an untouched group to the queue; the deadlines of its items stay. Returns the empty
   * rest of the group.
   */
  requeue(group: readonly Item[]): readonly Item[];
}

export interface MicroBatcherOptions<Item> {
  readonly concurrency: number;
  readonly groupMax: number;
  /** Takes a group when it can process one, and settles each item; must not reject. */
  readonly work: (queue: BatchQueue<Item>) => Promise<void>;
  readonly waitMaxMs?: number;
  readonly waitingMax?: number;
}

export class MicroBatcher<Item extends Waiter> {
  readonly #options: Required<MicroBatcherOptions<Item>>;
  #waiting: Item[] = [];
  readonly #dueMs = new WeakMap<Item, number>();
  readonly #view: BatchQueue<Item>;
  /** Why no group could be processed. */
  #cause: unknown;
  #busy = 0;
  #scheduled = false;
  #deadline: NodeJS.Timeout | null = null;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(options: MicroBatcherOptions<Item>) {
    this.#options = { waitMaxMs: WAIT_MAX_MS, waitingMax: WAITING_MAX, ...options };
    this.#view = {
      isWanted: (cause) => {
        this.#cause = cause;
        return this.#waiting.length > 0;
      },
      next: () => this.#next(),
      requeue: (group) => {
        this.#waiting = [...group, ...this.#waiting];
        this.#refuseLate();
        this.#watch();
        return [];
      },
    };
  }

  /** Items of one turn of the event loop form one group. */
  add(item: Item): void {
    if (this.#waiting.length >= this.#options.waitingMax) {
      item.reject(refusal(this.#cause));
      return;
    }
    this.#dueMs.set(item, performance.now() + this.#options.waitMaxMs);
    this.#waiting.push(item);
    this.#watch();
    this.#schedule();
  }

  idle(): Promise<void> {
    if (this.#busy === 0 && this.#waiting.length === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  #schedule(): void {
    if (this.#scheduled || this.#busy >= this.#options.concurrency || this.#waiting.length === 0)
      return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#busy += 1;
    await this.#options.work(this.#view);
    this.#busy -= 1;
    this.#schedule();
    if (this.#busy > 0 || this.#waiting.length > 0) return;
    this.#idle?.resolve();
    this.#idle = null;
  }

  #next(): readonly Item[] {
    this.#cause = undefined;
    const group = this.#waiting.slice(0, this.#options.groupMax);
    this.#waiting = this.#waiting.slice(this.#options.groupMax);
    this.#schedule();
    return group;
  }

  /** One timer for all: the first item has the earliest deadline. */
  #watch(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#deadline !== null) return;
    const leftMs = Math.max(0, (this.#dueMs.get(first) ?? 0) - performance.now());
    this.#deadline = setTimeout(() => {
      this.#deadline = null;
      this.#refuseLate();
      this.#watch();
    }, leftMs).unref();
  }

  #refuseLate(): void {
    const nowMs = performance.now();
    const isLate = (item: Item) => (this.#dueMs.get(item) ?? 0) <= nowMs;
    const late = this.#waiting.filter(isLate);
    if (late.length > 0) this.#waiting = this.#waiting.filter((item) => !isLate(item));
    for (const { reject } of late) reject(refusal(this.#cause));
  }
}

function refusal(cause: unknown): PonteError {
  const message = NOT_BEGUN.replace('<n>', `${RETRY_AFTER_SECONDS}`);
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  return new PonteError('StoreUnavailable', message, { cause, retryAfterSeconds });
}
