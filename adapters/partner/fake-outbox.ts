// The messages of the fake partner. The host sends due ones by `sendDueMessages`; there is no
// timer. Messages are lost when the process ends, like lost messages of a real partner.
import { z } from 'zod';
import { schedules } from '../../core/domain/base/schedules.js';
import type { PartnerFact } from '../../core/ports/partner.js';
import { type SignedMessage, signMessage } from './signed-message.js';

export interface FakeOutbox {
  /** Ignores a message whose id already waits. */
  put(messageId: string, fact: PartnerFact, dueAtMs: number): void;
  /** Sends up to `limit` due messages, at most one per transaction; returns how many it tried. */
  sendDueMessages(nowMs: number, limit: number): Promise<number>;
  nextDueAtMs(): number | null;
  /** A message that is not accepted is retried like the others. */
  sendNow(messageId: string, fact: PartnerFact, nowMs: number): Promise<void>;
}

interface Message {
  readonly messageId: string;
  readonly fact: PartnerFact;
}

interface Waiting extends Message {
  readonly dueAtMs: number;
  readonly tries: number;
}

export function createFakeOutbox(options: {
  readonly secret: string;
  /** Rejects when the message was not accepted: it is retried. */
  readonly deliver: (message: SignedMessage) => Promise<void>;
  readonly onQueued?: (() => void) | undefined;
  /** The message as it is now, asked for when it is sent; as it was queued by default. */
  readonly current?: (message: Message) => Promise<Message>;
}): FakeOutbox {
  /** Ordered by `dueAtMs`, then by arrival. */
  const waiting: Waiting[] = [];
  const ids = new Set<string>();

  const add = (item: Waiting): void => {
    let at = waiting.length;
    while (at > 0 && (waiting[at - 1]?.dueAtMs ?? 0) > item.dueAtMs) at -= 1;
    waiting.splice(at, 0, item);
    ids.add(item.messageId);
  };

  const take = (nowMs: number, limit: number): readonly Waiting[] => {
    const taken = new Map<string, Waiting>();
    for (let at = 0; at < waiting.length && taken.size < limit; ) {
      const item = waiting[at];
      if (item === undefined || item.dueAtMs > nowMs) break;
      if (taken.has(item.fact.partnerRef)) at += 1;
      else {
        taken.set(item.fact.partnerRef, item);
        waiting.splice(at, 1);
        ids.delete(item.messageId);
      }
    }
    return [...taken.values()];
  };

  const send = async (item: Waiting, nowMs: number): Promise<void> => {
    const { messageId: queuedId } = item;
    try {
      const { messageId, fact } = (await options.current?.(item)) ?? item;
      const text = writeFact(fact);
      await options.deliver(
        signMessage({ secret: options.secret, messageId, text, sentAtMs: nowMs }),
      );
    } catch {
      const waitMs = schedules.fakePartnerMessage.waitsMs[item.tries];
      if (waitMs !== undefined && !ids.has(queuedId)) {
        add({ ...item, dueAtMs: nowMs + waitMs, tries: item.tries + 1 });
      }
    }
  };

  return {
    put(messageId, fact, dueAtMs) {
      if (ids.has(messageId)) return;
      add({ messageId, fact, dueAtMs, tries: 0 });
      options.onQueued?.();
    },
    async sendDueMessages(nowMs, limit) {
      const due = take(nowMs, limit);
      await Promise.all(due.map((item) => send(item, nowMs)));
      return due.length;
    },
    nextDueAtMs: () => waiting[0]?.dueAtMs ?? null,
    sendNow: (messageId, fact, nowMs) => send({ messageId, fact, dueAtMs: nowMs, tries: 0 }, nowMs),
  };
}

/** A fact as the text of a message; amounts are decimal strings of minor units. */
export function writeFact(fact: PartnerFact): string {
  return JSON.stringify(fact, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
}

/** The fact of a message; null if it has none. */
export function readFact(text: string): PartnerFact | null {
  try {
    return factSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

const minor = z
  .string()
  .regex(/^[0-9]{1,16}$/)
  .transform((text) => BigInt(text));
const money = z.object({ amountMinor: minor, currency: z.string() });
const reason = z.string().nullable();
const asset = z
  .object({
    token: z.string(),
    network: z.string().nullable(),
    quantity: z.string().nullable(),
    transactionHash: z.string().nullable(),
    fromWallet: z.string().nullable(),
    toWallet: z.string().nullable(),
  })
  .nullable()
  .optional();
const payer = z
  .object({
    name: z.string().nullable(),
    bank: z.string().nullable(),
    texts: z.array(z.string()),
    trace: z.string().nullable(),
  })
  .nullable()
  .optional();
const transactionStatus = z.enum(['open', 'completed', 'failed', 'returned']);
const ids = { reference: z.string().nullable(), partnerRef: z.string() };

const factSchema = z.discriminatedUnion('kind', [
  z.object({
    ...ids,
    kind: z.literal('party'),
    report: z.object({
      status: z.enum(['verifying', 'approved', 'rejected']),
      reason,
      corrections: z.array(z.object({ field: z.string(), reason: z.string() })).optional(),
      answerByMs: z.int().nullable().optional(),
    }),
  }),
  z.object({
    ...ids,
    kind: z.literal('payin'),
    report: z.object({
      status: transactionStatus,
      received: money,
      transactionHash: z.string().nullable(),
      asset,
      payer,
      reason,
    }),
  }),
  z.object({
    ...ids,
    kind: z.literal('payout'),
    report: z.object({
      status: transactionStatus,
      settled: money.nullable(),
      fxRate: z.string().nullable(),
      fees: money.nullable(),
      endToEndId: z.string().nullable(),
      asset,
      reason,
    }),
  }),
  z.object({
    ...ids,
    kind: z.literal('refund'),
    report: z.object({
      status: z.enum(['open', 'completed', 'failed']),
      amount: money,
      reason,
    }),
  }),
]);
