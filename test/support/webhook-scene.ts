// The webhook side of the core over a store: a clock that stands until it is moved,
// seeded ids, one tenant, and receivers of which each test says how they answer. Nothing runs by
// itself. It knows no payments.
import { createIds, seededBytes } from '../../adapters/crypto/ids.js';
import { createTokenSigner, fixedKeys } from '../../adapters/crypto/jwt.js';
import {
  createSecretBox,
  newSecretKey,
  parseSecretKeys,
} from '../../adapters/crypto/secret-box.js';
import { createMemoryMailer } from '../../adapters/mail/memory-mail.js';
import { type DomainEvent, eventBody, type FeedEvent } from '../../core/domain/event.js';
import type { Subscription } from '../../core/domain/subscription.js';
import type { Tenant } from '../../core/domain/tenant.js';
import {
  type DeliveryAttempt,
  RETRY_DELAYS_MS,
  type WebhookDelivery,
} from '../../core/domain/webhook-delivery.js';
import type { Deps, Settings, WorkKind } from '../../core/ports/deps.js';
import type { WebhookRequest, WebhookResult } from '../../core/ports/outside.js';
import type { Store } from '../../core/ports/storage.js';
import { type DeliveryRunner, deliveryRunner } from '../../core/usecases/delivery-runner.js';
import { runSequencer } from '../../core/usecases/feed.js';
import { createSubscription } from '../../core/usecases/subscriptions.js';
import { testStore } from './test-store.js';

/** 2030-01-01T00:00:00.000Z */
export const STARTS_AT_MS = 1_893_456_000_000;
const BATCH = 100;

export const tenant: Tenant = { orgId: 'org_1', mode: 'test' };
export const url = 'https://hooks.example/ponte';

const settings: Settings = {
  baseUrl: 'https://api.example',
  payUrl: 'https://pay.example',
  retryDelaysMs: RETRY_DELAYS_MS,
  rateLimitPerMinute: 0,
  rateLimitBurst: 0,
  allowPrivateUrls: false,
};

export interface SentWebhook extends WebhookRequest {
  readonly atMs: number;
}

export type Answer = Partial<WebhookResult> | Promise<Partial<WebhookResult>>;

export interface Scene {
  readonly deps: Deps;
  readonly runner: DeliveryRunner;
  readonly sent: readonly SentWebhook[];
  /** What was woken since the start, in order. */
  readonly woken: readonly WorkKind[];
  readonly logged: readonly string[];
  /** How each webhook ends; 200 at once unless set. */
  answer: (request: WebhookRequest) => Answer;
  /** What the sender says of a URL that is subscribed. */
  refusal: (url: string) => string | null;
  at(nowMs: number): void;
  pass(ms: number): void;
  subscribe(
    eventTypes?: readonly string[],
    options?: { readonly url?: string; readonly tenant?: Tenant },
  ): Promise<{ readonly subscription: Subscription; readonly secret: string }>;
  /** Stages events into the outbox, one batch. */
  emit(...events: readonly Partial<DomainEvent>[]): Promise<readonly DomainEvent[]>;
  /** Sequences all, sends all that is due, and waits for the answers. */
  settle(): Promise<void>;
  feed(of?: Tenant): Promise<readonly FeedEvent[]>;
  deliveries(subscriptionId: string): Promise<readonly WebhookDelivery[]>;
  attempts(deliveryId: string): Promise<readonly DeliveryAttempt[]>;
  close(): Promise<void>;
}

export async function scene(): Promise<Scene> {
  const bytes = seededBytes('webhooks');
  const box = parseSecretKeys(newSecretKey('first', bytes));
  if (!box.valid) throw new Error(box.reason);
  const store = await testStore();
  let nowMs = STARTS_AT_MS;
  const ids = createIds(bytes);
  const sent: SentWebhook[] = [];
  const woken: WorkKind[] = [];
  const logged: string[] = [];
  const note = (message: string) => logged.push(message);
  const deps: Deps = {
    ...{ store, metrics: null },
    partners: { test: null, live: null },
    sender: {
      async send(request) {
        sent.push({ ...request, atMs: nowMs });
        return { ...answered, ...(await made.answer(request)) };
      },
      refusal: async (asked) => made.refusal(asked),
      close: async () => undefined,
    },
    mailer: createMemoryMailer(),
    secretBox: createSecretBox(box.keys, bytes),
    documents: null,
    tokenSigner: createTokenSigner(fixedKeys(box.keys)),
    rateLimits: store.rateLimits,
    clock: { nowMs: () => nowMs },
    pause: async () => undefined,
    ids,
    log: { debug: note, info: note, warn: note, error: note },
    wake: (work) => woken.push(work),
    settings,
  };
  const runner = deliveryRunner(deps);
  const made: Scene = {
    deps,
    runner,
    sent,
    woken,
    logged,
    answer: () => ({}),
    refusal: () => null,
    at: (atMs) => {
      nowMs = atMs;
    },
    pass: (ms) => {
      nowMs += ms;
    },
    subscribe: (eventTypes = ['*'], options = {}) =>
      createSubscription(deps, options.tenant ?? tenant, { url: options.url ?? url, eventTypes }),
    async emit(...events) {
      const complete = events.map((event) => completed(event, ids.next('evt', nowMs), nowMs));
      await store.run(async (tx) => {
        for (const event of complete) tx.outbox.append(event);
      });
      return complete;
    },
    async settle() {
      while ((await runSequencer(deps, nowMs, BATCH)) > 0);
      do await runner.idle();
      while ((await runner.runOnce(nowMs, BATCH)) > 0);
    },
    feed: (of = tenant) => store.run((tx) => tx.feed.after(of, 0, 1_000)),
    deliveries: (subscriptionId) => deliveriesOf(store, subscriptionId),
    attempts: (deliveryId) => store.run((tx) => tx.deliveries.attempts(deliveryId)),
    close: () => store.close(),
  };
  return made;
}

function deliveriesOf(store: Store, subscriptionId: string) {
  const filter = { status: null, subscriptionId, beforeId: null, limit: 1_000 };
  return store.run((tx) => tx.deliveries.list(filter));
}

/** A turn of the event loop: whatever could go on has gone on. */
export function turn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

/** Waits, turn by turn, until something is the case. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

const answered: WebhookResult = {
  responseStatus: 200,
  responseBody: 'ok',
  error: null,
  durationMs: 7,
};

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
