// A session of a person. The cookie of the dashboard names it, and it acts in each organization of
// the person; or the tokens of one organization name it, in either mode. The row ends them on every
// host at once. It has an absolute end: another token of the session does not live longer. The
// person proves the mailbox, or uses a passkey, at its start, so dangerous actions need a young
// one.
import { HOUR_MS, MINUTE_MS } from '../base/instant.js';
import { hashSessionToken, SESSION_IDLE_MS } from './page-session.js';

export const SESSION_MS = 12 * HOUR_MS;
/** How old a session may be for actions that need a fresh proof that the member is there. */
export const FRESH_MS = 10 * MINUTE_MS;

/**
 * How a session began. `mail`: by the code of a mail, or in the browser that asked for it. `press`:
 * by its link elsewhere, perhaps by a gateway of mails: in live mode no fresh proof.
 * `operator`: for the person, who proved nothing.
 */
export const sessionBeginnings = ['mail', 'press', 'passkey', 'operator'] as const;
export type SessionBeginning = (typeof sessionBeginnings)[number];

export interface MemberSession {
  readonly id: string;
  readonly personId: string;
  /** The organization of its tokens; null with a cookie, which is of no organization. */
  readonly orgId: string | null;
  readonly began: SessionBeginning;
  readonly createdAtMs: number;
  readonly endsAtMs: number;
  /** When the person, or an operator, ended it. */
  readonly endedAtMs: number | null;
  /** The hash of the token in the cookie; null for a session without one. */
  readonly tokenHash: string | null;
  /** When it last opened a page, which keeps it from idling out; null without a cookie. */
  readonly seenAtMs: number | null;
  /** The operator who made it for the person; null: the person, or a development host. */
  readonly operatorId: string | null;
  readonly version: number;
}

type Begun = Pick<MemberSession, 'id' | 'personId' | 'began'>;

/** A session with a cookie of this token. */
export function newCookieSession(of: Begun, token: string, nowMs: number): MemberSession {
  return newSession(of, nowMs, {
    orgId: null,
    tokenHash: hashSessionToken(token),
    seenAtMs: nowMs,
    operatorId: null,
  });
}

/** A session of tokens for the API. */
export function newTokenSession(
  of: Omit<Begun, 'began'> & Pick<MemberSession, 'operatorId'> & { readonly orgId: string },
  nowMs: number,
): MemberSession {
  const { id, personId, orgId, operatorId } = of;
  const begun = { id, personId, began: 'operator' } as const;
  return newSession(begun, nowMs, { orgId, tokenHash: null, seenAtMs: null, operatorId });
}

function newSession(
  { id, personId, began }: Begun,
  nowMs: number,
  fields: Pick<MemberSession, 'orgId' | 'tokenHash' | 'seenAtMs' | 'operatorId'>,
): MemberSession {
  return Object.freeze({
    id,
    personId,
    began,
    createdAtMs: nowMs,
    endsAtMs: nowMs + SESSION_MS,
    endedAtMs: null,
    ...fields,
    version: 1,
  });
}

/** When the session ends, by its age or by idleness. */
export function memberSessionEnd({ endsAtMs, seenAtMs }: MemberSession): number {
  return seenAtMs === null ? endsAtMs : Math.min(endsAtMs, seenAtMs + SESSION_IDLE_MS);
}

export function isOpenSession(session: MemberSession, nowMs: number): boolean {
  return session.endedAtMs === null && nowMs < memberSessionEnd(session);
}

/** Its person has just proven to be there. */
export function isFresh(
  { createdAtMs }: Pick<MemberSession, 'createdAtMs'>,
  nowMs: number,
): boolean {
  return nowMs < createdAtMs + FRESH_MS;
}
