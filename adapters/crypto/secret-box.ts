// Authenticated encryption of values in the database, and MACs, both under the secret keys of the
// service.
//
// Sealed form: `s1.<key id>.<base64url of nonce (12), ciphertext, tag (16)>`, AES-256-GCM. The
// purpose, the version and the key id are its additional data. Keys are derived by HKDF-SHA256, so
// sealing and MACs never share one. With random nonces, one key allows 2^32 seals at a collision
// probability below 2^-32: replace the first key before that.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { SEALED_VERSION, sealedPrefix } from '../../core/domain/service/sealed-text.js';
import { assert } from '../../core/errors.js';
import type { SecretBox } from '../../core/ports/outside.js';
import type { RandomSource } from './ids.js';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const keyIdForm = /^[A-Za-z0-9_-]{1,32}$/;

/** 32 random bytes, and their name in ciphertexts. */
export interface SecretKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

type SecretKeys =
  | { readonly valid: true; readonly keys: readonly SecretKey[] }
  | { readonly valid: false; readonly reason: string };

/** Reads `id:base64,id:base64,…` (standard base64 of 32 bytes each). The reason contains no key. */
export function parseSecretKeys(text: string): SecretKeys {
  const keys: SecretKey[] = [];
  for (const [index, item] of text.split(',').entries()) {
    const colonAt = item.indexOf(':');
    const id = item.slice(0, Math.max(colonAt, 0)).trim();
    const bytes = fromBase64(item.slice(colonAt + 1).trim(), 'base64');
    if (!keyIdForm.test(id)) {
      return { valid: false, reason: `key ${index + 1} is not <id>:<base64 of 32 bytes>` };
    }
    if (bytes === null || bytes.length !== KEY_BYTES) {
      return { valid: false, reason: `key ${index + 1} (${id}) is not the base64 of 32 bytes` };
    }
    if (keys.some((key) => key.id === id)) {
      return { valid: false, reason: `two keys have the id ${id}` };
    }
    keys.push({ id, bytes });
  }
  return { valid: true, keys };
}

/** A new key in the form that parseSecretKeys reads. */
export function newSecretKey(id: string, bytes: RandomSource = randomBytes): string {
  assert(keyIdForm.test(id), 'a key id is 1-32 of A-Z a-z 0-9 _ -');
  return `${id}:${Buffer.from(bytes(KEY_BYTES)).toString('base64')}`;
}

/**
 * The first key seals and makes MACs, all keys open and verify. `open` asserts: a text that does
 * not open was changed, was sealed for another purpose, or its key is not configured.
 */
export function createSecretBox(
  keys: readonly SecretKey[],
  bytes: RandomSource = randomBytes,
): SecretBox {
  const first = keys[0];
  assert(first !== undefined, 'a secret box needs at least one key');
  const sealKeys = new Map(keys.map((key) => [key.id, derive(key, 'seal')]));
  assert(sealKeys.size === keys.length, 'the ids of secret keys are unique');
  // There are a few purposes of MACs, and deriving a key costs more than a MAC.
  const macKeys = new Map<string, KeyObject>();
  const macUnder = (key: SecretKey, text: string, purpose: string): string => {
    const name = `${key.id} ${purpose}`;
    const macKey = macKeys.get(name) ?? derive(key, `mac:${purpose}`);
    macKeys.set(name, macKey);
    return createHmac('sha256', macKey).update(text).digest('hex');
  };
  return {
    keyId: first.id,
    seal(plain, purpose) {
      assert(plain.isWellFormed(), 'a lone surrogate would not come back as it was');
      const nonce = bytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, sealKeyOf(sealKeys, first.id), nonce);
      cipher.setAAD(additionalData(first.id, purpose));
      const sealed = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return `${sealedPrefix(first.id)}${Buffer.concat(sealed).toString('base64url')}`;
    },
    open(sealed, purpose) {
      const [version, keyId, body, ...rest] = sealed.split('.');
      assert(
        version === SEALED_VERSION &&
          keyId !== undefined &&
          body !== undefined &&
          rest.length === 0,
        'a sealed text has the form s1.<key id>.<base64url>',
      );
      const data = fromBase64(body, 'base64url');
      assert(data !== null && data.length >= NONCE_BYTES + TAG_BYTES, 'a sealed text is whole');
      const nonce = data.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, sealKeyOf(sealKeys, keyId), nonce, {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(additionalData(keyId, purpose));
      decipher.setAuthTag(data.subarray(-TAG_BYTES));
      return finish(decipher, data.subarray(NONCE_BYTES, -TAG_BYTES));
    },
    mac: (text, purpose) => macUnder(first, text, purpose),
    isMac(text, purpose, mac) {
      const given = Buffer.from(mac);
      return keys.some((key) => {
        const expected = Buffer.from(macUnder(key, text, purpose));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}

function finish(decipher: ReturnType<typeof createDecipheriv>, ciphertext: Uint8Array): string {
  const head = decipher.update(ciphertext);
  let authentic = true;
  let tail = Buffer.alloc(0);
  try {
    tail = decipher.final();
  } catch {
    authentic = false;
  }
  assert(authentic, 'a sealed text opens unchanged, under its key, for its own purpose');
  return Buffer.concat([head, tail]).toString('utf8');
}

function sealKeyOf(sealKeys: ReadonlyMap<string, KeyObject>, keyId: string): KeyObject {
  const key = sealKeys.get(keyId);
  assert(key !== undefined, `the secret key ${JSON.stringify(keyId)} is not configured`);
  return key;
}

/** Node.js takes several times as long for a MAC under a key that is an array of bytes. */
function derive(key: SecretKey, use: string): KeyObject {
  const bytes = hkdfSync('sha256', key.bytes, '', `ponte ${use}`, KEY_BYTES);
  return createSecretKey(new Uint8Array(bytes));
}

function additionalData(keyId: string, purpose: string): Buffer {
  return Buffer.from(`${sealedPrefix(keyId)}${purpose}`, 'utf8');
}

/** Null unless the text is the canonical encoding of its bytes. */
function fromBase64(text: string, encoding: 'base64' | 'base64url'): Buffer | null {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : null;
}
