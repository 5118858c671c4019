// What a record of the audit log proves by itself. The chain is a plain hash, which the database
// computes: who writes to the database can compute it again. So each record has a MAC under a key
// that is stored sealed, and cites an earlier head of the log. A changed record has no right MAC.
// If one is removed, a later record cites a head that is not there.
import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from '../base/hmac.js';
import { writeJson } from '../base/raw-json.js';
import type { FeedHead } from '../payments/event.js';
import type { OpenedKey } from './service-key.js';

const LABEL = 'ponte audit';
const KEY_BYTES = 32;
const macForm = /,"mac":"([^".]{1,64})\.([A-Za-z0-9_-]{43})"\}$/;

export interface RecordProof {
  /** `macKey` of the key that signs records. */
  readonly key: OpenedKey;
  /** A head that the process has read; null: it has read that there was no record. */
  readonly cited: FeedHead | null;
}

/** The key for MACs that follows from one for signatures. */
export function macKey({ id, bytes }: OpenedKey): OpenedKey {
  return { id, bytes: new Uint8Array(hkdfSync('sha256', bytes, '', LABEL, KEY_BYTES)) };
}

export function provenBody({ key, cited }: RecordProof, fields: object): string {
  const text = writeJson({ ...fields, cited });
  return `${text.slice(0, -1)},"mac":"${key.id}.${macOf(key, text).toString('base64url')}"}`;
}

/** Whether one of these keys made the MAC of the body. */
export function isProvenBody(keys: readonly OpenedKey[], body: string): boolean {
  const [end = '', keyId, mac = ''] = macForm.exec(body) ?? [];
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) return false;
  const text = `${body.slice(0, -end.length)}}`;
  return timingSafeEqual(macOf(key, text), Buffer.from(mac, 'base64url'));
}

function macOf({ bytes }: OpenedKey, text: string): Buffer {
  return hmacSha256(bytes).update(text).digest();
}
