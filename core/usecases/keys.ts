// API keys: who a request speaks for, and making, listing and revoking keys. The form and the
// check of a key are core/domain/api-key.ts; which scope a route needs is the route table's matter.

import {
  issueApiKey,
  mayUse,
  parseApiKey,
  SALT_BYTES,
  SECRET_BYTES,
  type StoredKey,
} from '../domain/api-key.js';
import { MINUTE_MS } from '../domain/instant.js';
import { hasUnstorableText } from '../domain/raw-json.js';
import { allows, isScope, type Scope, type ScopeRule, scopes, scopesIn } from '../domain/scope.js';
import { freeSlot } from '../domain/slot.js';
import type { Mode, Tenant } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { Store } from '../ports/storage.js';

/** Active keys of one organization and mode at most; a list has all of them, */
export const KEYS_MAX = 100;
/** and of the revoked ones so many, the newest. */
export const REVOKED_LISTED_MAX = 100;
export const NAME_LENGTH_MAX = 200;
/** `lastUsedAt` says when a key was last used to within this. */
const USE_RESOLUTION_MS = MINUTE_MS;

/** Whoever an API key speaks for. */
export interface KeyActor extends Tenant {
  readonly keyId: string;
  readonly scopes: readonly Scope[];
}

export interface CreateKeyInput {
  readonly orgId: string;
  readonly mode: Mode;
  readonly name: string;
  /** None means unrestricted. */
  readonly scopes: readonly string[];
}

/**
 * The actor of a request by its X-API-Key header. InvalidApiKeyFormat when it has not the form of a
 * key; InvalidApiKey for everything else that is wrong, and when there is none. The stored key is
 * read each time, so a revocation counts on the very next request.
 */
export async function authenticateKey(deps: Deps, header: string | undefined): Promise<KeyActor> {
  if (header === undefined || header === '') throw new PonteError('InvalidApiKey');
  const presented = parseApiKey(header);
  if (presented === null) throw new PonteError('InvalidApiKeyFormat');
  const stored = await deps.store.run((tx) => tx.keys.get(presented.keyId));
  if (mayUse(stored, presented) !== 'ok') throw new PonteError('InvalidApiKey');
  assert(stored !== null, 'a key that may be used is stored');
  noteUse(deps, stored);
  return { orgId: stored.orgId, mode: stored.mode, keyId: stored.id, scopes: stored.scopes };
}

/** InsufficientScope unless the credential, a key or a session, has one of the scopes asked for. */
export function requireScope(actor: Pick<KeyActor, 'scopes'>, rule: ScopeRule): void {
  const needed = scopesIn(rule);
  if (needed.length === 0 || needed.some((scope) => allows(actor.scopes, scope))) return;
  throw new PonteError(
    'InsufficientScope',
    `The credential lacks the scope ${needed.join(' or ')}. Use a key or a role that has it.`,
  );
}

/** A new key; `secret` is the whole pk_… text, told this once and never again. */
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

/** Every active key of both modes and the newest revoked ones, newest first. */
export async function listKeys(deps: Deps, orgId: string): Promise<readonly StoredKey[]> {
  return deps.store.run(async (tx) => {
    if ((await tx.organizations.get(orgId)) === null) throw new PonteError('NotFound');
    return tx.keys.list(orgId, REVOKED_LISTED_MAX);
  });
}

/** For ever, and from the next request on. Again on a revoked key it changes nothing. */
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

/**
 * Stores when keys were last used, as noted since the last call. Uses noted and not yet stored are
 * lost with the process: `lastUsedAt` tells whether a key is in use, it is no record of requests.
 */
export async function flushKeyUse(deps: Deps, _nowMs: number, limit: number): Promise<number> {
  const noted = usesOf(deps.store);
  const uses = [...noted].slice(0, limit);
  if (uses.length === 0) return 0;
  // In one order, so that hosts that store the uses of the same keys never wait for each other.
  const inOrder = uses.toSorted(([a], [b]) => (a < b ? -1 : 1));
  await deps.store.run(
    async (tx) => {
      for (const [keyId, usedAtMs] of inOrder) tx.keys.touch(keyId, usedAtMs);
    },
    { inQuarantine: true },
  );
  for (const [keyId, usedAtMs] of uses) {
    if (noted.get(keyId) === usedAtMs) noted.delete(keyId);
  }
  return uses.length;
}

/** Uses not yet stored, by the store they belong to: in memory, off the request's way. */
const usesByStore = new WeakMap<Store, Map<string, number>>();

function usesOf(store: Store): Map<string, number> {
  const uses = usesByStore.get(store) ?? new Map<string, number>();
  usesByStore.set(store, uses);
  return uses;
}

function noteUse(deps: Deps, key: StoredKey): void {
  const nowMs = deps.clock.nowMs();
  const uses = usesOf(deps.store);
  if (uses.has(key.id)) return;
  if (key.lastUsedAtMs !== null && nowMs < key.lastUsedAtMs + USE_RESOLUTION_MS) return;
  uses.set(key.id, nowMs);
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
