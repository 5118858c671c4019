// One payment with its commands to the partner, without store and workers: each step takes the rows
// that the last one left and gives new ones, with the change that a use case would store.
import assert from 'node:assert/strict';
import { type CommandReport, reportCommand } from '../../../core/domain/commands/command-report.js';
import {
  type MoneyCommand,
  newCommand,
  paidByHand,
  refuseCommand,
} from '../../../core/domain/commands/partner-command.js';
import {
  type Change,
  commandsAfter,
  type PaymentAggregate,
  unchanged,
} from '../../../core/domain/payments/change.js';
import {
  commandsChanged,
  payoutPaidByHand,
  type ReportedDetails,
} from '../../../core/domain/payments/command-outcomes.js';
import { type Funds, fundsOf, heldMinor } from '../../../core/domain/payments/funds.js';
import type { Payment, PaymentStatus } from '../../../core/domain/payments/payment.js';
import {
  commandOf,
  completedPayin,
  START_MS,
  sampleFunds,
  samplePayment,
  sampleSettlement,
  sent,
} from '../samples/sample-rows.js';

export const NOW_MS = START_MS + 1_000;

export class MoneyScene implements PaymentAggregate {
  readonly payment: Payment;
  readonly funds: Funds;
  readonly commands: readonly MoneyCommand[];
  /** What the last step changed. */
  readonly change: Change;
  readonly nowMs: number;

  constructor(
    rows: PaymentAggregate,
    commands: readonly MoneyCommand[],
    change = unchanged(rows),
    nowMs = NOW_MS,
  ) {
    this.payment = rows.payment;
    this.funds = rows.funds;
    this.commands = commands;
    this.change = change;
    this.nowMs = nowMs;
  }

  /** The sample payment in this status, with its funds as the commands say. */
  static at(
    status: PaymentStatus,
    commands: readonly MoneyCommand[],
    fields: Partial<Payment> = {},
  ): MoneyScene {
    const isPaid = commands.some(({ kind, end }) => kind === 'payout' && end === 'completed');
    const shown = isPaid ? { settlement: sampleSettlement, settledAtMs: START_MS } : {};
    const payment = { ...samplePayment, ...shown, ...fields, status };
    return new MoneyScene({ payment, funds: fundsOf(sampleFunds, commands) }, commands);
  }

  command(id: string): MoneyCommand {
    return (
      this.commands.find((command) => command.id === id) ?? assert.fail(`there is no command ${id}`)
    );
  }

  later(ms: number): MoneyScene {
    return new MoneyScene(this, this.commands, unchanged(this), this.nowMs + ms);
  }

  /** The rows after a change; its drafts become commands named for their kind and number. */
  after(change: Change): MoneyScene {
    const { nowMs } = this;
    const commands = [...commandsAfter(this.commands, change)];
    for (const draft of change.commands) {
      const number = commands.filter(({ kind }) => kind === draft.kind).length + 1;
      const id = `${draft.kind}_${number}`;
      const name = { id, reference: `reference_of_${id}` };
      commands.push(
        newCommand(change.payment, name, { ...draft, paymentId: change.payment.id }, nowMs),
      );
    }
    return new MoneyScene(change, commands, change, nowMs);
  }

  /** Commands as a worker, an operator or the partner left them. */
  changed(changed: readonly MoneyCommand[], details: ReportedDetails = {}): MoneyScene {
    return this.after(commandsChanged(this, this.commands, changed, this.nowMs, details));
  }

  /** The call is about to be made. */
  send(id: string): MoneyScene {
    return this.changed([sent(this.command(id), this.nowMs)]);
  }

  /** The partner says how a command stands when asked; a refund that failed ends without effect. */
  report(id: string, fields: Partial<CommandReport>, details: ReportedDetails = {}): MoneyScene {
    const report = { partnerRef: `partner_${id}`, end: 'open', reason: null } as const;
    const full = { ...report, receivedMinor: 0n, refunded: null, polled: true, ...fields };
    const command = this.command(id);
    // No refund is ever returned: it failed.
    const isBounced = command.kind === 'refund' && full.end === 'returned';
    const found = reportCommand(command, isBounced ? { ...full, end: 'failed' } : full, this.nowMs);
    const failed = found.kind === 'refund' && found.state === 'done' && found.end === 'failed';
    const refusal = { code: null, message: 'refund failed' };
    const next = failed ? refuseCommand(found, refusal, this.nowMs) : found;
    const isPaid = next.kind === 'payout' && next.end === 'completed';
    const settlement = isPaid ? { settlement: sampleSettlement } : {};
    return this.changed([next], { reason: full.reason, ...settlement, ...details });
  }

  /** An operator paid the seller by other means, in place of this payout. */
  paidByHand(id: string): MoneyScene {
    const name = { id: `hand_${this.commands.length}`, reference: `hand_${this.commands.length}` };
    const payout = this.command(id);
    const byHand = paidByHand(payout, name, this.nowMs);
    const commands = [...this.commands, byHand.draft];
    const facts = { ...sampleSettlement, endToEndId: name.id };
    const given = [this, this.commands, payout, byHand, facts, this.nowMs] as const;
    return new MoneyScene(this, commands, undefined, this.nowMs).after(payoutPaidByHand(...given));
  }

  /** Received, held, payout, owed, ordered, refunded, loss. */
  amounts(): readonly bigint[] {
    const { receivedMinor, payoutMinor, refundOwedMinor, refundOrderedMinor } = this.funds;
    return [
      receivedMinor,
      heldMinor(this.funds),
      payoutMinor,
      refundOwedMinor,
      refundOrderedMinor,
      this.funds.refundedMinor,
      this.funds.lossMinor,
    ];
  }

  /** What was ordered by the last step: `refund 4000 of in`. */
  drafts(): readonly string[] {
    return this.change.commands.map(({ kind, amount, payinId }) =>
      [kind, amount?.amountMinor, ...(payinId === null ? [] : ['of', payinId])].join(' '),
    );
  }

  /** Every command as it stands: `out done/completed`. */
  standing(): readonly string[] {
    return this.commands.map(({ id, state, end }) =>
      end === 'open' && state !== 'done' ? `${id} ${state}` : `${id} ${state}/${end}`,
    );
  }

  events(): readonly string[] {
    return this.change.events.map(({ type }) => type);
  }

  postings(): readonly string[] {
    return this.change.postings.map(({ kind }) => kind);
  }
}

type OrderFields = NonNullable<Parameters<typeof commandOf>[2]>;

/** One payment at each step, with a paid pay-in `in`, a payout `out` and a refund `back`. */
export const payin = completedPayin('in', 10_000n);
export const payout = (fields: OrderFields = {}) => commandOf('payout', 'out', fields);
export const refund = (fields: OrderFields = {}) => commandOf('refund', 'back', fields);
export const unsent: OrderFields = { state: 'pending', partnerRef: null };
export const confirmed = MoneyScene.at('on_chain_confirmed', [payin, payout(unsent)]);
export const paying = MoneyScene.at('offramp_pending', [payin, payout()]);
export const settled = MoneyScene.at('settled', [payin, payout({ end: 'completed' })]);
