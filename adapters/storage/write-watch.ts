// Whether the database takes writes. A full disk still answers reads, so the last write counts in
// health. After a failed write, each health check tries a small write, so that health recovers
// without other work.
import { isCode } from '../../core/errors.js';
import { type Database, timeParam } from './database.js';

const PROBE = 'write probe';
/** Larger than a few free pages: a small row may still fit on a full disk. */
const PROBE_BYTES = 65_536;

export class WriteWatch {
  /** The given database, with its writes observed. */
  readonly database: Database;
  #hasFailed = false;
  #probing: Promise<boolean> | null = null;
  #written: () => void = () => undefined;

  constructor(database: Database) {
    const watched = <T>(write: Promise<T>): Promise<T> => {
      write.then(
        () => {
          this.#hasFailed = false;
          this.#written();
        },
        (error: unknown) => {
          if (isCode(error, 'StoreUnavailable')) this.#hasFailed = true;
        },
      );
      return write;
    };
    this.database = {
      read: (...read) => database.read(...read),
      batch: (statements) => watched(database.batch(statements)),
      immediate: (...statement) => watched(database.immediate(...statement)),
    };
  }

  /** Called after each write that succeeded. */
  onWrite(written: () => void): void {
    this.#written = written;
  }

  /** Tries a write only if the last one failed. */
  async isWritable(): Promise<boolean> {
    if (!this.#hasFailed) return true;
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }

  async #probe(): Promise<boolean> {
    try {
      const row = [PROBE, '0'.repeat(PROBE_BYTES), timeParam(0)];
      await this.database.immediate(
        'insert into storage_fingerprints (name, value, created_at) values ($1, $2, $3) ' +
          'on conflict (name) do update set value = excluded.value',
        row,
      );
      await this.database.immediate('delete from storage_fingerprints where name = $1', [PROBE]);
      return true;
    } catch {
      return false;
    }
  }
}
