// The webhook use cases over the test world: one tenant, a delivery runner, and steps to events,
// subscriptions and deliveries.
import assert from 'node:assert/strict';
import { schedules } from '../../../core/domain/base/schedules.js';
import { type Tenant, tenantKey } from '../../../core/domain/base/tenant.js';
import {
  type DomainEvent,
  eventBody,
  type NumberedEvent,
} from '../../../core/domain/payments/event.js';
import { verifyWebhook, webhookHeaders } from '../../../core/domain/webhooks/signature.js';
import type { Subscription } from '../../../core/domain/webhooks/subscription.js';
import type {
  DeliveryAttempt,
  WebhookDelivery,
} from '../../../core/domain/webhooks/webhook-delivery.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { WebhookResult } from '../../../core/ports/outside.js';
import {
  type DeliveryRunner,
  deliveryRunner,
} from '../../../core/usecases/webhooks/delivery-runner.js';
import { stageEvents } from '../../../core/usecases/webhooks/feed.js';
import { createSubscription } from '../../../core/usecases/webhooks/subscriptions.js';
import type { SuiteEnd } from '../suite-end.js';
import { type Answer, type SentWebhook, type World, world } from './test-world.js';

const BATCH = 100;

/** Whether the signature of a webhook is right now, with this secret. */
export function isSignedBy(
  { deps }: Pick<World, 'deps'>,
  secret: unknown,
  sent: World['sent'][number] | undefined,
): boolean {
  const header = sent?.headers[webhookHeaders.signature];
  const nowSeconds = Math.floor(deps.clock.nowMs() / 1_000);
  return verifyWebhook({ secret: `${secret}`, header, body: sent?.body ?? '', nowSeconds }).valid;
}

export const tenant: Tenant = { orgId: 'org_1', mode: 'test' };
export const url = 'https://hooks.example/ponte';

interface Steps {
  readonly runner: DeliveryRunner;
  subscribe(
    eventTypes?: readonly string[],
    options?: { readonly url?: string; readonly tenant?: Tenant },
  ): Promise<{ readonly subscription: Subscription; readonly secret: string }>;
  /** Stores events and their deliveries in one batch. */
  emit(...events: readonly Partial<DomainEvent>[]): Promise<readonly DomainEvent[]>;
  emitMany(count: number, event?: Partial<DomainEvent>): Promise<void>;
  /** Sends all deliveries that are due, and waits for the answers. */
  settle(): Promise<void>;
  /** Makes all attempts of what is pending, until it is a dead letter. */
  exhaust(): Promise<void>;
  feed(of?: Tenant): Promise<readonly NumberedEvent[]>;
  deliveries(subscriptionId: string): Promise<readonly WebhookDelivery[]>;
  onlyDelivery(subscriptionId: string): Promise<WebhookDelivery>;
  attempts(deliveryId: string): Promise<readonly DeliveryAttempt[]>;
}

export type Scene = World & Steps;

export async function scene(t: SuiteEnd): Promise<Scene> {
  const made = await world(t);
  const { deps } = made;
  const { store, clock } = deps;
  const runner = deliveryRunner(deps);
  const steps: Steps = {
    runner,
    subscribe: (eventTypes = ['*'], options = {}) =>
      createSubscription(deps, options.tenant ?? tenant, { url: options.url ?? url, eventTypes }),
    emit: (...events) => emitBy(deps, ...events),
    async emitMany(count, event = {}) {
      await steps.emit(...Array.from({ length: count }, () => event));
    },
    async settle() {
      do await runner.idle();
      while ((await runner.runOnce(clock.nowMs(), BATCH)) > 0);
    },
    async exhaust() {
      for (const delayMs of [0, ...schedules.webhookAttempt.waitsMs]) {
        made.advanceClock(delayMs);
        await steps.settle();
      }
    },
    feed: (of = tenant) => store.run((tx) => tx.feed.after(of, 0, 1_000)),
    deliveries: (subscriptionId) =>
      store.run((tx) =>
        tx.deliveries.list({ status: null, subscriptionId, beforeId: null, limit: 1_000 }),
      ),
    async onlyDelivery(subscriptionId) {
      const [delivery, ...others] = await steps.deliveries(subscriptionId);
      assert.ok(delivery !== undefined && others.length === 0);
      return delivery;
    },
    attempts: (deliveryId) => store.run((tx) => tx.deliveries.attempts(deliveryId)),
  };
  return Object.assign(made, { refusal: () => null }, steps);
}

/** Stores events and their deliveries in one batch, as a change does. */
export async function emitBy(
  deps: Deps,
  ...events: readonly Partial<DomainEvent>[]
): Promise<readonly DomainEvent[]> {
  const nowMs = deps.clock.nowMs();
  const complete = events.map((event) => completed(event, deps.ids.next('evt', nowMs), nowMs));
  await deps.store.run(async (tx) => {
    for (const ofTenant of Map.groupBy(complete, tenantKey).values()) {
      await stageEvents(deps, tx, ofTenant);
    }
  });
  return complete;
}

/** The tenants that may not see what `tenant` has. */
export const strangers: readonly Tenant[] = [
  { orgId: 'org_2', mode: 'test' },
  { ...tenant, mode: 'live' },
];

/** An answer that arrives when the test releases it. */
export function heldAnswer() {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  return { answer: promise, release: (result: Answer = {}) => resolve(result) };
}

export const unanswered: WebhookResult = {
  responseStatus: null,
  responseBody: null,
  error: 'the connection was refused',
  durationMs: 3,
};

function completed(event: Partial<DomainEvent>, id: string, nowMs: number): DomainEvent {
  const type = event.type ?? 'payment_intent.created';
  return {
    ...tenant,
    id,
    type,
    subjectId: 'pi_1',
    body: eventBody(type, { externalEventId: id, note: 'ação ✓' }),
    createdAtMs: nowMs,
    ...event,
  };
}

/** What a receiver with this secret says of a webhook at the moment when it comes. */
export function verified(
  { headers, body, atMs }: SentWebhook = assert.fail('nothing was sent'),
  secret = '',
) {
  const [header, nowSeconds] = [headers[webhookHeaders.signature], Math.floor(atMs / 1_000)];
  return verifyWebhook({ secret, header, body, nowSeconds, toleranceSeconds: 0 });
}
