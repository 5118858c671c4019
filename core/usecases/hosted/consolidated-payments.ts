// One transfer for several payments of a buyer to one payee. The buyer chooses them among its own,
// sees the price of each, and gets one set of bank details. How the money is split is in
// consolidated-payment.ts.
import type { Locale } from '../../domain/base/locale.js';
import { type Money, money } from '../../domain/base/money.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { isQuoteExpired, type Quote } from '../../domain/commands/quote.js';
import { inDueOrder } from '../../domain/deposits/consolidated-payment.js';
import { CODE_BYTES, consolidatedReferenceOf } from '../../domain/payments/bank-record.js';
import type { PaymentAggregate } from '../../domain/payments/change.js';
import { missingOf } from '../../domain/payments/funds.js';
import type { VerifiedPayer } from '../../domain/payments/payer-facts.js';
import { isPageOpen, isTerminal, type Payment } from '../../domain/payments/payment.js';
import { consolidated, isConsolidatable } from '../../domain/payments/payment-transitions.js';
import { assert, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { SettlementPartner } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { isDepositUndecided } from '../deposits/deposit-matching.js';
import { stageBankDetails } from '../payments/bank-details.js';
import { loadPaymentCommands, type PaymentCommands } from '../payments/command-changes.js';
import { announce, stageChange } from '../payments/payment-store.js';
import { transferCap } from '../payments/transfer-cap.js';
import { expectAccepted, requirePartner } from '../service/partner-calls.js';
import { currentKey } from '../service/service-keys.js';
import { refuseUnapproved, requestQuote } from './buyer-steps.js';
import { openPage } from './payment-page.js';

/** More would not fit into one batch, nor on one page. */
export const CONSOLIDATED_MAX = 20;
/** A price that ends sooner is asked for again, so that the buyer can read the page. */
const READING_MS = 60_000;

/** What the buyer is asked to confirm. */
export interface ConsolidatedOffer {
  /** In due order, with the quote that the buyer accepts; null if it has accepted one. */
  readonly payments: readonly {
    readonly payment: Payment;
    readonly missing: Money;
    readonly quote: Quote | null;
  }[];
  readonly total: Money;
}

/** A payment of the offer that was shown, with its quote. */
export interface Accepted {
  readonly paymentId: string;
  readonly quoteId: string | null;
}

/** Whether the partner takes one transfer for several payments. */
function canConsolidate(
  partner: SettlementPartner | null,
): partner is SettlementPartner & Required<Pick<SettlementPartner, 'collect'>> {
  return partner?.collect !== undefined;
}

/**
 * Gets a price for each payment that lacks one. NotFound for a payment of another buyer;
 * PaymentStateConflict for one that cannot be paid so, or that a deposit from before a restore may
 * have paid, or if they have not one payee and currency; PartnerUnavailable; AmountAboveCap if they
 * are more than one transfer may have.
 */
export async function offerConsolidated(
  deps: Deps,
  publicId: string,
  paymentIds: readonly string[],
): Promise<ConsolidatedOffer> {
  const ids = chosenIds(paymentIds);
  const { tenant, members } = await deps.store.run((tx) => readChosen(tx, publicId, ids));
  await refuseAboveCap(deps, tenant, members);
  for (const { was } of members) await priceOf(deps, tenant, was);
  return deps.store.run(async (tx) => {
    const { members: priced } = await readChosen(tx, publicId, ids);
    const payments = await Promise.all(priced.map(({ was }) => offered(tx, was)));
    return { payments, total: totalOf(priced) };
  });
}

/**
 * The buyer accepts all prices, in this language. Returns the payment that is due first, whose page
 * has the bank details; a repeat returns it again. As `offerConsolidated`; QuoteChanged if another
 * price is current, QuoteExpired.
 */
export async function payConsolidated(
  deps: Deps,
  publicId: string,
  accepted: readonly Accepted[],
  locale: Locale | null,
): Promise<Payment> {
  const ids = chosenIds(accepted.map(({ paymentId }) => paymentId));
  const done = await deps.store.run((tx) => alreadyConsolidated(tx, publicId, ids));
  if (done !== null) return done;
  // The partner is asked for nothing that the batch below would refuse.
  const { tenant, members, partyRef } = await deps.store.run(async (tx) => {
    const chosen = await readChosen(tx, publicId, ids);
    await acceptedPrices(tx, chosen.members, accepted, deps.clock.nowMs());
    return chosen;
  });
  const partner = await requirePartner(deps, tenant);
  if (!canConsolidate(partner)) {
    throw new PonteError('PaymentStateConflict', 'The settlement partner takes no such transfer.');
  }
  await refuseAboveCap(deps, tenant, members);
  const amount = totalOf(members);
  const reference = consolidatedReferenceOf(deps.ids.randomBytes(CODE_BYTES));
  const answer = await partner.collect({ partyRef, amount, reference });
  const instructions = expectAccepted(answer);
  const transfer = { reference, instructions };
  // It is made once: the batch below reads it for each payment.
  await currentKey(deps, 'record');
  const stored = await deps.store.run(async (tx) => {
    const nowMs = deps.clock.nowMs();
    const { members: current } = await readChosen(tx, publicId, ids);
    if (totalOf(current).amountMinor !== amount.amountMinor) throw new PonteError('QuoteChanged');
    const taken = await tx.payments.consolidated(tenant, reference);
    assert(taken.length === 0, 'the reference of a consolidated payment is new');
    const prices = await acceptedPrices(tx, current, accepted, nowMs);
    const changes = [];
    for (const [at, { was, commands }] of current.entries()) {
      const { quote, payer } = prices[at] ?? { quote: null, payer: null };
      const change = consolidated(was, commands, quote, transfer, nowMs, { locale, payer });
      const next = await stageChange(deps, tx, was, change, [], commands);
      await stageBankDetails({ deps, tx, nowMs }, was.payment, next.payment);
      changes.push(next);
    }
    return changes;
  });
  for (const change of stored) announce(deps, change);
  const [first] = stored;
  assert(first !== undefined, 'a consolidated payment has payments');
  return first.payment;
}

/**
 * Those of these payments that one transfer may pay with others of them; none if the partner takes
 * no such transfer.
 */
export async function consolidatableOf(
  deps: Pick<Deps, 'store' | 'partners'>,
  payments: readonly Payment[],
): Promise<ReadonlySet<string>> {
  const [first] = payments;
  if (first === undefined || !canConsolidate(deps.partners[first.mode])) return new Set();
  const read = await deps.store.run((tx) =>
    Promise.all(
      payments
        .filter(({ status }) => !isTerminal(status))
        .map(async (payment) => ({ payment, funds: await tx.funds.of(payment) })),
    ),
  );
  const able = read.filter(isConsolidatable).map(({ payment }) => payment);
  const groups = Object.groupBy(able, ({ sellerExternalId, amount }) =>
    JSON.stringify([sellerExternalId, amount.currency]),
  );
  const several = Object.values(groups).filter((group = []) => group.length > 1);
  return new Set(several.flatMap((group = []) => group.map(({ id }) => id)));
}

/** Before anything is read. ValidationError. */
function chosenIds(paymentIds: readonly string[]): readonly string[] {
  const ids = [...new Set(paymentIds)];
  if (ids.length >= 2 && ids.length <= CONSOLIDATED_MAX) return ids;
  throw invalid(`Choose 2 to ${CONSOLIDATED_MAX} payments.`);
}

/** The payments in due order, and the partner's id of their payee. */
async function readChosen(tx: Tx, publicId: string, ids: readonly string[]) {
  const page = await openPage(tx, publicId);
  const tenant = tenantOf(page);
  const read = await Promise.all(
    ids.map((paymentId) => loadPaymentCommands(tx, { ...tenant, paymentId })),
  );
  const own = ({ was: { payment } }: PaymentCommands) =>
    payment.buyerId === page.buyerId && isPageOpen(payment);
  if (!read.every(own)) throw new PonteError('NotFound');
  const [first] = read;
  assert(first !== undefined, 'payments were chosen');
  const { sellerExternalId, amount } = first.was.payment;
  const fits = ({ was }: PaymentCommands) =>
    was.payment.sellerExternalId === sellerExternalId &&
    was.payment.amount.currency === amount.currency &&
    isConsolidatable(was);
  if (!read.every(fits)) throw new PonteError('PaymentStateConflict');
  for (const id of ids) {
    // One of them may have been paid in what a restore lost.
    if (await isDepositUndecided(tx, tenant, id)) throw new PonteError('PaymentStateConflict');
  }
  const order = inDueOrder(read.map(({ was }) => was.payment)).map(({ id }) => id);
  const members = read.toSorted(
    (one, other) => order.indexOf(one.was.payment.id) - order.indexOf(other.was.payment.id),
  );
  const partyRef = await partyRefOf(tx, first.was.payment);
  if (partyRef === null) throw new PonteError('PaymentStateConflict');
  return { tenant, members, partyRef };
}

/** The partner's id of the payee; null before it has one. */
export async function partyRefOf(tx: Tx, payment: Payment): Promise<string | null> {
  const { sellerExternalId } = payment;
  const payee =
    sellerExternalId === null
      ? await tx.organizations.profile(tenantOf(payment))
      : await tx.accounts.byExternalId(tenantOf(payment), sellerExternalId);
  return payee?.partnerRef ?? null;
}

/** The second click on the button. */
async function alreadyConsolidated(
  tx: Tx,
  publicId: string,
  ids: readonly string[],
): Promise<Payment | null> {
  const page = await openPage(tx, publicId);
  const found = await Promise.all(ids.map((id) => tx.payments.get(page, id)));
  const [reference = null, ...others] = new Set(found.map((one) => one?.consolidatedReference));
  const isOne = reference !== null && others.length === 0;
  const payments = found.filter((one) => one !== null && one.buyerId === page.buyerId);
  if (!isOne || payments.length !== ids.length) return null;
  return inDueOrder(payments.filter((one) => one !== null))[0] ?? null;
}

/** Asks for a price unless there is one that the buyer can still accept. */
async function priceOf(deps: Deps, tenant: Tenant, { payment }: PaymentAggregate): Promise<void> {
  const { id, status, quoteId } = payment;
  if (status === 'on_ramp_pending') return;
  const quote =
    quoteId === null ? null : await deps.store.run((tx) => tx.quotes.get(tenant, quoteId));
  if (quote !== null && !isQuoteExpired(quote, deps.clock.nowMs() + READING_MS)) return;
  const made = await requestQuote(deps, tenant, id);
  if (made === null) throw new PonteError('PaymentStateConflict');
}

async function offered(tx: Tx, { payment, funds }: PaymentAggregate) {
  const { quoteId, status, amount } = payment;
  const isAccepted = status === 'on_ramp_pending' || quoteId === null;
  const quote = isAccepted ? null : await tx.quotes.get(payment, quoteId);
  return { payment, missing: missingOf(amount, funds), quote };
}

interface AcceptedPrice {
  readonly quote: Quote;
  readonly payer: VerifiedPayer | null;
}

/** The prices that the buyer was shown, by member. QuoteChanged, QuoteExpired. */
function acceptedPrices(
  tx: Tx,
  members: readonly PaymentCommands[],
  accepted: readonly Accepted[],
  nowMs: number,
): Promise<readonly (AcceptedPrice | null)[]> {
  return Promise.all(members.map(({ was }) => acceptedPrice(tx, was, accepted, nowMs)));
}

/** Null if the buyer had accepted the price before. */
async function acceptedPrice(
  tx: Tx,
  { payment }: PaymentAggregate,
  accepted: readonly Accepted[],
  nowMs: number,
): Promise<AcceptedPrice | null> {
  const { id, quoteId, status } = payment;
  if (status === 'on_ramp_pending') return null;
  const shown = accepted.find(({ paymentId }) => paymentId === id)?.quoteId ?? null;
  if (quoteId === null || shown !== quoteId) throw new PonteError('QuoteChanged');
  const payer = await refuseUnapproved(tx, payment);
  const quote = await tx.quotes.get(payment, quoteId);
  assert(quote !== null, 'a quote stays');
  if (isQuoteExpired(quote, nowMs)) throw new PonteError('QuoteExpired');
  return { quote, payer };
}

/** All of it is one transfer. */
async function refuseAboveCap(
  deps: Deps,
  tenant: Tenant,
  members: readonly PaymentCommands[],
): Promise<void> {
  const partner = await requirePartner(deps, tenant);
  const total = totalOf(members);
  const [first] = members;
  assert(first !== undefined, 'payments were chosen');
  const { amount: source, destination } = first.was.payment;
  const cap = await transferCap(deps, partner, { source, destination });
  if (cap === null || total.amountMinor <= cap.amountMinor) return;
  const text = 'Together the payments are over the cap of one transfer. Pay them one by one.';
  throw new PonteError('AmountAboveCap', text);
}

function totalOf(members: readonly PaymentCommands[]): Money {
  const missing = members.map(({ was: { payment, funds } }) => missingOf(payment.amount, funds));
  const [first] = missing;
  assert(first !== undefined, 'payments were chosen');
  const sumMinor = missing.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  return money(sumMinor, first.currency);
}
