// The service, broken on purpose in one place at a time: the source as it is, with one text
// replaced while it is loaded. Each variant must be caught by the invariant that it hurts; a text
// that is no longer there exactly once is a failure too.
import { readFileSync } from 'node:fs';
import {
  type LoadHookSync,
  type ResolveHookSync,
  registerHooks,
  stripTypeScriptTypes,
} from 'node:module';
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
  /** Length of the histories that bring it out, where the usual length does not. */
  readonly steps?: number;
  /** The invariants of which one must fail; until then other histories are played. */
  readonly caughtBy: readonly InvariantName[];
}

export const mutants: readonly Mutant[] = [
  ...paymentMutants,
  ...moneyMutants,
  ...partyMutants,
  ...blindPayMutants,
];

const root = new URL('../../../', import.meta.url).href;
const mutation = /\?mutant=(\d+)$/;
/** The sources of the mutants without types, by URL. */
const stripped = new Map<string, string>();
const loaded: Mutant[] = [];

/** The module of a history with the service broken: the project's modules are loaded again. */
export async function brokenHistory(mutant: Mutant): Promise<typeof import('../history.js')> {
  if (loaded.length === 0) registerHooks({ resolve, load });
  loaded.push(mutant);
  const url = new URL(`../history.ts?mutant=${loaded.length - 1}`, import.meta.url);
  return import(url.href);
}

/** What a module of a mutant imports is the mutant's, but for packages. */
const resolve: ResolveHookSync = (specifier, context, next) => {
  const resolved = next(specifier, context);
  const [query] = mutation.exec(context.parentURL ?? '') ?? [];
  const isShared = !resolved.url.startsWith(root) || resolved.url.includes('/node_modules/');
  return query === undefined || isShared ? resolved : { ...resolved, url: resolved.url + query };
};

const load: LoadHookSync = (url, context, next) => {
  const [query, number] = mutation.exec(url) ?? [];
  if (query === undefined) return next(url, context);
  const file = url.slice(0, -query.length);
  const mutant = loaded[Number(number)];
  if (mutant !== undefined && file === root + mutant.file) {
    const source = stripTypeScriptTypes(mutated(readFileSync(new URL(file), 'utf8'), mutant.edits));
    return { format: 'module', source, shortCircuit: true };
  }
  if (!file.endsWith('.ts')) return next(file, context);
  let source = stripped.get(file);
  if (source === undefined) {
    source = stripTypeScriptTypes(readFileSync(new URL(file), 'utf8'));
    stripped.set(file, source);
  }
  return { format: 'module', source, shortCircuit: true };
};

function mutated(source: string, edits: Mutant['edits']): string {
  return edits.reduce((text, [find, replace]) => {
    const count = text.split(find).length - 1;
    if (count !== 1) throw new Error(`${find} occurs ${count} times`);
    return text.replace(find, () => replace);
  }, source);
}
