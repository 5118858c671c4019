// Tokens of sessions and links, and the end of what they open. A cookie or an address has the
// token, the store its hash alone. What the token is for is part of the hashed text.
import type { AnySession } from '../../domain/access/session.js';
import { linkText } from '../../domain/base/link-text.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';

/** 256 bits: a plain hash of it cannot be searched. */
export const TOKEN_BYTES = 32;

export function newToken({ ids }: Pick<Deps, 'ids'>): string {
  return linkText(ids.randomBytes(TOKEN_BYTES));
}

/** Their tokens open nothing from the next request on. */
export function endAll<S extends AnySession>(
  tx: Tx,
  sessions: readonly S[],
  endedAtMs: number,
): readonly S[] {
  const ended = sessions.map((session) => Object.freeze({ ...session, endedAtMs }));
  for (const session of ended) tx.sessions.update(session);
  return ended;
}
