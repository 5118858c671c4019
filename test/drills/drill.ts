// What a drill is: a fault that is done to a real deployment, counts of what happened, and the
// bounds that must hold. `npm run drills` plays all of them; tests play the quick ones.
import { randomBytes } from 'node:crypto';
import { seededBytes } from '../../adapters/crypto/ids.js';
import { numbersOf } from '../support/servers/payment-load.js';

export interface Drill {
  readonly name: string;
  /** In words, for the table. */
  readonly bounds: string;
  run(context: DrillContext): Promise<DrillResult>;
}

export interface DrillContext {
  /** A whole number below this one, from the seed. */
  readonly below: (end: number) => number;
  /** Progress, for a person who watches. */
  readonly say: (text: string) => void;
  /** Registers a cleanup. The last one registered runs first, also after a failure. */
  readonly after: (cleanup: () => unknown) => void;
}

export type DrillResult =
  | { readonly skipped: string }
  | {
      readonly counts: Readonly<Record<string, number | string>>;
      /** Each bound that was broken, in words; empty when all hold. */
      readonly broken: readonly string[];
    };

/** Plays one drill and cleans up after it. What it throws counts as a broken bound. */
export async function play(
  drill: Drill,
  {
    seed = randomBytes(4).toString('hex'),
    say = () => undefined,
  }: { readonly seed?: string; readonly say?: (text: string) => void } = {},
): Promise<DrillResult> {
  const cleanups: (() => unknown)[] = [];
  const below = numbersOf(seededBytes(seed));
  const after = (cleanup: () => unknown) => void cleanups.push(cleanup);
  try {
    return await drill.run({ below, say, after });
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { counts: { seed }, broken: [reason] };
  } finally {
    for (const cleanup of cleanups.toReversed()) {
      try {
        await cleanup();
      } catch (error) {
        say(`cleanup: ${error}`);
      }
    }
  }
}

/** The broken ones of these bounds: each is a sentence and whether it holds. */
export function brokenOf(bounds: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.entries(bounds).flatMap(([bound, holds]) => (holds ? [] : [bound]));
}
