// Keys that the service generates: created on first use, shared by all hosts. After a rotation of
// the session key, existing sessions stay valid until they expire, unless they are ended.
import { sessionRules } from '../../domain/access/session.js';
import { hmacSha256 } from '../../domain/base/hmac.js';
import { ADDRESS_RETENTION_MS, isOfMonth } from '../../domain/service/audit-address.js';
import {
  isCurrentKey,
  isValid,
  type OpenedKey,
  type PublicJwk,
  publicJwk,
  SERVICE_KEY_BYTES,
  type ServiceKey,
  type ServiceKeyPurpose,
  serviceKeyPurpose,
} from '../../domain/service/service-key.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';

export type KeyNeeds = Pick<Deps, 'store' | 'secretBox' | 'ids' | 'clock'>;

/** The current key and those that were rotated out but have not expired. */
export async function validKeys(
  deps: KeyNeeds,
  purpose: ServiceKeyPurpose,
): Promise<readonly OpenedKey[]> {
  const keys = await deps.store.run((tx) => tx.serviceKeys.list(purpose));
  const nowMs = deps.clock.nowMs();
  return keys.filter((key) => isValid(key, nowMs)).map((key) => opened(deps, key));
}

/** Every key that ever signed records, for their verification. */
export async function recordKeys(deps: KeyNeeds): Promise<readonly PublicJwk[]> {
  return (await openedKeys(deps, 'record')).map(publicJwk);
}

/** Expired keys included. */
export async function openedKeys(
  deps: Pick<KeyNeeds, 'store' | 'secretBox'>,
  purpose: ServiceKeyPurpose,
): Promise<readonly OpenedKey[]> {
  const keys = await deps.store.run((tx) => tx.serviceKeys.list(purpose));
  return keys.map((key) => opened(deps, key));
}

/** Creates the key if there is none. */
export function currentKey(deps: KeyNeeds, purpose: ServiceKeyPurpose): Promise<OpenedKey> {
  return deps.store.run((tx) => currentKeyIn(deps, tx, purpose), { inQuarantine: true });
}

export async function currentKeyIn(
  deps: Omit<KeyNeeds, 'store'>,
  tx: Tx,
  purpose: ServiceKeyPurpose,
): Promise<OpenedKey> {
  const known = await findCurrent(tx, purpose);
  if (known !== null) return opened(deps, known);
  const fresh = newServiceKey(deps, purpose);
  tx.serviceKeys.insert(fresh);
  return opened(deps, fresh);
}

/** The key of this month, which ends the one before. */
export function addressKey(deps: KeyNeeds): Promise<OpenedKey> {
  return deps.store.run(
    async (tx) => {
      const nowMs = deps.clock.nowMs();
      const current = await findCurrent(tx, 'address');
      if (current !== null && isOfMonth(current, nowMs)) return opened(deps, current);
      if (current !== null) {
        tx.serviceKeys.update(Object.freeze({ ...current, expiresAtMs: nowMs }));
      }
      const fresh = newServiceKey(deps, 'address');
      tx.serviceKeys.insert(fresh);
      return opened(deps, fresh);
    },
    { inQuarantine: true },
  );
}

/** Removes keys of months whose addresses are not kept any more. */
export function runAddressKeyDeletion({ store }: Deps, nowMs: number): Promise<number> {
  return store.run(async (tx) => {
    const old = (await tx.serviceKeys.list('address')).filter(
      ({ expiresAtMs }) => expiresAtMs !== null && expiresAtMs < nowMs - ADDRESS_RETENTION_MS,
    );
    for (const key of old) tx.serviceKeys.remove(key);
    return old.length;
  });
}

/**
 * An idempotency key for the partner. The same purpose and parts give the same key under all secret
 * keys. The parts cannot be recovered from it.
 */
export async function partnerKey(
  deps: KeyNeeds,
  purpose: string,
  parts: readonly string[],
): Promise<string> {
  const { bytes } = await currentKey(deps, 'partner');
  return hmacSha256(bytes)
    .update(JSON.stringify([purpose, ...parts]))
    .digest('hex');
}

export interface RotatedSessionKey {
  readonly id: string;
  /** When the last session signed by an earlier key expires; null if no earlier key is valid. */
  readonly previousExpiresAtMs: number | null;
}

/** `endSessions` invalidates every existing session. */
export async function rotateSessionKey(
  deps: KeyNeeds,
  { endSessions }: { readonly endSessions: boolean },
): Promise<RotatedSessionKey> {
  const fresh = newServiceKey(deps, 'session');
  return deps.store.run((tx) => stageRotation(tx, fresh, endSessions), { inQuarantine: true });
}

/**
 * A new key signs bank details and proofs. Earlier ones stay published, so what they signed stays
 * genuine.
 */
export function rotateRecordKey(deps: KeyNeeds): Promise<PublicJwk> {
  return deps.store.run(
    async (tx) => {
      const current = await findCurrent(tx, 'record');
      const fresh = newServiceKey(deps, 'record');
      const expiresAtMs = fresh.createdAtMs;
      if (current !== null) tx.serviceKeys.update(Object.freeze({ ...current, expiresAtMs }));
      tx.serviceKeys.insert(fresh);
      return publicJwk(opened(deps, fresh));
    },
    { inQuarantine: true },
  );
}

export async function stageRotation(
  tx: Tx,
  fresh: ServiceKey,
  endSessions: boolean,
): Promise<RotatedSessionKey> {
  const nowMs = fresh.createdAtMs;
  let previousExpiresAtMs: number | null = null;
  for (const key of await tx.serviceKeys.list('session')) {
    if (endSessions || !isValid(key, nowMs)) {
      tx.serviceKeys.remove(key);
      continue;
    }
    const expiresAtMs = key.expiresAtMs ?? nowMs + sessionRules.token.lifeMs;
    if (isCurrentKey(key)) tx.serviceKeys.update(Object.freeze({ ...key, expiresAtMs }));
    previousExpiresAtMs = Math.max(previousExpiresAtMs ?? 0, expiresAtMs);
  }
  tx.serviceKeys.insert(fresh);
  return { id: fresh.id, previousExpiresAtMs };
}

export function newServiceKey(
  deps: Omit<KeyNeeds, 'store'>,
  purpose: ServiceKeyPurpose,
): ServiceKey {
  const nowMs = deps.clock.nowMs();
  const id = deps.ids.next('skey', nowMs);
  const text = Buffer.from(deps.ids.randomBytes(SERVICE_KEY_BYTES)).toString('base64');
  const sealed = deps.secretBox.seal(text, serviceKeyPurpose({ id }));
  return Object.freeze({ id, purpose, sealed, createdAtMs: nowMs, expiresAtMs: null, version: 1 });
}

async function findCurrent(tx: Tx, purpose: ServiceKeyPurpose): Promise<ServiceKey | null> {
  return (await tx.serviceKeys.list(purpose)).find(isCurrentKey) ?? null;
}

/** By the rows that the store keeps. */
const openedRows = new WeakMap<ServiceKey, OpenedKey>();

function opened({ secretBox }: Pick<Deps, 'secretBox'>, key: ServiceKey): OpenedKey {
  const known = openedRows.get(key);
  if (known !== undefined) return known;
  const text = secretBox.open(key.sealed, serviceKeyPurpose(key));
  const made = { id: key.id, bytes: Buffer.from(text, 'base64') };
  openedRows.set(key, made);
  return made;
}
