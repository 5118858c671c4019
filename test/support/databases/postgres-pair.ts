// A PostgreSQL primary and its synchronous standby, both of the tests' own: what the primary calls
// committed is on both. The primary can be killed, and the standby be made the one that writes.
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { temporaryFolder } from '../temporary-folder.js';
import { embeddedPostgres } from './embedded-postgres.js';
import { freePort, localeFlags } from './local-postgres.js';

export interface PostgresPair {
  /** Of one database, naming both servers. */
  readonly url: string;
  /** Of the server that was the primary at first, and of the other one. */
  readonly urls: readonly [primary: string, standby: string];
  /** Ends the primary as a crash of its machine would; resolves when it is gone. */
  killPrimary(): Promise<void>;
  /** From now on nothing that is committed reaches the standby. */
  stopReplication(): Promise<void>;
  /** Stops every process of the primary as they are: its machine still answers for it. */
  freezePrimary(): void;
  resumePrimary(): void;
  /** The standby takes writes when this resolves, and waits for no other server. */
  promoteStandby(): Promise<void>;
  /** The same server with the same files, once more. */
  restartStandby(): Promise<void>;
  /** Ends the servers that run. */
  stop(): Promise<void>;
}

/** Both run when this resolves; the caller stops them. */
export async function postgresPair({ synchronous = true } = {}): Promise<PostgresPair> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const folders = [join(folder, 'primary'), join(folder, 'standby')] as const;
  const ports = [await freePort(), await freePort()] as const;
  // Not fsync: the machine goes on, only processes are killed.
  const [common, names] = [
    ['-c', 'fsync=off'],
    synchronous ? ['-c', 'synchronous_standby_names=*'] : [],
  ];
  const serverOf = (databaseDir: string, port: number, flags: readonly string[]) =>
    embeddedPostgres({ databaseDir, port, initdbFlags: localeFlags, flags });
  const primary = await serverOf(folders[0], ports[0], [...common, ...names]);
  const standby = await serverOf(folders[1], ports[1], common);
  await primary.initialise();
  // A server that was never started is as good to copy as one that was stopped.
  execFileSync('cp', ['-a', ...folders]);
  const conninfo = `host=127.0.0.1 port=${ports[0]} user=ponte password=ponte`;
  appendFileSync(join(folders[1], 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  writeFileSync(join(folders[1], 'standby.signal'), '');
  await primary.start();
  // It is started when it takes writes, which is to come.
  standby.start().catch(() => undefined);
  const urlOf = (hosts: string) => `postgres://ponte:ponte@${hosts}/postgres`;
  const urls = [urlOf(`127.0.0.1:${ports[0]}`), urlOf(`127.0.0.1:${ports[1]}`)] as const;
  const state = synchronous ? "sync_state = 'sync'" : "state = 'streaming'";
  await seen(urls[0], `select 1 from pg_stat_replication where ${state}`);
  let frozen: number | null = null;
  let sender: number | null = null;
  const resumePrimary = () => {
    if (frozen !== null) signalAll(frozen, 'SIGCONT');
    frozen = null;
  };
  return {
    urls,
    url: urlOf(ports.map((port) => `127.0.0.1:${port}`).join(',')),
    async stopReplication() {
      const [row] = await seen(urls[0], 'select pid from pg_stat_replication');
      sender = row?.['pid'] ?? null;
      if (sender !== null) process.kill(sender, 'SIGSTOP');
    },
    async killPrimary() {
      process.kill(postmasterIn(folders[0]), 'SIGKILL');
      if (sender !== null) process.kill(sender, 'SIGKILL');
      await primary.stop();
    },
    freezePrimary() {
      frozen = postmasterIn(folders[0]);
      signalAll(frozen, 'SIGSTOP');
    },
    resumePrimary,
    async promoteStandby() {
      await seen(urls[1], 'select 1 where pg_promote()');
    },
    async restartStandby() {
      await standby.stop();
      await standby.start();
    },
    async stop() {
      resumePrimary();
      await Promise.all([primary.stop(), standby.stop()]);
    },
  };
}

export function postmasterIn(folder: string): number {
  const [pid] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
  return Number(pid);
}

/** The server and the processes of its sessions. One that has just ended needs no signal. */
export function signalAll(postmaster: number, signal: NodeJS.Signals): void {
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', `${postmaster}`], {
    encoding: 'utf8',
  });
  for (const pid of [postmaster, ...children.trim().split(/\s+/).map(Number)]) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone.
    }
  }
}

const SEEN_EVERY_MS = 20;

/** Asks until there is an answer with a row. */
async function seen(
  url: string,
  sql: string,
): Promise<readonly Readonly<Record<string, number>>[]> {
  for (;;) {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query(sql);
      if (rows.length > 0) return rows;
    } catch {
      // Not up yet.
    } finally {
      await client.end().catch(() => undefined);
    }
    await wait(SEEN_EVERY_MS);
  }
}
