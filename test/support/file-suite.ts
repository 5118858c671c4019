// Test files as suites. The runner of Node follows each asynchronous resource, promises included,
// to know the suite that a test is registered in. That is a fifth of the CPU time of tests that
// await much, and nothing needs it once a file is loaded. Import nothing from `node:test` before
// this file in a process: the runner takes its hook when it is loaded.
import asyncHooks, { type AsyncHook } from 'node:async_hooks';

const { createHook } = asyncHooks;
/** Null where the runner was loaded before this file. */
let followed: AsyncHook | null = null;
asyncHooks.createHook = (callbacks) => {
  followed = createHook(callbacks);
  return followed;
};
const { after, describe } = await import('node:test');
asyncHooks.createHook = createHook;

export { after };

let loading = 0;

/** A suite of what a file registers while it is loaded, its hooks included. */
export function describeFile(path: string, load: () => Promise<unknown>): void {
  loading += 1;
  followed?.enable();
  void describe(path, async () => {
    try {
      await load();
    } finally {
      loading -= 1;
      if (loading === 0) followed?.disable();
    }
  });
}
