// How often the test of a law tries it: in the nightly run with all cases, before that with a
// quarter of them. Each run draws others.
const PART = 4;

/** Set by laws.nightly.ts. */
export const ALL_LAW_RUNS = 'PONTE_TEST_ALL_LAW_RUNS';

export function lawRuns(nightly: number): number {
  return process.env[ALL_LAW_RUNS] === undefined ? Math.ceil(nightly / PART) : nightly;
}
