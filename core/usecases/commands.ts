// Partner commands at work: a worker leases due ones, fixes the exact request, stores the
// intention, calls, and records the answer. What is accepted is polled until its end is reported.
// The worker waits for no call, so that a slow one delays no other; one that lost its lease changes
// nothing any more. Applying what the partner tells is settlement.ts's matter.
import {
  type Change,
  type Collection,
  debtUnlessReturned,
  orderPostponed,
  payinAccepted,
  payinRefused,
  payoutLost,
  payoutRefused,
  payoutTaken,
  refundRefused,
  refundTaken,
  unchanged,
} from '../domain/collection.js';
import {
  acceptCommand,
  askAgain,
  COMMAND_LEASE_MS,
  leaveToOperator,
  loseCommand,
  mayRepeat,
  newsOf,
  PARTNER_CALL_MS,
  type PartnerCommand,
  postponeCommand,
  refuseCommand,
  repeatCommand,
  reportOrder,
  requestPurpose,
  sendCommand,
  voidCommand,
} from '../domain/partner-command.js';
import { isTerminal } from '../domain/payment.js';
import { tenantOf } from '../domain/tenant.js';
import { assert, unreachable } from '../errors.js';
import type { Deps, PartnerAnswer, PartnerFact, SettlementPartner, Tx } from '../ports.js';
import {
  announce,
  eachByItself,
  loadCollection,
  stageChange,
  withCommandChanged,
} from './collections.js';
import { Flights, type Runner } from './flights.js';
import { partyAnswered } from './parties.js';
import { type Accepted, verbs } from './partner-verbs.js';
import { newLease } from './party-orders.js';
import { applyFact } from './settlement.js';

/** Commands worked on at a time, in one process: each is a connection to the partner. */
export const COMMANDS_IN_FLIGHT_MAX = 256;

/** One per process: it knows how many commands it works on. */
export function commandRunner(deps: Deps, inFlightMax = COMMANDS_IN_FLIGHT_MAX): Runner {
  assert(COMMAND_LEASE_MS > 2 * PARTNER_CALL_MS, 'a lease outlives what is called under it');
  const flights = new Flights(() => deps.wake('commands'));
  return {
    runOnce: async (nowMs, limitAsked) => {
      const limit = Math.min(limitAsked, inFlightMax - flights.held());
      if (limit <= 0) {
        flights.miss();
        return 0;
      }
      const token = newLease(deps);
      const claim = { nowMs, limit, leaseMs: COMMAND_LEASE_MS, token };
      const claimed = await deps.store.claims.commands(claim);
      flights.hold([], claimed.length);
      for (const command of claimed) flights.begin([], () => workByItself(deps, command));
      return claimed.length;
    },
    inFlight: () => flights.inFlight(),
    idle: () => flights.idle(),
  };
}

/**
 * Works on a command in the request that recorded it, under the lease it was recorded with. A crash
 * or a failure in here is healed by the workers when the lease runs out.
 */
export async function workNow(deps: Deps, command: PartnerCommand): Promise<void> {
  await workByItself(deps, command);
  deps.wake('commands');
}

/** It does not reject: what fails is taken up again when its lease runs out. */
async function workByItself(deps: Deps, command: PartnerCommand): Promise<void> {
  await eachByItself(deps, 'commands', [command], (leased) => workOn(deps, leased));
}

async function workOn(deps: Deps, command: PartnerCommand): Promise<void> {
  const partner = deps.partners[command.mode];
  if (partner === null) throw new Error(`no settlement partner is configured for ${command.mode}`);
  if (command.state === 'done') await poll(deps, partner, command);
  else if (mayRepeat(command, deps.clock.nowMs())) await send(deps, partner, command);
  else await readBack(deps, partner, command);
}

async function send(deps: Deps, partner: SettlementPartner, claimed: PartnerCommand) {
  const prepared = await prepare(deps, partner, claimed);
  if (prepared.outcome !== 'done') {
    // Preparing has no effect, so an answer in doubt is as good as none.
    const answer =
      prepared.outcome === 'unknown'
        ? { outcome: 'later' as const, reason: prepared.reason }
        : prepared;
    await record(deps, claimed, answer);
    return;
  }
  const taken = await takeInHand(deps, claimed, prepared.value);
  // Held up for longer than its lease, this process would call beside another one, or when the
  // partner has forgotten the key.
  if (!taken || isLeaseOver(claimed, deps.clock.nowMs())) return;
  await record(deps, claimed, await call(partner, claimed, prepared.value));
}

async function prepare(
  deps: Deps,
  partner: SettlementPartner,
  command: PartnerCommand,
): Promise<PartnerAnswer<string>> {
  if (command.request !== null) {
    return {
      outcome: 'done',
      value: deps.secretBox.open(command.request, requestPurpose(command)),
    };
  }
  const { paymentId, amount, id: reference } = command;
  assert(paymentId !== null && amount !== null, 'a command about money serves a payment');
  const tenant = tenantOf(command);
  const { payment, quote, commands } = await deps.store.run(async (tx) => {
    const was = await loadCollection(tx, tenant, paymentId);
    return {
      payment: was.payment,
      quote: was.payment.quoteId === null ? null : await tx.quotes.get(tenant, was.payment.quoteId),
      commands: await tx.commands.ofPayment(tenant, paymentId),
    };
  });
  switch (command.kind) {
    case 'payin':
      assert(quote !== null, 'a pay-in follows a quote');
      return partner.preparePayin({ reference, quote, payerEmail: payment.buyer.email });
    case 'payout':
      return partner.preparePayout({ reference, amount, destination: payment.destination });
    case 'refund': {
      const payins = commands.filter(
        ({ kind, partnerRef }) => kind === 'payin' && partnerRef !== null,
      );
      const payinRef = payins.at(-1)?.partnerRef ?? null;
      assert(payinRef !== null, 'money to refund came by a pay-in');
      return partner.prepareRefund({ reference, payinRef, amount });
    }
    case 'submit_organization':
    case 'submit_buyer':
    case 'submit_account':
    case 'provision_rails':
      throw new Error('the request of an order about a party is fixed when it is made');
    default:
      return unreachable(command.kind);
  }
}

/** Stores the intention; false when the command is no longer this worker's. */
async function takeInHand(deps: Deps, claimed: PartnerCommand, request: string): Promise<boolean> {
  const change = await deps.store.run(async (tx) => {
    const command = await stillOurs(tx, claimed);
    if (command === null) return null;
    const nowMs = deps.clock.nowMs();
    const sealed = command.request ?? deps.secretBox.seal(request, requestPurpose(command));
    const sent = sendCommand(command, sealed, nowMs);
    if (command.paymentId === null) {
      tx.commands.update(sent);
      return 'sent';
    }
    const was = await loadCollection(tx, tenantOf(command), command.paymentId);
    const first = command.firstSentAtMs === null;
    const overtaken = first && isOvertaken(command, was);
    const taken = overtaken || !first ? unchanged(was) : takenChange(command, was, nowMs);
    const changed = {
      ...taken,
      changedCommands: [overtaken ? voidCommand(command, nowMs) : sent],
    };
    stageChange(deps, tx, was, changed);
    return overtaken ? null : changed;
  });
  if (change === null) return false;
  if (change !== 'sent') announce(deps, change);
  return true;
}

/** The partner gave the money back by itself meanwhile: nothing is left to order. */
function isOvertaken(command: PartnerCommand, was: Collection): boolean {
  return command.kind === 'refund' && amountMinor(command) > was.funds.refundOwedMinor;
}

function takenChange(command: PartnerCommand, was: Collection, nowMs: number): Change {
  if (command.kind === 'payout') return payoutTaken(was, nowMs);
  if (command.kind === 'refund') return refundTaken(was, amountMinor(command));
  return unchanged(was);
}

/** The call itself; an adapter that throws leaves the outcome in doubt. */
async function call(
  partner: SettlementPartner,
  { kind }: PartnerCommand,
  request: string,
): Promise<PartnerAnswer<Accepted>> {
  try {
    return await verbs[kind].start(partner, request);
  } catch (error) {
    return { outcome: 'unknown', reason: String(error) };
  }
}

async function record(
  deps: Deps,
  claimed: PartnerCommand,
  answer: PartnerAnswer<Accepted>,
): Promise<void> {
  if (claimed.paymentId === null) {
    // The answer decides on a party before its command is recorded, so that a crash in between is
    // healed by the repeated call; a worker that lost its lease must not come to that.
    const ours = await deps.store.run((tx) => stillOurs(tx, claimed));
    if (ours === null) {
      tellLate(deps, claimed, answer);
      return;
    }
    await partyAnswered(deps, claimed, answer);
  }
  const change = await deps.store.run(async (tx) => {
    const command = await stillOurs(tx, claimed);
    if (command === null) return null;
    const nowMs = deps.clock.nowMs();
    const next = recorded(command, answer, nowMs);
    if (command.paymentId === null) {
      tx.commands.update(next);
      return null;
    }
    const was = await loadCollection(tx, tenantOf(command), command.paymentId);
    const commands = await tx.commands.ofPayment(tenantOf(command), command.paymentId);
    const change =
      answer.outcome === 'later'
        ? orderPostponed(was, commands, next, nowMs)
        : withCommandChanged(
            answeredChange(command, commands, answer, was, nowMs),
            debtUnlessReturned(next, commands, nowMs),
          );
    stageChange(deps, tx, was, change);
    return change;
  });
  if (change !== null) announce(deps, change);
  else if (claimed.paymentId !== null) tellLate(deps, claimed, answer);
}

function tellLate(deps: Deps, { id }: PartnerCommand, { outcome }: PartnerAnswer<Accepted>): void {
  deps.log.warn('late answer of the partner', { commandId: id, outcome });
}

function recorded(
  command: PartnerCommand,
  answer: PartnerAnswer<Accepted>,
  nowMs: number,
): PartnerCommand {
  switch (answer.outcome) {
    case 'done': {
      const { partnerRef } = answer.value;
      if (newsOf[command.kind] === null) {
        return reportOrder(command, partnerRef, 'completed', nowMs);
      }
      return acceptCommand(command, partnerRef, nowMs);
    }
    case 'refused':
      return refuseCommand(command, `${answer.code}: ${answer.message}`, nowMs);
    case 'later':
      return postponeCommand(command, answer.reason, nowMs);
    case 'unknown':
      return loseCommand(command, answer.reason, nowMs);
    default:
      return unreachable(answer);
  }
}

function answeredChange(
  command: PartnerCommand,
  commands: readonly PartnerCommand[],
  answer: PartnerAnswer<Accepted>,
  was: Collection,
  nowMs: number,
): Change {
  if (answer.outcome === 'done') {
    const { instructions } = answer.value;
    return instructions === undefined ? unchanged(was) : payinAccepted(was, instructions, nowMs);
  }
  if (answer.outcome !== 'refused') return unchanged(was);
  switch (command.kind) {
    case 'payin':
      return payinRefused(was, answer.code, nowMs);
    case 'payout':
      return payoutRefused(was, commands, answer.code, nowMs);
    case 'refund': {
      const taken = command.firstSentAtMs !== null;
      return refundRefused(was, commands, amountMinor(command), taken, nowMs);
    }
    case 'submit_organization':
    case 'submit_buyer':
    case 'submit_account':
    case 'provision_rails':
      return unchanged(was);
    default:
      return unreachable(command.kind);
  }
}

/** Our key may be forgotten by now: the order is only looked up, never repeated. */
async function readBack(deps: Deps, partner: SettlementPartner, claimed: PartnerCommand) {
  assert(claimed.request !== null, 'a command that was sent has its request');
  const request = deps.secretBox.open(claimed.request, requestPurpose(claimed));
  const found = await verbs[claimed.kind].find(partner, request);
  if (found.outcome === 'done' && found.value !== null) {
    await record(deps, claimed, { outcome: 'done', value: found.value });
    return;
  }
  const surelyAbsent = found.outcome === 'done' || found.outcome === 'refused';
  await deps.store.run(async (tx) => {
    const command = await stillOurs(tx, claimed);
    if (command === null) return;
    const nowMs = deps.clock.nowMs();
    const next = surelyAbsent
      ? givenUp(command, nowMs)
      : askAgain(command, 'the partner could not be asked', nowMs);
    if (command.kind !== 'payout' || !surelyAbsent || command.paymentId === null) {
      tx.commands.update(next);
      return;
    }
    const was = await loadCollection(tx, tenantOf(command), command.paymentId);
    stageChange(deps, tx, was, { ...payoutLost(was), changedCommands: [next] });
  });
  if (surelyAbsent) deps.log.error('alert', { alert: 'order lost', commandId: claimed.id });
}

/** Money is ordered again by an operator only; a party that comes twice does no harm. */
function givenUp(command: PartnerCommand, nowMs: number): PartnerCommand {
  if (command.paymentId === null) return repeatCommand(command, nowMs);
  return leaveToOperator(command, 'the partner does not know this order', nowMs);
}

/** Asks how an accepted order stands: the backstop for messages that never came. */
async function poll(deps: Deps, partner: SettlementPartner, claimed: PartnerCommand) {
  const { partnerRef } = claimed;
  assert(partnerRef !== null, 'an accepted order has the partner’s id');
  const { ask } = verbs[claimed.kind];
  assert(ask !== null, 'what is never told is never asked for');
  const told = await ask(partner, partnerRef);
  if (told.outcome === 'done') {
    // Kind and report belong together by the table of verbs.
    const kind = newsOf[claimed.kind];
    const fact = { kind, reference: claimed.id, partnerRef, report: told.value };
    await applyFact(deps, claimed.id, fact as PartnerFact);
  }
  await deps.store.run(async (tx) => {
    const command = await stillOurs(tx, claimed);
    if (command === null) return;
    const lastError = told.outcome === 'done' ? null : 'the partner could not be asked';
    const abandonedAtMs = await abandonedSince(tx, command);
    tx.commands.update(askAgain(command, lastError, deps.clock.nowMs(), abandonedAtMs));
  });
}

/** When the payment of a pay-in ended for which its buyer may pay yet; null for any other order. */
async function abandonedSince(tx: Tx, command: PartnerCommand): Promise<number | null> {
  if (command.kind !== 'payin' || command.paymentId === null) return null;
  const payment = await tx.payments.get(tenantOf(command), command.paymentId);
  return payment !== null && isTerminal(payment.status) ? payment.updatedAtMs : null;
}

function isLeaseOver({ dueAtMs }: PartnerCommand, nowMs: number): boolean {
  return dueAtMs !== null && dueAtMs <= nowMs;
}

/** The command as it stands, if the lease under which it was claimed still holds. */
async function stillOurs(tx: Tx, claimed: PartnerCommand): Promise<PartnerCommand | null> {
  const command = await tx.commands.get(claimed.id);
  assert(command !== null, 'a claimed command exists');
  return command.leaseToken === claimed.leaseToken ? command : null;
}

function amountMinor(command: PartnerCommand): bigint {
  assert(command.amount !== null, 'a command about money has an amount');
  return command.amount.amountMinor;
}
