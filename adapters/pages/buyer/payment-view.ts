// Fills the view of a payment's pages from what the use case read. Before sign-in it contains what
// the mail showed, and no more: a forwarded link must not show line items, money or bank details.
import { sessionEnd } from '../../../core/domain/access/page-session.js';
import { DAY_MS } from '../../../core/domain/base/instant.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import { money } from '../../../core/domain/base/money.js';
import { receiptOf } from '../../../core/domain/commands/settlement.js';
import { pathOf } from '../../../core/domain/hosted/hosted-page.js';
import { lastFour } from '../../../core/domain/parties/tax-id.js';
import { shortIdOf } from '../../../core/domain/payments/bank-record.js';
import { readDisplay } from '../../../core/domain/payments/display.js';
import { heldMinor, missingOf } from '../../../core/domain/payments/funds.js';
import {
  type PayinInstructions,
  railsFrom,
} from '../../../core/domain/payments/payin-instructions.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import type { Deps, Settings } from '../../../core/ports/deps.js';
import type { PaymentPage } from '../../../core/usecases/hosted/payment-page.js';
import { simulationsFor } from '../../../core/usecases/sandbox/simulations.js';
import {
  type CheckView,
  type KycView,
  noKyc,
  type Page,
  type PagePayment,
  type PageView,
} from '../hosted/page-view.js';
import { legalView, localeFor, organizationView } from '../hosted/unpaid-view.js';
import { frameOfCall } from '../kit/frame-of-call.js';
import type { PageAuth, PageCall, PageContext } from '../kit/page-route.js';
import { correctionLines } from '../kyc/correction-lines.js';

type PaymentPageCall = Pick<
  PageCall<PageAuth, unknown>,
  'base' | 'csrf' | 'session' | 'query' | 'chosenLocale' | 'browserLocale' | 'hasDecimalPoint'
>;

interface PageSettings {
  readonly settings: Pick<Settings, 'payUrl' | 'legal' | 'answerDays'>;
}

export function paymentView(
  context: Pick<PageContext, 'prefix' | 'mailbox'> & {
    readonly deps: Pick<Deps, 'secretBox' | 'partners'> & PageSettings;
  },
  call: PaymentPageCall,
  shown: PaymentPage,
  page: Page,
): PageView {
  const { deps } = context;
  const { payment, nowMs } = shown;
  const { session } = call;
  const signedIn = session !== null;
  const locale = localeFor(call, payment.display);
  const corrections = signedIn ? correctionLines(deps, shown.submission, locale) : [];
  const viewer = signedIn
    ? { email: payment.buyer.email, sessionEndsAtMs: sessionEnd(session) }
    : null;
  return {
    ...frameOfCall(context, call, { locale, mode: payment.mode, nowMs, viewer }),
    organization: organizationView(shown.organization),
    legal: legalView(shown.organization, deps.settings),
    payment: signedIn ? signedInView(deps, shown) : outerView(deps, shown),
    kyc: { ...kycView(shown), corrections, asksFacts: signedIn && shown.asksFacts },
    version: shown.pageVersion,
    simulate: signedIn && simulates(deps, payment) ? simulationsFor(shown) : null,
    page,
  };
}

/** What a colleague of the buyer sees: where to send how much, and nothing else. */
export function colleagueView(
  context: Parameters<typeof paymentView>[0],
  call: PaymentPageCall,
  shown: PaymentPage,
): PageView {
  const page = { name: 'instructions' } as const;
  const view = paymentView(context, { ...call, session: null, csrf: null }, shown, page);
  const all = signedInView(context.deps, shown);
  const { money, partner, payeeTaxId, payeeTaxIdLast4, purchaseOrder, buyerReference } = all;
  const { instructions, check } = all;
  const payee = { payeeTaxId, payeeTaxIdLast4 };
  const known = { money, partner, purchaseOrder, buyerReference, instructions, check, ...payee };
  return { ...view, payment: { ...outerView(context.deps, shown), ...known } };
}

/** What the approver sees: what is to be paid to whom, and no price, money or bank details. */
export function approverView(
  context: Parameters<typeof paymentView>[0],
  call: PaymentPageCall,
  shown: PaymentPage,
  page: Page,
): PageView {
  const view = paymentView(context, call, shown, page);
  const outer = { ...outerView(context.deps, shown), isForApprover: true };
  const known = { ...view, version: null, simulate: null, payment: outer };
  if (view.viewer === null) return known;
  const all = signedInView(context.deps, shown);
  const { payeeTaxIdLast4, payeeTaxId, display, purchaseOrder, buyerReference } = all;
  const { colleagueApproval, attachment } = all;
  const numbers = { purchaseOrder, buyerReference };
  const paid = { payeeTaxIdLast4, payeeTaxId, display, attachment, ...numbers };
  const askedBy = shown.payment.buyer.email;
  return {
    ...known,
    viewer: { ...view.viewer, email: colleagueApproval?.email ?? '' },
    payment: { ...outer, ...paid, colleagueApproval, askedBy },
  };
}

/** The view of the buyer to whom a mail is written, without a session. */
export function recipientView(
  deps: Pick<Deps, 'secretBox' | 'partners'> & PageSettings,
  shown: PaymentPage,
  locale: Locale,
  page: Page,
): PageView {
  const call = {
    base: '',
    csrf: null,
    session: null,
    query: new URLSearchParams(),
    chosenLocale: locale,
    browserLocale: null,
    hasDecimalPoint: false,
  };
  const view = paymentView({ deps, prefix: '', mailbox: null }, call, shown, page);
  const viewer = { email: shown.payment.buyer.email, sessionEndsAtMs: shown.nowMs };
  return { ...view, viewer, payment: signedInView(deps, shown) };
}

/** A real partner has no sandbox: its development instance plays the bank. */
function simulates({ partners }: Pick<Deps, 'partners'>, { mode }: Pick<Payment, 'mode'>): boolean {
  return mode === 'test' && partners[mode]?.sandbox !== undefined;
}

/** The account is in the name of the partner, which is the name that buyers see. */
function partnerIn(instructions: PayinInstructions | null): string | null {
  if (instructions?.holder !== 'partner') return null;
  const fields = instructions.rails[0]?.fields ?? [];
  return fields.find(({ name }) => name === 'beneficiary')?.value ?? null;
}

/** The account that the buyer's own bank can pay to comes first. */
function instructionsView({ payment, ...shown }: PaymentPage): PayinInstructions | null {
  const { payinInstructions, buyer } = payment;
  if (payinInstructions === null) return null;
  const rails = railsFrom(payinInstructions, buyer.country);
  const together = togetherView({ payment, ...shown });
  const [first] = together;
  if (first === undefined) return { ...payinInstructions, rails };
  const sumMinor = together.reduce((sum, { missing }) => sum + missing.amountMinor, 0n);
  return { ...payinInstructions, rails, amount: money(sumMinor, first.missing.currency) };
}

/** The payments that still wait for the transfer. */
function togetherView({ consolidated }: PaymentPage): PagePayment['together'] {
  return consolidated
    .map(({ payment, funds }) => ({ payment, missing: missingOf(payment.amount, funds) }))
    .filter(
      ({ payment, missing }) => payment.status === 'on_ramp_pending' && missing.amountMinor > 0n,
    );
}

function checkView({ check }: PaymentPage): CheckView | null {
  if (check === null) return null;
  const { checkCode: code, issuedAtMs, replacedAtMs, history } = check;
  const before = history.kind === 'same' ? { sameAsPaidAtMs: history.atMs } : 'new_account';
  return { code, issuedAtMs, replacedAtMs, history: before };
}

function kycView({ submission, kyc }: PaymentPage): KycView {
  const submittedAtMs = kyc === 'form' ? null : (submission?.submittedAtMs ?? null);
  const correctByMs = submission?.answerByMs ?? null;
  return { ...noKyc, started: submission !== null && kyc === 'form', submittedAtMs, correctByMs };
}

/** What a person with the link alone sees. */
function outerView(
  { settings: { payUrl } }: PageSettings,
  { payment, organization }: PaymentPage,
): PagePayment {
  const { publicId } = payment;
  const { id, status, amount, number, externalId, dueDate, returnUrl, version } = payment;
  return {
    id,
    status,
    amount,
    number,
    externalId,
    dueDate,
    returnUrl,
    version,
    links: {
      page: `${payUrl}${pathOf({ kind: 'payment', publicId })}`,
      verify: `${payUrl}/verify`,
    },
    shortId: shortIdOf(publicId),
    payee: payment.payeeName ?? organization.name,
    payeeTaxIdLast4: null,
    payeeTaxId: null,
    payer: null,
    senderNames: [],
    partner: null,
    display: {
      title: readDisplay(payment.display)?.title ?? null,
      notes: null,
      lineItems: [],
      taxes: [],
    },
    money: {
      receivedMinor: 0n,
      heldMinor: 0n,
      refundOwedMinor: 0n,
      refundOrderedMinor: 0n,
      refundedMinor: 0n,
      receivedAtMs: null,
      refundOrderedAtMs: null,
      refundedAtMs: null,
    },
    quote: null,
    limit: null,
    colleagueApproval: null,
    isForApprover: false,
    askedBy: null,
    purchaseOrder: null,
    buyerReference: null,
    attachment: null,
    purpose: null,
    instructions: null,
    together: [],
    sharedTransfers: [],
    openPayments: 0,
    check: null,
    settlement: null,
    isPayoutBack: false,
    isLate: false,
    answerByMs: null,
    endedAtMs: null,
    expiresAtMs: null,
  };
}

/** Since when a person looks into the payment; null if nobody does, or that is not known. */
function inReviewSinceMs({ payment, screen, isPayoutBack, ...shown }: PaymentPage): number | null {
  const { payoutBackAtMs, refundOwedAtMs } = shown.moneyTimes;
  if (screen === 'unapproved') return payment.approvalLostAtMs;
  if (screen === 'refund_review') return refundOwedAtMs;
  if (screen !== 'needs_review') return null;
  if (isPayoutBack) return payoutBackAtMs;
  // Its payout failed with it.
  return payment.status === 'failed' ? shown.endedAtMs : null;
}

/** A promise whose day is over is not shown. */
function answerByMs(
  shown: PaymentPage,
  { answerDays }: Pick<Settings, 'answerDays'>,
): number | null {
  const sinceMs = inReviewSinceMs(shown);
  if (answerDays === null || sinceMs === null) return null;
  const byMs = sinceMs + answerDays * DAY_MS;
  return byMs < shown.nowMs ? null : byMs;
}

/** What an integrator says must not differ from what was verified. */
export function payeeTaxId(sent: string | null, last4: string | null): string | null {
  return sent === null || last4 === null || lastFour(sent) === last4 ? sent : null;
}

function signedInView(deps: PageSettings, shown: PaymentPage): PagePayment {
  const { payment, funds, quote } = shown;
  const { transactionHash } = payment;
  const settlement = receiptOf(shown.settlements);
  const { receivedMinor, refundOwedMinor, refundOrderedMinor, refundedMinor } = funds;
  const { receivedAtMs, refundOrderedAtMs, refundedAtMs } = shown.moneyTimes;
  const display = readDisplay(payment.display);
  return {
    ...outerView(deps, shown),
    attachment: shown.attachment,
    payeeTaxIdLast4: shown.payeeTaxIdLast4,
    payeeTaxId: payeeTaxId(display?.sellerTaxId ?? null, shown.payeeTaxIdLast4),
    payer: payment.buyer.name,
    senderNames: shown.senderNames,
    partner: partnerIn(payment.payinInstructions),
    display: {
      title: display?.title ?? null,
      notes: display?.notes ?? null,
      lineItems: display?.lineItems ?? [],
      taxes: display?.taxes ?? [],
    },
    money: {
      receivedMinor,
      heldMinor: heldMinor(funds),
      refundOwedMinor,
      refundOrderedMinor,
      refundedMinor,
      receivedAtMs,
      refundOrderedAtMs,
      refundedAtMs,
    },
    quote,
    limit: payment.limitHit,
    colleagueApproval: payment.colleagueApproval,
    purchaseOrder: payment.purchaseOrder,
    buyerReference: payment.buyerReference,
    purpose: payment.purpose,
    instructions: instructionsView(shown),
    together: togetherView(shown),
    sharedTransfers: shown.sharedTransfers,
    openPayments: shown.openPayments,
    check: checkView(shown),
    settlement: settlement === null ? null : { ...settlement, transactionHash },
    isPayoutBack: shown.isPayoutBack,
    isLate: shown.isLate,
    answerByMs: answerByMs(shown, deps.settings),
    endedAtMs: shown.endedAtMs,
    expiresAtMs: payment.expiresAtMs,
  };
}
