// Which cases the test of a law tries. A change is tried with the same ones in every run, so that
// it fails for what it changed alone; the nightly run draws others, and more of them.
import fc from 'fast-check';

const PART = 4;
const SEED = 20_260_101;

let isNightly = false;

/** For the processes of test/run.ts. */
export function drawSameCases(): void {
  fc.configureGlobal({ seed: SEED });
}

/** For laws.nightly.ts, before it loads the files of laws. */
export function drawOtherCases(): void {
  isNightly = true;
  fc.resetConfigureGlobal();
}

export function lawRuns(nightly: number): number {
  return isNightly ? nightly : Math.ceil(nightly / PART);
}
