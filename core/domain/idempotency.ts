// What a create does with its Idempotency-Key and externalId: one literal table. Finding what a key
// is bound to and what an externalId names is the use case's matter, and so is re-running after a
// lost race. Bodies are not compared, and keys do not expire.
import { assert } from '../errors.js';
import type { PaymentOrigin } from './payment.js';

/**
 * Rows: the key sent. Columns: whether the externalId is new or names a resource of this surface.
 * The key wins over the externalId. `replay_bind` binds the unbound key to the resource found.
 */
export const idempotencyTable = {
  'no key': { 'new externalId': 'create', 'known externalId': 'replay' },
  'unbound key': { 'new externalId': 'create_bind', 'known externalId': 'replay_bind' },
  'key of this surface': { 'new externalId': 'replay', 'known externalId': 'replay' },
  'key of another surface': { 'new externalId': 'conflict', 'known externalId': 'conflict' },
} as const satisfies Record<KeyFinding, Record<ExternalIdFinding, IdempotencyAnswer>>;

export type KeyFinding =
  | 'no key'
  | 'unbound key'
  | 'key of this surface'
  | 'key of another surface';
export type ExternalIdFinding = 'new externalId' | 'known externalId';
export type IdempotencyAnswer = 'create' | 'create_bind' | 'replay' | 'replay_bind' | 'conflict';

export interface CreateFindings {
  readonly surface: PaymentOrigin;
  /** The Idempotency-Key sent, null without one. */
  readonly key: string | null;
  /** What the key is bound to in this tenant. */
  readonly boundTo: { readonly surface: PaymentOrigin; readonly resourceId: string } | null;
  /** The resource of this surface and tenant with the externalId sent. */
  readonly existingByExternalId: string | null;
}

export type CreateDecision =
  | { readonly kind: 'create'; readonly bindKey: boolean }
  | { readonly kind: 'replay'; readonly resourceId: string; readonly bindKey: boolean }
  | { readonly kind: 'conflict' };

/** 1-255 printable ASCII characters. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(text);
}

/** `bindKey` tells whether the key must be stored with the resource created or found. */
export function decideCreate(findings: CreateFindings): CreateDecision {
  const { boundTo, existingByExternalId } = findings;
  const column = existingByExternalId === null ? 'new externalId' : 'known externalId';
  const answer = idempotencyTable[keyFinding(findings)][column];
  switch (answer) {
    case 'create':
    case 'create_bind':
      return { kind: 'create', bindKey: answer === 'create_bind' };
    case 'replay':
    case 'replay_bind': {
      const resourceId = boundTo?.resourceId ?? existingByExternalId;
      assert(resourceId !== null, 'a replay has found its resource');
      return { kind: 'replay', resourceId, bindKey: answer === 'replay_bind' };
    }
    case 'conflict':
      return { kind: 'conflict' };
  }
}

function keyFinding({ surface, key, boundTo }: CreateFindings): KeyFinding {
  assert(key !== null || boundTo === null, 'without a key nothing is bound');
  if (key === null) return 'no key';
  if (boundTo === null) return 'unbound key';
  return boundTo.surface === surface ? 'key of this surface' : 'key of another surface';
}
