// What a letter says, as facts that are formatted for a language and sentences made of them. The
// catalogues have the sentences; letters.tsx makes the plain text and the HTML of them.
import type { MemberRole } from '../../../core/domain/access/member.js';
import { deadline } from '../../../core/domain/base/deadline.js';
import type { Money } from '../../../core/domain/base/money.js';
import {
  isOwnerNotice,
  type MailPurpose,
  type OrganizationPurpose,
  type OwnerNoticePurpose,
  organizationPurposes,
  ownerNoticePurposes,
} from '../../../core/domain/mail/mail.js';
import type { PaperKind } from '../../../core/domain/parties/vendor-paper.js';
import { displayText, isReference } from '../../../core/domain/payments/display.js';
import type { MailedEvent } from '../../../core/domain/payments/event.js';
import { heldMinor } from '../../../core/domain/payments/funds.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import { situationAmounts } from '../../../core/domain/payments/situation.js';
import { assert } from '../../../core/errors.js';
import type { Letter } from '../../../core/ports/letters.js';
import { type Format, formatOf } from '../kit/format.js';
import { actionNames } from './action-names.js';
import { situationIn } from './situation-texts.js';

/** Each name is one line. Each amount is formatted, with its currency. */
export type LetterFacts = Readonly<{ org: string; writtenAt: string }>;

export interface MemberFacts extends LetterFacts {
  /** What a notice names: a URL, the id of an API key, or the address of a member; else empty. */
  readonly object: string;
  /** The role that the named member has got; null: it was removed. */
  readonly role: MemberRole | null;
}

export type PaymentFacts = ReturnType<typeof paymentFacts>;

export interface InvoiceList {
  readonly count: number;
  /** Null if their currencies differ. */
  readonly total: string | null;
  /** The payee of all of them, else the organization. */
  readonly payee: string;
}

export type DestinationFacts = ReturnType<typeof destinationFacts>;

/** A payment, for those who do not pay it. Empty is what a letter does not say. */
export type DealFacts = ReturnType<typeof dealFacts>;

export type PaperFacts = ReturnType<typeof paperFacts>;

export type ConfirmationFacts = ReturnType<typeof confirmationFacts>;

/** In their order. */
const detailNames = ['number', 'purchaseOrder', 'buyerReference', 'due'] as const;
export type DetailName = (typeof detailNames)[number];

interface LetterParts {
  readonly subject: string;
  /** If it is not the subject. */
  readonly heading?: string;
  /** The end of the heading, in large figures. */
  readonly amount?: string | null;
  readonly paragraphs?: readonly string[];
  /** To “Where is my money?”, “What happens next?” and “What must I do?”. */
  readonly answers?: readonly [money: string, next: string, todo: string];
}

/** The sentences of one letter. Most have paragraphs alone. */
type LetterTexts =
  | LetterParts
  | readonly [subject: string, heading: string, ...paragraphs: readonly string[]];

/** The purposes of letters about a KYC form without a payment. */
export type FormPurpose = 'sign_in' | 'owner_link' | 'kyc_approved' | 'kyc_more' | 'kyc_rejected';
/** The purposes of letters to the approver of a payment. */
export type ApproverPurpose = 'approval_link' | 'sign_in';
/** The purposes of letters to a member of the organization. */
export type MemberPurpose =
  | 'invitation'
  | 'sign_in'
  | Exclude<
      OrganizationPurpose,
      'payout_changed' | 'question' | 'payment_settled' | 'paper_ends' | OwnerNoticePurpose
    >;
export type PaymentPurpose = Exclude<
  MailPurpose,
  'confirmation' | 'owner_link' | 'approval_link' | OrganizationPurpose
>;

export interface LetterCatalogue {
  readonly payment: Readonly<Record<PaymentPurpose, (facts: PaymentFacts) => LetterTexts>>;
  readonly form: Readonly<Record<FormPurpose, (facts: LetterFacts) => LetterTexts>>;
  readonly approver: Readonly<Record<ApproverPurpose, (facts: DealFacts) => LetterTexts>>;
  readonly member: Readonly<Record<MemberPurpose, (facts: MemberFacts) => LetterTexts>>;
  readonly destination: (facts: DestinationFacts) => LetterTexts;
  /** To a member who is signed in. */
  readonly confirmation: (facts: ConfirmationFacts) => LetterTexts;
  /** To the organization. */
  readonly question: (facts: DealFacts) => LetterTexts;
  /** To the payee. */
  readonly settled: (facts: DealFacts & { readonly settled: string }) => LetterTexts;
  /** To the payee, about a document for its buyers. */
  readonly paper: (facts: PaperFacts) => LetterTexts;
  readonly paperKinds: Readonly<Record<PaperKind, string>>;
  /** To its owners. */
  readonly moved: Readonly<Record<MailedEvent, (facts: DealFacts) => LetterTexts>>;
  /** To its owners, about a payment. */
  readonly owner: Readonly<
    Record<Exclude<OwnerNoticePurpose, 'money_moved'>, (facts: DealFacts) => LetterTexts>
  >;
  readonly frame: {
    readonly test: string;
    readonly via: string;
    /** Parts of one line, in small letters. */
    readonly details: Readonly<Record<DetailName, (value: string) => string>>;
    readonly questions: readonly [money: string, next: string, todo: string, ask: string];
    /** Where a payment stands, for the organization. */
    readonly now: (text: string) => string;
    readonly openPayment: string;
    readonly openForm: string;
    readonly openDashboard: string;
    readonly stopChange: string;
    readonly openProof: string;
    readonly code: string;
    /** No browser asked for the mail. */
    readonly codeOfPage: string;
    /** `withCode`: the mail has a code, too. */
    readonly until: (moment: string, withCode: boolean) => string;
    readonly doNotForward: string;
    readonly neverBankDetails: string;
    /** Who opens the page of a member decides nothing by it. */
    readonly untilOfMember: (moment: string, withCode: boolean) => string;
    readonly unexpected: string;
    /** Who is signed in asked for it. */
    readonly notAsked: string;
    readonly anyQuestions: string;
    /** `email`: the support address of the organization, to which answers go. */
    readonly help: (org: string, email: string | null, reference: string) => string;
    /** The end of a list of invoices that is cut. */
    readonly moreInvoices: (count: number) => string;
    readonly copyLink: string;
  };
}

/** Letters about payments and destinations that no buyer gets. */
const toOrganization: ReadonlySet<MailPurpose> = new Set([
  'payout_changed',
  'question',
  'payment_settled',
  'paper_ends',
  ...ownerNoticePurposes,
]);

export function isToBuyer({ purpose }: Pick<Letter, 'purpose'>): boolean {
  return !toOrganization.has(purpose);
}

/**
 * Times for members and sellers are those of the organization, as in its dashboard; for others they
 * are in UTC, because a mail does not know where it is read. Each names its zone.
 */
export function formatFor(letter: Letter): Format {
  const { locale, organization, isToMember } = letter;
  const isInside = isToMember || !isToBuyer(letter);
  return formatOf(locale, isInside ? { timeZone: organization.timeZone } : {});
}

/** The names and ids in the sentences, as they are written there. */
export function exactNamesIn(letter: Letter): readonly string[] {
  const { organization, about, account, object, keyId, reference } = letter;
  const { payment } = about ?? {};
  const names = [
    organization.name,
    organization.supportEmail,
    payment?.payeeName,
    ...letter.invited.map(({ payeeName }) => payeeName),
    payment?.buyer.name,
    payment?.colleagueApproval?.email,
    account?.displayName ?? account?.legalName,
    account?.externalId,
  ].map((name) => (name == null ? null : oneLine(name)));
  return [...names, account?.id, keyId, reference, shownObject(object)].filter(
    (name) => name != null && name !== '',
  ) as readonly string[];
}

/** Without its scheme: the only link of a mail is that of its page. */
function shownObject(object: string | null): string {
  return object?.replace(/^https?:\/\//, '') ?? '';
}

/** The sentences for a letter. */
export function textsOf(catalogue: LetterCatalogue, letter: Letter): LetterParts {
  const texts = chosenTexts(catalogue, letter);
  if ('subject' in texts) return texts;
  const [subject, heading, ...paragraphs] = texts;
  return { subject, heading, paragraphs };
}

function chosenTexts(catalogue: LetterCatalogue, letter: Letter): LetterTexts {
  const { purpose } = letter;
  if (purpose === 'payout_changed') return catalogue.destination(destinationFacts(letter));
  if (purpose === 'confirmation') return catalogue.confirmation(confirmationFacts(letter));
  if (purpose === 'question') {
    assert(letter.question !== null, 'a question has a text');
    return catalogue.question(dealFacts(letter));
  }
  if (purpose === 'payment_settled') {
    const { settled, ...facts } = dealFacts(letter);
    assert(settled !== null && letter.pageEndsAtMs !== null, 'it is settled');
    return catalogue.settled({ ...facts, settled });
  }
  if (purpose === 'paper_ends') return catalogue.paper(paperFacts(catalogue, letter));
  if (purpose === 'money_moved') {
    assert(letter.moved !== null, 'money has moved');
    return catalogue.moved[letter.moved.name](dealFacts(letter));
  }
  if (isOwnerNotice(purpose)) return catalogue.owner[purpose](dealFacts(letter));
  if (letter.isToMember) {
    assert(isOf(catalogue.member, purpose), `${purpose} is not to a member`);
    const object = shownObject(letter.object);
    return catalogue.member[purpose]({ ...commonFacts(letter), object, role: letter.role });
  }
  if (letter.isToApprover || purpose === 'approval_link') {
    assert(isOf(catalogue.approver, purpose), `${purpose} is not to an approver`);
    return catalogue.approver[purpose](dealFacts(letter));
  }
  if (letter.about === null || purpose === 'owner_link') {
    assert(isOf(catalogue.form, purpose), `${purpose} is about a payment`);
    return catalogue.form[purpose](commonFacts(letter));
  }
  assert(isPaymentPurpose(purpose), 'it is to a member');
  return catalogue.payment[purpose](paymentFacts(letter, letter.about));
}

/** Where the payment is as its mail is sent, as the dashboard says it; null for another letter. */
export function standingOf(catalogue: LetterCatalogue, letter: Letter): string | null {
  const { about, purpose, locale, organization, writtenAtMs } = letter;
  if (about === null || !(purpose === 'question' || isOwnerNotice(purpose))) return null;
  const { buyer, payeeName } = about.payment;
  const { what, next } = situationIn(locale, formatFor(letter), {
    view: about,
    buyer: oneLine(buyer.name ?? buyer.email),
    payee: oneLine(payeeName ?? organization.name),
    timeZone: organization.timeZone,
    nowMs: writtenAtMs,
  });
  return catalogue.frame.now([what, next].filter((part) => part !== '').join(' '));
}

/** The number of the payment, else its external id; null if a buyer cannot know it. */
export function handleOf(letter: Letter): string | null {
  const { about, reference } = letter;
  const isNamed = about !== null && reference !== about.payment.id && !isOfMany(letter);
  return isNamed ? reference : null;
}

/** What the buyer's books need of the payment, on one line; null if it has nothing of it. */
export function detailsOf(catalogue: LetterCatalogue, letter: Letter): string | null {
  return letter.about === null || isOfMany(letter)
    ? null
    : detailsIn(catalogue, letter, letter.about.payment);
}

/** Lines of a letter: what follows is on the page. */
const LISTED_MAX = 25;

/** The lines of an invitation to several invoices, and how many are left out. */
export function invoicesIn(catalogue: LetterCatalogue, letter: Letter) {
  const { invited } = letter;
  if (!isOfMany(letter)) return { lines: [], others: 0 };
  const { money } = formatFor(letter);
  const payees = new Set(invited.map(({ payeeName }) => payeeName));
  const lines = invited.slice(0, LISTED_MAX).map((payment) => {
    const { number, purchaseOrder, buyerReference } = bookFacts(letter, payment);
    const isNamed = number ?? purchaseOrder ?? buyerReference;
    const named = [isNamed ? null : payment.id, detailsIn(catalogue, letter, payment)];
    const details = named.filter((text) => text !== null).join(', ');
    const payee = oneLine(payment.payeeName ?? letter.organization.name);
    return `${details}${payees.size > 1 ? ` (${payee})` : ''}: ${money(payment.amount)}`;
  });
  return { lines, others: invited.length - lines.length };
}

function isOfMany({ invited }: Letter): boolean {
  return invited.length > 1;
}

function invoiceListOf(letter: Letter): InvoiceList | null {
  const { invited, organization } = letter;
  const [first] = invited;
  if (first === undefined || !isOfMany(letter)) return null;
  const { currency } = first.amount;
  const isOneCurrency = invited.every(({ amount }) => amount.currency === currency);
  const amountMinor = invited.reduce((sum, { amount }) => sum + amount.amountMinor, 0n);
  const isOnePayee = invited.every(({ payeeName }) => payeeName === first.payeeName);
  return {
    count: invited.length,
    total: isOneCurrency ? formatFor(letter).money({ amountMinor, currency }) : null,
    payee: oneLine((isOnePayee ? first.payeeName : null) ?? organization.name),
  };
}

function detailsIn(catalogue: LetterCatalogue, letter: Letter, payment: Payment): string | null {
  const facts = bookFacts(letter, payment);
  const known = detailNames.flatMap((name) => {
    const value = facts[name];
    return value === null ? [] : [catalogue.frame.details[name](value)];
  });
  const [first = '', ...rest] = known.join(', ');
  return first === '' ? null : `${first.toUpperCase()}${rest.join('')}`;
}

/** Other texts could be sentences. */
function referenceIn(text: string | null): string | null {
  return text !== null && isReference(text) ? text : null;
}

function isPaymentPurpose(
  purpose: Exclude<MailPurpose, 'confirmation' | 'owner_link' | 'approval_link'>,
): purpose is PaymentPurpose {
  const others: readonly MailPurpose[] = organizationPurposes;
  return !others.includes(purpose);
}

function isOf<P extends string>(part: Readonly<Record<P, unknown>>, purpose: string): purpose is P {
  return Object.hasOwn(part, purpose);
}

function commonFacts(letter: Letter): LetterFacts {
  const { organization, writtenAtMs } = letter;
  return { org: oneLine(organization.name), writtenAt: formatFor(letter).instant(writtenAtMs) };
}

function confirmationFacts(letter: Letter) {
  const { action, locale } = letter;
  assert(action !== null, 'a confirmation is of an action');
  const common = commonFacts(letter);
  return { ...common, action: actionNames[locale][action](common.org) };
}

function destinationFacts(letter: Letter) {
  const { account } = letter;
  const common = commonFacts(letter);
  const externalId = account?.externalId ?? '';
  const idOfAccount = isReference(externalId) ? externalId : account?.id;
  const name = account?.displayName ?? account?.legalName ?? idOfAccount;
  return {
    ...common,
    /** Whose PIX destination it is. */
    owner: name === undefined ? common.org : oneLine(name),
    /** Null: the organization itself. */
    sellerId: account?.id ?? null,
    /** It replaces none. */
    isFirst: letter.isFirst,
    /** The API key that changed it; null: the operator of the service did. */
    keyId: letter.keyId,
    /** When a held change takes effect; null: at once. */
    effectiveAt: letter.link && formatFor(letter).instant(letter.link.endsAtMs),
  };
}

function dealFacts(letter: Letter) {
  const { about, object, question, moved, pageEndsAtMs, hasReceipt: hasProof } = letter;
  assert(about !== null, 'the letter is about a payment');
  const { payee, amount } = paymentFacts(letter, about);
  const { name, email } = about.payment.buyer;
  const { money, instant } = formatFor(letter);
  const settlement = letter.purpose === 'money_moved' ? null : about.payment.settlement;
  const settled = moved?.settled ?? settlement?.settled ?? null;
  return {
    ...commonFacts(letter),
    payee,
    amount,
    /** The buyer as the payment names it. */
    buyer: oneLine(name ?? email),
    // An address is what an answer goes to: it may be a link.
    mailbox: email.trim(),
    /** The address of the member who approved it. */
    approver: object?.trim() ?? '',
    question: withoutLinks(question ?? ''),
    moved: moved === null ? '' : money(moved.amount),
    /** What the payee received, or what moved to it; null for nothing. */
    settled: settled === null ? null : money(settled),
    /** The proof is attached. */
    hasProof,
    /** When the link to the proof ends. */
    until: pageEndsAtMs === null ? '' : instant(pageEndsAtMs),
  };
}

function paperFacts(catalogue: LetterCatalogue, letter: Letter) {
  const { paper, account } = letter;
  assert(paper !== null && paper.expiresOn !== null, 'the letter is about a document that ends');
  const name = account?.displayName ?? account?.legalName ?? account?.externalId ?? account?.id;
  return {
    ...commonFacts(letter),
    kind: catalogue.paperKinds[paper.kind],
    lastDay: formatFor(letter).date(paper.expiresOn) ?? paper.expiresOn,
    /** Null: it is the organization's. */
    seller: name === undefined ? null : oneLine(name),
  };
}

function paymentFacts(letter: Letter, about: NonNullable<Letter['about']>) {
  const { payment, funds } = about;
  const { writtenAtMs } = letter;
  const format = formatFor(letter);
  const { money } = format;
  const payByMs = payment.payinInstructions?.payByMs ?? null;
  const { currency, amountMinor } = payment.amount;
  const inCurrency = (minor: bigint): string => money({ amountMinor: minor, currency });
  const received = funds.receivedMinor;
  const amounts = situationAmounts(about);
  const settled: Money | null = payment.settlement?.settled ?? null;
  const declined = payment.colleagueApproval?.reason ?? null;
  return {
    ...commonFacts(letter),
    payee: oneLine(payment.payeeName ?? letter.organization.name),
    amount: money(payment.amount),
    ...bookFacts(letter, payment),
    /** The invoices of an invitation; null if it is for one. */
    invoices: invoiceListOf(letter),
    received: money(amounts.received),
    missing: money(amounts.missing),
    /** Some of the money arrived. */
    isPart: received > 0n,
    /** By when the money must arrive; null if the partner does not say. */
    payBy:
      payByMs === null
        ? null
        : deadline(payByMs, writtenAtMs, format.deadline(payByMs, writtenAtMs)),
    /** What was sent beyond the amount; null if nothing. */
    surplus: received > amountMinor ? inCurrency(received - amountMinor) : null,
    goesBack: money(amounts.goesBack),
    refunded: money(amounts.wentBack),
    /** What the payee received; null before the settlement. */
    settled: settled === null ? null : money(settled),
    /** The receipt is attached. */
    hasReceipt: letter.hasReceipt,
    /** The bank details replace those that were given before. */
    isReplacement: letter.isReplacement,
    /** Money of the buyer has not left the partner for sure. */
    isHeld: heldMinor(funds) + funds.payoutMinor > 0n,
    /** A person must return the money. */
    isReturnedByHand: funds.refund === 'needs_review',
    /** Whom the buyer asked to approve; empty: nobody. */
    approver: payment.colleagueApproval?.email ?? '',
    /** Why the approver declined; null if it did not. */
    declineReason: declined === null ? null : withoutLinks(declined),
  };
}

function bookFacts(letter: Letter, payment: Payment) {
  return {
    number: referenceIn(payment.number),
    purchaseOrder: referenceIn(payment.purchaseOrder),
    // The letter calls it `your reference`.
    buyerReference: isToBuyer(letter) ? referenceIn(payment.buyerReference) : null,
    due: payment.dueDate === null ? null : formatFor(letter).date(payment.dueDate),
  };
}

/** For free text of integrators, in characters. */
const NAME_LENGTH_MAX = 100;
/**
 * Within these, mail programs find addresses; an abbreviation such as `S.A.` and a number such as
 * `2026/101` have none.
 */
const linkMarks = /[.:@](?=\/|[\p{L}\p{N}-]{2})|\/(?=\/)/gu;
const WORD_JOINER = '\u2060';

/**
 * An integrator's text must not start a line or a header, and no part of it becomes a link: an
 * invisible character breaks addresses, so that `Shop.com` stays a name.
 */
export function oneLine(text: string): string {
  const line = [...(displayText(text) ?? '').replaceAll(/\s+/gu, ' ')];
  const cut =
    line.length <= NAME_LENGTH_MAX ? line.join('') : `${line.slice(0, NAME_LENGTH_MAX).join('')}…`;
  return withoutLinks(cut);
}

function withoutLinks(line: string): string {
  return line.replaceAll(linkMarks, `$&${WORD_JOINER}`);
}
