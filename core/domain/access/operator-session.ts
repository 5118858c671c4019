// A session of an operator in the console. A command that the operator signed makes a link, which
// is opened once; the row of the link is then the session. Its changes carry that signature.
import { HOUR_MS, MINUTE_MS } from '../base/instant.js';
import { hashSessionToken, SESSION_IDLE_MS } from './page-session.js';
import type { RegisteredOperator, SignedCommand } from './registered-operator.js';

/** How long a link opens a session. */
export const CONSOLE_LINK_MS = 5 * MINUTE_MS;
/** Less than COMMAND_LIFE_MS: the signature still counts at its end. */
export const OPERATOR_SESSION_MS = 12 * HOUR_MS;

export interface OperatorSession {
  readonly id: string;
  readonly operatorId: RegisteredOperator['id'];
  /** The command that made the link; null on a development host without operators. */
  readonly signed: SignedCommand | null;
  readonly linkHash: string;
  readonly linkEndsAtMs: number;
  readonly createdAtMs: number;
  /** The hash of the token in the cookie; null until the link is opened. */
  readonly tokenHash: string | null;
  readonly openedAtMs: number | null;
  /** When it last opened a page, which keeps it from idling out. */
  readonly seenAtMs: number | null;
  readonly endsAtMs: number;
  readonly endedAtMs: number | null;
  readonly version: number;
}

export function newConsoleLink(
  of: Pick<OperatorSession, 'id' | 'operatorId' | 'signed'>,
  token: string,
  nowMs: number,
): OperatorSession {
  const { id, operatorId, signed } = of;
  return Object.freeze({
    id,
    operatorId,
    signed,
    linkHash: hashSessionToken(token),
    linkEndsAtMs: nowMs + CONSOLE_LINK_MS,
    createdAtMs: nowMs,
    tokenHash: null,
    openedAtMs: null,
    seenAtMs: null,
    endsAtMs: nowMs + OPERATOR_SESSION_MS,
    endedAtMs: null,
    version: 1,
  });
}

/** The link was opened. */
export function openedSession(
  link: OperatorSession,
  token: string,
  nowMs: number,
): OperatorSession {
  const tokenHash = hashSessionToken(token);
  return Object.freeze({ ...link, tokenHash, openedAtMs: nowMs, seenAtMs: nowMs });
}

/** `over`: its time has ended, or a later link or a sign-out ended it. */
export function linkStateOf(link: OperatorSession, nowMs: number): 'valid' | 'used' | 'over' {
  if (link.openedAtMs !== null) return 'used';
  return link.endedAtMs === null && nowMs < link.linkEndsAtMs ? 'valid' : 'over';
}

/** By its age or by idleness. */
export function operatorSessionEnd({ endsAtMs, seenAtMs }: OperatorSession): number {
  return Math.min(endsAtMs, (seenAtMs ?? 0) + SESSION_IDLE_MS);
}

export function isOperatorSessionOpen(session: OperatorSession, nowMs: number): boolean {
  return session.endedAtMs === null && nowMs < operatorSessionEnd(session);
}
