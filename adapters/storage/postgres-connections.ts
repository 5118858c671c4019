// Connections to PostgreSQL: how a session is set up, which of several hosts takes writes, and what
// an error says about the connection. A request waits a bounded time for a connection, so that an
// outage of seconds is bridged and a longer one is answered.
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { assert, PonteError } from '../../core/errors.js';

/** Each takes a backend process of the server; several hosts share its `max_connections`. */
const CONNECTIONS_MAX = 10;
const ACQUIRE_TIMEOUT_MS = 3_000;
const ATTEMPT_TIMEOUT_MS = 2_000;
const RETRY_PAUSE_MS = 100;
const RETRY_AFTER_SECONDS = 2;
/** Longer than the server takes for any statement: it is gone, or waits for its standby. */
const ANSWER_TIMEOUT_MS = 35_000;
/** A host that is gone without a word is noticed this long after its last one, and ten probes. */
const KEEP_ALIVE_AFTER_MS = 5_000;
/** What a server says of a statement that waited too long for a lock, or took too long: undone. */
const TOO_LONG: readonly unknown[] = ['55P03', '57014'];
const TOO_LONG_MESSAGE =
  'The database took too long, for what others do with it perhaps. Nothing was changed; repeat ' +
  `after ${RETRY_AFTER_SECONDS}s.`;
/**
 * SQLSTATEs of a server whose machine fails: no disk space, memory or connections (class 53), I/O
 * errors (class 58), damaged data. The transaction is rolled back.
 */
const MACHINE_FAILS = /^(53|58|XX00[12])/;
/** How a server says, of a commit, that it gave up waiting for its synchronous standby. */
const WARNING = '01000';

/**
 * Sessions of the store: nothing takes longer than a request may; what a host that vanished without
 * a word holds (the lead over all hosts among it) is free within seconds, not hours; and every
 * statement has its index, whatever the planner thinks of a table that was small when the statement
 * was prepared.
 */
const sessionSettings = {
  application_name: 'ponte',
  timezone: 'UTC',
  statement_timeout: '30s',
  lock_timeout: '10s',
  idle_in_transaction_session_timeout: '30s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
} as const;

const sessionOptions = Object.entries(sessionSettings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** The driver takes them for verify-full too, with a warning that its next version will not. */
const WEAKER_IN_LIBPQ = ['prefer', 'require', 'verify-ca'];

const INT8 = 20;
const TIMESTAMPTZ = 1184;

/** Rows as database.ts has them: times as milliseconds, whole numbers as number or bigint. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return wholeNumber;
    if (oid === TIMESTAMPTZ) return timeMs;
    return pg.types.getTypeParser(oid, format);
  }) as pg.CustomTypesConfig['getTypeParser'],
};

export interface PostgresOptions {
  /**
   * It may name several hosts, separated by commas: connections go to the first that takes writes.
   * TLS is set in it by libpq's names (`sslmode`, `sslrootcert`, `sslcert`, `sslkey`), and where
   * there is TLS the server is verified, whatever the mode, unless that is `no-verify`.
   */
  readonly url: string;
  /** How long a caller waits for a connection before it is told to come back. */
  readonly acquireTimeoutMs?: number;
  /** How long a connection may be busy with one piece of work before it is given up. */
  readonly answerTimeoutMs?: number;
}

/**
 * `repeatable` changes nothing, and is done again when its connection ends under way. `once` may
 * have happened then, or not. `long` is work of operators that takes as long as it takes.
 */
export type Work = 'once' | 'repeatable' | 'long';

export interface PostgresConnections {
  /**
   * Runs `work` on a connection of its own. StoreUnavailable when none is to be had in time, when
   * it ends under way, or when a statement took longer than its session lets it.
   */
  use<T>(kind: Work, work: (client: pg.ClientBase) => Promise<T>): Promise<T>;
  /** A connection beside the pool, to the host that takes writes now; StoreUnavailable if none. */
  connect(): Promise<pg.Client>;
  readonly counts: { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

export function postgresConnections(options: PostgresOptions): PostgresConnections {
  const { acquireTimeoutMs = ACQUIRE_TIMEOUT_MS, answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  const urls = hostUrls(options.url);
  let current = 0;
  let pool = poolOf(urls[0] as string);
  const retired = new Set<Promise<void>>();

  /** Looks at the next host, unless another caller has gone on already. */
  const turnFrom = (failed: pg.Pool) => {
    if (pool !== failed || urls.length === 1) return;
    current = (current + 1) % urls.length;
    pool = poolOf(urls[current] as string);
    const ended = failed.end().finally(() => retired.delete(ended));
    retired.add(ended);
  };

  const acquire = async (): Promise<{ client: pg.PoolClient; from: pg.Pool }> => {
    const deadlineMs = performance.now() + acquireTimeoutMs;
    for (;;) {
      const from = pool;
      try {
        return { client: await from.connect(), from };
      } catch (cause) {
        turnFrom(from);
        if (performance.now() >= deadlineMs) throw unavailable(cause);
        await wait(RETRY_PAUSE_MS);
      }
    }
  };

  return {
    async use(kind, work) {
      // Each connection of the pool may be broken, or have statements of an older schema.
      for (let left = CONNECTIONS_MAX; ; left -= 1) {
        const { client, from } = await acquire();
        const watch = watched(client, kind === 'long' ? null : answerTimeoutMs);
        try {
          const value = await work(client);
          if (watch.unconfirmed()) throw new Error('the standby has not confirmed the commit');
          client.release();
          return value;
        } catch (error) {
          const end = watch.unconfirmed() ? 'lost' : endOf(error);
          client.release(end !== null);
          // The host may be gone, or a standby now, or not be the primary any more.
          if (end === 'lost' || end === 'standby') turnFrom(from);
          const again = end === 'stale' || (end !== null && kind === 'repeatable');
          if (again && left > 0 && !watch.overdue()) continue;
          if (end !== null) throw unavailable(error);
          throw refusalOf(error);
        } finally {
          watch.end();
        }
      }
    },
    connect: () => connectToFirst([...urls.slice(current), ...urls.slice(0, current)]),
    get counts() {
      return { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
    },
    async close() {
      await Promise.all([pool.end(), ...retired]);
    },
  };
}

/** One URL for each host of a URL that may name several: `postgres://user@a:5432,b:5433/name`. */
export function hostUrls(url: string): readonly string[] {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url);
  assert(parts !== null, 'a PostgreSQL URL begins with postgres://');
  const [, head, hosts, tail] = parts;
  return (hosts ?? '').split(',').map((host) => `${head}${host}${tail}`);
}

/**
 * Why a connection is of no more use after this error; null when it is. `lost`: what was under way
 * may have happened or not. The others have changed nothing.
 */
function endOf(error: unknown): 'lost' | 'standby' | 'stale' | null {
  if (!(error instanceof pg.DatabaseError)) {
    // The driver's own errors and those of sockets; ours are of other classes.
    return error instanceof Error && error.constructor === Error ? 'lost' : null;
  }
  // Class 08, and the server going down or coming up.
  if (/^(08|57P0)/.test(error.code ?? '')) return 'lost';
  if (error.code === '25006') return 'standby';
  // A migration has changed the columns of a statement since it was prepared.
  return error.code === '0A000' ? 'stale' : null;
}

interface Watch {
  /**
   * A server that is made to end its wait for the synchronous standby commits alone and says so in
   * a warning; to whoever does not listen it looks like any other commit.
   */
  unconfirmed(): boolean;
  overdue(): boolean;
  end(): void;
}

/** Cuts the connection off when its time is over; without a time it has as long as it takes. */
function watched(client: pg.ClientBase, timeoutMs: number | null): Watch {
  let warned = false;
  let late = false;
  const noted = ({ code }: { readonly code?: string | undefined }) => {
    if (code === WARNING) warned = true;
  };
  const cutOff = () => {
    late = true;
    assert(client instanceof pg.Client, 'the pool has clients of the driver');
    client.connection.stream.destroy();
  };
  client.on('notice', noted);
  const timer = timeoutMs === null ? undefined : setTimeout(cutOff, timeoutMs);
  return {
    unconfirmed: () => warned,
    overdue: () => late,
    end: () => {
      clearTimeout(timer);
      client.off('notice', noted);
    },
  };
}

/** Of these servers, the first that takes writes. */
async function connectToFirst(urls: readonly string[]): Promise<pg.Client> {
  let failure: unknown;
  for (const url of urls) {
    const client = new pg.Client(optionsOf(url));
    client.on('error', () => undefined);
    try {
      await client.connect();
      await refuseStandby(client);
      return client;
    } catch (cause) {
      failure = cause;
      await client.end().catch(() => undefined);
    }
  }
  throw unavailable(failure);
}

async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query('show transaction_read_only');
  if (rows[0]?.transaction_read_only === 'on') throw new Error('the connection is to a standby');
}

/** An error that leaves the connection intact: a refusal where the server itself is at fault. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  if (TOO_LONG.includes(error.code)) return unavailable(error, TOO_LONG_MESSAGE);
  return MACHINE_FAILS.test(error.code ?? '') ? unavailable(error) : error;
}

function unavailable(cause: unknown, message?: string): PonteError {
  return new PonteError('StoreUnavailable', message, {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({
    ...optionsOf(url),
    max: CONNECTIONS_MAX,
    verify: (client, done) => {
      refuseStandby(client).then(() => done(), done);
    },
  });
  // Whoever uses a connection hears of its end; an idle one is replaced when the next is asked for.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  return pool;
}

/** What the URL itself sets (`options=-c search_path=…`) counts beside and before our settings. */
function optionsOf(url: string): pg.ClientConfig {
  const parsed = new URL(url);
  const own = parsed.searchParams.get('options') ?? '';
  parsed.searchParams.set('options', `${sessionOptions} ${own}`.trim());
  const mode = parsed.searchParams.get('sslmode');
  if (mode !== null && WEAKER_IN_LIBPQ.includes(mode)) {
    parsed.searchParams.set('sslmode', 'verify-full');
  }
  return {
    connectionString: parsed.href,
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    connectionTimeoutMillis: ATTEMPT_TIMEOUT_MS,
    pipeline: true,
  };
}

function wholeNumber(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** `2026-11-20 15:43:18.123+00`: sessions are in UTC. */
function timeMs(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}
