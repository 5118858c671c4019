// What a person waits for: from the start of the process to the first good answer of /readyz, on
// an empty data directory and on one that was served before, and `ponte --help`.
import { once } from 'node:events';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { freePort } from '../child-calls.js';
import { type Bench, type Figure, median, until } from '../comparison.js';
import { spawnPonte } from '../ponte-server.js';

export async function start(bench: Bench): Promise<readonly Figure[]> {
  const times = bench.quick ? 3 : 9;
  const [first, again, help]: [number[], number[], number[]] = [[], [], []];
  for (let time = 0; time < times; time += 1) {
    const dataDir = temporaryFolder();
    first.push(await toFirstAnswer(dataDir));
    again.push(await toFirstAnswer(dataDir));
    help.push(await toEnd(['--help']));
    bench.say(`  first ${ms(first)}, again ${ms(again)}, help ${ms(help)}`);
  }
  return [
    alone('start to first answer, empty data directory', median(first), 400),
    alone('start to first answer, served before', median(again), 400),
    alone('ponte --help', median(help), 100),
  ];
}

function ms(times: readonly number[]): string {
  return `${Math.round(times.at(-1) ?? 0)} ms`;
}

function alone(what: string, value: number, atMost: number): Figure {
  const goal = { kind: 'at most', value: atMost } as const;
  return { row: 'start', what, unit: 'ms', value, against: null, ratio: null, goal, notes: {} };
}

async function toFirstAnswer(dataDir: string): Promise<number> {
  const port = await freePort();
  const startedAtMs = performance.now();
  const child = spawnPonte({}, ['serve'], {
    PONTE_DATA_DIR: dataDir,
    PONTE_PORT: `${port}`,
    PONTE_LOG_LEVEL: 'warn',
  });
  const ready = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(ready, 5);
  const tookMs = performance.now() - startedAtMs;
  child.kill('SIGTERM');
  await once(child, 'exit');
  return tookMs;
}

async function toEnd(words: readonly string[]): Promise<number> {
  const startedAtMs = performance.now();
  const child = spawnPonte({}, words, {});
  child.stdout?.resume();
  await once(child, 'exit');
  return performance.now() - startedAtMs;
}
