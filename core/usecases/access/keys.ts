// API keys: authenticates requests; creates, lists and revokes keys.
import { timingSafeEqual } from 'node:crypto';
import {
  accountableMember,
  issueApiKey,
  mayUse,
  parseApiKey,
  SALT_BYTES,
  SECRET_BYTES,
  type StoredKey,
} from '../../domain/access/api-key.js';
import {
  allows,
  isScope,
  type Scope,
  type ScopeRule,
  scopes,
  scopesIn,
} from '../../domain/access/scope.js';
import { MINUTE_MS } from '../../domain/base/instant.js';
import { hasUnstorableText } from '../../domain/base/raw-json.js';
import { freeSlot } from '../../domain/base/slot.js';
import type { Mode, Tenant } from '../../domain/base/tenant.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';

/** Active keys of one organization and mode. A list contains all of them. */
export const KEYS_MAX = 100;
/** A list contains this many of the latest revoked keys. */
export const REVOKED_LISTED_MAX = 100;
export const NAME_LENGTH_MAX = 200;
/** The precision of `lastUsedAt`. */
const USE_RESOLUTION_MS = MINUTE_MS;

export interface KeyActor extends Tenant {
  readonly keyId: string;
  /** `accountableMember` of the key. */
  readonly createdByMemberId: string | null;
  readonly scopes: readonly Scope[];
}

interface CreateKeyInput {
  readonly orgId: string;
  readonly mode: Mode;
  /** The id of a member, or OPERATOR. */
  readonly createdBy: string;
  readonly name: string;
  /** Empty means unrestricted. */
  readonly scopes: readonly string[];
}

/**
 * The actor of an X-API-Key header. InvalidApiKeyFormat for another form, else InvalidApiKey. The
 * stored key is read each time, so a revocation takes effect on the next request.
 */
export async function authenticateKey(deps: Deps, header: string | undefined): Promise<KeyActor> {
  if (header === undefined || header === '') throw new PonteError('InvalidApiKey');
  const presented = parseApiKey(header);
  if (presented === null) throw new PonteError('InvalidApiKeyFormat');
  const stored = await deps.store.run((tx) => tx.keys.get(presented.keyId));
  if (!isVerified(stored, header)) {
    if (mayUse(stored, presented) !== 'ok') throw new PonteError('InvalidApiKey');
    assert(stored !== null, 'a key that may be used is stored');
    verified.set(stored, Buffer.from(header));
  }
  noteUse(deps, stored);
  const { orgId, mode, id: keyId, scopes } = stored;
  return { orgId, mode, keyId, createdByMemberId: accountableMember(stored), scopes };
}

/** Headers that were right, by the stored key: the store may give the same object again. */
const verified = new WeakMap<StoredKey, Buffer>();

function isVerified(stored: StoredKey | null, header: string): stored is StoredKey {
  const known = stored === null ? undefined : verified.get(stored);
  const given = Buffer.from(header);
  return known?.length === given.length && timingSafeEqual(known, given);
}

/** InsufficientScope unless the credential has one of the required scopes. */
export function requireScope(actor: Pick<KeyActor, 'scopes'>, rule: ScopeRule): void {
  const needed = scopesIn(rule);
  if (needed.length === 0 || needed.some((scope) => allows(actor.scopes, scope))) return;
  throw new PonteError(
    'InsufficientScope',
    `The credential lacks the scope ${needed.join(' or ')}. Use a key or a role that has it.`,
  );
}

/** `secret` is the whole pk_… text, returned only here. */
export async function createKey(
  deps: Deps,
  input: CreateKeyInput,
): Promise<{ readonly key: StoredKey; readonly secret: string }> {
  const name = checkedName(input.name);
  const granted = checkedScopes(input.scopes);
  const nowMs = deps.clock.nowMs();
  const keyId = deps.ids.next('key', nowMs);
  const issued = issueApiKey({
    mode: input.mode,
    keyId,
    secretBytes: deps.ids.randomBytes(SECRET_BYTES),
    saltBytes: deps.ids.randomBytes(SALT_BYTES),
  });
  const made = {
    id: keyId,
    orgId: input.orgId,
    mode: input.mode,
    name,
    createdBy: input.createdBy,
    scopes: granted,
    salt: issued.salt,
    secretHash: issued.secretHash,
    lastUsedAtMs: null,
    revokedAtMs: null,
    createdAtMs: nowMs,
    version: 1,
  } as const;
  const key = await deps.store.run(async (tx) => {
    const [organization, taken] = await Promise.all([
      tx.organizations.get(input.orgId),
      tx.keys.slots(input),
    ]);
    if (organization === null) throw new PonteError('NotFound');
    const full = `There are ${KEYS_MAX} active ${input.mode} keys already. Revoke an unused key.`;
    const slot = freeSlot(taken, KEYS_MAX, deps.ids.randomBytes(1), full);
    const free: StoredKey = Object.freeze({ ...made, slot });
    tx.keys.insert(free);
    return free;
  });
  return { key, secret: issued.text };
}

/** Every active key of both modes and the latest revoked ones, newest first. */
export async function listKeys(deps: Deps, orgId: string): Promise<readonly StoredKey[]> {
  return deps.store.run(async (tx) => {
    if ((await tx.organizations.get(orgId)) === null) throw new PonteError('NotFound');
    return tx.keys.list(orgId, REVOKED_LISTED_MAX);
  });
}

/** Final. A repeat changes nothing. */
export async function revokeKey(
  deps: Deps,
  orgId: string | null,
  keyId: string,
): Promise<StoredKey> {
  const nowMs = deps.clock.nowMs();
  return deps.store.run(
    async (tx) => {
      const key = await tx.keys.get(keyId);
      if (key === null || (orgId !== null && key.orgId !== orgId)) throw new PonteError('NotFound');
      if (key.revokedAtMs !== null) return key;
      const revoked = Object.freeze({ ...key, revokedAtMs: nowMs });
      tx.keys.update(revoked);
      return revoked;
    },
    { inQuarantine: true },
  );
}

/** Stores the uses of keys since the last call. A crash loses them, which `lastUsedAt` allows. */
export async function flushKeyUse(deps: Deps, _nowMs: number, limit: number): Promise<number> {
  const uses = [...deps.keyUses].slice(0, limit);
  if (uses.length === 0) return 0;
  // In one order, so that hosts that write the same keys do not deadlock.
  const inOrder = uses.toSorted(([a], [b]) => (a < b ? -1 : 1));
  await deps.store.run(
    async (tx) => {
      for (const [keyId, usedAtMs] of inOrder) tx.keys.touch(keyId, usedAtMs);
    },
    { inQuarantine: true },
  );
  for (const [keyId, usedAtMs] of uses) {
    if (deps.keyUses.get(keyId) === usedAtMs) deps.keyUses.delete(keyId);
  }
  return uses.length;
}

function noteUse({ clock, keyUses }: Deps, key: StoredKey): void {
  const nowMs = clock.nowMs();
  if (keyUses.has(key.id)) return;
  if (key.lastUsedAtMs !== null && nowMs < key.lastUsedAtMs + USE_RESOLUTION_MS) return;
  keyUses.set(key.id, nowMs);
}

function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > NAME_LENGTH_MAX || hasUnstorableText(trimmed)) {
    throw new PonteError(
      'ValidationError',
      `name: give 1 to ${NAME_LENGTH_MAX} characters of text.`,
    );
  }
  return trimmed;
}

function checkedScopes(names: readonly string[]): readonly Scope[] {
  const unknown = names.filter((name) => !isScope(name));
  if (unknown.length > 0) {
    throw new PonteError(
      'ValidationError',
      `scopes: there is no ${unknown.join(', ')}; there are ${Object.keys(scopes).join(', ')}.`,
    );
  }
  return Object.freeze([...new Set(names.filter(isScope))]);
}
