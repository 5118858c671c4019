// Writes the log of an SQLite file (WAL) to the disk in the thread pool, where it does not block
// the event loop. SQLite itself syncs the log with each commit (`synchronous=full`) or only before
// a checkpoint (`synchronous=normal`): then an answer has to wait for this.
import { closeSync, fdatasync, openSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';

/** Resolves when all that was written to the file is on the disk. */
export type SyncFile = (fd: number) => Promise<void>;

export class WalSync {
  readonly #path: string;
  readonly #syncFile: SyncFile;
  #fd: number | null = null;

  /** The file of the database, which exists. */
  constructor(path: string, syncFile: SyncFile = promisify(fdatasync)) {
    // SQLite follows a symbolic link, and has the log beside its target.
    this.#path = `${realpathSync(path)}-wal`;
    this.#syncFile = syncFile;
  }

  /** Resolves when every commit made before this call is on the disk. */
  async run(): Promise<void> {
    // The log exists from the first commit until the last connection to the file closes. SQLite has
    // no locks on it, so it may be closed here (connection.ts).
    this.#fd ??= openSync(this.#path, 'r+');
    await this.#syncFile(this.#fd);
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }
}
