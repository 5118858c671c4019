// What moves at the partner: buyers pay, banks carry out, return and fail, identities are decided
// on, and messages about it are on their way to us. Banks also change what had ended, days later.
import type { PonteError } from '../../core/errors.js';
import { receivePartnerMessage } from '../../core/usecases/partner-inbox.js';
import type { FaultKind } from './faults.js';
import { type HistoryPartner, partnerAbilities } from './history-partner.js';
import type { OrderKind, OrderStatus, PartnerOrder } from './partner-ledger.js';
import type { PartnerMessage } from './partner-messages.js';
import type { SimulatedHost } from './simulated-host.js';
import type { World } from './world.js';

export function readyMessages(world: World): readonly PartnerMessage[] {
  return Object.values(world.partners).flatMap(({ messages }) => messages.ready);
}

/** A message of the partner: lost, delivered, or delivered and sent again all the same. */
export function deliver(world: World, host: SimulatedHost, message: PartnerMessage): void {
  const { faults, partners } = world;
  const partner = partners[message.mode];
  if (!message.guaranteed && faults.occurs('messageLost')) {
    world.trace(`lost: ${message.id}`);
    partner.messages.drop(message);
    return;
  }
  const { id, mode } = message;
  const headers = partner.headersOf(message, true);
  const body = Buffer.from(message.body);
  const inbound = { partner: partner.name, mode, headers, body };
  const doubled = faults.occurs('messageDoubled');
  host.begin(`message ${id} ${message.body}`, () => receivePartnerMessage(host.deps, inbound), {
    done: () => {
      world.observed.acknowledged.push({ kind: 'message', tenant: { orgId: '', mode }, id });
      if (!doubled) partner.messages.drop(message);
    },
    refused: (error: PonteError) => world.trace(`${id} will be sent again: ${error.code}`),
  });
}

/** Buyers pay, banks move, the partner decides. */
export function bankEvent(world: World): void {
  const { random, trace, partners } = world;
  const partner = random.pick(Object.values(partners).filter(({ isIdle }) => !isIdle));
  const undecided = partner.desk.parties.filter(({ status }) => status === 'verifying');
  const open = partner.orders.filter(({ status }) => status === 'open');
  if (undecided.length > 0 && (open.length === 0 || random.chance(0.5))) {
    partner.decide(random.pick(undecided), random.chance(0.85) ? 'approved' : 'rejected');
  } else {
    const order = random.pick(open);
    trace(`the bank moves ${order.ref} of ${order.reference}`);
    moveOrder(world, partner, order);
  }
}

/** What may still happen to what had ended. */
export function lateBankEvent(world: World): void {
  const { random, profile } = world;
  const partner = random.pick(Object.values(world.partners));
  const ended = [
    ...partner.desk.parties.filter(
      ({ status }) => status === 'approved' && random.chance(0.1 * (1 + profile.parties)),
    ),
    ...partner.orders.filter(({ status }) => status !== 'open'),
  ];
  if (ended.length === 0) return;
  const one = random.pick(ended);
  if ('kind' in one) surprise(world, partner, one);
  else {
    world.count('approval taken back');
    partner.decide(one, 'rejected');
  }
}

/** What a bank may do to an order that has ended, and the end that it has then. */
const surprises: Readonly<
  Record<OrderKind, Partial<Record<OrderStatus, Partial<Record<FaultKind, OrderStatus>>>>>
> = {
  payin: {
    completed: { overpayment: 'completed', chargeback: 'returned' },
    failed: { latePayment: 'completed' },
    returned: { chargebackReversed: 'completed' },
  },
  payout: {
    completed: { devolution: 'returned' },
    failed: { failedPayoutReturned: 'returned', failedPayoutCompleted: 'completed' },
    returned: { returnedPayoutCompleted: 'completed' },
  },
  refund: {
    completed: { refundBounced: 'failed' },
    failed: { failedRefundCompleted: 'completed' },
  },
};

/** Something that a bank does to an order that has ended. */
export function surprise(world: World, partner: HistoryPartner, order: PartnerOrder): void {
  const possible = surprises[order.kind][order.status] ?? {};
  const { takesPartsOfPayins } = partnerAbilities[partner.name];
  const kinds = (Object.keys(possible) as FaultKind[]).filter(
    (kind) => takesPartsOfPayins || kind !== 'overpayment',
  );
  const kind = world.faults.firstOf(...kinds);
  if (kind === null) return;
  world.trace(`${kind}: ${order.ref} of ${order.reference}`);
  const { amountMinor } = order.amount;
  if (kind === 'overpayment') partner.buyerPays(order, someMore(world, amountMinor));
  else if (kind === 'latePayment') partner.buyerPays(order, someOf(world, partner, amountMinor));
  else partner.end(order, possible[kind] as Exclude<OrderStatus, 'open'>);
}

function moveOrder(world: World, partner: HistoryPartner, order: PartnerOrder): void {
  const { random } = world;
  switch (order.kind) {
    case 'payin': {
      const missing = order.amount.amountMinor - order.receivedMinor;
      if (random.chance(0.85)) partner.buyerPays(order, someOf(world, partner, missing));
      else giveUp(world, partner, order);
      break;
    }
    case 'payout':
      endPayout(world, partner, order);
      break;
    case 'refund':
      partner.end(order, random.chance(0.8) ? 'completed' : 'failed');
      break;
  }
}

function endPayout({ random }: World, partner: HistoryPartner, payout: PartnerOrder): void {
  partner.end(payout, random.chance(0.7) ? 'completed' : random.pick(['failed', 'returned']));
}

/** A pay-in ends without all of its money; what arrived goes back, or stays to be refunded. */
function giveUp({ random }: World, partner: HistoryPartner, payin: PartnerOrder): void {
  const mayReturn = payin.receivedMinor > 0n || !partnerAbilities[partner.name].takesPartsOfPayins;
  partner.end(payin, mayReturn && random.chance(0.6) ? 'returned' : 'failed');
}

/** Mostly what is missing; a part of it, or a little more than it. */
function someOf({ random }: World, { name }: HistoryPartner, missingMinor: bigint): bigint {
  if (!partnerAbilities[name].takesPartsOfPayins) return missingMinor;
  const parts = [missingMinor / 2n + 1n, missingMinor / 3n + 1n, missingMinor + 77n];
  return random.chance(0.6) ? missingMinor : random.pick(parts);
}

/** A little; seldom so much that nobody expects it. */
function someMore({ random }: World, amountMinor: bigint): bigint {
  return random.chance(0.85) ? BigInt(random.between(1, 900)) : amountMinor * 2n;
}

/** The banks bring everything to its end. */
export function finish(world: World, partner: HistoryPartner): void {
  for (const party of partner.desk.parties) {
    if (party.status === 'verifying') partner.decide(party, 'approved');
  }
  for (const order of partner.orders) {
    if (order.status === 'open') finishOrder(world, partner, order);
  }
}

function finishOrder(world: World, partner: HistoryPartner, order: PartnerOrder): void {
  const { amount, receivedMinor } = order;
  if (order.kind === 'payout') endPayout(world, partner, order);
  else if (order.kind === 'refund') partner.end(order, 'completed');
  else if (world.random.chance(0.5)) partner.buyerPays(order, amount.amountMinor - receivedMinor);
  else giveUp(world, partner, order);
}
