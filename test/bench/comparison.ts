// Compares contenders: they take turns (A B A B …) on one machine in one run, and the median of
// their rounds counts. Each round also reports its CPU time, which is steadier than speed on a
// machine that runs other programs.
import { cpuMsOf, memoryMbOf } from './child-calls.js';
import type { LoadJob, LoadResult } from './load-generator.js';

/** One line of the table. */
export interface Figure {
  readonly row: string;
  readonly what: string;
  readonly unit: string;
  readonly value: number;
  /** What it is held against; null: it stands alone. */
  readonly against: { readonly what: string; readonly value: number } | null;
  /** The median of `value` by `against.value` of each round. */
  readonly ratio: number | null;
  /** What is to be reached: a ratio where there is one, else the value itself. */
  readonly goal: { readonly kind: 'at least' | 'at most'; readonly value: number } | null;
  readonly notes: Readonly<Record<string, number | string>>;
}

/** What a row is given. */
export interface Bench {
  readonly quick: boolean;
  readonly rounds: number;
  readonly roundMs: number;
  readonly connections: number;
  /** Payments of the large database. */
  readonly size: number;
  /** Another clone whose build takes part, to measure a change. */
  readonly before: string | null;
  readonly load: (job: LoadJob) => Promise<LoadResult>;
  readonly say: (text: string) => void;
}

export type Row = (bench: Bench) => Promise<readonly Figure[]>;

export interface Contender {
  readonly what: string;
  readonly pids: readonly number[];
  readonly job: Pick<LoadJob, 'urls' | 'method' | 'path' | 'headers' | 'body' | 'ids'>;
  /** Plays the job; the load process unless given. */
  readonly load?: Bench['load'];
  /** Waits until it has nothing left to do that would slow the next one down. */
  readonly settle?: () => Promise<void>;
}

export interface Measured {
  readonly what: string;
  readonly perSecond: readonly number[];
  readonly median: number;
  /** Of all its threads, for one answer; what it does behind the answers included. */
  readonly cpuUs: number;
  readonly p99Ms: number;
  readonly memoryMb: number;
}

/** Rounds of full load on each contender in turn. */
export async function compareThroughput(
  bench: Bench,
  contenders: readonly Contender[],
  expected: string,
): Promise<readonly Measured[]> {
  const rounds = contenders.map(() => [] as (LoadResult & { cpuUs: number; memoryMb: number })[]);
  const next = contenders.map(() => 0);
  for (let round = 0; round < bench.rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const cpuBefore = sum(contender.pids.map(cpuMsOf));
      const result = await (contender.load ?? bench.load)({
        ...contender.job,
        firstNumber: next[index] ?? 0,
        connections: bench.connections,
        ratePerSecond: null,
        warmUpMs: round === 0 ? 3_000 : 500,
        durationMs: bench.roundMs,
      });
      const memoryMb = Math.max(...contender.pids.map(memoryMbOf));
      const wrong = Object.keys(result.statuses).filter((status) => status !== expected);
      if (wrong.length > 0) throw new Error(`${contender.what} answered ${wrong.join(', ')}`);
      await contender.settle?.();
      const answers = result.nextNumber - (next[index] ?? 0);
      const cpuUs = ((sum(contender.pids.map(cpuMsOf)) - cpuBefore) * 1_000) / answers;
      next[index] = result.nextNumber;
      rounds[index]?.push({ ...result, cpuUs, memoryMb });
      const [speed, p99] = [Math.round(result.perSecond), result.p99Ms.toFixed(1)];
      const cost = `${Math.round(cpuUs)} µs of processor each`;
      bench.say(`  ${contender.what}: ${speed}/s, p99 ${p99} ms, ${cost}`);
    }
  }
  return contenders.map(({ what }, index) => {
    const mine = rounds[index] ?? [];
    return {
      what,
      perSecond: mine.map(({ perSecond }) => perSecond),
      median: median(mine.map(({ perSecond }) => perSecond)),
      cpuUs: median(mine.map(({ cpuUs }) => cpuUs)),
      p99Ms: median(mine.map(({ p99Ms }) => p99Ms)),
      memoryMb: Math.max(...mine.map(({ memoryMb }) => memoryMb)),
    };
  });
}

/** The figure of one contender against another. */
export function versus(
  row: string,
  mine: Measured,
  other: Measured,
  goalAtLeast: number | null,
): Figure {
  return {
    row,
    what: mine.what,
    unit: '/s',
    value: mine.median,
    against: { what: other.what, value: other.median },
    ratio: median(mine.perSecond.map((value, round) => value / (other.perSecond[round] ?? 0))),
    goal: goalAtLeast === null ? null : { kind: 'at least', value: goalAtLeast },
    notes: {
      cpuUs: Math.round(mine.cpuUs),
      againstCpuUs: Math.round(other.cpuUs),
      p99Ms: mine.p99Ms,
      memoryMb: Math.round(mine.memoryMb),
    },
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export async function until(isSo: () => Promise<boolean>, everyMs = 50): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, everyMs));
}
