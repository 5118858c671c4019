// A consolidated payment: payments of one buyer to one payee that one transfer pays, by one
// reference. The transfer is a deposit, and each payment gets a share of it. A share is a pay-in
// command of its payment; the partner's reports about the pay-in are about the deposit, which moves
// all its shares in one batch.
import { assert } from '../../errors.js';
import type { Money } from '../base/money.js';
import { type CommandReport, reportCommand } from '../commands/command-report.js';
import { changed, type MoneyCommand } from '../commands/partner-command.js';
import { payinProblem, type ReportProblem, unusable } from '../commands/report-check.js';
import type { PaymentAggregate } from '../payments/change.js';
import { netReceivedMinor } from '../payments/funds.js';
import { isTerminal, type Payment, progress } from '../payments/payment.js';
import type { Deposit, DepositFacts } from './deposit.js';

/** In the order in which they are paid: the oldest due date first, those without one last. */
export function inDueOrder<P extends Pick<Payment, 'dueDate' | 'createdAtMs' | 'id'>>(
  payments: readonly P[],
): readonly P[] {
  return payments.toSorted(
    (one, other) =>
      compare(one.dueDate ?? '9999', other.dueDate ?? '9999') ||
      one.createdAtMs - other.createdAtMs ||
      compare(one.id, other.id),
  );
}

/**
 * What each payment gets: what it lacks, in due order, each full before the next. The last one that
 * lacks money gets what is left over; if none does, the last one gets all. Null if none may have
 * money.
 */
export function sharesOf({ amountMinor, currency }: Money, members: readonly PaymentAggregate[]) {
  const able = members.filter((member) => isAble(member, currency));
  const byId = new Map(able.map((member) => [member.payment.id, member]));
  const ordered = inDueOrder(able.map(({ payment }) => payment));
  const claims = ordered.map(({ id: paymentId }) => {
    const member = byId.get(paymentId);
    assert(member !== undefined, 'the order has the members');
    return { paymentId, claimMinor: claimMinor(member) };
  });
  const lacking = claims.filter((claim) => claim.claimMinor > 0n);
  const paid = lacking.length > 0 ? lacking : claims.slice(-1);
  if (paid.length === 0) return null;
  const split = splitOf(
    amountMinor,
    paid.map((claim) => claim.claimMinor),
  );
  return paid
    .map(({ paymentId }, at) => ({ paymentId, amount: { amountMinor: split[at] ?? 0n, currency } }))
    .filter(({ amount }) => amount.amountMinor > 0n);
}

/** Minor units of each claim, in their order; the last one gets the rest. The sum is the total. */
export function splitOf(totalMinor: bigint, claimsMinor: readonly bigint[]): readonly bigint[] {
  let leftMinor = totalMinor;
  return claimsMinor.map((claim, at) => {
    const isLast = at === claimsMinor.length - 1;
    const shareMinor = isLast || leftMinor < claim ? leftMinor : claim;
    leftMinor -= shareMinor;
    return shareMinor;
  });
}

/** What a payment lacks: nothing once it has ended unpaid, what was lost once it is settled. */
export function claimMinor({ payment, funds }: PaymentAggregate): bigint {
  if (payment.status === 'settled') return funds.lossMinor;
  if (isTerminal(payment.status)) return 0n;
  const lackingMinor = payment.amount.amountMinor - netReceivedMinor(funds);
  return lackingMinor > 0n ? lackingMinor : 0n;
}

/** The buyer has confirmed its price, or it has ended: then the money is owed to the buyer. */
function isAble({ payment: { status, amount } }: PaymentAggregate, currency: string): boolean {
  const isConfirmed = (progress(status) ?? 0) >= (progress('on_ramp_pending') ?? 0);
  return amount.currency === currency && (isTerminal(status) || isConfirmed);
}

/** What all payments of a transfer ask for. */
export function askedTogether(
  currency: string,
  members: readonly Pick<Payment, 'amount'>[],
): Money {
  const amountMinor = members.reduce((sum, { amount }) => sum + amount.amountMinor, 0n);
  return { amountMinor, currency };
}

/**
 * Why what the partner's books say of a deposit that was split waits for an operator; null if the
 * shares follow. `asked` is what its payments ask for.
 */
export function correctionProblem(
  { end, amount }: Deposit,
  { status, amount: stated }: DepositFacts,
  asked: Money,
): ReportProblem | null {
  const isReceived = status === 'completed';
  if (isReceived && stated.amountMinor === 0n) return unusable('no money is reported completed');
  const known = { asked, end, receivedMinor: amount.amountMinor };
  // Another end says nothing of the amount.
  const received = isReceived ? stated : amount;
  const report = { status, received, transactionHash: null, reason: null };
  return payinProblem(known, report, true, 0n);
}

/** A share, and what refunds of the partner took from it or may still take. */
export interface TakenShare {
  readonly share: MoneyCommand;
  readonly takenMinor: bigint;
}

/**
 * What each payment has of a deposit after its read, in minor units by payment. `shares` are in due
 * order. More money is split as another transfer; less is taken from the last ones, but not what
 * went back to the payer: that was money of the transfer, and no other share has it any more. Of a
 * transfer that failed nobody has any.
 */
export function splitAgain(
  { end, amount }: Deposit,
  shares: readonly TakenShare[],
  members: readonly PaymentAggregate[],
): ReadonlyMap<string, bigint> {
  const last = shares.at(-1);
  assert(last !== undefined, 'a deposit that was split has shares');
  const hadMinor = shares.reduce((sum, { share }) => sum + share.receivedMinor, 0n);
  const totalMinor = end === 'failed' ? 0n : amount.amountMinor;
  const keptMinor = totalMinor < hadMinor ? totalMinor : hadMinor;
  // First what went back, then what each share had besides.
  const claims = [
    ...shares.map(({ share, takenMinor }) => smaller(takenMinor, share.receivedMinor)),
    ...shares.map(({ share, takenMinor }) => above(share.receivedMinor, takenMinor)),
  ];
  const kept = splitOf(keptMinor, claims);
  const has = new Map(
    shares.map(({ share }, at) => {
      const keptOfShare = (kept[at] ?? 0n) + (kept[shares.length + at] ?? 0n);
      return [share.paymentId, keptOfShare];
    }),
  );
  if (keptMinor === totalMinor) return has;
  const excess = { ...amount, amountMinor: totalMinor - keptMinor };
  const added = sharesOf(excess, members) ?? [{ paymentId: last.share.paymentId, amount: excess }];
  for (const { paymentId, amount: more } of added) {
    has.set(paymentId, (has.get(paymentId) ?? 0n) + more.amountMinor);
  }
  return has;
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function above(value: bigint, floor: bigint): bigint {
  return value > floor ? value - floor : 0n;
}

/** Whether the share stands as its deposit does, without a report under review. */
export function isShareCurrent(
  { end, receivedMinor, review }: MoneyCommand,
  deposit: Pick<Deposit, 'end'>,
  hasMinor: bigint,
): boolean {
  return end === deposit.end && receivedMinor === hasMinor && review === null;
}

/** A share is not polled: its deposit is read. */
export function shareReported(
  share: MoneyCommand,
  report: Pick<CommandReport, 'partnerRef' | 'end' | 'receivedMinor'>,
  nowMs: number,
): MoneyCommand {
  const stated = { ...report, reason: null, refunded: null, polled: true, accepted: true };
  return changed(reportCommand(share, stated, nowMs), nowMs, { dueAtMs: null, tries: 0 });
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
