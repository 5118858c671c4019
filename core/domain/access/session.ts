// Sessions: of buyers and sellers on the hosted pages, of people in the dashboard or with tokens of
// the API, of operators in the console. A cookie or a link is a random token, stored as a hash. The
// row ends the session on every host at once. Nothing moves `endsAtMs`.
import { hash } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/instant.js';
import type { Mode, Tenant } from '../base/tenant.js';
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
export const sessionKinds = Object.keys(sessionRules) as readonly SessionKind[];

/** The kinds of the hosted pages: one payment, form or seller of a tenant, or a part of it. */
export type PageSessionKind = Exclude<SessionKind, 'member' | 'token' | 'operator'>;
export const pageSessionKinds = sessionKinds.filter(
  (kind): kind is PageSessionKind => !['member', 'token', 'operator'].includes(kind),
);

/** The kinds of the hosted pages that count where the path of a page names this. */
export function kindsOpening(subject: string): readonly PageSessionKind[] {
  return pageSessionKinds.filter((kind) =>
    (sessionRules[kind].opens as readonly string[]).includes(subject),
  );
}

/**
 * How a session began. `mail`: by the code of a mail, or in the browser that asked for it. `press`:
 * by its link elsewhere, perhaps by a gateway of mails: in live mode no fresh proof, and on the
 * hosted pages it decides nothing. `operator`: for the person, who proved nothing.
 */
export const sessionBeginnings = ['mail', 'press', 'passkey', 'operator'] as const;
export type SessionBeginning = (typeof sessionBeginnings)[number];

/** A row; what its kind has no use for is null. */
export interface AnySession {
  /** On the hosted pages it is the hash of the token. */
  readonly id: string;
  readonly kind: SessionKind;
  /** Its token is in the cookie; null for tokens of the API, and before a link is opened. */
  readonly tokenHash: string | null;
  /** On the hosted pages, and of tokens of the API: a cookie of a person is of no organization. */
  readonly orgId: string | null;
  readonly mode: Mode | null;
  /** Null for a form without a payment. */
  readonly paymentId: string | null;
  /** The KYC submission of a session without a payment, an owner or an upload. */
  readonly submissionId: string | null;
  /** The connected account of a seller, its link or its upload. */
  readonly accountId: string | null;
  /** The position of an owner in the dossier. */
  readonly ownerIndex: number | null;
  /** Who proved a mailbox, or used a passkey, at the start of a member's session. */
  readonly personId: string | null;
  /** Whose session it is; of tokens, who made them for the person (null: the person). */
  readonly operatorId: RegisteredOperator['id'] | null;
  readonly began: SessionBeginning | null;
  /** The command that made the link of an operator; null on a development host without them. */
  readonly signed: SignedCommand | null;
  /** An operator opens a link once; its row is then the session. */
  readonly linkHash: string | null;
  readonly createdAtMs: number;
  /** When its latest page was opened, which keeps it from idling out; mails depend on it. */
  readonly seenAtMs: number | null;
  readonly endsAtMs: number;
  /** When somebody ended it. */
  readonly endedAtMs: number | null;
  readonly version: number;
}

export type PageSession = AnySession & Tenant & { readonly kind: PageSessionKind };
export type MemberSession = AnySession & {
  readonly kind: 'member' | 'token';
  readonly personId: string;
  readonly began: SessionBeginning;
};
export type OperatorSession = AnySession & {
  readonly kind: 'operator';
  readonly operatorId: string;
};

/** The rows of these kinds. */
export type SessionOf<K extends SessionKind> = K extends PageSessionKind
  ? PageSession
  : K extends 'operator'
    ? OperatorSession
    : MemberSession;

export function isOfKind<K extends SessionKind>(
  session: AnySession,
  kinds: readonly K[],
): session is SessionOf<K> {
  return (kinds as readonly SessionKind[]).includes(session.kind);
}

export const CONSOLE_LINK_MS = 5 * MINUTE_MS;
/** How old a session may be for actions that need a fresh proof that the member is there. */
export const FRESH_MS = 10 * MINUTE_MS;
/** How long the latest page of a session probably stays open. */
const WATCHES_MS = 2 * MINUTE_MS;
/** Mails depend on `seenAtMs`, so it is not much older than the latest page. */
const SESSION_SEEN_EVERY_MS = SECOND_MS;
/** How long a session is kept after its creation: operators can see who signed in when. */
export const SESSION_RETENTION_MS = 30 * DAY_MS;

/** What a session of the hosted pages is about. */
type SessionNames = Pick<AnySession, 'paymentId' | 'submissionId' | 'accountId' | 'ownerIndex'>;
export type SessionAbout = Partial<SessionNames>;

/** What a session on the hosted pages may see. */
export type SessionSubject = Tenant &
  SessionNames &
  Pick<PageSession, 'kind'> &
  Partial<Pick<PageSession, 'began'>>;

export function hashSessionToken(token: string): string {
  return hash('sha256', `page session ${token}`, 'hex');
}

export function newPageSession(
  { orgId, mode, kind, paymentId, submissionId, accountId, ownerIndex, began }: SessionSubject,
  token: string,
  nowMs: number,
): PageSession {
  const about = { paymentId, submissionId, accountId, ownerIndex, began: began ?? null };
  const id = hashSessionToken(token);
  return newSession({ ...unused, id, kind, orgId, mode, ...about }, token, nowMs);
}

/** What a kind of session leaves out. */
export const unused = {
  orgId: null,
  mode: null,
  paymentId: null,
  submissionId: null,
  accountId: null,
  ownerIndex: null,
  personId: null,
  operatorId: null,
  began: null,
  signed: null,
  linkHash: null,
} as const;

type Begins = 'tokenHash' | 'createdAtMs' | 'seenAtMs' | 'endsAtMs' | 'endedAtMs' | 'version';

/** `token` is that of the cookie; null without one, or before it. */
export function newSession<S extends Omit<AnySession, Begins>>(
  of: S,
  token: string | null,
  nowMs: number,
): S & Pick<AnySession, Begins> {
  const endsAtMs = nowMs + sessionRules[of.kind].lifeMs;
  const times = { createdAtMs: nowMs, endsAtMs, endedAtMs: null, version: 1 };
  const seenAtMs = token === null ? null : nowMs;
  return Object.freeze({ ...of, tokenHash: token && hashSessionToken(token), seenAtMs, ...times });
}

/** A link that is not opened by then never is. */
export function linkEnd({ createdAtMs }: OperatorSession): number {
  return createdAtMs + CONSOLE_LINK_MS;
}

/** `over`: its time has ended, or a later link or a sign-out ended it. */
export function linkStateOf(link: OperatorSession, nowMs: number): 'valid' | 'used' | 'over' {
  if (link.tokenHash !== null) return 'used';
  return link.endedAtMs === null && nowMs < linkEnd(link) ? 'valid' : 'over';
}

/** When the session ends, by its age or by idleness. A link that was not opened is no session. */
export function sessionEnd(session: AnySession): number {
  const { endsAtMs, seenAtMs } = session;
  const { idleMs } = sessionRules[session.kind];
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
  return isSessionOpen(session, nowMs) && nowMs < (session.seenAtMs ?? 0) + WATCHES_MS;
}

/** Opened a page after the change at `atMs`; at that moment it may have shown the state before. */
export function hasSeen({ seenAtMs }: PageSession, atMs: number): boolean {
  return (seenAtMs ?? 0) > atMs;
}

/** Its person has just proven to be there. */
export function isFresh(
  { createdAtMs }: Pick<MemberSession, 'createdAtMs'>,
  nowMs: number,
): boolean {
  return nowMs < createdAtMs + FRESH_MS;
}
