// A session of the hosted pages without the mail or the link that starts one.
import type { SessionSubject } from '../../../core/domain/access/session.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { Deps } from '../../../core/ports/deps.js';
import { makeSession, type NewSession } from '../../../core/usecases/access/open-sessions.js';

export function buyerSubject({ orgId, mode }: Tenant, paymentId: string): SessionSubject {
  const none = { submissionId: null, accountId: null, ownerIndex: null };
  return { orgId, mode, kind: 'buyer', paymentId, ...none };
}

export async function startSession(deps: Deps, subject: SessionSubject): Promise<NewSession> {
  const made = makeSession(deps, subject);
  await deps.store.run(async (tx) => tx.sessions.insert(made.session));
  return made;
}
