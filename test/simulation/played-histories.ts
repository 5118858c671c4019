// The histories that a test file plays. Each must keep every invariant.
import assert from 'node:assert/strict';
import { type History, simulate } from './history.js';
import { failureLine } from './report.js';
import type { Focus } from './run-profile.js';
import { type FaultKind, faultTable } from './world/faults.js';

export interface HistoryKind {
  readonly steps: number;
  readonly focus: Focus;
}

/** Maximum number of histories of a file. */
const HISTORIES_MAX = 60;
const TAIL_LINES = 60;

export class PlayedHistories {
  readonly histories: History[] = [];
  readonly #kinds: readonly [HistoryKind, ...HistoryKind[]];
  #highestSeed = 0;

  constructor(...kinds: readonly [HistoryKind, ...HistoryKind[]]) {
    this.#kinds = kinds;
  }

  async play({ steps, focus }: HistoryKind, seeds: readonly number[]): Promise<void> {
    for (const seed of seeds) {
      const history = await simulate(seed, steps, focus);
      const tail = history.trace.slice(-TAIL_LINES).join('\n');
      const how = `${failureLine(history)}\n${JSON.stringify(focus)}`;
      assert.equal(history.violation, null, `${tail}\n${how}`);
      this.histories.push(history);
    }
    this.#highestSeed = Math.max(this.#highestSeed, ...seeds);
  }

  /** Plays more histories until each of these faults was injected. */
  async injectAll(kinds: readonly FaultKind[]): Promise<void> {
    const [{ steps, focus }] = this.#kinds;
    for (const kind of kinds) {
      const often = { ...focus, faults: { [kind]: Math.max(...faultTable[kind]) } };
      const isInjected = () => this.histories.some(({ faults }) => faults.has(kind));
      if (!isInjected()) console.log(`slow: no chosen history has ${kind}: choose others`);
      while (!isInjected() && this.#mayPlay())
        await this.play({ steps, focus: often }, [this.#highestSeed + 1]);
      assert.ok(isInjected(), kind);
    }
  }

  /** Plays more histories of each kind until all of this was seen. */
  async seeAll(expected: readonly string[]): Promise<void> {
    for (const what of expected) {
      const isSeen = () => this.histories.some(({ counts }) => counts.has(what));
      if (!isSeen()) console.log(`slow: no chosen history sees "${what}": choose others`);
      while (!isSeen() && this.#mayPlay())
        for (const kind of this.#kinds) await this.play(kind, [this.#highestSeed + 1]);
      assert.ok(isSeen(), what);
    }
  }

  #mayPlay(): boolean {
    return this.histories.length < HISTORIES_MAX;
  }
}
