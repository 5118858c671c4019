// Keys that the service makes for itself: each is made when it is first needed, opened for each
// use, and the same on all hosts. The session key can be renewed; sessions that the one before has
// signed go on until they end by themselves, unless all are to end at once.
import { createHmac } from 'node:crypto';
import { SESSION_MS } from '../domain/member.js';
import {
  isInForce,
  SERVICE_KEY_BYTES,
  type ServiceKey,
  type ServiceKeyPurpose,
  serviceKeyPurpose,
} from '../domain/service-key.js';
import type { Deps, Tx } from '../ports.js';

export type KeyNeeds = Pick<Deps, 'store' | 'secretBox' | 'ids' | 'clock'>;

export interface OpenedKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** All that count now. */
export async function keysInForce(
  deps: KeyNeeds,
  purpose: ServiceKeyPurpose,
): Promise<readonly OpenedKey[]> {
  const keys = await deps.store.run((tx) => tx.serviceKeys.list(purpose));
  const nowMs = deps.clock.nowMs();
  return keys.filter((key) => isInForce(key, nowMs)).map((key) => opened(deps, key));
}

/** The one in use, made if there is none yet. */
export function currentKey(deps: KeyNeeds, purpose: ServiceKeyPurpose): Promise<OpenedKey> {
  // Another process may make it meanwhile: the work runs again and reads that one.
  return deps.store.run((tx) => currentKeyIn(deps, tx, purpose));
}

export async function currentKeyIn(
  deps: Omit<KeyNeeds, 'store'>,
  tx: Tx,
  purpose: ServiceKeyPurpose,
): Promise<OpenedKey> {
  const known = await findCurrent(tx, purpose);
  if (known !== null) return opened(deps, known);
  const fresh = newKey(deps, purpose);
  tx.serviceKeys.insert(fresh);
  return opened(deps, fresh);
}

/**
 * An idempotency key at the partner: the same for the same parts and purpose as long as there is
 * this database, and nothing can be read from it.
 */
export async function partnerKey(
  deps: KeyNeeds,
  purpose: string,
  parts: readonly string[],
): Promise<string> {
  const { bytes } = await currentKey(deps, 'partner');
  return createHmac('sha256', bytes)
    .update(JSON.stringify([purpose, ...parts]))
    .digest('hex');
}

export interface RenewedSessionKey {
  readonly id: string;
  /** When the last session that the keys before have signed ends; null when there is none. */
  readonly previousEndAtMs: number | null;
}

/** From now on another key signs. `endSessions`: those before count no more. */
export async function renewSessionKey(
  deps: KeyNeeds,
  { endSessions }: { readonly endSessions: boolean },
): Promise<RenewedSessionKey> {
  const fresh = newKey(deps, 'session');
  return deps.store.run((tx) => stageRenewal(tx, fresh, endSessions));
}

export async function stageRenewal(
  tx: Tx,
  fresh: ServiceKey,
  endSessions: boolean,
): Promise<RenewedSessionKey> {
  const nowMs = fresh.createdAtMs;
  let previousEndAtMs: number | null = null;
  for (const key of await tx.serviceKeys.list('session')) {
    if (endSessions || !isInForce(key, nowMs)) {
      tx.serviceKeys.remove(key);
      continue;
    }
    const endsAtMs = key.endsAtMs ?? nowMs + SESSION_MS;
    if (key.endsAtMs === null) tx.serviceKeys.update(Object.freeze({ ...key, endsAtMs }));
    previousEndAtMs = Math.max(previousEndAtMs ?? 0, endsAtMs);
  }
  tx.serviceKeys.insert(fresh);
  return { id: fresh.id, previousEndAtMs };
}

export function newKey(deps: Omit<KeyNeeds, 'store'>, purpose: ServiceKeyPurpose): ServiceKey {
  const nowMs = deps.clock.nowMs();
  const id = deps.ids.next('skey', nowMs);
  const text = Buffer.from(deps.ids.randomBytes(SERVICE_KEY_BYTES)).toString('base64');
  const sealed = deps.secretBox.seal(text, serviceKeyPurpose({ id }));
  return Object.freeze({ id, purpose, sealed, createdAtMs: nowMs, endsAtMs: null, version: 1 });
}

async function findCurrent(tx: Tx, purpose: ServiceKeyPurpose): Promise<ServiceKey | null> {
  const keys = await tx.serviceKeys.list(purpose);
  return keys.find(({ endsAtMs }) => endsAtMs === null) ?? null;
}

function opened({ secretBox }: Pick<Deps, 'secretBox'>, key: ServiceKey): OpenedKey {
  const text = secretBox.open(key.sealed, serviceKeyPurpose(key));
  return { id: key.id, bytes: Buffer.from(text, 'base64') };
}
