// API keys: pk_<mode>_<id>.<secret>, where <id> is the id of the stored key ('key_…'). A secret is
// 256 random bits, so one salted SHA-256 cannot be searched; a slow hash would only limit the
// request rate of a host. A checksum ends it: a mistyped key is refused without a look-up, and a
// scanner of sources recognizes one.
import { hash, timingSafeEqual } from 'node:crypto';
import { assert } from '../../errors.js';
import { DAY_MS } from '../base/instant.js';
import type { Mode } from '../base/tenant.js';
import { type MemberRole, scopesOf } from './member.js';
import { allows, keyScopes, type Scope } from './scope.js';

const keyForm = /^pk_(test|live)_([^.\s]+)\.(\S+)$/;
const hexForm = /^(?:[0-9a-f]{2})+$/;

export const SECRET_BYTES = 32;
export const SALT_BYTES = 16;
/** Characters of the random part of a secret. */
const RANDOM_LENGTH = 43;
/** 36 bits. Keys from before it end with the random part. */
const CHECKSUM_LENGTH = 6;
/** `key report` names a key that was not used, and scopes that were never used, after this time. */
export const KEY_REPORT_MS = 90 * DAY_MS;

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
  /** Ends the key at every host at once: the clocks of hosts differ. */
  readonly revokedAtMs: number | null;
  /** For a key that was rolled, the end of the overlap at the latest. */
  readonly expiresAtMs: number | null;
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

/** What is stored of a key whose secret is out, and which opens nothing before. */
export interface KeyToIssue {
  readonly keyId: string;
  readonly salt: string;
  readonly secretHash: string;
}

/** `text` is the whole pk_… text: shown once, never stored. */
export function issueApiKey(input: {
  readonly mode: Mode;
  readonly keyId: string;
  readonly secretBytes: Uint8Array;
  readonly saltBytes: Uint8Array;
}) {
  assert(input.secretBytes.length === SECRET_BYTES, `a secret has ${SECRET_BYTES} random bytes`);
  assert(input.saltBytes.length === SALT_BYTES, `a salt has ${SALT_BYTES} random bytes`);
  const random = Buffer.from(input.secretBytes).toString('base64url');
  const { mode, keyId } = input;
  const secret = `${random}${checksumOf({ mode, keyId, secret: random })}`;
  const salt = Buffer.from(input.saltBytes).toString('hex');
  const text = formatApiKey({ mode, keyId, secret });
  assert(parseApiKey(text)?.keyId === keyId, 'a key id has no dot and no blank');
  const secretHash = hashSecret(salt, secret);
  return { text, keyPrefix: keyPrefix(mode, keyId), salt, secretHash };
}

/** Whether the text may have been issued: its checksum is right. */
export function isIntact({ secret, ...key }: ApiKey): boolean {
  const random = secret.slice(0, -CHECKSUM_LENGTH);
  return (
    random.length === RANDOM_LENGTH &&
    secret === `${random}${checksumOf({ ...key, secret: random })}`
  );
}

/** The checksum of everything before it: a mistyped id is found, too. */
function checksumOf(key: ApiKey): string {
  return hash('sha256', formatApiKey(key), 'base64url').slice(0, CHECKSUM_LENGTH);
}

/** SHA-256 over the salt's bytes and the secret's UTF-8 text, in hex. */
export function hashSecret(salt: string, secret: string): string {
  assert(hexForm.test(salt), 'a salt is lower-case hex');
  return hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(secret)]), 'hex');
}

/**
 * Whether the presented key is the stored one (null: unknown id) and may be used. Every refusal has
 * the same answer and takes the same work here; the look-up before it may be answered from memory.
 * `ended`: the key was right, and may be used no more.
 */
export function mayUse(
  stored: ApiKeyFacts | null,
  presented: ApiKey,
  nowMs: number,
): 'ok' | 'ended' | 'InvalidApiKey' {
  const facts = stored ?? unknownKey;
  const given = Buffer.from(hashSecret(facts.salt, presented.secret));
  const expected = Buffer.from(facts.secretHash);
  assert(expected.length === given.length, 'a stored secret hash is a SHA-256 in hex');
  const sameSecret = timingSafeEqual(given, expected);
  const sameMode = facts.mode === presented.mode;
  const active = stored !== null && isActiveKey(facts, nowMs);
  if (!sameSecret || !sameMode || stored === null) return 'InvalidApiKey';
  return active ? 'ok' : 'ended';
}

export function isActiveKey(
  { revokedAtMs, expiresAtMs }: Pick<ApiKeyFacts, 'revokedAtMs' | 'expiresAtMs'>,
  nowMs: number,
): boolean {
  return revokedAtMs === null && nowMs < (expiresAtMs ?? Infinity);
}

/** Checked in place of a missing key, so that both take the same time. */
const unknownKey: ApiKeyFacts = {
  mode: 'test',
  salt: '00'.repeat(SALT_BYTES),
  secretHash: '00'.repeat(32),
  revokedAtMs: 0,
  expiresAtMs: null,
};

export interface StoredKey extends ApiKeyFacts {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  /** The id of the member or the operator who created it; null: not recorded. */
  readonly createdBy: string | null;
  /**
   * The owner who kept it when its creator was removed, or whose key an operator rolled; it ends
   * with the owner's removal.
   */
  readonly keptBy: string | null;
  readonly scopes: readonly Scope[];
  /** Scopes that were part of another one when the key was created; it keeps them. */
  readonly keptScopes: readonly Scope[];
  /** Networks (CIDR) from which it may be used; empty: from everywhere. */
  readonly networks: readonly string[];
  readonly lastUsedAtMs: number | null;
  /** Scopes that its requests needed. */
  readonly usedScopes: readonly Scope[];
  /** Another key has taken its place and its slot. */
  readonly rolledAtMs: number | null;
  /** Occupied until the key is revoked (slot.ts); null: the key counts for no limit. */
  readonly slot: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

/** Empty: unrestricted. */
export function grantedScopes({
  scopes,
  keptScopes,
}: Pick<StoredKey, 'scopes' | 'keptScopes'>): readonly Scope[] {
  return scopes.length === 0 ? scopes : [...new Set([...scopes, ...keptScopes])];
}

/** Whether the key may do something that this role may not. */
export function exceeds(key: Pick<StoredKey, 'scopes' | 'keptScopes'>, role: MemberRole): boolean {
  const held = scopesOf(role);
  const granted = grantedScopes(key);
  return (granted.length === 0 ? keyScopes : granted).some((scope) => !held.includes(scope));
}

export function isMemberId(id: string | null): id is string {
  return id?.startsWith('mem_') === true;
}

export function isKeyId(id: string): boolean {
  return id.startsWith('key_');
}

/** The operator who made the key, and so had its secret; null: a member, or not recorded. */
export function keyOperator({ createdBy }: Pick<StoredKey, 'createdBy'>): string | null {
  return createdBy?.startsWith('opr_') ? createdBy : null;
}

/** Whose the key is that takes the place of this one. An operator's roll leaves it its owner. */
export function rolledBy(
  was: Pick<StoredKey, 'createdBy' | 'keptBy'>,
  createdBy: string,
): Pick<StoredKey, 'createdBy' | 'keptBy'> {
  const owner = keyOwner(was);
  return { createdBy, keptBy: isMemberId(createdBy) || !isMemberId(owner) ? null : owner };
}

/** The key ends with the removal of this member. */
export function keyOwner({ createdBy, keptBy }: Pick<StoredKey, 'createdBy' | 'keptBy'>) {
  return keptBy ?? createdBy;
}

/** What a key does not need: the key itself, or scopes that were never used. */
export function unneeded(
  key: StoredKey,
  nowMs: number,
): { readonly isIdle: boolean; readonly scopes: readonly Scope[] } {
  const isOld = nowMs >= key.createdAtMs + KEY_REPORT_MS;
  const isIdle = isOld && nowMs >= (key.lastUsedAtMs ?? 0) + KEY_REPORT_MS;
  const unused = keyScopes.filter(
    (scope) => allows(grantedScopes(key), scope) && !key.usedScopes.includes(scope),
  );
  return { isIdle, scopes: isOld && !isIdle ? unused : [] };
}

/**
 * The member who answers for what the key creates, and so cannot approve it; null: an operator, or
 * not recorded. In test mode one person may create and approve.
 */
export function accountableMember(
  key: Pick<StoredKey, 'mode' | 'createdBy' | 'keptBy'>,
): string | null {
  const owner = keyOwner(key);
  return key.mode === 'live' && isMemberId(owner) ? owner : null;
}

/** The same of what a member creates itself. */
export function accountableCreator(mode: Mode, memberId: string): string | null {
  return accountableMember({ mode, createdBy: memberId, keptBy: null });
}
