// The store on PostgreSQL: the parts of a host besides the session.
import { setTimeout as wait } from 'node:timers/promises';
import { assert, isCode, PonteError, StoreRefusal } from '../../../core/errors.js';
import type { DeliveryMonths, Sealer } from '../../../core/ports/storage.js';
import { readNextDue } from '../due-times.js';
import { loadMigrations } from '../migrations.js';
import { type ClusterChannel, newStore, type ServedStore, type Server } from '../store.js';
import { WriteWatch } from '../write-watch.js';
import { PostgresClusterChannel, serversSql } from './cluster-channel.js';
import {
  type PostgresConnections,
  type PostgresOptions,
  postgresConnections,
} from './connections.js';
import { type PostgresCounts, PostgresDatabase } from './database.js';
import { deliveryMonths } from './delivery-months.js';
import { lostLeases } from './lost-leases.js';
import { migratePostgres, missingInPostgres, type Newer } from './migrations.js';
import {
  isTransactionPooled,
  orphanedLocks,
  SILENT_SECONDS,
  TRANSACTION_POOLING,
} from './pooler.js';
import { newSharedRateLimits } from './rate-limits.js';
import { postgresRows } from './stored-rows.js';

/** Not `now()`, which is when the transaction began. */
const clockSql = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms';
const HEALTH_MAX_MS = 3_000;

export interface PostgresStore extends ServedStore {
  readonly channel: ClusterChannel;
  readonly deliveryMonths: DeliveryMonths;
  readonly counts: PostgresCounts;
  readonly connections: PostgresConnections['counts'];
}

/** Connects on first use. Call `migrate` first on a new database. */
export function openPostgresStore(
  options: PostgresOptions,
  sealer: Sealer | null = null,
  { silentSeconds = SILENT_SECONDS } = {},
): PostgresStore {
  const connections = postgresConnections(options);
  const database = new PostgresDatabase(connections, options.acquireTimeoutMs);
  const writes = new WriteWatch(database);
  const known = loadMigrations('postgres');
  let isServing = false;
  const parts = newStore(writes.database, sealer, () => (isServing ? ':' : '.'));
  const channel = new PostgresClusterChannel(connections, {
    owner: () => parts.claims.owner,
    endLostLeases: lostLeases(writes.database),
  });
  // A newer host may migrate further while this one runs (ARCHITECTURE.md, "Schema changes").
  let newer: Newer = 'refused';
  return {
    ...parts,
    acquireServing: () => {
      isServing = true;
      return 'shared';
    },
    serve: () => undefined,
    // Each read is sent after the request.
    arrived: () => undefined,
    rateLimits: newSharedRateLimits(writes.database),
    nextDue: () => readNextDue(database),
    writeMark: () => null,
    onWrite: (written) => writes.onWrite(written),
    clockMs: () => clockOf(connections),
    shiftDueTimes: async () => assert(false, 'hosts use the clock of the database'),
    channel,
    deliveryMonths: deliveryMonths(connections),
    name: withoutPassword(options.url),
    async migrate() {
      // Before anything is locked in a shared session.
      if (await isTransactionPooled(connections)) throw new StoreRefusal(TRANSACTION_POOLING);
      const numbers = await migratePostgres(connections, known);
      newer = 'left aside';
      return numbers;
    },
    servers: () => serversOf(connections),
    connectionProblems: () => problemsOf(connections, silentSeconds),
    onLostCommits(listener) {
      const whileSuspended = storeWhileSuspended(connections, sealer);
      connections.onLostCommits((timeline) => listener(timeline, whileSuspended));
    },
    isNew: async () => (await missingInPostgres(connections, known, newer)).length === known.length,
    rows: () => postgresRows(connections),
    async health() {
      try {
        const looked = missingInPostgres(connections, known, newer);
        const missing = await Promise.race([looked, tooLate()]);
        return { database: await writes.isWritable(), migrations: missing.length === 0 };
      } catch (error) {
        return { database: !isCode(error, 'StoreUnavailable'), migrations: false };
      }
    },
    async close() {
      await database.idle();
      await channel.close();
      await connections.close();
    },
    get counts() {
      return database.counts;
    },
    get connections() {
      return connections.counts;
    },
  };
}

/** The store for the first work on a server that lacks commits. */
function storeWhileSuspended(
  connections: PostgresConnections,
  sealer: Sealer | null,
): Pick<ServedStore, 'run'> {
  return newStore(new PostgresDatabase(connections.whileSuspended), sealer);
}

async function problemsOf(
  connections: PostgresConnections,
  silentSeconds: number,
): Promise<readonly string[]> {
  if (await isTransactionPooled(connections)) return [TRANSACTION_POOLING];
  return orphanedLocks(connections, silentSeconds);
}

async function serversOf(connections: PostgresConnections): Promise<readonly Server[]> {
  const { rows } = await connections.use('repeatable', (client) => client.query(serversSql));
  return rows.map(({ name, since }) => ({ name: name ?? 'a host', sinceMs: since }));
}

async function clockOf(connections: PostgresConnections): Promise<number> {
  const { rows } = await connections.use('repeatable', (client) => client.query(clockSql));
  return rows[0].now_ms;
}

/** A load balancer does not wait long for a readiness check. */
async function tooLate(): Promise<never> {
  await wait(HEALTH_MAX_MS, undefined, { ref: false });
  throw new PonteError('StoreUnavailable');
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:@/]*):[^@/]*@/, '$1@').replace(/\?.*$/, '');
}
