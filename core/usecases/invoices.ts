// What only invoices have: a list, the approval by a second person, and the invitation of the buyer
// by mail. An invoice is a payment, so creating, reading and cancelling one stand in payments.ts.
import {
  approved,
  type Collection,
  invited,
  type PaymentView,
  unchanged,
} from '../domain/collection.js';
import { mayInvite } from '../domain/mail.js';
import type { Payment } from '../domain/payment.js';
import type { Tenant } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps, InvoiceFilter } from '../ports.js';
import { changeCollection, readView } from './collections.js';
import { stageMail } from './mails.js';

/** Newest first. */
export async function listInvoices(
  deps: Deps,
  tenant: Tenant,
  filter: InvoiceFilter,
): Promise<readonly PaymentView[]> {
  return deps.store.run((tx) => tx.views.listInvoices(tenant, filter));
}

/**
 * A member approves an invoice that another one, or a key, created; else SelfApprovalNotAllowed.
 * One that is approved stays as it is; past that it is PaymentStateConflict.
 */
export async function approveInvoice(
  deps: Deps,
  tenant: Tenant,
  id: string,
  memberId: string,
): Promise<PaymentView> {
  await changeCollection(deps, tenant, id, (was) =>
    approved(invoiceOnly(was), memberId, deps.clock.nowMs()),
  );
  return readView(deps, tenant, id);
}

/**
 * Sends the buyer of an approved invoice a link by mail; another one while it awaits the buyer, but
 * none within the pause after the last. InvoiceNotApproved in any other status.
 */
export async function inviteBuyer(deps: Deps, tenant: Tenant, id: string): Promise<Payment> {
  const { payment } = await changeCollection(deps, tenant, id, (was, tx) => {
    const nowMs = deps.clock.nowMs();
    const change = invited(invoiceOnly(was), nowMs);
    if (!mayInvite(was.payment.invitedAtMs, nowMs)) return unchanged(was);
    stageMail(deps, tx, change.payment, { purpose: 'invitation', nth: null }, nowMs);
    return change;
  });
  deps.wake('mails');
  return payment;
}

function invoiceOnly(was: Collection): Collection {
  if (was.payment.origin !== 'invoice') throw new PonteError('NotFound');
  return was;
}
