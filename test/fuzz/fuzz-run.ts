// A run of many requests in rounds of limited length, and its report.
import { FuzzCoverage } from './fuzz-coverage.js';
import { playRound, type Violation } from './fuzz-round.js';

/** Short enough that lists and queues of a service stay short. */
const ROUND_COUNT = 500;
/** A run of this length must reach every operation. */
const COVERING_COUNT = 5_000;

const PROBLEM_SHOWN_MAX = 1_000;

export interface FuzzRun {
  readonly failures: readonly string[];
  readonly report: readonly string[];
}

/** Each round has the next seed: a failure is repeated by its round alone. */
export async function fuzz(
  seed: number,
  count: number,
  onTrace: (line: string) => void = () => undefined,
): Promise<FuzzRun> {
  const startedMs = performance.now();
  const coverage = new FuzzCoverage();
  const violations: Violation[] = [];
  for (let done = 0, roundSeed = seed; done < count; done += ROUND_COUNT, roundSeed += 1) {
    const round = await playRound(roundSeed, Math.min(ROUND_COUNT, count - done));
    for (const line of round.trace) onTrace(line);
    coverage.merge(round.coverage);
    violations.push(...round.violations);
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const unreached = count < COVERING_COUNT ? [] : coverage.neverSucceeded();
  const failures = [
    ...failuresOf(violations),
    ...unreached.map((operationId) => `${operationId} was never answered with 2xx`),
  ];
  const summary =
    `seed ${seed}: ${coverage.requests} requests, ${coverage.answers} answers, ` +
    `${seconds.toFixed(1)} s, ${failures.length} failures`;
  return { failures, report: [...coverage.report(), ...failures, summary] };
}

/** The first violation of each kind. */
function failuresOf(violations: readonly Violation[]): readonly string[] {
  const kinds = Map.groupBy(violations, ({ title, problem }) => {
    const [operationId] = title.split(':');
    return `${operationId} ${problem.split('\n')[0]?.replaceAll(/\w{20,}|\d+/g, '…')}`;
  });
  return [...kinds.values()].flatMap((same) =>
    same
      .slice(0, 1)
      .map(({ seed, count, title, problem, request }) =>
        [
          '',
          `${same.length} × ${title}`,
          problem.slice(0, PROBLEM_SHOWN_MAX),
          JSON.stringify(request),
          `Repeat with: npm run fuzz -- --seed ${seed} --count ${count}`,
        ].join('\n'),
      ),
  );
}
