// The connections of one process, all to one server: the newest that accepts writes. When that
// server hangs or is replaced, all its connections are closed, that of the channel included. A
// caller waits a bounded time for a connection: this bridges an outage of seconds and fails in a
// longer one.
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { PonteError, StoreRefusal } from '../../../core/errors.js';
import {
  failureOf,
  READ_ONLY,
  refusalOf,
  sqlState,
  TOO_MANY_CONNECTIONS,
  unavailable,
} from './errors.js';
import { Permits } from './permits.js';
import { DOUBT_AFTER_MS, PostgresPool } from './pool.js';
import { isSameServer, PostgresServers, reasonIn, UnfitServer } from './servers.js';
import {
  closeSession,
  destroySession,
  openSession,
  type PostgresSession,
  type ServerIdentity,
} from './session.js';

/** Each one is a backend process of the server; all hosts share `max_connections`. */
const CONNECTIONS_MAX = 10;
const ACQUIRE_TIMEOUT_MS = 3_000;
const RETRY_PAUSE_MS = 100;
/** Longer than statement_timeout: a commit also waits for its standby. */
const ANSWER_TIMEOUT_MS = 35_000;
const DOUBT_EVERY_MS = 2_000;
/** SQLSTATE of the warning that a commit was not confirmed by its synchronous standby. */
const WARNING = '01000';

export interface PostgresOptions {
  /**
   * May name several hosts, separated by commas: the newest that accepts writes is used. TLS has
   * libpq's parameters (`sslmode`, `sslrootcert`, `sslcert`, `sslkey`). With TLS the server is
   * always verified, except in the mode `no-verify`.
   */
  readonly url: string;
  readonly acquireTimeoutMs?: number;
  /** How long one piece of work may occupy a connection. */
  readonly answerTimeoutMs?: number;
}

/**
 * What happens when the connection ends during the work. `repeatable` changes nothing and is
 * repeated. `once` is not: its outcome is unknown. `long` is an operator's work without a time
 * limit, on a connection that is closed after it.
 */
export type Work = 'once' | 'repeatable' | 'long';

export type OnSession<T> = (client: pg.ClientBase, server: ServerIdentity) => Promise<T>;

export interface PostgresConnections {
  /**
   * Runs `work` on an exclusive connection. Throws StoreUnavailable when none is free in time, when
   * the connection ends during the work, or when a statement exceeds its limit. `isWanted` replaces
   * the time limit for a connection: it is called after each failed attempt.
   */
  use<T>(kind: Work, work: OnSession<T>, isWanted?: (cause: unknown) => boolean): Promise<T>;
  /**
   * A connection outside the pool to the same server. It ends when the pool leaves the server.
   * Throws StoreUnavailable if there is none.
   */
  connect(): Promise<pg.Client>;
  /** Switches to a newer server, and away from one that does not answer. */
  look(): Promise<void>;
  /** Records the log position that an acknowledged commit has reached on this server. */
  acknowledged(server: ServerIdentity, position: number | bigint | null): void;
  /**
   * Calls `listener` with the timeline of a promoted server that lacks acknowledged commits, or
   * may lack them. Until its promise resolves, only `whileSuspended` can use the server. The
   * promise must not reject.
   */
  onLostCommits(listener: (timeline: number) => Promise<void>): void;
  /** For the first work on a server that lacks commits. */
  readonly whileSuspended: Pick<PostgresConnections, 'use' | 'acknowledged'>;
  readonly counts: { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

export function postgresConnections(options: PostgresOptions): PostgresConnections {
  return new Connections(options);
}

interface Use<T> {
  readonly kind: Work;
  readonly work: OnSession<T>;
  readonly isWanted: ((cause: unknown) => boolean) | undefined;
  readonly isSuspended: () => boolean;
}

interface Taken {
  readonly session: PostgresSession;
  readonly pool: PostgresPool;
}

class Connections implements PostgresConnections {
  readonly #servers: PostgresServers;
  readonly #permits = new Permits(CONNECTIONS_MAX);
  readonly #acquireTimeoutMs: number;
  readonly #answerTimeoutMs: number;
  #pool: PostgresPool | null = null;
  #looking: Promise<void> | null = null;
  #acknowledged: { readonly timeline: number; readonly position: number | bigint } | null = null;
  #lostCommitsListener: ((timeline: number) => Promise<void>) | null = null;
  /** The server that lacks commits, until the listener has finished. */
  #suspended: PostgresPool | null = null;
  #closed = false;

  constructor({
    url,
    acquireTimeoutMs = ACQUIRE_TIMEOUT_MS,
    answerTimeoutMs = ANSWER_TIMEOUT_MS,
  }: PostgresOptions) {
    this.#servers = new PostgresServers(url);
    this.#acquireTimeoutMs = acquireTimeoutMs;
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  get counts() {
    const [total, idle] = [this.#pool?.total ?? 0, this.#pool?.idle ?? 0];
    return { total, idle, waiting: this.#permits.waiting };
  }

  readonly whileSuspended: PostgresConnections['whileSuspended'] = {
    use: (kind, work, isWanted) => this.#use({ kind, work, isWanted, isSuspended: () => false }),
    acknowledged: (server, position) => this.acknowledged(server, position),
  };

  use<T>(kind: Work, work: OnSession<T>, isWanted?: (cause: unknown) => boolean): Promise<T> {
    return this.#use({ kind, work, isWanted, isSuspended: () => this.#suspended !== null });
  }

  async #use<T>({ kind, work, isWanted, isSuspended }: Use<T>): Promise<T> {
    // Every pooled connection may be broken, or have statements of an older schema.
    for (let left = CONNECTIONS_MAX; ; left -= 1) {
      const taken = await this.#acquire(isSuspended, isWanted);
      const watch = this.#watched(taken, kind);
      let isReusable = false;
      try {
        const value = await work(taken.session.client, taken.session.server);
        if (watch.isUnconfirmed()) throw new Error('the standby has not confirmed the commit');
        isReusable = kind !== 'long';
        return value;
      } catch (error) {
        const failure = watch.isUnconfirmed() ? 'lost' : failureOf(error);
        isReusable = failure === null && kind !== 'long';
        // The server is no longer the primary.
        if (sqlState(error) === READ_ONLY) await this.look().catch(() => undefined);
        const again = failure === 'undone' || (failure === 'lost' && kind === 'repeatable');
        if (again && left > 0 && !watch.isOverdue()) continue;
        throw failure === null ? refusalOf(error) : unavailable(error);
      } finally {
        watch.end();
        this.#release(taken, isReusable);
      }
    }
  }

  async connect(): Promise<pg.Client> {
    try {
      await this.look();
      if (this.#pool === null) throw new Error('the server was lost');
      return (await this.#open(this.#pool, 'unpooled')).session.client;
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  acknowledged({ timeline }: ServerIdentity, position: number | bigint | null): void {
    if (timeline === null || position === null) return;
    const last = this.#acknowledged;
    const isLater = last === null || last.timeline < timeline || last.position < position;
    if (isLater) this.#acknowledged = { timeline, position };
  }

  onLostCommits(listener: (timeline: number) => Promise<void>): void {
    this.#lostCommitsListener = listener;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#looking?.catch(() => undefined);
    const pool = this.#pool;
    // A connection that is opened later is not added to this pool, but destroyed.
    this.#pool = null;
    await pool?.close();
  }

  async #acquire(
    isSuspended: () => boolean,
    isWanted?: (cause: unknown) => boolean,
  ): Promise<Taken> {
    const timeoutMs = this.#acquireTimeoutMs;
    const deadlineMs = performance.now() + timeoutMs;
    if (!(await this.#permits.take(isWanted === undefined ? timeoutMs : null))) {
      throw unavailable(new Error('all connections are in use'));
    }
    for (;;) {
      try {
        const taken = await this.#take();
        if (!isSuspended()) return taken;
        taken.pool.release(taken.session);
        throw new Error('the server lacks commits, and the quarantine is not stored yet');
      } catch (cause) {
        const isOver = isWanted === undefined ? performance.now() >= deadlineMs : !isWanted(cause);
        const isFinal = cause instanceof StoreRefusal || cause instanceof PonteError;
        if (isFinal || isOver) {
          this.#permits.give();
          throw isFinal ? cause : unavailable(cause);
        }
        await wait(RETRY_PAUSE_MS);
      }
    }
  }

  async #take(): Promise<Taken> {
    if (this.#closed) throw unavailable(new Error('the store was closed'));
    if (this.#pool === null) await this.look();
    const pool = this.#pool;
    if (pool === null) throw new Error('the server was lost');
    const idle = await pool.takeIdle();
    if (idle === 'doubtful') {
      await this.look();
      return this.#take();
    }
    return idle === null ? this.#open(pool, 'pooled') : { pool, session: idle };
  }

  async #open(pool: PostgresPool, kind: 'pooled' | 'unpooled'): Promise<Taken> {
    const session = await openSession(pool.url).catch(async (error: unknown) => {
      await this.look();
      throw error;
    });
    try {
      this.#servers.admit(session);
    } catch (error) {
      await this.look();
      throw error;
    }
    if (pool !== this.#pool) {
      destroySession(session);
      throw new Error('the pool has switched to another server');
    }
    // The name may lead to another server now.
    const used = isSameServer(session.server, pool.server) ? pool : this.#turnTo(session);
    used.add(session, kind);
    return { pool: used, session };
  }

  #release({ pool, session }: Taken, isReusable: boolean): void {
    if (isReusable) pool.release(session);
    else void closeSession(session);
    this.#permits.give();
  }

  async #lookOnce(): Promise<void> {
    const pool = this.#pool;
    const bytesBefore = pool?.bytesReceived() ?? new Map();
    const { session, failures } = await this.#servers.find();
    if (session === null) {
      const isLeft = pool !== null && !isThere(failures.get(pool.url), pool, bytesBefore);
      if (isLeft && pool === this.#pool) this.#leave(pool);
      throw reasonIn(failures);
    }
    if (this.#closed) {
      await closeSession(session);
      throw new Error('the store was closed');
    }
    const isUsed = pool !== null && pool === this.#pool && !failures.has(pool.url);
    if (isUsed && isSameServer(session.server, pool.server)) {
      await pool.endBroken(session).catch(() => undefined);
      await closeSession(session);
    } else {
      const next = this.#turnTo(session);
      next.add(session, 'pooled');
      next.release(session);
    }
  }

  /** Closes everything that is open to the previous server, the channel included. */
  #turnTo({ url, server }: PostgresSession): PostgresPool {
    const left = this.#pool;
    const next = new PostgresPool(url, server);
    this.#pool = next;
    left?.destroy();
    if (this.#mayLackCommits(server)) this.#hold(next);
    return next;
  }

  /**
   * After several promotions the newest timeline counts: no timeline begins before the one that it
   * follows. Its beginning is unknown after a restart of the server.
   */
  #mayLackCommits({ timeline, beginsAt }: ServerIdentity): boolean {
    const last = this.#acknowledged;
    if (last === null || timeline === null || timeline <= last.timeline) return false;
    return beginsAt === null || beginsAt < last.position;
  }

  /** Reported once: from now on the commits of this server count. */
  #hold(pool: PostgresPool): void {
    const { timeline } = pool.server;
    this.#acknowledged = null;
    if (this.#lostCommitsListener === null || timeline === null) return;
    this.#suspended = pool;
    void this.#lostCommitsListener(timeline).then(() => {
      if (this.#suspended === pool) this.#suspended = null;
    });
  }

  #leave(pool: PostgresPool): void {
    this.#pool = null;
    pool.destroy();
  }

  /** Watches work that waits for an answer. `long` work has no limit. */
  #watched({ pool, session }: Taken, kind: Work): Watch {
    let warned = false;
    let late = false;
    const noted = ({ code }: { readonly code?: string | undefined }) => {
      if (code === WARNING) warned = true;
    };
    session.client.on('notice', noted);
    const cutOff = () => {
      late = true;
      destroySession(session);
    };
    const timeout = kind === 'long' ? undefined : setTimeout(cutOff, this.#answerTimeoutMs);
    let doubt: NodeJS.Timeout | undefined;
    const doubtAfter = (ms: number) => {
      doubt = setTimeout(() => {
        this.look().catch(() => undefined);
        doubtAfter(DOUBT_EVERY_MS);
      }, ms);
    };
    if (kind !== 'long') {
      pool.begin(session);
      doubtAfter(DOUBT_AFTER_MS);
    }
    return {
      isUnconfirmed: () => warned,
      isOverdue: () => late,
      end: () => {
        pool.end(session);
        clearTimeout(timeout);
        clearTimeout(doubt);
        session.client.off('notice', noted);
      },
    };
  }
}

interface Watch {
  /**
   * A server whose wait for the synchronous standby was cancelled commits locally. Only a warning
   * distinguishes this commit from a confirmed one.
   */
  isUnconfirmed(): boolean;
  isOverdue(): boolean;
  end(): void;
}

/** Whether the server works although it refused a connection: a pooler may be full. */
function isThere(
  failure: unknown,
  pool: PostgresPool,
  bytesBefore: ReadonlyMap<PostgresSession, number>,
) {
  if (failure instanceof UnfitServer) return false;
  return sqlState(failure) === TOO_MANY_CONNECTIONS || pool.hasReceivedSince(bytesBefore);
}
