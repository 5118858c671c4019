// What one cause changes: the payment, its funds and its commands to the partner, with the postings
// and events of the change. A use case stores all of it in one batch. The causes are in
// payment-transitions.ts and command-outcomes.ts (commands to the partner).
import { PonteError } from '../../errors.js';
import { money } from '../base/money.js';
import type { CommandDraft, MoneyCommand } from '../commands/partner-command.js';
import type { Settlement } from '../commands/settlement.js';
import type { KycStatus } from '../parties/buyer-kyc.js';
import { type EventDraft, paymentEventTypes } from './event.js';
import { type Funds, missingOf, netReceivedMinor } from './funds.js';
import type { Posting } from './ledger.js';
import { isTerminal, nextStatus, type Payment, type PaymentMove } from './payment.js';

export interface PaymentAggregate {
  readonly payment: Payment;
  readonly funds: Funds;
}

/** A payment and all its commands, as one run read or stored them. */
export interface PaymentWithCommands {
  readonly was: PaymentAggregate;
  readonly commands: readonly MoneyCommand[];
}

/** What neither an answer nor a list shows of a payment. */
export const unshownOfPayment = [
  'orgId',
  'mode',
  'createdByMemberId',
  'requiresApproval',
  'approvedByMemberId',
  'destination',
  'buyerLocale',
  'colleagueApproval',
  'quoteId',
  'confirmedLocale',
  'version',
] as const satisfies readonly (keyof Payment)[];

/** What no answer shows of the funds. */
export const unshownOfFunds = [
  'orgId',
  'mode',
  'paymentId',
  'currency',
  'payoutMinor',
  'lossMinor',
  'writtenOffMinor',
  'version',
] as const satisfies readonly (keyof Funds)[];

/** Lists read no more of a payment than this. */
export interface ShownView extends Pick<PaymentView, 'kycStatus' | 'settlements'> {
  readonly payment: Omit<Payment, (typeof unshownOfPayment)[number]>;
  readonly funds: Omit<Funds, (typeof unshownOfFunds)[number]>;
}

export interface PaymentView extends PaymentAggregate {
  /** The buyer's KYC for this tenant. */
  readonly kycStatus: KycStatus;
  /** What its payouts brought the seller, oldest first. */
  readonly settlements: readonly Settlement[];
}

/** `payment` and `funds` are the rows that were read if they are unchanged. */
export interface Change extends PaymentAggregate {
  readonly postings: readonly Posting[];
  readonly events: readonly EventDraft[];
  readonly commands: readonly CommandDraft[];
  /** Stored commands of this payment that the same cause changes. */
  readonly changedCommands: readonly MoneyCommand[];
  /** For operators; logged and counted. */
  readonly alerts: readonly string[];
}

export type MoveFields = Partial<
  Pick<
    Payment,
    | 'cancelReason'
    | 'failureCode'
    | 'failureReason'
    | 'quoteId'
    | 'limitHit'
    | 'confirmedLocale'
    | 'payer'
    | 'approvedByMemberId'
    | 'invitedAtMs'
  >
>;

/** Part of the money is here, without what went back, and the rest is awaited. */
export function isShortPaid({
  payment,
  funds,
}: Pick<ShownView, 'funds'> & {
  readonly payment: Pick<Payment, 'status' | 'amount'>;
}): boolean {
  const hereMinor = netReceivedMinor(funds);
  const isPart = hereMinor > 0n && hereMinor < payment.amount.amountMinor;
  return payment.status === 'on_ramp_pending' && isPart;
}

/** What arrived of the buyer's money: `missing` is still awaited, `surplus` is above the amount. */
export function arrivedOf({ payment, funds }: PaymentAggregate) {
  const { amount, status } = payment;
  const missingMinor = status === 'on_ramp_pending' ? missingOf(amount, funds).amountMinor : 0n;
  const surplusMinor = funds.receivedMinor - amount.amountMinor;
  return {
    received: money(funds.receivedMinor, amount.currency),
    missing: money(missingMinor > 0n ? missingMinor : 0n, amount.currency),
    surplus: money(surplusMinor > 0n ? surplusMinor : 0n, amount.currency),
  };
}

/** The buyer was rejected after its approval, so the payout is not sent. */
export function isUnapproved({ payment, funds }: PaymentAggregate): boolean {
  const isLost = payment.approvalLostAtMs !== null;
  return isLost && !isTerminal(payment.status) && funds.payoutMinor === 0n;
}

export function unchanged({ payment, funds }: PaymentAggregate): Change {
  const nothing = { postings: [], events: [], commands: [], changedCommands: [], alerts: [] };
  return { payment, funds, ...nothing };
}

/** Moves the status, with its events; PaymentStateConflict where the table has no such move. */
export function withMove(
  change: Change,
  move: PaymentMove,
  nowMs: number,
  fields: MoveFields = {},
): Change {
  const was = change.payment;
  const status = nextStatus(was.status, move);
  if (status === null) throw new PonteError('PaymentStateConflict');
  const payment = Object.freeze({ ...was, ...fields, status, updatedAtMs: nowMs });
  if (status === was.status) return { ...change, payment };
  const happened = move === 'kyc_rejected' ? 'kyc_rejected' : 'moved';
  const types = paymentEventTypes(payment, happened);
  const events = types.map((type) => ({ type, payment, occurredAtMs: nowMs }));
  return { ...change, payment, events: [...change.events, ...events] };
}

export function commandsAfter(
  commands: readonly MoneyCommand[],
  { changedCommands }: Change,
): readonly MoneyCommand[] {
  return commands.map((one) => changedCommands.find(({ id }) => id === one.id) ?? one);
}

/**
 * What is stored after a change of what was read: each changed row has the next version. Null if
 * the change adds commands, whose ids and references are drawn when they are stored.
 */
export function storedAfter(
  { was, commands }: PaymentWithCommands,
  change: Change,
): PaymentWithCommands | null {
  if (change.commands.length > 0) return null;
  const next = <R extends { readonly version: number }>(row: R): R =>
    Object.freeze({ ...row, version: row.version + 1 });
  const { payment, funds, changedCommands } = change;
  return {
    was: {
      payment: payment === was.payment ? payment : next(payment),
      funds: funds === was.funds ? funds : next(funds),
    },
    commands: commands.map((one) => {
      const changed = changedCommands.find(({ id }) => id === one.id);
      return changed === undefined ? one : next(changed);
    }),
  };
}

export function withChangedCommand(change: Change, command: MoneyCommand): Change {
  const others = change.changedCommands.filter(({ id }) => id !== command.id);
  return { ...change, changedCommands: [...others, command] };
}
