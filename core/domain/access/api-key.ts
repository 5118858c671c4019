// API keys: pk_<mode>_<id>.<secret>, where <id> is the id of the stored key ('key_…'). A secret is
// 256 random bits, so one salted SHA-256 cannot be searched; a slow hash would only limit the
// request rate of a host.
import { hash, timingSafeEqual } from 'node:crypto';
import { assert } from '../../errors.js';
import type { Mode } from '../base/tenant.js';
import type { Scope } from './scope.js';

const keyForm = /^pk_(test|live)_([^.\s]+)\.(\S+)$/;
const hexForm = /^(?:[0-9a-f]{2})+$/;

export const SECRET_BYTES = 32;
export const SALT_BYTES = 16;

export interface ApiKey {
  readonly mode: Mode;
  readonly keyId: string;
  readonly secret: string;
}

/** Both in lower-case hex. */
interface ApiKeyHash {
  readonly salt: string;
  readonly secretHash: string;
}

export interface ApiKeyFacts extends ApiKeyHash {
  readonly mode: Mode;
  readonly revokedAtMs: number | null;
}

interface IssuedApiKey extends ApiKeyHash {
  /** The whole pk_… text; shown once, never stored. */
  readonly text: string;
  readonly keyPrefix: string;
}

/** Returns null for another form. */
export function parseApiKey(text: string): ApiKey | null {
  const match = keyForm.exec(text);
  if (match === null) return null;
  const [, mode, keyId, secret] = match;
  assert(mode !== undefined && keyId !== undefined && secret !== undefined, 'all groups match');
  return { mode: mode === 'live' ? 'live' : 'test', keyId, secret };
}

export function formatApiKey(key: ApiKey): string {
  return `${keyPrefix(key.mode, key.keyId)}.${key.secret}`;
}

/** The public part of a key; may be shown and logged. */
export function keyPrefix(mode: Mode, keyId: string): string {
  return `pk_${mode}_${keyId}`;
}

export function issueApiKey(input: {
  readonly mode: Mode;
  readonly keyId: string;
  readonly secretBytes: Uint8Array;
  readonly saltBytes: Uint8Array;
}): IssuedApiKey {
  assert(input.secretBytes.length === SECRET_BYTES, `a secret has ${SECRET_BYTES} random bytes`);
  assert(input.saltBytes.length === SALT_BYTES, `a salt has ${SALT_BYTES} random bytes`);
  const secret = Buffer.from(input.secretBytes).toString('base64url');
  const salt = Buffer.from(input.saltBytes).toString('hex');
  const text = formatApiKey({ mode: input.mode, keyId: input.keyId, secret });
  assert(parseApiKey(text)?.keyId === input.keyId, 'a key id has no dot and no blank');
  const prefix = keyPrefix(input.mode, input.keyId);
  return { text, keyPrefix: prefix, salt, secretHash: hashSecret(salt, secret) };
}

/** SHA-256 over the salt's bytes and the secret's UTF-8 text, in hex. */
export function hashSecret(salt: string, secret: string): string {
  assert(hexForm.test(salt), 'a salt is lower-case hex');
  return hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(secret)]), 'hex');
}

/**
 * Whether the presented key is the stored one (null: unknown id) and may be used. Every refusal has
 * the same answer and takes the same work.
 */
export function mayUse(stored: ApiKeyFacts | null, presented: ApiKey): 'ok' | 'InvalidApiKey' {
  const facts = stored ?? unknownKey;
  const given = Buffer.from(hashSecret(facts.salt, presented.secret));
  const expected = Buffer.from(facts.secretHash);
  assert(expected.length === given.length, 'a stored secret hash is a SHA-256 in hex');
  const sameSecret = timingSafeEqual(given, expected);
  const sameMode = facts.mode === presented.mode;
  const active = stored !== null && facts.revokedAtMs === null;
  return sameSecret && sameMode && active ? 'ok' : 'InvalidApiKey';
}

/** Checked in place of a missing key, so that both take the same time. */
const unknownKey: ApiKeyFacts = {
  mode: 'test',
  salt: '00'.repeat(SALT_BYTES),
  secretHash: '00'.repeat(32),
  revokedAtMs: 0,
};

/** What `createdBy` says of an operator, which has no id. */
export const OPERATOR = 'operator';

export interface StoredKey extends ApiKeyFacts {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  /** The id of the member who created it, or OPERATOR; null: not recorded. */
  readonly createdBy: string | null;
  readonly scopes: readonly Scope[];
  readonly lastUsedAtMs: number | null;
  /** Occupied until the key is revoked (slot.ts); null: the key counts for no limit. */
  readonly slot: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

/**
 * The member who answers for what the key creates, and so cannot approve it; null: an operator, or
 * not recorded. In test mode one person may create and approve.
 */
export function accountableMember(key: Pick<StoredKey, 'mode' | 'createdBy'>): string | null {
  return key.mode === 'test' || key.createdBy === OPERATOR ? null : key.createdBy;
}
