// Invariants of the money, judged by the partner's own books: what was ordered, received, paid out
// and given back. What a bank did on its own is excused there, and nothing else. How our own books
// agree with each other is in ledger-invariants.ts.
import { isDeepStrictEqual } from 'node:util';
import { formatInstant } from '../../../core/domain/base/instant.js';
import { formatAmount } from '../../../core/domain/base/money.js';
import { modes, type Tenant } from '../../../core/domain/base/tenant.js';
import { settlementsOf } from '../../../core/domain/commands/settlement.js';
import { queueOf } from '../../../core/domain/money-desk/money-decision.js';
import {
  type DomainEvent,
  moneyEventIn,
  reportedStatus,
} from '../../../core/domain/payments/event.js';
import { heldMinor } from '../../../core/domain/payments/funds.js';
import {
  type LedgerAccount,
  type Posting,
  sumByCurrency,
} from '../../../core/domain/payments/ledger.js';
import { isTerminal, type Payment } from '../../../core/domain/payments/payment.js';
import {
  lostMinor,
  mostReceived,
  outMinor,
  type PartnerTransaction,
  sumsOf,
  type TransactionKind,
  wasEver,
} from '../partner/partner-ledger.js';
import { isByHand } from './ledger-invariants.js';
import type { ObservedPayment } from './observed-payment.js';
import { eachPayment, eachWholePayment, type ObservedState } from './observed-state.js';

/** A payout that came back may be followed by another one, if an operator says so. */
export function atMostOnePayoutPerPayment(observed: ObservedState): string | null {
  return atMostOne(observed, 'payout', (payout) => !wasEver(payout, 'returned'));
}

/** Once the money is here, only an operator ends a payment whose payout is refused. */
export function noRefusalEndsAPaidPayment(observed: ObservedState): string | null {
  return eachWholePayment(observed, ({ payment, commands }) => {
    if (payment.failureCode !== 'payout_refused') return null;
    const isDecided = commands.some(({ id }) => observed.decidedItems.has(id));
    return isDecided ? null : `failed by an answer: ${payment.failureReason}`;
  });
}

/** No money is under review without a decision that waits for an operator. */
export function whatNeedsReviewIsAtTheDesk(observed: ObservedState): string | null {
  return eachPayment(observed, ({ funds, commands }) => {
    if (funds.position !== 'needs_review') return null;
    return commands.some((command) => queueOf(command) !== null) ? null : 'no queue shows it';
  });
}

/** Nobody but an operator decides who gets the money of a payout that came back after all. */
export function noRefundAfterTheSettlementWithoutADecision(observed: ObservedState): string | null {
  return eachWholePayment(observed, (found) => {
    if (found.payment.status !== 'settled') return null;
    const payouts = found.commands.filter(({ kind }) => kind === 'payout');
    const isBack = payouts.length > 0 && payouts.every(({ end }) => end === 'returned');
    const isDecided = payouts.some(({ id }) => observed.decidedItems.has(id));
    const transactions = observed.transactionsOf(found);
    // Another one took the place of a refund that had failed when a bank completed it.
    const refunds = sumsOf(transactions.filter((one) => !wasEver(one, 'failed')));
    const backMinor = refunds.refundedMinor + refunds.refundingMinor;
    // A surplus that went back before the bank corrected its total.
    const surplusMinor = everReceived(transactions) - found.payment.amount.amountMinor;
    if (!isBack || isDecided || backMinor === 0n || backMinor <= surplusMinor) return null;
    return `${backMinor} went back to the buyer, and no operator has decided`;
  });
}

/**
 * Where the partner refused one and took it all the same, another one is no fault; nor where a
 * restored database lacks one that the partner cannot find.
 */
export function atMostOnePayinPerPayment(observed: ObservedState): string | null {
  const { abilities } = observed.outside;
  return atMostOne(observed, 'payin', (transaction) => {
    if (transaction.takenAfterRefusal) return false;
    return abilities.findsPayinsByReference || !isForgotten(observed, transaction);
  });
}

export function neverPaidOutMoreThanReceived(observed: ObservedState): string | null {
  return eachWholePayment(observed, (found) => {
    const sums = sumsOf(observed.transactionsOf(found));
    const paidOut = sums.paidMinor + sums.movingMinor + sums.needsReviewMinor;
    const covered = sums.receivedMinor + observed.excusedMinor(found);
    return paidOut > covered ? `${paidOut} paid out of ${sums.receivedMinor}` : null;
  });
}

export function neverGivenBackMoreThanIsLeft(observed: ObservedState): string | null {
  return eachWholePayment(observed, (found) => {
    const sums = sumsOf(observed.transactionsOf(found));
    const excused = observed.excusedMinor(found);
    const over = outMinor(sums) > sums.receivedMinor + excused;
    return over ? `${outMinor(sums)} left of ${sums.receivedMinor}, excused ${excused}` : null;
  });
}

/** A refund takes from the pay-in that holds the money, not from another one. */
export function refundsTakeFromThePayinThatHasTheMoney(observed: ObservedState): string | null {
  return eachWholePayment(observed, (found) => {
    const transactions = observed.transactionsOf(found);
    for (const payin of transactions.filter(({ kind }) => kind === 'payin')) {
      // A share that was corrected does not tell what it had before: its transfer does.
      const { whole = payin } = payin;
      const among = whole === payin ? transactions : observed.outside.books.transactions;
      const refunds = among.filter(
        ({ kind, payinRef, status }) =>
          kind === 'refund' && payinRef === payin.ref && status !== 'failed',
      );
      const taken = refunds.reduce((sum, { amount }) => sum + amount.amountMinor, 0n);
      const over = taken > mostReceived(whole) && !refunds.some((one) => wasEver(one, 'failed'));
      if (over) return `${taken} refunded of ${payin.receivedMinor} in ${payin.ref}`;
    }
    return null;
  });
}

/**
 * What the buyer sent = paid out + refunded + held + lost + not yet reported by the partner, at
 * every step.
 */
export function whatTheBuyerSentIsAccountedFor(observed: ObservedState): string | null {
  return eachPayment(observed, (found) => {
    const { funds, commands } = found;
    const sent = everReceived(observed.transactionsOf(found));
    const reported = commands.reduce((sum, { receivedMinor }) => sum + receivedMinor, 0n);
    const [unreported, held] = [sent - reported, heldMinor(funds)];
    if (unreported < 0n) return `${reported} was reported, the buyer sent ${sent}`;
    if (held < 0n) return `holds ${held}`;
    const back = funds.refundOwedMinor + funds.refundOrderedMinor + funds.refundedMinor;
    const known = unreported + held + funds.payoutMinor + back - funds.lossMinor;
    return known === sent ? null : `the buyer sent ${sent}, ${known} is accounted for`;
  });
}

/** As a deposit or for one payment, in any order of reports and decisions. */
export function aPayinIsBookedOnce({ deposits, payments }: ObservedState): string | null {
  if (deposits.size === 0) return null;
  const commands = [...payments.values()].flatMap((found) => found.commands);
  for (const { id, mode, partnerRef, state, end } of deposits.values()) {
    const booked = commands.filter(
      (one) => one.partnerRef === partnerRef && one.mode === mode && one.receivedMinor > 0n,
    );
    // The shares of a deposit are one booking.
    const its = [...new Set(booked.map((one) => one.depositId ?? one.id))];
    if (end === 'completed' && state !== 'assigned') its.push(`${id}, which is ${state}`);
    if (its.length > 1) return `${partnerRef} is booked by ${its.join(' and ')}`;
  }
  return null;
}

/** All of them stand as their deposit does, which stands as the partner said once. */
export function theSharesOfADepositAreItsMoney(observed: ObservedState): string | null {
  const commands = [...observed.payments.values()].flatMap((found) => found.commands);
  for (const { id, consolidatedReference, amount, end, partnerRef } of observed.deposits.values()) {
    if (consolidatedReference === null) continue;
    const shares = commands.filter(({ depositId }) => depositId === id);
    const sharedMinor = shares.reduce((sum, { receivedMinor }) => sum + receivedMinor, 0n);
    const hereMinor = end === 'failed' ? 0n : amount.amountMinor;
    if (sharedMinor !== hereMinor) {
      return `${id} has ${hereMinor}, its shares are ${sharedMinor}`;
    }
    const other = shares.find((share) => share.end !== end);
    if (other !== undefined) return `${id} is ${end}, its share ${other.id} is ${other.end}`;
    const transfer = observed.outside.books.transfers.find(({ ref }) => ref === partnerRef);
    const isTrue = transfer?.history.some((one) => one.receivedMinor === amount.amountMinor);
    if (isTrue !== true) return `${partnerRef} never brought ${amount.amountMinor}`;
  }
  return null;
}

export function cancelAndPayoutNeverBothWin(observed: ObservedState): string | null {
  return eachWholePayment(observed, (found) => {
    const { status } = found.payment;
    if (status !== 'cancelled' && status !== 'expired') return null;
    const payout = observed.transactionsOf(found).find(({ kind }) => kind === 'payout');
    return payout === undefined ? null : `is ${status}, and ${payout.ref} was ordered`;
  });
}

export function endedPaymentsSendNothing(observed: ObservedState): string | null {
  return eachPayment(observed, ({ payment, commands }) => {
    if (!isTerminal(payment.status)) return null;
    // The seller of a settled payment may be paid again.
    const kept = payment.status === 'settled' ? ['refund', 'payout'] : ['refund'];
    const waiting = commands.find(({ kind, state }) => !kept.includes(kind) && state === 'pending');
    return waiting === undefined ? null : `is ${payment.status}, its ${waiting.kind} still waits`;
  });
}

export function settledOnlyAfterAPaidPayout(observed: ObservedState): string | null {
  return eachPayment(observed, (found) => {
    if (!found.statuses.includes('settled')) return null;
    const paid = observed
      .transactionsOf(found)
      .some((transaction) => transaction.kind === 'payout' && wasEver(transaction, 'completed'));
    const isPaid = paid || paidByHandMinor(found, 'payout') > 0n;
    return isPaid ? null : 'is settled without a paid payout';
  });
}

/** Not what a report says that cannot be true. */
export function settlementsSayWhatThePartnerPaid(observed: ObservedState): string | null {
  return eachPayment(observed, (found) => {
    const all = settlementsOf(found.commands.filter((command) => !isByHand(command)));
    if (all.length === 0) return null;
    const paid = observed
      .transactionsOf(found)
      .filter((transaction) => transaction.kind === 'payout' && wasEver(transaction, 'completed'))
      .map((transaction) => transaction.settlement);
    const wrong = all.find(({ settledAtMs: _, returnedAtMs: __, asset: ___, ...settlement }) => {
      const { endToEndId } = settlement;
      // The books of the simulated partners have no stablecoin.
      return !paid.some((known) => isDeepStrictEqual(settlement, { ...known, endToEndId }));
    });
    return wrong === undefined
      ? null
      : `was settled with ${wrong.settled.amountMinor} at a wrong rate`;
  });
}

/** What the event of the settlement said: receivers have it in their books. */
export function theFirstSettlementStays(observed: ObservedState): string | null {
  const told = new Map<string, string>();
  for (const { feed } of observed.tenants.values()) {
    for (const { type, subjectId, body } of feed) {
      if (type === 'invoice.settled') told.set(subjectId, body);
    }
  }
  return eachPayment(observed, ({ payment: { id, settlement, settledAtMs }, commands }) => {
    const body = told.get(id);
    if (body === undefined) return null;
    const [first] = settlementsOf(commands);
    const shown = settlement === null ? undefined : { ...settlement, settledAtMs };
    for (const said of [shown, first]) {
      if (said === undefined) return 'was settled, and has no settlement';
      const texts = [
        `"brlSettledAmount":"${formatAmount(said.settled.amountMinor)}"`,
        `"fxRateAtSettlement":"${said.fxRate}"`,
        `"occurredAt":"${formatInstant(said.settledAtMs ?? 0)}"`,
      ];
      const other = texts.find((text) => !body.includes(text));
      if (other !== undefined) return `was settled otherwise than it says now: ${other}`;
    }
    return null;
  });
}

type LedgerWrite = readonly [Tenant, string, string, Posting];

/** A batch in which buyer or seller gets or gives money has an event about it. */
export function noMoneyMovesAfterTheEndWithoutAnEvent({
  freshBatches,
}: ObservedState): string | null {
  for (const { writes } of freshBatches) {
    const of = (group: string, method: string) =>
      writes.filter((write) => write.group === group && write.method === method);
    const events = of('feed', 'append').flatMap(({ args }) => args as readonly DomainEvent[]);
    const postings = of('ledger', 'append').map(({ args }) => args as unknown as LedgerWrite);
    for (const { args } of of('payments', 'update')) {
      const { id, status } = args[0] as Payment;
      const own = events.filter(({ subjectId }) => subjectId === id);
      if (!isTerminal(status) || own.some(({ type }) => reportedStatus(type) === status)) continue;
      const lines = postings.flatMap(([, of, , { lines }]) => (of === id ? lines : []));
      for (const account of ['buyer', 'seller']) {
        const moved = sumByCurrency(lines.filter((line) => line.account === account));
        const isMoved = [...moved.values()].some((amountMinor) => amountMinor !== 0n);
        if (isMoved && !own.some(({ type }) => moneyEventIn(type) !== null))
          return `${id} is ${status}, and its ${account} has no event`;
      }
    }
  }
  return null;
}

/** Beyond what a running payment claims, nothing that was received stays unclaimed. */
export function moneyOnEndedPaymentsIsOwedBackAtOnce(observed: ObservedState): string | null {
  return eachPayment(observed, ({ payment, funds, commands }) => {
    const over = isTerminal(payment.status) || funds.payoutMinor > 0n;
    const held = heldMinor(funds);
    const isAgain = commands.some(({ kind, state }) => kind === 'payout' && state === 'pending');
    const claim = over && !isAgain ? 0n : payment.amount.amountMinor;
    return held > claim ? `${payment.status} holds ${held}, claims ${claim}` : null;
  });
}

/** What is owed has a command that waits or was refused, what is ordered one that is under way. */
export function everyDebtHasItsCommand(observed: ObservedState): string | null {
  return eachPayment(observed, ({ funds, commands }) => {
    const openMinor = commands
      .filter(({ kind, state }) => kind === 'refund' && state !== 'void')
      .filter(({ state, end }) => state !== 'done' || end === 'open')
      .reduce((sum, { amount }) => sum + (amount?.amountMinor ?? 0n), 0n);
    const debtMinor = funds.refundOwedMinor + funds.refundOrderedMinor;
    return openMinor < debtMinor ? `owes ${debtMinor}, commands speak of ${openMinor}` : null;
  });
}

/** Funds may be behind the partner, and never ahead of what once was true. */
export function fundsSayNoMoreThanThePartner(observed: ObservedState): string | null {
  return eachPayment(observed, (found) => {
    const { funds } = found;
    const transactions = observed.transactionsOf(found);
    const receivedMinor = everReceived(transactions);
    if (funds.receivedMinor > receivedMinor) {
      return `says received ${funds.receivedMinor}: ${receivedMinor}`;
    }
    const byPartner = transactions.map(mostGivenBack);
    const back = byPartner.reduce((sum, one) => sum + one, paidByHandMinor(found, 'refund'));
    if (funds.refundedMinor > back) return `says given back ${funds.refundedMinor}: ${back}`;
    const paid = transactions.some(
      (transaction) => transaction.kind === 'payout' && wasEver(transaction, 'completed'),
    );
    const isPaid = paid || paidByHandMinor(found, 'payout') > 0n;
    return funds.position === 'paid' && !isPaid ? 'says paid, and no payout was completed' : null;
  });
}

export function fundsAgreeWithThePartner(observed: ObservedState): string | null {
  return eachWholePayment(observed, (found) => {
    const { funds } = found;
    const theirSums = sumsOf(
      observed.transactionsOf(found).filter((one) => !isDeposit(observed, one)),
    );
    const sums = {
      ...theirSums,
      refundedMinor: theirSums.refundedMinor + paidByHandMinor(found, 'refund'),
      paidMinor: theirSums.paidMinor + paidByHandMinor(found, 'payout'),
    };
    const out = sums.paidMinor + sums.movingMinor + sums.needsReviewMinor;
    const back = sums.refundedMinor + sums.returnedMinor;
    const { tellsWhatItReturned } = observed.outside.abilities;
    const moved = (receivedMinor: bigint, backMinor: bigint) =>
      tellsWhatItReturned ? [receivedMinor, backMinor] : [receivedMinor - backMinor];
    const theirs = [...moved(sums.receivedMinor, back), out, lostMinor(sums)].join(' ');
    const { receivedMinor, payoutMinor, refundedMinor, lossMinor } = funds;
    const ours = [...moved(receivedMinor, refundedMinor), payoutMinor, lossMinor].join(' ');
    if (ours === theirs) return null;
    return `received, given back, paid out, lost: ${ours}; the partner: ${theirs}`;
  });
}

/** Accounts of money that the partner holds; a loss is missing from its wallets. */
const heldAccounts: ReadonlySet<string> = new Set<LedgerAccount>([
  'partner_float',
  'refunds',
  'suspense',
  'adjustments',
  'losses',
  'write_offs',
]);

/**
 * What the ledger holds is what came in at the partner, and neither left nor went back. Deposits
 * are held where their postings say so, which the check of the ledger verifies.
 */
export function theFloatIsTheSumOfTheWallets(observed: ObservedState): string | null {
  const { exempt, outside, payments, deposits } = observed;
  const owners = new Map(
    [...payments].flatMap(([id, { commands }]) =>
      commands.map(({ partnerRef }) => [partnerRef, id] as const),
    ),
  );
  const byRef = new Map([...deposits.values()].map((one) => [one.partnerRef, one]));
  const ownersOf = (transaction: PartnerTransaction) => {
    const { ref, reference, collected } = transaction;
    const shares = collected === undefined ? [] : outside.books.sharesOf(transaction);
    if (shares.length > 0) return shares;
    const owner = owners.get(ref) ?? observed.ownerOf(reference) ?? ref;
    // What an operator decided on stays as it was; the comparison with the books shows the rest.
    const decided = byRef.get(collected === undefined ? '' : ref);
    const isDecided = decided?.state === 'resolved' || decided?.state === 'refunded';
    const isPayin = transaction.kind === 'payin';
    const receivedMinor =
      isDecided && isPayin ? decided.amount.amountMinor : transaction.receivedMinor;
    return [{ owner, got: { ...transaction, receivedMinor } }];
  };
  for (const mode of modes) {
    const ofMode = outside.books.transactions.filter((one) => one.mode === mode);
    const owned = ofMode.flatMap(ownersOf);
    const whole = owned.filter(({ owner }) => !exempt.hasPayment(owner));
    const excused = new Set(
      owned.filter(({ owner }) => exempt.hasPayment(owner)).map(({ got }) => got.ref),
    );
    const lines = [...payments.values()]
      .filter(({ payment }) => payment.mode === mode && !exempt.hasPayment(payment.id))
      .flatMap(({ postings }) => postings.flatMap((one) => one.lines))
      .filter(({ account }) => heldAccounts.has(account));
    const ofDeposits = [...deposits.values()]
      .filter((one) => one.mode === mode && one.end === 'completed' && one.state !== 'assigned')
      .filter(({ partnerRef }) => !excused.has(partnerRef));
    const ofRows = ofDeposits.map(({ book, amount }) => {
      const { amountMinor, currency } = amount;
      return { currency, amountMinor: book === 'payout' ? -amountMinor : amountMinor };
    });
    const held = [...lines.map(({ money }) => money), ...ofRows];
    for (const currency of new Set(ofMode.map(({ amount }) => amount.currency))) {
      const ofOwners = Object.groupBy(
        whole.filter(({ got }) => got.amount.currency === currency),
        ({ owner }) => owner,
      );
      const walletsMinor = Object.values(ofOwners).reduce((total, ofOwner = []) => {
        const sums = sumsOf(ofOwner.map(({ got }) => got));
        const leftMinor = sums.paidMinor + sums.refundedMinor + sums.returnedMinor;
        return total + sums.receivedMinor - leftMinor;
      }, 0n);
      const floatMinor = held
        .filter((one) => one.currency === currency)
        .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
      if (floatMinor !== walletsMinor) {
        return `${mode} ${currency}: float ${floatMinor}, wallets ${walletsMinor}`;
      }
    }
  }
  return null;
}

/** All but a payout whose outcome the partner never reported. */
export function owedMoneyIsReallyGivenBack(observed: ObservedState): string | null {
  return eachWholePayment(observed, (found) => {
    const { funds } = found;
    const owed = observed.outside.abilities.refunds
      ? funds.refundOwedMinor + funds.refundOrderedMinor
      : funds.refundOrderedMinor;
    if (owed > 0n) return `still owes ${owed}: ${funds.refund}`;
    const isMissing = sumsOf(observed.transactionsOf(found)).needsReviewMinor > 0n;
    const waits = funds.position === 'needs_review' && !isMissing;
    return waits ? 'waits for an operator although the partner knows' : null;
  });
}

/** It may have been carried out all the same. */
export function aRefusedRefundIsLookedUpBeforeItIsSentAgain({
  reordered,
  outside,
}: ObservedState): string | null {
  for (const { reference, sinceMs } of reordered) {
    const lookedUpAtMs = outside.books.lookedUpAtMs.get(reference) ?? 0;
    if (lookedUpAtMs < sinceMs) return `${reference} was sent again without a look-up`;
  }
  return null;
}

export function aKeyNeverCarriesAnotherRequest({ outside }: ObservedState): string | null {
  return outside.misuse()[0] ?? null;
}

/** What was taken after a refusal, or completed after it had failed, may not be known yet. */
export function everyTransactionAtThePartnerIsKnown(observed: ObservedState): string | null {
  for (const transaction of observed.outside.books.transactions) {
    // A deposit.
    if (transaction.collected !== undefined) continue;
    const owner = observed.payments.get(observed.ownerOf(transaction.reference) ?? '');
    if (observed.exempt.hasPayment(observed.ownerOf(transaction.reference))) continue;
    // A deposit that was assigned to its payment has the partner's id, and its own reference.
    const command =
      owner?.commands.find(({ partnerRef }) => partnerRef === transaction.ref) ??
      owner?.commands.find(({ reference }) => reference === transaction.reference);
    if (command === undefined) return `${transaction.ref} was ordered by no command`;
    if (observed.exempt.isLost(transaction) && command.lastSentAtMs === null) continue;
    if (isDeposit(observed, transaction)) continue;
    const given = transaction.status === 'open' || transaction.status === 'completed';
    if (!given || transaction.takenAfterRefusal || wasEver(transaction, 'failed')) continue;
    if (['void', 'refused', 'pending'].includes(command.state)) {
      const state = `its command ${command.id} is ${command.state}`;
      return `${transaction.ref} is ${transaction.status}, ${state}`;
    }
  }
  return null;
}

/**
 * Each transfer in the books has a command or a deposit that ended as it did, even if a restore
 * lost its command. A pay-in without money is nobody's. A report under review has its own queue.
 */
export function everyTransferOfTheBooksIsHere(
  observed: ObservedState,
  transactions: readonly PartnerTransaction[] = observed.outside.books.transactions,
): string | null {
  const { outside, deposits, payments, exempt } = observed;
  if (!outside.abilities.hasStatement) return null;
  const commands = [...payments.values()].flatMap((found) => found.commands);
  for (const transaction of transactions) {
    const { kind, ref, status } = transaction;
    if (kind === 'refund' || status === 'open' || exempt.isLost(transaction)) continue;
    const own = commands.find(({ partnerRef }) => partnerRef === ref);
    const known = own ?? [...deposits.values()].find(({ partnerRef }) => partnerRef === ref);
    // What nobody ordered has a row once it is money.
    const isOrdered = transaction.collected === undefined;
    const isMoney = status === 'completed' || (kind === 'payout' && isOrdered);
    if (known === undefined && isMoney) return `the ${kind} ${ref} is not here`;
    const isHeld = own?.review !== undefined && own.review !== null;
    // A payout that is back may be reported failed later: its money is here.
    const isSame = known?.end === status || (known?.end === 'returned' && status === 'failed');
    if (known !== undefined && !isHeld && !isSame) {
      return `the ${kind} ${ref} is ${status}, here it is ${known.end}`;
    }
  }
  return null;
}

/** A restored database lacked its command; at most it was assigned as a deposit since. */
function isForgotten(observed: ObservedState, transaction: PartnerTransaction): boolean {
  if (!observed.exempt.isUnknown(transaction)) return false;
  const { ref, reference } = transaction;
  const owner = observed.payments.get(observed.ownerOf(reference) ?? '');
  const isIts = (one: { readonly partnerRef: string | null; readonly reference: string }) =>
    one.partnerRef === ref && one.reference === reference;
  return !(owner?.commands.some(isIts) ?? false);
}

/** A restored database lacked its payment, which was created again: an operator decides on it. */
function isDeposit({ exempt, deposits }: ObservedState, transaction: PartnerTransaction): boolean {
  if (!exempt.isLost(transaction)) return false;
  const deposit = [...deposits.values()].find(({ partnerRef }) => partnerRef === transaction.ref);
  return deposit !== undefined && deposit.state !== 'assigned';
}

/** The partner may correct a total downwards. */
function everReceived(transactions: readonly PartnerTransaction[]): bigint {
  return transactions
    .filter(({ kind }) => kind === 'payin')
    .reduce((sum, payin) => sum + mostReceived(payin), 0n);
}

/** Operators paid it from their own bank: the partner never got these commands. */
function paidByHandMinor({ commands }: ObservedPayment, kind: 'payout' | 'refund'): bigint {
  return commands
    .filter((one) => one.kind === kind && one.state === 'done' && one.end === 'completed')
    .filter(isByHand)
    .reduce((sum, { amount }) => sum + amount.amountMinor, 0n);
}

/** At any time of its history. */
function mostGivenBack(transaction: PartnerTransaction): bigint {
  if (transaction.kind === 'payin')
    return wasEver(transaction, 'returned') ? mostReceived(transaction) : 0n;
  const isPaid = transaction.kind === 'refund' && wasEver(transaction, 'completed');
  return isPaid ? transaction.amount.amountMinor : 0n;
}

function atMostOne(
  observed: ObservedState,
  kind: TransactionKind,
  counts: (transaction: PartnerTransaction) => boolean,
): string | null {
  const taken = new Map<string, PartnerTransaction>();
  for (const transaction of observed.outside.books.transactions) {
    if (transaction.kind !== kind || !counts(transaction)) continue;
    const owner = observed.ownerOf(transaction.reference) ?? transaction.reference;
    const other = taken.get(owner);
    if (other !== undefined) return `${owner} has ${other.ref} and ${transaction.ref}`;
    taken.set(owner, transaction);
  }
  return null;
}
