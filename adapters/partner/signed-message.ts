// Messages signed by the Svix scheme, as settlement partners send them: svix-id, svix-timestamp
// (Unix seconds) and svix-signature, HMAC-SHA256 over `<id>.<timestamp>.<raw body>`. It owns making
// and checking such a message against a clock that comes in; a message's text is up to its partner.
// The signature itself is made by the standardwebhooks package.
import { timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

export interface SignedMessage {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface VerifiedMessage {
  /** Stable over repeats of one message. */
  readonly messageId: string;
  readonly text: string;
}

export const SIGNATURE_HEADER = 'svix-signature';
const TOLERANCE_SECONDS = 300;
/** No dot: otherwise a part of the id could pass for the timestamp. */
const idForm = /^[A-Za-z0-9_-]{1,255}$/;
/** Written as the signed text repeats it: no sign, no leading zero. */
const secondsForm = /^[1-9][0-9]{0,11}$/;
/** Above any list of signatures that a partner sends while it changes its secret. */
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

/** Null unless every header is there, the time is near and one of the signatures is ours. */
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

/** Null for bytes that no text has: they would be signed as another body. */
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
