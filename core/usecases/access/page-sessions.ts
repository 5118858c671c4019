// Sessions on the hosted pages: start, use, end and deletion. The token is in a cookie; the store
// has its hash. sign-ins.ts starts those that follow from a mail.
import {
  hashSessionToken,
  isSessionOpen,
  newPageSession,
  type PageSession,
  SESSION_RETENTION_MS,
  type SessionSubject,
  seenNow,
} from '../../domain/access/session.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { newToken } from '../service/tokens.js';

export interface NewSession {
  /** For the cookie; it is not stored. */
  readonly token: string;
  readonly session: PageSession;
}

/** A session to be stored. */
export function makeSession(deps: Deps, subject: SessionSubject): NewSession {
  const token = newToken(deps);
  return { token, session: newPageSession(subject, token, deps.clock.nowMs()) };
}

/**
 * Null if the session is unknown or over. Records that a page is shown, except for a `background`
 * request, which shows none.
 */
export async function readSession(
  deps: Deps,
  token: string,
  { background = false }: { readonly background?: boolean } = {},
): Promise<PageSession | null> {
  const id = hashSessionToken(token);
  return deps.store.run(
    async (tx) => {
      const session = await tx.pageSessions.byId(id);
      const nowMs = deps.clock.nowMs();
      if (session === null || !isSessionOpen(session, nowMs)) return null;
      const seen = background ? session : seenNow(session, nowMs);
      if (seen !== session) tx.pageSessions.touch(seen);
      return seen;
    },
    { inQuarantine: true },
  );
}

/**
 * Reads the session for a batch that it changes something in. A seller that stores something is a
 * person, so its link and the other sessions that the link began end. InvalidToken if it was ended.
 */
export async function guardSession(
  tx: Tx,
  { id }: Pick<PageSession, 'id'>,
  nowMs: number,
): Promise<() => void> {
  const session = await tx.pageSessions.byId(id);
  const accountId = session?.kind === 'seller' ? session.accountId : null;
  const open =
    session === null || accountId === null
      ? []
      : await tx.pageSessions.openOfAccount(session, accountId);
  // A phone of the seller goes on.
  const others = open.filter((one) => one.id !== id && one.kind !== 'upload');
  return () => {
    if (session === null || session.endedAtMs !== null) throw new PonteError('InvalidToken');
    tx.pageSessions.expect(session);
    for (const other of others) tx.pageSessions.update({ ...other, endedAtMs: nowMs });
  };
}

/** A repeat, or an unknown token, changes nothing. */
export async function endSession(deps: Deps, token: string): Promise<void> {
  const id = hashSessionToken(token);
  await deps.store.run(
    async (tx) => {
      const session = await tx.pageSessions.byId(id);
      if (session === null || session.endedAtMs !== null) return;
      tx.pageSessions.update({ ...session, endedAtMs: deps.clock.nowMs() });
    },
    { inQuarantine: true },
  );
}

/** Deletes old sessions, also those of members and operators; returns how many. */
export async function runSessionDeletion(
  deps: Deps,
  nowMs: number,
  limit: number,
): Promise<number> {
  return deps.store.run(async (tx) => {
    const beforeMs = nowMs - SESSION_RETENTION_MS;
    const [ofPages, ofMembers, ofOperators] = await Promise.all([
      tx.pageSessions.createdBefore(beforeMs, limit),
      tx.memberSessions.createdBefore(beforeMs, limit),
      tx.operatorSessions.createdBefore(beforeMs, limit),
    ]);
    for (const session of ofPages) tx.pageSessions.remove(session);
    for (const session of ofMembers) tx.memberSessions.remove(session);
    for (const session of ofOperators) tx.operatorSessions.remove(session);
    return ofPages.length + ofMembers.length + ofOperators.length;
  });
}
