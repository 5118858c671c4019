// The one reader of the partner's books. The readings of the leader, the check after a restore and
// the reconciliation page through them here.
import { backoffMs } from '../../domain/base/schedules.js';
import type { EntryKind } from '../../domain/deposits/book-reading.js';
import type { PartnerAnswer, PartnerStatement } from '../../ports/partner.js';

/** Alerts about entries; `partnerRef` names the entry. */
export const bookAlerts = {
  payoutWithoutCommand: "a payout in the partner's books was not ordered here: ponte money list",
  unreadable: "an entry of the partner's books cannot be read: ponte reconcile",
} as const;

/** Calls the partner; may call again. */
export type PartnerCall = <T>(ask: () => Promise<PartnerAnswer<T>>) => Promise<PartnerAnswer<T>>;

export interface BookQuery {
  readonly kind: EntryKind;
  readonly sinceMs: number;
  /** Null: from the first page on. */
  readonly cursor: string | null;
}

const CIRCLE = "the partner's list comes to a page that was read";

type PageAnswer = Awaited<ReturnType<PartnerStatement['page']>>;

const once: PartnerCall = (ask) => ask();

/**
 * Page by page to the end, or to the first answer that is no page. A list that turns in a circle
 * is not read to its end: its place is `later`.
 */
export async function* readBook(
  statement: PartnerStatement,
  { kind, sinceMs, cursor: first }: BookQuery,
  call: PartnerCall = once,
): AsyncGenerator<PageAnswer> {
  const places = new Set([first]);
  for (let cursor: string | null = first; ; ) {
    const query = { sinceMs, cursor };
    const answer: PageAnswer = await call(() => statement.page(kind, query));
    yield answer;
    if (answer.outcome !== 'done' || answer.value.nextCursor === null) return;
    cursor = answer.value.nextCursor;
    if (places.has(cursor)) return yield { outcome: 'later', reason: CIRCLE };
    places.add(cursor);
  }
}

export interface Patience {
  /** All waits for the partner together, as for its rate limit. */
  readonly waitMaxMs: number;
  readonly wait: (ms: number) => Promise<void>;
  readonly onWait: (wait: { readonly reason: string; readonly ms: number }) => void;
}

/** Calls again while the partner cannot answer, until all waits are used up. */
export function patientCalls({ waitMaxMs, wait, onWait }: Patience): PartnerCall {
  let waitedMs = 0;
  return async (ask) => {
    for (let tries = 0; ; tries += 1) {
      const answer = await ask();
      if (answer.outcome === 'done' || answer.outcome === 'refused') return answer;
      const ms = backoffMs('reconcileCall', tries);
      if (waitedMs + ms > waitMaxMs) return answer;
      waitedMs += ms;
      onWait({ reason: answer.reason, ms });
      await wait(ms);
    }
  };
}
