// Answers of the simulated BlindPay, and the refusals of its calls.
import type { Fields } from './blindpay-objects.js';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Refusal extends Error {
  readonly answer: Answer;
  constructor(status: number, code: string, words = code) {
    super(code);
    this.answer = errorAnswer(status, code, words);
  }
}

export function errorAnswer(status: number, code: string, words = code): Answer {
  const trace = { trace_id: '0af7651916cd43dd8448eb211c80319c' };
  const named = { code, message: code.toLowerCase(), description: words };
  return { status, body: { success: false, ...named, errors: [], ...trace } };
}

/** Another request has this idempotency key. */
export const keyMismatch = errorAnswer(422, 'idempotency_key_payload_mismatch');

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export function found<T extends { readonly id: string }>(
  all: readonly T[],
  id: string,
  code: string,
): T {
  const one = all.find((object) => object.id === id);
  if (one === undefined) throw new Refusal(404, code);
  return one;
}

export function need(body: Fields, fields: readonly string[]): void {
  const missing = fields.filter((field) => body[field] === undefined || body[field] === null);
  if (missing.length > 0) {
    throw new Refusal(400, 'VALIDATION_MISSING_REQUIRED_FIELDS', missing.join(', '));
  }
}

export function amountOf(body: Fields): number {
  const amount = body['request_amount'];
  if (typeof amount === 'number' && Number.isInteger(amount) && amount >= 500) return amount;
  throw new Refusal(400, 'VALIDATION_FAILED', 'request_amount: an integer of at least 500');
}

export function without(object: object, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
