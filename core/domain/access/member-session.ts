// A session of a member. Its tokens, of either mode, name it; the row ends them on every host at
// once. It has an absolute end: another token of the session does not live longer.
import { HOUR_MS } from '../base/instant.js';

export const SESSION_MS = 12 * HOUR_MS;

export interface MemberSession {
  readonly orgId: string;
  readonly id: string;
  readonly memberId: string;
  readonly createdAtMs: number;
  readonly endsAtMs: number;
  /** When the member, or an operator, ended it. */
  readonly endedAtMs: number | null;
  readonly version: number;
}

export function newMemberSession(
  of: Pick<MemberSession, 'orgId' | 'id' | 'memberId'>,
  nowMs: number,
): MemberSession {
  const { orgId, id, memberId } = of;
  const ends = { endsAtMs: nowMs + SESSION_MS, endedAtMs: null };
  return Object.freeze({ orgId, id, memberId, createdAtMs: nowMs, ...ends, version: 1 });
}

export function isOpenSession(
  { memberId, endsAtMs, endedAtMs }: MemberSession,
  ofMemberId: string,
  nowMs: number,
): boolean {
  return memberId === ofMemberId && endedAtMs === null && nowMs < endsAtMs;
}
