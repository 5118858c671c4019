// Inviting the buyers of many invoices: each buyer gets one mail that lists its invoices. The
// invoices of a buyer and its mail are one batch, so that a crash between two buyers leaves both
// whole; repeated with its key, the rest is invited and nobody is mailed twice.
import { emailKey } from '../../domain/base/email-address.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { invitationWaitMs } from '../../domain/mail/mail.js';
import { earliestFirst } from '../../domain/mail/reminder.js';
import type { Change, PaymentAggregate } from '../../domain/payments/change.js';
import { readDisplay } from '../../domain/payments/display.js';
import type { Payment } from '../../domain/payments/payment.js';
import { invited } from '../../domain/payments/payment-transitions.js';
import { isCode, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { mailNumber, stageLink } from '../mail/mails.js';
import { type ActionEnd, type BindKey, noKey, onceByKey } from '../service/repeated-actions.js';
import { announce, loadPayment, stageChange } from './payment-store.js';

export const invitationEnds = ['sent', 'opened', 'limited', 'not_approved', 'not_found'] as const;

export interface InvitedInvoice {
  readonly id: string;
  /** `sent`: the mail that lists it is queued, or was by the same key. `opened`: without a mail. */
  readonly end: (typeof invitationEnds)[number];
  /** How long a limited one waits; else 0. */
  readonly waitMs: number;
  /** Null if it was not found. */
  readonly payment: Payment | null;
}

/**
 * Answers for each id, in their order. The limits are those of one invitation; the one of an
 * address counts mails. Without mails the pages open, and no limit applies.
 * IdempotencyKeyConflict for a key of another request: its buyers would be mailed.
 */
export async function inviteBuyers(
  deps: Deps,
  tenant: Tenant,
  ids: readonly string[],
  idempotencyKey: string | null,
  isMailed = true,
): Promise<ActionEnd<readonly InvitedInvoice[]>> {
  const distinct = [...new Set(ids)];
  const found = await deps.store.run((tx) =>
    Promise.all(distinct.map((id) => tx.payments.get(tenant, id))),
  );
  const invoices = found.flatMap((payment) => (payment?.origin === 'invoice' ? [payment] : []));
  const [leader] = invoices;
  // The key is bound to the first invoice of the request.
  const action = {
    action: 'invite_many',
    key: leader === undefined ? null : idempotencyKey,
    id: leader?.id ?? '',
    body: { invoiceIds: distinct.toSorted(), notifyBuyer: isMailed },
  } as const;
  const invite = (bindKey: BindKey) =>
    inviteFound(deps, ids, invoices, { tenant, idempotencyKey, isMailed, bindKey });
  return onceByKey(deps, tenant, action, invite, (mismatch) => {
    if (mismatch.length === 0) return invite(noKey);
    const message = 'This Idempotency-Key is of another request. Send the same one, or a new key.';
    throw new PonteError('IdempotencyKeyConflict', message);
  });
}

async function inviteFound(
  deps: Deps,
  ids: readonly string[],
  invoices: readonly Payment[],
  { bindKey, ...by }: By & { readonly bindKey: BindKey },
): Promise<readonly InvitedInvoice[]> {
  const buyers = Map.groupBy(invoices, ({ buyer }) => emailKey(buyer.email));
  const ends = new Map<string, InvitedInvoice>();
  const invite = async (ofBuyer: readonly Payment[], bind: BindKey) => {
    const changes: Change[] = [];
    const invitedNow = await deps.store.run(async (tx) => {
      changes.length = 0;
      await bind(tx, deps.clock.nowMs());
      return inviteTogether(deps, tx, ofBuyer, { ...by, changes });
    });
    for (const change of changes) announce(deps, change);
    for (const one of invitedNow) ends.set(one.id, one);
  };
  // The first one binds the key. The store writes the batches of the others together.
  const [first, ...others] = buyers.values();
  if (first !== undefined) await invite(first, bindKey);
  await Promise.all(others.map((ofBuyer) => invite(ofBuyer, noKey)));
  deps.wake('mails');
  return ids.map(
    (id) => ends.get(id) ?? { id, end: 'not_found' as const, waitMs: 0, payment: null },
  );
}

interface By {
  readonly tenant: Tenant;
  readonly idempotencyKey: string | null;
  readonly isMailed: boolean;
}

interface Together extends By {
  /** Filled with what is stored. */
  readonly changes: Change[];
}

/** The invoices of one buyer. */
async function inviteTogether(
  deps: Deps,
  tx: Tx,
  payments: readonly Payment[],
  { tenant, idempotencyKey, isMailed, changes }: Together,
): Promise<readonly InvitedInvoice[]> {
  const nowMs = deps.clock.nowMs();
  const done = isMailed ? 'sent' : 'opened';
  const ends: InvitedInvoice[] = [];
  const ready: { readonly was: PaymentAggregate; readonly change: Change }[] = [];
  for (const { id } of payments) {
    const was = await loadPayment(tx, tenant, id);
    const end = (of: InvitedInvoice['end'], waitMs = 0) =>
      ends.push({ id, end: of, waitMs, payment: was.payment });
    const key = `${idempotencyKey}\n${id}`;
    if (idempotencyKey !== null && (await tx.idempotency.find(tenant, key)) !== null) {
      end(done);
      continue;
    }
    const change = changeOf(was, nowMs);
    const waitMs = isMailed ? invitationWaitMs(was.payment.invitedAtMs, nowMs) : 0;
    if (change === null) end('not_approved');
    else if (waitMs > 0) end('limited', waitMs);
    else ready.push({ was, change });
  }
  const first = firstDue(ready.map(({ was }) => was.payment));
  if (first === null) return ends;
  const to = { ...tenantOf(tenant), purpose: 'invitation', address: first.buyer.email } as const;
  const { nth, waitMs } = await mailNumber(tx, to, nowMs);
  if (isMailed && waitMs > 0) {
    const limited = ready.map(({ was: { payment } }) => {
      return { id: payment.id, end: 'limited', waitMs, payment } as const;
    });
    return [...ends, ...limited];
  }
  const subject = { kind: 'payment', paymentId: first.id } as const;
  const locale = readDisplay(first.display)?.locale ?? 'en';
  if (isMailed) stageLink(deps, tx, { ...to, subject, nth, locale, browserHash: null }, nowMs);
  for (const { was, change } of ready) {
    const { id } = was.payment;
    if (idempotencyKey !== null) {
      tx.idempotency.bind(tenant, `${idempotencyKey}\n${id}`, 'invoice', id, nowMs);
    }
    const stored = await stageChange(deps, tx, was, change);
    changes.push(stored);
    ends.push({ id, end: done, waitMs: 0, payment: stored.payment });
  }
  return ends;
}

/** Null unless its buyer can be invited. */
function changeOf(was: PaymentAggregate, nowMs: number): Change | null {
  try {
    return invited(was, nowMs);
  } catch (error) {
    if (isCode(error, 'InvoiceNotApproved')) return null;
    throw error;
  }
}

/** The page that the mail opens. */
function firstDue(payments: readonly Payment[]): Payment | null {
  const [first = null] = payments.toSorted(earliestFirst);
  return first;
}
