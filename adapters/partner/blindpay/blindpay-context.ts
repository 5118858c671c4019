// What the commands of all kinds have in common at BlindPay: ids, the texts of requests, and
// answers.
import { z } from 'zod';
import { type CommandEnd, MADE_BY_ANOTHER } from '../../../core/domain/commands/partner-command.js';
import type { Log } from '../../../core/ports/outside.js';
import type { PartnerAnswer } from '../../../core/ports/partner.js';
import type { BlindPayClient } from './blindpay-client.js';

/** Where money moves: of the instance and mode. */
export interface BlindPayRoute {
  /** The network of managed wallets, as `polygon`. */
  readonly network: string;
  /** The stablecoin; one is worth one US dollar. */
  readonly token: string;
  /** How buyers pay, as `ach`. */
  readonly paymentMethod: string;
  /** Who keeps virtual accounts; null: buyers pay into an account of BlindPay with a memo code. */
  readonly bankingPartner: string | null;
  /** A fee of the instance's owner on pay-ins, set up at BlindPay. */
  readonly partnerFeeId?: string | null;
}

export interface BlindPayContext {
  readonly client: BlindPayClient;
  readonly route: BlindPayRoute;
  readonly log: Log;
  nowMs(): number;
  /** Monotonic. */
  steadyMs(): number;
}

/** Buyers pay in US dollars: pay-in quotes name the payment method, not the currency. */
export const CURRENCY = 'USD';

const idForm = /^[A-Za-z0-9_-]{1,64}$/;

/** Ids are opaque, but become parts of a path. */
export function isId(text: string): boolean {
  return idForm.test(text);
}

/** An id of BlindPay in an answer. */
export const idText = z.string().regex(idForm);

const TOLD_LENGTH_MAX = 1_000;
/** Only told to people: another form than documented must not hold up the money. */
export const told = z
  .string()
  .transform((text) => text.slice(0, TOLD_LENGTH_MAX))
  .nullish()
  .catch(null);

/** Several ids as one text that core stores. */
export function joinIds(ids: readonly string[]): string {
  return ids.join('.');
}

/** The ids of such a text; null for any other text. */
export function splitIds<const N extends readonly string[]>(
  text: string,
  names: N,
): { readonly [K in N[number]]: string } | null {
  const ids = text.split('.');
  if (ids.length !== names.length || !ids.every(isId)) return null;
  const named = names.map((name, at) => [name, ids[at] ?? '']);
  return Object.fromEntries(named) as { readonly [K in N[number]]: string };
}

const kindShape = z.object({ kind: z.string() });

/** The request that core stores before the call; null for a text that is none of this kind. */
export function readRequest<T>(kind: string, shape: z.ZodType<T>, text: string): T | null {
  try {
    const json: unknown = JSON.parse(text);
    const isOfKind = kindShape.safeParse(json).data?.kind === kind;
    return isOfKind ? (shape.safeParse(json).data ?? null) : null;
  } catch {
    return null;
  }
}

export function done<T>(value: T): PartnerAnswer<T> {
  return { outcome: 'done', value };
}

export function refused(code: string, message: string): PartnerAnswer<never> {
  return { outcome: 'refused', code, message };
}

export function later(reason: string): PartnerAnswer<never> {
  return { outcome: 'later', reason };
}

export const unreadable = refused('request_invalid', 'This adapter has not prepared the request.');
/** A look-up of such a request: another adapter may have sent it, so it is not absent. */
export const notPrepared = later('this adapter has not prepared the request');
/** An answer about another object: what the call did is looked up. */
export const otherAnswered = {
  outcome: 'unknown',
  reason: 'BlindPay answers with another object than was ordered',
} as const;
/** The same in an answer to a read. An answer to an order does not say what it is of. */
export const otherRead = {
  outcome: 'later',
  reason: otherAnswered.reason,
  code: MADE_BY_ANOTHER,
} as const;
export const notFound = refused('not_found', 'BlindPay has no such object.');

/** The object with this id. What BlindPay says of another one does not count for it. */
export async function readObject<T extends { readonly id: string }>(
  { client, log }: Pick<BlindPayContext, 'client' | 'log'>,
  path: string,
  id: string,
  shape: z.ZodType<T>,
): Promise<PartnerAnswer<T>> {
  if (!isId(id)) return notFound;
  const answer = await client.get(`/instances/:instance/${path}/${id}`, shape);
  if (answer.outcome !== 'done' || answer.value.id === id) return answer;
  const alert = 'BlindPay answers with another object than was asked for';
  log.error('alert', { alert, path, id, answered: answer.value.id });
  return later(alert);
}

/** A call without effect of its kind: it can only succeed, be refused, or be tried again. */
export function withoutEffect<T>(answer: PartnerAnswer<T>): PartnerAnswer<T> {
  return answer.outcome === 'unknown' ? later(answer.reason) : answer;
}

/**
 * The end that a status of a pay-in or payout reports. A `failed` payout does not prove where the
 * money is, even with `tokens_refunded`; `refunded` does.
 */
export const transactionEnds: ReadonlyMap<string, CommandEnd> = new Map([
  ['processing', 'open'],
  ['on_hold', 'open'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['refunded', 'returned'],
]);

/** The end that a status means; a status that is not known is no end. */
export function endOf<E extends string>(
  { log }: BlindPayContext,
  ends: ReadonlyMap<string, E>,
  { what, status, open }: { readonly what: string; readonly status: string; readonly open: E },
): E {
  const end = ends.get(status);
  if (end === undefined) {
    log.error('alert', { alert: `BlindPay reports an unknown status of a ${what}`, status });
  }
  return end ?? open;
}
