// Sessions: one reader, one sign-out and one deletion for all kinds, and what those of the hosted
// pages have besides. The token is in a cookie; the store has its hash. sign-ins.ts starts those
// that follow from a mail.
import {
  type AnySession,
  hashSessionToken,
  isSessionOpen,
  newPageSession,
  type PageSession,
  type PageSessionKind,
  pageSessionKinds,
  SESSION_RETENTION_MS,
  type SessionKind,
  type SessionOf,
  type SessionSubject,
  seenNow,
} from '../../domain/access/session.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { endAll, newToken } from '../service/tokens.js';

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
 * The open session of one of these kinds that has the token, and its holder. Null if there is none,
 * or `holderOf` knows nobody. Records that a page is shown, except for a `background` request.
 */
export async function openSession<K extends SessionKind, H>(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  kinds: readonly K[],
  token: string,
  { background = false }: { readonly background?: boolean },
  holderOf: (tx: Tx, session: SessionOf<K>) => Promise<H | null>,
): Promise<{ readonly session: SessionOf<K>; readonly holder: H } | null> {
  const hash = hashSessionToken(token);
  return store.run(
    async (tx) => {
      const session = await tx.sessions.byToken(kinds, hash);
      const holder = session && (await holderOf(tx, session));
      const nowMs = clock.nowMs();
      if (session === null || holder === null || !isSessionOpen(session, nowMs)) return null;
      const seen = background ? session : seenNow(session, nowMs);
      if (seen !== session) tx.sessions.touch(seen);
      return { session: seen, holder };
    },
    { inQuarantine: true },
  );
}

/** A session on the hosted pages; null if it is unknown or over. */
export async function readSession(
  deps: Deps,
  kinds: readonly PageSessionKind[],
  token: string,
  shown: { readonly background?: boolean } = {},
): Promise<PageSession | null> {
  const found = await openSession(deps, kinds, token, shown, async (_, { kind }) => kind);
  return found?.session ?? null;
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
  const session = await tx.sessions.get(pageSessionKinds, id);
  const accountId = session?.kind === 'seller' ? session.accountId : null;
  const open =
    session === null || accountId === null
      ? []
      : await tx.sessions.open(session, ['seller', 'seller_link'], { accountId });
  // A phone of the seller goes on.
  const others = open.filter((one) => one.id !== id);
  return () => {
    if (session === null || session.endedAtMs !== null) throw new PonteError('InvalidToken');
    tx.sessions.expect(session);
    endAll(tx, others, nowMs);
  };
}

/** A repeat, or an unknown session, changes nothing. */
export async function endSession(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { kind, id }: Pick<AnySession, 'kind' | 'id'>,
): Promise<void> {
  await store.run(
    async (tx) => {
      const session = await tx.sessions.get([kind], id);
      if (session?.endedAtMs === null) endAll(tx, [session], clock.nowMs());
    },
    { inQuarantine: true },
  );
}

/** Deletes old sessions; returns how many. */
export async function runSessionDeletion(
  deps: Deps,
  nowMs: number,
  limit: number,
): Promise<number> {
  return deps.store.run(async (tx) => {
    const old = await tx.sessions.createdBefore(nowMs - SESSION_RETENTION_MS, limit);
    for (const session of old) tx.sessions.remove(session);
    return old.length;
  });
}
