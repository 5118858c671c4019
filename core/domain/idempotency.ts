// What a create does with its Idempotency-Key and externalId: one literal table. Finding what a key
// is bound to and what an externalId names is the use case's matter, and so is re-running after a
// lost race. Keys do not expire. A repeated body decides nothing: the answer names the fields in
// which it differs from what is stored.
import { assert } from '../errors.js';
import { emailKey } from './buyer-kyc.js';
import type { ConnectedAccount } from './connected-account.js';
import type { Payment, PaymentOrigin } from './payment.js';
import { isSameJson } from './raw-json.js';

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

type Value = string | number | bigint | null;
/** The value of each field of a body, by its path, in the order of the description. */
type Fields<T> = Readonly<Record<string, (told: T) => Value>>;

/** What a create tells of a payment and what is stored of it. */
export type ToldOfPayment = Pick<
  Payment,
  | 'externalId'
  | 'amount'
  | 'buyer'
  | 'returnUrl'
  | 'display'
  | 'metadata'
  | 'expiresAtMs'
  | 'number'
  | 'sellerExternalId'
  | 'dueDate'
>;

const paymentFields: Fields<ToldOfPayment> = {
  externalId: ({ externalId }) => externalId,
  amount: ({ amount }) => amount.amountMinor,
  currency: ({ amount }) => amount.currency,
  'buyer.email': ({ buyer }) => emailKey(buyer.email),
  'buyer.name': ({ buyer }) => buyer.name,
  'buyer.country': ({ buyer }) => buyer.country,
  'buyer.phone': ({ buyer }) => buyer.phone,
  returnUrl: ({ returnUrl }) => returnUrl,
  display: ({ display }) => display,
  metadata: ({ metadata }) => metadata,
  expiresAt: ({ expiresAtMs }) => expiresAtMs,
  number: ({ number }) => number,
  sellerExternalId: ({ sellerExternalId }) => sellerExternalId,
  dueDate: ({ dueDate }) => dueDate,
};

/** Fields that are kept as the JSON text that was sent. */
const jsonFields: readonly string[] = ['display', 'metadata'];

/** The fields of a repeated create that differ from what is stored. */
export function paymentMismatch(told: ToldOfPayment, stored: ToldOfPayment): readonly string[] {
  return differing(paymentFields, told, stored, (value, kept, name) => {
    const isJson = jsonFields.includes(name);
    if (!isJson || typeof value !== 'string' || typeof kept !== 'string') return value === kept;
    return isSameJson(value, kept);
  });
}

/** What a create tells of a connected account and what is stored of it. */
export type ToldOfAccount = Pick<
  ConnectedAccount,
  'role' | 'entityType' | 'email' | 'legalName' | 'displayName' | 'country'
> & { readonly taxId: string | null };

const accountFields: Fields<ToldOfAccount> = {
  role: ({ role }) => role,
  entityType: ({ entityType }) => entityType,
  email: ({ email }) => (email === null ? null : emailKey(email)),
  legalName: ({ legalName }) => legalName,
  displayName: ({ displayName }) => displayName,
  country: ({ country }) => country,
  taxId: ({ taxId }) => taxId,
};

/** A submit adds what the create left out, so only what the body tells is compared. */
export function accountMismatch(told: ToldOfAccount, stored: ToldOfAccount): readonly string[] {
  return differing(accountFields, told, stored, (value, kept) => value === null || value === kept);
}

function differing<T>(
  fields: Fields<T>,
  told: T,
  stored: T,
  isSame: (value: Value, kept: Value, name: string) => boolean,
): readonly string[] {
  return Object.entries(fields)
    .filter(([name, read]) => !isSame(read(told), read(stored), name))
    .map(([name]) => name);
}
