// An invoice as a member types it, in the form or as a line of a file: its faults, and the create
// that it becomes.
import { countries } from '../../../../core/domain/base/countries.js';
import { emailProblem, readEmail } from '../../../../core/domain/base/email-address.js';
import { isCalendarDate } from '../../../../core/domain/base/instant.js';
import { type Locale, localeOf } from '../../../../core/domain/base/locale.js';
import {
  formatAmount,
  hasOtherGroups,
  type Money,
  money,
  parseAmount,
  parseTypedAmount,
  parseTypedRate,
} from '../../../../core/domain/base/money.js';
import { hasUnstorableText, writeJson } from '../../../../core/domain/base/raw-json.js';
import { plainSigns } from '../../../../core/domain/base/typed-text.js';
import { DISPLAY_TEXT_LENGTH_MAX as TEXT_MAX } from '../../../../core/domain/payments/display.js';
import { fiscalDocumentOfKey } from '../../../../core/domain/payments/fiscal-document.js';
import { unsentFields } from '../../../../core/domain/payments/idempotency.js';
import {
  type PayerRelation,
  payerRelationNames,
} from '../../../../core/domain/payments/payer-relation.js';
import { type Purpose, purposeNames } from '../../../../core/domain/payments/purpose.js';
import { assert } from '../../../../core/errors.js';
import { isBelowMinimum } from '../../../../core/usecases/payments/payments.js';
import type { FieldError } from '../../kit/fields.js';
import { formatOf } from '../../kit/format.js';
import { formKey, idempotencyKeyOf } from '../../kit/pages/form-key.js';
import type { DashboardTexts } from '../texts/dashboard-en.js';

/** Empty lines that a new form begins with. */
const LINES_FIRST = 2;
export const LINES_MAX = 40;
/** As the API takes them. */
export const NUMBER_MAX = 100;
export const NAME_MAX = 200;

export type TypedLine = Readonly<{ item: string; quantity: string; amount: string }>;

/** As typed. */
export interface TypedInvoice {
  readonly key: string;
  /** The externalId of a seller; empty: the organization itself. */
  readonly seller: string;
  readonly name: string;
  readonly email: string;
  readonly locale: Locale;
  readonly number: string;
  readonly due: string;
  readonly currency: string;
  readonly notes: string;
  readonly purchaseOrder: string;
  /** Two letters of ISO 3166; empty: the buyer says it. */
  readonly country: string;
  /** A name of `purposes`; empty: none. */
  readonly purpose: string;
  /** A name of `payerRelations`; empty: none. */
  readonly payerRelation: string;
  /** BRL per unit; empty: none. */
  readonly bookedRate: string;
  /** The access key of an NF-e or NFS-e; empty: none. */
  readonly fiscalKey: string;
  /** The whole number under which the seller pays taxes. */
  readonly taxId: string;
  /** One after another, with semicolons between them. */
  readonly taxes: string;
  /** The id of the uploaded document; empty: none. */
  readonly attachment: string;
  readonly lines: readonly TypedLine[];
}

/** Refusals of the use case, and the field beside which each stands. */
export const refusals = [
  { code: 'KybNotApproved', field: 'seller' },
  { code: 'SellerNotReady', field: 'seller' },
  { code: 'AmountBelowMinimum', field: 'amount0' },
  { code: 'AmountAboveCap', field: 'amount0' },
  { code: 'PaymentMissingFields', field: 'purpose' },
  { code: 'ValidationError', field: 'currency' },
] as const;

export const noLine: TypedLine = { item: '', quantity: '', amount: '' };

export function typedIn(form: Readonly<Record<string, string>>): TypedInvoice {
  const text = (name: string) => (form[name] ?? '').trim();
  const has = (at: number) => `item${at}` in form || `amount${at}` in form;
  const lines = Array.from({ length: LINES_MAX }, (_, at) => at)
    .filter((at) => has(at) || at < LINES_FIRST)
    .map((at) => ({
      item: text(`item${at}`),
      quantity: plainSigns(text(`quantity${at}`)),
      amount: text(`amount${at}`),
    }));
  return {
    key: text('key'),
    seller: text('seller'),
    name: text('name'),
    email: text('email'),
    locale: localeOf(text('locale')) ?? 'en',
    number: text('number'),
    due: plainSigns(text('due')).trim(),
    currency: /^[A-Z]{3}$/.test(text('currency')) ? text('currency') : 'USD',
    attachment: text('attachment'),
    purchaseOrder: text('purchaseOrder'),
    country: text('country').toUpperCase(),
    purpose: text('purpose'),
    payerRelation: text('payerRelation'),
    bookedRate: text('bookedRate'),
    fiscalKey: text('fiscalKey'),
    taxId: text('taxId'),
    taxes: text('taxes'),
    notes: (form['notes'] ?? '').replaceAll('\r\n', '\n').trim(),
    lines,
  };
}

export function isEmpty({ item, quantity, amount }: TypedLine): boolean {
  return item === '' && quantity === '' && amount === '';
}

/** The sum of the lines; null while one of them has no amount. */
export function totalOf({ lines, currency }: TypedInvoice): Money | null {
  const amounts = lines.filter((line) => !isEmpty(line)).map(({ amount }) => typedAmount(amount));
  if (amounts.length === 0 || amounts.includes(null)) return null;
  return money(
    amounts.reduce((sum: bigint, amount) => sum + (amount ?? 0n), 0n),
    currency,
  );
}

/** More than the API takes. */
function isTooMuch(total: Money | null): boolean {
  return total !== null && parseAmount(formatAmount(total.amountMinor)) === null;
}

/** Null unless it is above zero. */
export function typedAmount(text: string): bigint | null {
  const amountMinor = parseTypedAmount(text);
  return amountMinor === null || amountMinor === 0n ? null : amountMinor;
}

export function faultsIn(
  texts: DashboardTexts['invoice'],
  typed: TypedInvoice,
): readonly FieldError[] {
  const { faults, refused } = texts;
  const { name, email, number, due, notes, lines, country, purpose } = typed;
  const { payerRelation: relation, bookedRate: rate, fiscalKey: key } = typed;
  const faultOf = (field: string, isFault: boolean, text: string) =>
    isFault ? [{ field, text }] : [];
  const isLong = (text: string, max: number) => [...text].length > max || hasUnstorableText(text);
  const ofLines = lines.flatMap((line, at) => {
    if (isEmpty(line)) return [];
    return [
      ...faultOf(`item${at}`, line.item === '' || isLong(line.item, TEXT_MAX), faults.item),
      ...faultOf(`quantity${at}`, !/^([0-9][0-9.,]{0,14})?$/.test(line.quantity), faults.quantity),
      ...faultOf(
        `amount${at}`,
        typedAmount(line.amount) === null,
        hasOtherGroups(line.amount) ? faults.groups : faults.amount,
      ),
    ];
  });
  const total = totalOf(typed);
  return [
    ...faultOf('name', isLong(name, NAME_MAX), faults.name),
    ...faultOf('email', readEmail(email) === null, emailFault(texts, email)),
    ...faultOf('number', isLong(number, NUMBER_MAX), faults.number),
    ...faultOf('due', due !== '' && !isCalendarDate(due), faults.due),
    ...ofLines,
    ...faultOf('item0', lines.every(isEmpty), faults.noLine),
    ...faultOf('amount0', isTooMuch(total), faults.total),
    ...faultOf('amount0', total !== null && isBelowMinimum(total), refused.AmountBelowMinimum),
    ...faultOf('notes', isLong(notes, TEXT_MAX), faults.notes),
    ...faultOf('purchaseOrder', isLong(typed.purchaseOrder, NUMBER_MAX), faults.purchaseOrder),
    ...faultOf('country', country !== '' && !countries.includes(country), faults.country),
    ...faultOf('purpose', purpose !== '' && purposeOf(purpose) === null, faults.purpose),
    ...faultOf(
      'payerRelation',
      relation !== '' && relationOf(relation) === null,
      faults.payerRelation,
    ),
    ...faultOf('bookedRate', rate !== '' && parseTypedRate(rate) === null, faults.bookedRate),
    ...faultOf('fiscalKey', key !== '' && fiscalDocumentOfKey(key) === null, faults.fiscalKey),
    ...faultOf('taxId', isLong(typed.taxId, NUMBER_MAX), faults.taxId),
    ...faultOf('taxes', isLong(typed.taxes, TEXT_MAX), faults.taxes),
  ];
}

/** A domain is what people leave out most. */
function emailFault({ faults }: DashboardTexts['invoice'], email: string): string {
  if (email === '') return faults.email;
  if (emailProblem(email) === 'international') return faults.international;
  return /^[^@\s]+@[^@.\s]+$/.test(email) ? faults.domain(email) : faults.notAnAddress;
}

export function invoiceOf(typed: TypedInvoice) {
  const { key, seller, name, email, number, due, notes, attachment, locale, lines } = typed;
  const { purchaseOrder, country, purpose, taxId } = typed;
  const amount = totalOf(typed);
  assert(amount !== null, 'a form without faults has an amount');
  const { digits } = formatOf(locale);
  const lineItems = lines
    .filter((line) => !isEmpty(line))
    .map(({ item, quantity, amount: text }) => ({
      description: item,
      ...(quantity === '' ? {} : { quantity }),
      subtotal: digits(money(parseTypedAmount(text) ?? 0n, amount.currency)),
    }));
  const taxes = typed.taxes
    .split(';')
    .map((tax) => ({ description: tax.trim() }))
    .filter(({ description }) => description !== '');
  const display = {
    locale,
    lineItems,
    ...(notes === '' ? {} : { notes }),
    ...(taxes.length === 0 ? {} : { taxes }),
    ...(taxId === '' ? {} : { sellerTaxId: taxId }),
  };
  return {
    ...unsentFields,
    origin: 'invoice',
    idempotencyKey: formKey.safeParse(key).success ? idempotencyKeyOf(key) : null,
    amount,
    buyer: {
      email: readEmail(email) ?? email,
      name: name === '' ? null : name,
      country: country === '' ? null : country,
      phone: null,
    },
    sellerExternalId: seller === '' ? null : seller,
    purpose: purposeOf(purpose),
    payerRelation: relationOf(typed.payerRelation),
    bookedRate: parseTypedRate(typed.bookedRate),
    fiscalDocument: fiscalDocumentOfKey(typed.fiscalKey),
    purchaseOrder: purchaseOrder === '' ? null : purchaseOrder,
    number: number === '' ? null : number,
    dueDate: due === '' ? null : due,
    attachmentDocumentId: attachment === '' ? null : attachment,
    display: writeJson(display),
  } as const;
}

function relationOf(text: string): PayerRelation | null {
  return payerRelationNames.find((name) => name === text) ?? null;
}

function purposeOf(text: string): Purpose | null {
  return purposeNames.find((name) => name === text) ?? null;
}
