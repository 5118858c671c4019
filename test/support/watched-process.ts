// A process that cannot hang its caller. It is ended when it makes no progress or runs too long.
// The processes that it left behind are ended too.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

interface WatchOptions {
  readonly cwd: string;
  /** Maximum time without output. */
  readonly silenceMs: number;
  /** Maximum time until the next report or the end. */
  readonly totalMs: number;
  /** Receives what the process writes to stdout and stderr. */
  readonly onOutput?: (text: string) => void;
  /** Receives each line that the process writes to file descriptor 3. */
  readonly onReport?: (line: string) => Answer;
}

/** The next message to the process, or the time in which it must end. */
export type Answer = { readonly message: object } | { readonly endsInMs: number };

export interface EndedProcess {
  readonly code: number | null;
  /** What it wrote to stdout and stderr. */
  readonly output: string;
  /** The limit that it exceeded. */
  readonly exceeded: string | null;
}

/** Time that left processes may take to stop before they are killed. */
const GRACE_MS = 5_000;
const POLL_MS = 20;

const groups = new Set<number>();

// An interrupt at the terminal reaches only the group of this process.
process.once('exit', () => {
  for (const group of groups) signalGroup(group, 'SIGKILL');
});

export async function watchedProcess(
  program: string,
  words: readonly string[],
  { cwd, silenceMs, totalMs, onOutput, onReport }: WatchOptions,
): Promise<EndedProcess> {
  const child = spawn(program, words, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...(onReport === undefined ? [] : ['ipc' as const])],
    detached: true,
  });
  // A process that was ended takes no more messages; its end is reported below.
  child.on('error', () => undefined);
  await once(child, 'spawn');
  const group = Number(child.pid);
  groups.add(group);
  let output = '';
  let exceeded: string | null = null;
  const end = (limit: string) => {
    exceeded ??= limit;
    child.kill('SIGKILL');
  };
  const silenceOf = (ms: number) => setTimeout(end, ms, `no progress for ${ms / 1_000} seconds`);
  let silence = silenceOf(silenceMs);
  const total = setTimeout(end, totalMs, `not finished after ${totalMs / 1_000} seconds`);
  for (const stream of [child.stdout, child.stderr])
    (stream as Readable).setEncoding('utf8').on('data', (text: string) => {
      output += text;
      onOutput?.(text);
      silence.refresh();
    });
  createInterface(child.stdio[3] as Readable).on('line', (line) => {
    const answer = onReport?.(line);
    total.refresh();
    silence.refresh();
    if (answer === undefined) return;
    if ('message' in answer) return void child.send(answer.message);
    if (child.connected) child.disconnect();
    clearTimeout(silence);
    silence = silenceOf(answer.endsInMs);
  });
  // The child emits no `close` once its channel was disconnected here.
  const streams = [child.stdout, child.stderr, child.stdio[3]] as readonly Readable[];
  const closed = Promise.all(streams.map((stream) => once(stream, 'close')));
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(total);
  await endGroup(group);
  // A process that left the group may hold the streams open.
  await Promise.race([closed, wait(GRACE_MS)]);
  clearTimeout(silence);
  return { code, output, exceeded };
}

/** Ends what a process left behind. PostgreSQL frees shared memory only when asked to stop. */
async function endGroup(group: number): Promise<void> {
  signalGroup(group, 'SIGINT');
  const endsAtMs = Date.now() + GRACE_MS;
  while (signalGroup(group, 0) && Date.now() < endsAtMs) await wait(POLL_MS);
  signalGroup(group, 'SIGKILL');
  groups.delete(group);
}

/** Whether the group has a process. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
