// Counts the answers of each operation by status, and reports which described statuses were never
// given.
import { describedAnswers, operationIdAt } from '../adapters/http/docs/described-answers.js';

const OTHER_PATHS = '(unknown path or method)';

export class FuzzCoverage {
  /** By operation, then by status. */
  readonly #counts = new Map<string, Map<string, number>>();
  #requests = 0;
  #answers = 0;

  get requests(): number {
    return this.#requests;
  }

  get answers(): number {
    return this.#answers;
  }

  countRequest(): void {
    this.#requests += 1;
  }

  countAnswer(method: string, path: string, status: number): void {
    this.#answers += 1;
    this.#add(operationIdAt(method, path) ?? OTHER_PATHS, `${status}`, 1);
  }

  merge(other: FuzzCoverage): void {
    this.#requests += other.#requests;
    this.#answers += other.#answers;
    for (const [operationId, statuses] of other.#counts) {
      for (const [status, count] of statuses) this.#add(operationId, status, count);
    }
  }

  hasSucceeded(operationId: string): boolean {
    const statuses = [...(this.#counts.get(operationId)?.keys() ?? [])];
    return statuses.some((status) => status.startsWith('2'));
  }

  /** Described operations that were never answered with 2xx. */
  neverSucceeded(): readonly string[] {
    const operationIds = new Set([...describedAnswers].map((name) => name.split(' ')[0] ?? ''));
    return [...operationIds].filter((operationId) => !this.hasSucceeded(operationId));
  }

  report(): readonly string[] {
    const rows = [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return [
      ...rows.map(([operationId, statuses]) => {
        const counts = [...statuses].toSorted(([a], [b]) => (a < b ? -1 : 1));
        const text = counts.map(([status, count]) => `${status} × ${count}`).join('  ');
        return `${operationId.padEnd(32)} ${text}`;
      }),
      `described and never given: ${this.#neverGiven().join(', ') || 'none'}`,
    ];
  }

  /** 5xx aside, which only outages cause. */
  #neverGiven(): readonly string[] {
    const described = [...describedAnswers].map((name) => name.split(' ').slice(0, 2).join(' '));
    return [...new Set(described)].filter((name) => {
      const [operationId = '', status = ''] = name.split(' ');
      return !status.startsWith('5') && !this.#counts.get(operationId)?.has(status);
    });
  }

  #add(operationId: string, status: string, count: number): void {
    const statuses = this.#counts.get(operationId) ?? new Map<string, number>();
    this.#counts.set(operationId, statuses.set(status, (statuses.get(status) ?? 0) + count));
  }
}
