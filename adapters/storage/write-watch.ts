// Whether the database takes writes. A full disk still answers reads, and finds room for some small
// writes. After a failed write, each health check writes a larger row until that succeeds.
import { randomBytes } from 'node:crypto';
import { isCode } from '../../core/errors.js';
import { type Database, timeParam } from './database.js';

const PROBE = 'write probe';
/** As text a third more: larger than a few free pages, in which a small row may still fit. */
const PROBE_BYTES = 49_152;

export class WriteWatch {
  readonly database: Database;
  #hasFailed = false;
  #probing: Promise<boolean> | null = null;
  #written: () => void = () => undefined;

  constructor(database: Database) {
    const watched = <T>(write: Promise<T>): Promise<T> => {
      write.then(
        () => this.#written(),
        (error: unknown) => {
          if (isCode(error, 'StoreUnavailable')) this.#hasFailed = true;
        },
      );
      return write;
    };
    this.database = {
      refusesAlone: database.refusesAlone,
      read: (...read) => database.read(...read),
      cached: (...query) => database.cached(...query),
      page: (...query) => database.page(...query),
      kept: (...query) => database.kept(...query),
      batch: (statements) => watched(database.batch(statements)),
      immediate: (...statement) => watched(database.immediate(...statement)),
      durable: () => database.durable(),
    };
  }

  onWrite(written: () => void): void {
    this.#written = written;
  }

  /** Tries a write only after one has failed: that a small one succeeded says nothing of others. */
  async isWritable(): Promise<boolean> {
    if (!this.#hasFailed) return true;
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }

  async #probe(): Promise<boolean> {
    try {
      // PostgreSQL compresses what repeats.
      const row = [PROBE, randomBytes(PROBE_BYTES).toString('base64'), timeParam(0)];
      await this.database.immediate(
        'insert into fingerprints (name, value, created_at) values ($1, $2, $3) ' +
          'on conflict (name) do update set value = excluded.value',
        row,
      );
      await this.database.immediate('delete from fingerprints where name = $1', [PROBE]);
      this.#hasFailed = false;
      return true;
    } catch {
      return false;
    }
  }
}
