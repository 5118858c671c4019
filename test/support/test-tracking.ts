// Node follows every promise of a test process, to know to which suite a new test belongs and which
// test an uncaught error comes from. That takes a quarter of the CPU time of most files. Here it
// follows only what registers tests. It is to be loaded before node:test: by `--import`.
import hooks, { type AsyncHook } from 'node:async_hooks';

const { createHook } = hooks;
let tracking: AsyncHook | null = null;
let registrations = 0;

hooks.createHook = (callbacks) => {
  tracking = createHook(callbacks);
  return tracking;
};
await import('node:test');
hooks.createHook = createHook;

/** Runs what registers tests, in the body of a suite. */
export async function registering<T>(register: () => Promise<T>): Promise<T> {
  registrations += 1;
  try {
    return await register();
  } finally {
    registrations -= 1;
    if (registrations === 0) tracking?.disable();
  }
}

/** To be called before a suite is made. */
export function trackRegistrations(): void {
  tracking?.enable();
}
