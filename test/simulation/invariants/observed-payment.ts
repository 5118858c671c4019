// A payment as the invariants see it: its rows as they read now, every status that it ever had, and
// what of it must be read again after a batch.
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { MoneyCommand } from '../../../core/domain/commands/partner-command.js';
import type { Quote } from '../../../core/domain/commands/quote.js';
import type { BankDetails } from '../../../core/domain/payments/bank-record.js';
import type { Funds } from '../../../core/domain/payments/funds.js';
import type { StoredPosting } from '../../../core/domain/payments/ledger.js';
import type { Advance, Payment, PaymentStatus } from '../../../core/domain/payments/payment.js';
import type { Tx } from '../../../core/ports/storage.js';

export interface ObservedPayment {
  readonly payment: Payment;
  readonly funds: Funds;
  readonly commands: readonly MoneyCommand[];
  readonly postings: readonly StoredPosting[];
  readonly advance: Advance | null;
  /** The one that the page shows. */
  readonly quote: Quote | null;
  /** Given to the buyer, oldest first. */
  readonly bankDetails: readonly BankDetails[];
  /** Every status that a committed batch stored, in order. */
  readonly statuses: readonly PaymentStatus[];
}

export const allParts = ['payments', 'funds', 'commands', 'ledger', 'advances'] as const;
export type Part = (typeof allParts)[number];

/** Of a payment that was read before, only the parts that changed. */
export async function readParts(
  tx: Tx,
  tenant: Tenant,
  id: string,
  was: ObservedPayment | undefined,
  parts: ReadonlySet<Part>,
): Promise<Omit<ObservedPayment, 'statuses'> | null> {
  const has = (part: Part) => was === undefined || parts.has(part);
  const payment = has('payments') ? await tx.payments.get(tenant, id) : was?.payment;
  const funds = has('funds') && payment ? await tx.funds.of(payment) : was?.funds;
  if (!payment || !funds) return null;
  const { commands = [], postings = [], advance = null, quote = null } = was ?? {};
  const { quoteId, bankDetailsCode } = payment;
  const isGiven = has('payments') && bankDetailsCode !== null;
  return {
    payment,
    funds,
    // Quotes never change.
    quote: quoteId === (quote?.id ?? null) ? quote : await tx.quotes.get(tenant, quoteId ?? ''),
    bankDetails: isGiven ? await tx.bankDetails.ofPayment(tenant, id) : (was?.bankDetails ?? []),
    commands: has('commands') ? await tx.commands.ofPayment(tenant, id) : commands,
    postings: has('ledger') ? await tx.ledger.ofSubject(tenant, id) : postings,
    advance: has('advances') ? await tx.advances.get(tenant, id) : advance,
  };
}

type How = 'always' | 'sometimes' | 'never';

/** Statuses between two that batches stored, and how often one batch passes them. */
interface Passed {
  readonly way: readonly PaymentStatus[];
  /** Another way that a batch may go instead. */
  readonly orWay?: readonly PaymentStatus[];
  readonly how: Readonly<Record<Payment['origin'], How>>;
}

/** The way to a pay-in, which a restored payment goes in one batch where the partner has one. */
const wayToPayin: readonly PaymentStatus[] = [
  ...(['awaiting_approval', 'approved', 'awaiting_buyer'] as const),
  ...(['buyer_kyc_pending', 'buyer_kyc_approved', 'fx_quoted'] as const),
];

/** Where the payout was read back before its pay-in, a batch goes on to that. */
function toPayinFrom(status: PaymentStatus) {
  const way = wayToPayin.slice(wayToPayin.indexOf(status) + 1);
  const toPayout: readonly PaymentStatus[] = [...way, 'on_ramp_pending', 'on_chain_confirmed'];
  return {
    on_ramp_pending: { way, how: both('always') },
    offramp_pending: { way: toPayout, how: both('always') },
    settled: { way: [...toPayout, 'offramp_pending' as const], how: both('always') },
  };
}

const passed: Readonly<Partial<Record<PaymentStatus, Partial<Record<PaymentStatus, Passed>>>>> = {
  awaiting_approval: toPayinFrom('awaiting_approval'),
  approved: toPayinFrom('approved'),
  buyer_kyc_pending: toPayinFrom('buyer_kyc_pending'),
  buyer_kyc_approved: toPayinFrom('buyer_kyc_approved'),
  /** A verified buyer signs in. */
  awaiting_buyer: {
    ...toPayinFrom('awaiting_buyer'),
    buyer_kyc_approved: {
      way: ['buyer_kyc_pending'],
      how: { payment_intent: 'always', invoice: 'never' },
    },
  },
  /** A pay-in that counted as refused is reported paid. */
  fx_quoted: {
    ...toPayinFrom('fx_quoted'),
    on_chain_confirmed: { way: ['on_ramp_pending'], how: both('always') },
  },
  /** The payout was read back after a restore. */
  on_ramp_pending: {
    offramp_pending: { way: ['on_chain_confirmed'], how: both('always') },
    settled: { way: ['on_chain_confirmed', 'offramp_pending'], how: both('always') },
    // A refund was read back too: nothing is paid out.
    failed: {
      way: ['on_chain_confirmed', 'offramp_pending'],
      orWay: ['on_chain_confirmed'],
      how: both('sometimes'),
    },
  },
  /** A payout that was never sent from here has ended: a copy was restored. */
  on_chain_confirmed: {
    settled: { way: ['offramp_pending'], how: both('always') },
    failed: { way: ['offramp_pending'], how: both('sometimes') },
  },
};

/** The ways that the payment may have gone through its statuses: one, seldom two. */
export function walks({ payment, statuses }: ObservedPayment): readonly PaymentStatus[][] {
  return statuses.reduce<PaymentStatus[][]>(
    (ways, status, index) => {
      const between = passed[statuses[index - 1] ?? status]?.[status];
      const how = between?.how[payment.origin] ?? 'never';
      const straight = how === 'always' ? [] : ways.map((way) => [...way, status]);
      if (between === undefined || how === 'never') return straight;
      const passing = [between.way, ...(between.orWay === undefined ? [] : [between.orWay])];
      const through = passing.flatMap((some) => ways.map((way) => [...way, ...some, status]));
      return [...straight, ...through];
    },
    [[]],
  );
}

function both(how: How): Passed['how'] {
  return { payment_intent: how, invoice: how };
}
