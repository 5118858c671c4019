// One session on a PostgreSQL server: how it is opened, its settings, its server, and how it ends.
// Statements change the settings after connecting, because poolers refuse or drop startup options.
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { assert, StoreRefusal } from '../../../core/errors.js';

/** For connecting, authentication and settings together. */
const OPEN_TIMEOUT_MS = 2_000;
/** A graceful end waits no longer than this. */
const END_TIMEOUT_MS = 500;
/** Idle time before the first TCP keep-alive probe. */
const KEEP_ALIVE_AFTER_MS = 5_000;

/**
 * Settings of every session. Timeouts: no statement takes longer than a request. Keep-alive: the
 * locks of a vanished host are free within seconds. Planner: every statement uses its index, even
 * if its table was small when the statement was prepared.
 */
const sessionSettings = {
  application_name: 'ponte',
  timezone: 'UTC',
  datestyle: 'ISO',
  default_transaction_isolation: 'read committed',
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

/** Returns each value as the server has it. */
const setSql =
  'select name, set_config(name, value, false) as value ' +
  'from json_each_text($1::json) as wanted (name, value)';
/** In a later transaction: a transaction pooler may use another session. */
const shownSql =
  "select pg_backend_pid() as process_id, current_setting('transaction_read_only') as read_only, " +
  '(select json_object_agg(name, current_setting(name)) from json_each_text($1::json) ' +
  'as wanted (name, value)) as settings';
/** The name of a log file begins with the timeline; a standby writes no log. */
const serverSql =
  'select system_identifier::text as system_id, case when pg_is_in_recovery() then null ' +
  'else pg_walfile_name(pg_current_wal_insert_lsn()) end as log_file, ' +
  "(pg_last_wal_replay_lsn() - '0/0')::bigint as begins_at from pg_control_system()";
const TIMELINE_DIGITS = 8;

/** Treated as verify-full. The driver does so too, with a warning that it will change. */
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

/** Identity of a server; null where it is unknown. */
export interface ServerIdentity {
  readonly systemId: string | null;
  /** One more after each promotion. */
  readonly timeline: number | null;
  /** Log position at which the timeline began; unknown after a restart of the server. */
  readonly beginsAt: number | bigint | null;
}

export const unknownServer: ServerIdentity = { systemId: null, timeline: null, beginsAt: null };

export interface PostgresSession {
  readonly url: string;
  readonly client: pg.Client;
  /** The process id on the server, also behind a pooler. */
  readonly processId: number;
  readonly isStandby: boolean;
  readonly server: ServerIdentity;
}

export async function openSession(url: string): Promise<PostgresSession> {
  const { config, settings } = settingsOf(url);
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  try {
    return await inTime(client, OPEN_TIMEOUT_MS, async () => {
      await client.connect();
      return { url, client, ...(await setUp(client, settings)) };
    });
  } catch (error) {
    destroySession({ client });
    throw error;
  }
}

/** Runs `work`; destroys the connection when it takes longer than `timeoutMs`. */
export async function inTime<T>(
  client: pg.Client,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  let late = false;
  let done = false;
  // After a pause of the process, pending input is read first.
  const timer = setTimeout(() => setImmediate(cutOff), timeoutMs);
  const cutOff = () => {
    if (done) return;
    late = true;
    destroySession({ client });
  };
  try {
    return await work();
  } catch (cause) {
    throw late ? new Error(`the server has not answered for ${timeoutMs} ms`, { cause }) : cause;
  } finally {
    done = true;
    clearTimeout(timer);
  }
}

/** Immediate: a hanging server does not answer a graceful end. Work in progress fails. */
export function destroySession({ client }: Pick<PostgresSession, 'client'>): void {
  client.connection.stream.destroy();
}

export async function closeSession({ client }: Pick<PostgresSession, 'client'>): Promise<void> {
  const ended = client.end().catch(() => undefined);
  await Promise.race([ended, wait(END_TIMEOUT_MS, undefined, { ref: false })]);
  destroySession({ client });
}

async function setUp(
  client: pg.Client,
  settings: Readonly<Record<string, string>>,
): Promise<Pick<PostgresSession, 'processId' | 'isStandby' | 'server'>> {
  const wanted = [JSON.stringify(settings)];
  const [{ rows: set }, { rows: found }, server] = await Promise.all([
    client.query<{ readonly name: string; readonly value: string }>(setSql, wanted),
    client.query(shownSql, wanted),
    identityOf(client),
  ]);
  const [{ process_id: processId, read_only: readOnly, settings: shown }] = found;
  const lost = set.filter(({ name, value }) => shown[name] !== value);
  const names = lost.map(({ name }) => name).join(', ');
  if (names !== '') throw new Error(`the session does not keep its settings: ${names}`);
  return { processId, isStandby: readOnly === 'on', server };
}

/** Unknown where the user lacks the right to read it. */
async function identityOf(client: pg.Client): Promise<ServerIdentity> {
  try {
    const { rows } = await client.query(serverSql);
    const [{ system_id: systemId, log_file: file, begins_at: beginsAt }] = rows;
    const timeline = file === null ? null : Number.parseInt(file.slice(0, TIMELINE_DIGITS), 16);
    return { systemId, timeline, beginsAt };
  } catch (error) {
    if (error instanceof pg.DatabaseError) return unknownServer;
    throw error;
  }
}

/** Options in the URL (`options=-c search_path=…`) override our settings. */
function settingsOf(url: string): {
  readonly config: pg.ClientConfig;
  readonly settings: Readonly<Record<string, string>>;
} {
  const parsed = new URL(url);
  const own = optionsIn(parsed.searchParams.get('options') ?? '');
  parsed.searchParams.delete('options');
  const mode = parsed.searchParams.get('sslmode');
  if (mode !== null && WEAKER_IN_LIBPQ.includes(mode)) {
    parsed.searchParams.set('sslmode', 'verify-full');
  }
  return {
    config: {
      connectionString: parsed.href,
      types,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      pipeline: true,
    },
    settings: { ...sessionSettings, ...own },
  };
}

/** `-c name=value` and `--name=value`; a backslash escapes the next character. */
export function optionsIn(text: string): Readonly<Record<string, string>> {
  const words = [...text.matchAll(/(?:\\.|[^\s\\])+/g)].map(([word]) =>
    word.replace(/\\(.)/g, '$1'),
  );
  const assignments = words.flatMap((word, at) => {
    if (word === '-c') return [];
    if (words[at - 1] === '-c') return [word];
    return [/^-c./.test(word) ? word.slice(2) : word.replace(/^--/, '').replace(/^-/, '=')];
  });
  return Object.fromEntries(
    assignments.map((assignment) => {
      const [, name, value] = /^([\w.-]+)=(.*)$/s.exec(assignment) ?? [];
      if (name === undefined || value === undefined) {
        throw new StoreRefusal(
          `options in the URL of the database: write -c name=value, not ${assignment}.`,
        );
      }
      return [name.replaceAll('-', '_'), value];
    }),
  );
}

function wholeNumber(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

const OFFSET = /([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/;

/** `2026-11-20 15:43:18.123+00`, `2026-11-20 21:13:18+05:30`: with the offset of the session. */
export function timeMs(text: string): number {
  const [offset = '', sign, hours, minutes = '0', seconds = '0'] = OFFSET.exec(text) ?? [];
  const clock = text.slice(11, text.length - offset.length);
  const localMs = Date.parse(`${text.slice(0, 10)}T${clock}Z`);
  const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  const ms = localMs - (sign === '-' ? -offsetMs : offsetMs);
  assert(Number.isFinite(ms), `a time with its offset: ${text}`);
  return ms;
}
