// What hosted pages and mails show of texts that integrators send, as `display`, whose values no
// request validates. Only text leaves this file: an object where a template expects text could
// become markup.
import { type Locale, localeOf } from '../base/locale.js';
import { nearMiss } from '../base/near-miss.js';
import { sliceItems, sliceTopLevel } from '../base/raw-json.js';
import type { Payment } from './payment.js';

export const DISPLAY_LINES_MAX = 100;
/** Maximum length of each text, in code points; the rest is cut off. */
export const DISPLAY_TEXT_LENGTH_MAX = 500;

/** Absent, empty and unreadable values are null. Numbers keep their digits as text. */
export interface PageDisplay {
  readonly title: string | null;
  /** May contain line feeds. */
  readonly notes: string | null;
  readonly lineItems: readonly DisplayLine[];
  /** Taxes within the amount, or that it is free of them. */
  readonly taxes: readonly DisplayTax[];
  /** The number under which the seller pays taxes. */
  readonly sellerTaxId: string | null;
  readonly locale: Locale | null;
}

/** At least one field has text. */
export interface DisplayLine {
  /** Empty if there is none. */
  readonly description: string;
  readonly quantity: string | null;
  readonly unitPrice: string | null;
  readonly subtotal: string | null;
}

export interface DisplayTax {
  readonly description: string;
  readonly amount: string | null;
}

const displayFields = ['title', 'notes', 'lineItems', 'taxes', 'sellerTaxId', 'locale'] as const;
const lineFields = ['description', 'quantity', 'unitPrice', 'subtotal'] as const;
const taxFields = ['description', 'amount'] as const;

/** What others call a field. Its neighbours in spelling need no row. */
const otherNames: Readonly<Record<string, string>> = {
  items: 'lineItems',
  lines: 'lineItems',
  qty: 'quantity',
  price: 'unitPrice',
  total: 'subtotal',
};

/** A property that is not shown, and the field that it most likely means. */
interface MisnamedField {
  readonly path: readonly (string | number)[];
  readonly meant: string;
}

/**
 * Properties that the buyer would not see because of their names. Values are not checked, and names
 * that mean nothing else are kept. A field that is sent too shows that the other name is meant.
 */
export function misnamedFields(json: string): readonly MisnamedField[] {
  const display: unknown = JSON.parse(json);
  const found = misnamedIn(display, displayFields, []);
  const { lineItems, taxes } = isRecord(display) ? display : {};
  for (const [name, list, fields] of [
    ['lineItems', lineItems, lineFields],
    ['taxes', taxes, taxFields],
  ] as const) {
    if (!Array.isArray(list)) continue;
    const shown = list.slice(0, DISPLAY_LINES_MAX);
    found.push(...shown.flatMap((item, at) => misnamedIn(item, fields, [name, at])));
  }
  return found;
}

function misnamedIn(
  value: unknown,
  fields: readonly string[],
  path: readonly (string | number)[],
): MisnamedField[] {
  if (!isRecord(value)) return [];
  return Object.keys(value).flatMap((name) => {
    if (fields.includes(name)) return [];
    const other = otherNames[name.toLowerCase()];
    const meant = other !== undefined && fields.includes(other) ? other : nearMiss(name, fields);
    const isSent = meant === null || (value[meant] ?? null) !== null;
    return isSent ? [] : [{ path: [...path, name], meant }];
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns null without `display`, or if it is no JSON object. */
export function readDisplay(json: string | null): PageDisplay | null {
  if (json === null || !isJsonObject(json)) return null;
  const slices = sliceTopLevel(json, displayFields);
  const locale = textOf(slices.get('locale'));
  return Object.freeze({
    title: textOf(slices.get('title')),
    notes: textOf(slices.get('notes'), '\n'),
    lineItems: linesOf(slices.get('lineItems')),
    taxes: taxesOf(slices.get('taxes')),
    sellerTaxId: textOf(slices.get('sellerTaxId')),
    locale: locale === null ? null : localeOf(locale),
  });
}

const lineBreaks = /\r\n?|[\n\u0085\u2028\u2029]/gu;
/** They would change the direction of the text around them (Unicode Bidi_Control). */
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const controls = /(?!\n)\p{Cc}/gu;

/** The text without control characters, trimmed and cut; null if nothing is left. */
export function displayText(text: string, lineBreak: '\n' | ' ' = ' '): string | null {
  const lines = text.replace(lineBreaks, lineBreak).replaceAll('\t', ' ');
  const clean = lines.replace(bidiControls, '').replace(controls, '').toWellFormed().trim();
  const cut = [...clean].slice(0, DISPLAY_TEXT_LENGTH_MAX).join('').trimEnd();
  return cut === '' ? null : cut;
}

/** What a buyer asks, on one line; null without text, and if it is longer than a text may be. */
export function readQuestion(text: string): string | null {
  if ([...text.trim()].length > DISPLAY_TEXT_LENGTH_MAX) return null;
  return displayText(text)?.replaceAll(/\s+/gu, ' ') ?? null;
}

/** The name of a document, never a sentence; the end of a domain, as in `.com`, makes a link. */
const referenceForm = /^(?!.*\.[a-z]{2})[a-z0-9](?:[a-z0-9._/#-]{0,38}[a-z0-9])?$/i;

/** Whether a text of an integrator may be shown as the number of a document. */
export function isReference(text: string): boolean {
  return referenceForm.test(text);
}

/** What the buyer names when asking for help. */
export function helpReference({
  number,
  externalId,
  id,
}: Pick<Payment, 'number' | 'externalId' | 'id'>): string {
  return [number, externalId].find((text) => text !== null && isReference(text)) ?? id;
}

/** Exact as text; an exponent is not shown to people. */
const plainNumber = /^-?[0-9]{1,40}(\.[0-9]{1,40})?$/;

function textOf(slice: string | undefined, lineBreak?: '\n'): string | null {
  if (slice === undefined) return null;
  if (slice.startsWith('"')) return displayText(String(JSON.parse(slice)), lineBreak);
  return plainNumber.test(slice) ? slice : null;
}

/** The objects of an array. */
function objectsIn(slice: string | undefined): readonly string[] {
  if (slice === undefined || !slice.startsWith('[')) return [];
  return sliceItems(slice).filter((item) => item.startsWith('{'));
}

function taxesOf(slice: string | undefined): readonly DisplayTax[] {
  return objectsIn(slice)
    .flatMap((item) => {
      const slices = sliceTopLevel(item, taxFields);
      const description = textOf(slices.get('description'));
      if (description === null) return [];
      return [Object.freeze({ description, amount: textOf(slices.get('amount')) })];
    })
    .slice(0, DISPLAY_LINES_MAX);
}

function linesOf(slice: string | undefined): readonly DisplayLine[] {
  return objectsIn(slice)
    .map((item) => {
      const slices = sliceTopLevel(item, lineFields);
      return Object.freeze({
        description: textOf(slices.get('description')) ?? '',
        quantity: textOf(slices.get('quantity')),
        unitPrice: textOf(slices.get('unitPrice')),
        subtotal: textOf(slices.get('subtotal')),
      });
    })
    .filter((line) => Object.values(line).some((text) => (text ?? '') !== ''))
    .slice(0, DISPLAY_LINES_MAX);
}

function isJsonObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}
