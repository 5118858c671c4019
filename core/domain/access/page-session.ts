// A session on the hosted pages. Its cookie is a random token, stored as a hash; the row ends it on
// every host at once.
import { hash } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/instant.js';
import type { Tenant } from '../base/tenant.js';

/**
 * `buyer`: a payment or a KYC form, after the mailbox was proven. `owner`: the data of one
 * beneficial owner. `upload`: documents of one form, from a phone. `seller`: the onboarding of a
 * connected account. `seller_link`: the link to it, which opens nothing but such a session.
 * `colleague`: the bank details of one payment, read only, for whom the buyer gave the link.
 * `approver`: the approval of one payment by a colleague, after the mailbox was proven.
 */
export const pageSessionKinds = [
  'buyer',
  'owner',
  'upload',
  'seller',
  'seller_link',
  'colleague',
  'approver',
] as const;
export type PageSessionKind = (typeof pageSessionKinds)[number];

export interface PageSession extends Tenant {
  /** The hash of the token. */
  readonly id: string;
  readonly kind: PageSessionKind;
  /** Null for a form without a payment. */
  readonly paymentId: string | null;
  /** The KYC submission of a session without a payment, an owner or an upload. */
  readonly submissionId: string | null;
  /** The connected account of a seller, its link or its upload. */
  readonly accountId: string | null;
  /** The position of an owner in the dossier. */
  readonly ownerIndex: number | null;
  readonly createdAtMs: number;
  /** When its latest page was opened; mails depend on what was seen. */
  readonly seenAtMs: number;
  readonly endsAtMs: number;
  readonly endedAtMs: number | null;
  /**
   * A press on the button of a link began it, without the code of the mail and not in the browser
   * that asked for it: perhaps a gateway of mails. It decides nothing.
   */
  readonly isPressed: boolean;
  readonly version: number;
}

/** How long a session lives, and how long it may be idle. */
export const sessionLifeMs = {
  buyer: 12 * HOUR_MS,
  owner: 12 * HOUR_MS,
  upload: 10 * MINUTE_MS,
  seller: 12 * HOUR_MS,
  seller_link: 7 * DAY_MS,
  // A treasurer pays once a week or so.
  colleague: 14 * DAY_MS,
  approver: 12 * HOUR_MS,
} as const satisfies Record<PageSessionKind, number>;
export const SESSION_IDLE_MS = HOUR_MS;
/** How long the latest page of a session probably stays open. */
export const SESSION_WATCHES_MS = 2 * MINUTE_MS;
/** Mails depend on `seenAtMs`, so it is not much older than the latest page. */
export const SESSION_SEEN_EVERY_MS = SECOND_MS;
/** 256 bits: its plain hash cannot be searched. */
export const SESSION_TOKEN_BYTES = 32;

/** How long a session is kept after its creation: operators can see who signed in when. */
export const SESSION_RETENTION_MS = 30 * DAY_MS;

/** What a session may see. */
export type SessionSubject = Tenant &
  Pick<PageSession, 'kind' | 'paymentId' | 'submissionId' | 'accountId' | 'ownerIndex'> &
  Partial<Pick<PageSession, 'isPressed'>>;

export function newPageSession(
  { orgId, mode, kind, paymentId, submissionId, accountId, ownerIndex, isPressed }: SessionSubject,
  token: string,
  nowMs: number,
): PageSession {
  return Object.freeze({
    orgId,
    mode,
    kind,
    paymentId,
    submissionId,
    accountId,
    ownerIndex,
    id: hashSessionToken(token),
    createdAtMs: nowMs,
    seenAtMs: nowMs,
    endsAtMs: nowMs + sessionLifeMs[kind],
    endedAtMs: null,
    isPressed: isPressed ?? false,
    version: 1,
  });
}

export function hashSessionToken(token: string): string {
  return hash('sha256', `page session ${token}`, 'hex');
}

/** When the session ends, by its age or by idleness. A link is not idle. */
export function sessionEnd({ kind, endsAtMs, seenAtMs }: PageSession): number {
  if (kind === 'seller_link' || kind === 'colleague') return endsAtMs;
  return Math.min(endsAtMs, seenAtMs + SESSION_IDLE_MS);
}

export function isSessionOver(session: PageSession, nowMs: number): boolean {
  return session.endedAtMs !== null || nowMs >= sessionEnd(session);
}

/** A page is probably open: its script shows a change within seconds. */
export function isWatching(session: PageSession, nowMs: number): boolean {
  return !isSessionOver(session, nowMs) && nowMs < session.seenAtMs + SESSION_WATCHES_MS;
}

/** Opened a page after the change at `atMs`; at that moment it may have shown the state before. */
export function hasSeen({ seenAtMs }: PageSession, atMs: number): boolean {
  return seenAtMs > atMs;
}
