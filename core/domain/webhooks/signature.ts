// The signature of outbound webhooks. Receivers use this code through `ponte-payments/webhooks`, so
// verification never throws: the result is valid or a reason.
//
// Header: X-Service-Signature: t=<unix seconds>,v1=<hex of HMAC-SHA256>. The MAC is over
// `<t>.<raw body bytes>`; its key is the secret's whole text, `whsec_` included, as UTF-8.
//
// The same secret also signs by the Standard Webhooks scheme, for verifiers of other frameworks:
// webhook-signature: v1,<base64 of HMAC-SHA256>. That MAC is over `<id>.<seconds>.<raw body>`; its
// key is what the base64 after `whsec_` decodes to. So the two keys differ.
import { type Hmac, timingSafeEqual } from 'node:crypto';
import { assert } from '../../errors.js';
import { hmacSha256 } from '../base/hmac.js';
import { pastedSecret } from '../base/pasted-secret.js';

export const webhookHeaders = {
  signature: 'X-Service-Signature',
  deliveryId: 'X-Service-Delivery-Id',
  eventType: 'X-Service-Event-Type',
} as const satisfies Record<string, string>;

export const standardHeaders = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const satisfies Record<string, string>;

export const TOLERANCE_SECONDS = 300;

/** The raw bytes or their text; never a parsed and re-serialised body. */
type WebhookBody = Uint8Array | ArrayBuffer | string;

export interface VerifyWebhookInput {
  /** The subscription's secret: `whsec_…`. Blanks, line ends and quotes around it do not count. */
  readonly secret: string;
  /** The value of X-Service-Signature, as the server gives it. */
  readonly header: string | readonly string[] | null | undefined;
  readonly body: WebhookBody;
  /** The current time in Unix seconds. */
  readonly nowSeconds: number;
  /** The allowed distance of `t` from now, both ways; default 300. */
  readonly toleranceSeconds?: number;
}

export type InvalidWebhookReason =
  | 'missing secret'
  | 'missing header'
  | 'malformed header'
  | 'body is neither bytes nor text'
  | 'timestamp outside the tolerance'
  | 'signature mismatch';

export type VerifiedWebhook =
  | { readonly valid: true; readonly timestampSeconds: number }
  | { readonly valid: false; readonly reason: InvalidWebhookReason };

/** Longer than any header that we send. */
const HEADER_LENGTH_MAX = 4_096;
const SECRET_PREFIX = /^whsec_/;
const secondsForm = /^[0-9]{1,15}$/;
const macForm = /^[0-9a-f]{64}$/i;

/** The value of X-Service-Signature for a body sent at this time. */
export function signWebhook(input: {
  readonly secret: string;
  readonly timestampSeconds: number;
  readonly body: Uint8Array | string;
}): string {
  return ownSignature(signingKeys(input.secret).own, input.timestampSeconds, input.body);
}

function ownSignature(key: Uint8Array, timestampSeconds: number, body: WebhookBody): string {
  const t = `${timestampSeconds}`;
  assert(secondsForm.test(t), 'a timestamp is whole Unix seconds');
  return `t=${t},v1=${mac(key, t, body).digest('hex')}`;
}

/** What signs by both schemes. Kept with a secret, because Node is slow to make a key. */
export interface SigningKeys {
  readonly own: Uint8Array;
  readonly standard: Uint8Array;
}

export function signingKeys(secret: string): SigningKeys {
  assert(secret !== '', 'a webhook secret is not empty');
  const standard = Buffer.from(secret.replace(SECRET_PREFIX, ''), 'base64');
  return { own: Buffer.from(secret), standard };
}

/** Every header of a webhook, signed in both forms. */
export function signedHeaders(input: {
  readonly keys: SigningKeys;
  readonly timestampSeconds: number;
  readonly body: string;
  readonly deliveryId: string;
  readonly eventType: string;
}): Readonly<Record<string, string>> {
  const { keys, timestampSeconds, body, deliveryId, eventType } = input;
  const signed = hmacSha256(keys.standard).update(`${deliveryId}.${timestampSeconds}.${body}`);
  return {
    'Content-Type': 'application/json',
    [webhookHeaders.signature]: ownSignature(keys.own, timestampSeconds, body),
    [webhookHeaders.deliveryId]: deliveryId,
    [webhookHeaders.eventType]: eventType,
    [standardHeaders.id]: deliveryId,
    [standardHeaders.timestamp]: `${timestampSeconds}`,
    [standardHeaders.signature]: `v1,${signed.digest('base64')}`,
  };
}

/** One of several `v1` must match; names other than t and v1 are ignored. */
export function verifyWebhook(input: VerifyWebhookInput): VerifiedWebhook {
  const secrets = typeof input.secret === 'string' ? formsOf(input.secret) : [];
  if (secrets.length === 0) return invalid('missing secret');
  const header = headerText(input.header);
  if (header === null) return invalid('missing header');
  const signed = parseHeader(header);
  if (signed === null) return invalid('malformed header');
  if (!isBody(input.body)) return invalid('body is neither bytes nor text');

  const timestampSeconds = Number.parseInt(signed.t, 10);
  if (!isNear(timestampSeconds, input.nowSeconds, input.toleranceSeconds ?? TOLERANCE_SECONDS)) {
    return invalid('timestamp outside the tolerance');
  }
  let matches = false;
  for (const secret of secrets) {
    const expected = mac(Buffer.from(secret), signed.t, input.body).digest();
    for (const v1 of signed.v1) {
      matches = timingSafeEqual(Buffer.from(v1, 'hex'), expected) || matches;
    }
  }
  return matches ? { valid: true, timestampSeconds } : invalid('signature mismatch');
}

/** As it is, and as it was issued if it came with what tools put around it. */
function formsOf(secret: string): readonly string[] {
  const issued = pastedSecret(secret);
  if (issued === '') return [];
  return issued === secret ? [secret] : [secret, issued];
}

interface SignedHeader {
  /** The digits as sent: they are part of what is signed. */
  readonly t: string;
  readonly v1: readonly string[];
}

/**
 * Returns null unless there is exactly one well-formed t, and at least one v1, and every v1 is a
 * MAC.
 */
function parseHeader(header: string): SignedHeader | null {
  if (header.length > HEADER_LENGTH_MAX) return null;
  let t: string | null = null;
  const v1: string[] = [];
  for (const item of header.split(',')) {
    const [name, value] = splitOnce(item.trim());
    if (name === 't') {
      if (t !== null || !secondsForm.test(value)) return null;
      t = value;
    } else if (name === 'v1') {
      if (!macForm.test(value)) return null;
      v1.push(value);
    }
  }
  return t === null || v1.length === 0 ? null : { t, v1 };
}

function splitOnce(item: string): readonly [string, string] {
  const at = item.indexOf('=');
  return at === -1 ? [item, ''] : [item.slice(0, at), item.slice(at + 1)];
}

/** Servers give a header as text, as a list of texts, or not at all. */
function headerText(header: unknown): string | null {
  const items: readonly unknown[] = Array.isArray(header) ? header : [header];
  const text = items.filter((item) => typeof item === 'string').join(',');
  return text === '' ? null : text;
}

function isBody(body: unknown): body is WebhookBody {
  if (body instanceof ArrayBuffer) return !body.detached;
  return typeof body === 'string' || ArrayBuffer.isView(body);
}

/** False for a clock or a tolerance that is not a number. */
function isNear(timestampSeconds: number, nowSeconds: unknown, toleranceSeconds: unknown): boolean {
  if (typeof nowSeconds !== 'number' || typeof toleranceSeconds !== 'number') return false;
  return Math.abs(nowSeconds - timestampSeconds) <= toleranceSeconds;
}

function mac(key: Uint8Array, t: string, body: WebhookBody): Hmac {
  if (typeof body === 'string') return hmacSha256(key).update(`${t}.${body}`);
  const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
  return hmacSha256(key).update(`${t}.`).update(bytes);
}

function invalid(reason: InvalidWebhookReason): VerifiedWebhook {
  return { valid: false, reason };
}
