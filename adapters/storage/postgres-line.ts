// What hosts on one PostgreSQL tell each other, over a connection of its own: that work was stored
// (coalesced, so that no write waits for it), and which of them sequences. Nothing relies on what
// is told: every host looks for work by itself every so often.
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Tenant } from '../../core/domain/tenant.js';
import type { Log, WorkKind } from '../../core/ports.js';
import type { PostgresConnections } from './postgres-connections.js';
import type { Hear, HostLine } from './store.js';

/** "ponte" and what the lock is for, as the number that PostgreSQL asks for. */
const LEADER_LOCK = 0x706f6e02;
const TELL_EVERY_MS = 10;
const RECONNECT_EVERY_MS = 250;
/** Of the 8,000 bytes that a notification may have. */
const BYTES_MAX = 7_000;

/** Everything that may be there, for a host that may have missed a word. */
const everything: readonly WorkKind[] = ['outbox', 'feed', 'commands', 'deliveries', 'inbox'];

/** Work that waits, by kind; null tenants: any may have some. */
type News = Partial<Record<WorkKind, readonly Tenant[] | null>>;

export function postgresLine(connections: PostgresConnections): HostLine {
  let client: pg.Client | null = null;
  let channel = '';
  let leading = false;
  let closed = false;
  let news: News = {};
  let telling: NodeJS.Timeout | null = null;

  const connect = async (hear: Hear) => {
    const fresh = await connections.connect();
    // One database may hold several stores, each in a schema of its own.
    const { rows } = await fresh.query(
      'select current_schema() as schema, pg_backend_pid() as process_id',
    );
    const [{ schema, process_id: own }] = rows;
    channel = `ponte_${schema}`;
    fresh.on('notification', ({ processId, payload }) => {
      if (processId !== own && payload !== undefined) tellOf(payload, hear);
    });
    await fresh.query(`listen ${fresh.escapeIdentifier(channel)}`);
    client = fresh;
    return fresh;
  };

  /** Ends when the line does. */
  const held = (line: pg.Client) =>
    new Promise<void>((resolve) => {
      line.once('end', () => {
        if (client === line) client = null;
        leading = false;
        resolve();
      });
    });

  const keep = async (first: pg.Client, hear: Hear, log: Log) => {
    for (let line = first; ; ) {
      await held(line);
      while (client === null && !closed) {
        await wait(RECONNECT_EVERY_MS, undefined, { ref: false });
        await connect(hear).catch((err: unknown) => log.warn('no line to other hosts', { err }));
      }
      if (client === null) return;
      line = client;
      for (const work of everything) hear(work);
    }
  };

  const flush = () => {
    telling = null;
    const payload = JSON.stringify(news);
    const short = payload.length <= BYTES_MAX ? payload : JSON.stringify(withoutTenants(news));
    news = {};
    client?.query('select pg_notify($1, $2)', [channel, short]).catch(() => undefined);
  };

  return {
    async open(hear, log) {
      const first = await connect(hear);
      void keep(first, hear, log);
    },
    tell(work, tenants) {
      const known = news[work];
      news[work] = tenants === undefined || known === null ? null : [...(known ?? []), ...tenants];
      if (client !== null) telling ??= setTimeout(flush, TELL_EVERY_MS);
    },
    async leads() {
      const line = client;
      if (line === null || leading) return leading;
      const { rows } = await line.query(
        `select pg_try_advisory_lock(${LEADER_LOCK}, hashtext(current_schema())) as locked`,
      );
      leading = rows[0].locked === true && client === line;
      return leading;
    },
    async close() {
      closed = true;
      if (telling !== null) clearTimeout(telling);
      await client?.end();
    },
  };
}

function tellOf(payload: string, hear: Hear): void {
  const told = JSON.parse(payload) as News;
  for (const [work, tenants] of Object.entries(told)) {
    hear(work as WorkKind, tenants ?? undefined);
  }
}

function withoutTenants(news: News): News {
  return Object.fromEntries(Object.keys(news).map((work) => [work, null]));
}
