// What a page says when a limit is reached, and until when: as the query of the page that is shown
// after a form, and read from it. The sentences are in the catalogues.
import { DAY_MS } from '../../../core/domain/base/instant.js';

export const limits = [
  /** A mail was sent before whose link works. */
  'link_sent',
  'mail_too_soon',
  'code_too_often',
] as const;

export interface Limited {
  readonly limit: (typeof limits)[number];
  readonly untilMs: number;
  /** When the mail was sent; null if there is none. */
  readonly sentAtMs: number | null;
}

/** No limit lasts longer: a query that says so is not from a page. */
const UNTIL_MAX_MS = DAY_MS;

export function withLimit(path: string, { limit, untilMs, sentAtMs }: Limited): string {
  const sent = sentAtMs === null ? '' : `&sent_at=${sentAtMs}`;
  return `${path}?limit=${limit}&until=${untilMs}${sent}`;
}

/** Null once the limit has ended. */
export function limitIn(query: URLSearchParams, nowMs: number): Limited | null {
  const limit = limits.find((known) => known === query.get('limit'));
  const untilMs = instantIn(query, 'until');
  if (limit === undefined || untilMs === null) return null;
  if (untilMs <= nowMs || untilMs > nowMs + UNTIL_MAX_MS) return null;
  const sentAtMs = instantIn(query, 'sent_at');
  return { limit, untilMs, sentAtMs };
}

function instantIn(query: URLSearchParams, name: string): number | null {
  const text = query.get(name) ?? '';
  return /^\d{1,15}$/.test(text) ? Number.parseInt(text, 10) : null;
}
