// All connections to one server. A connection that was idle for a while is tested before use. A
// busy connection that the server does not work for is ended: it may be broken silently, for
// example behind a firewall that dropped its state.
import {
  closeSession,
  destroySession,
  inTime,
  type PostgresSession,
  type ServerIdentity,
} from './session.js';

const TRY_AFTER_IDLE_MS = 2_000;
const TRY_TIMEOUT_MS = 1_000;
const IDLE_MAX_MS = 10_000;
/** Work without an answer for this long is checked. */
export const DOUBT_AFTER_MS = 1_000;

/** Those of these sessions that the server works for. */
const workedForSql =
  "select pid from pg_stat_activity where pid = any($1) and state is distinct from 'idle'";

interface Idle {
  readonly session: PostgresSession;
  readonly sinceMs: number;
}

export class PostgresPool {
  readonly url: string;
  readonly server: ServerIdentity;
  readonly #pooled = new Set<PostgresSession>();
  readonly #unpooled = new Set<PostgresSession>();
  /** A stack: the most recently used session is at the end. */
  #idle: Idle[] = [];
  readonly #busySinceMs = new Map<PostgresSession, number>();
  readonly #sweep: NodeJS.Timeout;

  constructor(url: string, server: ServerIdentity) {
    this.url = url;
    this.server = server;
    this.#sweep = setInterval(() => this.#endLongIdle(), IDLE_MAX_MS / 2).unref();
  }

  get total(): number {
    return this.#pooled.size;
  }

  get idle(): number {
    return this.#idle.length;
  }

  /** `unpooled`: it ends with the pool, which does not hand it out. */
  add(session: PostgresSession, kind: 'pooled' | 'unpooled'): void {
    const sessions = kind === 'pooled' ? this.#pooled : this.#unpooled;
    sessions.add(session);
    session.client.once('end', () => {
      sessions.delete(session);
      this.#idle = this.#idle.filter((one) => one.session !== session);
    });
  }

  /** An idle session that answers; null when none is idle, `doubtful` when one did not answer. */
  async takeIdle(): Promise<PostgresSession | 'doubtful' | null> {
    const last = this.#idle.pop();
    if (last === undefined) return null;
    const { session, sinceMs } = last;
    if (performance.now() - sinceMs < TRY_AFTER_IDLE_MS) return session;
    try {
      await inTime(session.client, TRY_TIMEOUT_MS, () => session.client.query('select'));
      return session;
    } catch {
      // The others have been idle for longer.
      for (const one of [last, ...this.#idle.splice(0)]) destroySession(one.session);
      return 'doubtful';
    }
  }

  begin(session: PostgresSession): void {
    this.#busySinceMs.set(session, performance.now());
  }

  end(session: PostgresSession): void {
    this.#busySinceMs.delete(session);
  }

  release(session: PostgresSession): void {
    if (this.#pooled.has(session)) this.#idle.push({ session, sinceMs: performance.now() });
    else destroySession(session);
  }

  bytesReceived(): ReadonlyMap<PostgresSession, number> {
    return new Map(this.#all().map((session) => [session, bytesOf(session)]));
  }

  /** Whether any connection has received bytes since then. */
  hasReceivedSince(before: ReadonlyMap<PostgresSession, number>): boolean {
    return [...before].some(([session, bytes]) => bytesOf(session) > bytes);
  }

  /** Ends busy connections that the server does not work for, by a query on another one. */
  async endBroken(other: PostgresSession): Promise<void> {
    const nowMs = performance.now();
    const doubtful = [...this.#busySinceMs].filter(([, ms]) => nowMs - ms >= DOUBT_AFTER_MS);
    if (doubtful.length === 0) return;
    const pids = doubtful.map(([{ processId }]) => processId);
    const { rows } = await inTime(other.client, TRY_TIMEOUT_MS, () =>
      other.client.query<{ readonly pid: number }>(workedForSql, [pids]),
    );
    const alive = new Set(rows.map(({ pid }) => pid));
    for (const [session, sinceMs] of doubtful) {
      const isSame = this.#busySinceMs.get(session) === sinceMs;
      if (isSame && !alive.has(session.processId)) destroySession(session);
    }
  }

  destroy(): void {
    clearInterval(this.#sweep);
    for (const session of this.#all()) destroySession(session);
    this.#pooled.clear();
    this.#unpooled.clear();
    this.#idle = [];
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all(this.#all().map(closeSession));
  }

  #all(): readonly PostgresSession[] {
    return [...this.#pooled, ...this.#unpooled];
  }

  #endLongIdle(): void {
    const beforeMs = performance.now() - IDLE_MAX_MS;
    const [long, rest] = [
      this.#idle.filter(({ sinceMs }) => sinceMs < beforeMs),
      this.#idle.filter(({ sinceMs }) => sinceMs >= beforeMs),
    ];
    this.#idle = rest;
    for (const { session } of long) void closeSession(session);
  }
}

function bytesOf({ client }: PostgresSession): number {
  const { stream } = client.connection;
  return 'bytesRead' in stream ? Number(stream.bytesRead) : 0;
}
