// What operators see of one payment: who pays whom, its money, its commands to the partner, what
// was decided about them, and what happened. The same in the CLI and in the console.
import { type Mode, modes, tenantOf } from '../../domain/base/tenant.js';
import { readCode } from '../../domain/payments/bank-record.js';
import { externalIdIn, type Payment, paymentOrigins } from '../../domain/payments/payment.js';
import { expectFound, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { ListPage, Tx } from '../../ports/storage.js';
import { readHistory } from '../payments/timelines.js';
import { decisionsAbout } from './money-queues.js';

/** Changes of a destination that are shown. */
const CHANGES_MAX = 5;

export type PaymentCase = Awaited<ReturnType<typeof readPaymentCase>>;

/** A payment of any tenant, for operators, with what was decided about it. NotFound. */
export async function readPaymentCase(deps: Deps, id: string) {
  const found = await deps.store.run(async (tx) => {
    const payment = expectFound(await tx.payments.find(id));
    const tenant = tenantOf(payment);
    const { orgId, quoteId } = payment;
    const [view, organization, quote, commands] = await Promise.all([
      tx.views.get(tenant, id),
      tx.organizations.get(orgId),
      quoteId === null ? null : tx.quotes.get(tenant, quoteId),
      tx.commands.ofPayment(tenant, id),
    ]);
    if (view === null) throw new PonteError('NotFound');
    const destinations = await destinationsOf(tx, payment);
    const items = [id, ...commands.map((command) => command.id)];
    const decisions = await decisionsAbout(tx, items, deps.clock.nowMs());
    const named = { id: orgId, name: organization?.name ?? orgId };
    return { ...view, organization: named, quote, commands, decisions, destinations };
  });
  return { ...found, history: await readHistory(deps, found.payment) };
}

async function destinationsOf(tx: Tx, payment: Payment) {
  const tenant = tenantOf(payment);
  const { sellerExternalId } = payment;
  if (sellerExternalId === null) return tx.destinationChanges.ofPayee(tenant, null, CHANGES_MAX);
  const account = await tx.accounts.byExternalId(tenant, sellerExternalId);
  return account === null ? [] : tx.destinationChanges.ofPayee(tenant, account.id, CHANGES_MAX);
}

interface Asked extends ListPage {
  /** An id, a page and its check code, or within an organization an externalId; null: all. */
  readonly q: string | null;
  readonly orgId: string | null;
  readonly mode: Mode | null;
}

/** Payments of all tenants, for operators, newest first, with the name of their organization. */
export function findForOperator({ store }: Pick<Deps, 'store'>, asked: Asked) {
  const { q, orgId, mode, limit } = asked;
  const isAsked = (payment: Payment) =>
    (orgId === null || payment.orgId === orgId) && (mode === null || payment.mode === mode);
  return store.run(async (tx) => {
    const found =
      q === null
        ? await tx.payments.list({ status: null, orgId, beforeId: asked.beforeId, limit })
        : await namedBy(tx, q, orgId);
    const named = new Map((await tx.organizations.list()).map(({ id, name }) => [id, name]));
    return found
      .filter(isAsked)
      .map((payment) => ({ payment, organization: named.get(payment.orgId) ?? payment.orgId }));
  });
}

async function namedBy(tx: Tx, q: string, orgId: string | null): Promise<readonly Payment[]> {
  const externalId = externalIdIn(q);
  const [page, code] = q.split(/\s+/, 2).map(readCode);
  const given = page && code ? await tx.bankDetails.byCode(page, code) : null;
  const ids = [q, ...(given === null ? [] : [given.paymentId])];
  const within = orgId === null ? [] : modes.map((mode) => ({ orgId, mode }));
  const found = await Promise.all([
    ...ids.map((id) => tx.payments.find(id)),
    ...within.flatMap((tenant) =>
      paymentOrigins.map((origin) => tx.payments.byExternalId(tenant, origin, externalId)),
    ),
  ]);
  return found.filter((payment) => payment !== null);
}

export function payeeIn({ payment, organization }: Pick<PaymentCase, 'payment' | 'organization'>) {
  return payment.payeeName ?? organization.name;
}

export function payerIn({ buyer }: Pick<Payment, 'buyer'>): string {
  return buyer.name ?? buyer.email;
}
