// A process in which test/run.ts runs test files, one after another, one suite for each. Each
// message to it names the next file. It reports to file descriptor 3 that it waits for a path, what
// a file left open, what the file cost, and what keeps the process from ending.
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { cpuTimeMs } from './cpu-time.js';
import { after, describeFile } from './file-suite.js';
import { drawSameCases } from './law-runs.js';

/** A message to the process. */
export interface NextTest {
  readonly path: string;
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

export type TestReport =
  /** The process waits for a path. */
  | { readonly event: 'ready' }
  | {
      readonly event: 'closed';
      /** CPU time of the process since it was ready for this file. */
      readonly cpuMs: number;
      /** Kinds of resources that the file did not close. */
      readonly left: readonly string[];
    }
  /** The process runs on after its last file. */
  | {
      readonly event: 'open';
      /** Kinds of resources that are open. */
      readonly kinds: readonly string[];
      /** Addresses of the sockets and numbers of the processes among them. */
      readonly handles: readonly string[];
    }
  /** Nothing is open any more. The process removes its temporary folders. */
  | { readonly event: 'exit' };

/** What a file leaves open often closes within this time. */
const OPEN_AFTER_MS = 3_000;

/** Their hooks run only if one of their tests does, so files are closed before their tests run. */
const areTestsFiltered = process.execArgv.some((word) => word.startsWith('--test-name-pattern'));

drawSameCases();

// Each file may have something to end with the process.
process.setMaxListeners(0);

let closedAtCpuMs = 0;

process.on('message', ({ path, env }: NextTest) => {
  Object.assign(process.env, env);
  describeFile(path, async () => {
    const earlier = process.getActiveResourcesInfo();
    const closed = () => {
      const cpuMs = cpuTimeMs() - closedAtCpuMs;
      closedAtCpuMs += cpuMs;
      report({ event: 'closed', cpuMs, left: added(earlier) });
    };
    try {
      await import(pathToFileURL(path).href);
    } finally {
      if (areTestsFiltered) closed();
      else after(closed);
    }
  });
});
process.once('disconnect', () => {
  if (!areTestsFiltered) setTimeout(reportOpen, OPEN_AFTER_MS).unref();
});
process.once('exit', () => report({ event: 'exit' }));
// Which test such an error belongs to is not known. It fails the file.
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => {
    console.error(error);
    process.exit(1);
  });
report({ event: 'ready' });

function reportOpen(): void {
  // A report would look up the names of all addresses.
  Object.assign(process.report, { excludeNetwork: true });
  const { libuv } = process.report.getReport() as { readonly libuv: readonly Handle[] };
  report({
    event: 'open',
    kinds: [...new Set(process.getActiveResourcesInfo())],
    handles: libuv
      .filter((handle) => handle.is_active && handle.is_referenced)
      .map(({ type, pid, localEndpoint, remoteEndpoint, firesInMsFromNow }) =>
        [
          type,
          pid,
          localEndpoint?.port,
          remoteEndpoint?.port,
          firesInMsFromNow === undefined ? undefined : `${firesInMsFromNow} ms`,
        ]
          .filter((part) => part !== undefined)
          .join(' '),
      ),
  });
}

/** Part of a handle in the diagnostic report of Node. */
interface Handle {
  readonly type: string;
  readonly is_active: boolean;
  readonly is_referenced: boolean;
  readonly pid?: number;
  readonly firesInMsFromNow?: number;
  readonly localEndpoint?: { readonly port: number } | null;
  readonly remoteEndpoint?: { readonly port: number } | null;
}

/** Written at once: a test may block the event loop. */
function report(line: TestReport): void {
  writeSync(3, `${JSON.stringify(line)}\n`);
}

function added(earlier: readonly string[]): readonly string[] {
  const left = process.getActiveResourcesInfo();
  for (const kind of earlier) {
    const index = left.indexOf(kind);
    if (index >= 0) left.splice(index, 1);
  }
  return [...new Set(left)];
}
