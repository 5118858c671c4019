// What the pages of a buyer show: plain facts that the routes collect and the screens render.
// Nothing here is markup, and a screen reads nothing else.
import type { Money } from '../../../core/domain/base/money.js';
import type { Period } from '../../../core/domain/base/time-zone.js';
import type { QuoteTerms } from '../../../core/domain/commands/quote.js';
import type { SettlementFacts } from '../../../core/domain/commands/settlement.js';
import type { Screen } from '../../../core/domain/hosted/hosted-screen.js';
import type { KycState } from '../../../core/domain/parties/buyer-kyc.js';
import type { LegalLinks } from '../../../core/domain/parties/contact.js';
import type { ChangeState } from '../../../core/domain/parties/destination-change.js';
import type { AmountLimit } from '../../../core/domain/payments/amount-limit.js';
import type { ColleagueApproval } from '../../../core/domain/payments/colleague-approval.js';
import type { DisplayTax } from '../../../core/domain/payments/display.js';
import type { Funds } from '../../../core/domain/payments/funds.js';
import type { PayinInstructions } from '../../../core/domain/payments/payin-instructions.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import type { Purpose } from '../../../core/domain/payments/purpose.js';
import type { SimulatedEvent } from '../../../core/domain/payments/simulated-event.js';
import type { BuyerPage } from '../../../core/usecases/hosted/buyer-payments.js';
import type { ApproverProblem } from '../../../core/usecases/hosted/colleague-approvals.js';
import type { ColleagueLink } from '../../../core/usecases/hosted/colleague-links.js';
import type { ConsolidatedOffer } from '../../../core/usecases/hosted/consolidated-payments.js';
import type { SharedTransfer } from '../../../core/usecases/hosted/payment-page.js';
import type { Attachment } from '../../../core/usecases/parties/attachments.js';
import type { AccessPage } from '../kit/access-pages.js';
import type { FrameView } from '../kit/frame-view.js';

export interface PageView extends FrameView {
  /** Null on pages without a payment. */
  readonly organization: PageOrganization | null;
  /** Those of the organization, else those of the operator. */
  readonly legal: LegalLinks;
  /** Null on pages without a payment. */
  readonly payment: PagePayment | null;
  readonly kyc: KycView;
  /** What the panel of test mode offers; null in live mode and before sign-in. */
  readonly simulate: readonly Simulation[] | null;
  readonly page: Page;
}

/** The pages that are also files. */
export type FilePage = 'instructions' | 'receipt' | 'remittance';

export interface PageOrganization {
  readonly id: string;
  readonly name: string;
  readonly supportEmail: string | null;
  readonly supportPhone: string | null;
  /** An http or https URL. */
  readonly website: string | null;
  /** `#rrggbb`; null: that of Ponte. */
  readonly accentColor: string | null;
  /** The path of its logo below the root; null: its initials. */
  readonly logo: string | null;
  /** Whose days are those of the buyer's list. */
  readonly timeZone: string;
}

/** Texts of the integrator, read by a strict schema. */
export interface DisplayView {
  readonly title: string | null;
  readonly notes: string | null;
  readonly lineItems: readonly LineItem[];
  readonly taxes: readonly DisplayTax[];
}

export interface LineItem {
  readonly description: string;
  readonly quantity: string | null;
  readonly unitPrice: string | null;
  readonly subtotal: string | null;
}

/** Before sign-in the screens show no line items, notes, money, quote or instructions. */
export interface PagePayment
  extends Pick<
    Payment,
    'id' | 'status' | 'amount' | 'number' | 'externalId' | 'dueDate' | 'returnUrl' | 'version'
  > {
  /** The buyer's order and its books' name of the payment, as the integrator sent them. */
  readonly purchaseOrder: string | null;
  readonly buyerReference: string | null;
  /** The seller's own invoice, which can be downloaded at `path`/attachment. */
  readonly attachment: Pick<Attachment, 'fileName' | 'sizeBytes'> | null;
  /** Documents for the buyer's files, as a packet at `path`/vendor-documents.zip. */
  readonly hasVendorPapers: boolean;
  /** What the integrator said that is paid for. */
  readonly purpose: Purpose | null;
  readonly links: PaymentLinks;
  /** What a person types to name this page. */
  readonly shortId: string;
  /** The seller's legal name. */
  readonly payee: string;
  readonly payeeTaxIdLast4: string | null;
  /** As the integrator sent it, unless its end differs from the known one. */
  readonly payeeTaxId: string | null;
  /** The legal name of the buyer as verified; else the name that the integrator gave. */
  readonly payer: string | null;
  /** Who sent the money, as banks wrote it; empty before the settlement. */
  readonly senderNames: readonly string[];
  /** The legal name of the settlement partner. */
  readonly partner: string | null;
  readonly display: DisplayView;
  readonly money: MoneyView;
  readonly quote: QuoteView | null;
  /** Null unless a quote was refused because of a limit of the payee. */
  readonly limit: AmountLimit | null;
  /** Null unless the buyer asked a colleague to approve. */
  readonly colleagueApproval: ColleagueApproval | null;
  /** The page is for the approver, not for the buyer. */
  readonly isForApprover: boolean;
  /** Who asks the approver, by the proven address; null before sign-in and for the buyer. */
  readonly askedBy: string | null;
  readonly instructions: PayinInstructions | null;
  /** The payments that the same transfer pays, in due order; none if it pays this one alone. */
  readonly together: readonly TogetherView[];
  /** All payments of the transfer that pays this one and others, in due order; else none. */
  readonly members: readonly MemberView[];
  /** The transfers that paid this payment and others; none before the settlement. */
  readonly sharedTransfers: readonly SharedTransfer[];
  /** How long bank details will last; null if they do not end. */
  readonly payWithinDays: number | null;
  /** Open payments of the buyer, as of PaymentPage; 0 where the page asks for no money. */
  readonly openPayments: number;
  /** Null without instructions. */
  readonly check: CheckView | null;
  readonly settlement: SettlementView | null;
  /** Its payout came back after the settlement, and an operator decides what happens. */
  readonly isPayoutBack: boolean;
  /** What the buyer waits for takes longer than it should. */
  readonly isLate: boolean;
  /** By when the operator answers, if one looks into it; null without a promise. */
  readonly answerByMs: number | null;
  /** When it was settled, failed, cancelled or expired; null before, and if it is not known. */
  readonly endedAtMs: number | null;
}

/** A payment that is paid by one transfer with others. */
export type TogetherView = Readonly<{ payment: Payment; missing: Money }>;

export interface MemberView {
  readonly payment: Payment;
  /** What neither went back to the buyer nor is owed to it. */
  readonly arrived: Money;
}

/** Full addresses, for paper. */
export type PaymentLinks = Readonly<{ page: string; verify: string }>;

/** Amounts are minor units of the payment's currency, as in the funds. */
export interface MoneyView
  extends Pick<
    Funds,
    'receivedMinor' | 'refundOwedMinor' | 'refundOrderedMinor' | 'refundedMinor'
  > {
  /** What the payment holds of it (funds.ts). */
  readonly heldMinor: bigint;
  /** The latest of each kind; null if there is none or it is unknown. */
  readonly receivedAtMs: number | null;
  readonly refundOrderedAtMs: number | null;
  readonly refundedAtMs: number | null;
}

export interface KycView {
  /** Another integrator submitted a dossier of the buyer, who confirms two facts of it. */
  readonly asksFacts: boolean;
  /** Whether a step of the form was saved. */
  readonly started: boolean;
  readonly submittedAtMs: number | null;
  /** Hours within which most checks end; null if the partner does not say. */
  readonly usualHours: number | null;
  /** What the partner asks to correct, in the language of the page. */
  readonly corrections: readonly string[];
  readonly correctByMs: number | null;
}

/** The view of a page without a KYC. */
export const noKyc: KycView = {
  asksFacts: false,
  started: false,
  submittedAtMs: null,
  usualHours: null,
  corrections: [],
  correctByMs: null,
};

export interface QuoteView extends QuoteTerms {
  readonly id: string;
}

/** How the buyer can check the bank details. */
export interface CheckView {
  readonly code: string;
  readonly issuedAtMs: number;
  /** When the details were given that these replace; null for the first ones. */
  readonly replacedAtMs: number | null;
  /** Earlier payments of this buyer to this payee; null if that is not known. */
  readonly history: 'new_account' | { readonly sameAsPaidAtMs: number } | null;
}

export interface SettlementView extends SettlementFacts {
  readonly settledAtMs: number;
  readonly transactionHash: string | null;
}

/** `group` gathers events under one heading. */
export type Simulation = Readonly<{ event: SimulatedEvent; group: string }>;

export type Page =
  /** S1, before sign-in. */
  | { readonly name: 'ask' }
  | AccessPage
  /** What a signed-in buyer sees by the state of the payment. */
  | { readonly name: 'payment'; readonly screen: Screen }
  /** KYC without a payment: its start, and what follows the form. */
  | { readonly name: 'kyc'; readonly state: KycState }
  /** S5y: the quote was replaced after `shown` was rendered. */
  | { readonly name: 'price_changed'; readonly shown: QuoteTerms | null }
  /** Before a short payment is returned. */
  | { readonly name: 'take_back' }
  /** A question to the organization; `isRefused`: it has no text, or is too long. */
  | Readonly<{ name: 'question'; key: string; typed: string; isRefused: boolean }>
  /** Links for colleagues; `url`: of the one that was just made, which is shown once. */
  | Readonly<{ name: 'share'; links: readonly ColleagueLink[]; url: string | null }>
  /** The buyer asks a colleague to approve; `problem`: why the typed address is not taken. */
  | Readonly<{ name: 'ask_approver'; typed: string; problem: ApproverProblem | null }>
  /** What the approver sees; `isRefused`: a decline had no reason, or its reason is too long. */
  | { readonly name: 'approval'; readonly typed: string; readonly isRefused: boolean }
  /** All payments of a period. */
  | ({ readonly name: 'payments' } & BuyerPayments)
  /** What the buyer confirms before one transfer pays several payments. */
  | { readonly name: 'together'; readonly offer: ConsolidatedOffer }
  /** Print views. */
  | { readonly name: 'instructions' }
  | { readonly name: 'receipt' }
  | { readonly name: 'remittance' }
  | Readonly<{ name: 'verify'; asked: VerifyForm | null; answer: PageVerifyAnswer }>
  /** `code`: the end of the stop link. */
  | {
      readonly name: 'stop_change';
      readonly code: string;
      readonly state: ChangeState;
      /** The code of the mail was not right. */
      readonly isRefused: boolean;
    }
  | { readonly name: 'not_found' }
  /** `untilMs`: when a limit ends; null without one. */
  | { readonly name: 'problem'; readonly problem: Problem; readonly untilMs: number | null };

export interface BuyerPayments extends BuyerPage {
  readonly period: Period;
  /** Ids of payments that one transfer may pay with others. */
  readonly choices: ReadonlySet<string>;
  /** The boxes of all that fit are ticked; else the one of this payment. */
  readonly isAll: boolean;
}

/** As typed, shown again in the form. */
export interface VerifyForm {
  readonly publicId: string;
  /** A check code, or the account number seen elsewhere. */
  readonly value: string;
}

export type PageVerifyAnswer =
  | { readonly name: 'none' }
  /** `isOver`: the payment awaits no money at these details any more. */
  | { readonly name: 'ours'; readonly givenAtMs: number; readonly isOver: boolean }
  | { readonly name: 'never' }
  /** A field is empty. */
  | { readonly name: 'incomplete' };

export const problems = ['too_many', 'session_over', 'forbidden', 'out_of_order'] as const;
export type Problem = (typeof problems)[number];
