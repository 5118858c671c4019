// Webhook subscriptions: create, change, list, test and delete them, and rotate their secret.
import { formatInstant } from '../../domain/base/instant.js';
import { freeSlot } from '../../domain/base/slot.js';
import { type Mode, type Tenant, tenantOf } from '../../domain/base/tenant.js';
import {
  eventBody,
  eventTypes,
  isEventPattern,
  matchesEvent,
} from '../../domain/payments/event.js';
import {
  DELETED_LISTED_MAX,
  SUBSCRIPTIONS_MAX,
  type Subscription,
  secretPurpose,
} from '../../domain/webhooks/subscription.js';
import {
  endForDeletedSubscription,
  replay,
  type WebhookDelivery,
} from '../../domain/webhooks/webhook-delivery.js';
import { expectFound, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { TEST_EVENT_TYPE } from './event-deliveries.js';
import { stageEvents } from './feed.js';

const SECRET_BYTES = 32;
/** Deliveries of one batch when their subscription is deleted or resumed. */
const PER_BATCH = 100;
/** A refusal lists this many unknown names, each cut to this length. */
const NAMED_MAX = 5;
const NAMED_LENGTH_MAX = 100;

interface CreateSubscriptionInput {
  readonly url: string;
  readonly eventTypes: readonly string[];
}

/** `secret` is the whole `whsec_…` text, returned only here. */
interface SubscriptionWithSecret {
  readonly subscription: Subscription;
  readonly secret: string;
}

/**
 * ValidationError for a forbidden URL, unknown event types, too many subscriptions;
 * IdempotencyKeyConflict if `newId`, the id that it gets, is taken.
 */
export async function createSubscription(
  deps: Deps,
  tenant: Tenant,
  input: CreateSubscriptionInput,
  newId: string | null = null,
): Promise<SubscriptionWithSecret> {
  const types = checkedEventTypes(input.eventTypes);
  await refuseUrl(deps, input.url);
  const nowMs = deps.clock.nowMs();
  const id = newId ?? deps.ids.next('whs', nowMs);
  const { secret, secretSealed } = newSecret(deps, id);
  const made = {
    ...tenantOf(tenant),
    id,
    url: input.url,
    eventTypes: types,
    active: true,
    paused: false,
    secretSealed,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    version: 1,
  } as const;
  const subscription = await deps.store.run(async (tx) => {
    if (newId !== null && (await tx.subscriptions.get(tenant, newId)) !== null) {
      throw new PonteError('IdempotencyKeyConflict', 'This subscription was created before.');
    }
    const taken = await tx.subscriptions.slots(tenant);
    const full = `There are ${SUBSCRIPTIONS_MAX} active webhook subscriptions, the most per mode.`;
    const random = deps.ids.randomBytes(1);
    const slot = freeSlot(taken, SUBSCRIPTIONS_MAX, random, `${full} Delete one first.`);
    const free: Subscription = Object.freeze({ ...made, slot });
    tx.subscriptions.insert(free);
    return free;
  });
  return { subscription, secret };
}

/** Active or deleted. NotFound. */
export async function readSubscription(
  deps: Deps,
  tenant: Tenant,
  id: string,
): Promise<Subscription> {
  return expectFound(await deps.store.run((tx) => tx.subscriptions.get(tenant, id)));
}

/** Every active subscription and the latest deleted ones, newest first. */
export function listSubscriptions(deps: Deps, tenant: Tenant): Promise<readonly Subscription[]> {
  return deps.store.run((tx) => tx.subscriptions.list(tenant, DELETED_LISTED_MAX));
}

type GivenFields = {
  readonly [K in keyof CreateSubscriptionInput]?: CreateSubscriptionInput[K] | null;
} & { readonly paused?: boolean | null };

/**
 * Nothing is sent in a pause, except what is in flight. After it, deliveries that waited are sent
 * from their first attempt, and those of the events in between follow, unless pruned. A repeat
 * completes an interrupted change. Other types count for events that are stored later, and at the
 * resume for all events of the pause. An event of the seconds before that has no delivery yet may
 * count by either. Another URL takes all attempts that start
 * later. What is not given stays. NotFound, ValidationError as for a new one.
 */
export async function changeSubscription(
  deps: Deps,
  tenant: Tenant,
  id: string,
  { url = null, eventTypes: given = null, paused = null }: GivenFields,
): Promise<Subscription> {
  const types = given === null ? null : checkedEventTypes(given);
  if (url !== null) await refuseUrl(deps, url);
  const changed = await deps.store.run(async (tx) => {
    const found = await activeSubscription(tx, tenant, id);
    const next = {
      ...found,
      url: url ?? found.url,
      eventTypes: types ?? found.eventTypes,
      paused: paused ?? found.paused,
    };
    return updated(tx, { ...next, updatedAtMs: deps.clock.nowMs() });
  });
  if (paused === false) {
    while ((await sendWaiting(deps, changed)) === PER_BATCH);
    deps.wake('deliveries');
  }
  return changed;
}

/** Other active subscriptions that send some of the same events to its URL: these arrive twice. */
export async function overlapping(
  deps: Deps,
  subscription: Subscription,
): Promise<readonly string[]> {
  const active = await deps.store.run((tx) => tx.subscriptions.active(subscription));
  return active.filter((other) => overlaps(subscription, other)).map(({ id }) => id);
}

/** Active subscriptions of a mode, of all organizations, that overlap with another one. */
export async function overlappingIn(
  deps: Deps,
  mode: Mode,
  limit: number,
): Promise<readonly string[]> {
  const sharing = await deps.store.run((tx) => tx.subscriptions.sharingUrl(mode, limit));
  return sharing
    .filter((one) => sharing.some((other) => one.orgId === other.orgId && overlaps(one, other)))
    .map(({ id }) => id);
}

/** Two of one tenant. */
function overlaps(one: Subscription, other: Subscription): boolean {
  const isSent = (type: (typeof eventTypes)[number]) =>
    matchesEvent(one.eventTypes, type) && matchesEvent(other.eventTypes, type);
  return one.id !== other.id && one.url === other.url && eventTypes.some(isSent);
}

/** The new secret signs all attempts that start later. */
export function rotateSecret(
  deps: Deps,
  tenant: Tenant,
  id: string,
): Promise<SubscriptionWithSecret>;
/** Null unless the subscription still has this version. */
export function rotateSecret(
  deps: Deps,
  tenant: Tenant,
  id: string,
  version: number,
): Promise<SubscriptionWithSecret | null>;
export async function rotateSecret(
  deps: Deps,
  tenant: Tenant,
  id: string,
  version?: number,
): Promise<SubscriptionWithSecret | null> {
  const { secret, secretSealed } = newSecret(deps, id);
  const subscription = await deps.store.run(async (tx) => {
    const found = await activeSubscription(tx, tenant, id);
    if (version !== undefined && version !== found.version) return null;
    return updated(tx, { ...found, secretSealed, updatedAtMs: deps.clock.nowMs() });
  });
  return subscription === null ? null : { subscription, secret };
}

/**
 * Pending deliveries become dead letters; a repeat completes an interrupted deletion.
 */
export async function deleteSubscription(
  deps: Deps,
  tenant: Tenant,
  id: string,
): Promise<Subscription> {
  const subscription = await deps.store.run(async (tx) => {
    const found = expectFound(await tx.subscriptions.get(tenant, id));
    if (!found.active) return found;
    return updated(tx, { ...found, active: false, updatedAtMs: deps.clock.nowMs() });
  });
  while ((await endPending(deps, id)) === PER_BATCH);
  return subscription;
}

/** Sends `webhook.test`, an event of the feed, to this subscription only. */
export async function testSubscription(
  deps: Deps,
  tenant: Tenant,
  id: string,
): Promise<WebhookDelivery> {
  const nowMs = deps.clock.nowMs();
  const eventId = deps.ids.next('evt', nowMs);
  return deps.store.run(async (tx) => {
    const { paused } = await activeSubscription(tx, tenant, id);
    if (paused) throw new PonteError('DeliveryNotReplayable', 'The subscription is paused.');
    const event = {
      ...tenantOf(tenant),
      id: eventId,
      type: TEST_EVENT_TYPE,
      subjectId: id,
      body: eventBody(TEST_EVENT_TYPE, {
        subscriptionId: id,
        externalEventId: eventId,
        occurredAt: formatInstant(nowMs),
      }),
      createdAtMs: nowMs,
    };
    // The response shows the delivery before its first attempt.
    const [delivery] = await stageEvents({ ...deps, dispatch: () => null }, tx, [event]);
    // None if it was deleted or paused between the two reads.
    if (delivery === undefined) throw notFoundDeleted();
    return delivery;
  });
}

export function openSecret(deps: Pick<Deps, 'secretBox'>, subscription: Subscription): string {
  return deps.secretBox.open(subscription.secretSealed, secretPurpose(subscription));
}

function newSecret(deps: Deps, id: string) {
  const bytes = deps.ids.randomBytes(SECRET_BYTES);
  const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
  return { secret, secretSealed: deps.secretBox.seal(secret, secretPurpose({ id })) };
}

async function refuseUrl({ sender }: Deps, url: string): Promise<void> {
  const refusal = await sender.refusal(url);
  if (refusal !== null) throw invalid(`url: ${refusal}`);
}

function checkedEventTypes(given: readonly string[]): readonly string[] {
  const types = [...new Set(given)];
  if (types.length === 0) throw invalid('eventTypes: Name at least one event type, or "*".');
  const unknown = types.filter((pattern) => !isEventPattern(pattern));
  if (unknown.length > 0) {
    const names = unknown.slice(0, NAMED_MAX).map((name) => name.slice(0, NAMED_LENGTH_MAX));
    throw invalid(
      `eventTypes: Unknown: ${names.join(', ')}${unknown.length > NAMED_MAX ? ', …' : ''}. ` +
        'Send event types as documented, a namespace such as "payment_intent.*", or "*".',
    );
  }
  return Object.freeze(types);
}

/** NotFound for one that was deleted, or of another tenant. */
export async function activeSubscription(
  tx: Tx,
  tenant: Tenant,
  id: string,
): Promise<Subscription> {
  const found = expectFound(await tx.subscriptions.get(tenant, id));
  if (!found.active) throw notFoundDeleted();
  return found;
}

function notFoundDeleted(): PonteError {
  return new PonteError('NotFound', 'This webhook subscription was deleted. Create a new one.');
}

function updated(tx: Tx, subscription: Subscription): Subscription {
  tx.subscriptions.update(Object.freeze(subscription));
  return subscription;
}

function endPending(deps: Deps, subscriptionId: string): Promise<number> {
  return deps.store.run(async (tx) => {
    const pending = await tx.deliveries.pendingOf(subscriptionId, PER_BATCH);
    for (const delivery of pending) tx.deliveries.update(endForDeletedSubscription(delivery));
    return pending.length;
  });
}

/** Stops at a subscription that was paused or deleted again. */
function sendWaiting(deps: Deps, { id, ...tenant }: Subscription): Promise<number> {
  return deps.store.run(async (tx) => {
    const nowMs = deps.clock.nowMs();
    const subscription = await tx.subscriptions.get(tenant, id);
    if (subscription === null || !subscription.active || subscription.paused) return 0;
    tx.subscriptions.expect(subscription);
    const waiting = await tx.deliveries.waitingOf(id, nowMs, PER_BATCH);
    for (const one of waiting) tx.deliveries.update(replay(one, { nowMs, subscription }));
    return waiting.length;
  });
}
