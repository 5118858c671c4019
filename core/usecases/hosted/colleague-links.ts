// Links with which a buyer lets colleagues see the bank details of one payment. A link is the token
// of a session that reads one page: it is not used up, so that a treasurer may come back. The buyer
// lists and ends them; the page ends with the need for money.
import { isSessionOpen, type PageSession } from '../../domain/access/session.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { hostedPath } from '../../domain/hosted/hosted-page.js';
import type { Payment } from '../../domain/payments/payment.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { makeSession } from '../access/open-sessions.js';
import { endAll } from '../service/tokens.js';

/** Open links of one payment. */
export const COLLEAGUE_LINKS_MAX = 5;

export interface ColleagueLink extends Pick<PageSession, 'id' | 'createdAtMs' | 'endsAtMs'> {
  /** When it was opened last; null before the first time. */
  readonly openedAtMs: number | null;
}

/** The open links of a payment, oldest first. */
export async function colleagueLinks(
  deps: Deps,
  payment: Payment,
): Promise<readonly ColleagueLink[]> {
  const open = await deps.store.run((tx) => openLinks(deps, tx, payment, payment.id));
  return open.map(({ id, createdAtMs, endsAtMs, seenAtMs }) => {
    return {
      id,
      createdAtMs,
      endsAtMs,
      openedAtMs: (seenAtMs ?? 0) > createdAtMs ? seenAtMs : null,
    };
  });
}

/** Returns its address, with the token; it is shown once. PaymentStateConflict at the limit. */
export async function createColleagueLink(deps: Deps, payment: Payment): Promise<string> {
  const { token, session } = makeSession(deps, {
    ...tenantOf(payment),
    kind: 'colleague',
    paymentId: payment.id,
    submissionId: null,
    accountId: null,
    ownerIndex: null,
  });
  await deps.store.run(async (tx) => {
    const open = await openLinks(deps, tx, payment, payment.id);
    if (open.length >= COLLEAGUE_LINKS_MAX) throw new PonteError('PaymentStateConflict');
    tx.sessions.insert(session);
  });
  const page = hostedPath({ kind: 'payment', publicId: payment.publicId });
  return `${deps.settings.payUrl}${page}/colleague?token=${token}`;
}

/** A repeat, and a link of another payment, change nothing. */
export async function endColleagueLink(deps: Deps, payment: Payment, id: string): Promise<void> {
  await deps.store.run(async (tx) => {
    const open = await openLinks(deps, tx, payment, payment.id);
    const chosen = open.filter((one) => one.id === id);
    endAll(tx, chosen, deps.clock.nowMs());
  });
}

async function openLinks(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  paymentId: string,
): Promise<readonly PageSession[]> {
  const links = await tx.sessions.open(tenant, ['colleague'], { paymentId });
  return links
    .filter((link) => isSessionOpen(link, deps.clock.nowMs()))
    .toSorted((left, right) => left.createdAtMs - right.createdAtMs);
}
