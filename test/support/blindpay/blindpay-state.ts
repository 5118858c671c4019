// The simulated instance: its objects, its calls, and its messages, without HTTP. Calls answer as
// the OpenAPI description says; lifecycles go on when the clock does.
import { type SignedMessage, signMessage } from '../../../adapters/partner/signed-message.js';
import { type Answer, amountOf, found, need, ok, Refusal, without } from './blindpay-answers.js';
import { BlindPayCompliance } from './blindpay-compliance.js';
import {
  bankDetails,
  bankDetailsOf,
  type Customer,
  type Deposit,
  depositedPayin,
  type Fields,
  hexOf,
  LIMITS_LEFT,
  type LimitsLeft,
  newId,
  newTracking,
  type Owned,
  PARTNER_FEE_MINOR,
  PAYIN_FEE_MINOR,
  payinSteps,
  payoutSteps,
  pixKeyForms,
  QUOTE_LIFE_MS,
  type Quote,
  RATE_TIMES_10000,
  type Step,
  type Transaction,
  type WebhookEndpoint,
} from './blindpay-objects.js';

export const KYC_DELAY_MS = 2_000;

/** A message before it is signed. */
export interface Message {
  readonly id: string;
  readonly text: string;
  readonly atMs: number;
}

export class BlindPayState {
  readonly customers: Customer[] = [];
  readonly bankAccounts: Owned[] = [];
  readonly wallets: Owned[] = [];
  readonly virtualAccounts: Owned[] = [];
  readonly payinQuotes: Quote[] = [];
  readonly quotes: Quote[] = [];
  readonly payins: Transaction[] = [];
  readonly payouts: Transaction[] = [];
  readonly files: string[] = [];
  readonly messages: Message[] = [];
  /** Stablecoin in each wallet that no pay-in brought. */
  readonly otherTokens = new Map<string, number>();
  /** Of every customer, in cents; below zero once a limit was lowered. Null: there are none. */
  limits: LimitsLeft | null = { payin: { ...LIMITS_LEFT }, payout: { ...LIMITS_LEFT } };
  perTransaction = 10_000_000;
  readonly #due: { readonly atMs: number; readonly run: () => void }[] = [];
  /** Whether the answer to the creation is before the decision is not documented. */
  kycDelayMs = KYC_DELAY_MS;
  readonly compliance: BlindPayCompliance;
  /** Objects stay as they are until the test changes them. */
  isByHand = false;
  /** A pay-in that was ordered waits until `pay`: in production, and in some of development. */
  payinsWait = false;
  /** The order of lists is not documented. */
  listOrder: 'newest first' | 'oldest first' | 'mixed' = 'newest first';
  /** A page may be shorter than the limit that was asked for. */
  pageMax = 1_000;
  /** A factor of all delays, for tests in real time. */
  pace = 1;
  /** Where people accept the terms. */
  appUrl = 'https://app.blindpay.test';
  readonly webhookEndpoints: WebhookEndpoint[] = [];
  readonly #nowMs: () => number;
  #count: number;

  constructor(nowMs: () => number, idsFrom = 0) {
    this.#nowMs = nowMs;
    this.#count = idsFrom;
    this.compliance = new BlindPayCompliance(this, nowMs);
  }

  /** Changes that are due by now, in their order. */
  tick(): void {
    const nowMs = this.#nowMs();
    for (;;) {
      const next = this.#due.findIndex(({ atMs }) => atMs <= nowMs);
      if (next < 0) return;
      for (const { run } of this.#due.splice(next, 1)) run();
    }
  }

  nextDueAtMs(): number | null {
    return this.#due[0]?.atMs ?? null;
  }

  sign(message: Message, secret: string, sentAtMs = message.atMs): SignedMessage {
    return signMessage({ secret, messageId: message.id, text: message.text, sentAtMs });
  }

  #id(prefix: string): string {
    this.#count += 1;
    return newId(prefix, this.#count);
  }

  fire(event: string, object: object, atMs = this.#nowMs()): void {
    const text = JSON.stringify({ webhook_event: event, ...object });
    this.messages.push({ id: `msg_${this.messages.length + 1}`, text, atMs });
  }

  #play(object: object, steps: readonly Step[]): void {
    if (this.isByHand) return;
    const startMs = this.#nowMs();
    for (const { afterMs, change, event } of steps) {
      this.schedule(afterMs, () => {
        change();
        // Messages about transactions do not name their quotes.
        const shown = without(object, 'payin_quote_id', 'quote_id');
        if (event !== null) this.fire(event, shown, startMs + afterMs * this.pace);
      });
    }
  }

  schedule(afterMs: number, run: () => void): void {
    this.#due.push({ atMs: this.#nowMs() + afterMs * this.pace, run });
    this.#due.sort((left, right) => left.atMs - right.atMs);
  }

  upload(): Answer {
    const url = `https://files.blindpay.test/${this.files.length + 1}`;
    this.files.push(url);
    return ok({ file_url: url });
  }

  createCustomer(body: Fields): Answer {
    need(body, ['type', 'kyc_type', 'email', 'country']);
    if (body['kyc_type'] === 'light') throw new Refusal(400, 'VALIDATION_INVALID_REQUEST');
    if (body['type'] === 'business' && body['kyc_type'] === 'enhanced') {
      throw new Refusal(400, 'CUSTOMERS_BUSINESS_ENHANCED_NOT_AVAILABLE');
    }
    const id = this.#id('re');
    this.compliance.useTerms(body['tos_id'], id);
    const stamps = { created_at: this.#now(), updated_at: this.#now() };
    const limit = { per_transaction: this.perTransaction };
    const customer: Customer = { ...body, id, kyc_status: 'verifying', limit, ...stamps };
    this.customers.push(customer);
    this.fire('customer.new', { ...customer, customer_id: id });
    const fails = [body['first_name'], body['legal_name']].includes('Fail');
    const change = () => {
      customer.kyc_status = fails ? 'rejected' : 'approved';
      if (fails) customer['kyc_warnings'] = [{ code: 'SANDBOX_FAIL', message: 'x' }];
    };
    const afterMs = this.kycDelayMs;
    this.#play(customer, [{ afterMs, change, event: 'customer.update' }]);
    return ok({ id, customer_id: id });
  }

  /** The state of a customer changes without a call of ours. */
  setKyc(id: string, status: string): void {
    const customer = found(this.customers, id, 'CUSTOMERS_NOT_FOUND');
    customer.kyc_status = status;
    this.fire('customer.update', { id, kyc_status: status });
  }

  approved(id: string): Customer {
    const customer = found(this.customers, id, 'CUSTOMERS_NOT_FOUND');
    if (!['approved', 'approved_rfi'].includes(customer.kyc_status)) {
      throw new Refusal(403, 'CUSTOMERS_KYC_NOT_APPROVED');
    }
    if (customer['is_tos_accepted'] === false) throw new Refusal(400, 'TOS_NOT_ACCEPTED');
    return customer;
  }

  createBankAccount(customerId: string, body: Fields): Answer {
    found(this.customers, customerId, 'CUSTOMERS_NOT_FOUND');
    need(body, ['type', 'name', 'pix_key']);
    const key = `${body['pix_key']}`;
    if (!pixKeyForms.some((form) => form.test(key))) {
      // Vendors quote what they refuse.
      throw new Refusal(400, 'VALIDATION_FAILED', `pix_key ${key} is not valid`);
    }
    const id = this.#id('ba');
    const account = { ...body, id, customer_id: customerId, status: 'approved' };
    this.bankAccounts.push(account);
    return ok({ ...without(account, 'customer_id'), created_at: this.#now() });
  }

  createWallet(customerId: string, body: Fields): Answer {
    this.approved(customerId);
    need(body, ['network', 'name']);
    const id = this.#id('bl');
    const stored = { id, name: body['name'], external_id: body['external_id'] ?? null };
    const at = { network: body['network'], address: `0x${hexOf(id).slice(0, 40)}` };
    const wallet = { ...stored, ...at, created_at: this.#now() };
    this.wallets.push({ ...wallet, customer_id: customerId });
    return ok(wallet);
  }

  createVirtualAccount(customerId: string, body: Fields): Answer {
    this.approved(customerId);
    need(body, ['banking_partner', 'token', 'blockchain_wallet_id']);
    const id = this.#id('va');
    const us = bankDetailsOf(id);
    const account = { ...body, id, customer_id: customerId, kyc_status: 'approved', us };
    this.virtualAccounts.push(account);
    return ok(account);
  }

  createPayinQuote(body: Fields): Answer {
    need(body, ['wallet_id', 'currency_type', 'request_amount', 'payment_method', 'token']);
    const wallet = found(this.wallets, `${body['wallet_id']}`, 'WALLETS_NOT_FOUND');
    this.approved(wallet.customer_id);
    const sender = amountOf(body);
    if (sender < 1_000 || sender > this.perTransaction) {
      throw new Refusal(400, 'LIMITS_AMOUNT_OUT_OF_RANGE', 'Between $10.00 and the limit.');
    }
    const partnerFee = body['partner_fee_id'] === undefined ? 0 : PARTNER_FEE_MINOR;
    const receiver = sender - PAYIN_FEE_MINOR - partnerFee;
    const quote = this.#quote('qu', wallet.customer_id, sender, receiver);
    const { payment_method: method, token } = body;
    this.payinQuotes.push({ ...quote, wallet_id: wallet.id, method, token });
    return ok({ ...shownQuote(quote), flat_fee: PAYIN_FEE_MINOR, is_otc: false });
  }

  fx(body: Fields): Answer {
    need(body, ['from', 'to', 'request_amount', 'currency_type']);
    return ok({
      commercial_quotation: 540,
      blindpay_quotation: 535,
      instance_flat_fee: 0,
      result_amount: converted(amountOf(body)),
      instance_percentage_fee: 0,
    });
  }

  createPayin(body: Fields): Answer {
    need(body, ['payin_quote_id']);
    const quote = this.#usable(this.payinQuotes, `${body['payin_quote_id']}`);
    const { sender_amount, receiver_amount, customer_id } = quote;
    const id = this.#id('pi');
    // With a virtual account its own numbers are shown, and the memo code is ignored.
    const account = this.virtualAccounts.find((one) => one.customer_id === customer_id);
    const wallet = this.wallets.find((one) => one.id === quote['wallet_id']);
    const payin: Transaction = {
      id,
      customer_id,
      status: 'processing',
      payin_quote_id: quote.id,
      payment_method: quote['method'],
      sender_amount,
      receiver_amount,
      pix_code: null,
      clabe: null,
      memo_code: hexOf(id).slice(0, 8).toUpperCase(),
      token: quote['token'],
      network: wallet?.['network'],
      address: wallet?.['address'],
      blindpay_bank_details: account === undefined ? bankDetails : bankDetailsOf(account.id),
      ...newTracking(),
      created_at: this.#now(),
    };
    const shown = this.#addPayin(payin);
    if (!this.payinsWait) this.pay(id);
    return ok(without(shown, 'created_at'));
  }

  /** The payer's transfer for a pay-in that was ordered arrives. */
  pay(payinId: string): void {
    const payin = found(this.payins, payinId, 'PAYINS_NOT_FOUND');
    this.#playPayin(payin);
  }

  /** A transfer into a virtual account makes a pay-in; returns its id. */
  deposit(given: Deposit): string {
    const account = found(
      this.virtualAccounts,
      given.virtualAccountId,
      'VIRTUAL_ACCOUNTS_NOT_FOUND',
    );
    const quoteId = given.isQuoted === false ? null : this.#id('qu');
    const stamps = { id: this.#id('pi'), payin_quote_id: quoteId, created_at: this.#now() };
    const payin: Transaction = { ...depositedPayin(given, account.customer_id), ...stamps };
    this.#addPayin(payin);
    this.#playPayin(payin);
    return payin.id;
  }

  #addPayin(payin: Transaction): Fields {
    this.payins.push(payin);
    const shown = without(payin, 'payin_quote_id', 'token', 'network', 'address');
    this.fire('payin.new', shown);
    return shown;
  }

  #playPayin(payin: Transaction): void {
    this.#play(payin, payinSteps(payin, Number(payin['sender_amount']), `0x${hexOf(payin.id)}`));
  }

  /** The stablecoin in a wallet. A refunded payout gives its tokens back, a failed one does not. */
  balanceOf({ id, address }: Fields): number {
    const arrived = this.payins.filter(
      (payin) => isDelivered(payin) && this.#walletOf(payin) === id,
    );
    const left = this.payouts.filter(
      ({ sender_wallet_address: from, status }) => from === address && status !== 'refunded',
    );
    const sum = (all: readonly Transaction[], name: string) =>
      all.reduce((total, one) => total + Number(one[name]), 0);
    const own = sum(arrived, 'receiver_amount') - sum(left, 'sender_amount');
    return own + (this.otherTokens.get(`${id}`) ?? 0);
  }

  #walletOf(payin: Transaction): unknown {
    const quote = this.payinQuotes.find(({ id }) => id === payin['payin_quote_id']);
    const isIts = (account: Owned) => account.customer_id === payin.customer_id;
    return quote?.['wallet_id'] ?? this.virtualAccounts.find(isIts)?.['blockchain_wallet_id'];
  }

  createQuote(body: Fields): Answer {
    need(body, ['bank_account_id', 'currency_type', 'request_amount', 'network', 'token']);
    const account = found(
      this.bankAccounts,
      `${body['bank_account_id']}`,
      'BANK_ACCOUNTS_NOT_FOUND',
    );
    this.approved(account.customer_id);
    const sender = amountOf(body);
    const quote = this.#quote('qu', account.customer_id, sender, converted(sender));
    const description = body['description'] ?? null;
    const { network, token } = body;
    this.quotes.push({ ...quote, description, account, network, token });
    return ok({ ...shownQuote(quote), flat_fee: 0, description });
  }

  createPayout(body: Fields): Answer {
    need(body, ['quote_id', 'sender_wallet_address']);
    const address = body['sender_wallet_address'];
    const wallet = this.wallets.find((one) => one['address'] === address);
    if (wallet === undefined) throw new Refusal(404, 'WALLETS_NOT_FOUND');
    const quote = this.#usable(this.quotes, `${body['quote_id']}`, (its) => {
      if (this.balanceOf(wallet) < its.sender_amount) {
        throw new Refusal(400, 'PAYOUTS_INSUFFICIENT_BALANCE');
      }
    });
    const { sender_amount, receiver_amount, customer_id } = quote;
    const id = this.#id('po');
    const payout: Transaction = {
      id,
      customer_id,
      status: 'processing',
      quote_id: quote.id,
      sender_wallet_address: address,
      sender_amount,
      receiver_amount,
      currency: 'BRL',
      network: quote['network'],
      token: quote['token'],
      description: quote['description'],
      bank_account_id: (quote['account'] as Owned).id,
      ...newTracking(),
      created_at: this.#now(),
    };
    this.payouts.push(payout);
    const shown = without(payout, ...['quote_id', 'sender_amount', 'receiver_amount', 'currency']);
    const sent = without(shown, 'network', 'token', 'description', 'created_at');
    this.fire('payout.new', sent);
    this.#play(payout, payoutSteps(payout, sender_amount, this.#nowMs()));
    return ok(sent);
  }

  /** A payout that is made in the dashboard of BlindPay: it has no description of ours. */
  withdraw(senderMinor: number): void {
    const [wallet] = this.wallets;
    const account = this.bankAccounts.find((one) => one.customer_id === wallet?.customer_id);
    if (wallet === undefined || account === undefined) throw new Refusal(404, 'WALLETS_NOT_FOUND');
    const given = { bank_account_id: account.id, currency_type: 'sender', token: 'USDB' };
    const on = { network: wallet['network'], request_amount: senderMinor };
    const { body } = this.createQuote({ ...given, ...on });
    const { id } = body as { readonly id: string };
    this.createPayout({ quote_id: id, sender_wallet_address: wallet['address'] });
  }

  #quote(prefix: string, customerId: string, sender: number, receiver: number): Quote {
    return {
      id: this.#id(prefix),
      customer_id: customerId,
      expires_at: this.#nowMs() + QUOTE_LIFE_MS,
      sender_amount: sender,
      receiver_amount: receiver,
      commercial_quotation: 540,
      blindpay_quotation: 535,
      used: false,
    };
  }

  /** A quote that is used now, unless `check` throws. */
  #usable(quotes: readonly Quote[], id: string, check?: (quote: Quote) => void): Quote {
    const quote = found(quotes, id, 'QUOTES_NOT_FOUND');
    if (quote.used) throw new Refusal(409, 'QUOTES_ALREADY_USED');
    if (quote.expires_at <= this.#nowMs()) throw new Refusal(400, 'QUOTES_EXPIRED');
    this.approved(quote.customer_id);
    check?.(quote);
    quote.used = true;
    return quote;
  }

  #now(): string {
    return new Date(this.#nowMs()).toISOString();
  }
}

/** Once; a bank that takes the money back later does not empty the wallet. */
function isDelivered({ status, tracking_complete: complete }: Transaction): boolean {
  return status === 'completed' || complete.step === 'completed';
}

function converted(minor: number): number {
  return Math.floor((minor * RATE_TIMES_10000) / 10_000);
}

function shownQuote(quote: Quote): Fields {
  return without(quote, 'used', 'customer_id');
}
