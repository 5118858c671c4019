// A head of the audit log that is kept outside the database: who rewrites the log cannot change it.
// It is signed with the key that signs bank details, whose public half is published.
import { writeJson } from '../base/raw-json.js';
import type { FeedHead } from '../payments/event.js';
import { type OpenedKey, signRecord } from './service-key.js';

export interface AuditAnchor extends FeedHead {
  /** RFC 3339. */
  readonly takenAt: string;
  /** The epoch of the database: after a restore, later records of an earlier one are lost. */
  readonly epoch: number;
  /** A detached JWS over the other members, in this order. */
  readonly signature: string;
}

export function signAnchor(key: OpenedKey, anchor: Omit<AuditAnchor, 'signature'>): AuditAnchor {
  return { ...anchor, signature: signRecord(key, textOf(anchor)) };
}

/** Whether one of the keys has signed it; Ed25519 signatures are deterministic. */
export function isGenuine(keys: readonly OpenedKey[], anchor: AuditAnchor): boolean {
  return keys.some((key) => signRecord(key, textOf(anchor)) === anchor.signature);
}

/** One line of a file of anchors, whose signature is to be checked; null for another text. */
export function readAnchor(line: string): AuditAnchor | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' ? (value as AuditAnchor | null) : null;
  } catch {
    return null;
  }
}

function textOf({ takenAt, epoch, sequence, chainHash }: Omit<AuditAnchor, 'signature'>): string {
  return writeJson({ takenAt, epoch, sequence, chainHash });
}
