// What a run over many seeds came to: how much was played, which faults were injected, how often
// invariants were checked, and how to replay each history that failed.
import type { HistorySummary } from './history.js';
import type { PartnerName } from './partner/history-partner.js';
import { type FaultKind, faultKinds } from './world/faults.js';

export interface ReportInput {
  readonly steps: number;
  readonly parties: boolean;
  readonly people: boolean;
  readonly transfers: boolean;
  readonly partner: PartnerName;
  readonly database: string;
}

export class Report {
  readonly #input: ReportInput;
  readonly #startedAt = performance.now();
  readonly #faults = new Map<FaultKind, number>();
  readonly #failed: HistorySummary[] = [];
  #histories = 0;
  #steps = 0;
  #checks = 0;

  constructor(input: ReportInput) {
    this.#input = input;
  }

  add(history: HistorySummary): void {
    this.#histories += 1;
    this.#steps += history.steps;
    this.#checks += history.checks;
    for (const [kind, count] of history.faults) {
      this.#faults.set(kind, (this.#faults.get(kind) ?? 0) + count);
    }
    if (history.violation !== null) this.#failed.push(history);
  }

  get hasFailures(): boolean {
    return this.#failed.length > 0;
  }

  text(): string {
    const seconds = (performance.now() - this.#startedAt) / 1_000;
    const failed = this.#failed.toSorted((a, b) => a.seed - b.seed);
    return [
      `histories ${figure(this.#histories)}`,
      `steps ${figure(this.#steps)}`,
      `invariants checked ${figure(this.#checks)}`,
      `seconds ${seconds.toFixed(1)}`,
      'faults injected',
      ...faultKinds[this.#input.partner].map(
        (kind) => `  ${kind} ${figure(this.#faults.get(kind) ?? 0)}`,
      ),
      `seeds failed ${failed.length}`,
      ...failed.flatMap((history) => [
        `  ${failureLine(history)}`,
        `    ${this.#replay(history.seed)}`,
      ]),
    ].join('\n');
  }

  #replay(seed: number): string {
    const { steps, parties, people, transfers, partner, database } = this.#input;
    const options = [`--seed ${seed}`, `--steps ${steps}`];
    if (parties) options.push('--parties');
    if (people) options.push('--people');
    if (transfers) options.push('--transfers');
    if (partner !== 'simulated') options.push(`--partner ${partner}`);
    if (database !== 'sqlite') options.push(`--database ${database}`);
    return `npm run simulate -- ${options.join(' ')}`;
  }
}

export function failureLine({ seed, violation }: HistorySummary): string {
  const { step, invariant, detail } = violation ?? { step: 0, invariant: 'none', detail: '' };
  return `seed ${seed}, step ${step}: ${invariant}: ${detail}`;
}

function figure(count: number): string {
  return count.toLocaleString('en-US');
}
