// What an operator does with a command to the partner that the service does not finish by itself.
// An operator sees the partner's own books, and accepts an odd report only where they say the same.
import {
  isActiveOperator,
  operatorActor,
} from '../../../core/domain/access/registered-operator.js';
import type { OperatorActor } from '../../../core/domain/base/actor.js';
import { MINUTE_MS } from '../../../core/domain/base/instant.js';
import {
  isMoneyCommand,
  isStuck,
  isUnpaidRefund,
  type MoneyCommand,
  type PartnerCommand,
} from '../../../core/domain/commands/partner-command.js';
import { reviewName } from '../../../core/domain/commands/report-check.js';
import { isUnmatched } from '../../../core/domain/deposits/deposit.js';
import { isPayoutDecidable } from '../../../core/domain/money-desk/money-decision.js';
import { openLossOf } from '../../../core/domain/payments/funds.js';
import { retryCommand } from '../../../core/usecases/commands/command-retries.js';
import { confirmProposal, decide } from '../../../core/usecases/money-desk/money-desk.js';
import type { DeskRequest } from '../../../core/usecases/money-desk/service-items.js';
import { readReview } from '../../../core/usecases/payments/command-changes.js';
import { operatorDoes } from '../../support/operator-action.js';
import { signedOffline } from '../world/people.js';
import type { SimulatedHost } from '../world/simulated-host.js';
import type { World } from '../world/world.js';

/** An operator looks at what is stuck after a while. */
const PATIENCE_MS = 20 * MINUTE_MS;

export function isTheOperatorsTurn(world: World, command: PartnerCommand): boolean {
  if (isMoneyCommand(command) && isPayoutDecidable(command)) return true;
  if (!isStuck(command)) return false;
  // Polls of a report under review change its command, however long it waits.
  const isFresh = command.updatedAtMs + PATIENCE_MS > world.nowMs;
  if (isFresh && command.review === null) return false;
  if (!isUnpaidRefund(command)) return true;
  return world.observed.outside.abilities.refunds && !isPaidElsewhere(world, command);
}

/** Before a restore the partner gave this money away: no refund of it can ever be ordered. */
function isPaidElsewhere({ observed }: World, command: MoneyCommand): boolean {
  const { paymentId, reference, amount } = command;
  if (!observed.exempt.hasPayment(paymentId)) return false;
  return observed.outside.books.freeMinor(reference) < amount.amountMinor;
}

export function operatorActs(world: World, host: SimulatedHost, command: PartnerCommand): void {
  if (isMoneyCommand(command) && isPayoutDecidable(command)) decides(world, host, command);
  else if (isReviewTrue(world, command)) {
    const { id, kind, review } = command;
    const report = reviewName(review ?? '');
    host.begin(`operator accepts ${kind} ${id}`, () =>
      operatorDoes(host.deps, id, { verb: 'accept', report }),
    );
  } else retries(world, host, command);
}

/**
 * Deposits that nobody could place belong to their payment or elsewhere; a loss is written off.
 * Buyers are paid back by hand where the partner does not.
 */
export function operatorsClearTheDesk(world: World, host: SimulatedHost): void {
  const { observed } = world;
  for (const { id, partnerRef, mode, state, end, book } of observed.deposits.values()) {
    if (!isUnmatched({ state, end })) continue;
    const transaction = world.partners[mode].transaction(partnerRef);
    const reference = transaction?.collected?.repeats ?? transaction?.reference ?? '';
    const paymentId = book === 'payin' ? observed.ownerOf(reference) : null;
    const isAssigned = paymentId !== null && world.random.chance(0.5);
    if (book === 'payout' && world.random.chance(0.5))
      operatorDecides(world, host, id, { verb: 'withdrawn' });
    else if (isAssigned) operatorDecides(world, host, id, { verb: 'assign', paymentId });
    else operatorDecides(world, host, id, { verb: 'otherwise' });
  }
  for (const { payment, funds, commands } of observed.payments.values()) {
    if (openLossOf(funds).amountMinor > 0n)
      operatorDecides(world, host, payment.id, { verb: 'write_off' });
    if (observed.outside.abilities.refunds) continue;
    for (const refund of commands.filter(isUnpaidRefund)) {
      if (world.random.chance(0.5)) operatorDecides(world, host, refund.id, { verb: 'refund' });
    }
  }
}

function decides(world: World, host: SimulatedHost, payout: MoneyCommand): void {
  const { id, state } = payout;
  const isRetried = state !== 'done' && world.random.chance(0.4);
  if (isRetried) retries(world, host, payout);
  else {
    const requests = [{ verb: 'refund' }, { verb: 'pay_again' }, paidByHand(payout)] as const;
    operatorDecides(world, host, id, world.random.pick<DeskRequest>(requests));
  }
}

/** A PIX from the operator's bank, close to the rates of all partners. */
function paidByHand({ id, amount }: MoneyCommand): DeskRequest {
  const settledMinor = (amount.amountMinor * 52n) / 10n;
  const figures = { settledMinor, feesMinor: 0n, endToEndId: `E${id}` };
  return { verb: 'paid_by_hand', ...figures };
}

/** In live mode the other operator confirms. */
function operatorDecides(
  world: World,
  host: SimulatedHost,
  itemId: string,
  request: DeskRequest,
): void {
  const operator = world.random.pick(currentOperators(world));
  const asked = { itemId, request, operator, evidence: 'asked', replace: true } as const;
  const command = `${operator.name} decides ${request.verb} of ${itemId}`;
  const decides = async () => {
    const { kind, decision } = await decide(host.deps, asked);
    const isOthers = kind === 'waiting' && decision.proposedById !== operator.id;
    const isDone = kind === 'done' || isOthers;
    if (isOthers) await confirmProposal(host.deps, decision.id, operator);
    if (isDone) world.count(`decided ${request.verb}`);
  };
  const signed = signedOffline(command, operator, world.nowMs);
  host.begin(command, decides, { actor: { kind: 'operator', id: operator.id }, signed });
}

function currentOperators({ observed }: World): readonly OperatorActor[] {
  return [...observed.operators.values()].filter(isActiveOperator).map(operatorActor);
}

function retries(world: World, host: SimulatedHost, command: PartnerCommand): void {
  const { id, kind, reference, request } = command;
  const sinceMs = world.nowMs;
  host.begin(`operator retries ${kind} ${id}`, () => retryCommand(host.deps, id), {
    done: (next) => {
      const isAnother = next.id !== id && request !== null;
      if (isAnother) world.observed.reordered.push({ reference, sinceMs });
    },
  });
}

/** Odd and true can be what a buyer sent, and a refund that was ordered before a restore. */
function isReviewTrue({ partners }: World, { mode, review }: PartnerCommand): boolean {
  if (review === null) return false;
  const { fact } = readReview(review);
  const transaction = partners[mode].transaction(fact.partnerRef);
  if (transaction === null || fact.kind === 'payout') return false;
  const [reported, known] =
    fact.kind === 'payin'
      ? [fact.report.received.amountMinor, transaction.receivedMinor]
      : [fact.report.amount.amountMinor, transaction.amount.amountMinor];
  return transaction.status === fact.report.status && reported === known;
}
