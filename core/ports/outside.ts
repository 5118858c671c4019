// The other ports: webhooks, mail, documents, secrets, tokens, rate limits, clock, ids, metrics,
// log.
import type { MailOutcome } from '../domain/mail.js';
import type { Tenant } from '../domain/tenant.js';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `error` is null exactly when an answer came; what its status means is the domain's matter. */
export interface WebhookResult {
  readonly responseStatus: number | null;
  /** 4 KiB at most. */
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly durationMs: number;
}

export interface WebhookSender {
  /** POSTs once, follows no redirect, gives up after the receiver's 10 s; never throws. */
  send(request: WebhookRequest): Promise<WebhookResult>;
  /** Why this URL may not be subscribed; null when it may. */
  refusal(url: string): Promise<string | null>;
  close(): Promise<void>;
}

export interface OutgoingMail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** Sent twice under one name, it is the same mail: the left half of its Message-ID. */
  readonly messageId: string;
  readonly writtenAtMs: number;
}

export interface Mailer {
  /** Sends once and gives up well before MAIL_LEASE_MS; never throws. */
  send(mail: OutgoingMail): Promise<MailOutcome>;
}

/** Authenticated encryption of what must not lie readable in the database. */
export interface SecretBox {
  /** The name of the key that seals, which a sealed text remembers. */
  readonly keyId: string;
  /** `purpose` is bound to the ciphertext: opening it for another purpose fails. */
  seal(plain: string, purpose: string): string;
  open(sealed: string, purpose: string): string;
  /** HMAC-SHA256 in hex under a key derived for `purpose`. */
  mac(text: string, purpose: string): string;
  /** Whether `mac` gave this, under whichever key that is still configured; in constant time. */
  isMac(text: string, purpose: string, mac: string): boolean;
}

/** Holds what it reads from, as an open file, until it is read to its end or closed. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /** At any time, also again. */
  close(): Promise<void>;
}

/** Where the bytes of documents lie. It knows no tenants: an id is a document.ts `Document`'s. */
export interface DocumentStorage {
  /** As people know it. */
  readonly place: string;
  /** Records it durably beside other fingerprints and documents. Repeating it is harmless. */
  recordFingerprint(fingerprint: string): Promise<void>;
  hasFingerprint(fingerprint: string): Promise<boolean>;
  /** Keeps the bytes under a name that is new to this document: whole and durably, or rejects. */
  put(documentId: string, name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Null when there is nothing of this name. */
  get(documentId: string, name: string): Promise<ByteSource | null>;
  /** Deletes what is there of this name, which no row names any more; if anything. */
  remove(documentId: string, name: string): Promise<void>;
  /** Deletes all that was put for the document but one, or all: also what came only half. */
  purge(documentId: string, keptName: string | null): Promise<void>;
  /** Ids of documents of which anything is kept, in the order of the ids. */
  list(page: {
    readonly afterId: string | null;
    readonly limit: number;
  }): Promise<readonly string[]>;
}

/** What a session token says: who speaks, for which organization, in which mode, until when. */
export interface SessionClaims extends Tenant {
  readonly memberId: string;
  /** Kept to the second. */
  readonly expiresAtMs: number;
}

export interface TokenSigner {
  /** A JWT, for `Authorization: Bearer`. */
  sign(claims: SessionClaims): Promise<string>;
  /** Null unless it was signed here, is unchanged and has not expired at `nowMs`. */
  verify(token: string, nowMs: number): Promise<SessionClaims | null>;
}

export interface RateLimits {
  /** One atomic step of rate-limit.ts; seconds to wait when refused, null when allowed. */
  take(input: {
    readonly key: string;
    readonly perMinute: number;
    readonly burst: number;
    readonly nowMs: number;
  }): Promise<number | null>;
}

export interface Clock {
  nowMs(): number;
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
  | 'mail'
  | 'skey'
  | 'qt'
  | 'cmd'
  | 'pst'
  | 'att';

/** Characters of an id behind its prefix that sort by time of creation. */
export const ID_TIME_CHARACTERS = 10;

export interface Ids {
  /** `<prefix>_…`: sortable by time of creation, unguessable (80 random bits). */
  next(prefix: IdPrefix, nowMs: number): string;
  randomBytes(length: number): Uint8Array;
}

/** Is told what happened, for operators to watch. A call costs little and does not throw. */
export interface Metrics {
  /**
   * A request was answered. `operation` is null where it named no row of the route table;
   * `createMs` is how long a create took that was not refused, null of everything else.
   */
  answered(
    operation: string | null,
    answer: { readonly status: number; readonly createMs: number | null },
  ): void;
  /** A receiver took a delivery, so long after its event. */
  delivered(sinceEventMs: number): void;
  /** Attempts failed: to be tried again, or the last ones of their deliveries. */
  undelivered(outcome: 'failed' | 'dead_letter', count: number): void;
}

export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
