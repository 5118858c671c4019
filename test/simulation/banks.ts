// What moves at the partner: buyers pay, banks carry out, return and fail, identities are decided
// on, and the news of it is on its way to us.
import type { PonteError } from '../../core/errors.js';
import { receivePartnerMessage } from '../../core/usecases/settlement.js';
import type { SeededRandom } from './seeded-random.js';
import type { SimulatedHost } from './simulated-host.js';
import {
  PARTNER_NAME,
  type PartnerMessage,
  type PartnerOrder,
  type SimulatedPartner,
} from './simulated-partner.js';
import type { World } from './world.js';

export function readyMessages(world: World): readonly PartnerMessage[] {
  return Object.values(world.partners)
    .flatMap(({ messages }) => messages)
    .filter(({ readyAtMs }) => readyAtMs <= world.nowMs);
}

/** The partner's news: lost, delivered, or delivered and sent again all the same. */
export function deliver(world: World, host: SimulatedHost, message: PartnerMessage): void {
  const { random, chaos, partners } = world;
  const partner = partners[message.mode];
  if (!message.guaranteed && random.chance(chaos.lostMessages)) {
    world.trace(`lost: ${message.id}`);
    world.count('message lost');
    partner.drop(message);
    return;
  }
  const { id, mode } = message;
  const headers = { 'message-id': id, genuine: 'yes' };
  const body = Buffer.from(message.body);
  const inbound = { partner: PARTNER_NAME, mode, headers, body };
  const doubled = random.chance(chaos.doubledMessages);
  if (doubled) world.count('message doubled');
  host.begin(`message ${id} ${message.body}`, () => receivePartnerMessage(host.deps, inbound), {
    done: () => {
      world.evidence.acknowledged.push({ kind: 'message', tenant: { orgId: '', mode }, id });
      if (!doubled) partner.drop(message);
    },
    refused: (error: PonteError) => world.trace(`${id} will be sent again: ${error.code}`),
  });
}

/** Buyers pay, banks move, the partner decides. */
export function bankMoves({ random, trace, partners }: World): void {
  const partner = random.pick(Object.values(partners).filter(({ isIdle }) => !isIdle));
  const undecided = partner.desk.parties.filter(({ status }) => status === 'verifying');
  const open = partner.orders.filter(({ status }) => status === 'open');
  if (undecided.length > 0 && (open.length === 0 || random.chance(0.5))) {
    partner.desk.decide(random.pick(undecided), random.chance(0.85) ? 'approved' : 'rejected');
  } else {
    const order = random.pick(open);
    trace(`the bank moves ${order.ref} of ${order.reference}`);
    moveOrder(random, partner, order);
  }
}

/** What may still happen to what had ended. */
export function afterthought(world: World): void {
  const { random, chaos } = world;
  const partner = random.pick(Object.values(world.partners));
  const ended = [
    ...partner.desk.parties.filter(
      ({ status }) => status === 'approved' && random.chance(0.1 * (1 + chaos.parties)),
    ),
    ...partner.orders.filter(({ status }) => status !== 'open'),
  ];
  if (ended.length === 0) return;
  const one = random.pick(ended);
  if ('kind' in one) afterwards(world, partner, one);
  else {
    world.count('approval taken back');
    partner.desk.decide(one, 'rejected');
  }
}

function moveOrder(random: SeededRandom, partner: SimulatedPartner, order: PartnerOrder): void {
  const { amountMinor } = order.amount;
  switch (order.kind) {
    case 'payin': {
      const missing = amountMinor - order.receivedMinor;
      const part = random.pick([missing, missing, missing, missing / 2n + 1n, missing + 77n]);
      if (random.chance(0.85)) partner.buyerPays(order, part);
      else partner.giveUp(order);
      break;
    }
    case 'payout':
      partner.end(order, random.chance(0.7) ? 'completed' : random.pick(['failed', 'returned']));
      break;
    case 'refund':
      partner.end(order, random.chance(0.8) ? 'completed' : 'failed');
      break;
  }
}

function afterwards(
  { random, trace, evidence }: World,
  partner: SimulatedPartner,
  order: PartnerOrder,
) {
  if (order.kind === 'payin' && order.status === 'completed') {
    const owner = evidence.ownerOf(order.reference);
    const untouched = owner !== null && partner.freeMinor(owner) === order.receivedMinor;
    trace(`surplus or return of ${order.ref}`);
    if (random.chance(0.4)) partner.buyerPays(order, BigInt(random.between(1, 900)));
    else if (untouched && random.chance(0.3)) partner.end(order, 'returned');
  } else if (order.kind === 'payout' && order.status === 'failed') {
    trace(`the failed payout ${order.ref} is found`);
    if (random.chance(0.5)) partner.end(order, random.pick(['returned', 'completed']));
  }
}

/** The banks bring everything to its end. */
export function finish(world: World, partner: SimulatedPartner): void {
  for (const party of partner.desk.parties) {
    if (party.status === 'verifying') partner.desk.decide(party, 'approved');
  }
  for (const order of partner.orders) {
    if (order.status === 'open') finishOrder(world, partner, order);
  }
}

function finishOrder({ random }: World, partner: SimulatedPartner, order: PartnerOrder): void {
  if (order.kind === 'payin' && random.chance(0.5)) {
    partner.giveUp(order);
  } else if (order.kind === 'payin') {
    partner.buyerPays(order, order.amount.amountMinor - order.receivedMinor);
  } else {
    partner.end(order, 'completed');
  }
}
