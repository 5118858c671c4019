// What operators see of one payment: who pays whom, its money, its commands to the partner, what
// was decided about them, and what happened. The same in the CLI and in the console.
import { tenantOf } from '../../domain/base/tenant.js';
import type { MoneyCommand } from '../../domain/commands/partner-command.js';
import type { Quote } from '../../domain/commands/quote.js';
import type { PaymentView } from '../../domain/payments/change.js';
import type { Payment } from '../../domain/payments/payment.js';
import type { TimelineEntry } from '../../domain/payments/timeline.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { readHistory } from '../payments/timelines.js';
import { decisionsAbout, type ListedProposal } from './money-queues.js';

export interface PaymentCase extends PaymentView {
  readonly organization: { readonly id: string; readonly name: string };
  /** The price that counts; null before there is one. */
  readonly quote: Quote | null;
  readonly commands: readonly MoneyCommand[];
  /** About the payment and its commands, oldest first. */
  readonly decisions: readonly ListedProposal[];
  /** Without webhooks, oldest first. */
  readonly history: readonly TimelineEntry[];
}

/** A payment of any tenant, for operators. NotFound. */
export async function readPaymentCase(deps: Deps, id: string): Promise<PaymentCase> {
  const found = await deps.store.run(async (tx) => {
    const payment = await tx.payments.find(id);
    if (payment === null) throw new PonteError('NotFound');
    const tenant = tenantOf(payment);
    const { orgId, quoteId } = payment;
    const [view, organization, quote, commands] = await Promise.all([
      tx.views.get(tenant, id),
      tx.organizations.get(orgId),
      quoteId === null ? null : tx.quotes.get(tenant, quoteId),
      tx.commands.ofPayment(tenant, id),
    ]);
    if (view === null) throw new PonteError('NotFound');
    const items = [id, ...commands.map((command) => command.id)];
    const decisions = await decisionsAbout(tx, items, deps.clock.nowMs());
    const named = { id: orgId, name: organization?.name ?? orgId };
    return { ...view, organization: named, quote, commands, decisions };
  });
  return { ...found, history: await readHistory(deps, found.payment) };
}

export function payeeIn({ payment, organization }: Pick<PaymentCase, 'payment' | 'organization'>) {
  return payment.payeeName ?? organization.name;
}

export function payerIn({ buyer }: Pick<Payment, 'buyer'>): string {
  return buyer.name ?? buyer.email;
}
