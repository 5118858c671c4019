// Partner commands at work: a worker leases due ones, fixes the exact request, stores the
// intention, calls, and records the answer. A call without an answer and a refusal are settled by
// looking the order up; what was accepted is polled until its end is reported. The worker waits for
// no call, so a slow one delays no other; a worker that lost its lease changes nothing any more.
// What the partner reports is applied by settlement.ts.
import { ordersChanged } from '../domain/order-outcomes.js';
import {
  ABANDONED_POLL_FOR_MS,
  askAgain,
  isShort,
  reportOrder,
  stopAsking,
} from '../domain/order-report.js';
import {
  absentCommand,
  acceptCommand,
  COMMAND_LEASE_MS,
  denyCommand,
  isInDoubt,
  isOpen,
  isPolled,
  lookUpAgain,
  loseCommand,
  newsOf,
  PARTNER_CALL_MS,
  type PartnerCommand,
  postponeCommand,
  refuseCommand,
  requestPurpose,
  sendCommand,
} from '../domain/partner-command.js';
import { isTerminal } from '../domain/payment.js';
import { tenantOf } from '../domain/tenant.js';
import { assert, unreachable } from '../errors.js';
import type {
  AcceptedOrder,
  Deps,
  PartnerAnswer,
  PartnerFact,
  SettlementPartner,
  Tx,
} from '../ports.js';
import { announce, eachByItself, loadCollection, stageChange } from './collections.js';
import { Flights, type Runner } from './flights.js';
import { partyAnswered } from './parties.js';
import { callPartner, recordable, verbs } from './partner-verbs.js';
import { applyFact, isPayinDoubted } from './settlement.js';

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
      const token = Buffer.from(deps.ids.randomBytes(16)).toString('hex');
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
  if (isPolled(command)) await poll(deps, partner, command);
  else if (isInDoubt(command)) await lookUp(deps, partner, command);
  else await send(deps, partner, command);
}

async function send(deps: Deps, partner: SettlementPartner, claimed: PartnerCommand) {
  const prepared = await prepare(deps, partner, claimed);
  if (prepared.outcome !== 'done') {
    // Preparing has no effect, so an answer in doubt is as good as none.
    const unprepared =
      prepared.outcome === 'unknown'
        ? { outcome: 'later' as const, reason: prepared.reason }
        : prepared;
    await record(deps, claimed, unprepared);
    return;
  }
  const sent = await markSent(deps, claimed, prepared.value);
  // Held up for longer than its lease, this process would call beside another one.
  if (sent?.state !== 'sent' || isLeaseOver(claimed, deps.clock.nowMs())) return;
  const answer = await callPartner(partner, sent, prepared.value);
  const recorded = await record(deps, sent, answer);
  if (recorded?.state === 'denied') await lookUp(deps, partner, recorded);
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
  const { paymentId, amount, reference } = command;
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
      return partner.payin.prepare({ reference, quote, payerEmail: payment.buyer.email });
    case 'payout':
      return partner.payout.prepare({ reference, amount, destination: payment.destination });
    case 'refund': {
      const payinRef = commands.find(({ id }) => id === command.payinId)?.partnerRef ?? null;
      assert(payinRef !== null, 'money to refund came by a pay-in');
      return partner.refund.prepare({ reference, payinRef, amount });
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

/**
 * Stores the intention; null when the command is no longer this worker's. No payout is sent while a
 * person must decide whether its pay-in failed: the money may not be there.
 */
async function markSent(
  deps: Deps,
  claimed: PartnerCommand,
  request: string,
): Promise<PartnerCommand | null> {
  return changeClaimed(deps, claimed, (command, nowMs, orders) => {
    if (command.kind === 'payout' && orders.some(isPayinDoubted)) {
      return postponeCommand(command, 'a person must decide whether the pay-in failed', nowMs);
    }
    const sealed = command.request ?? deps.secretBox.seal(request, requestPurpose(command));
    return sendCommand(command, sealed, nowMs);
  });
}

/** The order may exist at the partner: only a look-up tells. */
async function lookUp(deps: Deps, partner: SettlementPartner, claimed: PartnerCommand) {
  assert(claimed.request !== null, 'a command that was sent has its request');
  const request = deps.secretBox.open(claimed.request, requestPurpose(claimed));
  const found = await verbs[claimed.kind].find(partner, request);
  if (found.outcome === 'done' && found.value !== null) {
    const recorded = await record(deps, claimed, { outcome: 'done', value: found.value });
    // People wait for the decision on a party; an order about money is asked about when it is due.
    const isWaitedFor = recorded !== null && recorded.paymentId === null && isOpen(recorded);
    if (isWaitedFor) await poll(deps, partner, recorded);
    return;
  }
  if (found.outcome !== 'done') {
    const { outcome } = found;
    const why = outcome === 'refused' ? found.code : found.reason;
    await changeClaimed(deps, claimed, (command, nowMs) =>
      lookUpAgain(command, `the order could not be looked up: ${why}`, nowMs),
    );
    return;
  }
  const isRefused = claimed.state === 'denied' && claimed.paymentId === null;
  if (isRefused) {
    const code = claimed.refusal ?? 'refused';
    await partyDecided(deps, claimed, { outcome: 'refused', code, message: code });
  }
  const absent = await changeClaimed(deps, claimed, absentCommand);
  if (absent?.state === 'pending') await send(deps, partner, absent);
}

/** Records the answer to a call or a look-up that found the order; null if it came too late. */
async function record(
  deps: Deps,
  claimed: PartnerCommand,
  answer: PartnerAnswer<AcceptedOrder>,
): Promise<PartnerCommand | null> {
  // Refused before any call there is nothing to look up.
  const unsent = claimed.state === 'pending';
  const final = answer.outcome === 'done' || (answer.outcome === 'refused' && unsent);
  if (claimed.paymentId === null && final && !(await partyDecided(deps, claimed, answer))) {
    return null;
  }
  const learned =
    answer.outcome === 'done' ? { instructions: answer.value.instructions } : undefined;
  const recorded = await changeClaimed(
    deps,
    claimed,
    (command, nowMs) => afterAnswer(command, recordable(command, answer), nowMs),
    learned,
  );
  if (recorded === null) warnLate(deps, claimed, answer);
  return recorded;
}

function afterAnswer(
  command: PartnerCommand,
  answer: PartnerAnswer<AcceptedOrder>,
  nowMs: number,
): PartnerCommand {
  switch (answer.outcome) {
    case 'done': {
      const { partnerRef } = answer.value;
      if (newsOf[command.kind] !== null) return acceptCommand(command, partnerRef, nowMs);
      const report = { partnerRef, end: 'completed', reason: null, asked: true } as const;
      return reportOrder(command, { ...report, receivedMinor: 0n, refunded: null }, nowMs);
    }
    case 'refused':
      return command.state === 'pending'
        ? refuseCommand(command, answer, nowMs)
        : denyCommand(command, answer, nowMs);
    case 'later':
      return postponeCommand(command, answer.reason, nowMs);
    case 'unknown':
      return loseCommand(command, answer.reason, nowMs);
    default:
      return unreachable(answer);
  }
}

/**
 * An answer decides on a party before its command is recorded, so that a crash in between is healed
 * by the repeated call. False when the lease is lost: then another worker decides.
 */
async function partyDecided(
  deps: Deps,
  claimed: PartnerCommand,
  answer: PartnerAnswer<AcceptedOrder>,
): Promise<boolean> {
  const ours = await deps.store.run((tx) => stillOurs(tx, claimed));
  if (ours === null) {
    warnLate(deps, claimed, answer);
    return false;
  }
  await partyAnswered(deps, claimed, answer);
  return true;
}

/**
 * Changes a claimed command and all that follows for its payment, in one batch. Yields the command
 * as it is then; null when it is no longer this worker's.
 */
async function changeClaimed(
  deps: Deps,
  claimed: PartnerCommand,
  next: (
    command: PartnerCommand,
    nowMs: number,
    orders: readonly PartnerCommand[],
  ) => PartnerCommand,
  learned: Parameters<typeof ordersChanged>[4] = {},
): Promise<PartnerCommand | null> {
  const stored = await deps.store.run(
    async (tx) => {
      const command = await stillOurs(tx, claimed);
      if (command === null) return null;
      const { paymentId } = command;
      const tenant = tenantOf(command);
      // The payment is read first: its version guards the orders that are read after it.
      const was = paymentId === null ? null : await loadCollection(tx, tenant, paymentId);
      const orders = paymentId === null ? [] : await tx.commands.ofPayment(tenant, paymentId);
      const nowMs = deps.clock.nowMs();
      const changed = next(command, nowMs, orders);
      // What a call brought is stored in quarantine too, but no call is begun there.
      if (changed.state === 'sent') tx.epochs.expectOpen();
      if (was === null) {
        tx.commands.update(changed);
        return { command: changed, change: null };
      }
      const change = ordersChanged(was, orders, [changed], nowMs, learned);
      return { command: changed, change: await stageChange(deps, tx, was, change) };
    },
    { inQuarantine: true },
  );
  if (stored === null) return null;
  if (stored.change !== null) announce(deps, stored.change);
  return { ...stored.command, version: stored.command.version + 1 };
}

function warnLate(
  deps: Deps,
  { id }: PartnerCommand,
  { outcome }: PartnerAnswer<AcceptedOrder>,
): void {
  deps.log.warn('late answer of the partner', { commandId: id, outcome });
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
    const fact = { kind, reference: claimed.reference, partnerRef, report: told.value };
    await applyFact(deps, claimed.id, fact as PartnerFact, { askedVersion: claimed.version });
  }
  await learnInstructions(deps, partner, claimed);
  await deps.store.run(async (tx) => {
    const command = await stillOurs(tx, claimed);
    if (command === null) return;
    const nowMs = deps.clock.nowMs();
    const lastError = told.outcome === 'done' ? null : 'the partner could not be asked';
    const abandonedAtMs = await abandonedSince(tx, command);
    const isOver = abandonedAtMs !== null && nowMs - abandonedAtMs > ABANDONED_POLL_FOR_MS;
    const settled = !isOpen(command) && !mayChange(command) && lastError === null;
    tx.commands.update(
      settled || isOver
        ? stopAsking(command, nowMs)
        : askAgain(command, lastError, nowMs, abandonedAtMs),
    );
  });
}

/**
 * A pay-in that a message reported before the answer to its call was recorded came without the
 * instructions for the buyer: a look-up tells them.
 */
async function learnInstructions(deps: Deps, partner: SettlementPartner, claimed: PartnerCommand) {
  const { kind, end, paymentId, request } = claimed;
  if (kind !== 'payin' || end !== 'open' || paymentId === null || request === null) return;
  const payment = await deps.store.run((tx) => tx.payments.get(tenantOf(claimed), paymentId));
  if (payment === null || payment.payinInstructions !== null) return;
  const text = deps.secretBox.open(request, requestPurpose(claimed));
  const found = await verbs.payin.find(partner, text);
  const instructions = found.outcome === 'done' ? found.value?.instructions : undefined;
  if (instructions === undefined) return;
  await changeClaimed(deps, claimed, (command) => command, { instructions });
}

/** It has ended and is asked about all the same: out of sight, in review, or short. */
function mayChange(command: PartnerCommand): boolean {
  if (command.state !== 'done') return false;
  if (command.end === 'failed' || command.review !== null) return true;
  return command.kind === 'payin' && command.end === 'completed' && isShort(command);
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
