// The service, broken on purpose in one place at a time: the source as it is, with one text
// replaced while it is loaded. Each variant must be caught by the invariant that it hurts; a text
// that is no longer there exactly once is a failure too.
import { existsSync, readFileSync } from 'node:fs';
import {
  type LoadHookSync,
  type ResolveHookSync,
  registerHooks,
  stripTypeScriptTypes,
} from 'node:module';
import { importsOf } from '../../support/source-tree.js';
import type { InvariantName } from '../invariants/invariants.js';
import type { Focus } from '../run-profile.js';
import { auditMutants } from './audit-mutants.js';
import { blindPayMutants } from './blindpay-mutants.js';
import { moneyMutants } from './money-mutants.js';
import { partyMutants } from './party-mutants.js';
import { paymentMutants } from './payment-mutants.js';
import { peopleMutants } from './people-mutants.js';

export interface PlayedHistory {
  readonly seed: number;
  readonly steps: number;
}

export interface Mutant {
  readonly name: string;
  /** Only the nightly run plays it: others break the same invariant sooner, or it takes long. */
  readonly nightly?: true;
  readonly file: string;
  readonly edits: readonly (readonly [find: string, replace: string])[];
  /** What brings it out soon. */
  readonly focus?: Focus;
  /** The history that is played first: it brought it out soon. */
  readonly first?: PlayedHistory;
  /** The invariants of which one must fail; until then other histories are played. */
  readonly caughtBy: readonly InvariantName[];
}

export const mutants: readonly Mutant[] = [
  paymentMutants,
  moneyMutants,
  partyMutants,
  blindPayMutants,
  auditMutants,
  peopleMutants,
].flatMap((area) =>
  Object.entries<Omit<Mutant, 'name'>>(area).map(([name, how]) => ({ name, ...how })),
);

const root = new URL('../../../', import.meta.url).href;
const mutation = /\?mutant=(\d+)$/;
const loaded: LoadedMutant[] = [];

interface LoadedMutant {
  readonly mutant: Mutant;
  /** Whether a module imports the broken one, directly or not. */
  readonly known: Map<string, boolean>;
}

/** The module of a history with the service broken: what imports the broken module loads again. */
export async function brokenHistory(mutant: Mutant): Promise<typeof import('../history.js')> {
  if (loaded.length === 0) registerHooks({ resolve, load });
  loaded.push({ mutant, known: new Map([[root + mutant.file, true]]) });
  const url = new URL(`../history.ts?mutant=${loaded.length - 1}`, import.meta.url);
  return import(url.href);
}

const resolve: ResolveHookSync = (specifier, context, next) => {
  const resolved = next(specifier, context);
  const [query, number] = mutation.exec(context.parentURL ?? '') ?? [];
  const known = loaded[Number(number)]?.known;
  if (known === undefined || !isBroken(resolved.url, known)) return resolved;
  return { ...resolved, url: resolved.url + query };
};

const load: LoadHookSync = (url, context, next) => {
  const [query, number] = mutation.exec(url) ?? [];
  if (query === undefined) return next(url, context);
  const file = url.slice(0, -query.length);
  const mutant = loaded[Number(number)]?.mutant;
  if (!file.endsWith('.ts')) return next(file, context);
  const isMutated = mutant !== undefined && file === root + mutant.file;
  const source = isMutated
    ? strippedOf(file, mutant.edits)
    : (unbroken.get(file) ?? strippedOf(file));
  if (!isMutated) unbroken.set(file, source);
  return { format: 'module', source, shortCircuit: true };
};

/** JavaScript of modules as they are, by URL: many mutants load them. */
const unbroken = new Map<string, string>();

function strippedOf(file: string, edits: Mutant['edits'] = []): string {
  return stripTypeScriptTypes(mutated(readFileSync(new URL(file), 'utf8'), edits));
}

/** All other modules are the same for all mutants, and compiled once. */
function isBroken(url: string, known: Map<string, boolean>): boolean {
  const answer = known.get(url) ?? importsOfModule(url).some((each) => isBroken(each, known));
  known.set(url, answer);
  return answer;
}

const imports = new Map<string, readonly string[]>();

/** The modules of the project of which it needs more than types, by URL. */
function importsOfModule(url: string): readonly string[] {
  if (!url.startsWith(root) || url.includes('/node_modules/')) return [];
  const found = imports.get(url) ?? valueImports(url);
  imports.set(url, found);
  return found;
}

function valueImports(url: string): readonly string[] {
  const text = readFileSync(new URL(url), 'utf8').replace(/^import type [^;]*;$/gm, '');
  const found = importsOf({ path: url.slice(root.length), text });
  return found.flatMap((name) => {
    const urls = ['.ts', '.tsx'].map((ending) => root + name.replace(/\.js$/, ending));
    return urls.filter((each) => existsSync(new URL(each)));
  });
}

function mutated(source: string, edits: Mutant['edits']): string {
  return edits.reduce((text, [find, replace]) => {
    const count = text.split(find).length - 1;
    if (count !== 1) throw new Error(`${find} occurs ${count} times`);
    return text.replace(find, () => replace);
  }, source);
}
