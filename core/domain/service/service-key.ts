// Keys that the service generates for itself and stores sealed in its database. Every host uses the
// same keys, and none can be derived from a secret key.
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto';

/**
 * `session` signs session tokens. `partner` makes idempotency keys for the settlement partner,
 * and the MACs by which repeated actions are compared. It is never rotated: under another key, a
 * retried request would count as a new one. `record` signs
 * bank details; its public keys are published, and earlier ones stay so. `address` seals the client
 * addresses of one month in the audit log, which nobody reads once it was removed.
 */
export const serviceKeyPurposes = ['session', 'partner', 'record', 'address'] as const;
export type ServiceKeyPurpose = (typeof serviceKeyPurposes)[number];

export const SERVICE_KEY_BYTES = 32;

export interface ServiceKey {
  readonly id: string;
  readonly purpose: ServiceKeyPurpose;
  readonly sealed: string;
  readonly createdAtMs: number;
  /** Null for the current key; there is at most one per purpose. */
  readonly expiresAtMs: number | null;
  readonly version: number;
}

export function isCurrentKey({ expiresAtMs }: ServiceKey): boolean {
  return expiresAtMs === null;
}

export function isValid({ expiresAtMs }: ServiceKey, nowMs: number): boolean {
  return expiresAtMs === null || nowMs < expiresAtMs;
}

/** Binds the sealed text to its row. */
export function serviceKeyPurpose({ id }: Pick<ServiceKey, 'id'>): string {
  return `service-key:${id}`;
}

export interface OpenedKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** A public key as JSON (RFC 8037). */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: typeof SIGNATURE_ALGORITHM;
}

export const SIGNATURE_ALGORITHM = 'EdDSA';
const RECORD_LABEL = 'ponte record';
const SEED_BYTES = 32;
/** The prefix of the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

const madeKeys = new WeakMap<Uint8Array, Map<string, KeyObject>>();

/** The Ed25519 key that these bytes give for one use, named by `label`. Making it costs most. */
export function ed25519Key({ bytes }: Pick<OpenedKey, 'bytes'>, label: string): KeyObject {
  const made = madeKeys.get(bytes) ?? new Map<string, KeyObject>();
  const key = made.get(label) ?? makeKey(bytes, label);
  madeKeys.set(bytes, made.set(label, key));
  return key;
}

function makeKey(bytes: Uint8Array, label: string): KeyObject {
  const seed = new Uint8Array(hkdfSync('sha256', bytes, '', label, SEED_BYTES));
  const der = Buffer.concat([pkcs8Head, seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** A JWS over the text, compact and detached: `<header>..<signature>`. */
export function signRecord(key: OpenedKey, record: string): string {
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const head = encode(JSON.stringify({ alg: SIGNATURE_ALGORITHM, kid: key.id }));
  const signed = Buffer.from(`${head}.${encode(record)}`);
  const signature = sign(null, signed, ed25519Key(key, RECORD_LABEL)).toString('base64url');
  return `${head}..${signature}`;
}

export function publicJwk(key: OpenedKey): PublicJwk {
  const { x = '' } = createPublicKey(ed25519Key(key, RECORD_LABEL)).export({ format: 'jwk' });
  const use = { use: 'sig', alg: SIGNATURE_ALGORITHM } as const;
  return { kty: 'OKP', crv: 'Ed25519', x, kid: key.id, ...use };
}
