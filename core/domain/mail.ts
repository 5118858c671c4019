// A mail: who gets it and what about, how far it got, and what its magic link to the hosted page is
// good for. A mail and its link are one row, because each link is sent once; a notice has no link.
// Its text is made by mail-template.ts. This file neither sends mails nor signs buyers in.
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

/** `refused`: the mail server takes it never. `dropped`: there was no use in it any more. */
export type MailStatus = keyof typeof mailMoves;
export type MailMove = MoveOf<typeof mailMoves>;
const mails = machine(mailMoves);
export const { states: mailStatuses, next: nextMailStatus } = mails;

/** How long the link of each kind of mail is good for, and a notice worth sending. */
export const linkLifeMs = {
  /** Of its own accord to somebody who may be away for some days. */
  invitation: 7 * DAY_MS,
  /** To somebody who asked for it and waits. */
  sign_in: 30 * MINUTE_MS,
  payout_changed: 7 * DAY_MS,
} as const satisfies Record<MailPurpose, number>;

/** `payout_changed` is a notice. The others carry a link to the page of a payment. */
export type MailPurpose = LinkPurpose | 'payout_changed';
export type LinkPurpose = 'invitation' | 'sign_in';

/** 256 bits: a link cannot be guessed, and a plain hash of it cannot be searched. */
export const LINK_TOKEN_BYTES = 32;
/** An invoice's buyer is sent one invitation in this time at most. */
export const INVITATION_PAUSE_MS = MINUTE_MS;
/** Mails of one purpose that an address is sent within the window at most. */
export const ADDRESS_MAILS_MAX = 5;
export const ADDRESS_WINDOW_MS = HOUR_MS;
/**
 * Whose mails to an address count together. Anybody can request a sign-in. For other purposes, an
 * organization neither uses up nor learns about the mails of another one.
 */
export const countedOver = {
  invitation: 'organization',
  sign_in: 'everybody',
  payout_changed: 'organization',
} as const satisfies Record<MailPurpose, 'organization' | 'everybody'>;
/** Longer than a mail server is waited for. */
export const MAIL_LEASE_MS = MINUTE_MS;
/** How long a mail is kept, with its address: far longer than any link, and to see what bounced. */
export const MAIL_KEPT_MS = 30 * DAY_MS;
/** Waits before a mail is tried again; the last one repeats until its link has ended. */
export const MAIL_BACKOFF_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
] as const;

export interface Mail extends Tenant, Leased {
  /** Also its Message-ID: sent twice, it is the same mail. */
  readonly id: string;
  readonly purpose: MailPurpose;
  /** Where its link leads; null of a notice. */
  readonly paymentId: string | null;
  /** The seller that a notice is about; null where it is about the organization itself. */
  readonly accountId: string | null;
  readonly to: string;
  /** `to` as addresses are compared. */
  readonly toKey: string;
  /** Counts the mails of this purpose to the address, from one; null for old ones. */
  readonly nth: number | null;
  /** Null of a notice. */
  readonly tokenHash: string | null;
  /** The link's token, sealed; null once the mail has ended, and of a notice. */
  readonly tokenSealed: string | null;
  readonly linkEndsAtMs: number;
  readonly linkUsedAtMs: number | null;
  readonly status: MailStatus;
  /** Times that a worker claimed it. */
  readonly tries: number;
  readonly sentAtMs: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

/** How a try ended. `later`: not taken, or nobody knows. */
export type MailOutcome =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'later'; readonly reason: string }
  | { readonly outcome: 'refused'; readonly reason: string };

export const mailPurposes = Object.keys(linkLifeMs) as readonly MailPurpose[];

/** A new mail, due at once. */
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

/** What is stored of a link's token. */
export function hashLinkToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** What a mail's token is sealed for: no other mail can carry it. */
export function tokenPurpose({ id }: Pick<Mail, 'id'>): string {
  return `mail ${id}`;
}

/**
 * The number of the next mail to an address after the newest ones of its purpose (newest first,
 * ADDRESS_MAILS_MAX of them), and how long until it may be sent: 0 when it may be now.
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

/** How long until the buyer may be invited (again) after the last invitation: 0 when it may be. */
export function invitationWaitMs(invitedAtMs: number | null, nowMs: number): number {
  if (invitedAtMs === null || isFromWrongClock(invitedAtMs, nowMs)) return 0;
  return Math.max(0, invitedAtMs + INVITATION_PAUSE_MS - nowMs);
}

/** Nothing is to come of it any more, and nobody looks for it after so long. */
export function isForgettable({ status, createdAtMs }: Mail, nowMs: number): boolean {
  return nextMailStatus(status, 'drop') === null && nowMs >= createdAtMs + MAIL_KEPT_MS;
}

/** Its link no longer signs in, or the notice is too old: the mail is no longer needed. */
export function isLinkOver({ linkEndsAtMs, linkUsedAtMs }: Mail, nowMs: number): boolean {
  return linkUsedAtMs !== null || nowMs >= linkEndsAtMs;
}

/** The one sign-in that a link is good for. */
export function linkUsed(mail: Mail, nowMs: number): Mail {
  assert(!isLinkOver(mail, nowMs), 'a link is used once, in its time');
  return Object.freeze({ ...mail, linkUsedAtMs: nowMs });
}

/**
 * The mail after a try. That the lease is still the sender's is checked by the caller: a late
 * answer changes nothing.
 */
export function mailTried(mail: Mail, result: MailOutcome, nowMs: number): Mail {
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

/** It is not sent (any more), because there is no use in it. */
export function dropMail(mail: Mail, reason: string): Mail {
  return ended(mail, 'drop', { lastError: reason });
}

/** The token is for the mail alone: what has ended keeps its hash only. */
function ended(mail: Mail, move: MailMove, fields: Partial<Mail>): Mail {
  return step(mail, move, { ...fields, tokenSealed: null, dueAtMs: null });
}

function step(mail: Mail, move: MailMove, fields: Partial<Mail>): Mail {
  const status = mails.step(mail.status, move);
  return Object.freeze({ ...mail, ...fields, status, leaseToken: null });
}
