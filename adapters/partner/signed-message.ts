// Messages of settlement partners, signed by the Svix scheme: svix-id, svix-timestamp (Unix
// seconds) and svix-signature, HMAC-SHA256 over `<id>.<timestamp>.<raw body>`. The standardwebhooks
// package makes the signature.
import { timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

export interface SignedMessage {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface VerifiedMessage {
  /** The same on repeats. */
  readonly messageId: string;
  readonly text: string;
}

export const SIGNATURE_HEADER = 'svix-signature';
const TOLERANCE_SECONDS = 300;
/** Without dots: part of the id could be read as the timestamp. */
const idForm = /^[A-Za-z0-9_-]{1,255}$/;
/** As in the signed text: no sign, no leading zero. */
const secondsForm = /^[1-9][0-9]{0,11}$/;
/** More than any list of signatures during a rotation of the secret. */
const HEADER_LENGTH_MAX = 4_096;

/** `secret` is `whsec_` and the base64 of the key. */
export function signMessage(message: {
  readonly secret: string;
  readonly messageId: string;
  readonly sentAtMs: number;
  readonly text: string;
}): SignedMessage {
  const seconds = Math.floor(message.sentAtMs / 1_000);
  return {
    headers: {
      'content-type': 'application/json',
      'svix-id': message.messageId,
      'svix-timestamp': `${seconds}`,
      [SIGNATURE_HEADER]: signature(message.secret, message.messageId, seconds, message.text),
    },
    body: new TextEncoder().encode(message.text),
  };
}

/** Null unless all headers are present, the time is near and one signature matches. */
export function verifyMessage(message: {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  readonly nowMs: number;
}): VerifiedMessage | null {
  const messageId = message.headers['svix-id'] ?? '';
  const timestamp = message.headers['svix-timestamp'] ?? '';
  const signatures = message.headers[SIGNATURE_HEADER] ?? '';
  if (!idForm.test(messageId) || !secondsForm.test(timestamp)) return null;
  if (signatures.length > HEADER_LENGTH_MAX) return null;
  const seconds = Number.parseInt(timestamp, 10);
  if (Math.abs(message.nowMs / 1_000 - seconds) > TOLERANCE_SECONDS) return null;
  const text = utf8(message.body);
  if (text === null) return null;
  const expected = signature(message.secret, messageId, seconds, text);
  let matches = false;
  for (const given of signatures.split(' ')) matches = isSame(given, expected) || matches;
  return matches ? { messageId, text } : null;
}

function signature(secret: string, messageId: string, seconds: number, text: string): string {
  return new Webhook(secret).sign(messageId, new Date(seconds * 1_000), text);
}

/** Null for invalid UTF-8: decoding would change the signed body. */
function utf8(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
