// Operators of a database under test. Each has another configuration folder.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runCommand } from './command.js';

type Environment = Readonly<Record<string, string>>;

/** The environment of this operator, whose key is below `folder`. */
export function loginOf(folder: string, name: string): Readonly<{ XDG_CONFIG_HOME: string }> {
  return { XDG_CONFIG_HOME: join(folder, name) };
}

/** Creates the keys of these operators and registers them, the first one by itself. */
export async function registerOperators(
  env: Environment,
  folder: string,
  names: readonly string[],
): Promise<void> {
  let by: Environment = {};
  for (const name of names) {
    const own = { ...env, ...loginOf(folder, name) };
    const { publicKey } = await succeeded(own, ['login']);
    const words = ['operator', 'add', name, '--public-key', `${publicKey}`];
    await succeeded({ ...env, ...by }, words);
    by = loginOf(folder, name);
  }
}

async function succeeded(env: Environment, words: readonly string[]) {
  const { status, stdout, stderr } = await runCommand(env, [...words, '--json']);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}
