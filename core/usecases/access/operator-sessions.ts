// Sessions of operators in the console: a signed command makes a link, the link is opened once, and
// each request reads the operator again, so that a removal takes effect on the next one.

import {
  isActiveOperator,
  isOfDatabase,
  operatorActor,
} from '../../domain/access/registered-operator.js';
import {
  hashSessionToken,
  linkStateOf,
  newSession,
  type OperatorSession,
  unused,
} from '../../domain/access/session.js';
import { developmentOperator, type OperatorActor } from '../../domain/base/actor.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { endAll, newToken } from '../service/tokens.js';
import { openSession } from './open-sessions.js';
import { type CommandIdentity, databaseNameIn, expectOperator } from './registered-operators.js';

type SessionContext = Pick<Deps, 'store' | 'ids' | 'clock'>;

/** Who has a page of the console open. */
export interface SignedInOperator {
  readonly session: OperatorSession;
  readonly actor: OperatorActor;
}

/** An operator has one link or session at a time: this ends the others. The token is not stored. */
export async function makeConsoleLink(
  { store, ids, clock }: SessionContext,
  { actor, signed }: CommandIdentity,
): Promise<{ readonly token: string; readonly link: OperatorSession }> {
  const token = newToken({ ids });
  const nowMs = clock.nowMs();
  const of = {
    kind: 'operator',
    id: ids.next('ops', nowMs),
    operatorId: actor.id,
    signed,
  } as const;
  const linkHash = hashSessionToken(token);
  const link = newSession({ ...unused, ...of, linkHash }, null, nowMs);
  await store.run(
    async (tx) => {
      endAll(tx, await tx.sessions.ofOperator(actor.id), nowMs);
      tx.sessions.insert(link);
    },
    { inQuarantine: true },
  );
  return { token, link };
}

/** Looking at a link changes nothing. Null if it is unknown, or its operator was removed. */
export function readConsoleLink({ store, clock }: SessionContext, token: string) {
  return store.run(async (tx) => {
    const link = await tx.sessions.byLink(hashSessionToken(token));
    const actor = link === null ? null : await actorIn(tx, link);
    if (link === null || actor === null) return null;
    return { state: linkStateOf(link, clock.nowMs()), actor, signed: link.signed };
  });
}

/** InvalidSignInLink, if it was opened before, is over or unknown. */
export async function openConsoleLink(
  { store, ids, clock }: SessionContext,
  linkToken: string,
): Promise<{ readonly token: string } & SignedInOperator> {
  const token = newToken({ ids });
  const signedIn = await store.run(
    async (tx) => {
      const link = await tx.sessions.byLink(hashSessionToken(linkToken));
      const actor = link === null ? null : await actorIn(tx, link);
      const nowMs = clock.nowMs();
      if (link === null || actor === null || linkStateOf(link, nowMs) !== 'valid') {
        throw new PonteError('InvalidSignInLink');
      }
      await expectOperator(tx, actor);
      const tokenHash = hashSessionToken(token);
      const session = Object.freeze({ ...link, tokenHash, seenAtMs: nowMs });
      tx.sessions.update(session);
      return { session, actor };
    },
    { inQuarantine: true },
  );
  return { token, ...signedIn };
}

/**
 * Whose cookie it is; null if the session is over, its operator was removed, or the database was
 * restored since. Records that a page is shown, except for a `background` request.
 */
export async function readOperatorSession(
  deps: Pick<Deps, 'store' | 'clock'>,
  token: string,
  shown: { readonly background?: boolean } = {},
): Promise<SignedInOperator | null> {
  const found = await openSession(deps, ['operator'], token, shown, actorIn);
  return found && { session: found.session, actor: found.holder };
}

/** Null once the operator was removed, or with a signature for another database. */
async function actorIn(
  tx: Tx,
  { operatorId, signed }: OperatorSession,
): Promise<OperatorActor | null> {
  if (signed === null) {
    const isFree = operatorId === developmentOperator.id && (await tx.operators.first()) === null;
    return isFree ? developmentOperator : null;
  }
  const operator = await tx.operators.get(operatorId);
  if (operator === null || !isActiveOperator(operator)) return null;
  return isOfDatabase(signed, await databaseNameIn(tx)) ? operatorActor(operator) : null;
}
