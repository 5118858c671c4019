// What only invoices have: the invitation of the buyer by mail. The rest is in payments.ts.
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { invitationWaitMs } from '../../domain/mail/mail.js';
import { type PaymentAggregate, unchanged } from '../../domain/payments/change.js';
import { readDisplay } from '../../domain/payments/display.js';
import type { Payment } from '../../domain/payments/payment.js';
import { invited } from '../../domain/payments/payment-transitions.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { mailNumber, stageLink } from '../mail/mails.js';
import { rateLimited } from '../service/rate-limits.js';
import { changePayment } from './payment-store.js';

/** How a buyer is invited. */
export interface Invitation {
  /** With the key of an earlier invitation to the same invoice nothing is mailed. */
  readonly idempotencyKey?: string | null;
  readonly whenLimited?: 'refuse' | 'without a mail';
}

/**
 * Mails the buyer of an approved invoice a link, or another one while it awaits the buyer.
 * InvoiceNotApproved in other statuses; IdempotencyKeyConflict for the key of another invoice. At
 * the limit of the invoice or the address it either refuses with RateLimitExceeded or opens the
 * invoice `without a mail`.
 */
export async function inviteBuyer(
  deps: Deps,
  tenant: Tenant,
  id: string,
  { idempotencyKey = null, whenLimited = 'refuse' }: Invitation = {},
): Promise<Payment> {
  const { payment } = await changePayment(deps, tenant, id, async (was, tx) => {
    const nowMs = deps.clock.nowMs();
    if (idempotencyKey !== null) {
      const key = `${idempotencyKey}${OF_INVITATION}`;
      const bound = await tx.idempotency.find(tenant, key);
      if (bound?.resourceId === id) return unchanged(was);
      if (bound !== null) throw invitationKeyConflict();
      tx.idempotency.bind(tenant, key, 'invoice', id, nowMs);
    }
    const change = invited(invoiceOnly(was), nowMs);
    const { invitedAtMs, buyer } = was.payment;
    const to = { ...tenantOf(tenant), purpose: 'invitation', address: buyer.email } as const;
    const { nth, waitMs } = await mailNumber(tx, to, nowMs);
    const limitedMs = Math.max(waitMs, invitationWaitMs(invitedAtMs, nowMs));
    const subject = { kind: 'payment', paymentId: id } as const;
    const locale = readDisplay(was.payment.display)?.locale ?? 'en';
    const link = { ...to, subject, nth, locale, browserHash: null };
    if (limitedMs === 0) stageLink(deps, tx, link, nowMs);
    else if (whenLimited === 'refuse') throw rateLimited(limitedMs);
    return change;
  });
  deps.wake('mails');
  return payment;
}

/** No key of a create has it: they are printable. */
const OF_INVITATION = '\n';

function invitationKeyConflict(): PonteError {
  const message = 'This Idempotency-Key invited the buyer of another invoice. Send a new key.';
  return new PonteError('IdempotencyKeyConflict', message);
}

function invoiceOnly(was: PaymentAggregate): PaymentAggregate {
  if (was.payment.origin !== 'invoice') throw new PonteError('NotFound');
  return was;
}
