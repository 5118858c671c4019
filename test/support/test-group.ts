// The process in which test/run.ts runs a group of test files, one suite for each. It reports to
// file descriptor 3 which file runs, what each left open, and the CPU time of the process.
import { readFileSync, writeSync } from 'node:fs';
import { after, before, describe } from 'node:test';
import { pathToFileURL } from 'node:url';

export type GroupReport =
  | { readonly event: 'open'; readonly path: string }
  | {
      readonly event: 'closed';
      readonly path: string;
      /** Kinds of resources that the file did not close. */
      readonly left: readonly string[];
    }
  | { readonly event: 'exit'; readonly cpuMs: number };

const TICK_MS = 10;

for (const path of process.argv.slice(2)) {
  describe(path, async () => {
    let earlier: readonly string[] = [];
    before(() => {
      earlier = process.getActiveResourcesInfo();
      report({ event: 'open', path });
    });
    try {
      await import(pathToFileURL(path).href);
    } finally {
      after(() => report({ event: 'closed', path, left: added(earlier) }));
    }
  });
}

process.once('exit', () => report({ event: 'exit', cpuMs: cpuMs() }));

/** Written at once: a test may block the event loop. */
function report(line: GroupReport): void {
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

/** CPU time of this process; on Linux also of the children that have ended. */
function cpuMs(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
  // proc_pid_stat(5): fields 14 to 17, counted after the name in parentheses.
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  const ticks = fields.split(' ').slice(11, 15).map(Number);
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}
