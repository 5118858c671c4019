// The settlement partner as it truly is: its books, which judge ours. Same key and same request
// give the same order while it keeps the key; money moves only when the simulator says so; every
// change is told by a message. How calls get lost on the way here is partner-line.ts's matter.

import { DAY_MS } from '../../core/domain/instant.js';
import type { Money } from '../../core/domain/money.js';
import type { QuoteTerms } from '../../core/domain/quote.js';
import type { PayinReport, PayoutReport } from '../../core/domain/report-check.js';
import type { Mode } from '../../core/domain/tenant.js';
import type { PartnerAnswer, PartnerFact, RefundReport } from '../../core/ports.js';
import { PartyDesk } from './party-desk.js';
import type { SeededRandom } from './seeded-random.js';

export const PARTNER_NAME = 'simulated';
/** How long a key is remembered. */
const KEY_KEPT_MS = DAY_MS;

export type OrderKind = 'payin' | 'payout' | 'refund';
export type OrderStatus = 'open' | 'completed' | 'failed' | 'returned';

export interface PartnerOrder {
  readonly kind: OrderKind;
  readonly mode: Mode;
  readonly ref: string;
  /** What the caller named it by: its idempotency key, and our command's id. */
  readonly reference: string;
  readonly request: string;
  readonly amount: Money;
  readonly payinRef: string | null;
  status: OrderStatus;
  /** Of a pay-in: all that the buyer ever paid, and what went back by the partner's own will. */
  receivedMinor: bigint;
  returnedMinor: bigint;
}

/** News on its way to us. */
export interface PartnerMessage {
  readonly id: string;
  readonly mode: Mode;
  readonly body: string;
  readonly readyAtMs: number;
  /** Sent again until it is acknowledged: news that polling does not bring. */
  readonly guaranteed: boolean;
}

interface KeptKey {
  readonly request: string;
  readonly atMs: number;
  readonly answer: PartnerAnswer<string>;
}

export interface OrderRequest {
  readonly reference: string;
  readonly amountMinor: string;
  readonly currency: string;
  readonly quoteId?: string;
  readonly payinRef?: string;
  readonly destination?: string;
}

export interface SimulatedPartnerInput {
  readonly mode: Mode;
  readonly random: SeededRandom;
  readonly nowMs: () => number;
  /** The orders of every mode, as they were placed. */
  readonly allOrders: PartnerOrder[];
  /** The payment that a reference belongs to: the partner's books are kept by it. */
  readonly ownerOf: (reference: string) => string | null;
  /** How often an order is refused for good although nothing is wrong with it. */
  readonly refusals: () => number;
}

export class SimulatedPartner {
  readonly mode: Mode;
  readonly orders: PartnerOrder[] = [];
  readonly desk: PartyDesk;
  readonly messages: PartnerMessage[] = [];
  /** What a correct caller never does. */
  readonly misuse: string[] = [];
  /** Raised by every change of the books. */
  changes = 0;
  readonly #input: SimulatedPartnerInput;
  readonly #keys = new Map<string, KeptKey>();
  readonly #quotes = new Map<string, QuoteTerms>();
  #count = 0;

  constructor(input: SimulatedPartnerInput) {
    this.mode = input.mode;
    this.#input = input;
    const { mode, random, refusals } = input;
    this.desk = new PartyDesk({
      ...{ mode, random, refusals, misuse: this.misuse },
      name: (what) => this.#name(what),
      once: (key, request, make) => this.#once(key, request, make),
      tell: (facts, guaranteed) => this.#send(facts, guaranteed),
    });
  }

  /** 5.20 BRL per unit, 1 % of fees, valid from ten seconds to half an hour. */
  quote(source: Money): QuoteTerms {
    const { random, nowMs } = this.#input;
    const fees = { ...source, amountMinor: source.amountMinor / 100n };
    const expiresAtMs = nowMs() + random.pick([10_000, 60_000, 600_000, 1_800_000]);
    const terms: QuoteTerms = {
      partnerQuoteId: this.#name('quote'),
      source,
      fees,
      rate: '5.2',
      target: brl(source, fees),
      rateKind: 'locked',
      lockedUntilMs: expiresAtMs,
      expiresAtMs,
    };
    this.#quotes.set(terms.partnerQuoteId, terms);
    return terms;
  }

  /** Nothing waits for a bank or a decision. */
  get isIdle(): boolean {
    return (
      this.orders.every(({ status }) => status !== 'open') &&
      this.desk.parties.every(({ status }) => status !== 'verifying')
    );
  }

  /** Takes an order, or finds the one that its key already made. Yields its ref. */
  place(kind: OrderKind, request: string): PartnerAnswer<string> {
    const order = JSON.parse(request) as OrderRequest;
    return this.#once(order.reference, request, () => {
      const refusal = this.#refusal(kind, order);
      if (refusal !== null) return { outcome: 'refused', code: refusal, message: refusal };
      const ref = this.#name(kind);
      const taken: PartnerOrder = {
        kind,
        mode: this.mode,
        ref,
        reference: order.reference,
        request,
        amount: { amountMinor: BigInt(order.amountMinor), currency: order.currency },
        payinRef: order.payinRef ?? null,
        status: 'open',
        receivedMinor: 0n,
        returnedMinor: 0n,
      };
      this.orders.push(taken);
      this.#input.allOrders.push(taken);
      return { outcome: 'done', value: ref };
    });
  }

  order(ref: string): PartnerOrder | null {
    return this.orders.find((order) => order.ref === ref) ?? null;
  }

  orderByReference(reference: string): PartnerOrder | null {
    return this.orders.find((order) => order.reference === reference) ?? null;
  }

  /** The buyer's bank sends money for a pay-in; a pay-in that failed or went back bounces it. */
  buyerPays(order: PartnerOrder, amountMinor: bigint): void {
    if (order.status === 'failed' || order.status === 'returned') return;
    const was = order.status;
    order.receivedMinor += amountMinor;
    if (order.receivedMinor >= order.amount.amountMinor) order.status = 'completed';
    this.#tell(order, was);
  }

  /** An order comes to its end, or from one end to another. */
  end(order: PartnerOrder, status: Exclude<OrderStatus, 'open'>): void {
    const was = order.status;
    order.status = status;
    if (order.kind === 'payin' && status === 'returned') order.returnedMinor = order.receivedMinor;
    this.#tell(order, was);
  }

  /** A pay-in ends: what it received goes back by itself, unless something else has use for it. */
  giveUp(payin: PartnerOrder): void {
    const owner = this.#input.ownerOf(payin.reference);
    const untouched = owner !== null && this.freeMinor(owner) === payin.receivedMinor;
    this.end(payin, payin.receivedMinor > 0n && untouched ? 'returned' : 'failed');
  }

  /** The message is acknowledged, or lost for good. */
  drop(message: PartnerMessage): void {
    const at = this.messages.indexOf(message);
    if (at !== -1) this.messages.splice(at, 1);
  }

  /** What the partner holds for a payment and has not promised to anybody. */
  freeMinor(owner: string): bigint {
    let free = 0n;
    for (const order of this.orders) {
      if (this.#input.ownerOf(order.reference) !== owner) continue;
      if (order.kind === 'payin') free += order.receivedMinor - order.returnedMinor;
      else if (order.kind === 'payout' && order.status !== 'returned') {
        free -= order.amount.amountMinor;
      } else if (order.kind === 'refund' && order.status !== 'failed') {
        free -= order.amount.amountMinor;
      }
    }
    return free;
  }

  #once(key: string, request: string, make: () => PartnerAnswer<string>): PartnerAnswer<string> {
    const nowMs = this.#input.nowMs();
    const kept = this.#keys.get(key);
    if (kept !== undefined && nowMs < kept.atMs + KEY_KEPT_MS) {
      if (kept.request === request) return kept.answer;
      this.misuse.push(`the key ${key} came with another request`);
      return { outcome: 'refused', code: 'key_reused', message: 'the key carries another request' };
    }
    const answer = make();
    this.#keys.set(key, { request, atMs: nowMs, answer });
    return answer;
  }

  #refusal(kind: OrderKind, order: OrderRequest): string | null {
    const { random, refusals, nowMs, ownerOf } = this.#input;
    if (random.chance(refusals())) return 'account_blocked';
    if (kind === 'payin') {
      const quote = this.#quotes.get(order.quoteId ?? '');
      return quote === undefined || nowMs() >= quote.expiresAtMs ? 'quote_expired' : null;
    }
    // Money that went back to the buyer by itself is not there any more; any other lack of money
    // is a fault of the caller, and the books must show it.
    const owner = ownerOf(order.reference);
    const wentBack = this.orders.some(
      (payin) => payin.returnedMinor > 0n && ownerOf(payin.reference) === owner,
    );
    if (!wentBack || owner === null) return null;
    return this.freeMinor(owner) < BigInt(order.amountMinor) ? 'insufficient_funds' : null;
  }

  #tell(order: PartnerOrder, was: OrderStatus): void {
    const { random } = this.#input;
    const facts = [orderFact(order, random.chance(0.8))];
    if (random.chance(0.1)) facts.push(orderFact(random.pick(this.orders), true));
    this.#send(facts, was !== 'open');
  }

  #send(facts: readonly PartnerFact[], guaranteed: boolean): string {
    const { random, nowMs } = this.#input;
    const delayMs = random.pick([0, 0, 500, 5_000, 90_000, 7_200_000]);
    const id = this.#name('message');
    const readyAtMs = nowMs() + delayMs;
    this.messages.push({ id, mode: this.mode, body: factsText(facts), readyAtMs, guaranteed });
    return id;
  }

  #name(what: string): string {
    this.#count += 1;
    this.changes += 1;
    return `${this.mode}-${what}-${this.#count}`;
  }
}

export function payinReport(order: PartnerOrder): PayinReport {
  return {
    status: order.status,
    receivedMinor: order.receivedMinor,
    transactionHash: order.status === 'completed' ? `0x${order.ref}` : null,
    reason: reasonOf(order),
  };
}

export function payoutReport(order: PartnerOrder): PayoutReport {
  const completed = order.status === 'completed';
  const fees = { ...order.amount, amountMinor: order.amount.amountMinor / 100n };
  return {
    status: order.status,
    settled: completed ? brl(order.amount, fees) : null,
    fxRate: completed ? '5.2' : null,
    fees: completed ? fees : null,
    endToEndId: completed ? `E${order.ref}` : null,
    reason: reasonOf(order),
  };
}

export function refundReport(order: PartnerOrder): RefundReport {
  const status = order.status === 'returned' ? 'failed' : order.status;
  return { status, reason: reasonOf(order) };
}

/** The text of a message: facts as JSON, amounts as digits. */
export function factsText(facts: readonly PartnerFact[]): string {
  return JSON.stringify(facts, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
}

export function readFacts(text: string): readonly PartnerFact[] {
  return JSON.parse(text, (key, value: unknown) =>
    key.endsWith('Minor') && typeof value === 'string' ? BigInt(value) : value,
  ) as readonly PartnerFact[];
}

function orderFact(order: PartnerOrder, named: boolean): PartnerFact {
  const base = { reference: named ? order.reference : null, partnerRef: order.ref };
  switch (order.kind) {
    case 'payin':
      return { ...base, kind: 'payin', report: payinReport(order) };
    case 'payout':
      return { ...base, kind: 'payout', report: payoutReport(order) };
    case 'refund':
      return { ...base, kind: 'refund', report: refundReport(order) };
  }
}

function reasonOf(order: PartnerOrder): string | null {
  return order.status === 'failed' || order.status === 'returned' ? `bank: ${order.status}` : null;
}

/** At 5.20 per unit after fees, rounded down. */
function brl(source: Money, fees: Money): Money {
  const amountMinor = ((source.amountMinor - fees.amountMinor) * 52n) / 10n;
  return { amountMinor, currency: 'BRL' };
}
