// Metrics that record each call as a line, for tests of their callers.
import type { Metrics } from '../../core/ports/outside.js';

interface NotedMetrics extends Metrics {
  readonly recorded: readonly string[];
}

export function notedMetrics(): NotedMetrics {
  const recorded: string[] = [];
  return {
    recorded,
    answered: (operation, { status, createMs }) => {
      recorded.push(`${operation ?? 'none'} ${status}${createMs === null ? '' : ' created'}`);
    },
    delivered: (sinceEventMs) => {
      recorded.push(`delivered ${sinceEventMs}`);
    },
    undelivered: (outcome, count) => {
      recorded.push(`${outcome} ${count}`);
    },
    partnerMessage: (partner, mode, result) => {
      recorded.push(`${partner} ${mode} ${result}`);
    },
    signInCode: (result) => {
      recorded.push(`code ${result}`);
    },
  };
}
