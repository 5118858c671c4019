// What must be true of a store and a receiver after any faults: every payment settled with one
// pay-in and one payout, the feed without gaps and each payment's events in order, every event
// received under one delivery id, with the same signed bytes each time.
import assert from 'node:assert/strict';
import { verifyWebhook } from '../../../adapters/client/verify.js';
import { memoryInFile } from '../../../adapters/partner/fake-memory.js';
import type { NumberedEvent } from '../../../core/domain/payments/event.js';
import { type FeedHead, headAfter, ownEventId } from '../../../core/domain/payments/event.js';
import { paymentStatuses } from '../../../core/domain/payments/payment.js';
import type { Store } from '../../../core/ports/storage.js';
import type { ReceivedRequest } from '../servers/local-receiver.js';

/** One pay-in and one payout each, both completed, and all that was received paid out. */
export async function checkBooks(store: Store, ids: Iterable<string>): Promise<void> {
  for (const id of ids) {
    await store.run(async (tx) => {
      const payment = await tx.payments.find(id);
      assert.ok(payment !== null);
      const commands = await tx.commands.ofPayment(payment, id);
      const orders = commands.map(({ kind, state, end }) => `${kind} ${state} ${end}`);
      assert.deepEqual(orders.toSorted(), ['payin done completed', 'payout done completed']);
      const funds = await tx.funds.get(payment, id);
      const asked = payment.amount.amountMinor;
      assert.deepEqual(
        [funds?.position, funds?.receivedMinor, funds?.payoutMinor, funds?.refund],
        ['paid', asked, asked, 'none'],
      );
    });
  }
}

/** The partner has one payout for each of these payments, and no other. */
export async function checkPartner(
  store: Store,
  ids: Iterable<string>,
  partnerFile: string,
): Promise<void> {
  const ordered: string[] = [];
  for (const id of ids) {
    await store.run(async (tx) => {
      const payment = await tx.payments.find(id);
      assert.ok(payment !== null);
      const commands = await tx.commands.ofPayment(payment, id);
      ordered.push(
        ...commands.filter(({ kind }) => kind === 'payout').map(({ reference }) => reference),
      );
    });
  }
  const payouts = memoryInFile(partnerFile)
    .all()
    .filter(({ kind }) => kind === 'payout');
  const paid = payouts.map(({ reference }) => reference);
  assert.deepEqual(paid.toSorted(), ordered.toSorted(), 'what the partner paid out');
}

/** Whether each event has its deliveries, and none of them is pending. */
export async function nothingIsLeftToSend({ run }: Pick<Store, 'run'>): Promise<boolean> {
  const filter = { status: 'pending', subscriptionId: null, beforeId: null, limit: 1 } as const;
  const [behind, pending] = await run((tx) =>
    Promise.all([tx.subscriptions.behind('', 1), tx.deliveries.list(filter)]),
  );
  return behind.length === 0 && pending.length === 0;
}

/** The whole feed: gap-free from 1, chained, and in the order of each settled payment's moves. */
export async function readFeed(
  store: Store,
  ids: Iterable<string>,
): Promise<readonly NumberedEvent[]> {
  const events = await store.run(async (tx) => {
    const [organization] = await tx.organizations.list();
    assert.ok(organization !== undefined);
    return tx.feed.after({ orgId: organization.id, mode: 'test' }, 0, 100_000);
  });
  let head: FeedHead | null = null;
  for (const [index, event] of events.entries()) {
    if (ownEventId(event.id) === event.id) head = headAfter(head, event.body);
    assert.deepEqual([event.sequence, event.chainHash], [index + 1, head?.chainHash]);
  }
  const way = paymentStatuses.slice(paymentStatuses.indexOf('buyer_kyc_pending'));
  const moves = ['created', ...way.slice(0, way.indexOf('settled') + 1)];
  for (const id of ids) {
    const types = events.filter(({ subjectId }) => subjectId === id).map(({ type }) => type);
    assert.deepEqual(
      types,
      moves.flatMap((move) => [`payment_intent.${move}`, `invoice.${move}`]),
    );
  }
  return events;
}

/** Every event under one delivery id, its exact bytes each time, signed. */
export function checkReceived(
  requests: readonly ReceivedRequest[],
  secret: string,
  events: readonly NumberedEvent[],
): void {
  const bodies = new Map(events.map(({ body }) => [body, new Set<string>()]));
  const bodyOf = new Map<string, string>();
  for (const { headers, body } of requests) {
    const [text, deliveryId] = [body.toString('utf8'), String(headers['x-service-delivery-id'])];
    // The clock of the first attempts may be a minute old by now.
    const header = headers['x-service-signature'];
    const verified = verifyWebhook({ secret, header, body, toleranceSeconds: 3_600 });
    assert.deepEqual(verified.valid, true);
    assert.equal(bodyOf.get(deliveryId) ?? text, text, 'a repeat has the same bytes');
    bodyOf.set(deliveryId, text);
    const ids = bodies.get(text);
    assert.ok(ids !== undefined, 'nothing is sent that is not in the feed');
    ids.add(deliveryId);
  }
  for (const [body, ids] of bodies) assert.equal(ids.size, 1, `one delivery: ${body}`);
}
