// A message of the partner as it is stored, and the JSON text of what the partner reports.
import type { Mode } from '../base/tenant.js';

export interface InboxMessage {
  readonly partner: string;
  readonly mode: Mode;
  /** The partner's id of the message: one message is applied once. */
  readonly messageId: string;
  /** JSON text of the facts read from the verified message. */
  readonly facts: string;
  readonly receivedAtMs: number;
  /** When it is to be applied (again); null once applied. */
  readonly dueAtMs: number | null;
  readonly tries: number;
  readonly version: number;
}

export type MessageCursor = Pick<InboxMessage, 'receivedAtMs' | 'messageId'>;

/** Amounts (`…Minor`) are written as text and read back as bigint. */
export function writeAmount(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

export function readAmount(key: string, value: unknown): unknown {
  return key.endsWith('Minor') && typeof value === 'string' ? BigInt(value) : value;
}
