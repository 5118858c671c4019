// The buyer's steps through a payment: sign in, KYC, quote, confirm. An approval with another
// organization is adopted only when the buyer signs in, because that proves the mailbox, and only
// if the dossier is the person's (identity-facts.ts).
import { emailKey } from '../../domain/base/email-address.js';
import type { Locale } from '../../domain/base/locale.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { isVoidable, voidCommand } from '../../domain/commands/partner-command.js';
import type { Quote } from '../../domain/commands/quote.js';
import { adopted, type KycSubmission } from '../../domain/parties/buyer-kyc.js';
import { countsAsBuyerKyc } from '../../domain/parties/connected-account.js';
import { adoptionOf, areFactsRight, type TypedFacts } from '../../domain/parties/identity-facts.js';
import { nextPartyStatus } from '../../domain/parties/party.js';
import { PARTY_BLOCKED } from '../../domain/parties/party-due.js';
import {
  type PaymentAggregate,
  type PaymentView,
  unchanged,
} from '../../domain/payments/change.js';
import type { VerifiedPayer } from '../../domain/payments/payer-facts.js';
import { nextStatus, type Payment } from '../../domain/payments/payment.js';
import {
  confirmed,
  limited,
  quoted,
  quoteRefused,
  signedIn,
} from '../../domain/payments/payment-transitions.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { SettlementPartner } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { stageDifferNotices } from '../mail/owner-notices.js';
import { expectApproved, moveWaiting } from '../parties/buyer-decisions.js';
import { stagePurge } from '../parties/documents.js';
import { factHash } from '../parties/fact-hashes.js';
import { newSubmission } from '../parties/kyc.js';
import { readPayee } from '../parties/party-reports.js';
import { changePayment, loadPayment, readView } from '../payments/payment-store.js';
import { withinCap } from '../payments/transfer-cap.js';
import { requirePartner } from '../service/partner-calls.js';

export interface MailboxProof {
  /** May refuse. What it stages is stored with the sign-in. */
  readonly prove: (tx: Tx) => Promise<void>;
  /** The language of later mails about the payment. */
  readonly locale: Locale;
}

/** A repeat changes nothing. `proof` is null in the sandbox, which needs no mailbox. */
export async function signIn(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  proof: MailboxProof | null = null,
): Promise<PaymentView> {
  const change = await changePayment(deps, tenant, paymentId, async (stored, tx) => {
    await proof?.prove(tx);
    const was = { ...stored, payment: withLocale(stored.payment, proof?.locale ?? null) };
    const { status } = was.payment;
    const awaited = nextStatus(status, 'sign_in') ?? nextStatus(status, 'kyc_approved');
    if (awaited === null) return unchanged(was);
    const own = await tx.buyers.submission(tenant, was.payment.buyerId);
    const verified = await adoptApproval(deps, tx, was.payment, own, null);
    // It waits for the next decision, even if another host's clock gave the last one a later time.
    const atMs = Math.max(deps.clock.nowMs(), (own?.rejectedAtMs ?? 0) + 1);
    return signedIn(was, verified, atMs);
  });
  const view = await readView(deps, tenant, paymentId);
  // An adopted approval also moves the other waiting payments of this tenant.
  if (view.kycStatus === 'approved') await moveWaiting(deps, tenant, change.payment.buyerId);
  return view;
}

/** `closed`: no approval awaits the facts, or no longer. */
export type FactsResult = 'right' | 'wrong' | 'closed';

/**
 * The signed-in buyer confirms two facts of the dossier that another integrator submitted: the
 * approval is adopted. A wrong answer is counted at that dossier, for all tenants together.
 */
export async function confirmFacts(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  typed: TypedFacts,
): Promise<FactsResult> {
  let result = 'closed' as FactsResult;
  const change = await changePayment(deps, tenant, paymentId, async (was, tx) => {
    result = 'closed';
    const { payment } = was;
    if (nextStatus(payment.status, 'kyc_approved') === null) return unchanged(was);
    const own = await tx.buyers.submission(tenant, payment.buyerId);
    const known = await approvalElsewhere(deps, tx, payment);
    if (known === null || known.adoption !== 'facts') return unchanged(was);
    const isRight = areFactsRight(known.origin, typed, known.hash);
    result = isRight ? 'right' : 'wrong';
    if (!isRight) {
      const factTries = known.origin.factTries + 1;
      tx.buyers.updateSubmission(Object.freeze({ ...known.origin, factTries }));
      return unchanged(was);
    }
    const verified = await adoptApproval(deps, tx, payment, own, typed);
    return signedIn(was, verified, deps.clock.nowMs());
  });
  if (result === 'right') await moveWaiting(deps, tenant, change.payment.buyerId);
  return result;
}

/** Whether the buyer of a payment that waits for its KYC may confirm two facts instead. */
export async function asksFacts(deps: Deps, tx: Tx, payment: Payment): Promise<boolean> {
  if (nextStatus(payment.status, 'kyc_approved') === null) return false;
  return (await approvalElsewhere(deps, tx, payment))?.adoption === 'facts';
}

/**
 * Whether the payment waits because the buyer was verified under another name or in another country
 * than the payment says. The buyer has signed in.
 */
export async function buyerDiffers(deps: Deps, payment: Payment): Promise<boolean> {
  if (nextStatus(payment.status, 'kyc_approved') === null) return false;
  return deps.store.run(
    async (tx) => (await approvalElsewhere(deps, tx, payment))?.adoption === 'differs',
  );
}

/** The best approval of the buyer with any tenant, and what it is good for; null without one. */
async function approvalElsewhere(deps: Deps, tx: Tx, { mode, buyerId, buyer }: Payment) {
  const origin = await tx.buyers.approvedAnywhere(mode, buyerId);
  if (origin === null) return null;
  const hash = await factHash(deps, tx, buyerId);
  return { origin, hash, adoption: adoptionOf(origin, buyer) };
}

function withLocale(payment: Payment, buyerLocale: Locale | null): Payment {
  if (buyerLocale === null || buyerLocale === payment.buyerLocale) return payment;
  return Object.freeze({ ...payment, buyerLocale });
}

/** Replaces the partner's usual quote; `shown` is the current one. */
type QuoteSource = (
  input: Parameters<SettlementPartner['quote']>[0],
  shown: Quote | null,
) => ReturnType<SettlementPartner['quote']>;

/**
 * Requests a quote from the partner; it replaces the one before. Null if the amount is over a limit
 * of the payee or the cap per transfer, which is stored. PaymentStateConflict in another status, or
 * if the partner refuses, which fails the payment; PartnerUnavailable.
 */
export async function requestQuote(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  ask: QuoteSource | null = null,
): Promise<Quote | null> {
  const { payment, shown } = await deps.store.run(async (tx) => {
    const { payment } = await loadPayment(tx, tenant, paymentId);
    const { quoteId } = payment;
    const isNeeded = ask !== null && quoteId !== null;
    return { payment, shown: isNeeded ? await tx.quotes.get(tenant, quoteId) : null };
  });
  if (nextStatus(payment.status, 'quote') === null) throw new PonteError('PaymentStateConflict');
  const partner = await requirePartner(deps, tenant);
  const input = { source: payment.amount, destination: payment.destination };
  const given = await (ask === null ? partner.quote(input) : ask(input, shown));
  const answer = await withinCap(deps, partner, input, given);
  const nowMs = deps.clock.nowMs();
  if (answer.outcome === 'over_limit') {
    await changePayment(deps, tenant, paymentId, (was) => limited(was, answer.limit, nowMs));
    return null;
  }
  if (answer.outcome === 'refused' && answer.code === PARTY_BLOCKED) {
    await readPayee(deps, tenant, payment.sellerExternalId);
    const alert = 'the partner refuses quotes for a payee until it has done what is due';
    deps.log.error('alert', { alert, paymentId, seller: payment.sellerExternalId });
    throw new PonteError('PartnerUnavailable');
  }
  if (answer.outcome === 'refused') {
    const { code, message } = answer;
    await changePayment(deps, tenant, paymentId, async (was, tx) => {
      const commands = await tx.commands.ofPayment(tenant, paymentId);
      return quoteRefused(was, commands, code, nowMs);
    });
    const text = `The settlement partner refuses a quote, so the payment has failed: ${message}`;
    throw new PonteError('PaymentStateConflict', text);
  }
  if (answer.outcome !== 'done') throw new PonteError('PartnerUnavailable');
  const quote: Quote = Object.freeze({
    ...answer.value,
    ...tenantOf(tenant),
    id: deps.ids.next('qt', nowMs),
    paymentId,
    createdAtMs: nowMs,
  });
  await changePayment(deps, tenant, paymentId, async (was, tx) => {
    await refuseUnapproved(tx, was.payment);
    tx.quotes.insert(quote);
    return quoted(was, quote, nowMs);
  });
  return quote;
}

/**
 * The buyer accepts the quote that it was shown, in this language; both are stored as evidence.
 * PaymentStateConflict without a quote, QuoteChanged if another one is current, QuoteExpired.
 */
export async function confirmQuote(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  quoteId: string,
  locale: Locale | null = null,
): Promise<PaymentAggregate> {
  return changePayment(deps, tenant, paymentId, async (was, tx) => {
    const { status, quoteId: current } = was.payment;
    if (nextStatus(status, 'confirm') === null || current === null) {
      throw new PonteError('PaymentStateConflict');
    }
    if (current !== quoteId) throw new PonteError('QuoteChanged');
    const payer = await refuseUnapproved(tx, was.payment);
    const quote = await tx.quotes.get(tenant, quoteId);
    assert(quote !== null, 'a quote stays');
    const commands = await tx.commands.ofPayment(tenant, paymentId);
    return confirmed(was, commands, quote, deps.clock.nowMs(), { locale, payer });
  });
}

/**
 * The approval may be lost, and the payment not have failed yet. PaymentStateConflict. Returns who
 * is approved, if the name is known.
 */
export async function refuseUnapproved(tx: Tx, payment: Payment): Promise<VerifiedPayer | null> {
  const approved = await expectApproved(tx, payment);
  if (approved !== null) return approved.payer;
  throw new PonteError('PaymentStateConflict', 'The buyer is not approved any more.');
}

/**
 * Whether the buyer is approved: with this tenant, or with any organization of the mode if the
 * dossier is the person's, or the person typed right facts of it.
 */
async function adoptApproval(
  deps: Deps,
  tx: Tx,
  payment: Payment,
  own: KycSubmission | null,
  typed: TypedFacts | null,
): Promise<boolean> {
  const tenant = tenantOf(payment);
  if (own?.status === 'approved') {
    tx.buyers.expectSubmission(own);
    return true;
  }
  const accounts = await tx.accounts.ofBuyer(tenant, emailKey(payment.buyer.email));
  for (const account of accounts) tx.accounts.expect(account);
  if (accounts.some(countsAsBuyerKyc)) return true;
  const known = await approvalElsewhere(deps, tx, payment);
  const isRight =
    known !== null && typed !== null && areFactsRight(known.origin, typed, known.hash);
  const isAdopted = known?.adoption === 'adopt' || (known?.adoption === 'facts' && isRight);
  if (known === null || !isAdopted) {
    if (known?.adoption === 'differs') {
      const { id: paymentId } = payment;
      deps.log.warn('the approval of the buyer is about another name or country', { paymentId });
      await stageDifferNotices(deps, tx, payment);
    }
    if (own !== null) tx.buyers.expectSubmission(own);
    return false;
  }
  const elsewhere = known.origin;
  const nowMs = deps.clock.nowMs();
  tx.buyers.expectSubmission(elsewhere);
  if (own !== null && nextPartyStatus(own.status, 'adopt') !== null) {
    tx.buyers.updateSubmission(adopted(own, elsewhere, nowMs));
    stagePurge(deps, tx, tenant, { party: 'buyer', id: payment.buyerId });
    // Their dossier names documents that are being deleted.
    const commands = await tx.commands.ofSubmission(tenant, own.id);
    for (const command of commands.filter(isVoidable))
      tx.commands.update(voidCommand(command, nowMs));
  } else {
    const fresh = newSubmission(deps, tenant, payment.buyerId, 'not_started', own);
    tx.buyers.insertSubmission(adopted(fresh, elsewhere, nowMs));
  }
  return true;
}
