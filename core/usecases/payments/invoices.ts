// What only invoices have: the invitation of the buyer by mail. The rest is in payments.ts.
import { SECOND_MS } from '../../domain/base/instant.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { ADDRESS_MAILS_MAX, invitationWaitMs } from '../../domain/mail/mail.js';
import type { PaymentAggregate } from '../../domain/payments/change.js';
import { readDisplay } from '../../domain/payments/display.js';
import type { Payment } from '../../domain/payments/payment.js';
import { invited } from '../../domain/payments/payment-transitions.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { mailNumber, stageLink } from '../mail/mails.js';
import { type BindKey, noKey } from '../service/repeated-actions.js';
import { changePayment } from './payment-store.js';

/** How a buyer is invited. */
export interface Invitation {
  readonly bindKey?: BindKey;
  /** `within_limits`: no mail where it would be refused. */
  readonly mail?: 'always' | 'within_limits' | 'never';
}

/**
 * Mails the buyer of an approved invoice a link, or another one while it awaits the buyer.
 * InvoiceNotApproved in other statuses; InvitationLimitExceeded for the invoice or the address.
 * Without a mail the page of the invoice opens all the same.
 */
export async function inviteBuyer(
  deps: Deps,
  tenant: Tenant,
  id: string,
  { bindKey = noKey, mail = 'always' }: Invitation = {},
): Promise<Payment> {
  const { payment } = await changePayment(deps, tenant, id, async (was, tx) => {
    const nowMs = deps.clock.nowMs();
    await bindKey(tx, nowMs);
    const change = invited(invoiceOnly(was), nowMs);
    const { invitedAtMs, buyer } = was.payment;
    const to = { ...tenantOf(tenant), purpose: 'invitation', address: buyer.email } as const;
    const { nth, waitMs } = await mailNumber(tx, to, nowMs);
    if (mail === 'never') return change;
    const pauseMs = invitationWaitMs(invitedAtMs, nowMs);
    const limitedMs = Math.max(waitMs, pauseMs);
    const subject = { kind: 'payment', paymentId: id } as const;
    const locale = readDisplay(was.payment.display)?.locale ?? 'en';
    const link = { ...to, subject, nth, locale, browserHash: null };
    if (limitedMs === 0) stageLink(deps, tx, link, nowMs);
    else if (mail === 'always') throw invitedEnough(waitMs > 0 ? buyer.email : null, limitedMs);
    return change;
  });
  deps.wake('mails');
  return payment;
}

/** `address`: it has had its mails; null: the invoice was just invited to. */
function invitedEnough(address: string | null, waitMs: number): PonteError {
  const retryAfterSeconds = Math.ceil(waitMs / SECOND_MS);
  const limit =
    address === null
      ? 'The buyer of this invoice was invited less than a minute ago.'
      : `${address} was sent ${ADDRESS_MAILS_MAX} invitations within an hour, the most that an ` +
        'address gets from an organization.';
  const message =
    `${limit} Nothing was changed. Retry after ${retryAfterSeconds}s, or send ` +
    '{"notifyBuyer": false}: it opens the invoice without a mail, and you send its ' +
    'hostedPaymentUrl to the buyer.';
  return new PonteError('InvitationLimitExceeded', message, { retryAfterSeconds });
}

function invoiceOnly(was: PaymentAggregate): PaymentAggregate {
  if (was.payment.origin !== 'invoice') throw new PonteError('NotFound');
  return was;
}
