// Fills the view of a payment's pages from what the use case read. Before sign-in it contains what
// the mail showed, and no more: a forwarded link must not show line items, money or bank details.
import { sessionEnd } from '../../../core/domain/access/session.js';
import { DAY_MS } from '../../../core/domain/base/instant.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import { money } from '../../../core/domain/base/money.js';
import { receiptOf } from '../../../core/domain/commands/settlement.js';
import { hostedPath } from '../../../core/domain/hosted/hosted-page.js';
import { lastFour } from '../../../core/domain/parties/tax-id.js';
import { shortIdOf } from '../../../core/domain/payments/bank-record.js';
import { readDisplay } from '../../../core/domain/payments/display.js';
import { heldMinor, missingOf, netReceivedMinor } from '../../../core/domain/payments/funds.js';
import { senderNamesOf } from '../../../core/domain/payments/payer-facts.js';
import {
  type PayinInstructions,
  railsFrom,
} from '../../../core/domain/payments/payin-instructions.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import type { Deps, Settings } from '../../../core/ports/deps.js';
import { openPage, type PaymentPage } from '../../../core/usecases/hosted/payment-page.js';
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

interface PageSettings extends Pick<Deps, 'partners'> {
  readonly settings: Pick<Settings, 'payUrl' | 'legal' | 'answerDays'>;
}

export function publicIdOf({ params }: Pick<PageCall<PageAuth, unknown>, 'params'>): string {
  return params['publicId'] ?? '';
}

/** The payment in the path. NotFound. */
export function paymentIn(
  { deps }: Pick<PageContext, 'deps'>,
  call: Parameters<typeof publicIdOf>[0],
): Promise<Payment> {
  return deps.store.run((tx) => openPage(tx, publicIdOf(call)));
}

export function paymentView(
  context: Pick<PageContext, 'prefix' | 'mailbox'> & {
    readonly deps: Pick<Deps, 'secretBox'> & PageSettings;
  },
  call: PaymentPageCall,
  shown: PaymentPage,
  page: Page,
): PageView {
  const { deps } = context;
  const { payment, nowMs } = shown;
  const { session } = call;
  const signedIn = session !== null;
  const sandbox = sandboxOf(deps, payment);
  const locale = localeFor(call, payment.display);
  const corrections = signedIn ? correctionLines(deps, shown.submission, locale) : [];
  const viewer = signedIn
    ? { email: payment.buyer.email, sessionEndsAtMs: sessionEnd(session) }
    : null;
  return {
    ...frameOfCall(context, call, { locale, mode: payment.mode, nowMs, viewer }),
    organization: organizationView(shown.organization),
    legal: legalView(shown.organization, deps.settings),
    payment: seen(signedIn ? 'buyer' : 'link', deps, shown),
    kyc: { ...kycView(shown), corrections, asksFacts: signedIn && shown.asksFacts },
    version: shown.pageVersion,
    simulate: signedIn && sandbox !== null ? simulationsFor({ ...shown, sandbox }) : null,
    page,
  };
}

const numbers = ['payeeTaxId', 'payeeTaxIdLast4', 'purchaseOrder', 'buyerReference'] as const;

/**
 * What each audience sees of a payment beside what its mail showed. The colleague who pays: where
 * to send how much. The approver: what is to be paid to whom, and no price, money or bank details.
 */
const seenBy = {
  link: [],
  colleague: [...numbers, 'money', 'partner', 'instructions', 'check'],
  approver: [...numbers, 'display', 'attachment', 'colleagueApproval'],
} as const satisfies Readonly<Record<string, readonly (keyof PagePayment)[]>>;

function seen(
  audience: keyof typeof seenBy | 'buyer',
  deps: PageSettings,
  shown: PaymentPage,
): PagePayment {
  const outer = outerPayment(deps, shown);
  if (audience === 'link') return outer;
  const all = { ...outer, ...innerPayment(deps, shown) };
  if (audience === 'buyer') return all;
  const fields = seenBy[audience].map((name) => [name, all[name]]);
  return { ...outer, ...Object.fromEntries(fields) };
}

export function colleagueView(
  context: Parameters<typeof paymentView>[0],
  call: PaymentPageCall,
  shown: PaymentPage,
): PageView {
  const page = { name: 'instructions' } as const;
  const view = paymentView(context, { ...call, session: null, csrf: null }, shown, page);
  return { ...view, payment: seen('colleague', context.deps, shown) };
}

export function approverView(
  context: Parameters<typeof paymentView>[0],
  call: PaymentPageCall,
  shown: PaymentPage,
  page: Page,
): PageView {
  const view = paymentView(context, call, shown, page);
  const { viewer } = view;
  const payment = seen(viewer === null ? 'link' : 'approver', context.deps, shown);
  return {
    ...view,
    version: null,
    simulate: null,
    viewer: viewer && { ...viewer, email: payment.colleagueApproval?.email ?? '' },
    payment: { ...payment, isForApprover: true, askedBy: viewer && shown.payment.buyer.email },
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
  return { ...view, viewer, payment: seen('buyer', deps, shown) };
}

/** A real partner has no sandbox: its development instance plays the bank. */
function sandboxOf({ partners }: Pick<Deps, 'partners'>, { mode }: Pick<Payment, 'mode'>) {
  return mode === 'test' ? (partners[mode]?.sandbox ?? null) : null;
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

function membersView({ consolidated }: PaymentPage): PagePayment['members'] {
  return consolidated.map(({ payment, funds }) => ({
    payment,
    arrived: money(netReceivedMinor(funds), payment.amount.currency),
  }));
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

/** Values of what nobody sees by the link alone. */
const closed = {
  payeeTaxIdLast4: null,
  payeeTaxId: null,
  payer: null,
  senderNames: [],
  partner: null,
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
  hasVendorPapers: false,
  purpose: null,
  instructions: null,
  together: [],
  members: [],
  sharedTransfers: [],
  payWithinDays: null,
  openPayments: 0,
  check: null,
  settlement: null,
  isPayoutBack: false,
  isLate: false,
  answerByMs: null,
  endedAtMs: null,
} as const satisfies Partial<PagePayment>;

/** What the link alone shows. */
function outerPayment(
  { settings: { payUrl } }: PageSettings,
  { payment, organization }: PaymentPage,
): PagePayment {
  const { publicId } = payment;
  const { id, status, amount, number, externalId, dueDate, returnUrl, version } = payment;
  const own = { id, status, amount, number, externalId, dueDate, returnUrl, version };
  const page = `${payUrl}${hostedPath({ kind: 'payment', publicId })}`;
  const title = readDisplay(payment.display)?.title ?? null;
  return {
    ...closed,
    ...own,
    links: { page, verify: `${payUrl}/verify` },
    shortId: shortIdOf(publicId),
    payee: payment.payeeName ?? organization.name,
    display: { title, notes: null, lineItems: [], taxes: [] },
  };
}

/** Since when an operator looks into the payment; null if nobody does, or that is not known. */
function inReviewSinceMs({ payment, screen, isPayoutBack, ...shown }: PaymentPage): number | null {
  const { payoutBackAtMs, refundOwedAtMs } = shown.moneyTimes;
  if (screen === 'unapproved') return payment.approvalLostAtMs;
  if (screen === 'refund_review') return refundOwedAtMs;
  if (screen !== 'needs_review') return null;
  if (isPayoutBack) return payoutBackAtMs;
  // Its payout failed with it.
  return payment.status === 'failed' ? shown.endedAtMs : null;
}

/** By when somebody answers, as the operator promises. */
function answerByMs(
  shown: PaymentPage,
  { answerDays }: Pick<Settings, 'answerDays'>,
): number | null {
  const sinceMs = inReviewSinceMs(shown);
  return answerDays === null || sinceMs === null ? null : sinceMs + answerDays * DAY_MS;
}

/** What an integrator says must not differ from what was verified. */
export function payeeTaxId(sent: string | null, last4: string | null): string | null {
  return sent === null || last4 === null || lastFour(sent) === last4 ? sent : null;
}

type Hidden = Omit<typeof closed, 'isForApprover' | 'askedBy'> & Pick<PagePayment, 'display'>;

function innerPayment(deps: PageSettings, shown: PaymentPage): Pick<PagePayment, keyof Hidden> {
  const { payment, funds, payeeTaxIdLast4 } = shown;
  const { payWithinMs } = deps.partners[payment.mode] ?? {};
  const settlement = receiptOf(shown.settlements);
  const { receivedMinor, refundOwedMinor, refundOrderedMinor, refundedMinor } = funds;
  const { receivedAtMs, refundOrderedAtMs, refundedAtMs } = shown.moneyTimes;
  const sums = { receivedMinor, refundOwedMinor, refundOrderedMinor, refundedMinor };
  const display = readDisplay(payment.display);
  const { title = null, notes = null, lineItems = [], taxes = [] } = display ?? {};
  return {
    attachment: shown.attachment,
    hasVendorPapers: shown.hasVendorPapers,
    payeeTaxIdLast4,
    payeeTaxId: payeeTaxId(display?.sellerTaxId ?? null, payeeTaxIdLast4),
    payer: payment.payer?.verified?.name ?? payment.buyer.name,
    senderNames: payment.status === 'settled' ? senderNamesOf(payment.payer) : [],
    partner: partnerIn(payment.payinInstructions),
    display: { title, notes, lineItems, taxes },
    money: { ...sums, heldMinor: heldMinor(funds), receivedAtMs, refundOrderedAtMs, refundedAtMs },
    quote: shown.quote,
    limit: payment.limitHit,
    colleagueApproval: payment.colleagueApproval,
    purchaseOrder: payment.purchaseOrder,
    buyerReference: payment.buyerReference,
    purpose: payment.purpose,
    instructions: instructionsView(shown),
    together: togetherView(shown),
    members: membersView(shown),
    sharedTransfers: shown.sharedTransfers,
    payWithinDays: payWithinMs === undefined ? null : Math.floor(payWithinMs / DAY_MS),
    openPayments: shown.openPayments,
    check: checkView(shown),
    settlement: settlement && { ...settlement, transactionHash: payment.transactionHash },
    isPayoutBack: shown.isPayoutBack,
    isLate: shown.isLate,
    answerByMs: answerByMs(shown, deps.settings),
    endedAtMs: shown.endedAtMs,
  };
}
