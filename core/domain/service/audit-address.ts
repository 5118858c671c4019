// The client address of a record, sealed under the key of its month. The body of a record never
// changes, since its hash is in the chain; without the key nobody reads the address any more.
import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { DAY_MS, formatInstant } from '../base/instant.js';
import type { OpenedKey, ServiceKey } from './service-key.js';

/** How long addresses of a month are read after its end. */
export const ADDRESS_RETENTION_MS = 180 * DAY_MS;
const NONCE_BYTES = 12;
const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;

/** `<key id>.<base64url of nonce, text and tag>`, bound to the record. */
export function sealAddress({ id, bytes }: OpenedKey, entryId: string, address: string): string {
  // An id is random, and seals one address.
  const nonce = hash('sha256', entryId, 'buffer').subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, bytes, nonce).setAAD(Buffer.from(entryId));
  const text = Buffer.concat([cipher.update(address, 'utf8'), cipher.final()]);
  const sealed = Buffer.concat([nonce, text, cipher.getAuthTag()]);
  return `${id}.${sealed.toString('base64url')}`;
}

/** Null without its key, and for a text that was not sealed for this record. */
export function openAddress(
  keys: readonly OpenedKey[],
  entryId: string,
  sealed: string,
): string | null {
  const [keyId, encoded = ''] = sealed.split('.');
  const key = keys.find(({ id }) => id === keyId);
  const bytes = Buffer.from(encoded, 'base64url');
  if (key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const cipher = createDecipheriv(CIPHER, key.bytes, nonce).setAAD(Buffer.from(entryId));
  cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, cipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** Whether the current key is of the month of this time, by UTC. */
export function isOfMonth(
  { createdAtMs }: Pick<ServiceKey, 'createdAtMs'>,
  nowMs: number,
): boolean {
  return monthOf(createdAtMs) === monthOf(nowMs);
}

function monthOf(atMs: number): string {
  return formatInstant(atMs).slice(0, 7);
}
