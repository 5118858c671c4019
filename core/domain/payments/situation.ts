// What a seller reads about a payment: one situation for each status and state of its money. The
// API gives its code, pages its sentence; which screen the buyer sees is in hosted-screen.ts.
import { DAY_MS } from '../base/instant.js';
import { money } from '../base/money.js';
import { isShortPaid, type ShownView } from './change.js';
import { netReceivedMinor } from './funds.js';
import { isTerminal, type Payment, type PaymentStatus, paymentStatuses } from './payment.js';

/** In the order in which the first that holds counts. */
export const moneyStates = [
  'review',
  'owed',
  'going_back',
  'returned',
  'none',
  'part',
  'whole',
  'paying_out',
  'paid',
  /** The amount is here or paid, and what was above it goes back, or went back. */
  'surplus',
  'surplus_returned',
] as const;
export type MoneyState = (typeof moneyStates)[number];

/** What the organization can do about it. */
type Act = 'approve' | 'invite' | 'send_link';

export interface SituationRule {
  /** In one sentence, for the reference of the API. */
  readonly says: string;
  /** The shape of its pill: of its status by default. */
  readonly look?: 'warn' | 'operator' | 'refund_ordered' | 'refunded';
  readonly act?: Act;
  /** It is the buyer's turn to pay: it is reminded, and the invoice can be overdue. */
  readonly isAwaited?: true;
}

export const situations = {
  needs_approval: { says: 'A member of the organization must approve it.', act: 'approve' },
  to_invite: {
    says: 'The buyer of the invoice has not been invited.',
    isAwaited: true,
    act: 'invite',
  },
  with_buyer: { says: 'The buyer has not begun to pay.', isAwaited: true, act: 'send_link' },
  checking_buyer: { says: 'The buyer fills in the KYC form, or is checked.', isAwaited: true },
  buyer_cleared: { says: 'The buyer is verified and has not asked for a price.', isAwaited: true },
  price_shown: { says: 'The buyer has a price and has not confirmed it.', isAwaited: true },
  awaiting_money: { says: 'The buyer has the bank details; nothing arrived.', isAwaited: true },
  money_missing: {
    says: 'Less than the amount arrived. The rest is awaited.',
    look: 'warn',
    isAwaited: true,
    act: 'send_link',
  },
  money_early: {
    says: 'Money arrived before the buyer confirmed a price. It is held.',
    look: 'warn',
    act: 'send_link',
  },
  money_arrived: { says: 'The whole amount arrived. The payout is prepared.' },
  paying_out: { says: 'The payout to the seller is on its way.' },
  paid: { says: 'The seller was paid.' },
  surplus_going_back: {
    says: 'The seller was paid. What the buyer sent above the amount goes back.',
    look: 'refund_ordered',
  },
  surplus_returned: {
    says: 'The seller was paid. What the buyer sent above the amount went back.',
    look: 'refunded',
  },
  going_back: { says: 'The money goes back to the buyer.', look: 'refund_ordered' },
  returned: { says: 'The money went back to the buyer.', look: 'refunded' },
  not_paid: { says: 'It ended, and no money arrived.' },
  with_operator: { says: 'The operator of the service decides about it.', look: 'operator' },
} as const satisfies Record<string, SituationRule>;
export type Situation = keyof typeof situations;
export const situationNames = Object.keys(situations) as readonly Situation[];

type Row = Readonly<Record<MoneyState, Situation>>;

const anyStatus = {
  review: 'with_operator',
  owed: 'going_back',
  going_back: 'going_back',
  paying_out: 'paying_out',
  paid: 'paid',
} as const;

/** Money that comes before the confirmation waits for it; what went back changes nothing. */
const beforeMoney = (none: Situation): Row => ({
  ...anyStatus,
  none,
  returned: none,
  part: 'money_early',
  whole: 'money_early',
  surplus: 'money_early',
  surplus_returned: 'money_early',
});

const underWay = (whole: Situation, none: Situation, part: Situation): Row => ({
  ...anyStatus,
  none,
  returned: none,
  part,
  whole,
  surplus: whole,
  surplus_returned: whole,
});

const ended: Row = {
  ...anyStatus,
  none: 'not_paid',
  part: 'going_back',
  whole: 'going_back',
  surplus: 'going_back',
  surplus_returned: 'going_back',
  returned: 'returned',
};

export const situationTable = {
  awaiting_approval: beforeMoney('needs_approval'),
  approved: beforeMoney('to_invite'),
  awaiting_buyer: beforeMoney('with_buyer'),
  buyer_kyc_pending: beforeMoney('checking_buyer'),
  buyer_kyc_approved: beforeMoney('buyer_cleared'),
  fx_quoted: beforeMoney('price_shown'),
  on_ramp_pending: underWay('money_arrived', 'awaiting_money', 'money_missing'),
  on_chain_confirmed: underWay('money_arrived', 'money_arrived', 'money_arrived'),
  offramp_pending: underWay('paying_out', 'paying_out', 'paying_out'),
  settled: {
    ...anyStatus,
    none: 'paid',
    part: 'paid',
    whole: 'paid',
    surplus: 'surplus_going_back',
    surplus_returned: 'surplus_returned',
    returned: 'returned',
  },
  failed: ended,
  cancelled: ended,
  expired: ended,
} as const satisfies Record<PaymentStatus, Row>;

export type Situated = Pick<ShownView, 'funds'> & {
  readonly payment: Pick<ShownView['payment'], 'status' | 'amount' | 'approvalLostAtMs'>;
};

export function moneyStateOf({ payment, funds }: Situated): MoneyState {
  const { position, refund } = funds;
  if (position === 'needs_review' || refund === 'needs_review') return 'review';
  // The buyer's page and mails ask for the rest, although another part went back.
  if (isShortPaid({ payment, funds })) return 'part';
  const kept = netReceivedMinor(funds);
  const isKept = kept > 0n && kept >= payment.amount.amountMinor;
  if (refund === 'refund_owed') return isKept ? 'surplus' : 'owed';
  if (refund === 'refund_ordered') return isKept ? 'surplus' : 'going_back';
  if (refund === 'refunded' && kept <= 0n) return 'returned';
  if (refund === 'refunded' && isKept) return 'surplus_returned';
  if (position === 'paid') return 'paid';
  if (position === 'payout_ordered') return 'paying_out';
  if (kept <= 0n) return 'none';
  return isKept ? 'whole' : 'part';
}

export function situationOf(view: Situated): Situation {
  const { status, approvalLostAtMs } = view.payment;
  const state = moneyStateOf(view);
  const isPaidOut = state === 'paid' || state === 'paying_out';
  // The buyer was rejected after its approval, so the payout is not sent.
  if (approvalLostAtMs !== null && !isTerminal(status) && !isPaidOut) return 'with_operator';
  return situationTable[status][state];
}

/** Whose payment is overdue from the day behind its due day, until the whole amount arrived. */
export const awaitedStatuses: readonly PaymentStatus[] = paymentStatuses.filter((status) => {
  const rule: SituationRule = situations[situationTable[status].none];
  return rule.isAwaited === true;
});

/** Whether its buyer is to pay, or to pay the rest. */
export function isBuyerAwaited(view: Situated): boolean {
  const rule: SituationRule = situations[situationOf(view)];
  return rule.isAwaited === true;
}

/**
 * Whole days since the due day of a payment of which money is missing; 0 before them. Lists find
 * the same payments by `dueFilter`.
 */
export function overdueDays(
  { status, coveredAtMs, dueDate }: Pick<Payment, 'status' | 'coveredAtMs' | 'dueDate'>,
  today: string,
): number {
  if (dueDate === null || coveredAtMs !== null || !awaitedStatuses.includes(status)) return 0;
  return Math.max(0, Math.round((Date.parse(today) - Date.parse(dueDate)) / DAY_MS));
}

/**
 * When an open payment ends, and what arrived goes back: its own end, or that of the bank details
 * while the transfer is awaited. Null: never by itself, or nobody knows.
 */
export function endOf({
  status,
  expiresAtMs,
  payinInstructions,
}: Pick<Payment, 'status' | 'expiresAtMs' | 'payinInstructions'>): number | null {
  const payByMs = status === 'on_ramp_pending' ? (payinInstructions?.payByMs ?? null) : null;
  return payByMs === null ? expiresAtMs : Math.min(payByMs, expiresAtMs ?? payByMs);
}

/** What a sentence about it names, in the currency of the payment. */
export function situationAmounts({ payment, funds }: Situated) {
  const { amount } = payment;
  const inCurrency = (amountMinor: bigint) => money(amountMinor, amount.currency);
  const missingMinor = amount.amountMinor - netReceivedMinor(funds);
  return {
    amount,
    received: inCurrency(funds.receivedMinor),
    missing: inCurrency(missingMinor > 0n ? missingMinor : 0n),
    goesBack: inCurrency(funds.refundOwedMinor + funds.refundOrderedMinor),
    wentBack: inCurrency(funds.refundedMinor),
  };
}
