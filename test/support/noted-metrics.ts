// Metrics that note what they are told, line by line, for tests of who tells them.
import type { Metrics } from '../../core/ports/outside.js';

interface NotedMetrics extends Metrics {
  readonly told: readonly string[];
}

export function notedMetrics(): NotedMetrics {
  const told: string[] = [];
  return {
    told,
    answered: (operation, { status, createMs }) => {
      told.push(`${operation ?? 'none'} ${status}${createMs === null ? '' : ' created'}`);
    },
    delivered: (sinceEventMs) => {
      told.push(`delivered ${sinceEventMs}`);
    },
    undelivered: (outcome, count) => {
      told.push(`${outcome} ${count}`);
    },
  };
}
