// API keys: authenticates requests; creates, rolls, lists and revokes keys.
import { timingSafeEqual } from 'node:crypto';
import {
  accountableMember,
  exceeds,
  grantedScopes,
  isActiveKey,
  isIntact,
  isMemberId,
  issueApiKey,
  type KeyToIssue,
  keyOperator,
  keyOwner,
  mayUse,
  parseApiKey,
  rolledBy,
  SALT_BYTES,
  SECRET_BYTES,
  type StoredKey,
  unneeded,
} from '../../domain/access/api-key.js';
import { isActiveMember, type Member } from '../../domain/access/member.js';
import {
  allows,
  isScope,
  type Scope,
  type ScopeRule,
  scopes,
  scopesIn,
} from '../../domain/access/scope.js';
import { checkedText } from '../../domain/base/checked-text.js';
import { HOUR_MS, MINUTE_MS } from '../../domain/base/instant.js';
import { freeSlot } from '../../domain/base/slot.js';
import type { Mode, Tenant } from '../../domain/base/tenant.js';
import { assert, expectFound, invalid, PonteError, type RefusedKey } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { stageKeyNotices } from '../mail/member-notices.js';
import type { Batch } from '../service/batch.js';

/** Active keys of one organization and mode. A list contains all of them. */
export const KEYS_MAX = 100;
/** A list contains this many of the latest revoked keys. */
export const REVOKED_LISTED_MAX = 100;
export const NAME_LENGTH_MAX = 200;
export const NETWORKS_MAX = 20;
/** How long a rolled key stays valid at most, and by default, in hours. */
export const OVERLAP_HOURS_MAX = 168;
export const OVERLAP_HOURS = 24;
/** The precision of `lastUsedAt`. */
const USE_RESOLUTION_MS = MINUTE_MS;

export interface KeyActor extends Tenant {
  readonly keyId: string;
  /** `accountableMember` of the key. */
  readonly createdByMemberId: string | null;
  /** `keyOperator` of the key. */
  readonly operatorId: string | null;
  readonly scopes: readonly Scope[];
  readonly usedScopes: readonly Scope[];
}

/** Whether the request comes from one of these networks. */
export type ComesFrom = (networks: readonly string[]) => boolean;

interface CreateKeyInput {
  readonly orgId: string;
  readonly mode: Mode;
  /** The id of a member or an operator. */
  readonly createdBy: string;
  readonly name: string;
  /** Empty means unrestricted. */
  readonly scopes: readonly string[];
  /** Null: it does not expire. */
  readonly expiresAtMs: number | null;
  /** IP addresses or CIDR networks, which the caller has checked; empty: all. */
  readonly networks: readonly string[];
}

/** A key without limits: all scopes, all networks, no expiry. */
export const unlimitedKey = { scopes: [], expiresAtMs: null, networks: [] } as const;

export interface IssuedKey {
  readonly key: StoredKey;
  /** The whole pk_… text, returned only here. */
  readonly secret: string;
}

type GrantedKey = Pick<StoredKey, 'orgId' | 'mode' | 'name' | 'scopes' | 'keptScopes'> &
  Pick<StoredKey, 'expiresAtMs' | 'networks' | 'createdBy' | 'keptBy'>;

export interface NewKey {
  readonly made: Omit<StoredKey, 'slot'>;
  readonly secret: string;
}

/**
 * The actor of an X-API-Key header. InvalidApiKeyFormat for another form, else InvalidApiKey. The
 * stored key is read each time, so a revocation takes effect on the next request.
 */
export async function authenticateKey(
  deps: Deps,
  header: string | undefined,
  comesFrom: ComesFrom = () => false,
): Promise<KeyActor> {
  if (header === undefined || header === '') throw new PonteError('InvalidApiKey');
  const presented = parseApiKey(header);
  if (presented === null) throw new PonteError('InvalidApiKeyFormat');
  if (!isIntact(presented)) throw new PonteError('InvalidApiKey');
  const stored = await deps.store.run((tx) => tx.keys.get(presented.keyId));
  const nowMs = deps.clock.nowMs();
  if (!isVerified(stored, header) || !isActiveKey(stored, nowMs)) {
    const use = mayUse(stored, presented, nowMs);
    // Who was refused, for the request log: only the holder of the key has its secret.
    const ofKey = use === 'ended' && stored !== null ? nameOfKey(stored) : null;
    if (use !== 'ok') throw new PonteError('InvalidApiKey', undefined, { ofKey });
    assert(stored !== null, 'a key that may be used is stored');
    verified.set(stored, Buffer.from(header));
  }
  return actorOf(deps, stored, comesFrom);
}

/** The same from cached rows, of a header that was right before; null: authenticate it. */
export function keptKeyActor(deps: Deps, header: string, comesFrom: ComesFrom): KeyActor | null {
  const presented = parseApiKey(header);
  const stored = presented === null ? null : deps.store.kept.key(presented.keyId);
  if (!isVerified(stored, header) || !isActiveKey(stored, deps.clock.nowMs())) return null;
  return actorOf(deps, stored, comesFrom);
}

function actorOf(deps: Deps, stored: StoredKey, comesFrom: ComesFrom): KeyActor {
  const { orgId, mode, id: keyId, usedScopes, networks } = stored;
  if (networks.length > 0 && !comesFrom(networks)) {
    const message = 'The API key may not be used from this address.';
    throw new PonteError('InvalidApiKey', message, { ofKey: nameOfKey(stored) });
  }
  noteUse(deps, stored);
  const [createdByMemberId, operatorId] = [accountableMember(stored), keyOperator(stored)];
  const scopes = grantedScopes(stored);
  return { orgId, mode, keyId, createdByMemberId, operatorId, scopes, usedScopes };
}

function nameOfKey({ id, orgId, mode }: StoredKey): RefusedKey {
  return { id, orgId, mode };
}

/** Headers that were right, by the stored key: the store may give the same object again. */
const verified = new WeakMap<StoredKey, Buffer>();

function isVerified(stored: StoredKey | null, header: string): stored is StoredKey {
  const known = stored === null ? undefined : verified.get(stored);
  if (known === undefined) return false;
  const given = Buffer.from(header);
  return known.length === given.length && timingSafeEqual(known, given);
}

/** The scopes that let the credential in, none if none is needed. InsufficientScope. */
export function requireScope(actor: Pick<KeyActor, 'scopes'>, rule: ScopeRule): readonly Scope[] {
  const needed = scopesIn(rule);
  const used = needed.filter((scope) => allows(actor.scopes, scope));
  if (used.length > 0 || needed.length === 0) return used;
  throw new PonteError(
    'InsufficientScope',
    `The credential lacks the scope ${needed.join(' or ')}. Use a key or a role that has it.`,
  );
}

/** IdempotencyKeyConflict if `newId`, the id that the key gets, is taken. */
export async function createKey(
  deps: Deps,
  input: CreateKeyInput,
  newId: string | null = null,
): Promise<IssuedKey> {
  const { orgId } = input;
  const { made, secret } = newKey(deps, input, newId);
  await revokeExpired(deps, orgId);
  const key = await deps.store.run(async (tx) => {
    if (newId !== null && (await tx.keys.get(newId)) !== null) {
      throw new PonteError('IdempotencyKeyConflict', 'This API key was created before.');
    }
    return stageNewKey({ deps, tx, nowMs: deps.clock.nowMs() }, made);
  });
  deps.wake('mails');
  return { key, secret };
}

/** A key that is not stored yet, and its secret. ValidationError. */
export function newKey(
  deps: Pick<Deps, 'ids' | 'clock'>,
  input: CreateKeyInput,
  newId: string | null = null,
): NewKey {
  const { orgId, mode, createdBy, expiresAtMs, networks } = input;
  const granted = {
    name: checkedText('name', input.name, NAME_LENGTH_MAX),
    scopes: checkedScopes(input.scopes),
  };
  if (networks.length > NETWORKS_MAX) throw invalid(`networks: give at most ${NETWORKS_MAX}.`);
  const nowMs = deps.clock.nowMs();
  if (expiresAtMs !== null && expiresAtMs <= nowMs) {
    throw invalid('expiresAt: send a time in the future.');
  }
  const given = { ...granted, keptScopes: [], orgId, mode, createdBy, keptBy: null };
  return issue(deps, { ...given, expiresAtMs, networks }, newId);
}

/** NotFound; ValidationError if there are too many keys. */
export async function stageNewKey(batch: Batch, made: Omit<StoredKey, 'slot'>): Promise<StoredKey> {
  const { deps, tx } = batch;
  const { orgId, mode } = made;
  expectFound(await tx.organizations.get(orgId));
  const [taken, members] = await Promise.all([tx.keys.slots(made), tx.members.list(orgId)]);
  await expectOwner(tx, made);
  const full = `There are ${KEYS_MAX} active ${mode} keys already. Revoke an unused key.`;
  const slot = freeSlot(taken, KEYS_MAX, deps.ids.randomBytes(1), full);
  return stageKey(batch, { ...made, slot }, members);
}

/**
 * Another key like this one, which itself stays valid for the overlap, until `endsAtMs`. If it
 * expires, the other one lives as long as it did. It belongs to the member who rolls it; if an
 * operator does, to the owner of this one. ValidationError for a key that is revoked, rolled or
 * expired.
 */
export async function rollKey(
  deps: Deps,
  orgId: string | null,
  keyId: string,
  { createdBy, overlapHours }: { readonly createdBy: string; readonly overlapHours: number },
) {
  expectOverlap(overlapHours);
  const known = await deps.store.run((tx) => ownKey(tx, orgId, keyId));
  await revokeExpired(deps, known.orgId);
  const rolled = await deps.store.run(async (tx) => {
    const batch = { deps, tx, nowMs: deps.clock.nowMs() };
    const was = await ownKey(tx, orgId, keyId);
    const { made, secret } = issue(deps, {
      ...was,
      ...rolledBy(was, createdBy),
      expiresAtMs: lifeOfNext(was, batch.nowMs),
    });
    const [key, endsAtMs] = await stageRoll(batch, was, made, overlapHours);
    return { key, secret, endsAtMs };
  });
  deps.wake('mails');
  return rolled;
}

/** ValidationError. */
export function expectOverlap(hours: number): void {
  if (Number.isInteger(hours) && hours >= 0 && hours <= OVERLAP_HOURS_MAX) return;
  throw invalid(`overlapHours: give 0 to ${OVERLAP_HOURS_MAX}.`);
}

/**
 * When the key ends that replaces this one; null: never. ValidationError if this one is revoked,
 * rolled or expired.
 */
export function lifeOfNext(was: StoredKey, nowMs: number): number | null {
  if (was.rolledAtMs !== null || !isActiveKey(was, nowMs)) {
    throw invalid('The key is revoked, rolled or expired. Create another one.');
  }
  const { expiresAtMs, createdAtMs } = was;
  return expiresAtMs === null ? null : nowMs + expiresAtMs - createdAtMs;
}

/** Returns the new key, and when the old one ends. */
export async function stageRoll(
  batch: Batch,
  was: StoredKey,
  made: Omit<StoredKey, 'slot'>,
  overlapHours: number,
): Promise<readonly [StoredKey, number]> {
  const { tx, nowMs } = batch;
  const members = await tx.members.list(was.orgId);
  await expectOwner(tx, made);
  const ended =
    overlapHours === 0
      ? { revokedAtMs: nowMs }
      : { expiresAtMs: Math.min(was.expiresAtMs ?? Infinity, nowMs + overlapHours * HOUR_MS) };
  const former = Object.freeze({ ...was, ...ended, rolledAtMs: nowMs, slot: null });
  tx.keys.update(former);
  const key = stageKey(batch, { ...made, slot: was.slot }, members);
  return [key, overlapHours === 0 ? nowMs : (former.expiresAtMs ?? nowMs)];
}

function issue(
  deps: Pick<Deps, 'ids' | 'clock'>,
  granted: GrantedKey,
  newId: string | null = null,
): NewKey {
  const nowMs = deps.clock.nowMs();
  const { secret, ...issued } = issueSecret(deps, granted.mode, newId);
  return { made: unusedKey(granted, issued, nowMs), secret };
}

/** The secret of a key that is not stored, and what is stored of it. */
export function issueSecret(
  { ids, clock }: Pick<Deps, 'ids' | 'clock'>,
  mode: Mode,
  newId: string | null = null,
): KeyToIssue & { readonly secret: string } {
  const keyId = newId ?? ids.next('key', clock.nowMs());
  const { text, salt, secretHash } = issueApiKey({
    mode,
    keyId,
    secretBytes: ids.randomBytes(SECRET_BYTES),
    saltBytes: ids.randomBytes(SALT_BYTES),
  });
  return { keyId, salt, secretHash, secret: text };
}

export function unusedKey(
  granted: GrantedKey,
  { keyId, salt, secretHash }: KeyToIssue,
  nowMs: number,
): Omit<StoredKey, 'slot'> {
  const { orgId, mode, name, createdBy, keptBy } = granted;
  const { scopes, keptScopes, expiresAtMs, networks } = granted;
  return {
    id: keyId,
    orgId,
    mode,
    name,
    createdBy,
    keptBy,
    scopes,
    keptScopes,
    networks,
    salt,
    secretHash,
    lastUsedAtMs: null,
    usedScopes: [],
    revokedAtMs: null,
    rolledAtMs: null,
    expiresAtMs,
    createdAtMs: nowMs,
    version: 1,
  };
}

/**
 * A key of a member who is removed at the same time, or gets a role without its scopes, is not
 * stored. InvalidToken, InsufficientScope. It changes the row of the member: a removal that has not
 * seen the key conflicts with it, and reads again.
 */
async function expectOwner(tx: Tx, made: Omit<StoredKey, 'slot'>): Promise<void> {
  const owner = keyOwner(made);
  if (!isMemberId(owner)) return;
  const member = await tx.members.get(made.orgId, owner);
  if (member === null || !isActiveMember(member)) throw new PonteError('InvalidToken');
  if (exceeds(made, member.role)) {
    const message = 'The role of the member lacks a scope of the key.';
    throw new PonteError('InsufficientScope', message);
  }
  tx.members.update(member);
}

/** `members`: of the organization. */
function stageKey(batch: Batch, made: StoredKey, members: readonly Member[]): StoredKey {
  const key: StoredKey = Object.freeze(made);
  batch.tx.keys.insert(key);
  stageKeyNotices(batch, key, members);
  return key;
}

/** Expired keys leave their slots when the next key is made. */
export async function revokeExpired(deps: Deps, orgId: string): Promise<void> {
  const nowMs = deps.clock.nowMs();
  await deps.store.run(async (tx) => {
    for (const key of await tx.keys.unrevoked(orgId)) {
      if (isActiveKey(key, nowMs)) continue;
      tx.keys.update(Object.freeze({ ...key, revokedAtMs: key.expiresAtMs }));
    }
  });
}

export async function ownKey(tx: Tx, orgId: string | null, keyId: string): Promise<StoredKey> {
  const key = await tx.keys.get(keyId);
  if (key === null || (orgId !== null && key.orgId !== orgId)) throw new PonteError('NotFound');
  return key;
}

/** Every active key of both modes and the latest revoked ones, newest first. */
export async function listKeys(deps: Deps, orgId: string): Promise<readonly StoredKey[]> {
  return deps.store.run(async (tx) => {
    expectFound(await tx.organizations.get(orgId));
    return tx.keys.list(orgId, REVOKED_LISTED_MAX);
  });
}

/** Keys of all organizations that are not needed, or not all of whose scopes are. */
export async function reportKeys(
  deps: Deps,
): Promise<readonly ({ readonly key: StoredKey } & ReturnType<typeof unneeded>)[]> {
  const nowMs = deps.clock.nowMs();
  return deps.store.run(async (tx) => {
    const organizations = await tx.organizations.list();
    const found = await Promise.all(organizations.map(({ id }) => tx.keys.unrevoked(id)));
    return found
      .flat()
      .filter((key) => isActiveKey(key, nowMs))
      .map((key) => ({ key, ...unneeded(key, nowMs) }))
      .filter(({ isIdle, scopes }) => isIdle || scopes.length > 0);
  });
}

/** Final. A repeat changes nothing; of a rolled key it ends the overlap. */
export async function revokeKey(
  deps: Deps,
  orgId: string | null,
  keyId: string,
): Promise<StoredKey> {
  const nowMs = deps.clock.nowMs();
  return deps.store.run(
    async (tx) => {
      const key = await ownKey(tx, orgId, keyId);
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
      for (const [keyId, { usedAtMs, usedScopes }] of inOrder) {
        tx.keys.touch(keyId, usedAtMs);
        if (usedScopes !== null) tx.keys.noteScopes(keyId, usedScopes);
      }
    },
    { inQuarantine: true },
  );
  for (const [keyId, use] of uses) {
    if (deps.keyUses.get(keyId) === use) deps.keyUses.delete(keyId);
  }
  return uses.length;
}

function noteUse({ clock, keyUses }: Deps, key: StoredKey): void {
  const nowMs = clock.nowMs();
  if (keyUses.has(key.id)) return;
  if (key.lastUsedAtMs !== null && nowMs < key.lastUsedAtMs + USE_RESOLUTION_MS) return;
  keyUses.set(key.id, { usedAtMs: nowMs, usedScopes: null });
}

/** Notes the scopes that let a request of the key in, unless they are known. */
export function noteScopes(
  { clock, keyUses }: Deps,
  actor: KeyActor,
  scopes: readonly Scope[],
): void {
  const { keyId } = actor;
  const noted = keyUses.get(keyId);
  const known = noted?.usedScopes ?? actor.usedScopes;
  const added = scopes.filter((scope) => !known.includes(scope));
  if (added.length === 0) return;
  const usedAtMs = noted?.usedAtMs ?? clock.nowMs();
  keyUses.set(keyId, { usedAtMs, usedScopes: [...known, ...added] });
}

function checkedScopes(names: readonly string[]): readonly Scope[] {
  const unknown = names.filter((name) => !isScope(name));
  if (unknown.length > 0) {
    throw invalid(
      `scopes: there is no ${unknown.join(', ')}; there are ${Object.keys(scopes).join(', ')}.`,
    );
  }
  return Object.freeze([...new Set(names.filter(isScope))]);
}
