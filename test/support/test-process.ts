// A process in which test/run.ts runs test files, one after another, one suite for each. Each
// message to it is the path of the next file. It reports to file descriptor 3 that it waits for a
// path, what a file left open, and what the file cost.
import { writeSync } from 'node:fs';
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { cpuTimeMs } from './cpu-time.js';

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
  /** Nothing is open any more. The process removes its temporary folders. */
  | { readonly event: 'exit' };

/** The hooks of a file run only if one of its tests does. */
const areTestsFiltered = process.execArgv.some((word) => word.startsWith('--test-name-pattern'));

// Each file may have something to end with the process.
process.setMaxListeners(0);

let closedAtCpuMs = 0;

process.on('message', (path: string) => {
  describe(path, async () => {
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
process.once('exit', () => report({ event: 'exit' }));
report({ event: 'ready' });

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
