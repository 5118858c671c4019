// The other ports: webhooks, mail, documents, secrets, tokens, rate limits, clock, ids, metrics,
// log.
import type { Locale } from '../domain/base/locale.js';
import type { Mode, Tenant } from '../domain/base/tenant.js';
import type { MailOutcome } from '../domain/mail/mail.js';
import type { Bucket, Taken } from '../domain/service/rate-limit.js';

/**
 * `User-Agent` of all requests that Ponte sends: firewalls and CDNs refuse requests without one.
 * Its version is that of the interface.
 */
export const USER_AGENT = 'Ponte/1.0';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `error` is null exactly if a response was received. */
export interface WebhookResult {
  readonly responseStatus: number | null;
  /** 4 KiB at most. */
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly durationMs: number;
}

export interface WebhookSender {
  /** POSTs once, follows no redirect, gives up after 10 s; never throws. */
  send(request: WebhookRequest): Promise<WebhookResult>;
  /** Why this URL may not be subscribed; null if it may. */
  refusal(url: string): Promise<string | null>;
  close(): Promise<void>;
}

export interface OutgoingMail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** Plain text, and the same as HTML. */
  readonly text: string;
  readonly html: string;
  readonly locale: Locale;
  /** The organization for which it is sent: part of the sender's name. */
  readonly from: string;
  /** The address for answers; null: that of the sender. */
  readonly replyTo: string | null;
  /** The left half of its Message-ID: a mail that is sent twice with one text has one name. */
  readonly messageId: string;
  readonly writtenAtMs: number;
  readonly attachments: readonly NamedFile[];
}

/** A file that a mail carries or a page hands out. */
export interface NamedFile {
  /** Letters, digits, dots and hyphens. */
  readonly name: string;
  /** A media type. */
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The HTML of its mail shows it under this content id. */
  readonly cid?: string;
}

export interface Mailer {
  /** Sends once and gives up well before MAIL_LEASE_MS; never throws. */
  send(mail: OutgoingMail): Promise<MailOutcome>;
  /**
   * Why the mail server takes no mail, found by a connection with encryption and sign-in but
   * without a mail; null: it would. Absent where there is no mail server. Never throws.
   */
  problem?(): Promise<string | null>;
}

/** Mails that a development host wrote instead of sending them. */
export interface Mailbox {
  /** Newest first. */
  list(): Promise<readonly WrittenMail[]>;
  read(id: string): Promise<WrittenMail | null>;
}

export interface WrittenMail extends Pick<OutgoingMail, 'to' | 'subject' | 'text' | 'writtenAtMs'> {
  readonly id: string;
  readonly html: string | null;
  /** Without the pictures of its HTML. */
  readonly attachments: readonly (Pick<NamedFile, 'name' | 'type'> & { readonly base64: string })[];
}

/** Authenticated encryption of texts that the database must not hold in the clear. */
export interface SecretBox {
  /** The key that seals; a sealed text names it. */
  readonly keyId: string;
  /** `purpose` is bound to the ciphertext: opening it for another purpose fails. */
  seal(plain: string, purpose: string): string;
  open(sealed: string, purpose: string): string;
  /** HMAC-SHA256 in hex under a key derived for `purpose`. */
  mac(text: string, purpose: string): string;
  /** Whether `mac` is right under any configured key; in constant time. */
  isMac(text: string, purpose: string, mac: string): boolean;
}

/** Holds its source, such as an open file, until it is read to its end or closed. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /** May be called at any time and more than once. */
  close(): Promise<void>;
}

/** The bytes of documents, by the id of the document. */
export interface DocumentStorage {
  /** The folder or bucket, for messages to operators. */
  readonly place: string;
  /** Records it durably. A repeat is harmless. */
  recordFingerprint(fingerprint: string): Promise<void>;
  hasFingerprint(fingerprint: string): Promise<boolean>;
  /** Whether there is room for another document; absent where a disk cannot fill up. */
  hasRoom?(): Promise<boolean>;
  /** Stores the bytes under a new name of this document, whole and durably, or rejects. */
  put(documentId: string, name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Returns null if there is no such name. */
  get(documentId: string, name: string): Promise<ByteSource | null>;
  /** Deletes the name, if it exists. */
  remove(documentId: string, name: string): Promise<void>;
  /** Deletes every name of the document but this one, including incomplete uploads. */
  purge(documentId: string, keptName: string | null): Promise<void>;
  /** Ids of documents with stored bytes, in id order. */
  list(page: {
    readonly afterId: string | null;
    readonly limit: number;
  }): Promise<readonly string[]>;
}

/** What a session token states. */
export interface SessionClaims extends Tenant {
  readonly memberId: string;
  /** The row of the session (session.ts). */
  readonly sessionId: string;
  /** A whole second. */
  readonly expiresAtMs: number;
}

export interface TokenSigner {
  /** A JWT, for `Authorization: Bearer`. */
  sign(claims: SessionClaims): Promise<string>;
  /** Returns null if the signature is wrong or the token has expired at `nowMs`. */
  verify(token: string, nowMs: number): Promise<SessionClaims | null>;
}

export interface RateLimits {
  /** One atomic step of rate-limit.ts. */
  take(input: { readonly buckets: readonly Bucket[]; readonly nowMs: number }): Promise<Taken>;
}

export interface Clock {
  nowMs(): number;
  /** Monotonic, with any zero: no set clock moves it. Absent where `nowMs` never jumps. */
  steadyMs?(): number;
}

export function steadyOf(clock: Clock): () => number {
  return () => clock.steadyMs?.() ?? clock.nowMs();
}

export type IdPrefix =
  | 'org'
  | 'key'
  | 'pi'
  | 'inv'
  | 'byr'
  | 'kyc'
  | 'acct'
  | 'rcv'
  | 'whs'
  | 'evt'
  | 'whd'
  | 'doc'
  | 'mem'
  | 'per'
  | 'ses'
  | 'psk'
  | 'mail'
  | 'skey'
  | 'qt'
  | 'cmd'
  | 'pst'
  | 'dep'
  | 'att'
  | 'dec'
  | 'opr'
  | 'ops'
  | 'dst'
  | 'prq'
  | 'frm'
  | 'aud'
  | 'req';

/** The first characters of an id after its prefix sort by creation time. */
export const ID_TIME_CHARACTERS = 10;
/** The next ones name the cell, the deployment that made the id. */
export const ID_CELL_CHARACTERS = 2;
export const CELLS = 32 ** ID_CELL_CHARACTERS;

export interface Ids {
  /** `<prefix>_…`: sorts by creation time, unguessable (70 random bits), with no letter `i`. */
  next(prefix: IdPrefix, nowMs: number): string;
  /** The same for the same `id`, whose time and cell it has, and name: unguessable if one is. */
  named(prefix: IdPrefix, id: string, name: string): string;
  /**
   * The id and time of a new posting. Readers of the books resume after the last id that they have,
   * so it is not before any that this process made, nor before `postedUntil`, also if the clock
   * went back by less than a day.
   */
  posting(nowMs: number): { readonly id: string; readonly atMs: number };
  /** There are postings up to this time. */
  postedUntil(atMs: number): void;
  randomBytes(length: number): Uint8Array;
}

/** Measurements for operators. A call is cheap and does not throw. */
export interface Metrics {
  /**
   * A request was answered. `operation` is null if no route matched; `createMs` is the duration of
   * a create that was not refused, else null.
   */
  answered(
    operation: string | null,
    answer: { readonly status: number; readonly createMs: number | null },
  ): void;
  /** A receiver accepted a delivery, this long after its event. */
  delivered(sinceEventMs: number): void;
  /** Attempts failed; `dead_letter`: the last attempt of a delivery. */
  undelivered(outcome: 'failed' | 'dead_letter', count: number): void;
  /** A message of a settlement partner; one that is tried again counts twice. */
  partnerMessage(partner: string, mode: Mode, result: PartnerMessageResult): void;
  /** A sign-in code was tried. */
  signInCode(result: SignInCodeResult): void;
}

export const signInCodeResults = [
  'right',
  'wrong',
  /** There was no code to compare. */
  'none',
  /** Not compared: a budget of wrong codes is spent. */
  'limited',
] as const;
export type SignInCodeResult = (typeof signInCodeResults)[number];

export const partnerMessageResults = [
  'applied',
  /** It is about nothing that Ponte follows, such as an unknown event. */
  'without_effect',
  /** It matches no command yet, or failed: it is tried again. */
  'unmatched',
  'given_up',
  /** Wrongly signed, malformed, or too old. */
  'not_genuine',
] as const;
export type PartnerMessageResult = (typeof partnerMessageResults)[number];

export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
