// The service, broken on purpose in one place at a time: the source as it is, with one text
// replaced while it is loaded. Each variant must be caught by the invariant that it hurts; a text
// that is no longer there exactly once is a failure too.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { InvariantName } from '../invariants/invariants.js';
import type { Focus } from '../run-profile.js';
import { blindPayMutants } from './blindpay-mutants.js';
import { moneyMutants } from './money-mutants.js';
import { partyMutants } from './party-mutants.js';
import { paymentMutants } from './payment-mutants.js';

export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly edits: readonly (readonly [find: string, replace: string])[];
  /** What brings it out soon. */
  readonly focus?: Focus;
  /** The invariants of which one must fail; until then other histories are played. */
  readonly caughtBy: readonly InvariantName[];
}

export const mutants: readonly Mutant[] = [
  ...paymentMutants,
  ...moneyMutants,
  ...partyMutants,
  ...blindPayMutants,
];

/** Breaks the service in this process; call it before anything of it is imported. */
export function install({ file, edits }: Mutant): void {
  const path = fileURLToPath(new URL(`../../../${file}`, import.meta.url));
  registerHooks({
    load: (url, context, nextLoad) => {
      if (!url.startsWith('file:') || fileURLToPath(url.replace(/\?.*/, '')) !== path) {
        return nextLoad(url, context);
      }
      const source = stripTypeScriptTypes(mutated(readFileSync(path, 'utf8'), edits));
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

function mutated(source: string, edits: Mutant['edits']): string {
  return edits.reduce((text, [find, replace]) => {
    const count = text.split(find).length - 1;
    if (count !== 1) throw new Error(`${find} occurs ${count} times`);
    return text.replace(find, () => replace);
  }, source);
}
