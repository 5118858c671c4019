// The worker that sends due deliveries, and new ones (delivery-dispatch.ts). It does not wait for
// receivers, so a slow one delays only its own deliveries.
import {
  beginAttempt,
  finishAttempt,
  type WebhookDelivery,
} from '../../domain/webhooks/webhook-delivery.js';
import { assert } from '../../errors.js';
import type { Deps, Dispatch } from '../../ports/deps.js';
import type { ClaimedDelivery } from '../../ports/storage.js';
import { stageGaveUpNotices } from '../mail/member-notices.js';
import { ConcurrencyLimiter, type Runner } from '../service/concurrency-limiter.js';
import { openEpochCheck } from '../service/epochs.js';
import {
  attempt,
  DELIVERY_LEASE_MS,
  keptSigningKeys,
  noteFailure,
  SEND_TIMEOUT_MS,
  storeSlow,
} from './delivery-attempts.js';
import { Dispatcher, type Run, WaitingSubscriptions } from './delivery-dispatch.js';
import { ConcurrencyWindow, type DueSubscription, IN_FLIGHT_MAX } from './delivery-window.js';

/** Subscriptions that are claimed for at a time. */
const CLAIMS_AT_ONCE = 8;
/** Between reads of due subscriptions, while some are known to wait. */
const READ_EVERY_MS = 25;

export interface DeliveryRunner extends Runner {
  /** Null before the first run: older deliveries may wait. */
  dispatch(): Dispatch | null;
  /** Stores deliveries whose first attempt takes long. Returns how many. */
  storeSlow(nowMs: number): Promise<number>;
}

/** One per process: it counts the attempts in flight. */
export function deliveryRunner(deps: Deps, inFlightMax = IN_FLIGHT_MAX): DeliveryRunner {
  assert(DELIVERY_LEASE_MS >= 2 * SEND_TIMEOUT_MS, 'a lease is much longer than its attempt');
  const limiter = new ConcurrencyLimiter(() => deps.wake('deliveries'));
  const window = new ConcurrencyWindow(limiter, inFlightMax);
  const waiting = new WaitingSubscriptions();
  const unstored = new Map<string, WebhookDelivery>();
  const sending = { keysOf: keptSigningKeys(deps), isOpen: openEpochCheck(deps), unstored };
  /** The next run starts after this subscription, so that each gets its turn. */
  let lastServed = '';

  const begin = (claimed: ClaimedDelivery): void =>
    window.run(claimed.subscription, (done) => attempt(deps, sending, claimed, done));

  /** Sends a new delivery if a slot is free. Its row is stored when the attempt has ended. */
  const tryBegin = (unsent: ClaimedDelivery): boolean => {
    const { subscription } = unsent;
    if (window.freeFor(subscription) === 0) return false;
    window.reserve(subscription, 1);
    const delivery = beginAttempt(unsent.delivery, {
      nowMs: Math.max(deps.clock.nowMs(), unsent.delivery.createdAtMs),
      leaseToken: deps.store.claims.newLease(),
      leaseMs: DELIVERY_LEASE_MS,
    });
    unstored.set(delivery.id, delivery);
    begin({ ...unsent, delivery });
    return true;
  };
  const dispatcher = new Dispatcher(deps, waiting, tryBegin);

  const claim = async (due: DueSubscription, share: number, run: Run) => {
    const limit = Math.min(share, window.freeFor(due));
    if (limit === 0) return 0;
    // Reserved before the claim, because claims run concurrently.
    window.reserve(due, limit);
    let started = 0;
    try {
      const lease = { nowMs: run.nowMs, leaseMs: DELIVERY_LEASE_MS };
      const scope = { limit, subscriptionId: due.id };
      const claimed = await deps.store.claims.deliveries({ ...lease, ...scope });
      claimed.forEach(begin);
      started = claimed.length;
      if (started < limit) waiting.remove(due.id, run.number);
    } finally {
      window.release(due, limit - started);
    }
    return started;
  };

  const serve = (due: readonly DueSubscription[], limit: number, run: Run) => {
    const served = turnsAfter(due, lastServed).filter((one) => window.freeFor(one) > 0);
    return inWaves(served, limit, (one, share) => {
      lastServed = one.id;
      return claim(one, share, run);
    });
  };

  return {
    runOnce: async (nowMs, limitAsked) => {
      const limit = Math.min(limitAsked, window.free());
      const run = { nowMs, number: waiting.beginRun() };
      if (nowMs - waiting.lookedAtMs < READ_EVERY_MS) {
        const started = await serve(waiting.all(), limit, run);
        if (started > 0) return started;
      }
      const [ended, found] = await Promise.all([
        endExhausted(deps, nowMs, limitAsked),
        deps.store.claims.dueSubscriptions(nowMs),
      ]);
      waiting.replace(found, run);
      return ended + (await serve(found, limit - ended, run));
    },
    dispatch: () => (waiting.lookedAtMs < 0 ? null : (events) => dispatcher.dispatch(events)),
    storeSlow: (nowMs) => storeSlow(deps, unstored, nowMs),
    inFlight: () => limiter.inFlight(),
    async idle() {
      await dispatcher.idle();
      await limiter.idle();
    },
  };
}

function turnsAfter(due: readonly DueSubscription[], lastServed: string): DueSubscription[] {
  const inOrder = [...due].sort((a, b) => (a.id < b.id ? -1 : 1));
  const at = inOrder.findIndex(({ id }) => id > lastServed);
  return at <= 0 ? inOrder : [...inOrder.slice(at), ...inOrder.slice(0, at)];
}

/** Claims for several at a time, each up to its share of the remaining limit; returns the sum. */
async function inWaves(
  waiting: DueSubscription[],
  limit: number,
  claim: (due: DueSubscription, share: number) => Promise<number>,
): Promise<number> {
  let started = 0;
  while (waiting.length > 0 && started < limit) {
    const wave = waiting.splice(0, Math.min(CLAIMS_AT_ONCE, limit - started));
    const share = Math.max(1, Math.floor((limit - started) / wave.length));
    const counts = await Promise.all(wave.map((due) => claim(due, share)));
    started += counts.reduce((sum, count) => sum + count, 0);
  }
  return started;
}

/** Ends attempts whose two leases were lost. */
async function endExhausted(deps: Deps, nowMs: number, limit: number): Promise<number> {
  const exhausted = await deps.store.claims.lostDeliveries(nowMs, limit);
  if (exhausted.length === 0) return 0;
  const { retryDelaysMs } = deps.settings;
  const finished = await deps.store.run(async (tx) => {
    const read = await Promise.all(exhausted.map(({ id }) => tx.deliveries.get(id)));
    const still = read.filter((delivery): delivery is WebhookDelivery => {
      if (delivery === null || !delivery.resent) return false;
      return (delivery.dueAtMs ?? nowMs + 1) <= nowMs;
    });
    const ended = still.map((delivery) =>
      finishAttempt(delivery, { kind: 'lease_lost' }, nowMs, retryDelaysMs),
    );
    for (const delivery of ended) {
      tx.deliveries.update(delivery);
      await stageGaveUpNotices({ deps, tx, nowMs }, delivery);
    }
    return ended;
  });
  for (const delivery of finished) noteFailure(deps, delivery);
  return finished.length;
}
