// Captures what was settled while Medusa was down, or after its answer to a webhook, and notes in
// an order how its payment ended. The place in the event feed is stored in the metadata of the
// shop, so it survives both programs.
import type { PonteClient } from 'ponte-payments/client';
import { readPayment, sessionAction, statusOf } from './provider';

export interface Shop {
  /** The stored place; null: none. */
  readPlace(): Promise<Place | null>;
  storePlace(place: Place): Promise<void>;
  /** Sessions of Ponte that are neither captured nor ended. */
  openSessions(): Promise<readonly { readonly id: string; readonly paymentId: string }[]>;
  /** Captured, and noted in the order: Medusa may have died between the two. */
  isBooked(sessionId: string): Promise<boolean>;
  /** Medusa's workflow of a webhook. */
  process(result: ReturnType<typeof sessionAction>): Promise<void>;
  /** Stores the note in the order of the session, if this is still the payment of both. */
  note(sessionId: string, paymentId: string, note: Note): Promise<void>;
}

/** As Ponte shows them. */
export interface Note {
  readonly status: string;
  readonly situation: string;
  readonly statusText: string;
}

/** Events after which an order has a note. */
const notedTypes = [
  'settled',
  'cancelled',
  'expired',
  'failed',
  'payout_returned',
  'paid_again',
].map((name) => `payment_intent.${name}`);

export interface Place {
  readonly after: number;
  readonly epoch?: number;
}

/** Reads the feed to its end. Twice is harmless. */
export async function catchUp(ponte: PonteClient, shop: Shop): Promise<void> {
  for (let place = (await shop.readPlace()) ?? { after: 0 }; ; ) {
    const query = { ...place, eventTypes: notedTypes.join(',') };
    const { data: feed, error } = await ponte.GET('/v1/events', { params: { query } });
    if (error?.error === 'EventsPruned' || error?.error === 'FeedReset') {
      // Events are missing: the payments themselves say what was settled.
      await askPayments(ponte, shop);
      const { lastSequence, epoch, oldestSequence = 1 } = error;
      place =
        lastSequence === undefined ? { after: oldestSequence - 1 } : { after: lastSequence, epoch };
    } else if (error) {
      throw new Error(`Ponte: ${error.message}`);
    } else {
      for (const { event, data } of feed.data) {
        await capture(shop, sessionAction(event, data));
        await noteEvent(ponte, shop, event, data);
      }
      if (feed.nextAfter === place.after) return;
      place = { after: feed.nextAfter, epoch: feed.epoch };
    }
    await shop.storePlace(place);
  }
}

/** The payment says how it is, not an event that may be old. */
export async function noteEvent(
  ponte: PonteClient,
  shop: Shop,
  event: string,
  about: object,
): Promise<void> {
  const session = sessionAction(event, about).data?.session_id;
  const { paymentIntentId } = about as { readonly paymentIntentId?: string };
  if (session === undefined || !paymentIntentId || !notedTypes.includes(event)) return;
  const payment = await readPayment(ponte, paymentIntentId);
  if (payment !== null) await note(shop, session, payment);
}

async function note(shop: Shop, session: string, payment: Note & { readonly id: string }) {
  const { status, situation, statusText } = payment;
  await shop.note(session, payment.id, { status, situation, statusText });
}

async function askPayments(ponte: PonteClient, shop: Shop): Promise<void> {
  for (const { id: session_id, paymentId } of await shop.openSessions()) {
    const payment = await readPayment(ponte, paymentId);
    if (payment === null || statusOf(payment) === 'pending_authorization') continue;
    const data = { session_id, amount: Number(payment.amount) };
    if (statusOf(payment) === 'captured') await capture(shop, { action: 'captured', data });
    await note(shop, session_id, payment);
  }
}

async function capture(shop: Shop, result: ReturnType<typeof sessionAction>): Promise<void> {
  if (result.data === undefined || result.action !== 'captured') return;
  if (!(await shop.isBooked(result.data.session_id))) await shop.process(result);
}
