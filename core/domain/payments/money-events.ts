// What an integrator learns when money moves: one rule for each kind of posting. A move of the
// status has its event, so only what happens beside it, or after the end, has one here.
import { absolute, type Money, money } from '../base/money.js';
import type { MoneyCommand } from '../commands/partner-command.js';
import { type Settlement, standingSettlement } from '../commands/settlement.js';
import { arrivedOf, type Change, type PaymentAggregate } from './change.js';
import { type EventDraft, type MoneyEvent, moneyEventTypes } from './event.js';
import { stageOf } from './funds.js';
import type { PostingKind } from './ledger.js';

interface Moved {
  /** The change moved the status. */
  readonly isMoved: boolean;
  /** The payment had a settlement before. */
  readonly wasSettled: boolean;
  /** More left than arrived. */
  readonly isLoss: boolean;
}

/** Null: another rule has its event, or nobody needs one. */
const postingEvents = {
  // What is missing changes without a posting, too: hasArrivedOtherwise.
  funds_received: () => null,
  funds_corrected: () => null,
  // Each refund has its own: refundStep.
  refund_owed: () => null,
  refund_withdrawn: () => null,
  refund_paid: () => null,
  refund_bounced: () => null,
  refund_by_hand: () => null,
  refund_by_hand_reversed: () => null,
  // What the seller has, or may have, is not refunded.
  returned_by_partner: ({ isLoss }) => (isLoss ? 'payin_recalled' : 'refunded'),
  return_reversed: () => 'recall_reversed',
  payout_paid: ({ isMoved, wasSettled }) =>
    isMoved ? null : wasSettled ? 'paid_again' : 'paid_late',
  payout_returned: () => 'payout_returned',
  payout_by_hand: () => null,
  payout_by_hand_reversed: () => null,
  // Operators lose it, not the organization: command-alerts.ts.
  loss: () => null,
  loss_recovered: () => null,
  loss_written_off: () => null,
  write_off_reversed: () => null,
  // Deposits have no payment.
  deposit_assigned: () => null,
  deposit_resolved: () => null,
} as const satisfies Readonly<Record<PostingKind, (moved: Moved) => MoneyEvent | null>>;

type EventDetails = Pick<EventDraft, 'amounts' | 'settlement'>;

/** Adds the events of a change whose postings are derived. */
export function withMoneyEvents(
  change: Change,
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  nowMs: number,
): Change {
  const { payment } = change;
  const drafts = (name: MoneyEvent, details: EventDetails): readonly EventDraft[] =>
    moneyEventTypes(payment, name).map((type) => ({
      type,
      payment,
      occurredAtMs: nowMs,
      ...details,
    }));
  const inFunds = (amountMinor: bigint) => money(amountMinor, change.funds.currency);
  const ofRefunds = change.changedCommands.flatMap((command) => {
    const before = commands.find(({ id }) => id === command.id);
    if (command.kind !== 'refund' || before === undefined) return [];
    const step = refundStep(before, command);
    if (step === null) return [];
    const [name, amountMinor] = step;
    return drafts(name, { amounts: { refundAmount: inFunds(amountMinor) } });
  });
  const ofPostings = change.postings.flatMap(({ kind, lines }) => {
    const name = eventOf(kind, was, change);
    const amount = inFunds(absolute(lines[0]?.money.amountMinor ?? 0n));
    return name === null ? [] : drafts(name, detailsOf(name, amount, change, commands));
  });
  const events = [
    ...(hasArrivedOtherwise(was, change)
      ? drafts('funds_changed', { amounts: arrivedOf(change) })
      : []),
    ...ofRefunds,
    ...ofPostings,
  ];
  return { ...change, events: [...change.events, ...events] };
}

function eventOf(kind: PostingKind, was: PaymentAggregate, change: Change) {
  return postingEvents[kind]({
    isMoved: change.payment.status !== was.payment.status,
    wasSettled: was.payment.settlement !== null,
    isLoss: change.postings.some((posting) => posting.kind === 'loss'),
  });
}

function detailsOf(
  name: NonNullable<ReturnType<typeof eventOf>>,
  amount: Money,
  change: Change,
  commands: readonly MoneyCommand[],
): EventDetails {
  switch (name) {
    case 'refunded':
      return { amounts: { refundAmount: amount } };
    case 'payin_recalled':
    case 'recall_reversed':
      return { amounts: { recalledAmount: amount } };
    case 'payout_returned':
    case 'paid_again':
    case 'paid_late': {
      const settlement = movedSettlement(change, commands);
      return { amounts: { payoutAmount: amount }, ...(settlement === null ? {} : { settlement }) };
    }
  }
}

/** The settlement that the change added, gave back or took back. */
function movedSettlement(
  { changedCommands }: Change,
  commands: readonly MoneyCommand[],
): Settlement | null {
  for (const { id, settlements } of changedCommands) {
    const before = commands.find((command) => command.id === id)?.settlements ?? [];
    const [stood, stands] = [standingSettlement(before), standingSettlement(settlements)];
    if ((stood === null) !== (stands === null)) return stood ?? stands;
  }
  return null;
}

type RefundEvent = 'refund_ordered' | 'refunded' | 'refund_failed';

/** What happened to a refund, and how much of it; null if nothing did. */
function refundStep(
  before: MoneyCommand,
  after: MoneyCommand,
): readonly [RefundEvent, amountMinor: bigint] | null {
  const [stood, stands] = [stageOf(before), stageOf(after)];
  const gotMinor = (refund: MoneyCommand, stage: typeof stood) =>
    stage === 'moved' ? refund.amount.amountMinor : 0n;
  const riseMinor = gotMinor(after, stands) - gotMinor(before, stood);
  if (riseMinor > 0n) return ['refunded', riseMinor];
  if (riseMinor < 0n) return ['refund_failed', -riseMinor];
  if (stood === stands) return null;
  const isFirst = stands === 'moving' && before.lastSentAtMs === null;
  if (isFirst) return ['refund_ordered', after.amount.amountMinor];
  return stands === 'owed' ? ['refund_failed', after.amount.amountMinor] : null;
}

/** Not if the status moves: the new one has an event, with the same amounts in the payment. */
function hasArrivedOtherwise(was: PaymentAggregate, change: Change): boolean {
  if (change.payment.status !== was.payment.status) return false;
  const before = Object.values(arrivedOf(was));
  return Object.values(arrivedOf(change)).some(
    ({ amountMinor }, at) => amountMinor !== before[at]?.amountMinor,
  );
}
