// The end of every history: faults stop, banks finish what they began, operators do their work, and
// time passes until nothing is left to do, or until it is clear that this never happens.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import { tenantOf } from '../../../core/domain/base/tenant.js';
import { UNUSED_RETENTION_MS } from '../../../core/domain/parties/document.js';
import { isExpirable, type Payment } from '../../../core/domain/payments/payment.js';
import { BUYER_UNAPPROVED } from '../../../core/usecases/commands/command-answers.js';
import { approvePayment, cancelPayment } from '../../../core/usecases/payments/payments.js';
import { atTheEnd, firstViolation } from '../invariants/invariants.js';
import { everyTransferOfTheBooksIsHere } from '../invariants/money-invariants.js';
import type { ObservedPayment } from '../invariants/observed-payment.js';
import type { HistoryPartner } from '../partner/history-partner.js';
import type { PartnerTransaction } from '../partner/partner-ledger.js';
import { GIVEN_UP, membersOf } from '../world/actors.js';
import type { FaultRates } from '../world/faults.js';
import type { SimulatedHost } from '../world/simulated-host.js';
import type { World } from '../world/world.js';
import { dueWorkers } from './actions.js';
import { deliver, finish, readyMessages, surprise } from './bank-events.js';
import { invites } from './invoice-actions.js';
import { isTheOperatorsTurn, operatorActs, operatorsClearTheDesk } from './operator-actions.js';
import { advance, buyerStep, buyersTurn, operatorEnds, shown } from './payment-actions.js';
import { operatorReleases } from './quarantine-release.js';

/** Seven attempts of a delivery and every expiry fit into far fewer. */
const ROUNDS_MAX = 400;
/** How often banks change their mind after everything has come to its end. */
const SURPRISES_MAX = 2;
/** Buyers and members go on for a while before integrators give up. */
const BUYERS_ROUNDS = 10;
const PAUSE_MS_MAX = 30 * MINUTE_MS;

export async function recover(world: World): Promise<void> {
  world.trace('faults stop');
  const { faults } = world.profile;
  world.stopFaults();
  await world.drain();
  await untilOver(world);
  for (let count = 0; count < SURPRISES_MAX && world.violation === null; count += 1) {
    await daysLater(world, faults);
    await untilOver(world);
  }
  if (world.violation === null) await outlast(world);
}

/** Banks change their mind about what ended days ago; nothing else goes wrong then. */
async function daysLater(world: World, faults: FaultRates): Promise<void> {
  await world.pass(world.random.between(1, 6 * DAY_MS));
  const { profile } = world;
  world.profile = { ...profile, faults };
  for (const partner of Object.values(world.partners)) {
    for (const transaction of partner.transactions) surprise(world, partner, transaction);
    loseMessages(world, partner);
  }
  world.profile = profile;
}

/** Some never come. Where the partner lists its books, they show what changed. */
function loseMessages({ random, observed, trace }: World, { messages }: HistoryPartner): void {
  if (!observed.outside.abilities.hasStatement) return;
  for (const message of [...messages.waiting]) {
    if (message.guaranteed || !random.chance(0.5)) continue;
    trace(`lost: ${message.id}`);
    messages.drop(message);
  }
}

/** A reading of the books may be late by two hours. */
const WITHIN_MS = DAY_MS + 2 * HOUR_MS;

/** What the partner's books have is here a day after it changed, although messages were lost. */
class DayJudge {
  readonly #world: World;
  readonly #sinceMs = new Map<
    PartnerTransaction,
    { readonly states: number; readonly ms: number }
  >();

  constructor(world: World) {
    this.#world = world;
  }

  /** In each round: all that has stayed as it is for a day. */
  judge(): void {
    const { nowMs, observed } = this.#world;
    const due = observed.outside.books.transactions.filter((transaction) => {
      const states = transaction.history.length;
      const known = this.#sinceMs.get(transaction);
      if (known?.states !== states) this.#sinceMs.set(transaction, { states, ms: nowMs });
      return known?.states === states && nowMs - known.ms >= WITHIN_MS;
    });
    const detail = everyTransferOfTheBooksIsHere(observed, due);
    const { name: invariant } = everyTransferOfTheBooksIsHere;
    if (detail !== null) this.#world.violate({ invariant, detail });
  }
}

async function untilOver(world: World): Promise<void> {
  const days = new DayJudge(world);
  for (let round = 0; round < ROUNDS_MAX && world.violation === null; round += 1) {
    const host = world.host();
    if (host === null) throw new Error('no process is left');
    // The banks take their time, so that what comes late is seen to come late.
    if (round > 2) for (const partner of Object.values(world.partners)) finish(world, partner);
    for (const message of readyMessages(world)) deliver(world, host, message);
    await world.look();
    operatorReleases(world, host);
    operate(world, host, round);
    await world.look();
    for (const worker of dueWorkers(world)) host.work(worker);
    await world.look();
    days.judge();
    if (await isOver(world)) return;
    await world.pass(await pauseMs(world));
  }
}

/** What nobody ever submitted has its time too, and is deleted. */
async function outlast(world: World): Promise<void> {
  await world.pass(UNUSED_RETENTION_MS + HOUR_MS);
  for (let round = 0; dueWorkers(world).includes('purges') && round < ROUNDS_MAX; round += 1) {
    world.host()?.work('purges');
    await world.look();
  }
}

async function isOver(world: World): Promise<boolean> {
  const quiet = Object.values(world.partners).every(
    ({ messages }) => messages.waiting.length === 0,
  );
  if (!quiet || world.lateCalls.length > 0 || world.violation !== null) return false;
  if (world.quarantine !== null) return false;
  return firstViolation(atTheEnd, world.observed) === null;
}

async function pauseMs(world: World): Promise<number> {
  const messages = Object.values(world.partners).flatMap((partner) => partner.messages.waiting);
  const moments = [
    (await world.store.claims.nextDueAtMs()) ?? Number.POSITIVE_INFINITY,
    // One that is ready already waits for another one.
    ...messages.map(({ readyAtMs }) => readyAtMs).filter((readyAtMs) => readyAtMs > world.nowMs),
    ...world.lateCalls.map(({ arrivesAtMs }) => arrivesAtMs),
  ];
  const next = Math.min(...moments) - world.nowMs;
  return Math.min(Math.max(next, 100), PAUSE_MS_MAX);
}

/** Operators retry what is stuck; integrators drive or cancel what nobody would ever end. */
function operate(world: World, host: SimulatedHost, round: number): void {
  const { observed, random } = world;
  const payments = [...observed.payments.values()];
  const commands = [
    ...payments.flatMap((each) => each.commands),
    ...observed.partyCommands.values(),
  ];
  for (const command of commands.filter((one) => isTheOperatorsTurn(world, one))) {
    operatorActs(world, host, command);
  }
  if (round === 0) return;
  operatorsClearTheDesk(world, host);
  for (const found of buyersTurn(world)) if (random.chance(0.5)) buyerStep(world, host, found);
  for (const found of payments) endByHand(world, host, found, round);
}

/** Members and integrators end what nobody else would. */
function endByHand(world: World, host: SimulatedHost, found: ObservedPayment, round: number): void {
  const { payment, advance: playing } = found;
  const { status, mode, expiresAtMs, coveredAtMs } = payment;
  const { random } = world;
  // It ends no payment whose money was here once, also if it went back.
  const expires = expiresAtMs !== null && coveredAtMs === null;
  // Who plays a buyer does not play a transfer for several payments.
  const isPlayed = playing !== null && payment.consolidatedReference === null;
  const isLeft = isExpirable(status) && !isPlayed;
  // Who plays a buyer waits for members, however long.
  if (status === 'awaiting_approval' && (!isLeft || random.chance(0.5))) approve(host, payment);
  else if (status === 'approved' && random.chance(0.5)) invites(world, host, found);
  else if (isLeft && round === 1 && mode === 'test' && random.chance(0.4)) {
    advance(world, host, payment, null);
  } else if (
    (isLeft || isLeftShort(world, found)) &&
    round > BUYERS_ROUNDS &&
    (!expires || playing !== null)
  ) {
    cancel(world, host, payment);
  } else if (isUnapproved(found) && random.chance(0.3)) {
    operatorEnds(world, host, payment, ['fail', GIVEN_UP]);
  }
}

/** Its payout waits for an approval that may never come. */
function isUnapproved({ commands }: ObservedPayment): boolean {
  return commands.some(({ kind, state, lastError }) => {
    return kind === 'payout' && state === 'pending' && lastError === BUYER_UNAPPROVED;
  });
}

/** The partner has ended its pay-ins, and they do not cover it: playing on brings no more money. */
function isLeftShort({ observed }: World, found: ObservedPayment): boolean {
  const payins = observed.transactionsOf(found).filter(({ kind }) => kind === 'payin');
  const isOver = payins.length > 0 && payins.every(({ status }) => status !== 'open');
  return isOver && isExpirable(found.payment.status) && found.payment.coveredAtMs === null;
}

function approve(host: SimulatedHost, payment: Payment): void {
  const { id, orgId, createdByMemberId } = payment;
  const by = tenantOf(payment);
  const member = membersOf(orgId).find((one) => one !== createdByMemberId) ?? '';
  host.begin(`${member} approves ${id}`, () => approvePayment(host.deps, by, id, member), { by });
}

function cancel(world: World, host: SimulatedHost, payment: Payment): void {
  const { id } = payment;
  const by = tenantOf(payment);
  host.begin(`cancel ${id}`, () => cancelPayment(host.deps, by, id, 'closing'), {
    by,
    ...shown(world),
  });
}
