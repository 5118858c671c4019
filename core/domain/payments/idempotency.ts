// What a create does with its Idempotency-Key and externalId: one literal table. Keys do not
// expire. A replay does not compare bodies: its answer names the fields that differ from what is
// stored. So does a repeated action.
import { assert } from '../../errors.js';
import { emailKey } from '../base/email-address.js';
import { isSameJson } from '../base/raw-json.js';
import type { ConnectedAccount } from '../parties/connected-account.js';
import { writeFiscalDocument } from './fiscal-document.js';
import { type Payment, type PaymentOrigin, paymentOrigins } from './payment.js';

/**
 * Rows: the key sent. Columns: whether the externalId is new or names a resource of this origin.
 * The key wins over the externalId. `replay_bind` binds the unbound key to the resource found.
 */
export const idempotencyTable = {
  'no key': { 'new externalId': 'create', 'known externalId': 'replay' },
  'unbound key': { 'new externalId': 'create_bind', 'known externalId': 'replay_bind' },
  'key of this origin': { 'new externalId': 'replay', 'known externalId': 'replay' },
  'key of another origin': { 'new externalId': 'conflict', 'known externalId': 'conflict' },
} as const;

/** What a key can be bound to: by a create, or by an action on a resource. */
export const keyOrigins = [...paymentOrigins, 'connected_account'] as const;
export type KeyOrigin = (typeof keyOrigins)[number];

export interface KeyBinding {
  readonly origin: KeyOrigin;
  readonly resourceId: string;
  readonly createdAtMs: number;
  /** Null for a create. */
  readonly bodyMacs: BodyMacs | null;
}

type KeyFinding = keyof typeof idempotencyTable;

export interface CreateFindings {
  readonly origin: PaymentOrigin;
  readonly key: string | null;
  readonly boundTo: { readonly origin: KeyOrigin; readonly resourceId: string } | null;
  /** The resource of this origin and tenant with the externalId sent. */
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

/** `bindKey`: the key must be stored with the resource that is created or found. */
export function decideCreate(findings: CreateFindings): CreateDecision {
  const { boundTo, existingByExternalId } = findings;
  const column = existingByExternalId === null ? 'new externalId' : 'known externalId';
  const answer = idempotencyTable[keyFinding(findings)][column];
  if (answer === 'conflict') return { kind: 'conflict' };
  const bindKey = answer === 'create_bind' || answer === 'replay_bind';
  if (answer === 'create' || answer === 'create_bind') return { kind: 'create', bindKey };
  const resourceId = boundTo?.resourceId ?? existingByExternalId;
  assert(resourceId !== null, 'a replay has found its resource');
  return { kind: 'replay', resourceId, bindKey };
}

function keyFinding({ origin, key, boundTo }: CreateFindings): KeyFinding {
  assert(key !== null || boundTo === null, 'without a key nothing is bound');
  if (key === null) return 'no key';
  if (boundTo === null) return 'unbound key';
  return boundTo.origin === origin ? 'key of this origin' : 'key of another origin';
}

type Value = string | number | bigint | null;
/** The value of each field of a body by its path, in the order of the API description. */
type Fields<T> = Readonly<Record<string, (sent: T) => Value>>;

export type SentPayment = Pick<
  Payment,
  | 'externalId'
  | 'amount'
  | 'buyer'
  | 'returnUrl'
  | 'display'
  | 'metadata'
  | 'expiresAtMs'
  | 'purpose'
  | 'payerRelation'
  | 'fiscalDocument'
  | 'bookedRate'
  | 'purchaseOrder'
  | 'buyerReference'
  | 'number'
  | 'sellerExternalId'
  | 'dueDate'
  | 'attachmentDocumentId'
>;

/** What is stored of the fields that a create need not send. */
export const unsentFields = {
  externalId: null,
  returnUrl: null,
  display: null,
  metadata: '{}',
  expiresAtMs: null,
  purpose: null,
  payerRelation: null,
  fiscalDocument: null,
  bookedRate: null,
  purchaseOrder: null,
  buyerReference: null,
  number: null,
  sellerExternalId: null,
  dueDate: null,
  attachmentDocumentId: null,
} as const satisfies Partial<SentPayment>;

const paymentFields: Fields<SentPayment> = {
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
  purpose: ({ purpose }) => purpose,
  payerRelation: ({ payerRelation }) => payerRelation,
  fiscalDocument: ({ fiscalDocument }) => fiscalDocument && writeFiscalDocument(fiscalDocument),
  bookedRate: ({ bookedRate }) => bookedRate,
  purchaseOrder: ({ purchaseOrder }) => purchaseOrder,
  buyerReference: ({ buyerReference }) => buyerReference,
  number: ({ number }) => number,
  sellerExternalId: ({ sellerExternalId }) => sellerExternalId,
  dueDate: ({ dueDate }) => dueDate,
  attachmentDocumentId: ({ attachmentDocumentId }) => attachmentDocumentId,
};

/** Fields that are stored as the JSON text that was sent. */
const jsonFields: readonly string[] = ['display', 'metadata'];

/** The fields of a repeated create that differ from what is stored. */
export function paymentMismatch(sent: SentPayment, stored: SentPayment): readonly string[] {
  return differing(paymentFields, sent, stored, (value, was, name) => {
    const isJson = jsonFields.includes(name);
    if (!isJson || typeof value !== 'string' || typeof was !== 'string') return value === was;
    return isSameJson(value, was);
  });
}

export type SentAccount = Pick<
  ConnectedAccount,
  'role' | 'entityType' | 'email' | 'legalName' | 'displayName' | 'country' | 'locale'
> & { readonly taxId: string | null };

const accountFields: Fields<SentAccount> = {
  role: ({ role }) => role,
  entityType: ({ entityType }) => entityType,
  email: ({ email }) => (email === null ? null : emailKey(email)),
  legalName: ({ legalName }) => legalName,
  displayName: ({ displayName }) => displayName,
  country: ({ country }) => country,
  locale: ({ locale }) => locale,
  taxId: ({ taxId }) => taxId,
};

/** A submit may add what the create left out, so only fields in the body are compared. */
export function accountMismatch(sent: SentAccount, stored: SentAccount): readonly string[] {
  return differing(accountFields, sent, stored, (value, was) => value === null || value === was);
}

/** A MAC for each field of the body of an action. */
export type BodyMacs = Readonly<Record<string, string>>;

/** The fields of a repeated action that differ from those of the first one. */
export function changedFields(sent: BodyMacs, stored: BodyMacs): readonly string[] {
  const names = new Set([...Object.keys(sent), ...Object.keys(stored)]);
  return [...names].filter((name) => sent[name] !== stored[name]);
}

function differing<T>(
  fields: Fields<T>,
  sent: T,
  stored: T,
  isSame: (value: Value, was: Value, name: string) => boolean,
): readonly string[] {
  return Object.entries(fields)
    .filter(([name, read]) => !isSame(read(sent), read(stored), name))
    .map(([name]) => name);
}
