// The session's side of a writer in a separate thread. While the thread commits one group, the next
// one gathers here and the event loop continues.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PonteError } from '../../../core/errors.js';
import type { SqliteWriter, WriteBatch, WriterCounts } from './writer.js';
import { deserializeError, WriteRequestEncoder, type WriteResponse } from './writer-messages.js';

/** Its objects are short-lived: the values of one group. The default limit is 48 MB. */
const YOUNG_GENERATION_MB = 4;

/**
 * Batches per message; the rest is sent at the end of the turn. A turn that serves many requests is
 * long: if the thread waited for its end, the two threads would alternate.
 */
const MESSAGE_BATCHES = 16;

export class ThreadedWriter implements SqliteWriter {
  /** Resolves when the thread can write; rejects when it ends before that. */
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #request = new WriteRequestEncoder();
  readonly #beforeAnswers: () => void;
  #unanswered: WriteBatch[] = [];
  #scheduled = false;
  #unsent = 0;
  #isReady = false;
  #closing = false;
  #failure: Error | null = null;
  #counts: WriterCounts = { commits: 0, applied: 0 };

  constructor(path: string, beforeAnswers: () => void) {
    this.#beforeAnswers = beforeAnswers;
    const thread = new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(thread, {
      name: 'writer',
      workerData: path,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ready = promise.then(() => {
      this.#isReady = true;
    });
    this.#worker.once('message', () => {
      this.#worker.on('message', (answers: WriteResponse) => this.#answer(answers));
      resolve();
    });
    this.#worker.once('error', (error) => (this.#isReady ? this.#fail(error) : reject(error)));
    this.#ended = new Promise((ended) => {
      this.#worker.once('exit', () => {
        ended();
        const error = new Error("the writer's thread has ended");
        if (!this.#isReady) reject(error);
        else if (!this.#closing) this.#fail(error);
      });
    });
  }

  get counts(): WriterCounts {
    return this.#counts;
  }

  get hasFailed(): boolean {
    return this.#failure !== null;
  }

  add(batch: WriteBatch): void {
    if (this.#failure !== null) {
      batch.reject(new PonteError('StoreUnavailable', undefined, { cause: this.#failure }));
      return;
    }
    this.#unanswered.push(batch);
    this.#request.add(batch);
    this.#unsent += 1;
    if (this.#unsent === MESSAGE_BATCHES) this.#send();
    else this.#scheduleSend();
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (!this.#isReady) {
      await this.#worker.terminate();
      return;
    }
    this.#send();
    this.#worker.postMessage(null);
    await this.#ended;
  }

  #scheduleSend(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#unsent === 0) return;
    this.#unsent = 0;
    this.#worker.postMessage(this.#request.take());
  }

  #answer({ outcomes, counts }: WriteResponse): void {
    this.#counts = counts;
    this.#beforeAnswers();
    const answered = this.#unanswered.slice(0, outcomes.length);
    this.#unanswered = this.#unanswered.slice(outcomes.length);
    for (const [index, { resolve, reject }] of answered.entries()) {
      const outcome = outcomes[index] ?? [];
      if ('name' in outcome) reject(deserializeError(outcome));
      else resolve(outcome);
    }
  }

  /**
   * Only a bug, or a lack of memory, ends the thread. It ends the process too, as it would in this
   * thread: the outcome of unanswered batches is unknown until the next start.
   */
  #fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    const refusal = new PonteError('StoreUnavailable', undefined, { cause: error });
    for (const { reject } of this.#unanswered) reject(refusal);
    if (!this.#closing) throw error;
  }
}
