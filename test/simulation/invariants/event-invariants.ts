// Invariants of events and their deliveries: none missing, repeated or out of order, judged by what
// the receivers received.
import { createHash } from 'node:crypto';
import {
  aliasNamed,
  matchesEvent,
  moneyEvents,
  type NumberedEvent,
} from '../../../core/domain/payments/event.js';
import { verifyWebhook } from '../../../core/domain/webhooks/signature.js';
import { ATTEMPTS_MAX } from '../../../core/domain/webhooks/webhook-delivery.js';
import { plainOf } from '../world/simulated-host.js';
import { walks } from './observed-payment.js';
import { eachPayment, type ObservedState } from './observed-state.js';

/**
 * In each namespace: created, then one event per status, exactly as the batches stored them. Events
 * about money do not count.
 */
export function oneEventPerChangeAndNamespaceInOrder(observed: ObservedState): string | null {
  const emitted = new Map<string, string[]>();
  const events = [...observed.tenants.values()].flatMap(
    ({ feed }) => feed as readonly NumberedEvent[],
  );
  const ids = new Set<string>();
  for (const event of events) {
    if (ids.has(event.id)) return `the event ${event.id} is there twice`;
    ids.add(event.id);
    const [namespace, name] = event.type.split('.') as [string, string];
    if (isMoneyEvent(name)) continue;
    const key = `${event.subjectId} ${namespace}`;
    const status = name === 'buyer_kyc_rejected' ? 'failed' : name;
    emitted.set(key, [...(emitted.get(key) ?? []), status]);
  }
  return eachPayment(observed, (found) => {
    const { payment } = found;
    const expected = walks(found).map((walk) => ['created', ...walk.slice(1)].join(' '));
    const namespaces = payment.origin === 'invoice' ? ['invoice'] : ['payment_intent', 'invoice'];
    for (const namespace of namespaces) {
      const sent = (emitted.get(`${payment.id} ${namespace}`) ?? []).join(' ');
      if (!expected.includes(sent)) {
        return `${namespace} sent: ${sent}; happened: ${expected.join(', or ')}`;
      }
    }
    return null;
  });
}

function isMoneyEvent(name: string): boolean {
  return moneyEvents.some((known) => known === name);
}

export function sequencesAreGapFreeAndChained(observed: ObservedState): string | null {
  for (const [name, { feed, head, freshFrom }] of observed.tenants) {
    for (let index = freshFrom; index < feed.length; index += 1) {
      const { id, sequence, chainHash, body } = feed[index] as NumberedEvent;
      if (sequence !== index + 1) return `${name}: ${sequence} at place ${index + 1}`;
      const before = feed[index - 1]?.chainHash ?? '';
      const hash = createHash('sha256').update(before).update(body).digest('hex');
      const isAlias = id === aliasNamed(feed[index - 1]?.id ?? '', '').id;
      if (chainHash !== (isAlias ? before : hash))
        return `${name}: the chain breaks at ${sequence}`;
    }
    if ((head?.sequence ?? 0) !== feed.length) return `${name}: the head is at ${head?.sequence}`;
  }
  return null;
}

/** A restore begins another epoch: its numbers are given again. */
export function oneSequenceHasOneEventPerEpoch({ outside }: ObservedState): string | null {
  return outside.feedReads.contradiction;
}

/**
 * No command, webhook or mail is claimed or sent, and nothing is written but what a check learns.
 */
export function nothingIsDoneInQuarantine({ quarantine }: ObservedState): string | null {
  return quarantine.done[0] ?? null;
}

export function everyEventReachesEverySubscription(observed: ObservedState): string | null {
  const sent = new Set<string>();
  for (const { subscriptionId, eventId } of observed.deliveries.values()) {
    const name = `${subscriptionId} ${eventId}`;
    if (sent.has(name)) return `${name} has two deliveries`;
    sent.add(name);
  }
  for (const subscription of observed.subscriptions.values()) {
    const { orgId, mode, id, active, eventTypes } = subscription;
    if (!active) continue;
    const born = observed.bornInBatch.get(id) ?? 0;
    const feed = observed.tenants.get(`${orgId} ${mode}`)?.feed ?? [];
    const missed = feed.find(
      (event) =>
        (observed.bornInBatch.get(event.id) ?? 0) > born &&
        matchesEvent(eventTypes, event.type) &&
        event.type !== 'webhook.test' &&
        !sent.has(`${id} ${event.id}`),
    );
    if (missed !== undefined) return `${id} has no delivery of ${missed.type} ${missed.id}`;
  }
  return null;
}

export function oneDeliveryIdAndTheSameBytes(observed: ObservedState): string | null {
  const bodies = new Map<string, string>();
  for (const { feed } of observed.tenants.values()) {
    for (const event of feed) bodies.set(event.id, event.body);
  }
  for (const { deliveryId, eventType, body } of observed.freshReceived) {
    const delivery = observed.deliveries.get(deliveryId);
    if (delivery === undefined) continue;
    if (delivery.eventType !== eventType) return `${deliveryId} was sent as ${eventType}`;
    if (bodies.get(delivery.eventId) !== body) return `${deliveryId} was sent with other bytes`;
  }
  return null;
}

/** The row may come after the webhook, under the id that the receiver has got. */
export function everyWebhookIsOfADelivery({ sentWithoutRow }: ObservedState): string | null {
  const [webhook] = sentWithoutRow;
  return webhook === undefined ? null : `${webhook.deliveryId} was sent and is no delivery`;
}

export function deliveredOnlyIfReceived(observed: ObservedState): string | null {
  const answered = new Set<string>();
  for (const { deliveryId, answered: status } of observed.outside.received()) {
    if (status === 200) answered.add(deliveryId);
  }
  for (const { id, status, attempt } of observed.deliveries.values()) {
    if (status === 'delivered' && !answered.has(id)) return `${id} is delivered to nobody`;
    if (attempt > ATTEMPTS_MAX) return `${id} had ${attempt} attempts`;
  }
  return null;
}

export function webhooksVerifyWithTheNewestSecret(observed: ObservedState): string | null {
  for (const { deliveryId, signature, body, sentAtMs, claimedSecret } of observed.freshReceived) {
    const delivery = observed.deliveries.get(deliveryId);
    const sealed = observed.secrets.get(delivery?.subscriptionId ?? '') ?? [];
    const secrets = sealed.slice(sealed.indexOf(claimedSecret)).map(plainOf);
    const nowSeconds = Math.floor(sentAtMs / 1_000);
    const verifies = secrets.some(
      (secret) => verifyWebhook({ secret, header: signature, body, nowSeconds }).valid,
    );
    if (!verifies) return `${deliveryId} came with a signature that does not verify`;
  }
  return null;
}

export function everyDeliveryEnded({ deliveries }: ObservedState): string | null {
  const pending = [...deliveries.values()].find(({ status }) => status === 'pending');
  return pending === undefined ? null : `${pending.id} is still pending`;
}
