// A session of a member. Its tokens, of either mode, name it, and the cookie of the dashboard; the
// row ends them on every host at once. It has an absolute end: another token of the session does
// not live longer. The member proves the mailbox, or uses a passkey, at its start, so dangerous
// actions need a young one.
import { HOUR_MS, MINUTE_MS } from '../base/instant.js';
import { hashSessionToken, SESSION_IDLE_MS } from './page-session.js';

export const SESSION_MS = 12 * HOUR_MS;
/** How old a session may be for actions that need a fresh proof that the member is there. */
export const FRESH_MS = 10 * MINUTE_MS;

export interface MemberSession {
  readonly orgId: string;
  readonly id: string;
  readonly memberId: string;
  readonly createdAtMs: number;
  readonly endsAtMs: number;
  /** When the member, or an operator, ended it. */
  readonly endedAtMs: number | null;
  /** The hash of the token in the cookie; null for a session without one. */
  readonly tokenHash: string | null;
  /** When it last opened a page, which keeps it from idling out; null without a cookie. */
  readonly seenAtMs: number | null;
  /** The operator who made it for the member; null: the member, who proved to be there. */
  readonly operatorId: string | null;
  readonly version: number;
}

export function newMemberSession(
  of: Pick<MemberSession, 'orgId' | 'id' | 'memberId'>,
  nowMs: number,
  token: string | null = null,
  operatorId: string | null = null,
): MemberSession {
  const { orgId, id, memberId } = of;
  return Object.freeze({
    orgId,
    id,
    memberId,
    createdAtMs: nowMs,
    endsAtMs: nowMs + SESSION_MS,
    endedAtMs: null,
    tokenHash: token === null ? null : hashSessionToken(token),
    seenAtMs: token === null ? null : nowMs,
    operatorId,
    version: 1,
  });
}

/** When the session ends, by its age or by idleness. */
export function memberSessionEnd({ endsAtMs, seenAtMs }: MemberSession): number {
  return seenAtMs === null ? endsAtMs : Math.min(endsAtMs, seenAtMs + SESSION_IDLE_MS);
}

export function isOpenSession(session: MemberSession, ofMemberId: string, nowMs: number): boolean {
  const { memberId, endedAtMs } = session;
  return memberId === ofMemberId && endedAtMs === null && nowMs < memberSessionEnd(session);
}

/** Its member has just proven to be there. */
export function isFresh({ createdAtMs }: MemberSession, nowMs: number): boolean {
  return nowMs < createdAtMs + FRESH_MS;
}
