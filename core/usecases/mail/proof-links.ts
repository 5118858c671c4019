// Links to the proof of one payment, read only: members give them to an accountant or a bank, and
// the payee gets one by mail. A link is the token of a session that reads one page until it ends;
// it is not used up.
import { hashSessionToken, isSessionOpen, newPageSession } from '../../domain/access/session.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import type { Payment } from '../../domain/payments/payment.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { endAll, newToken } from '../service/tokens.js';

export interface ProofLink {
  /** With the token; it is shown once. */
  readonly url: string;
  readonly endsAtMs: number;
}

/** The same link for the same token. PaymentStateConflict before the settlement. */
export async function createProofLink(
  deps: Deps,
  payment: Pick<Payment, 'id' | 'orgId' | 'mode' | 'settledAtMs'>,
  token = newToken(deps),
): Promise<ProofLink> {
  if (payment.settledAtMs === null) throw new PonteError('PaymentStateConflict');
  const none = { submissionId: null, accountId: null, ownerIndex: null } as const;
  const subject = { ...tenantOf(payment), ...none, kind: 'proof', paymentId: payment.id } as const;
  const { endsAtMs } = await deps.store.run(async (tx) => {
    const known = await tx.sessions.byToken(['proof'], hashSessionToken(token));
    if (known !== null) return known;
    const session = newPageSession(subject, token, deps.clock.nowMs());
    tx.sessions.insert(session);
    return session;
  });
  return { url: `${deps.settings.payUrl}/proof/${payment.id}?token=${token}`, endsAtMs };
}

/** Links that can still be opened, the one in the mail to the payee included. */
export function countProofLinks(deps: Deps, tenant: Tenant, paymentId: string): Promise<number> {
  const nowMs = deps.clock.nowMs();
  return deps.store.run(async (tx) => {
    const sessions = await tx.sessions.open(tenant, ['proof'], { paymentId });
    return sessions.filter((session) => isSessionOpen(session, nowMs)).length;
  });
}

/** From now on none of them opens the proof. */
export function endProofLinks(deps: Deps, tenant: Tenant, paymentId: string): Promise<void> {
  const endedAtMs = deps.clock.nowMs();
  return deps.store.run(async (tx) => {
    const sessions = await tx.sessions.open(tenant, ['proof'], { paymentId });
    endAll(tx, sessions, endedAtMs);
  });
}
