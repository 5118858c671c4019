// What a buyer has paid, or was asked to pay, to an organization in one year. A session proves the
// mailbox of one payment; it reads the others of the same mailbox.
import { tenantOf } from '../../domain/base/tenant.js';
import {
  isPageOpen,
  type Payment,
  type PaymentStatus,
  paymentStatuses,
} from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import { openPage } from './payment-page.js';

/** Read at a time. */
const BATCH = 200;

/** Newest first, by the year of their creation in UTC. NotFound as in `openPage`. */
export async function readBuyerPayments(
  deps: Pick<Deps, 'store'>,
  publicId: string,
  year: number,
): Promise<readonly Payment[]> {
  const payment = await deps.store.run((tx) => openPage(tx, publicId));
  const found: Payment[] = [];
  for (const status of paymentStatuses) found.push(...(await ofYear(deps, payment, status, year)));
  return found.filter(isPageOpen).toSorted((one, other) => other.createdAtMs - one.createdAtMs);
}

async function ofYear(
  { store }: Pick<Deps, 'store'>,
  { buyerId, ...payment }: Payment,
  status: PaymentStatus,
  year: number,
): Promise<readonly Payment[]> {
  const untilMs = Date.UTC(year + 1, 0);
  const found: Payment[] = [];
  let from = { fromMs: Date.UTC(year, 0), afterId: '' };
  for (;;) {
    const page = { ...from, limit: BATCH };
    const read = await store.run((tx) =>
      tx.payments.ofBuyer(tenantOf(payment), buyerId, status, page),
    );
    found.push(...read.filter(({ createdAtMs }) => createdAtMs < untilMs));
    const last = read.at(-1);
    if (last === undefined || read.length < BATCH || last.createdAtMs >= untilMs) return found;
    from = { fromMs: last.createdAtMs, afterId: last.id };
  }
}
