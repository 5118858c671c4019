// The worker that sends deliveries: it takes what is due, or what the sequencer has just made, and
// sends it. An attempt is delivery-attempts.ts's matter; what may happen to a delivery and when the
// next attempt is due stands in the domain.
//
// The runner waits for no receiver. Each subscription has its own places in flight, and a tenant
// takes no more than it leaves free: one alone gets half of all, and however many tenants have
// receivers that hang, there is a place for the next one. So a slow receiver delays only its own.
import { SECOND_MS } from '../domain/instant.js';
import type { Tenant } from '../domain/tenant.js';
import {
  beginAttempt,
  finishAttempt,
  isSpent,
  isSuccess,
  type WebhookDelivery,
} from '../domain/webhook-delivery.js';
import { assert } from '../errors.js';
import type { ClaimedDelivery, Claims, Deps, WebhookResult } from '../ports.js';
import { attempt, noteFailure, openedSecrets, SEND_TIMEOUT_MS } from './delivery-attempts.js';
import { openEpochCheck } from './epochs.js';
import type { Handover } from './feed.js';
import { Flights, type Runner } from './flights.js';

/** Long enough to send and to record the outcome: what is under way is not taken over. */
export const DELIVERY_LEASE_MS = 30 * SECOND_MS;
/** Attempts under way to one subscription at most, in one process, while it has earned no more. */
export const IN_FLIGHT_PER_SUBSCRIPTION = 32;
/** With each delivery that a receiver takes so quickly it earns one more place, */
const QUICK_MS = 250;
/** up to so many; it loses them with the first one that it does not. */
export const EARNED_MAX = 224;
/** Subscriptions of which it is remembered; when there are more, all begin anew. */
const EARNERS_MAX = 10_000;
/** Subscriptions that are claimed for side by side. */
const CLAIMS_AT_ONCE = 8;
/** While it is known who waits, others that are due are looked for no more often. */
const LOOK_EVERY_MS = 25;
/** Attempts under way over all subscriptions: each is a socket, and descriptors are bounded. */
export const IN_FLIGHT_MAX = 4_096;

type DueSubscription = Awaited<ReturnType<Claims['dueSubscriptions']>>[number];

interface Run {
  readonly number: number;
  readonly lease: { readonly token: string; readonly nowMs: number };
}

export interface DeliveryRunner extends Runner {
  /** For the deliveries of one batch: those with a place are sent once it is stored. */
  handover(): Handover;
}

/** One per process: it knows how many attempts are under way. */
export function deliveryRunner(deps: Deps, inFlightMax = IN_FLIGHT_MAX): DeliveryRunner {
  assert(DELIVERY_LEASE_MS >= 2 * SEND_TIMEOUT_MS, 'a lease outlives its attempt by far');
  const flights = new Flights(() => deps.wake('deliveries'));
  const sending = { secretOf: openedSecrets(deps), isOpen: openEpochCheck(deps) };
  const queues = new Queues();
  /** The subscription served last: the next run begins behind it, so that each gets its turn. */
  let lastServed = '';

  const earned = new EarnedPlaces();
  const placesOf = (due: DueSubscription) =>
    placesFor(due, { flights, inFlightMax, ownMax: IN_FLIGHT_PER_SUBSCRIPTION + earned.of(due) });

  const begin = (claimed: ClaimedDelivery): void =>
    flights.begin(groupsOf(claimed.subscription), (landed) =>
      attempt(deps, sending, claimed, (result) => {
        earned.note(claimed.subscription, result);
        landed();
      }),
    );

  const claim = async (due: DueSubscription, share: number, run: Run) => {
    // Held before the claim is awaited: claims go out side by side.
    const limit = Math.min(share, placesOf(due));
    if (limit === 0) return 0;
    flights.hold(groupsOf(due), limit);
    let begun = 0;
    try {
      const lease = { ...run.lease, leaseMs: DELIVERY_LEASE_MS };
      const scope = { limit, subscriptionId: due.id };
      const claimed = await deps.store.claims.deliveries({ ...lease, ...scope });
      claimed.forEach(begin);
      begun = claimed.length;
      if (begun < limit) queues.isEmpty(due.id, run.number);
    } finally {
      flights.free(groupsOf(due), limit - begun);
    }
    return begun;
  };

  const serve = (due: readonly DueSubscription[], limit: number, run: Run) => {
    const waiting = turnsAfter(due, lastServed).filter((one) => placesOf(one) > 0);
    return inWaves(waiting, limit, (one, share) => {
      lastServed = one.id;
      return claim(one, share, run);
    });
  };

  return {
    runOnce: async (nowMs, limitAsked) => {
      const limit = Math.min(limitAsked, inFlightMax - flights.held());
      const token = Buffer.from(deps.ids.randomBytes(12)).toString('hex');
      const run = { lease: { token, nowMs }, number: queues.beginRun() };
      if (nowMs - queues.lookedAtMs < LOOK_EVERY_MS) {
        const begun = await serve(queues.known(), limit, run);
        if (begun > 0) return begun;
      }
      const [ended, found] = await Promise.all([
        endSpent(deps, nowMs, limitAsked),
        deps.store.claims.dueSubscriptions(nowMs),
      ]);
      queues.found(found, run);
      return ended + (await serve(found, limit - ended, run));
    },
    handover: () =>
      new NewDeliveries({ flights, queues, placesOf, begin, owner: deps.store.claims.owner }),
    inFlight: () => flights.inFlight(),
    idle: () => flights.idle(),
  };
}

/** How many attempts this subscription may begin now. */
function placesFor(
  due: DueSubscription,
  of: { readonly flights: Flights; readonly inFlightMax: number; readonly ownMax: number },
): number {
  const { flights, inFlightMax, ownMax } = of;
  const own = ownMax - flights.held(due.id);
  if (own <= 0) flights.miss(due.id);
  const spare = inFlightMax - flights.held() - flights.held(tenantKey(due));
  if (spare <= 0) flights.miss();
  // With each place that it takes there is one fewer free and one more that it holds.
  return Math.max(0, Math.min(own, Math.ceil(spare / 2)));
}

function groupsOf(due: DueSubscription): readonly string[] {
  return [tenantKey(due), due.id];
}

function tenantKey({ orgId, mode }: Tenant): string {
  return `${orgId}/${mode}`;
}

function turnsAfter(due: readonly DueSubscription[], lastServed: string): DueSubscription[] {
  const inOrder = [...due].sort((a, b) => (a.id < b.id ? -1 : 1));
  const at = inOrder.findIndex(({ id }) => id > lastServed);
  return at <= 0 ? inOrder : [...inOrder.slice(at), ...inOrder.slice(0, at)];
}

/** A few side by side, each up to its share of what is left of the limit; how much that was. */
async function inWaves(
  waiting: DueSubscription[],
  limit: number,
  claim: (due: DueSubscription, share: number) => Promise<number>,
): Promise<number> {
  let begun = 0;
  while (waiting.length > 0 && begun < limit) {
    const wave = waiting.splice(0, Math.min(CLAIMS_AT_ONCE, limit - begun));
    const share = Math.max(1, Math.floor((limit - begun) / wave.length));
    const counts = await Promise.all(wave.map((due) => claim(due, share)));
    begun += counts.reduce((sum, count) => sum + count, 0);
  }
  return begun;
}

/**
 * Which subscriptions have due deliveries that nobody has in hand, as far as this process knows. A
 * new delivery goes behind them, so that the events of a subscription are begun in their order.
 */
class Queues {
  /** Until the first look, anything may wait from before. */
  lookedAtMs = Number.NEGATIVE_INFINITY;
  #runs = 0;
  /** By id, and the last run that may not have seen what waits. */
  readonly #waiting = new Map<string, { readonly due: DueSubscription; readonly run: number }>();

  hasNone({ id }: DueSubscription): boolean {
    return this.lookedAtMs >= 0 && !this.#waiting.has(id);
  }

  known(): readonly DueSubscription[] {
    return [...this.#waiting.values()].map(({ due }) => due);
  }

  /** A batch that has just ended left deliveries to wait: a run under way may miss them. */
  left(due: DueSubscription): void {
    this.#waiting.set(due.id, { due, run: this.#runs });
  }

  /** Whatever was left before is there for this run. */
  beginRun(): number {
    this.#runs += 1;
    return this.#runs;
  }

  found(all: readonly DueSubscription[], { number, lease }: Run): void {
    this.lookedAtMs = lease.nowMs;
    for (const id of this.#waiting.keys()) this.isEmpty(id, number);
    for (const due of all)
      if (!this.#waiting.has(due.id)) this.#waiting.set(due.id, { due, run: 0 });
  }

  /** This run found no more. */
  isEmpty(subscriptionId: string, run: number): void {
    const waiting = this.#waiting.get(subscriptionId);
    if (waiting !== undefined && waiting.run < run) this.#waiting.delete(subscriptionId);
  }
}

/** Receivers that keep up get more at once: a burst of events need not wait in the store. */
class EarnedPlaces {
  readonly #counts = new Map<string, number>();

  of({ id }: DueSubscription): number {
    return this.#counts.get(id) ?? 0;
  }

  note(due: DueSubscription, { responseStatus, durationMs }: WebhookResult): void {
    if (this.#counts.size >= EARNERS_MAX) this.#counts.clear();
    const isQuick = durationMs <= QUICK_MS && responseStatus !== null && isSuccess(responseStatus);
    if (isQuick) this.#counts.set(due.id, Math.min(EARNED_MAX, this.of(due) + 1));
    else this.#counts.delete(due.id);
  }
}

interface RunnerParts {
  readonly flights: Flights;
  readonly queues: Queues;
  readonly placesOf: (due: DueSubscription) => number;
  readonly begin: (claimed: ClaimedDelivery) => void;
  /** Of leases that are taken in this process. */
  readonly owner: string;
}

/** Takes in hand what has a place, unless older ones wait for one. */
class NewDeliveries implements Handover {
  readonly #runner: RunnerParts;
  #taken: ClaimedDelivery[] = [];
  readonly #left = new Set<DueSubscription>();

  constructor(runner: RunnerParts) {
    this.#runner = runner;
  }

  offer(made: ClaimedDelivery): WebhookDelivery {
    const { flights, queues, placesOf, owner } = this.#runner;
    const { subscription } = made;
    if (!queues.hasNone(subscription) || placesOf(subscription) === 0) {
      this.#left.add(subscription);
      return made.delivery;
    }
    flights.hold(groupsOf(subscription), 1);
    const delivery = beginAttempt(made.delivery, {
      nowMs: made.delivery.createdAtMs,
      // It is new once: no other lease of it has this token.
      leaseToken: `${owner}new`,
      leaseMs: DELIVERY_LEASE_MS,
    });
    this.#taken.push({ ...made, delivery });
    return delivery;
  }

  send(): void {
    for (const one of this.#end()) this.#runner.begin(one);
  }

  takeBack(): void {
    const { flights } = this.#runner;
    for (const { subscription } of this.#end()) flights.free(groupsOf(subscription), 1);
  }

  #end(): readonly ClaimedDelivery[] {
    for (const due of this.#left) this.#runner.queues.left(due);
    this.#left.clear();
    const taken = this.#taken;
    this.#taken = [];
    return taken;
  }
}

/** Ends attempts that were sent twice and lost both leases. */
async function endSpent(deps: Deps, nowMs: number, limit: number): Promise<number> {
  const spent = await deps.store.claims.spentDeliveries(nowMs, limit);
  if (spent.length === 0) return 0;
  const { retryDelaysMs } = deps.settings;
  const finished = await deps.store.run(async (tx) => {
    const read = await Promise.all(spent.map(({ id }) => tx.deliveries.get(id)));
    const still = read.filter((delivery): delivery is WebhookDelivery => {
      return delivery !== null && isSpent(delivery) && (delivery.dueAtMs ?? nowMs + 1) <= nowMs;
    });
    return still.map((delivery) => {
      const after = finishAttempt(delivery, { kind: 'lease_lost' }, nowMs, retryDelaysMs);
      tx.deliveries.update(after);
      return after;
    });
  });
  for (const delivery of finished) noteFailure(deps, delivery);
  return finished.length;
}
