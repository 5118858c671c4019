// A line of the monthly extract for the regulator of the foreign exchange: one PIX to a seller, or
// one that came back, with what the law asks of it and which of that is missing.
import { formatInstant } from '../base/instant.js';
import { absolute, formatAmount, type Money, money } from '../base/money.js';
import { effectiveRate } from '../commands/quote.js';
import type { Settlement } from '../commands/settlement.js';
import type { PaymentView } from '../payments/change.js';
import { PAYOUT_CURRENCY } from '../payments/funds.js';
import { payerAgreement, senderNamesOf } from '../payments/payer-facts.js';
import type { PaymentPosting } from './settlement-entry.js';

/** What a line is made of. */
export interface FxSource {
  readonly posting: PaymentPosting;
  readonly view: PaymentView;
  readonly organization: string;
}

interface Fact {
  /** A line without it is reported as incomplete. */
  readonly isNeeded: boolean;
  readonly kind: 'text' | 'number' | 'instant';
  readonly of: (source: FxSource) => string | null;
}

/** The columns, in their order. Names are those of the API where it has the fact. */
export const fxFacts = {
  paymentId: fact('text', ({ view }) => view.payment.id),
  movement: fact('text', ({ posting }) => posting.kind),
  bookedAt: fact('instant', ({ posting }) => formatInstant(posting.atMs)),
  brlAmount: fact('number', ({ posting }) => formatAmount(brlOf(posting))),
  amount: fact('number', (source) => formatAmount(amountOf(source).amountMinor)),
  currency: fact('text', ({ view }) => view.payment.amount.currency),
  fxRate: fact('number', (source) => settlementOf(source)?.fxRate ?? null),
  effectiveRate: fact('number', (source) => {
    const settlement = settlementOf(source);
    const { amountMinor, currency } = amountOf(source);
    const paid = money(absolute(amountMinor), currency);
    return settlement && effectiveRate(paid, settlement.settled);
  }),
  'asset.token': fact('text', (source) => settlementOf(source)?.asset?.token ?? null),
  'asset.network': fact('text', (source) => settlementOf(source)?.asset?.network ?? null),
  'asset.quantity': fact('number', (source) => settlementOf(source)?.asset?.quantity ?? null),
  'asset.transactionHash': optionalFact(
    (source) => settlementOf(source)?.asset?.transactionHash ?? null,
  ),
  endToEndId: fact('text', (source) => settlementOf(source)?.endToEndId ?? null),
  payee: fact('text', ({ view, organization }) => view.payment.payeeName ?? organization),
  // As the settlement partner verified them.
  'payer.name': fact('text', ({ view }) => view.payment.payer?.verified?.name ?? null),
  'payer.country': fact('text', ({ view }) => view.payment.payer?.verified?.country ?? null),
  'payer.told': optionalFact(({ view }) => senderNamesOf(view.payment.payer).join(' / ') || null),
  'payer.agreement': fact('text', ({ view }) => payerAgreement(view.payment.payer)),
  // As the organization gave them.
  'buyer.name': optionalFact(({ view }) => view.payment.buyer.name),
  'buyer.country': optionalFact(({ view }) => view.payment.buyer.country),
  payerRelation: fact('text', ({ view }) => view.payment.payerRelation),
  purpose: fact('text', ({ view }) => view.payment.purpose),
} as const satisfies Readonly<Record<string, Fact>>;

export type FxFactName = keyof typeof fxFacts;
export const fxFactNames = Object.keys(fxFacts) as readonly FxFactName[];

export interface FxLine {
  readonly facts: Readonly<Record<FxFactName, string | null>>;
  /** The facts that are needed and not known. */
  readonly missing: readonly FxFactName[];
}

export function fxLineOf(source: FxSource): FxLine {
  const named = fxFactNames.map((name) => [name, fxFacts[name].of(source)] as const);
  const facts = Object.fromEntries(named) as FxLine['facts'];
  const missing = fxFactNames.filter((name) => {
    return fxFacts[name].isNeeded && (facts[name] ?? '').trim() === '';
  });
  return Object.freeze({ facts, missing });
}

/** BRL that reached the seller by a posting, in centavos; negative: they came back. */
export function brlOf({ lines }: Pick<PaymentPosting, 'lines'>): bigint {
  return lines
    .filter(({ account, money: of }) => account === 'seller' && of.currency === PAYOUT_CURRENCY)
    .reduce((sum, line) => sum + line.money.amountMinor, 0n);
}

/**
 * What a posting paid for these BRL, in the payment's currency; negative: it came back. A payout
 * that nobody ordered may be of another amount than its payment.
 */
function amountOf({ posting: { lines }, view }: FxSource): Money {
  const { currency } = view.payment.amount;
  const paid = lines.filter(({ account, money: of }) => {
    return (account === 'conversion' || account === 'fees') && of.currency === currency;
  });
  return money(
    paid.reduce((sum, line) => sum + line.money.amountMinor, 0n),
    currency,
  );
}

/** The settlement that a posting is of: by its time, else by its amount. */
function settlementOf({ posting, view: { settlements } }: FxSource): Settlement | null {
  const brlMinor = brlOf(posting);
  const sum = money(absolute(brlMinor), PAYOUT_CURRENCY);
  const alike = settlements.filter((one) => one.settled.amountMinor === sum.amountMinor);
  const isOfTime = ({ settledAtMs, returnedAtMs }: Settlement) =>
    (brlMinor < 0n ? returnedAtMs : settledAtMs) === posting.atMs;
  return alike.find(isOfTime) ?? alike[0] ?? null;
}

function fact(kind: Fact['kind'], of: Fact['of']): Fact {
  return { isNeeded: true, kind, of };
}

function optionalFact(of: Fact['of']): Fact {
  return { isNeeded: false, kind: 'text', of };
}
