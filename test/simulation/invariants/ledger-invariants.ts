// Invariants of our own books: commands, funds and ledger agree at every step, and include the
// partner's reports. The meaning of commands and postings is repeated here, so that a broken table
// does not excuse itself.
import type { MoneyCommand } from '../../../core/domain/commands/partner-command.js';
import type { InboxMessage } from '../../../core/domain/commands/partner-message.js';
import type { Funds } from '../../../core/domain/payments/funds.js';
import type { PostingKind, StoredPosting } from '../../../core/domain/payments/ledger.js';
import type { PartnerFact, PartnerNotice } from '../../../core/ports/partner.js';
import type { PartnerTransaction } from '../partner/partner-ledger.js';
import { readFacts, transactionFact } from '../partner/partner-reports.js';
import { eachPayment, type ObservedState } from './observed-state.js';

/** Minor units. */
interface Sums {
  readonly received: bigint;
  readonly paidOut: bigint;
  readonly owed: bigint;
  readonly ordered: bigint;
  readonly givenBack: bigint;
  readonly lost: bigint;
}

export function fundsConserve(observed: ObservedState): string | null {
  return eachPayment(observed, ({ funds, commands }) => {
    const sums = sumsOfFunds(funds);
    const amounts = Object.values(sums).join(' ');
    if (Object.values(sums).some((sum) => sum < 0n)) return `has a negative part: ${amounts}`;
    const isReviewed = commands.some((command) => command.review !== null || isPutOff(command));
    const handedOut = ['payout_ordered', 'paid', 'needs_review'].includes(funds.position);
    if (!isReviewed && handedOut !== sums.paidOut > 0n) return `is ${funds.position}: ${amounts}`;
    const isOpen = sums.owed + sums.ordered > 0n;
    const isClosed = funds.refund === 'none' || funds.refund === 'refunded';
    return isOpen === isClosed ? `refund is ${funds.refund}: ${amounts}` : null;
  });
}

/** So every change of a command changes the funds in the same batch. */
export function fundsFollowFromTheCommands(observed: ObservedState): string | null {
  return eachPayment(observed, ({ funds, commands }) =>
    difference(sumsOfTransactions(commands), sumsOfFunds(funds)),
  );
}

/**
 * Funds derived from the postings alone equal the funds that are stored. A payout is posted when it
 * is paid; until then its money is held for it, also while another one of the payment is paid.
 */
export function fundsFollowFromTheLedger(observed: ObservedState): string | null {
  return eachPayment(observed, ({ funds, postings, commands }) => {
    const currencies = new Map<string, bigint>();
    for (const { money } of postings.flatMap(({ lines }) => lines)) {
      const sum = (currencies.get(money.currency) ?? 0n) + money.amountMinor;
      currencies.set(money.currency, sum);
    }
    const off = [...currencies].find(([, sum]) => sum !== 0n);
    if (off !== undefined) return `the ledger is off by ${off[1]} ${off[0]}`;
    const ledger = sumsOfLedger(postings);
    const stored = sumsOfFunds(funds);
    const paidOut = sumOf(commands.filter((one) => one.kind === 'payout' && isMoved(one)));
    // A command to refund moves no money: what is owed and what is ordered are one account.
    const owed = stored.owed + stored.ordered;
    return difference(ledger, { ...stored, paidOut, owed, ordered: 0n });
  });
}

/** What the service itself finds when it compares commands, funds and ledger. */
export function theLedgerCheckFindsNothing({ differences }: ObservedState): string | null {
  const [found] = differences;
  if (found === undefined) return null;
  const { subjectId, what, expectedMinor, foundMinor } = found;
  return `${subjectId}: ${what} is ${foundMinor}, it should be ${expectedMinor}`;
}

/**
 * A true report that was applied is known of its command: received sums, and its end unless a later
 * one is known. It may also wait for a person, or for what the partner answers when it is asked.
 */
export function noMoneyFactLeavesFundsUnchanged(observed: ObservedState): string | null {
  for (const message of observed.inbox.values()) {
    if (message.dueAtMs !== null) continue;
    for (const fact of readFacts(message.facts)) {
      const ignored = ignoredFact(observed, message, fact);
      if (ignored !== null) return `${message.messageId}: ${ignored}`;
    }
  }
  return null;
}

function ignoredFact(
  observed: ObservedState,
  message: InboxMessage,
  fact: PartnerFact | PartnerNotice,
): string | null {
  const { mode, messageId } = message;
  // A notice states nothing.
  if (fact.kind === 'party' || fact.report === null) return null;
  const { transactions, falseMessages } = observed.outside.books;
  if (falseMessages.has(messageId)) return null;
  const transaction = transactions.find(
    ({ ref, mode: its }) => its === mode && ref === fact.partnerRef,
  );
  if (transaction === undefined || !isTrue(transaction, fact)) return null;
  const owner = observed.payments.get(observed.ownerOf(transaction.reference) ?? '');
  const command = owner?.commands.find(({ reference }) => reference === transaction.reference);
  if (command === undefined || command.review !== null || command.dueAtMs !== null) return null;
  const isForgotten = fact.reference === null && command.partnerRef === null;
  if (isForgotten && observed.exempt.hasPayment(command.paymentId)) return null;
  const stated = fact.kind === 'payin' ? fact.report.received.amountMinor : null;
  if (stated !== null && isTotalMissed(transaction, stated, command)) {
    return `${stated} received, ${command.id} has ${command.receivedMinor}`;
  }
  const { status } = fact.report;
  const isKnown = command.end === status || status === 'open';
  // What never came to be at our side may fail at the partner's.
  const isOver = ['refused', 'void'].includes(command.state) && status !== 'completed';
  if (isKnown || isOver || isOutdated(transaction, status, command)) return null;
  return `${transaction.ref} was reported ${status}, ${command.id} is ${command.end}`;
}

/** The partner has received more than we know, and our total is not one of after the report. */
function isTotalMissed(
  { receivedMinor, history }: PartnerTransaction,
  reportedMinor: bigint,
  { receivedMinor: knownMinor }: MoneyCommand,
): boolean {
  if (knownMinor >= receivedMinor || knownMinor >= reportedMinor) return false;
  const reportedAt = history.findIndex((state) => state.receivedMinor === reportedMinor);
  return !history.slice(reportedAt).some((state) => state.receivedMinor === knownMinor);
}

/** A report of how this command really stood at some time. */
function isTrue(
  transaction: PartnerTransaction,
  fact: Exclude<PartnerFact, { kind: 'party' }>,
): boolean {
  if (
    fact.kind !== transaction.kind ||
    (fact.reference ?? transaction.reference) !== transaction.reference
  ) {
    return false;
  }
  return transaction.history.some((state) => {
    const reported = transactionFact({ ...transaction, ...state }, fact.reference !== null);
    return JSON.stringify(reported, digits) === JSON.stringify(fact, digits);
  });
}

/** The end that we know came after the one that was reported. */
function isOutdated(
  transaction: PartnerTransaction,
  reported: string,
  { end }: MoneyCommand,
): boolean {
  const ends = transaction.history.map(({ status }) => status as string);
  return ends.lastIndexOf(end) > ends.indexOf(reported);
}

function sumsOfFunds(funds: Funds): Sums {
  return {
    received: funds.receivedMinor,
    paidOut: funds.payoutMinor,
    owed: funds.refundOwedMinor,
    ordered: funds.refundOrderedMinor,
    givenBack: funds.refundedMinor,
    lost: funds.lossMinor,
  };
}

/** The partner refuses this payout for now. */
function isPutOff({ kind, state, refusal }: MoneyCommand): boolean {
  const isUnderWay = state === 'pending' || inDoubt.includes(state);
  return kind === 'payout' && refusal !== null && isUnderWay;
}

const inDoubt: readonly MoneyCommand['state'][] = ['sent', 'unknown', 'denied'];

function sumsOfTransactions(commands: readonly MoneyCommand[]): Sums {
  const isMoving = ({ state, end }: MoneyCommand) =>
    inDoubt.includes(state) || (state === 'done' && end === 'open');
  const payouts = commands.filter(({ kind }) => kind === 'payout');
  const refunds = commands.filter(({ kind }) => kind === 'refund');
  const isMissing = ({ state, end, isUndecided }: MoneyCommand) =>
    isUndecided || (state === 'done' && end === 'failed');
  const isOwed = (refund: MoneyCommand) =>
    refund.state !== 'void' && !isMoving(refund) && !isMoved(refund);
  const payins = commands.filter(({ kind }) => kind === 'payin');
  const received = payins.reduce((total, { receivedMinor }) => total + receivedMinor, 0n);
  const returned = payins
    .filter(({ end }) => end === 'returned')
    .map(({ id, receivedMinor }) => {
      const own = refunds.filter((one) => one.payinId === id && !isByHand(one));
      const left = receivedMinor - sumOf(own.filter((one) => isMoving(one) || isMoved(one)));
      return left > 0n ? left : 0n;
    })
    .reduce((total, left) => total + left, 0n);
  const paidOut = sumOf(payouts.filter((one) => isMoving(one) || isMoved(one) || isMissing(one)));
  const owed = sumOf(refunds.filter(isOwed));
  const ordered = sumOf(refunds.filter(isMoving));
  const givenBack = sumOf(refunds.filter(isMoved)) + returned;
  const over = paidOut + owed + ordered + givenBack - received;
  return { received, paidOut, owed, ordered, givenBack, lost: over > 0n ? over : 0n };
}

function sumOf(commands: readonly MoneyCommand[]): bigint {
  return commands.reduce((total, { amount }) => total + (amount?.amountMinor ?? 0n), 0n);
}

function isMoved({ state, end }: MoneyCommand): boolean {
  return state === 'done' && end === 'completed';
}

/** An operator paid it: the partner never got this refund. */
export function isByHand({ partnerRef, lastSentAtMs }: MoneyCommand): boolean {
  return partnerRef === null && lastSentAtMs === null;
}

/** What a posting moves in each sum: the account whose balance it is read from, and its sign. */
const meanings: Readonly<Record<PostingKind, Partial<Record<keyof Sums, 1n | -1n>>>> = {
  funds_received: { received: 1n },
  funds_corrected: { received: -1n },
  loss: { lost: 1n },
  loss_recovered: { lost: -1n },
  refund_owed: { owed: 1n },
  refund_withdrawn: { owed: -1n },
  refund_paid: { owed: -1n, givenBack: 1n },
  refund_bounced: { owed: 1n, givenBack: -1n },
  refund_by_hand: { owed: -1n, givenBack: 1n },
  refund_by_hand_reversed: { owed: 1n, givenBack: -1n },
  returned_by_partner: { givenBack: 1n },
  return_reversed: { givenBack: -1n },
  payout_paid: { paidOut: 1n },
  payout_returned: { paidOut: -1n },
  payout_by_hand: {},
  payout_by_hand_reversed: {},
  loss_written_off: {},
  write_off_reversed: {},
  deposit_assigned: {},
  deposit_resolved: {},
};

function sumsOfLedger(postings: readonly StoredPosting[]): Sums {
  const sums = { received: 0n, paidOut: 0n, owed: 0n, ordered: 0n, givenBack: 0n, lost: 0n };
  for (const { kind, lines } of postings) {
    // The first line takes the whole amount from one account, or gives it back.
    const moved = lines[0]?.money.amountMinor ?? 0n;
    const amount = moved < 0n ? -moved : moved;
    for (const [name, sign] of Object.entries(meanings[kind])) {
      sums[name as keyof Sums] += sign * amount;
    }
  }
  return sums;
}

function difference(derived: Sums, stored: Sums): string | null {
  for (const [name, sum] of Object.entries(derived)) {
    const found = stored[name as keyof Sums];
    if (found !== sum) return `${name} is ${found}, and follows as ${sum}`;
  }
  return null;
}

function digits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}
