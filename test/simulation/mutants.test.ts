// The simulator catches a service that is broken on purpose, each variant by the rule it breaks.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mutants } from './mutants.js';

/** More than any variant needs; each stops when it is caught. */
const SEEDS = 100;
const STEPS = 600;
const failure = /^seed \d+, step \d+: (\w+): /gm;

for (const { name, file, edits } of mutants) {
  test(`the text is there once that this replaces: ${name}`, () => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    for (const [find] of edits) assert.equal(source.split(find).length - 1, 1, find);
  });
}

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

/** What a simulation of the broken service prints. */
function simulated(mutant: string): Promise<string> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const options = ['--mutant', mutant, '--seeds', `${SEEDS}`, '--steps', `${STEPS}`];
  const args = ['--no-warnings', '--import', 'tsx', main, ...options];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (_error, stdout, stderr) => {
      resolve(`${stdout}\n${stderr}`);
    });
  });
}
