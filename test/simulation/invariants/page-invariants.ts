// Invariants of what buyers see: each state that a payment reaches has a page, in every language,
// with all of the money; and bank details that a page shows are those that were signed.

import { createPublicKey, verify } from 'node:crypto';
import { paymentView } from '../../../adapters/pages/buyer/payment-view.js';
import { renderPage } from '../../../adapters/pages/buyer/render.js';
import { catalogues } from '../../../adapters/pages/hosted/texts.js';
import { formatOf } from '../../../adapters/pages/kit/format.js';
import { newPageSession } from '../../../core/domain/access/session.js';
import { type Locale, locales } from '../../../core/domain/base/locale.js';
import { money } from '../../../core/domain/base/money.js';
import { sameTenant, tenantOf } from '../../../core/domain/base/tenant.js';
import { settlementsOf } from '../../../core/domain/commands/settlement.js';
import { screenOf } from '../../../core/domain/hosted/hosted-screen.js';
import { isPayoutBack } from '../../../core/domain/money-desk/money-decision.js';
import { kycStateOf } from '../../../core/domain/parties/buyer-kyc.js';
import { newOrganization, type Organization } from '../../../core/domain/parties/organization.js';
import { bankDetailsRecord, checkCodeOf } from '../../../core/domain/payments/bank-record.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import { isTerminal } from '../../../core/domain/payments/payment.js';
import {
  publicJwk,
  type ServiceKey,
  serviceKeyPurpose,
} from '../../../core/domain/service/service-key.js';
import { moneyTimesOf, type PaymentPage } from '../../../core/usecases/hosted/payment-page.js';
import { openBox } from '../world/simulated-host.js';
import type { ObservedPayment } from './observed-payment.js';
import { eachPayment, type ObservedState } from './observed-state.js';

/** What was received, goes back and was returned is on the page, and adds up. */
export function everyPageNamesTheMoney(observed: ObservedState): string | null {
  return eachPayment(observed, (found) => {
    // A quote that is over has another page.
    const { updatedAtMs } = found.payment;
    const moments = [updatedAtMs, ...(found.quote === null ? [] : [found.quote.expiresAtMs])];
    for (const nowMs of moments) {
      const shown = pageOf(observed, found, nowMs);
      const facts = factsOf(shown);
      if (rightPages.has(facts)) continue;
      const wrong = wrongAmounts(shown, found) ?? wrongText(shown);
      if (wrong !== null) return `on ${shown.screen} (${facts}): ${wrong}`;
      rightPages.add(facts);
    }
    return null;
  });
}

/** Each change has another record and check code, and every record is signed. */
export function bankDetailsNeverChangeSilently(observed: ObservedState): string | null {
  return eachPayment(observed, ({ payment, bankDetails }) => {
    const { payinInstructions, bankDetailsCode } = payment;
    if (payinInstructions === null) {
      return bankDetails.length === 0 ? null : 'took back bank details that it gave';
    }
    const [given, ...more] = bankDetails.filter(({ checkCode }) => checkCode === bankDetailsCode);
    if (given === undefined || more.length > 0) return 'has not one record of its bank details';
    // Those of one millisecond have no order.
    const isReplaced = given.issuedAtMs !== bankDetails.at(-1)?.issuedAtMs;
    if (isReplaced) return 'shows bank details that were replaced';
    const record = bankDetailsRecord(payment, payinInstructions, given.issuedAtMs);
    if (given.record !== record) return `shows ${record}, but gave ${given.record}`;
    for (const details of bankDetails) {
      if (checkCodeOf(details.record) !== details.checkCode) return 'has a code of another record';
      if (!isSigned(details, observed.recordKeys)) return `did not sign ${details.record}`;
    }
    return null;
  });
}

/** Facts whose pages are right. They decide everything but the digits, so few are rendered. */
const rightPages = new Set<string>();

type Shown = PaymentPage & Pick<ObservedPayment, 'bankDetails'>;

function factsOf({ payment, funds, quote, kyc, screen, check, bankDetails }: Shown): string {
  const { receivedMinor, refundOwedMinor, refundOrderedMinor, refundedMinor } = funds;
  const goingBackMinor = refundOwedMinor + refundOrderedMinor;
  const keptMinor = receivedMinor - goingBackMinor - refundedMinor;
  const needsReviewMinor = payment.amount.amountMinor - receivedMinor;
  const amounts = [
    payment.amount.amountMinor,
    receivedMinor,
    refundOwedMinor,
    refundOrderedMinor,
    goingBackMinor,
    refundedMinor,
    funds.payoutMinor,
    funds.lossMinor,
    keptMinor,
    needsReviewMinor,
  ];
  // Which of them are nothing, and which are equal.
  const shape = amounts.map((amount) => (amount <= 0n ? '-' : amounts.indexOf(amount)));
  return [
    payment.status,
    funds.position,
    funds.refund,
    screen,
    kyc,
    payment.mode,
    shape.join(''),
    quote?.rateKind,
    payment.settlement !== null,
    payment.payinInstructions !== null,
    check?.replacedAtMs === null,
    bankDetails.length,
  ].join(' ');
}

function consolidatedOf({ payments }: ObservedState, { consolidatedReference, orgId }: Payment) {
  if (consolidatedReference === null) return [];
  return [...payments.values()].filter(
    ({ payment: one }) =>
      one.consolidatedReference === consolidatedReference && one.orgId === orgId,
  );
}

/** As the pages read it. */
function pageOf(observed: ObservedState, found: ObservedPayment, nowMs: number): Shown {
  const { payment, funds, quote, bankDetails, commands } = found;
  const submission =
    [...observed.parties.kyc.values()].find(
      (one) => one.buyerId === payment.buyerId && sameTenant(one, payment),
    ) ?? null;
  const kycStatus = submission?.status ?? 'not_started';
  const kyc = kycStateOf(kycStatus, submission);
  const { payinInstructions: instructions } = payment;
  const facts = { payment, funds, kyc, quote, instructions, isOnHold: false };
  const [given, before] = bankDetails.toReversed();
  return {
    payment,
    funds,
    kycStatus,
    settlements: settlementsOf(commands),
    organization,
    quote,
    submission,
    kyc,
    asksFacts: false,
    attachment: null,
    hasVendorPapers: false,
    consolidated: consolidatedOf(observed, payment),
    sharedTransfers: [],
    openPayments: 1,
    nowMs,
    bankDetails,
    screen: screenOf(facts, nowMs),
    payeeTaxIdLast4: null,
    isLate: false,
    isPayoutBack: commands.some(isPayoutBack),
    check:
      given === undefined
        ? null
        : { ...given, replacedAtMs: before?.issuedAtMs ?? null, history: { kind: 'new' } },
    moneyTimes: moneyTimesOf(found.postings, commands),
    endedAtMs: null,
    pageVersion: '1.0',
  };
}

/** Held is what is neither paid out nor goes back: nothing once the payment is over. */
function wrongAmounts(shown: Shown, { commands }: ObservedPayment): string | null {
  const { payment, funds } = shown;
  const { money: sums } = viewIn('en', shown).payment ?? {};
  if (sums === undefined) return 'nothing of the payment is shown';
  const backMinor = sums.refundOwedMinor + sums.refundOrderedMinor + sums.refundedMinor;
  const heldMinor = sums.receivedMinor + funds.lossMinor - funds.payoutMinor - backMinor;
  const isOver = isTerminal(payment.status) || funds.payoutMinor > 0n;
  // The seller of a settled payment may be paid again.
  const isAgain = commands.some(({ kind, state }) => kind === 'payout' && state === 'pending');
  const mostMinor = isOver && !isAgain ? 0n : payment.amount.amountMinor;
  const isRight = heldMinor >= 0n && heldMinor <= mostMinor;
  return isRight ? null : `holds ${heldMinor} of at most ${mostMinor} by what is shown`;
}

function wrongText(shown: Shown): string | null {
  const { currency, receivedMinor, refundOwedMinor, refundOrderedMinor, refundedMinor } =
    shown.funds;
  const all = [receivedMinor, refundOwedMinor + refundOrderedMinor, refundedMinor];
  const amounts = all.filter((amount) => amount > 0n);
  for (const locale of locales) {
    const text = textOf(renderPage(viewIn(locale, shown)));
    if (/undefined|NaN|\[object/.test(text)) return `${locale}: ${text}`;
    for (const amountMinor of amounts) {
      const amount = formatOf(locale).money(money(amountMinor, currency));
      if (!names(text, amount)) return `${locale}: no ${amount} in ${text}`;
    }
    const { nothing, nothingYet } = catalogues[locale].answers;
    const denied = [nothing, nothingYet].find((denial) => text.includes(denial));
    if (amounts.length > 0 && denied !== undefined) return `${denied} although there is money`;
  }
  return null;
}

function viewIn(locale: Locale, shown: Shown) {
  const { payment, nowMs } = shown;
  const none = { submissionId: null, accountId: null, ownerIndex: null };
  const subject = { ...tenantOf(payment), ...none, kind: 'buyer', paymentId: payment.id } as const;
  const session = newPageSession(subject, 'token', nowMs);
  const call = {
    base: `/r/${payment.publicId}`,
    csrf: 'csrf',
    session,
    query: new URLSearchParams(),
    chosenLocale: locale,
    browserLocale: null,
    hasDecimalPoint: false,
  };
  const page = { name: 'payment', screen: shown.screen } as const;
  const partners = { test: null, live: null };
  const legal = { privacyUrl: null, termsUrl: null };
  const settings = { payUrl: 'https://pay.example', legal, answerDays: null };
  const deps = { secretBox: openBox, partners, settings };
  return paymentView({ deps, prefix: '', mailbox: null }, call, shown, page);
}

const organization: Organization = {
  ...newOrganization('org', 'Org', 0),
  supportEmail: 'help@org.example',
};

/** What a person reads. */
function textOf(html: string): string {
  const body = html.slice(html.indexOf('<body'));
  return body.replace(/<[^>]*>/g, ' ').replace(/[ \n]+/g, ' ');
}

/** Not as the end of a longer number. */
function names(text: string, amount: string): boolean {
  return text.split(amount).some((before, index, parts) => {
    return index < parts.length - 1 && !/[\d.,]$/.test(before);
  });
}

const signed = new Set<string>();

/** By the published key alone: RFC 7515, appendix F. */
function isSigned(
  { record, signature, keyId }: ObservedPayment['bankDetails'][number],
  keys: readonly ServiceKey[],
): boolean {
  const known = `${signature} ${record}`;
  if (signed.has(known)) return true;
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) return false;
  const bytes = Buffer.from(openBox.open(key.sealed, serviceKeyPurpose(key)), 'base64');
  const publicKey = createPublicKey({
    key: { ...publicJwk({ id: key.id, bytes }) },
    format: 'jwk',
  });
  const [head = '', , tail = ''] = signature.split('.');
  const text = Buffer.from(`${head}.${Buffer.from(record).toString('base64url')}`);
  const isRight = verify(null, text, publicKey, Buffer.from(tail, 'base64url'));
  if (isRight) signed.add(known);
  return isRight;
}
