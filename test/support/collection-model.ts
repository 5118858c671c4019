// A payment as the use cases drive it, without store and workers: its rows, its commands, and a
// partner with books of its own. Every step takes what the last one left, applies one cause, and
// notes what it changed. Tests choose the steps and look at what is there after each.
import {
  type Change,
  type Collection,
  payinAccepted,
  payinRefused,
  payinReported,
  payoutRefused,
  payoutReported,
  payoutTaken,
  refundContradicted,
  refundRefused,
  refundReported,
  refundTaken,
  unchanged,
} from '../../core/domain/collection.js';
import type { EventDraft } from '../../core/domain/event.js';
import type { Posting } from '../../core/domain/ledger.js';
import {
  acceptCommand,
  type CommandKind,
  isDebt,
  isOpen,
  loseCommand,
  type OrderEnd,
  type PartnerCommand,
  postponeCommand,
  refuseCommand,
  reportOrder,
  supersedeCommand,
  voidCommand,
} from '../../core/domain/partner-command.js';
import type { Payment, PaymentOrigin } from '../../core/domain/payment.js';
import { START_MS, sampleCommand, sampleFunds, samplePayment, sent } from './sample-rows.js';

/** An order in the partner's books. */
export interface Order {
  readonly commandId: string;
  readonly kind: CommandKind;
  readonly amountMinor: bigint;
  end: OrderEnd;
  /** Of a pay-in: all that the buyer paid. */
  receivedMinor: bigint;
}

export type Answer = 'accepted' | 'refused' | 'later' | 'lost' | 'lost after the effect';

export class CollectionModel {
  now: Collection;
  nowMs = START_MS;
  commands: readonly PartnerCommand[] = [];
  readonly orders: Order[] = [];
  /** Everything that the partner ever said, in its order; it may be heard in any. */
  readonly news: Order[] = [];
  readonly heard = new Set<Order>();
  readonly events: EventDraft[] = [];
  readonly postings: Posting[] = [];
  readonly alerts: string[] = [];
  /** Orders for which the partner never had the money. */
  readonly misuse: Order[] = [];
  readonly #look: (model: CollectionModel, was: Collection, change: Change) => void;

  /** `look` is called after every batch. */
  constructor(
    origin: PaymentOrigin,
    look: (model: CollectionModel, was: Collection, change: Change) => void,
  ) {
    const payment: Payment = { ...samplePayment, origin, expiresAtMs: START_MS + 50_000 };
    this.now = { payment, funds: sampleFunds };
    this.#look = look;
  }

  /** One batch: the change of a cause, and with it one command as that cause left it. */
  apply(change: Change, command: PartnerCommand | null = null): void {
    const others = change.changedCommands.filter(({ id }) => id !== command?.id);
    const changed = command === null ? others : [...others, command];
    const added = change.commands.map(({ kind, amount }, index): PartnerCommand => {
      const id = `cmd_${this.commands.length + index}`;
      return { ...sampleCommand, id, kind, amount, dueAtMs: this.nowMs };
    });
    this.commands = [
      ...this.commands.map((old) => changed.find(({ id }) => id === old.id) ?? old),
      ...added,
    ];
    const was = this.now;
    this.now = { payment: change.payment, funds: change.funds };
    this.events.push(...change.events);
    this.postings.push(...change.postings);
    this.alerts.push(...change.alerts);
    this.#look(this, was, change);
  }

  /** A worker takes a command in hand and calls; nothing where no command is to be called. */
  call(kind: CommandKind, answer: Answer): void {
    const due = this.commands.find(
      (command) => command.kind === kind && ['pending', 'unknown'].includes(command.state),
    );
    if (due === undefined) return;
    const { amountMinor } = due.amount ?? { amountMinor: 0n };
    const first = due.firstSentAtMs === null;
    if (first && kind === 'refund' && amountMinor > this.now.funds.refundOwedMinor) {
      this.apply(unchanged(this.now), voidCommand(due, this.nowMs));
      return;
    }
    this.apply(first ? this.#taken(due) : unchanged(this.now), sent(due, this.nowMs));
    const calling = this.commands.find(({ id }) => id === due.id) ?? due;
    this.#answered(calling, this.#possible(calling, answer));
  }

  /** A call that was given up arrives after all. */
  arriveLate(): void {
    for (const command of this.commands) {
      if (command.state === 'unknown') this.#possible(command, 'lost after the effect');
    }
  }

  /** One of the partner's news is heard, new or old: its place in `news`. */
  hear(news: Order): void {
    this.heard.add(news);
    const command = this.commands.find(({ id }) => id === news.commandId);
    if (command === undefined) return;
    const told = reportOrder(command, `order_${command.id}`, news.end, this.nowMs);
    const failed = news.kind === 'refund' && news.end === 'failed' && isOpen(command);
    const next = failed ? refuseCommand(told, 'failed', this.nowMs) : told;
    this.apply(this.#reported(command, news), next === command ? null : next);
  }

  /** An operator orders the refunds anew that the partner refused. */
  orderDebtsAnew(): void {
    for (const debt of this.commands.filter(isDebt)) {
      const draft = { kind: debt.kind, amount: debt.amount };
      const change = { ...unchanged(this.now), commands: [draft] };
      this.apply(change, supersedeCommand(debt, this.nowMs));
    }
  }

  /** The partner's books change, and it says so. */
  moves(order: Order, change: Partial<Pick<Order, 'end' | 'receivedMinor'>>): void {
    Object.assign(order, change);
    this.news.push({ ...order });
  }

  /** What the partner has of this payment and promised to nobody. */
  freeMinor(): bigint {
    let free = 0n;
    for (const { kind, end, amountMinor, receivedMinor } of this.orders) {
      if (kind === 'payin') free += end === 'returned' ? 0n : receivedMinor;
      // A payout that failed is somewhere; a refund that failed is still there.
      else if (end !== (kind === 'payout' ? 'returned' : 'failed')) free -= amountMinor;
    }
    return free;
  }

  /** What the partner can truly answer: one key is one order, and it refuses what it lacks. */
  #possible({ id, kind, amount }: PartnerCommand, answer: Answer): Answer {
    const effect = answer === 'accepted' || answer === 'lost after the effect';
    const known = this.orders.find(({ commandId }) => commandId === id);
    if (known !== undefined) return answer === 'refused' ? 'accepted' : answer;
    const amountMinor = amount?.amountMinor ?? 0n;
    if (!effect) return answer;
    const order: Order = { commandId: id, kind, amountMinor, end: 'open', receivedMinor: 0n };
    if (kind !== 'payin' && this.freeMinor() < amountMinor) {
      if (!this.orders.some(({ end }) => end === 'returned')) this.misuse.push(order);
      return answer === 'accepted' ? 'refused' : answer;
    }
    this.orders.push(order);
    return answer;
  }

  #taken(command: PartnerCommand): Change {
    if (command.kind === 'payout') return payoutTaken(this.now, this.nowMs);
    if (command.kind !== 'refund') return unchanged(this.now);
    return refundTaken(this.now, command.amount?.amountMinor ?? 0n);
  }

  #answered(command: PartnerCommand, answer: Answer): void {
    const nothing = unchanged(this.now);
    switch (answer) {
      case 'accepted': {
        const payin = command.kind === 'payin';
        const change = payin ? payinAccepted(this.now, '{}', this.nowMs) : nothing;
        this.apply(change, acceptCommand(command, `order_${command.id}`, this.nowMs));
        break;
      }
      case 'refused':
        this.apply(this.#refused(command), refuseCommand(command, 'no', this.nowMs));
        break;
      case 'later':
        this.apply(nothing, postponeCommand(command, 'busy', this.nowMs));
        break;
      case 'lost':
      case 'lost after the effect':
        this.apply(nothing, loseCommand(command, 'time-out', this.nowMs));
        break;
    }
  }

  #refused({ kind, amount }: PartnerCommand): Change {
    const { now, commands, nowMs } = this;
    if (kind === 'payin') return payinRefused(now, 'quote_expired', nowMs);
    if (kind === 'payout') return payoutRefused(now, commands, 'blocked', nowMs);
    return refundRefused(now, commands, amount?.amountMinor ?? 0n, true, nowMs);
  }

  #reported(command: PartnerCommand, news: Order): Change {
    const { now, commands, nowMs } = this;
    const { end, receivedMinor, amountMinor } = news;
    if (news.kind === 'payin') {
      const report = { status: end, receivedMinor, transactionHash: null, reason: null };
      return payinReported(now, commands, report, nowMs);
    }
    if (news.kind === 'payout') {
      const paid = end === 'completed';
      const report = {
        status: end,
        settled: paid ? { amountMinor: 51_480n, currency: 'BRL' } : null,
        fees: paid ? { amountMinor: 100n, currency: 'USD' } : null,
        fxRate: paid ? '5.20' : null,
        endToEndId: null,
        reason: null,
      };
      return payoutReported(now, commands, report, nowMs);
    }
    if (end === 'open' || end === 'returned' || end === command.end) return unchanged(now);
    if (!isOpen(command)) return refundContradicted(now, end, amountMinor);
    return refundReported(now, commands, end, amountMinor, nowMs);
  }
}
