// Which states of a payment are mailed to its buyer. A notice is staged by the change that makes
// its state true, and dropped if the state is over before it is sent. It goes only to a buyer that
// signed in by mail: others do not use the hosted page.
import {
  type Change,
  isShortPaid,
  isUnapproved,
  type PaymentAggregate,
} from '../payments/change.js';
import type { ColleagueApprovalState } from '../payments/colleague-approval.js';
import { heldMinor } from '../payments/funds.js';
import { isTerminal } from '../payments/payment.js';
import { takesColleagueApproval } from '../payments/payment-transitions.js';
import type { NoticePurpose } from './mail.js';

/**
 * `kyc_more` is about the dossier, not about a state of the payment; the time causes a reminder.
 */
export type PaymentNotice = Exclude<NoticePurpose, 'kyc_more' | 'reminder'>;

/**
 * What the notice is about, beyond the payment, while its state is true; else null. Another value
 * is another notice.
 */
type Rule = (payment: PaymentAggregate) => string | null;

const noticeRules: Readonly<Record<PaymentNotice, Rule>> = {
  kyc_approved: ({ payment }) => only(payment.status === 'buyer_kyc_approved'),
  // Before a price there are no bank details: the buyer has sent nothing.
  kyc_rejected: (all) => only(hasFailed(all) && isUnpriced(all)),
  approval_given: (all) => decisionOf(all, 'approved'),
  approval_declined: (all) => decisionOf(all, 'declined'),
  // While the approval is lost, no mail asks for money or says that it goes on.
  instructions_ready: (all) => {
    const { payment, funds } = all;
    const isAwaited = funds.receivedMinor < payment.amount.amountMinor;
    const isOpen = payment.status === 'on_ramp_pending' && !isUnapproved(all);
    return isOpen && isAwaited ? payment.bankDetailsCode : null;
  },
  money_short: (all) =>
    isShortPaid(all) && !isUnapproved(all) ? `${all.funds.receivedMinor}` : null,
  money_received: (all) => {
    const { payment, funds } = all;
    const isHere = funds.receivedMinor >= payment.amount.amountMinor;
    return only(isOnItsWay.has(payment.status) && isHere && !isUnapproved(all));
  },
  receipt: ({ payment }) => only(payment.status === 'settled'),
  // With money, the letter about its return says everything.
  cancelled: (all) => only(all.payment.status === 'cancelled' && !isReturning(all)),
  expired: (all) => only(all.payment.status === 'expired' && !isReturning(all)),
  failed: (all) =>
    hasFailed(all) && !isUnpriced(all) ? (isHeld(all) ? 'held' : 'nothing held') : null,
  refund_ordered: (all) => {
    const { payment, funds } = all;
    const isOpen = isReturning(all) && funds.refund !== 'refunded';
    return isTerminal(payment.status) && payment.status !== 'settled' && isOpen
      ? `${funds.receivedMinor} ${funds.refund === 'needs_review' ? 'by hand' : 'ordered'}`
      : null;
  },
  refunded: ({ payment, funds }) =>
    isTerminal(payment.status) && funds.refund === 'refunded' ? `${funds.refundedMinor}` : null,
};

const purposes = Object.keys(noticeRules) as readonly PaymentNotice[];
const isOnItsWay: ReadonlySet<string> = new Set([
  'on_ramp_pending',
  'on_chain_confirmed',
  'offramp_pending',
]);

/**
 * The notices of a change; none unless the buyer had signed in by mail before it. A cause is unique
 * in the tenant: the notice is mailed once.
 */
export function noticesOf(was: PaymentAggregate, change: Change) {
  if (was.payment.buyerLocale === null) return [];
  const isOther = was.payment.bankDetailsCode !== change.payment.bankDetailsCode;
  const isGiven = isOther || isUnapproved(was);
  return purposes.flatMap((purpose) => {
    const cause = causeOf(purpose, change);
    if (cause === null || cause === causeOf(purpose, was)) return [];
    // The state is also true again once money was taken back by a bank.
    return purpose === 'instructions_ready' && !isGiven ? [] : [{ purpose, cause }];
  });
}

/** The cause of a notice whose state is true now; null if it is not. */
export function causeOf(purpose: PaymentNotice, about: PaymentAggregate): string | null {
  const key = noticeRules[purpose](about);
  if (key === null) return null;
  return [purpose, about.payment.id, ...(key === '' ? [] : [key])].join(':');
}

/** A colleague has decided, and the buyer has not confirmed. */
function decisionOf({ payment }: PaymentAggregate, state: ColleagueApprovalState): string | null {
  const { colleagueApproval } = payment;
  const isTrue = colleagueApproval?.state === state && takesColleagueApproval(payment);
  return isTrue ? `${colleagueApproval.decidedAtMs}` : null;
}

function only(isTrue: boolean): string | null {
  return isTrue ? '' : null;
}

function hasFailed(all: PaymentAggregate): boolean {
  return all.payment.status === 'failed' && !isReturning(all);
}

function isUnpriced({ payment, funds }: PaymentAggregate): boolean {
  return payment.quoteId === null && funds.receivedMinor === 0n;
}

function isReturning({ funds }: PaymentAggregate): boolean {
  return funds.refund !== 'none';
}

function isHeld({ funds }: PaymentAggregate): boolean {
  return heldMinor(funds) + funds.payoutMinor > 0n;
}
