// BlindPay as the partner of a history: each process has the real adapter, whose HTTP calls pass
// gates and meet every fault of the simulated instance; banks and reviewers move its objects.
import { createBlindPayPartner } from '../../../adapters/partner/blindpay/blindpay.js';
import type {
  HttpAnswer,
  HttpRequest,
} from '../../../adapters/partner/blindpay/blindpay-transport.js';
import { MINUTE_MS } from '../../../core/domain/base/instant.js';
import type { Money } from '../../../core/domain/base/money.js';
import type { SettlementPartner } from '../../../core/ports/partner.js';
import { type Answer, errorAnswer, keyMismatch } from '../../support/blindpay/blindpay-answers.js';
import { documentedCodes } from '../../support/blindpay/blindpay-facts.js';
import {
  FAILS_MINOR,
  hexOf,
  payinSteps,
  payoutSteps,
  RETURNS_MINOR,
} from '../../support/blindpay/blindpay-objects.js';
import {
  apiKey,
  type BlindPayDesk,
  blindPayDesk,
  type Fault,
  type HttpCall,
  instanceId,
  type Sent,
  secret,
  sentOf,
} from '../../support/blindpay/blindpay-server.js';
import { httpFaultKinds, httpFaultOf } from '../world/faults.js';
import type { SimulatedProcess } from '../world/gates.js';
import { BlindPayBooks, describedCommand } from './blindpay-books.js';
import {
  type AdapterSetup,
  type HistoryPartner,
  type HistoryPartnerInput,
  LATE_MS_MAX,
} from './history-partner.js';
import type { PartnerTransaction, TransactionStatus } from './partner-ledger.js';
import { PartnerMessages } from './partner-messages.js';
import type { Party } from './partner-parties.js';

const URL_OF_API = 'https://blindpay.example/v1';
const NETWORK = 'polygon_amoy';
/** Every wallet has tokens of other payments: they would pay for a second payout. */
const OTHER_TOKENS = 1_000_000_000;
/** The lease of a command ends, and the windows of a payout. */
const PAUSE_MS = [MINUTE_MS, 20 * MINUTE_MS] as const;
const forgedSecret = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
/** The ids of the modes differ. */
const idsFrom = { test: 0, live: 500_000 } as const;

type End = Exclude<TransactionStatus, 'open'>;

/** Our ends in the words of BlindPay, and the amount that brings them about. */
const ends: Readonly<Record<End, { readonly status: string; readonly amountMinor: number }>> = {
  completed: { status: 'completed', amountMinor: 0 },
  failed: { status: 'failed', amountMinor: FAILS_MINOR },
  returned: { status: 'refunded', amountMinor: RETURNS_MINOR },
};

/** Calls that may be refused for good, by the fault that refuses them. */
const refusals = [
  { call: /^POST \/customers$/, fault: 'partyRefused', code: 'CUSTOMERS_COUNTRY_NOT_SUPPORTED' },
  { call: /\/(bank-accounts|wallets)$/, fault: 'partyRefused', code: 'VALIDATION_FAILED' },
  { call: /^POST \/payins\/evm$/, fault: 'commandRefused', code: 'PAYINS_METHOD_NOT_SUPPORTED' },
  { call: /^POST \/payouts\/evm$/, fault: 'commandRefused', code: 'PAYOUTS_AMOUNT_BELOW_MINIMUM' },
] as const;

/** Each listed code without an effect, and codes that no table lists. */
const quoteRefusals: readonly (readonly [code: string, status: number])[] = [
  ...documentedCodes
    .filter(([, status]) => status < 500)
    .map(([code, status]) => [code, status] as const),
  ...[400, 402, 404, 409, 422].map((status) => ['SOMETHING_NEW', status] as const),
];

export class SimulatedBlindPay implements HistoryPartner {
  readonly name = 'blindpay';
  readonly desk: BlindPayBooks;
  readonly messages: PartnerMessages;
  readonly misuse: string[] = [];
  readonly #input: HistoryPartnerInput;
  readonly #instance: BlindPayDesk;
  /** The life in which each key was used first. */
  readonly #keys = new Map<string, number>();
  #messagesSeen = 0;

  constructor(input: HistoryPartnerInput) {
    const { mode, nowMs, random, books } = input;
    this.#input = input;
    this.messages = new PartnerMessages(random, nowMs);
    this.#instance = blindPayDesk({
      nowMs,
      idsFrom: idsFrom[mode],
      refusal: (sent) => this.#refusal(sent),
    });
    const { state } = this.#instance;
    state.isByHand = true;
    // The actors name made-up terms.
    state.compliance.checksTerms = false;
    this.desk = new BlindPayBooks({ mode, nowMs, state, books, misuse: this.misuse });
  }

  get transactions(): readonly PartnerTransaction[] {
    return this.desk.transactions;
  }

  get changes(): number {
    return this.desk.changes + this.misuse.length;
  }

  get isIdle(): boolean {
    return (
      this.transactions.every(({ status }) => status !== 'open') &&
      this.desk.parties.every(({ status }) => status !== 'verifying')
    );
  }

  /** It takes no transfer for several payments. */
  readonly collections = [];

  transfer(): void {
    throw new Error('BlindPay gives no such bank details');
  }

  organization(orgId: string) {
    const { state } = this.#instance;
    const made = (answer: Answer) => (answer.body as { readonly id: string }).id;
    const fields = { type: 'business', kyc_type: 'standard', email: 'org@example.com' };
    const customerId = made(state.createCustomer({ ...fields, country: 'BR', external_id: orgId }));
    this.desk.leaveOut(customerId);
    state.setKyc(customerId, 'approved');
    const pix = { type: 'pix', name: orgId, pix_key: `${orgId}@example.com` };
    const accountId = made(state.createBankAccount(customerId, pix));
    const wallet = { network: NETWORK, name: 'ponte', external_id: 'ponte' };
    const walletId = made(state.createWallet(customerId, wallet));
    state.otherTokens.set(walletId, OTHER_TOKENS);
    this.#messagesSeen = state.messages.length;
    const destinationRef = `${customerId}.${accountId}.${walletId}`;
    return { partnerRef: customerId, railsRef: walletId, destinationRef };
  }

  adapter(setup: AdapterSetup): SettlementPartner {
    const { clock, log, readFile } = setup;
    const partner = createBlindPayPartner({
      // Of both modes: a production instance requires more of a dossier, nothing else.
      mode: 'test',
      clock,
      log,
      readFile,
      url: URL_OF_API,
      apiKey,
      instanceId,
      secrets: [secret],
      route: {
        network: NETWORK,
        token: 'USDB',
        paymentMethod: 'ach',
        bankingPartner: this.#input.mode === 'live' ? 'cfsb' : null,
      },
      limit: { perMinute: 0, burst: 1 },
      transport: (request) => this.#exchange(setup, request),
    });
    const { party: receiver, payin, payout } = partner;
    return {
      ...partner,
      party: {
        ...receiver,
        prepare: (input) => {
          this.desk.noteRole(input);
          return receiver.prepare(input);
        },
      },
      payin: {
        ...payin,
        start: (request) => {
          this.desk.notePayin(request);
          return payin.start(request);
        },
      },
      payout: {
        ...payout,
        find: async (request) => {
          const answer = await payout.find(request);
          if (answer.outcome === 'done') this.desk.noteLookUp(request);
          return answer;
        },
      },
    };
  }

  transaction(ref: string): PartnerTransaction | null {
    return this.transactions.find((transaction) => transaction.ref === ref) ?? null;
  }

  buyerPays(transaction: PartnerTransaction): void {
    if (transaction.status !== 'returned') this.end(transaction, 'completed');
  }

  end(transaction: PartnerTransaction, end: End): void {
    const isPaid = transaction.kind === 'payin' && end === 'completed';
    const { faults, books } = this.#input;
    const { amount, receivedMinor: before } = transaction;
    const isForeign = isPaid && before === 0n && faults.occurs('otherCurrency');
    if (isForeign) transaction.foreign = { ...amount, currency: 'EUR' };
    this.#move(transaction, end);
    books.change(transaction, end, isForeign || !isPaid ? before : amount.amountMinor);
    this.#sendMessages(false);
  }

  correctCurrency(transaction: PartnerTransaction): void {
    transaction.foreign = undefined;
    this.#move(transaction, 'completed');
    this.#input.books.change(transaction, 'completed', transaction.amount.amountMinor);
    this.#sendMessages(false);
  }

  /** Somebody sends tokens of a wallet to its owner, in the dashboard of BlindPay. */
  withdraw({ amountMinor }: Money): void {
    this.#instance.state.withdraw(Number(amountMinor));
    this.#noteEffects();
  }

  makeTwice(): void {
    throw new Error('its books have no reference of a pay-in, and a payout has one quote');
  }

  decide(party: Party, status: 'approved' | 'rejected'): void {
    const was = party.status;
    this.desk.decide(party, status);
    this.#sendMessages(was !== 'verifying');
  }

  headersOf({ id, body }: { readonly id: string; readonly body: string }, isGenuine: boolean) {
    const message = { id, text: body, atMs: this.#input.nowMs() };
    return this.#instance.state.sign(message, isGenuine ? secret : forgedSecret).headers;
  }

  restored(sinceMs: number): void {
    this.messages.restored(sinceMs);
    this.desk.life += 1;
  }

  async #exchange(
    { process, gates }: AdapterSetup,
    { method, url, headers, body }: HttpRequest,
  ): Promise<HttpAnswer> {
    const call = { method, url, headers, text: typeof body === 'string' ? body : '' };
    const { path, query, key, text } = sentOf(call);
    const label = `BlindPay: ${[method, `${path}${query}`, key, text].filter(Boolean).join(' ')}`;
    const { life } = this.desk;
    const { faults, trace, count } = this.#input;
    const fault = faults.firstOf('noConnection', ...httpFaultKinds);
    if (faults.occurs('processPaused')) await this.#pause(process);
    // The caller may die while its call is on the way; the call itself does not.
    const arrive = () => this.#late(label, () => this.#receive(call, label, null, life));
    await gates.pass(process, label, method === 'GET' ? null : arrive);
    if (fault === 'noConnection') throw failure('ECONNREFUSED');
    const faultOfCall = fault === null ? null : httpFaultOf(fault);
    const answer = this.#surely(() => this.#receive(call, label, faultOfCall, life));
    const shown = faultOfCall ?? statusOf(answer);
    trace(`${process.name} calls ${label}: ${shown}`);
    if (faultOfCall !== null) count(`fault of ${method} ${path}`);
    await gates.pass(process, `${label}: ${shown}`);
    if (answer === null) throw failure('UND_ERR_HEADERS_TIMEOUT');
    if (answer === 'cut') throw failure('UND_ERR_SOCKET');
    const { status, body: sent, headers: { 'retry-after': retryAfter = null } = {} } = answer;
    const date = new Date(this.#input.nowMs()).toUTCString();
    return {
      status,
      retryAfter,
      date,
      text: typeof sent === 'string' ? sent : JSON.stringify(sent),
    };
  }

  #pause({ name }: SimulatedProcess): Promise<void> {
    const { random, nowMs, lateCalls } = this.#input;
    const arrivesAtMs = nowMs() + random.between(...PAUSE_MS);
    return new Promise((arrive) => {
      lateCalls.push({ label: `${name} goes on`, arrivesAtMs, arrive });
    });
  }

  /** The adapter would take an error of the simulator for a call without an answer. */
  #surely<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.misuse.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      throw error;
    }
  }

  #receive(call: HttpCall, label: string, fault: Fault | null, life: number) {
    const answer = this.#instance.receive(call, fault, (effect) =>
      this.#late(label, () => {
        effect();
        this.#noteEffects();
      }),
    );
    this.#noteEffects();
    const { key, path } = sentOf(call);
    if (key !== null) this.#noteKey(key, fault === null && answer === keyMismatch, life);
    const isWhole = fault === null && answer !== null && answer !== 'cut';
    return isWhole ? this.#withOtherId(path, answer) : answer;
  }

  /** The id of any that is in the books. */
  #withOtherId(path: string, answer: Answer): Answer {
    const { payins, payouts } = this.#instance.state;
    const orders: Readonly<Record<string, readonly { readonly id: string }[]>> = {
      '/payins/evm': payins,
      '/payouts/evm': payouts,
    };
    const made = orders[path];
    if (made === undefined || answer.status >= 300) return answer;
    if (!this.#input.faults.occurs('otherId')) return answer;
    const body = answer.body as { readonly id: string };
    const others = made.filter(({ id }) => id !== body.id);
    if (others.length === 0) return answer;
    return { ...answer, body: { ...body, id: this.#input.random.pick(others).id } };
  }

  #late(label: string, arrive: () => void): void {
    const arrivesAtMs = this.#input.nowMs() + this.#input.random.between(0, LATE_MS_MAX);
    this.#input.lateCalls.push({ label, arrivesAtMs, arrive });
  }

  /** A restored caller does not know the keys that it used. */
  #noteKey(key: string, isMismatch: boolean, life: number): void {
    const first = this.#keys.get(key) ?? life;
    this.#keys.set(key, first);
    const isOfOneLife = first === life && life === this.desk.life;
    if (isMismatch && isOfOneLife) this.misuse.push(`the key ${key} came with another request`);
  }

  #noteEffects(): void {
    const { wallets, otherTokens } = this.#instance.state;
    for (const { id } of wallets) otherTokens.set(id, OTHER_TOKENS);
    this.desk.update();
    this.#sendMessages(false);
  }

  #sendMessages(guaranteed: boolean): void {
    const { messages } = this.#instance.state;
    const { mode } = this.#input;
    for (const { id, text: body } of messages.slice(this.#messagesSeen)) {
      const name = `${id}_${mode}`;
      this.messages.send({ id: name, mode, body, guaranteed, inOrderOf: null });
    }
    this.#messagesSeen = messages.length;
  }

  #refusal(sent: Sent): Answer | null {
    const call = `${sent.method} ${sent.path}`;
    if (call === 'POST /payouts/evm' && this.#isEmptied(sent)) {
      return errorAnswer(400, 'PAYOUTS_INSUFFICIENT_BALANCE');
    }
    if (call === 'POST /quotes' && this.#input.faults.occurs('payoutUnprepared')) {
      const [code, status] = this.#input.random.pick(quoteRefusals);
      return errorAnswer(status, code);
    }
    const row = refusals.find((one) => one.call.test(call));
    if (row === undefined || sent.method === 'GET') return null;
    if (!this.#input.faults.occurs(row.fault)) return null;
    const { external_id: reference } = JSON.parse(sent.text) as { external_id?: string };
    if (sent.path === '/customers') this.desk.turnedAway.push(reference ?? '');
    return errorAnswer(400, row.code);
  }

  /** A bank took back what this payout would take; the caller may not know it yet. */
  #isEmptied({ text }: Sent): boolean {
    const { quote_id: quoteId } = JSON.parse(text) as { readonly quote_id: string };
    const quote = this.#instance.state.quotes.find(({ id }) => id === quoteId);
    const { reference, amountMinor } = describedCommand(quote?.['description']);
    const { books } = this.#input;
    return books.freeMinor(reference) < amountMinor && books.isSurprised(reference);
  }

  /** The object, the wallet and the message. */
  #move({ kind, ref, foreign }: PartnerTransaction, end: End): void {
    const { state } = this.#instance;
    const { amountMinor } = ends[end];
    const one = (kind === 'payin' ? state.payins : state.payouts).find(({ id }) => id === ref);
    if (one === undefined) throw new Error(`BlindPay has no ${kind} ${ref}`);
    const steps =
      kind === 'payin'
        ? payinSteps(one, amountMinor, `0x${hexOf(ref)}`)
        : payoutSteps(one, amountMinor, this.#input.nowMs());
    for (const { change } of steps) change();
    if (kind === 'payin') Object.assign(one, { currency: foreign?.currency ?? null });
    const { payin_quote_id: _, quote_id: __, ...shown } = one;
    state.fire(`${kind}.update`, shown);
  }
}

function failure(code: string): Error {
  return Object.assign(new Error('no answer'), { code });
}

function statusOf(answer: Answer | 'cut' | null): string {
  return answer === null || answer === 'cut' ? `${answer}` : `${answer.status}`;
}
