// HMAC-SHA-256 under a key of bytes. Node takes bytes or text six times slower than a key object,
// and to make one as slowly as it signs with it.
import { createHmac, createSecretKey, type Hmac, type KeyObject } from 'node:crypto';

/** A key that is kept is made once. */
const keys = new WeakMap<Uint8Array, KeyObject>();

/** The bytes of a key must not change after the first call. */
export function hmacSha256(bytes: Uint8Array): Hmac {
  const key = keys.get(bytes) ?? createSecretKey(bytes);
  keys.set(bytes, key);
  return createHmac('sha256', key);
}
