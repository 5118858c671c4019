// Tests that the simulator catches broken variants of the service, each in a separate process.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadTypeScript } from '../../support/source-tree.js';
import type { Mutant } from './mutants.js';

/** More than any variant needs; each stops when it is caught. */
const SEEDS = 100;
const STEPS = 600;
const failure = /^seed \d+, step \d+: (\w+): /gm;

export function testCaught(mutants: readonly Mutant[]): void {
  describe('a broken service is caught', { concurrency: 2 }, () => {
    for (const { name, caughtBy } of mutants) {
      test(name, async () => {
        const broken = [...(await simulated(name)).matchAll(failure)].map(
          ([, invariant]) => invariant,
        );
        const isCaught = caughtBy.some((expected) => broken.includes(expected));
        assert.ok(isCaught, `it breaks ${broken.join(', ') || 'nothing'}`);
      });
    }
  });
}

/** What a simulation of the broken service prints. */
function simulated(mutant: string): Promise<string> {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const options = ['--mutant', mutant, '--seeds', `${SEEDS}`, '--steps', `${STEPS}`];
  const args = ['--no-warnings', ...loadTypeScript, main, ...options];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (_error, stdout, stderr) => {
      resolve(`${stdout}\n${stderr}`);
    });
  });
}
