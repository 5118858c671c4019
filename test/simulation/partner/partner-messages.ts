// Messages of a partner on their way to us: each is ready after a while, goes on until it is
// acknowledged or lost, and comes again after a restore if the partner guarantees it.
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { SeededRandom } from '../seeded-random.js';

/** A message on its way to us. */
export interface PartnerMessage {
  readonly id: string;
  readonly mode: Mode;
  readonly body: string;
  readonly readyAtMs: number;
  /** Sent again until it is acknowledged: polling may not bring its report. */
  readonly guaranteed: boolean;
  /**
   * The command whose return it reports, or what follows an end: these come in order, because a
   * report has no time by which an older one could be recognized.
   */
  readonly inOrderOf: string | null;
}

const DELAYS_MS = [0, 0, 500, 5_000, 90_000, 7_200_000] as const;

export class PartnerMessages {
  readonly waiting: PartnerMessage[] = [];
  readonly #random: SeededRandom;
  readonly #nowMs: () => number;
  #dropped: { readonly message: PartnerMessage; readonly atMs: number }[] = [];

  constructor(random: SeededRandom, nowMs: () => number) {
    this.#random = random;
    this.#nowMs = nowMs;
  }

  send(message: Omit<PartnerMessage, 'readyAtMs'>): void {
    const readyAtMs = this.#nowMs() + this.#random.pick(DELAYS_MS);
    this.waiting.push({ ...message, readyAtMs });
  }

  /** Those that may be delivered now. */
  get ready(): readonly PartnerMessage[] {
    const nowMs = this.#nowMs();
    const before = new Set<string>();
    return this.waiting.filter(({ readyAtMs, inOrderOf }) => {
      const isNext = inOrderOf === null || !before.has(inOrderOf);
      if (inOrderOf !== null) before.add(inOrderOf);
      return isNext && readyAtMs <= nowMs;
    });
  }

  /** The message is acknowledged, or lost for good. */
  drop(message: PartnerMessage): void {
    const at = this.waiting.indexOf(message);
    if (at === -1) return;
    this.waiting.splice(at, 1);
    this.#dropped.push({ message, atMs: this.#nowMs() });
  }

  /** The caller is what it was at this time: it asks for all messages since. */
  restored(sinceMs: number): void {
    const since = this.#dropped.filter(({ atMs }) => atMs >= sinceMs);
    const again = since.filter(({ message }) => message.guaranteed).map(({ message }) => message);
    this.waiting.unshift(...again);
    this.#dropped = this.#dropped.filter(({ atMs }) => atMs < sinceMs);
  }
}
