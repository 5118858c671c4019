// A real host process for tests: started on this Node, identified by its data folder, killed or
// stopped by a test. Its start text states what it serves.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { loadTypeScript, projectRoot } from '../source-tree.js';

export interface HostProcess {
  readonly pid: number | undefined;
  readonly url: string;
  /** The demo key, when this start made one. */
  readonly key: string | null;
  readonly startText: string;
  /** What it logged so far. */
  log(): string;
  /** Whether the process is gone, by itself or by a signal. */
  ended(): boolean;
  /** Its exit code, once it is gone; null after a signal. */
  readonly exitCode: Promise<number | null>;
  /** Suspends it immediately: its connections stay open. */
  pause(): void;
  resume(): void;
  /** Kills it immediately; it is gone when this resolves. */
  kill(): Promise<void>;
  /** Asks it to stop by a signal and answers with its exit code. */
  stop(signal: 'SIGTERM' | 'SIGINT'): Promise<number | null>;
}

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** Names the program that test/run.ts has built. */
export const BUILT_PROGRAM = 'PONTE_TEST_PROGRAM';

const built = process.env[BUILT_PROGRAM];
const sources = { loader: loadTypeScript, file: join(projectRoot, 'cli/main.ts') };
const program = built === undefined ? sources : { loader: [], file: built };

/** The arguments of Node that start the program. */
export const programArguments: readonly string[] = [...program.loader, program.file];

interface HostOptions {
  /** No file of the process may be larger than so many blocks of 512 or 1,024 bytes. */
  readonly fileBlocksMax?: number | 'unlimited';
  /** A module of the tests that the process loads before anything else. */
  readonly preload?: string;
  /** Whether the preloaded module replaces modules of the sources, which run then. */
  readonly replacesSources?: boolean;
}

export async function startHostProcess(
  env: Environment,
  { fileBlocksMax = 'unlimited', preload, replacesSources = false }: HostOptions = {},
): Promise<HostProcess> {
  const limited = `ulimit -f ${fileBlocksMax}; exec "$0" "$@"`;
  const { loader, file } = replacesSources ? sources : program;
  const preloaded = preload === undefined ? [] : ['--import', preload];
  const words = [process.execPath, ...loader, ...preloaded, file, 'serve'];
  const child = spawn('sh', ['-c', limited, ...words], {
    cwd: projectRoot,
    env: environment({ PONTE_PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, log] = [collected(child.stdout), collected(child.stderr)];
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const startText = await startTextOf(child, out, exited, log);
  return {
    pid: child.pid,
    url: /ready at (\S+)/.exec(startText)?.[1] ?? '',
    key: /pk_test_\S+/.exec(startText)?.[0] ?? null,
    startText,
    log,
    ended: () => child.exitCode !== null || child.signalCode !== null,
    exitCode: exited.then(([code]) => code),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    stop: async (signal) => {
      child.kill(signal);
      return (await exited)[0];
    },
  };
}

/** One command of an operator, to its end. */
export async function runCommand(
  env: Environment,
  words: readonly string[],
  input: string = '',
): Promise<CommandResult> {
  const child = spawn(process.execPath, [...programArguments, ...words], {
    cwd: projectRoot,
    env: environment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
  child.stdin.end(input);
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, stdout: stdout(), stderr: stderr() };
}

/** Nothing of the tester's own settings. The first process compiles the program for the others. */
function environment(env: Environment): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PONTE_'));
  const compiled =
    built === undefined ? {} : { NODE_COMPILE_CACHE: join(dirname(built), 'compiled') };
  return { ...Object.fromEntries(inherited), ...compiled, ...env };
}

function collected(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  return () => text;
}

/** The last line of the start text is the sign that everything is ready. */
async function startTextOf(
  child: ChildProcess,
  out: () => string,
  exited: Promise<unknown>,
  log: () => string,
): Promise<string> {
  while (!out().includes('/docs\n')) {
    const data = child.stdout === null ? exited : once(child.stdout, 'data');
    await Promise.race([data, exited]);
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the host did not start: ${log()}`);
    }
  }
  return out();
}
