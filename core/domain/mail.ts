// A mail and the magic link to the hosted page that it contains. They are one row, because each
// link is sent once; a notice has no link.
import { hash } from 'node:crypto';
import { assert } from '../errors.js';
import { DAY_MS, HOUR_MS, isFromWrongClock, MINUTE_MS, SECOND_MS } from './instant.js';
import { backoffMs, type Leased } from './lease.js';
import { type MoveOf, machine } from './machine.js';
import type { Tenant } from './tenant.js';

export const mailMoves = {
  pending: { sent: 'sent', later: 'pending', refused: 'refused', drop: 'dropped' },
  sent: {},
  refused: {},
  dropped: {},
} as const;

/** `refused`: by the mail server. `dropped`: no longer needed. */
export type MailStatus = keyof typeof mailMoves;
export type MailMove = MoveOf<typeof mailMoves>;
const mails = machine(mailMoves);
export const { states: mailStatuses, next: nextMailStatus } = mails;

/** How long the link of a mail is valid, or a notice worth sending. */
export const linkLifeMs = {
  /** The recipient may be away for some days. */
  invitation: 7 * DAY_MS,
  /** The recipient requested it and waits. */
  sign_in: 30 * MINUTE_MS,
  payout_changed: 7 * DAY_MS,
} as const satisfies Record<MailPurpose, number>;

/** `payout_changed` is a notice. The others carry a link to the page of a payment. */
export type MailPurpose = LinkPurpose | 'payout_changed';
export type LinkPurpose = 'invitation' | 'sign_in';

/** 256 bits: its plain hash cannot be searched. */
export const LINK_TOKEN_BYTES = 32;
/** Between two invitations to the buyer of an invoice. */
export const INVITATION_PAUSE_MS = MINUTE_MS;
/** Mails of one purpose to an address within the window. */
export const ADDRESS_MAILS_MAX = 5;
export const ADDRESS_WINDOW_MS = HOUR_MS;
/**
 * The scope of that limit. Anybody can request a sign-in. For other purposes, an organization
 * neither uses up nor detects the mails of another one.
 */
export const countedOver = {
  invitation: 'organization',
  sign_in: 'mode',
  payout_changed: 'organization',
} as const satisfies Record<MailPurpose, 'organization' | 'mode'>;
/** Longer than the timeout of the mail server. */
export const MAIL_LEASE_MS = MINUTE_MS;
/** After this a mail is deleted with its address. Until then operators can see what bounced. */
export const MAIL_RETENTION_MS = 30 * DAY_MS;
/** Waits before a retry; the last one repeats until the link expires. */
export const MAIL_BACKOFF_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
] as const;

export interface Mail extends Tenant, Leased {
  /** Also its Message-ID, so that a mail sent twice is one mail. */
  readonly id: string;
  readonly purpose: MailPurpose;
  /** Null for a notice. */
  readonly paymentId: string | null;
  /** The seller that a notice is about; null for the organization itself. */
  readonly accountId: string | null;
  readonly to: string;
  /** `emailKey` of `to`. */
  readonly toKey: string;
  /** Counts the mails of this purpose to the address, from 1; null: not counted. */
  readonly nth: number | null;
  /** Null for a notice. */
  readonly tokenHash: string | null;
  /** Null once the mail has ended, and for a notice. */
  readonly tokenSealed: string | null;
  readonly linkEndsAtMs: number;
  readonly linkUsedAtMs: number | null;
  readonly status: MailStatus;
  /** Counted when a worker claims it. */
  readonly tries: number;
  readonly sentAtMs: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

/** `later`: not accepted, or unknown. */
export type MailOutcome =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'later'; readonly reason: string }
  | { readonly outcome: 'refused'; readonly reason: string };

export const mailPurposes = Object.keys(linkLifeMs) as readonly MailPurpose[];

export function newMail(
  fields: Tenant &
    Pick<Mail, 'id' | 'purpose' | 'paymentId' | 'accountId' | 'to' | 'toKey' | 'nth'> &
    Pick<Mail, 'tokenHash' | 'tokenSealed'>,
  nowMs: number,
): Mail {
  return Object.freeze({
    ...fields,
    linkEndsAtMs: nowMs + linkLifeMs[fields.purpose],
    linkUsedAtMs: null,
    status: 'pending',
    tries: 0,
    dueAtMs: nowMs,
    leaseToken: null,
    lastError: null,
    sentAtMs: null,
    createdAtMs: nowMs,
    version: 1,
  });
}

export function hashLinkToken(token: string): string {
  return hash('sha256', token, 'hex');
}

export function tokenPurpose({ id }: Pick<Mail, 'id'>): string {
  return `mail ${id}`;
}

/**
 * The number of the next mail to an address, and how long until it may be sent; 0 for now. `newest`
 * are the latest ADDRESS_MAILS_MAX mails of its purpose, newest first.
 */
export function nextMail(
  newest: readonly Pick<Mail, 'nth' | 'createdAtMs'>[],
  nowMs: number,
): { readonly nth: number; readonly waitMs: number } {
  const counted = newest.filter(({ createdAtMs }) => !isFromWrongClock(createdAtMs, nowMs));
  const oldest = counted[ADDRESS_MAILS_MAX - 1];
  const nth = (newest[0]?.nth ?? 0) + 1;
  const freeAtMs = oldest === undefined ? nowMs : oldest.createdAtMs + ADDRESS_WINDOW_MS;
  return { nth, waitMs: Math.max(0, freeAtMs - nowMs) };
}

/** How long until the buyer may be invited again; 0 for now. */
export function invitationWaitMs(invitedAtMs: number | null, nowMs: number): number {
  if (invitedAtMs === null || isFromWrongClock(invitedAtMs, nowMs)) return 0;
  return Math.max(0, invitedAtMs + INVITATION_PAUSE_MS - nowMs);
}

export function isExpiredMail({ status, createdAtMs }: Mail, nowMs: number): boolean {
  return nextMailStatus(status, 'drop') === null && nowMs >= createdAtMs + MAIL_RETENTION_MS;
}

/** Its link no longer signs in, or the notice is too old. */
export function isLinkExpired({ linkEndsAtMs, linkUsedAtMs }: Mail, nowMs: number): boolean {
  return linkUsedAtMs !== null || nowMs >= linkEndsAtMs;
}

export function linkUsed(mail: Mail, nowMs: number): Mail {
  assert(!isLinkExpired(mail, nowMs), 'a link is used once, before it expires');
  return Object.freeze({ ...mail, linkUsedAtMs: nowMs });
}

/** The mail after a try. The caller checks that the sender still holds the lease. */
export function afterTry(mail: Mail, result: MailOutcome, nowMs: number): Mail {
  switch (result.outcome) {
    case 'sent':
      return ended(mail, 'sent', { lastError: null, sentAtMs: nowMs });
    case 'refused':
      return ended(mail, 'refused', { lastError: result.reason });
    case 'later':
      return step(mail, 'later', {
        dueAtMs: nowMs + backoffMs(MAIL_BACKOFF_MS, mail.tries - 1),
        lastError: result.reason,
      });
  }
}

export function dropMail(mail: Mail, reason: string): Mail {
  return ended(mail, 'drop', { lastError: reason });
}

/** Only the hash of the token is needed after the mail was sent. */
function ended(mail: Mail, move: MailMove, fields: Partial<Mail>): Mail {
  return step(mail, move, { ...fields, tokenSealed: null, dueAtMs: null });
}

function step(mail: Mail, move: MailMove, fields: Partial<Mail>): Mail {
  const status = mails.step(mail.status, move);
  return Object.freeze({ ...mail, ...fields, status, leaseToken: null });
}
