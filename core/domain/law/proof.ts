// The proof of a settled payment: what a tax office, an accountant or a bank asks about it, as data
// that JSON, page, PDF and pack show. It follows from stored rows alone, so that the same rows give
// the same texts. The buyer gets no books, events or ids of the seller. Who has a link gets no
// events: they have the metadata of the payment.

import { type EntryAccount, entryOf, type PaymentPosting } from '../accounting/settlement-entry.js';
import { formatInstant, instantOrNull } from '../base/instant.js';
import { formatAmount, type Money } from '../base/money.js';
import type { Mode } from '../base/tenant.js';
import type { Asset } from '../commands/asset.js';
import type { MoneyCommand } from '../commands/partner-command.js';
import type { Payer } from '../commands/payer.js';
import { effectiveRate, type Quote, type RateKind } from '../commands/quote.js';
import type { BankDetails } from '../payments/bank-record.js';
import type { PaymentView } from '../payments/change.js';
import type { NumberedEvent } from '../payments/event.js';
import type { FiscalDocument } from '../payments/fiscal-document.js';
import type { PostingKind } from '../payments/ledger.js';
import { type ShownPayer, senderOf, shownPayer, type ToldPayer } from '../payments/payer-facts.js';
import { type DemandCheck, exemptionOf } from './exemption.js';

export const proofAudiences = ['seller', 'link', 'buyer'] as const;
export type ProofAudience = (typeof proofAudiences)[number];

const PROOF_VERSION = 1;

/** Amounts, rates and instants are texts, as in the API. */
export interface Proof {
  readonly v: typeof PROOF_VERSION;
  readonly audience: ProofAudience;
  readonly paymentId: string;
  readonly mode: Mode;
  readonly externalId: string | null;
  readonly number: string | null;
  readonly purchaseOrder: string | null;
  readonly payee: string;
  /** As the organization gave it. */
  readonly buyer: {
    readonly name: string | null;
    readonly country: string | null;
    readonly email: string;
  };
  readonly amount: string;
  readonly currency: string;
  readonly purpose: string | null;
  readonly payerRelation: string | null;
  readonly fiscalDocument: FiscalDocument | null;
  readonly invoice: ProvenFile | null;
  /** As the buyer confirmed it. */
  readonly quote: ProvenQuote | null;
  /** What arrived, as the bank reported it to the partner. */
  readonly transfers: readonly ProvenTransfer[];
  readonly payer: ShownPayer | null;
  readonly transactionHash: string | null;
  readonly payinAsset: Asset | null;
  /** Every PIX to the payee, oldest first. */
  readonly settlements: readonly ProvenSettlement[];
  /** Null for the buyer. */
  readonly entries: readonly ProvenEntry[] | null;
  /** Null for the buyer and behind a link; the events that are kept. */
  readonly events: readonly ProvenEvent[] | null;
  readonly bankDetails: readonly Pick<BankDetails, 'checkCode' | 'record' | 'signature'>[];
  /** Null for the buyer. */
  readonly exemption: readonly DemandCheck[] | null;
}

export interface ProvenFile {
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

export interface ProvenQuote {
  readonly confirmedAt: string | null;
  readonly rate: string;
  readonly rateKind: RateKind;
  readonly effectiveRate: string | null;
  readonly fees: string;
  readonly brlAmount: string;
}

export interface ProvenTransfer {
  readonly receivedAt: string | null;
  readonly amount: string;
  readonly currency: string;
  /** Null if the bank did not say it. */
  readonly payerName: string | null;
  readonly payerBank: string | null;
  readonly reference: string | null;
  /** The bank's number of the transfer. */
  readonly trace: string | null;
}

export interface ProvenSettlement {
  readonly settledAt: string;
  readonly brlAmount: string;
  readonly fxRate: string;
  readonly effectiveRate: string | null;
  readonly fees: string;
  readonly endToEndId: string | null;
  readonly asset: Asset | null;
  readonly returnedAt: string | null;
}

export interface ProvenEntry {
  readonly id: string;
  readonly kind: PostingKind;
  readonly bookedAt: string;
  readonly lines: readonly {
    readonly account: EntryAccount;
    readonly amount: string;
    readonly currency: string;
  }[];
}

/** `chainHash` is the SHA-256 of `previousChainHash` and `body`. */
export interface ProvenEvent {
  readonly sequence: number;
  /** Empty before the first event of the feed. */
  readonly previousChainHash: string;
  readonly chainHash: string;
  /** As webhooks carry it. */
  readonly body: string;
}

export interface ArrivedTransfer {
  readonly payin: MoneyCommand;
  readonly receivedAtMs: number | null;
  readonly payer: Payer | null;
}

/** The rows that a proof is made of. */
export interface ProofSource {
  readonly view: PaymentView;
  readonly organization: string;
  readonly quote: Quote | null;
  readonly transfers: readonly ArrivedTransfer[];
  readonly postings: readonly PaymentPosting[];
  readonly events: readonly (NumberedEvent & { readonly previousChainHash: string })[];
  readonly details: readonly BankDetails[];
  readonly invoice: ProvenFile | null;
}

export function proofOf(source: ProofSource, audience: ProofAudience): Proof {
  const { view, organization, quote, transfers, postings, events, details, invoice } = source;
  const { payment, settlements } = view;
  const { amount, buyer } = payment;
  const ofSeller = <T>(value: T) => (audience === 'buyer' ? null : value);
  const payins = transfers.map(({ payin }) => payin.createdAtMs);
  const facts = {
    v: PROOF_VERSION,
    audience,
    paymentId: payment.id,
    mode: payment.mode,
    externalId: ofSeller(payment.externalId),
    number: payment.number,
    purchaseOrder: payment.purchaseOrder,
    payee: payment.payeeName ?? organization,
    buyer: { name: buyer.name, country: buyer.country, email: buyer.email.trim() },
    amount: formatAmount(amount.amountMinor),
    currency: amount.currency,
    purpose: payment.purpose,
    payerRelation: ofSeller(payment.payerRelation),
    fiscalDocument: payment.fiscalDocument,
    invoice,
    quote: quote && quoteOf(quote, payins[0] ?? null),
    payer: payment.payer && shownPayer(payment.payer),
    transfers: transfers.map((one) => transferOf(one, senderOf(payment.payer, one.payin.id))),
    transactionHash: payment.transactionHash,
    payinAsset: payment.payinAsset,
    settlements: settlements.map((one) => ({
      settledAt: formatInstant(one.settledAtMs),
      brlAmount: text(one.settled),
      fxRate: one.fxRate,
      effectiveRate: effectiveRate(amount, one.settled),
      fees: text(one.fees),
      endToEndId: one.endToEndId,
      asset: one.asset ?? null,
      returnedAt: instantOrNull(one.returnedAtMs),
    })),
    entries: ofSeller(postings.map((one) => provenEntry(one, payment.bookedRate))),
    events:
      audience === 'seller'
        ? events.map(({ sequence, previousChainHash, chainHash, body }) => {
            return { sequence, previousChainHash, chainHash, body };
          })
        : null,
    bankDetails: details.map(({ checkCode, record, signature }) => {
      return { checkCode, record, signature };
    }),
  } as const;
  return Object.freeze({ ...facts, exemption: ofSeller(exemptionOf(facts)) });
}

function quoteOf(quote: Quote, confirmedAtMs: number | null): ProvenQuote {
  return {
    confirmedAt: instantOrNull(confirmedAtMs),
    rate: quote.rate,
    rateKind: quote.rateKind,
    effectiveRate: effectiveRate(quote.source, quote.target),
    fees: text(quote.fees),
    brlAmount: text(quote.target),
  };
}

function transferOf(
  { payin, receivedAtMs, payer }: ArrivedTransfer,
  told: ToldPayer | null,
): ProvenTransfer {
  return {
    receivedAt: instantOrNull(receivedAtMs),
    amount: formatAmount(payin.receivedMinor),
    currency: payin.amount.currency,
    payerName: payer?.name ?? told?.name ?? null,
    payerBank: payer?.bank ?? told?.bank ?? null,
    reference: payer === null || payer.texts.length === 0 ? null : payer.texts.join(' / '),
    trace: payer?.trace ?? null,
  };
}

function provenEntry(posting: PaymentPosting, bookedRate: string | null): ProvenEntry {
  const { id, kind, atMs, lines } = entryOf(posting, bookedRate);
  return {
    id,
    kind,
    bookedAt: formatInstant(atMs),
    lines: lines.map(({ account, money }) => {
      return { account, amount: text(money), currency: money.currency };
    }),
  };
}

function text({ amountMinor }: Money): string {
  return formatAmount(amountMinor);
}
