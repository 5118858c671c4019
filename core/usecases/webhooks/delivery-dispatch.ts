// Direct dispatch: a new delivery with a free slot is stored as leased and sent after the commit,
// without a claim. Subscriptions with older deliveries that wait are tracked, so that those go
// first.
import { beginAttempt, type WebhookDelivery } from '../../domain/webhooks/webhook-delivery.js';
import type { DirectDispatch } from '../../ports/deps.js';
import type { ClaimedDelivery } from '../../ports/storage.js';
import { DELIVERY_LEASE_MS } from './delivery-attempts.js';
import type { ConcurrencyWindow, DueSubscription } from './delivery-window.js';

/** One run of the delivery runner; runs are numbered from 1. */
export interface Run {
  readonly number: number;
  readonly nowMs: number;
}

/**
 * Subscriptions with due deliveries that are not leased, as far as known. A new delivery waits
 * behind them, so that the events of a subscription are sent in order.
 */
export class WaitingSubscriptions {
  /** Before the first read, any subscription may have some. */
  lookedAtMs = Number.NEGATIVE_INFINITY;
  #runs = 0;
  /** By id, with the last run that may have missed its deliveries. */
  readonly #waiting = new Map<string, { readonly due: DueSubscription; readonly run: number }>();

  hasNone({ id }: DueSubscription): boolean {
    return this.lookedAtMs >= 0 && !this.#waiting.has(id);
  }

  all(): readonly DueSubscription[] {
    return [...this.#waiting.values()].map(({ due }) => due);
  }

  /** A batch was stored with deliveries that wait: the current run may miss them. */
  add(due: DueSubscription): void {
    this.#waiting.set(due.id, { due, run: this.#runs });
  }

  /** What was added before is visible to this run. */
  beginRun(): number {
    this.#runs += 1;
    return this.#runs;
  }

  /** The store has these and no others. */
  replace(all: readonly DueSubscription[], { number, nowMs }: Run): void {
    this.lookedAtMs = nowMs;
    for (const id of this.#waiting.keys()) this.remove(id, number);
    for (const due of all) {
      if (!this.#waiting.has(due.id)) this.#waiting.set(due.id, { due, run: 0 });
    }
  }

  /** This run found no more deliveries of it. */
  remove(subscriptionId: string, run: number): void {
    const waiting = this.#waiting.get(subscriptionId);
    if (waiting !== undefined && waiting.run < run) this.#waiting.delete(subscriptionId);
  }
}

/** `begin` sends in a reserved slot. */
export function directDispatch(runner: {
  readonly window: ConcurrencyWindow;
  readonly waiting: WaitingSubscriptions;
  readonly begin: (claimed: ClaimedDelivery) => void;
  readonly newLease: () => string;
}): DirectDispatch {
  const { window, waiting, begin, newLease } = runner;
  const left = new Set<DueSubscription>();
  let leased: ClaimedDelivery[] = [];

  const end = (): readonly ClaimedDelivery[] => {
    for (const due of left) waiting.add(due);
    left.clear();
    const ended = leased;
    leased = [];
    return ended;
  };

  return {
    tryReserve(made: ClaimedDelivery): WebhookDelivery {
      const { subscription } = made;
      if (!waiting.hasNone(subscription) || window.freeFor(subscription) === 0) {
        left.add(subscription);
        return made.delivery;
      }
      window.reserve(subscription, 1);
      const delivery = beginAttempt(made.delivery, {
        nowMs: made.delivery.createdAtMs,
        leaseToken: newLease(),
        leaseMs: DELIVERY_LEASE_MS,
      });
      leased.push({ ...made, delivery });
      return delivery;
    },
    send: () => end().forEach(begin),
    cancel() {
      for (const { subscription } of end()) window.release(subscription, 1);
    },
  };
}
