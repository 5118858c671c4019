// What the tests of a file share is closed after them, also when a `before` hook failed halfway. A
// hook cannot register that itself: within a suite its context has no `after`, and files run within
// suites of the runner.
import { after } from 'node:test';

export interface SuiteEnd {
  /** Adds what to close. The last one added is closed first. */
  after(close: () => unknown): void;
}

/** To be called while the file loads. */
export function suiteEnd(): SuiteEnd {
  const closings: (() => unknown)[] = [];
  after(async () => {
    const errors: unknown[] = [];
    for (const close of closings.toReversed()) {
      try {
        await close();
      } catch (error) {
        // The others must be closed too, or the process does not end.
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.join('; '));
  });
  return { after: (close) => void closings.push(close) };
}
