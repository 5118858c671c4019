// Ponte as its users run it: the built command in a separate process, set up by environment and
// API. Rate limits are off unless a row sets them: they would be what is measured.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../support/source-tree.js';

export interface PonteServer {
  readonly pid: number;
  readonly url: string;
  readonly key: string;
  readonly dataDir: string;
  /** What a client of this server sends with each request. */
  readonly headers: Readonly<Record<string, string>>;
  call(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>;
  /** Stops it as an operator would; what it stored goes with it unless it is kept. */
  end(options?: { readonly keep: boolean }): Promise<void>;
}

export interface PonteOptions {
  /** The folder of the clone that is run; this one unless given. */
  readonly clone?: string | undefined;
  /** A server whose data directory and key are taken over; new ones unless given. */
  readonly earlier?: Pick<PonteServer, 'dataDir' | 'key'>;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startPonte(options: PonteOptions = {}): Promise<PonteServer> {
  const { earlier } = options;
  const dataDir = earlier?.dataDir ?? mkdtempSync(join(tmpdir(), 'ponte-bench-'));
  const child = spawnPonte(options, ['serve'], {
    PONTE_DATA_DIR: dataDir,
    PONTE_PORT: '0',
    PONTE_LOG_LEVEL: 'warn',
    PONTE_RATE_LIMIT_PER_MINUTE: '0',
    ...options.env,
  });
  // A run that fails leaves no server behind.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const text = await startText(child);
  const url = /ready at (\S+)/.exec(text)?.[1] ?? '';
  const key = earlier?.key ?? /pk_test_\S+/.exec(text)?.[0] ?? '';
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return {
    pid: child.pid ?? 0,
    url,
    key,
    dataDir,
    headers,
    call: async (method, path, body) => {
      const text = body === undefined ? null : JSON.stringify(body);
      const response = await fetch(`${url}${path}`, { method, headers, body: text });
      const answer = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
      return JSON.parse(answer) as Readonly<Record<string, unknown>>;
    },
    end: async ({ keep } = { keep: false }) => {
      const exited = child.exitCode === null ? once(child, 'exit') : null;
      child.kill('SIGTERM');
      await exited;
      process.off('exit', kill);
      if (!keep) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The built command of a clone, with nothing of the caller's own settings. */
export function spawnPonte(
  { clone = projectRoot }: Pick<PonteOptions, 'clone'>,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PONTE_'));
  return spawn(process.execPath, [...nodeFlagsOf(clone), join(clone, 'cli/bin.cjs'), ...words], {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** The flags of `npm start` in the clone, unless others are given. */
function nodeFlagsOf(clone: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
  const { BENCH_NODE_FLAGS: given = /node (.*)cli\//.exec(scripts.start)?.[1] } = process.env;
  return (given ?? '').split(' ').filter((flag) => flag !== '');
}

/** The last line of the start text is the sign that everything is ready. */
async function startText(child: ChildProcess): Promise<string> {
  let text = '';
  const exited = once(child, 'exit');
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  while (!text.includes('/docs\n')) {
    await Promise.race([child.stdout === null ? exited : once(child.stdout, 'data'), exited]);
    if (child.exitCode !== null) throw new Error(`Ponte did not start: ${text}`);
  }
  return text;
}
