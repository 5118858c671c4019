// Bytes of the database for each created payment, with its webhook: what tables and indexes grow by
// between two loads. Counts of pages, the same on any machine but for how ids of one moment split
// pages. A log before its checkpoint is not in them.
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { startPostgres } from '../bench-postgres.js';
import { startChild } from '../child-calls.js';
import { type Bench, type Figure, until } from '../comparison.js';
import { startPonte } from '../ponte-server.js';
import type { ReceiverCalls } from '../receiver.js';
import { createBody, createHeaders, createRequest } from './create.js';

const FIRST = 2_000;
const COUNT = 10_000;
const SQLITE_BYTES = 2_560;
const POSTGRES_BYTES = 3_584;

export async function disk(bench: Bench): Promise<readonly Figure[]> {
  const postgres = await startPostgres();
  const figures = [
    await diskOf(bench, null, SQLITE_BYTES),
    await diskOf(bench, await postgres.newDatabase(), POSTGRES_BYTES),
  ];
  await postgres.end();
  return figures;
}

/** Null: on SQLite. */
async function diskOf(bench: Bench, url: string | null, bytesMax: number): Promise<Figure> {
  const receiver = await startChild<ReceiverCalls>('receiver.ts');
  const ponte = await startPonte({ env: url === null ? {} : { PONTE_DATABASE_URL: url } });
  const subscription = { url: await receiver.call('url'), eventTypes: ['payment_intent.*'] };
  await ponte.call('POST', '/v1/webhook-subscriptions', subscription);
  const job = {
    ...createRequest,
    urls: [ponte.url],
    headers: createHeaders(ponte.key),
    body: createBody,
    connections: bench.connections,
    ratePerSecond: null,
    warmUpMs: 0,
    durationMs: 1_000,
  };
  const bytes = async () => {
    if (url !== null) return bytesOnPostgres(url);
    return bytesInFile(join(ponte.dataDir, 'ponte.db'));
  };
  let created = 0;
  const filledBy = async (more: number): Promise<number> => {
    for (const target = created + more; created < target; ) {
      created = (await bench.load({ ...job, firstNumber: created })).nextNumber;
    }
    await until(async () => (await receiver.call('received')).count >= created);
    return bytes();
  };
  // The buyers, and the first pages of each table and index.
  const bytesBefore = await filledBy(FIRST);
  const first = created;
  const value = ((await filledBy(COUNT)) - bytesBefore) / (created - first);
  await ponte.end();
  await receiver.end();
  const what = `a created payment on ${url === null ? 'SQLite' : 'PostgreSQL'}`;
  bench.say(`  ${what}: ${Math.round(value)} bytes`);
  const goal = { kind: 'at most', value: bytesMax } as const;
  return { row: 'disk', what, unit: 'bytes', value, against: null, ratio: null, goal, notes: {} };
}

function bytesInFile(path: string): number {
  const db = new SqliteConnection(path, { readonly: true });
  const count = (name: string) => Number(db.pragma(name, { simple: true }));
  const bytes = (count('page_count') - count('freelist_count')) * count('page_size');
  db.close();
  return bytes;
}

async function bytesOnPostgres(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  // What the server does by itself within minutes.
  await client.query('vacuum');
  const sql =
    'select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class ' +
    "where relnamespace = current_schema()::regnamespace and relkind = 'r'";
  const { rows } = await client.query(sql);
  await client.end();
  return rows[0].bytes;
}
