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
import { recordOf } from '../../../../core/domain/base/record-of.js';
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

const upTo = (max: number) => (text: string) => [...text].length <= max && !hasUnstorableText(text);
const orEmpty = (isRight: (text: string) => boolean) => (text: string) =>
  text === '' || isRight(text);

/** `seller`: an externalId; empty: the organization itself. `attachment`: the id of a document. */
const free = ['key', 'seller', 'currency', 'attachment'] as const;
/** Which texts are taken: of the fields above the lines of the invoice, and below them. */
const above = {
  name: upTo(NAME_MAX),
  email: (text: string) => readEmail(text) !== null,
  number: upTo(NUMBER_MAX),
  due: orEmpty(isCalendarDate),
};
const below = {
  notes: upTo(TEXT_MAX),
  purchaseOrder: upTo(NUMBER_MAX),
  /** Two letters of ISO 3166; empty: the buyer says it. */
  country: orEmpty((text) => countries.includes(text)),
  purpose: orEmpty((text) => purposeOf(text) !== null),
  payerRelation: orEmpty((text) => relationOf(text) !== null),
  /** BRL per unit. */
  bookedRate: orEmpty((text) => parseTypedRate(text) !== null),
  /** The access key of an NF-e or NFS-e. */
  fiscalKey: orEmpty((text) => fiscalDocumentOfKey(text) !== null),
  /** The whole number under which the seller pays taxes. */
  taxId: upTo(NUMBER_MAX),
  /** One after another, with semicolons between them. */
  taxes: upTo(TEXT_MAX),
};
const isTaken = { ...above, ...below };
type Judged = keyof typeof isTaken;
const aboveLines = Object.keys(above) as readonly Judged[];
const belowLines = Object.keys(below) as readonly Judged[];
export type TypedField = (typeof free)[number] | Judged;
export const typedFields: readonly TypedField[] = [...free, ...aboveLines, ...belowLines];

/** As typed: a text is empty where nothing was. */
export interface TypedInvoice extends Readonly<Record<TypedField, string>> {
  readonly locale: Locale;
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
    ...recordOf(typedFields, text),
    due: plainSigns(text('due')).trim(),
    currency: /^[A-Z]{3}$/.test(text('currency')) ? text('currency') : 'USD',
    country: text('country').toUpperCase(),
    notes: (form['notes'] ?? '').replaceAll('\r\n', '\n').trim(),
    locale: localeOf(text('locale')) ?? 'en',
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

/** In the order of the form. */
export function faultsIn(
  texts: DashboardTexts['invoice'],
  typed: TypedInvoice,
): readonly FieldError[] {
  const { faults, refused } = texts;
  const { email, lines } = typed;
  const faultOf = (field: string, isFault: boolean, text: string) =>
    isFault ? [{ field, text }] : [];
  const own = (field: Judged) => {
    const text = field === 'email' ? emailFault(texts, email) : faults[field];
    return faultOf(field, !isTaken[field](typed[field]), text);
  };
  const ofLines = lines.flatMap((line, at) => {
    if (isEmpty(line)) return [];
    const isSaid = line.item !== '' && upTo(TEXT_MAX)(line.item);
    return [
      ...faultOf(`item${at}`, !isSaid, faults.item),
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
    ...aboveLines.flatMap(own),
    ...ofLines,
    ...faultOf('item0', lines.every(isEmpty), faults.noLine),
    ...faultOf('amount0', isTooMuch(total), faults.total),
    ...faultOf('amount0', total !== null && isBelowMinimum(total), refused.AmountBelowMinimum),
    ...belowLines.flatMap(own),
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
