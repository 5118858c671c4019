// One sign-in proves the mailbox for all payments that it was asked for by an organization: its
// other open payments are signed in to as well, and the page of any of them opens without a mail.
// The approval of a buyer's colleague stays with its payment.
import type { PageSession } from '../../domain/access/session.js';
import type { Locale } from '../../domain/base/locale.js';
import { tenantOf } from '../../domain/base/tenant.js';
import {
  isPageOpen,
  nextStatus,
  type Payment,
  paymentStatuses,
} from '../../domain/payments/payment.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { guardSession, makeSession } from '../access/open-sessions.js';
import { signIn } from './buyer-steps.js';

/** The newest of each status: no more are paid together, and the list opens the others. */
const COVERED_MAX = 20;

/** Statuses in which a payment waits for the sign-in of its buyer. */
const awaiting = paymentStatuses.filter((status) => nextStatus(status, 'sign_in') !== null);

/** Signs the buyer in to its other payments that wait for that. */
export async function signInToOthers(deps: Deps, signedIn: Payment): Promise<void> {
  const tenant = tenantOf(signedIn);
  const place = { fromMs: 0, beforeMs: deps.clock.nowMs() + 1, beforeId: '', limit: COVERED_MAX };
  const found = await deps.store.run((tx) =>
    Promise.all(
      awaiting.map((status) => tx.payments.newestOfBuyer(tenant, signedIn.buyerId, status, place)),
    ),
  );
  for (const payment of found.flat()) {
    if (payment.id !== signedIn.id && isPageOpen(payment)) await signIn(deps, tenant, payment.id);
  }
}

/**
 * A session of another payment of the same mailbox, which ends when this one would have ended.
 * NotFound for a payment of another buyer, organization or mode; InvalidToken if this one was
 * ended.
 */
export async function openOther(
  deps: Deps,
  session: PageSession,
  paymentId: string,
  locale: Locale,
) {
  const tenant = tenantOf(session);
  const { token, session: made } = makeSession(deps, { ...session, paymentId });
  const opened = { ...made, endsAtMs: Math.min(made.endsAtMs, session.endsAtMs) };
  const payment = await deps.store.run(async (tx) => {
    const [own, other] = await Promise.all([
      tx.payments.get(tenant, session.paymentId ?? ''),
      tx.payments.get(tenant, paymentId),
    ]);
    const isOwn = other !== null && own !== null && other.buyerId === own.buyerId;
    if (!isOwn || !isPageOpen(other)) throw new PonteError('NotFound');
    return other;
  });
  await signIn(deps, tenant, payment.id, {
    locale,
    async prove(tx) {
      (await guardSession(tx, session, deps.clock.nowMs()))();
      tx.sessions.insert(Object.freeze(opened));
    },
  });
  return { token, session: opened, payment };
}
