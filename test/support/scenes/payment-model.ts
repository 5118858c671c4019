// A payment with a partner that keeps its own books and reports the truth, but late, twice and out
// of order. Calls are lost before or after their effect, messages arrive in any sequence, and a
// query returns the current state of the command. Tests choose the steps and check after each.
import {
  acceptCommand,
  type CommandEnd,
  denyCommand,
  isInDoubt,
  isOpen,
  isUnpaidRefund,
  isVoidable,
  type MoneyCommand,
  markUnknown,
  postponeCommand,
  recordAbsence,
  supersedeCommand,
} from '../../../core/domain/commands/partner-command.js';
import type { Change } from '../../../core/domain/payments/change.js';
import type { EventDraft } from '../../../core/domain/payments/event.js';
import type { Posting } from '../../../core/domain/payments/ledger.js';
import type { PaymentOrigin } from '../../../core/domain/payments/payment.js';
import { EFFECT_WITHIN_MS, START_MS } from '../samples/sample-rows.js';
import { MoneyScene } from './money-scene.js';

/** A command in the partner's books. */
export interface PartnerTransaction {
  readonly id: string;
  readonly kind: MoneyCommand['kind'];
  readonly amountMinor: bigint;
  /** Of a refund: the pay-in that it gives back. */
  readonly payinId: string | null;
  /** When the call that ordered it arrives. */
  readonly sinceMs: number;
  end: CommandEnd;
  /** Of a pay-in: all that the buyer paid. */
  receivedMinor: bigint;
}

/** How a call ends: for the partner, and for us. */
export type Answer =
  | 'accepted'
  | 'refused'
  | 'later'
  | 'lost on its way'
  | 'lost after its effect'
  | 'late on its way';

/** A call that was given up takes effect in this time, or never. */
const LATE_MS = 300_000;

export class CollectionModel {
  scene: MoneyScene;
  readonly books: PartnerTransaction[] = [];
  /** All reports of the partner, in its order; they may be delivered in any. */
  readonly reports: PartnerTransaction[] = [];
  readonly delivered = new Set<PartnerTransaction>();
  readonly events: EventDraft[] = [];
  readonly postings: Posting[] = [];
  readonly alerts: string[] = [];
  /** Commands for which the partner never had the money. */
  readonly misuse: PartnerTransaction[] = [];
  readonly #look: (model: CollectionModel, was: MoneyScene) => void;

  /** `look` is called after every step that changed something. */
  constructor(origin: PaymentOrigin, look: (model: CollectionModel, was: MoneyScene) => void) {
    this.scene = MoneyScene.at('awaiting_buyer', [], { origin, expiresAtMs: START_MS + 50_000 });
    this.#look = look;
  }

  /** What the rows are after a cause. */
  apply(change: Change): void {
    this.#step(this.scene.after(change));
  }

  pass(ms: number): void {
    this.scene = this.scene.later(ms);
  }

  transaction(id: string): PartnerTransaction | undefined {
    const known = this.books.find((transaction) => transaction.id === id);
    return known !== undefined && known.sinceMs <= this.scene.nowMs ? known : undefined;
  }

  /** A worker sends the oldest command of this kind that waits, and notes the answer. */
  call(kind: MoneyCommand['kind'], answer: Answer): void {
    const due = this.scene.commands.find((command) => command.kind === kind && isVoidable(command));
    if (due === undefined) return;
    this.#step(this.scene.send(due.id));
    const sent = this.scene.command(due.id);
    const { nowMs } = this.scene;
    const possible = this.#possible(sent, answer);
    if (possible === 'accepted') this.#changed(acceptCommand(sent, partnerRef(sent), nowMs));
    else if (possible === 'later') this.#changed(postponeCommand(sent, 'busy', nowMs));
    else if (possible === 'refused') {
      const code = kind === 'payin' ? 'quote_expired' : 'blocked';
      this.#changed(denyCommand(sent, { code, message: 'no' }, nowMs));
    } else this.#changed(markUnknown(sent, 'time-out', nowMs));
  }

  /** A worker looks up the oldest command in doubt. */
  lookUp(): void {
    const doubted = this.scene.commands.find(isInDoubt);
    if (doubted === undefined) return;
    const { nowMs } = this.scene;
    const found = this.transaction(doubted.id) !== undefined;
    this.#changed(
      found
        ? acceptCommand(doubted, partnerRef(doubted), nowMs)
        : recordAbsence(doubted, EFFECT_WITHIN_MS, nowMs),
    );
  }

  /** A message arrives, for the first time or again. */
  deliver(report: PartnerTransaction): void {
    this.delivered.add(report);
    this.#report(report, false);
  }

  /** A worker asks about an accepted command. */
  ask(id: string): void {
    const transaction = this.transaction(id);
    const { state } = this.scene.command(id);
    if (transaction !== undefined && state === 'done') this.#report(transaction, true);
  }

  /** An operator commands refused refunds again, after a query for each. */
  retryRefunds(): void {
    for (const { id } of this.scene.commands.filter(isUnpaidRefund)) {
      const transaction = this.transaction(id);
      if (transaction !== undefined) this.#report(transaction, true);
      const debt = this.scene.command(id);
      if (isUnpaidRefund(debt)) this.#changed(supersedeCommand(debt, this.scene.nowMs));
    }
  }

  /** The partner's books change, and it reports the change. */
  moves(
    transaction: PartnerTransaction,
    change: Partial<Pick<PartnerTransaction, 'end' | 'receivedMinor'>>,
  ): void {
    Object.assign(transaction, change);
    this.reports.push({ ...transaction });
  }

  /** What the partner has of this payment and has not committed to a command. */
  freeMinor(): bigint {
    let free = 0n;
    for (const { kind, end, amountMinor, receivedMinor } of this.books) {
      if (kind === 'payin') free += end === 'returned' ? 0n : receivedMinor;
      // A payout that failed is somewhere; a refund that failed is still there.
      else if (end !== (kind === 'payout' ? 'returned' : 'failed')) free -= amountMinor;
    }
    return free;
  }

  /** What the partner has of this pay-in, for refunds of it. */
  freeOf(payin: PartnerTransaction): bigint {
    if (payin.end === 'returned') return 0n;
    return this.books
      .filter(
        ({ kind, payinId, end }) => kind === 'refund' && payinId === payin.id && end !== 'failed',
      )
      .reduce((free, { amountMinor }) => free - amountMinor, payin.receivedMinor);
  }

  /** What is still under way, so that a worker or the partner must go on with it. */
  isUnderWay(): boolean {
    return this.scene.commands.some(isOpen);
  }

  /** What the partner can answer: one reference is one order, and it refuses what it lacks. */
  #possible({ id, kind, amount, payinId }: MoneyCommand, answer: Answer): Answer {
    const effect = !['refused', 'later', 'lost on its way'].includes(answer);
    const known = this.books.find((transaction) => transaction.id === id);
    if (known !== undefined || !effect) return answer;
    const amountMinor = amount?.amountMinor ?? 0n;
    const sinceMs = this.scene.nowMs + (answer === 'late on its way' ? LATE_MS : 0);
    const transaction: PartnerTransaction = {
      id,
      kind,
      amountMinor,
      payinId,
      sinceMs,
      end: 'open',
      receivedMinor: 0n,
    };
    const payin = this.books.find((one) => one.id === payinId);
    const lacks =
      (kind === 'payout' && this.freeMinor() < amountMinor) ||
      (kind === 'refund' && (payin === undefined || this.freeOf(payin) < amountMinor));
    if (lacks) {
      if (!this.books.some(({ end }) => end === 'returned')) this.misuse.push(transaction);
      return answer === 'accepted' ? 'refused' : answer;
    }
    this.books.push(transaction);
    return answer;
  }

  #report({ id, end, receivedMinor }: PartnerTransaction, asked: boolean): void {
    const next = this.scene.report(id, { end, receivedMinor, polled: asked });
    if (next.change.changedCommands[0] === this.scene.command(id)) return;
    this.#step(next);
  }

  #changed(command: MoneyCommand): void {
    this.#step(this.scene.changed([command]));
  }

  #step(next: MoneyScene): void {
    const was = this.scene;
    this.scene = next;
    this.events.push(...next.change.events);
    this.postings.push(...next.change.postings);
    this.alerts.push(...next.change.alerts);
    this.#look(this, was);
  }
}

function partnerRef({ id }: MoneyCommand): string {
  return `partner_${id}`;
}
