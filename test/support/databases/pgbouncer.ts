// PgBouncer itself, where it is installed: beside the doubles, which are built after it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { temporaryFolder } from '../temporary-folder.js';
import { freePort } from './local-postgres.js';

/** The version in words; null where it is not installed. */
export function pgbouncerVersion(): string | null {
  try {
    return execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? null;
  } catch {
    return null;
  }
}

export interface Pgbouncer {
  /** The URL of the database through it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** With these lines of its configuration besides the place of the database. */
export async function startPgbouncer(url: string, lines: readonly string[]): Promise<Pgbouncer> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const own = await freePort();
  const database = pathname.slice(1);
  const config = [
    '[databases]',
    `${database} = host=${hostname} port=${port} dbname=${database} user=${username} ` +
      `password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'auth_type = any',
    'default_pool_size = 50',
    ...lines,
  ];
  writeFileSync(join(folder, 'pgbouncer.ini'), `${config.join('\n')}\n`);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child: ChildProcess = spawn('pgbouncer', [...user, join(folder, 'pgbouncer.ini')], {
    stdio: 'ignore',
  });
  while (!(await listens(own))) await wait(50);
  const through = new URL(url);
  through.port = `${own}`;
  return {
    url: through.href,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const [event] = await Promise.race([
    once(socket, 'connect').then(() => ['connect']),
    once(socket, 'error').then(() => ['error']),
  ]).catch(() => ['error']);
  socket.destroy();
  return event === 'connect';
}
