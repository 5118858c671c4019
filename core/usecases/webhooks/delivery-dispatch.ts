// Dispatch: after its commit, an event is sent to each subscription with a free slot. A delivery
// without one is stored as pending, to be claimed. Subscriptions with older deliveries that wait
// are tracked, so that those go first.
import { type Tenant, tenantKey, tenantOf } from '../../domain/base/tenant.js';
import type { DomainEvent } from '../../domain/payments/event.js';
import type { Deps } from '../../ports/deps.js';
import type { ClaimedDelivery, Tx } from '../../ports/storage.js';
import type { DueSubscription } from './delivery-window.js';
import { deliveryOf } from './event-deliveries.js';

/** Bounds how long a batch delays other writes. */
const WAITING_PER_BATCH = 100;

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
    return !this.#waiting.has(id);
  }

  all(): readonly DueSubscription[] {
    return [...this.#waiting.values()].map(({ due }) => due);
  }

  /** Deliveries of it wait, or are being stored: the current run may miss them. */
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

/**
 * Sends events after their commit. It reads the subscriptions after it, too: one that was deleted
 * before gets nothing more, and the current secret signs.
 */
export class Dispatcher {
  readonly #deps: Deps;
  readonly #waiting: WaitingSubscriptions;
  readonly #tryBegin: (unsent: ClaimedDelivery) => boolean;
  /** By tenant: events whose subscriptions are not read yet. */
  readonly #stored = new Map<string, DomainEvent[]>();
  readonly #running = new Set<Promise<void>>();

  /** `tryBegin` sends if a slot is free. */
  constructor(
    deps: Deps,
    waiting: WaitingSubscriptions,
    tryBegin: (unsent: ClaimedDelivery) => boolean,
  ) {
    this.#deps = deps;
    this.#waiting = waiting;
    this.#tryBegin = tryBegin;
  }

  dispatch(events: readonly DomainEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    const key = tenantKey(first);
    const stored = this.#stored.get(key);
    if (stored !== undefined) {
      stored.push(...events);
      return;
    }
    this.#stored.set(key, [...events]);
    const running = this.#dispatchAll(tenantOf(first)).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #dispatchAll(tenant: Tenant): Promise<void> {
    const key = tenantKey(tenant);
    try {
      for (let events = this.#take(key); events.length > 0; events = this.#take(key)) {
        await this.#dispatchEach(tenant, events);
      }
    } catch (error) {
      // Their deliveries are missing: they are found behind the cursor.
      this.#deps.log.error('events were not dispatched', { orgId: tenant.orgId, error });
    } finally {
      this.#stored.delete(key);
    }
  }

  #take(key: string): readonly DomainEvent[] {
    const events = this.#stored.get(key) ?? [];
    this.#stored.set(key, []);
    return events;
  }

  async #dispatchEach(tenant: Tenant, events: readonly DomainEvent[]): Promise<void> {
    const active = await this.#deps.store.claims.sendingSubscriptions(tenant);
    const left: ClaimedDelivery[] = [];
    for (const event of events) {
      for (const subscription of active) {
        // It may be older than the subscription: the cursor decides.
        if (event.createdAtMs < subscription.createdAtMs) continue;
        const delivery = deliveryOf(this.#deps, event, subscription);
        if (delivery === null) continue;
        const unsent = { delivery, subscription, body: event.body };
        if (this.#waiting.hasNone(subscription) && this.#tryBegin(unsent)) continue;
        this.#waiting.add(subscription);
        left.push(unsent);
      }
    }
    for (let at = 0; at < left.length; at += WAITING_PER_BATCH) {
      await this.#storeWaiting(left.slice(at, at + WAITING_PER_BATCH));
    }
  }

  async #storeWaiting(left: readonly ClaimedDelivery[]): Promise<void> {
    const insert = async (tx: Tx) => {
      for (const { delivery } of left) tx.deliveries.insert(delivery);
    };
    await this.#deps.store.run(insert, { inQuarantine: true });
    // A run that began before may have missed them.
    for (const { subscription } of left) this.#waiting.add(subscription);
    this.#deps.wake('deliveries');
  }
}
