// Links with which a member lets somebody read the proof of one payment, such as an accountant or a
// bank. A link is the token of a session that reads one page until it ends; it is not used up.
import { tenantOf } from '../../domain/base/tenant.js';
import type { Payment } from '../../domain/payments/payment.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { makeSession } from '../access/page-sessions.js';

export interface ProofLink {
  /** With the token; it is shown once. */
  readonly url: string;
  readonly endsAtMs: number;
}

/** PaymentStateConflict before the settlement. */
export async function createProofLink(
  deps: Deps,
  payment: Pick<Payment, 'id' | 'orgId' | 'mode' | 'settledAtMs'>,
): Promise<ProofLink> {
  if (payment.settledAtMs === null) throw new PonteError('PaymentStateConflict');
  const { token, session } = makeSession(deps, {
    ...tenantOf(payment),
    kind: 'proof',
    paymentId: payment.id,
    submissionId: null,
    accountId: null,
    ownerIndex: null,
  });
  await deps.store.run(async (tx) => tx.pageSessions.insert(session));
  const url = `${deps.settings.payUrl}/proof/${payment.id}?token=${token}`;
  return { url, endsAtMs: session.endsAtMs };
}
