// Calls into processes that the benchmark starts: every server, the load and the receiver run
// apart, so that none takes time from another's event loop. A child offers named functions; the
// parent calls them by message. What each used of the processor is read from the system.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

type Calls = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

export interface Child<C extends Calls> {
  readonly pid: number;
  readonly call: <K extends keyof C & string>(
    name: K,
    ...args: Parameters<C[K]>
  ) => Promise<Awaited<ReturnType<C[K]>>>;
  end(): Promise<void>;
}

interface Question {
  readonly number: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly number: number;
  readonly value?: unknown;
  readonly problem?: string;
}

/** Starts a file of this folder; it is ready when it has said so by `serveCalls`. */
export async function startChild<C extends Calls>(
  file: string,
  args: readonly string[] = [],
): Promise<Child<C>> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [...args], {
    execArgv: file.endsWith('.ts') ? ['--import', 'tsx'] : [],
    serialization: 'advanced',
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  let asked = 0;
  child.on('message', (answer: Answer) => waiting.get(answer.number)?.(answer));
  const ended = endOf(child);
  await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error(`${file} did not start`))),
  ]);
  return {
    pid: child.pid ?? 0,
    call: (name, ...callArgs) =>
      new Promise((resolve, reject) => {
        asked += 1;
        const number = asked;
        waiting.set(number, ({ value, problem }) => {
          waiting.delete(number);
          if (problem === undefined) resolve(value as never);
          else reject(new Error(`${file} ${name}: ${problem}`));
        });
        void ended.then(() => reject(new Error(`${file} ended`)));
        child.send({ number, name, args: callArgs } satisfies Question);
      }),
    end: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** In the child: answers calls from now on. */
export function serveCalls(calls: Calls): void {
  process.on('message', ({ number, name, args }: Question) => {
    const call = calls[name];
    const answered =
      call === undefined ? Promise.reject(new Error('unknown')) : call(...(args as never[]));
    answered.then(
      (value) => process.send?.({ number, value } satisfies Answer),
      (error: unknown) => process.send?.({ number, problem: String(error) } satisfies Answer),
    );
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ number: 0 } satisfies Answer);
}

/** Milliseconds of processor that a process has used so far, on all its threads. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // Ticks of 10 ms in user and in system mode: fields 14 and 15 of the whole line.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory now, in MB of a million bytes. */
export function memoryMbOf(pid: number): number {
  const kib = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) * 1_024) / 1e6;
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('exit', () => resolve()));
}
