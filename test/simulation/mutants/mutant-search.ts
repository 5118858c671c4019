// Tests that the simulator catches broken variants of the service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenHistory, type Mutant, type PlayedHistory } from './mutants.js';

/** Half of the variants are caught by one of a few short histories, others by more long ones. */
const lengths = [
  { steps: 5, seeds: 15 },
  { steps: 20, seeds: 15 },
  { steps: 80, seeds: 12 },
  { steps: 200, seeds: 12 },
  { steps: 600, seeds: 100 },
] as const;

export function testCaught(mutants: readonly Mutant[]): void {
  for (const mutant of mutants) {
    test(`a broken service is caught: ${mutant.name}`, async () => {
      const broken = await brokenInvariants(mutant);
      const isCaught = mutant.caughtBy.some((expected) => broken.has(expected));
      assert.ok(isCaught, `it breaks ${[...broken].join(', ') || 'nothing'}`);
    });
  }
}

/** Plays histories until one breaks an invariant that the variant must break. */
async function brokenInvariants(mutant: Mutant): Promise<ReadonlySet<string>> {
  const broken = new Set<string>();
  const { simulate } = await brokenHistory(mutant);
  for (const history of historiesFor(mutant)) {
    const { violation } = await simulate(history.seed, history.steps, mutant.focus);
    if (violation !== null) broken.add(violation.invariant);
    if (!mutant.caughtBy.some((expected) => broken.has(expected))) continue;
    if (history !== (mutant.first ?? history))
      console.log(
        `slow: record the history that catches "${mutant.name}": ${JSON.stringify(history)}`,
      );
    break;
  }
  return broken;
}

/** The one that is recorded, and then all of each length: other changes change histories. */
function historiesFor({ first }: Mutant): readonly PlayedHistory[] {
  const others = lengths.flatMap(({ steps, seeds }) =>
    Array.from({ length: seeds }, (_, index) => ({ seed: index + 1, steps })),
  );
  return first === undefined ? others : [first, ...others];
}
