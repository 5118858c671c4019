// What the tests of a file share is closed after them. A `before` hook cannot register that itself:
// within a suite its context has no `after`, and files run within suites of the runner.
import { after } from 'node:test';

export interface SuiteEnd {
  /** Adds what to close. The last one added is closed first. */
  after(close: () => unknown): void;
}

/** To be called while the file loads. */
export function suiteEnd(): SuiteEnd {
  const closings: (() => unknown)[] = [];
  after(async () => {
    for (const close of closings.toReversed()) await close();
  });
  return { after: (close) => void closings.push(close) };
}
