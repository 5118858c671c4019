// What the commands of all kinds have in common at BlindPay: ids, the texts of requests, and
// answers.
import { z } from 'zod';
import type { CommandEnd } from '../../../core/domain/commands/partner-command.js';
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
export const notFound = refused('not_found', 'BlindPay has no such object.');

/** A call without effect of its kind: it can only succeed, be refused, or be tried again. */
export function withoutEffect<T>(answer: PartnerAnswer<T>): PartnerAnswer<T> {
  return answer.outcome === 'unknown' ? later(answer.reason) : answer;
}

/**
 * The end that a status of a pay-in or payout reports. A `failed` payout does not prove where the
 * money is, even with `tokens_refunded`; `refunded` does.
 */
export const transactionEnds: Readonly<Record<string, CommandEnd>> = {
  processing: 'open',
  on_hold: 'open',
  completed: 'completed',
  failed: 'failed',
  refunded: 'returned',
};

/** The end that a status means; a status that is not known is no end. */
export function endOf<E extends string>(
  { log }: BlindPayContext,
  ends: Readonly<Record<string, E>>,
  { what, status, open }: { readonly what: string; readonly status: string; readonly open: E },
): E {
  const end = ends[status];
  if (end === undefined) {
    log.error('alert', { alert: `BlindPay reports an unknown status of a ${what}`, status });
  }
  return end ?? open;
}
