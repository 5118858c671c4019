// Invariants of the money: what was ordered, received, paid out and given back, judged by the
// partner's own books.
import { type Funds, heldMinor } from '../../core/domain/funds.js';
import { isTerminal } from '../../core/domain/payment.js';
import { type Evidence, eachPayment } from './evidence.js';
import type { PaymentEvidence } from './payment-evidence.js';
import type { PartnerOrder } from './simulated-partner.js';

export function neverPaidOutMoreThanReceived(evidence: Evidence): string | null {
  return eachPayment(evidence, (found) => {
    const { received, paidOut } = outsideSums(evidence, found);
    return paidOut > received ? `${paidOut} paid out of ${received}` : null;
  });
}

export function neverGivenBackMoreThanIsLeft(evidence: Evidence): string | null {
  return eachPayment(evidence, (found) => {
    const { received, paidOut, refundsLive, returned } = outsideSums(evidence, found);
    const left = received - paidOut;
    const back = refundsLive + returned;
    return back > left ? `${back} given back of ${left}` : null;
  });
}

export function cancelAndPayoutNeverBothWin(evidence: Evidence): string | null {
  return eachPayment(evidence, (found) => {
    const { status } = found.payment;
    if (status !== 'cancelled' && status !== 'expired') return null;
    const payout = evidence.ordersOf(found).find(({ kind }) => kind === 'payout');
    return payout === undefined ? null : `is ${status}, and ${payout.ref} was ordered`;
  });
}

export function endedPaymentsOrderNothing(evidence: Evidence): string | null {
  return eachPayment(evidence, ({ payment, commands }) => {
    if (!isTerminal(payment.status)) return null;
    const waiting = commands.find(({ kind, state }) => kind !== 'refund' && state === 'pending');
    return waiting === undefined ? null : `is ${payment.status}, its ${waiting.kind} still waits`;
  });
}

export function settledOnlyAfterAPaidPayout(evidence: Evidence): string | null {
  return eachPayment(evidence, (found) => {
    if (!found.statuses.includes('settled')) return null;
    const paid = evidence
      .ordersOf(found)
      .some(({ kind, status }) => kind === 'payout' && status === 'completed');
    return paid && found.funds.position === 'paid' ? null : 'is settled without a paid payout';
  });
}

/** Beyond what a running payment claims, nothing that was received stays unclaimed. */
export function moneyOnEndedPaymentsIsOwedBackAtOnce(evidence: Evidence): string | null {
  return eachPayment(evidence, ({ payment, funds }) => {
    const over = isTerminal(payment.status) || funds.payoutMinor > 0n;
    const held = heldMinor(funds);
    const claim = over ? 0n : payment.amount.amountMinor;
    return held > claim ? `${payment.status} holds ${held}, claims ${claim}` : null;
  });
}

/** What is owed has an order that waits or was refused, what is ordered one that is under way. */
export function everyDebtHasItsOrder(evidence: Evidence): string | null {
  return eachPayment(evidence, ({ funds, commands }) => {
    const openMinor = commands
      .filter(({ kind, state }) => kind === 'refund' && state !== 'void')
      .filter(({ state, end }) => state !== 'done' || end === 'open')
      .reduce((sum, { amount }) => sum + (amount?.amountMinor ?? 0n), 0n);
    const debtMinor = funds.refundOwedMinor + funds.refundOrderedMinor;
    return openMinor < debtMinor ? `owes ${debtMinor}, orders speak of ${openMinor}` : null;
  });
}

export function fundsConserve(evidence: Evidence): string | null {
  return eachPayment(evidence, ({ funds }) => {
    const amounts = [
      funds.receivedMinor,
      heldMinor(funds),
      funds.payoutMinor,
      funds.refundOwedMinor,
      funds.refundOrderedMinor,
      funds.refundedMinor,
      funds.lossMinor,
    ];
    if (amounts.some((amount) => amount < 0n)) return `has a negative part: ${amounts.join(' ')}`;
    const handedOut = ['payout_ordered', 'paid'].includes(funds.position);
    const reviewed = funds.position === 'operator';
    if (!reviewed && handedOut !== funds.payoutMinor > 0n) {
      return `is ${funds.position}: ${amounts.join(' ')}`;
    }
    const open = funds.refundOwedMinor + funds.refundOrderedMinor > 0n;
    const closed = funds.refund === 'none' || funds.refund === 'refunded';
    return open === closed ? `refund is ${funds.refund}: ${amounts.join(' ')}` : null;
  });
}

export function fundsSayNoMoreThanThePartner(evidence: Evidence): string | null {
  return eachPayment(evidence, (found) => {
    const { received, refunded, returned } = outsideSums(evidence, found);
    const { funds } = found;
    if (funds.receivedMinor > received) return `says received ${funds.receivedMinor}: ${received}`;
    const back = refunded + returned;
    if (funds.refundedMinor > back) return `says given back ${funds.refundedMinor}: ${back}`;
    const paid = evidence
      .ordersOf(found)
      .some(({ kind, status }) => kind === 'payout' && status === 'completed');
    return funds.position === 'paid' && !paid ? 'says paid, and no payout is completed' : null;
  });
}

export function ledgerSumsToZeroAndAgreesWithFunds(evidence: Evidence): string | null {
  const [difference] = evidence.differences;
  if (difference !== undefined) {
    const { paymentId, what, expectedMinor, foundMinor } = difference;
    return `${paymentId}: ${what} is ${foundMinor}, it should be ${expectedMinor}`;
  }
  return eachPayment(evidence, ({ funds, postings }) => {
    const sums = new Map<string, bigint>();
    for (const { account, money } of postings.flatMap(({ lines }) => lines)) {
      for (const name of [account, money.currency]) {
        sums.set(name, (sums.get(name) ?? 0n) + money.amountMinor);
      }
    }
    const owed = funds.refundOwedMinor + funds.refundOrderedMinor;
    const paid = funds.position === 'paid' ? funds.payoutMinor : 0n;
    const expected: Readonly<Record<string, bigint>> = {
      [funds.currency]: 0n,
      BRL: 0n,
      buyer: funds.refundedMinor - funds.receivedMinor,
      refunds: owed,
      losses: -funds.lossMinor,
      partner_float: funds.receivedMinor + funds.lossMinor - funds.refundedMinor - owed - paid,
    };
    for (const [name, sum] of Object.entries(expected)) {
      const booked = sums.get(name) ?? 0n;
      if (booked !== sum) return `the ledger has ${booked} for ${name}, it should have ${sum}`;
    }
    const sold = (sums.get('seller') ?? 0n) > 0n;
    return sold === paid > 0n ? null : 'a payout is not in the ledger';
  });
}

export function fundsAgreeWithThePartner(evidence: Evidence): string | null {
  return eachPayment(evidence, (found) => {
    const { received, paid, refunded, returned } = outsideSums(evidence, found);
    const { funds } = found;
    const ours = [funds.receivedMinor, paidMinor(funds), funds.refundedMinor].join(' ');
    const theirs = [received, paid, refunded + returned].join(' ');
    return ours === theirs ? null : `received, paid, given back: ${ours}; the partner: ${theirs}`;
  });
}

/** All but a payout of which the partner itself never told where the money went. */
export function owedMoneyIsReallyGivenBack(evidence: Evidence): string | null {
  return eachPayment(evidence, (found) => {
    const { funds } = found;
    const owed = funds.refundOwedMinor + funds.refundOrderedMinor;
    if (owed > 0n) return `still owes ${owed}: ${funds.refund}`;
    if (funds.position === 'operator' && !isUnknowable(evidence, found)) {
      return 'waits for an operator although the partner knows';
    }
    return null;
  });
}

export function aKeyNeverCarriesAnotherRequest({ outside }: Evidence): string | null {
  return outside.misuse()[0] ?? null;
}

export function everyOrderAtThePartnerIsKnown(evidence: Evidence): string | null {
  for (const order of evidence.outside.orders()) {
    const owner = evidence.payments.get(evidence.ownerOf(order.reference) ?? '');
    const command = owner?.commands.find(({ reference }) => reference === order.reference);
    if (command === undefined) return `${order.ref} was ordered by no command`;
    const given = order.status === 'open' || order.status === 'completed';
    if (given && ['void', 'refused', 'pending'].includes(command.state)) {
      return `${order.ref} is ${order.status}, its command ${command.id} is ${command.state}`;
    }
  }
  return null;
}

export function atMostOnePayinPerPayment(evidence: Evidence): string | null {
  return atMostOne(evidence, 'payin');
}

export function atMostOnePayoutPerPayment(evidence: Evidence): string | null {
  return atMostOne(evidence, 'payout');
}

function atMostOne(evidence: Evidence, kind: PartnerOrder['kind']): string | null {
  return eachPayment(evidence, (found) => {
    const orders = evidence.ordersOf(found).filter((order) => order.kind === kind);
    return orders.length > 1 ? `has ${orders.map(({ ref }) => ref).join(' and ')}` : null;
  });
}

function outsideSums(evidence: Evidence, found: PaymentEvidence) {
  const sums = { received: 0n, returned: 0n, paidOut: 0n, paid: 0n, refundsLive: 0n, refunded: 0n };
  for (const order of evidence.ordersOf(found)) {
    const { amountMinor } = order.amount;
    if (order.kind === 'payin') {
      sums.received += order.receivedMinor;
      sums.returned += order.returnedMinor;
    } else if (order.kind === 'payout') {
      if (order.status !== 'returned') sums.paidOut += amountMinor;
      if (order.status === 'completed') sums.paid += amountMinor;
    } else {
      if (order.status !== 'failed') sums.refundsLive += amountMinor;
      if (order.status === 'completed') sums.refunded += amountMinor;
    }
  }
  return sums;
}

function paidMinor(funds: Funds): bigint {
  return funds.position === 'paid' ? funds.payoutMinor : 0n;
}

function isUnknowable(evidence: Evidence, found: PaymentEvidence): boolean {
  return evidence
    .ordersOf(found)
    .some(({ kind, status }) => kind === 'payout' && status === 'failed');
}
