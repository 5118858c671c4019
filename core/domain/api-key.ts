// API keys: their form on the wire, what is stored of them, and whether a presented key is a stored
// one. It makes no random bits (they come in) and reads no database.
//
// The wire form is pk_<mode>_<id>.<secret>; <id> is the id of the stored key ('key_…'). A secret is
// 256 uniform random bits, so one salted SHA-256 cannot be searched, and a slow hash would only
// limit how many requests a host can serve.
import { hash, timingSafeEqual } from 'node:crypto';
import { assert } from '../errors.js';
import type { Scope } from './scope.js';
import type { Mode } from './tenant.js';

const keyForm = /^pk_(test|live)_([^.\s]+)\.(\S+)$/;
const hexForm = /^(?:[0-9a-f]{2})+$/;

export const SECRET_BYTES = 32;
export const SALT_BYTES = 16;

/** A key as a client presents it. */
export interface ApiKey {
  readonly mode: Mode;
  readonly keyId: string;
  readonly secret: string;
}

/** What is stored of a key to recognise it: both in lower-case hex. */
export interface ApiKeyHash {
  readonly salt: string;
  readonly secretHash: string;
}

/** What a stored key must tell for the decision whether it may be used. */
export interface ApiKeyFacts extends ApiKeyHash {
  readonly mode: Mode;
  readonly revokedAtMs: number | null;
}

export interface IssuedApiKey extends ApiKeyHash {
  /** The whole pk_… text: shown once, never stored. */
  readonly text: string;
  readonly keyPrefix: string;
}

/** The parts of a key of the right form; null is the interface's InvalidApiKeyFormat. */
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

/** The public half of a key, safe to show and to log. */
export function keyPrefix(mode: Mode, keyId: string): string {
  return `pk_${mode}_${keyId}`;
}

/** A new key from random bits: SECRET_BYTES for the secret, SALT_BYTES for the salt. */
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
  assert(parseApiKey(text)?.keyId === input.keyId, 'a key id has no point and no blank');
  const prefix = keyPrefix(input.mode, input.keyId);
  return { text, keyPrefix: prefix, salt, secretHash: hashSecret(salt, secret) };
}

/** SHA-256 over the salt's bytes and the secret's UTF-8 text, in hex. The salt is given in hex. */
export function hashSecret(salt: string, secret: string): string {
  assert(hexForm.test(salt), 'a salt is lower-case hex');
  return hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(secret)]), 'hex');
}

/**
 * Whether the presented key is the stored one (null: its id is unknown) and may be used. Unknown,
 * wrong secret, prefix of the other mode and revoked are one answer, found by the same work.
 */
export function mayUse(stored: ApiKeyFacts | null, presented: ApiKey): 'ok' | 'InvalidApiKey' {
  const facts = stored ?? nobody;
  const given = Buffer.from(hashSecret(facts.salt, presented.secret));
  const expected = Buffer.from(facts.secretHash);
  assert(expected.length === given.length, 'a stored secret hash is a SHA-256 in hex');
  const sameSecret = timingSafeEqual(given, expected);
  const sameMode = facts.mode === presented.mode;
  const active = stored !== null && facts.revokedAtMs === null;
  return sameSecret && sameMode && active ? 'ok' : 'InvalidApiKey';
}

/** Stands in for a key that is not there, so that looking for one costs what checking one does. */
const nobody: ApiKeyFacts = {
  mode: 'test',
  salt: '00'.repeat(SALT_BYTES),
  secretHash: '00'.repeat(32),
  revokedAtMs: 0,
};

export interface StoredKey {
  readonly id: string;
  readonly orgId: string;
  readonly mode: Mode;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly salt: string;
  readonly secretHash: string;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Taken until it is revoked, see slot.ts; null of one that an earlier version created. */
  readonly slot: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}
