// The books of a simulated BlindPay instance, as the invariants read the books of a partner: each
// pay-in and payout by our reference, each customer, PIX account and wallet. BlindPay stores no
// reference with a pay-in, so it is known by the quote that our request named.
import { z } from 'zod';
import { formatRate, parseAmount } from '../../../core/domain/base/money.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { SettlementFacts } from '../../../core/domain/commands/settlement.js';
import type { PartyInput } from '../../../core/ports/partner.js';
import type { Customer, Owned, Transaction } from '../../support/blindpay/blindpay-objects.js';
import type { BlindPayState } from '../../support/blindpay/blindpay-state.js';
import type { PartnerDesk } from './history-partner.js';
import type { PartnerLedger, PartnerTransaction } from './partner-ledger.js';
import type { Party, PixDestination, Rails } from './partner-parties.js';

const payinRequest = z.object({ reference: z.string(), quoteId: z.string() });
const payoutRequest = z.object({ reference: z.string() });

/** The lists of objects of which there is one, and what makes it that one. */
const unique = {
  customers: ({ external_id: reference }: Customer) => `customer ${reference}`,
  bankAccounts: (one: Owned) => `PIX account ${one.customer_id} ${one['pix_key']} ${one['name']}`,
  wallets: (one: Owned) => `wallet ${one.customer_id} ${one['network']}`,
  virtualAccounts: (one: Owned) => `virtual account ${one.customer_id}`,
} as const;

export interface BlindPayBooksInput {
  readonly mode: Mode;
  readonly nowMs: () => number;
  readonly state: BlindPayState;
  readonly books: PartnerLedger;
  readonly misuse: string[];
}

export class BlindPayBooks implements PartnerDesk {
  readonly parties: Party[] = [];
  readonly turnedAway: string[] = [];
  /** Raised by every change of an object. */
  changes = 0;
  /** How often the caller went back in time. */
  life = 0;
  readonly #input: BlindPayBooksInput;
  readonly #roles = new Map<string, PartyInput['role']>();
  readonly #referencesOfQuotes = new Map<string, string>();
  readonly #known = new Set<string>();
  /** The life in which each object was made, by its name. */
  readonly #objects = new Map<string, number>();
  readonly #named = new Set<string>();

  constructor(input: BlindPayBooksInput) {
    this.#input = input;
  }

  noteRole({ reference, role }: PartyInput): void {
    this.#roles.set(reference, role);
  }

  notePayin(request: string): void {
    const { reference, quoteId } = payinRequest.parse(JSON.parse(request));
    this.#referencesOfQuotes.set(quoteId, reference);
  }

  noteLookUp(request: string): void {
    const { reference } = payoutRequest.parse(JSON.parse(request));
    this.#input.books.lookedUpAtMs.set(reference, this.#input.nowMs());
  }

  get transactions(): readonly PartnerTransaction[] {
    return this.#input.books.transactions.filter(({ mode }) => mode === this.#input.mode);
  }

  /** Each wallet is one of each PIX account of its customer. */
  get destinations(): readonly PixDestination[] {
    const { bankAccounts, wallets } = this.#input.state;
    return bankAccounts.flatMap((account) =>
      wallets.filter(isOf(account.customer_id)).map((wallet) => ({
        ref: `${account.customer_id}.${account.id}.${wallet.id}`,
        partyRef: account.customer_id,
        pixKey: `${account['pix_key']}`,
      })),
    );
  }

  get rails(): readonly Rails[] {
    const { wallets, virtualAccounts } = this.#input.state;
    return [...wallets, ...virtualAccounts].map(({ id, customer_id: partyRef }) => ({
      ref: id,
      partyRef,
      destinationRef: '',
    }));
  }

  decide(party: Party, status: 'approved' | 'rejected'): void {
    this.#input.state.setKyc(party.ref, status);
    party.status = status;
    party.everApproved ||= status === 'approved';
    this.changes += 1;
  }

  /** Takes up the objects that calls have made, except those of organizations. */
  update(): void {
    const { state } = this.#input;
    for (const customer of this.#fresh(state.customers)) this.#addParty(customer);
    for (const payin of this.#fresh(state.payins)) this.#addPayin(payin);
    for (const payout of this.#fresh(state.payouts)) this.#addPayout(payout);
    this.#noteUnique(state.customers, unique.customers);
    this.#noteUnique(state.bankAccounts, unique.bankAccounts);
    this.#noteUnique(state.wallets, unique.wallets);
    this.#noteUnique(state.virtualAccounts, unique.virtualAccounts);
  }

  /** Of an organization: it is no party of a history. */
  leaveOut(id: string): void {
    this.#known.add(id);
  }

  #fresh<T extends { readonly id: string }>(all: readonly T[]): readonly T[] {
    const fresh = all.filter(({ id }) => !this.#known.has(id));
    for (const { id } of fresh) this.#known.add(id);
    this.changes += fresh.length;
    return fresh;
  }

  #noteUnique<T extends { readonly id: string }>(
    all: readonly T[],
    nameOf: (one: T) => string,
  ): void {
    for (const one of all) {
      if (this.#named.has(one.id)) continue;
      this.#named.add(one.id);
      const name = nameOf(one);
      // A restored caller does not know what it made, and the key is forgotten after a day.
      if (this.#objects.get(name) === this.life) this.#input.misuse.push(`a second ${name}`);
      this.#objects.set(name, this.life);
    }
  }

  #addParty(customer: Customer): void {
    const reference = `${customer['external_id']}`;
    this.parties.push({
      ref: customer.id,
      mode: this.#input.mode,
      reference,
      status: 'verifying',
      role: this.#roles.get(reference) ?? 'seller',
      email: `${customer['email'] ?? ''}`.trim().toLowerCase(),
      tosId: (customer['tos_id'] as string | undefined) ?? null,
      everApproved: false,
      // A message names the party only: the approval is used until the party is read.
      takenBackBy: null,
    });
  }

  #addPayin(payin: Transaction): void {
    const quoteId = `${payin['payin_quote_id']}`;
    const reference = this.#referencesOfQuotes.get(quoteId) ?? `of nobody: ${payin.id}`;
    const amountMinor = BigInt(payin['sender_amount'] as number);
    this.#add(payin, { kind: 'payin', reference, request: '{}', amountMinor, settlement: null });
  }

  #addPayout(payout: Transaction): void {
    const isOrdered = payout['description'] !== null;
    const { reference, amountMinor } = isOrdered
      ? describedCommand(payout['description'])
      : { reference: payout.id, amountMinor: BigInt(payout['sender_amount'] as number) };
    if (isOrdered) this.#judgeTokens(payout, reference, amountMinor);
    const { wallets } = this.#input.state;
    const wallet = wallets.find((one) => one['address'] === payout['sender_wallet_address']);
    const destination = `${payout.customer_id}.${payout['bank_account_id']}.${wallet?.id}`;
    const settlement = settlementOf(payout, amountMinor);
    const request = JSON.stringify({ destination });
    const nobodys = { reference: null, partyRef: null, repeats: null };
    const of = isOrdered ? {} : { collected: nobodys };
    this.#add(payout, { kind: 'payout', reference, request, amountMinor, settlement, ...of });
  }

  #add(
    { id: ref, ...shown }: Transaction,
    {
      amountMinor,
      ...fields
    }: Pick<PartnerTransaction, 'kind' | 'reference' | 'request' | 'settlement' | 'collected'> & {
      readonly amountMinor: bigint;
    },
  ): void {
    const { mode, books } = this.#input;
    books.take({
      ...fields,
      mode,
      ref,
      amount: { amountMinor, currency: 'USD' },
      payinRef: null,
      takenAfterRefusal: false,
      takenAtMs: Date.parse(`${shown['created_at']}`),
      status: 'open',
      receivedMinor: 0n,
      history: [{ status: 'open', receivedMinor: 0n }],
    });
  }

  /** A payout takes from the wallet what its pay-ins brought for this amount. */
  #judgeTokens(payout: Transaction, reference: string, amountMinor: bigint): void {
    const { books, state, misuse } = this.#input;
    const refs = books.siblings(reference).flatMap((transaction) => {
      return transaction.kind === 'payin' && transaction.receivedMinor > 0n
        ? [transaction.ref]
        : [];
    });
    const payins = state.payins.filter(({ id }) => refs.includes(id));
    const sum = (name: string) =>
      payins.reduce((total, payin) => total + BigInt(payin[name] as number), 0n);
    const [sent, arrived] = [sum('sender_amount'), sum('receiver_amount')];
    const taken = BigInt(payout['sender_amount'] as number);
    if (sent > 0n && taken === (arrived * amountMinor) / sent) return;
    misuse.push(`${payout.id} takes ${taken} tokens for ${amountMinor}, ${arrived} arrived`);
  }
}

/** What the description of a payout's quote says: `<reference> <amount> <currency>`. */
export function describedCommand(description: unknown) {
  const [reference = '', amount = ''] = `${description}`.split(' ');
  return { reference, amountMinor: parseAmount(amount) ?? 0n };
}

function isOf(customerId: string) {
  return (one: Owned): boolean => one.customer_id === customerId;
}

/** Fees are what did not arrive in the wallet; the rate is of what did. */
function settlementOf(payout: Transaction, amountMinor: bigint): SettlementFacts {
  const [sent, arrived] = ['sender_amount', 'receiver_amount'].map((name) =>
    BigInt(payout[name] as number),
  ) as [bigint, bigint];
  const scaled = (2n * arrived * 10n ** 8n + sent) / (2n * sent);
  return {
    settled: { amountMinor: arrived, currency: 'BRL' },
    fees: { amountMinor: amountMinor - sent, currency: 'USD' },
    fxRate: formatRate({ rateScaled: scaled }),
    endToEndId: null,
  };
}
