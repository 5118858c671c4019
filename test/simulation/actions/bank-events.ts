// What moves at the partner: buyers pay, banks carry out, return and fail, identities are decided
// on, and messages about it are on their way to us. Banks also change what had ended, days later.
import type { PonteError } from '../../../core/errors.js';
import { receivePartnerMessage } from '../../../core/usecases/commands/partner-inbox.js';
import { type HistoryPartner, partnerAbilities } from '../partner/history-partner.js';
import type {
  PartnerTransaction,
  TransactionKind,
  TransactionStatus,
} from '../partner/partner-ledger.js';
import type { PartnerMessage } from '../partner/partner-messages.js';
import type { SeededRandom } from '../seeded-random.js';
import type { FaultKind } from '../world/faults.js';
import type { SimulatedHost } from '../world/simulated-host.js';
import type { World } from '../world/world.js';

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
  const open = partner.transactions.filter(({ status }) => status === 'open');
  if (undecided.length > 0 && (open.length === 0 || random.chance(0.5))) {
    partner.decide(random.pick(undecided), random.chance(0.85) ? 'approved' : 'rejected');
  } else {
    const transaction = random.pick(open);
    trace(`the bank moves ${transaction.ref} of ${transaction.reference}`);
    moveTransaction(world, partner, transaction);
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
    ...partner.transactions.filter(({ status }) => status !== 'open'),
  ];
  if (ended.length === 0) return;
  const one = random.pick(ended);
  if ('kind' in one) surprise(world, partner, one);
  else {
    world.count('approval taken back');
    partner.decide(one, 'rejected');
  }
}

/** What a bank may do to a command that has ended, and the end that it has then. */
const surprises: Readonly<
  Record<
    TransactionKind,
    Partial<Record<TransactionStatus, Partial<Record<FaultKind, TransactionStatus>>>>
  >
> = {
  payin: {
    completed: {
      overpayment: 'completed',
      chargeback: 'returned',
      totalCorrected: 'completed',
    },
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

/** Something that a bank does to a command that has ended. */
export function surprise(
  world: World,
  partner: HistoryPartner,
  transaction: PartnerTransaction,
): void {
  if (transaction.foreign !== undefined) {
    partner.correctCurrency(transaction);
    return;
  }
  const possible = surprises[transaction.kind][transaction.status] ?? {};
  const { takesPartsOfPayins } = partnerAbilities[partner.name];
  const kinds = (Object.keys(possible) as FaultKind[]).filter(
    (kind) => takesPartsOfPayins || (kind !== 'overpayment' && kind !== 'totalCorrected'),
  );
  const kind = world.faults.firstOf(...kinds);
  if (kind === null) return;
  world.trace(`${kind}: ${transaction.ref} of ${transaction.reference}`);
  const { amountMinor } = transaction.amount;
  if (kind === 'overpayment') partner.buyerPays(transaction, someMore(world, amountMinor));
  else if (kind === 'totalCorrected') {
    const { receivedMinor } = transaction;
    const lessMinor = BigInt(world.random.between(1, 900));
    // Something is left, also of a tiny amount.
    partner.buyerPays(transaction, lessMinor < receivedMinor ? -lessMinor : 1n - receivedMinor);
  } else if (kind === 'latePayment') {
    const isWhole = transaction.collected !== undefined;
    partner.buyerPays(transaction, isWhole ? amountMinor : someOf(world, partner, amountMinor));
  } else partner.end(transaction, possible[kind] as Exclude<TransactionStatus, 'open'>);
}

function moveTransaction(
  world: World,
  partner: HistoryPartner,
  transaction: PartnerTransaction,
): void {
  const { random } = world;
  switch (transaction.kind) {
    case 'payin': {
      const missing = transaction.amount.amountMinor - transaction.receivedMinor;
      if (transaction.collected !== undefined) endTransfer(world, partner, transaction);
      else if (random.chance(0.85)) partner.buyerPays(transaction, someOf(world, partner, missing));
      else giveUp(world, partner, transaction);
      break;
    }
    case 'payout':
      endPayout(world, partner, transaction);
      break;
    case 'refund':
      partner.end(transaction, random.chance(0.8) ? 'completed' : 'failed');
      break;
  }
}

/** A transfer that nobody ordered arrives whole, or not at all. */
function endTransfer({ random }: World, partner: HistoryPartner, transfer: PartnerTransaction) {
  if (random.chance(0.9)) partner.buyerPays(transfer, transfer.amount.amountMinor);
  else partner.end(transfer, 'failed');
}

function endPayout({ random }: World, partner: HistoryPartner, payout: PartnerTransaction): void {
  partner.end(payout, random.chance(0.7) ? 'completed' : random.pick(['failed', 'returned']));
}

/** A pay-in ends without all of its money; what arrived goes back, or stays to be refunded. */
function giveUp({ random }: World, partner: HistoryPartner, payin: PartnerTransaction): void {
  const mayReturn = payin.receivedMinor > 0n || !partnerAbilities[partner.name].takesPartsOfPayins;
  partner.end(payin, mayReturn && random.chance(0.6) ? 'returned' : 'failed');
}

/** Mostly what is missing; a part of it, or a little more than it. */
function someOf({ random }: World, { name }: HistoryPartner, needsReviewMinor: bigint): bigint {
  if (!partnerAbilities[name].takesPartsOfPayins) return needsReviewMinor;
  const parts = [needsReviewMinor / 2n + 1n, needsReviewMinor / 3n + 1n, needsReviewMinor + 77n];
  return random.chance(0.6) ? needsReviewMinor : random.pick(parts);
}

/** A little; seldom so much that nobody expects it. */
function someMore({ random }: World, amountMinor: bigint): bigint {
  return random.chance(0.85) ? BigInt(random.between(1, 900)) : amountMinor * 2n;
}

/** Money leaves that nobody ordered. */
export function withdraw(world: World, partner: HistoryPartner, random: SeededRandom): void {
  const amount = { amountMinor: BigInt(random.between(1_000, 90_000)), currency: 'USD' };
  world.trace(`${amount.amountMinor} leave without a command`);
  world.count('withdrawal');
  partner.withdraw(amount);
}

/**
 * The partner makes a pay-in or a payout of ours once more. After a restore nobody could say which
 * of both is ours.
 */
export function makeTwice(world: World, partner: HistoryPartner, random: SeededRandom): void {
  if (world.profile.faults.restore > 0) return;
  const ended = partner.transactions.filter(
    ({ kind, status, collected, takenAfterRefusal }) =>
      kind !== 'refund' && status === 'completed' && collected === undefined && !takenAfterRefusal,
  );
  if (ended.length === 0) return;
  const one = random.pick(ended);
  world.trace(`${one.ref} is made twice`);
  world.count(`${one.kind} made twice`);
  partner.makeTwice(one);
}

/** The banks bring everything to its end. */
export function finish(world: World, partner: HistoryPartner): void {
  for (const party of partner.desk.parties) {
    if (party.status === 'verifying') partner.decide(party, 'approved');
  }
  for (const transaction of partner.transactions) {
    if (transaction.foreign !== undefined) partner.correctCurrency(transaction);
    if (transaction.status === 'open') finishTransaction(world, partner, transaction);
  }
}

function finishTransaction(
  world: World,
  partner: HistoryPartner,
  transaction: PartnerTransaction,
): void {
  const { amount, receivedMinor } = transaction;
  if (transaction.kind === 'payout') endPayout(world, partner, transaction);
  else if (transaction.kind === 'refund') partner.end(transaction, 'completed');
  else if (transaction.collected !== undefined) endTransfer(world, partner, transaction);
  else if (world.random.chance(0.5))
    partner.buyerPays(transaction, amount.amountMinor - receivedMinor);
  else giveUp(world, partner, transaction);
}
