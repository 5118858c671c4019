// Sessions: of buyers and sellers on the hosted pages, of people in the dashboard or with tokens of
// the API, of operators in the console. A cookie or a link is a random token, stored as a hash. The
// row ends the session on every host at once. Nothing moves `endsAtMs`.
import { hash } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/instant.js';
import type { Tenant } from '../base/tenant.js';
import type { RegisteredOperator, SignedCommand } from './registered-operator.js';

interface SessionRule {
  readonly lifeMs: number;
  /** Without a page for so long it ends; null: it may be idle. */
  readonly idleMs: number | null;
  /** What the path of a page names (page-route.ts) for the session to count there. */
  readonly opens: readonly string[];
}

export const SESSION_IDLE_MS = HOUR_MS;

const HALF_DAY_MS = 12 * HOUR_MS;
const idleMs = SESSION_IDLE_MS;

/** A kind of session has one row: how long it lives, how long it may be idle, and what it opens. */
export const sessionRules = {
  // A payment or a KYC form, after the mailbox was proven.
  buyer: { lifeMs: HALF_DAY_MS, idleMs, opens: ['payment', 'form'] },
  // The data of one beneficial owner.
  owner: { lifeMs: HALF_DAY_MS, idleMs, opens: ['owner'] },
  // Documents of one form, from a phone: pages of the KYC form alone.
  upload: { lifeMs: 10 * MINUTE_MS, idleMs: null, opens: ['payment', 'form', 'seller'] },
  // The onboarding of a connected account.
  seller: { lifeMs: HALF_DAY_MS, idleMs, opens: ['seller'] },
  // The link to it: it only makes such a session.
  seller_link: { lifeMs: 7 * DAY_MS, idleMs: null, opens: [] },
  // The bank details of one payment, read only. A treasurer pays once a week or so.
  colleague: { lifeMs: 14 * DAY_MS, idleMs: null, opens: ['colleague'] },
  // The proof of one settled payment, read only, for who checks the books of the payee.
  proof: { lifeMs: 14 * DAY_MS, idleMs: null, opens: ['proof'] },
  // The approval of one payment by a colleague, after the mailbox was proven.
  approver: { lifeMs: HALF_DAY_MS, idleMs, opens: ['approver'] },
  // A person with a cookie, in each organization of the person.
  member: { lifeMs: HALF_DAY_MS, idleMs, opens: ['dashboard'] },
  // Tokens of the API, of one organization in either mode.
  token: { lifeMs: HALF_DAY_MS, idleMs: null, opens: [] },
  // Less than COMMAND_LIFE_MS: the signature of its link still counts at its end.
  operator: { lifeMs: HALF_DAY_MS, idleMs, opens: ['console'] },
} as const satisfies Readonly<Record<string, SessionRule>>;

export type SessionKind = keyof typeof sessionRules;

/** The kinds that the rows of hosted pages have. */
export const pageSessionKinds = [
  'buyer',
  'owner',
  'upload',
  'seller',
  'seller_link',
  'colleague',
  'approver',
  'proof',
] as const satisfies readonly SessionKind[];
export type PageSessionKind = (typeof pageSessionKinds)[number];

/** What every row has. */
interface SessionRow {
  readonly id: string;
  readonly createdAtMs: number;
  readonly endsAtMs: number;
  /** When somebody ended it. */
  readonly endedAtMs: number | null;
  readonly version: number;
}

export interface PageSession extends Tenant, SessionRow {
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
  /** When its latest page was opened; mails depend on what was seen. */
  readonly seenAtMs: number;
  /**
   * A press on the button of a link began it, without the code of the mail and not in the browser
   * that asked for it: perhaps a gateway of mails. It decides nothing.
   */
  readonly isPressed: boolean;
}

/**
 * How a session began. `mail`: by the code of a mail, or in the browser that asked for it. `press`:
 * by its link elsewhere, perhaps by a gateway of mails: in live mode no fresh proof.
 * `operator`: for the person, who proved nothing.
 */
export const sessionBeginnings = ['mail', 'press', 'passkey', 'operator'] as const;
export type SessionBeginning = (typeof sessionBeginnings)[number];

/**
 * A session of a person. The cookie of the dashboard names it; or the tokens of one organization
 * name it. The person proves the mailbox, or uses a passkey, at its start, so dangerous actions
 * need a young one.
 */
export interface MemberSession extends SessionRow {
  readonly personId: string;
  /** The organization of its tokens; null with a cookie, which is of no organization. */
  readonly orgId: string | null;
  readonly began: SessionBeginning;
  /** The hash of the token in the cookie; null for a session without one. */
  readonly tokenHash: string | null;
  /** When it last opened a page, which keeps it from idling out; null without a cookie. */
  readonly seenAtMs: number | null;
  /** The operator who made it for the person; null: the person, or a development host. */
  readonly operatorId: string | null;
}

/**
 * A session of an operator in the console. A command that the operator signed makes a link, which
 * is opened once; the row of the link is then the session. Its changes carry that signature.
 */
export interface OperatorSession extends SessionRow {
  readonly operatorId: RegisteredOperator['id'];
  /** The command that made the link; null on a development host without operators. */
  readonly signed: SignedCommand | null;
  readonly linkHash: string;
  readonly linkEndsAtMs: number;
  /** The hash of the token in the cookie; null until the link is opened. */
  readonly tokenHash: string | null;
  readonly openedAtMs: number | null;
  /** When it last opened a page, which keeps it from idling out. */
  readonly seenAtMs: number | null;
}

export type AnySession = PageSession | MemberSession | OperatorSession;

export const CONSOLE_LINK_MS = 5 * MINUTE_MS;
/** How old a session may be for actions that need a fresh proof that the member is there. */
export const FRESH_MS = 10 * MINUTE_MS;
/** How long the latest page of a session probably stays open. */
const WATCHES_MS = 2 * MINUTE_MS;
/** Mails depend on `seenAtMs`, so it is not much older than the latest page. */
const SESSION_SEEN_EVERY_MS = SECOND_MS;
/** How long a session is kept after its creation: operators can see who signed in when. */
export const SESSION_RETENTION_MS = 30 * DAY_MS;

/** What a session on the hosted pages may see. */
export type SessionSubject = Tenant &
  Pick<PageSession, 'kind' | 'paymentId' | 'submissionId' | 'accountId' | 'ownerIndex'> &
  Partial<Pick<PageSession, 'isPressed'>>;

export function hashSessionToken(token: string): string {
  return hash('sha256', `page session ${token}`, 'hex');
}

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
    seenAtMs: nowMs,
    isPressed: isPressed ?? false,
    ...begun(kind, nowMs),
  });
}

export function newCookieSession(
  { id, personId, began }: Pick<MemberSession, 'id' | 'personId' | 'began'>,
  token: string,
  nowMs: number,
): MemberSession {
  const tokenHash = hashSessionToken(token);
  const free = { orgId: null, operatorId: null };
  const of = { id, personId, began, tokenHash, seenAtMs: nowMs };
  return Object.freeze({ ...of, ...free, ...begun('member', nowMs) });
}

/** A session of tokens for the API. */
export function newTokenSession(
  {
    id,
    personId,
    orgId,
    operatorId,
  }: Pick<MemberSession, 'id' | 'personId' | 'operatorId'> & { readonly orgId: string },
  nowMs: number,
): MemberSession {
  const of = { id, personId, orgId, operatorId, began: 'operator' } as const;
  return Object.freeze({ ...of, tokenHash: null, seenAtMs: null, ...begun('token', nowMs) });
}

export function newConsoleLink(
  { id, operatorId, signed }: Pick<OperatorSession, 'id' | 'operatorId' | 'signed'>,
  token: string,
  nowMs: number,
): OperatorSession {
  return Object.freeze({
    id,
    operatorId,
    signed,
    linkHash: hashSessionToken(token),
    linkEndsAtMs: nowMs + CONSOLE_LINK_MS,
    tokenHash: null,
    openedAtMs: null,
    seenAtMs: null,
    ...begun('operator', nowMs),
  });
}

function begun(kind: SessionKind, nowMs: number): Omit<SessionRow, 'id'> {
  const endsAtMs = nowMs + sessionRules[kind].lifeMs;
  return { createdAtMs: nowMs, endsAtMs, endedAtMs: null, version: 1 };
}

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

function sessionKind(session: AnySession): SessionKind {
  if ('kind' in session) return session.kind;
  if ('linkHash' in session) return 'operator';
  return session.tokenHash === null ? 'token' : 'member';
}

/** When the session ends, by its age or by idleness. A link that was not opened is no session. */
export function sessionEnd(session: AnySession): number {
  const { endsAtMs, seenAtMs } = session;
  const { idleMs } = sessionRules[sessionKind(session)];
  return idleMs === null ? endsAtMs : Math.min(endsAtMs, (seenAtMs ?? 0) + idleMs);
}

export function isSessionOpen(session: AnySession, nowMs: number): boolean {
  return session.endedAtMs === null && nowMs < sessionEnd(session);
}

/** The same session, which shows a page now; itself if it showed one in the last second. */
export function seenNow<S extends Pick<AnySession, 'seenAtMs'>>(session: S, nowMs: number): S {
  if (nowMs < (session.seenAtMs ?? 0) + SESSION_SEEN_EVERY_MS) return session;
  return Object.freeze({ ...session, seenAtMs: nowMs });
}

/** A page is probably open: its script shows a change within seconds. */
export function isWatching(session: PageSession, nowMs: number): boolean {
  return isSessionOpen(session, nowMs) && nowMs < session.seenAtMs + WATCHES_MS;
}

/** Opened a page after the change at `atMs`; at that moment it may have shown the state before. */
export function hasSeen({ seenAtMs }: PageSession, atMs: number): boolean {
  return seenAtMs > atMs;
}

/** Its person has just proven to be there. */
export function isFresh(
  { createdAtMs }: Pick<MemberSession, 'createdAtMs'>,
  nowMs: number,
): boolean {
  return nowMs < createdAtMs + FRESH_MS;
}
