// The settlement partner: it takes commands, and its books (partner-ledger.ts) judge ours. Same key
// and same request give the same command while it keeps the key; money moves only when the
// simulator says so; every change is reported by a message. How calls get lost is in
// partner-network.ts.
import { DAY_MS } from '../../../core/domain/base/instant.js';
import type { Money } from '../../../core/domain/base/money.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { QuoteTerms } from '../../../core/domain/commands/quote.js';
import type { CollectInput, PartnerAnswer, PartnerFact } from '../../../core/ports/partner.js';
import { destinationOf } from '../world/actors.js';
import {
  type AdapterSetup,
  type HistoryPartner,
  type HistoryPartnerInput,
  LATE_MS_MAX,
} from './history-partner.js';
import {
  type Collected,
  type PartnerTransaction,
  smaller,
  type TransactionKind,
  type TransactionStatus,
  wasEver,
} from './partner-ledger.js';
import { PartnerMessages } from './partner-messages.js';
import { partnerNetwork } from './partner-network.js';
import { PartnerParties, type Party } from './partner-parties.js';
import {
  brl,
  factsText,
  mixedFact,
  settlementOf,
  transactionFact,
  wrongFact,
} from './partner-reports.js';

/** How long a key is remembered. */
export const PARTNER_KEY_KEPT_MS = DAY_MS;

interface KeptKey {
  readonly request: string;
  readonly atMs: number;
  readonly answer: PartnerAnswer<string>;
  /** Nothing was ordered, and every repeat is refused. */
  readonly burnt: boolean;
  /** In which the call was made: one that is over may use the key otherwise, at any time. */
  readonly life: number;
}

export interface TransactionRequest {
  readonly reference: string;
  readonly amountMinor: string;
  readonly currency: string;
  readonly quoteId?: string;
  readonly payinRef?: string;
  readonly destination?: string;
}

export class SimulatedPartner implements HistoryPartner {
  readonly name = 'simulated';
  readonly mode: Mode;
  readonly desk: PartnerParties;
  readonly messages: PartnerMessages;
  readonly misuse: string[] = [];
  /** Bank details of transfers for several payments. */
  readonly collections: CollectInput[] = [];
  /** How often the caller went back in time. */
  life = 0;
  readonly #input: HistoryPartnerInput;
  readonly #keys = new Map<string, KeptKey>();
  readonly #quotes = new Map<string, QuoteTerms>();
  #count = 0;

  constructor(input: HistoryPartnerInput) {
    this.mode = input.mode;
    this.#input = input;
    const { mode, random, faults } = input;
    this.messages = new PartnerMessages(random, input.nowMs);
    this.desk = new PartnerParties({
      mode,
      random,
      faults,
      misuse: this.misuse,
      name: (what) => this.#name(what),
      once: (key, request, make) => this.#once(key, { request, life: this.life }, make),
      send: (facts, guaranteed) => this.#send(facts, guaranteed),
    });
  }

  get transactions(): readonly PartnerTransaction[] {
    return this.#input.books.transactions.filter(({ mode }) => mode === this.mode);
  }

  adapter({ process, gates }: AdapterSetup) {
    return partnerNetwork({ ...this.#input, partner: this, process, gates });
  }

  organization(orgId: string) {
    const partnerRef = `${this.name}-${orgId}`;
    return { partnerRef, railsRef: 'va-1', destinationRef: destinationOf(orgId) };
  }

  headersOf({ id }: { readonly id: string }, isGenuine: boolean) {
    return { 'message-id': id, genuine: isGenuine ? 'yes' : 'no' };
  }

  get changes(): number {
    return this.#count + this.misuse.length;
  }

  /** 5.20 BRL per unit, 1 % of fees, valid from ten seconds to half an hour. */
  quote(source: Money): QuoteTerms {
    const { random, nowMs } = this.#input;
    const fees = { ...source, amountMinor: source.amountMinor / 100n };
    const expiresAtMs = nowMs() + random.pick([10_000, 600_000, 1_800_000, 1_800_000]);
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

  get isIdle(): boolean {
    return (
      this.transactions.every(({ status }) => status !== 'open') &&
      this.desk.parties.every(({ status }) => status !== 'verifying')
    );
  }

  /** Takes a command, or finds the one that its key already made. Yields its ref. */
  place(kind: TransactionKind, request: string, life = this.life): PartnerAnswer<string> {
    const { faults, random } = this.#input;
    const transaction = JSON.parse(request) as TransactionRequest;
    const { reference } = transaction;
    if (this.#kept(reference) === null) {
      if (faults.occurs('keyBurnt')) {
        const answer = { outcome: 'unknown', reason: 'time-out' } as const;
        this.#keep(reference, { request, answer, life, burnt: true });
        return answer;
      }
      if (kind === 'payin' && faults.occurs('payinTakenLate')) {
        const answer = refused('quote_expired');
        this.#keep(reference, { request, answer, life });
        this.#later(`taken late: ${reference}`, () => this.#take(kind, request, true));
        return answer;
      }
    }
    const isRepeat = this.#kept(reference) !== null;
    const answer = this.#once(reference, { request, life }, () => {
      return this.#answer(kind, request, transaction);
    });
    if (isRepeat && answer.outcome === 'done' && faults.occurs('repeatRefused')) {
      return refused('duplicate');
    }
    if (!isRepeat && answer.outcome === 'done' && faults.occurs('refusedAfterEffect')) {
      return refused(random.pick(['duplicate', 'quote_already_used', 'quote_expired']));
    }
    return answer;
  }

  transaction(ref: string): PartnerTransaction | null {
    return this.transactions.find((transaction) => transaction.ref === ref) ?? null;
  }

  lookUp(reference: string): PartnerTransaction | null {
    this.#input.books.lookedUpAtMs.set(reference, this.#input.nowMs());
    return this.transactions.find((transaction) => transaction.reference === reference) ?? null;
  }

  buyerPays(transaction: PartnerTransaction, amountMinor: bigint): void {
    if (transaction.status === 'returned') return;
    const receivedMinor = transaction.receivedMinor + amountMinor;
    const isWhole = receivedMinor >= transaction.amount.amountMinor;
    const isOrdered = transaction.collected === undefined;
    const isFirst = isOrdered && transaction.receivedMinor === 0n;
    if (isWhole && isFirst && this.#input.faults.occurs('otherCurrency')) {
      const currency = transaction.amount.currency === 'EUR' ? 'GBP' : 'EUR';
      transaction.foreign = { amountMinor: receivedMinor, currency };
      this.#change(transaction, 'completed', 0n);
    } else this.#change(transaction, isWhole ? 'completed' : transaction.status, receivedMinor);
  }

  correctCurrency(transaction: PartnerTransaction): void {
    const { foreign } = transaction;
    transaction.foreign = undefined;
    this.#change(transaction, 'completed', foreign?.amountMinor);
  }

  withdraw(amount: Money): void {
    this.#appear('payout', amount, { reference: null, partyRef: null, repeats: null });
  }

  makeTwice({ kind, amount, reference: repeats }: PartnerTransaction): void {
    this.#appear(kind, amount, { reference: null, partyRef: null, repeats });
  }

  end(transaction: PartnerTransaction, status: Exclude<TransactionStatus, 'open'>): void {
    this.#change(transaction, status);
  }

  restored(sinceMs: number): void {
    this.messages.restored(sinceMs);
    this.life += 1;
  }

  decide(party: Party, status: 'approved' | 'rejected'): void {
    this.desk.decide(party, status);
  }

  #later(label: string, arrive: () => void): void {
    const { nowMs, random, lateCalls } = this.#input;
    lateCalls.push({ label, arrivesAtMs: nowMs() + random.between(0, LATE_MS_MAX), arrive });
  }

  #change(
    transaction: PartnerTransaction,
    status: TransactionStatus,
    receivedMinor = transaction.receivedMinor,
  ): void {
    const was = transaction.status;
    this.#input.books.change(transaction, status, receivedMinor);
    // Nobody asks about a command that has ended, or that counts as refused. The books list no
    // refund, and no part of the money that a failed pay-in received.
    const isUnasked = was !== 'open' || transaction.takenAfterRefusal;
    const isListed = transaction.kind !== 'refund' && (was !== status || status === 'completed');
    this.#report(transaction, isUnasked && !isListed);
  }

  #once(
    key: string,
    { request, life }: Pick<KeptKey, 'request' | 'life'>,
    make: () => PartnerAnswer<string>,
  ): PartnerAnswer<string> {
    const kept = this.#kept(key);
    if (kept === null) {
      const answer = make();
      this.#keep(key, { request, answer, life });
      return answer;
    }
    if (kept.burnt) return refused('duplicate');
    if (kept.request === request) return kept.answer;
    if (kept.life === this.life && life === this.life)
      this.misuse.push(`the key ${key} came with another request`);
    return refused('key_reused');
  }

  #kept(key: string): KeptKey | null {
    const kept = this.#keys.get(key);
    if (kept === undefined) return null;
    const isKept = kept.life !== this.life || this.#input.nowMs() < kept.atMs + PARTNER_KEY_KEPT_MS;
    return isKept ? kept : null;
  }

  #keep(key: string, kept: Omit<KeptKey, 'atMs' | 'burnt'> & { readonly burnt?: boolean }): void {
    this.#keys.set(key, { burnt: false, ...kept, atMs: this.#input.nowMs() });
  }

  #answer(
    kind: TransactionKind,
    request: string,
    transaction: TransactionRequest,
  ): PartnerAnswer<string> {
    const refusal = this.#refusal(kind, transaction);
    if (refusal !== null) return refused(refusal);
    return { outcome: 'done', value: this.#take(kind, request, false).ref };
  }

  #take(kind: TransactionKind, request: string, takenAfterRefusal: boolean): PartnerTransaction {
    const transaction = JSON.parse(request) as TransactionRequest;
    const amount = { amountMinor: BigInt(transaction.amountMinor), currency: transaction.currency };
    const ref = this.#name(kind);
    const taken: PartnerTransaction = {
      kind,
      mode: this.mode,
      ref,
      reference: transaction.reference,
      request,
      amount,
      settlement: kind === 'payout' ? settlementOf(amount, ref) : null,
      payinRef: transaction.payinRef ?? null,
      takenAfterRefusal,
      takenAtMs: this.#input.nowMs(),
      status: 'open',
      receivedMinor: 0n,
      history: [{ status: 'open', receivedMinor: 0n }],
    };
    this.#input.books.take(taken);
    return taken;
  }

  /** A buyer that got these bank details sends money some day. */
  collect(asked: CollectInput): void {
    this.collections.push(asked);
  }

  /** A transfer arrives that no command ordered. */
  transfer(collection: CollectInput, amountMinor: bigint): void {
    const { reference, partyRef, amount } = collection;
    const isPaid = this.#input.random.chance(0.5);
    if (isPaid) this.collections.splice(this.collections.indexOf(collection), 1);
    const collected = { reference, partyRef, repeats: null };
    this.#appear('payin', { ...amount, amountMinor }, collected);
  }

  /** No command ordered it. */
  #appear(kind: TransactionKind, amount: Money, collected: Collected): void {
    const ref = this.#name(kind === 'payin' ? 'transfer' : 'withdrawal');
    const appeared: PartnerTransaction = {
      kind,
      mode: this.mode,
      ref,
      reference: ref,
      request: '{}',
      amount,
      settlement: kind === 'payout' ? settlementOf(amount, ref) : null,
      payinRef: null,
      takenAfterRefusal: false,
      takenAtMs: this.#input.nowMs(),
      collected,
      status: 'open',
      receivedMinor: 0n,
      history: [{ status: 'open', receivedMinor: 0n }],
    };
    this.#input.books.take(appeared);
    this.#report(appeared, false);
  }

  #refusal(kind: TransactionKind, transaction: TransactionRequest): string | null {
    const { faults, nowMs, books } = this.#input;
    if (faults.occurs('commandRefused')) return 'account_blocked';
    if (kind === 'payin') {
      const quote = this.#quotes.get(transaction.quoteId ?? '');
      return quote === undefined || nowMs() >= quote.expiresAtMs ? 'quote_expired' : null;
    }
    const amountMinor = BigInt(transaction.amountMinor);
    const payin = books
      .siblings(transaction.reference)
      .find(({ ref }) => ref === transaction.payinRef);
    const free =
      kind === 'payout' || payin === undefined
        ? books.freeMinor(transaction.reference)
        : smaller(
            books.refundableMinor(transaction.reference, payin),
            books.freeMinor(transaction.reference),
          );
    // Where a bank changed its mind the caller may not know yet. Any other lack of money is a fault
    // of the caller: the command is taken, and the books show it.
    return free < amountMinor && books.isSurprised(transaction.reference)
      ? 'insufficient_funds'
      : null;
  }

  #report(transaction: PartnerTransaction, guaranteed: boolean): void {
    const { random, faults, books } = this.#input;
    const isWrong = faults.occurs('wrongReport');
    // Of a command that counts as refused we know our reference alone.
    const isOrdered = transaction.collected === undefined;
    const isOurs = isOrdered || transaction.collected.repeats !== null;
    const isNamed = isOurs && (random.chance(0.8) || transaction.takenAfterRefusal);
    const facts = [
      isWrong ? wrongFact(random, transaction) : transactionFact(transaction, isNamed),
    ];
    // A snapshot of another command; of one that ever returned it could be reported out of order.
    const other = random.pick(this.transactions);
    if (random.chance(0.1) && !wasEver(other, 'returned')) {
      facts.push(transactionFact(other, other.collected === undefined));
    }
    const id = this.#send(facts, guaranteed);
    if (isWrong) books.falseMessages.add(id);
    // A transfer that no command ordered has no reference of ours.
    if (!isOrdered || !faults.occurs('wrongReference')) return;
    const others = this.transactions.filter(
      ({ kind, ref, collected }) =>
        kind === transaction.kind && ref !== transaction.ref && collected === undefined,
    );
    if (others.length === 0) return;
    const mixed = this.#send([mixedFact(random, transaction, random.pick(others))], false);
    books.falseMessages.add(mixed);
  }

  #send(facts: readonly PartnerFact[], guaranteed: boolean): string {
    const id = this.#name('message');
    const [{ partnerRef, report } = { partnerRef: '', report: null }] = facts;
    const inOrderOf = guaranteed || report?.status === 'returned' ? partnerRef : null;
    const body = factsText(facts);
    this.messages.send({ id, mode: this.mode, body, guaranteed, inOrderOf });
    return id;
  }

  #name(what: string): string {
    this.#count += 1;
    return `${this.mode}-${what}-${this.#count}`;
  }
}

function refused(code: string): PartnerAnswer<never> {
  return { outcome: 'refused', code, message: code };
}
