// The fields of the hosted KYC form: what may be typed into each, and the check that turns typed
// text into a value of the dossier. Problems are codes; the pages have the words.
import { isMisleading } from '../base/checked-text.js';
import { countries, usStates } from '../base/countries.js';
import { type EmailProblem, emailProblem, readEmail } from '../base/email-address.js';
import { HOUR_MS } from '../base/instant.js';
import { plainSigns } from '../base/typed-text.js';
import type { VerificationKind } from '../parties/document.js';
import {
  type Dossier,
  idDocTypes,
  type Owner,
  ownerRoles,
  proofOfAddressDocTypes,
} from '../parties/dossier.js';
import { readCnpj } from '../parties/tax-id.js';

/** The tier is standard. */
export type FormField = Exclude<keyof Dossier | keyof Owner, 'kycTier' | 'answers'>;

type Form =
  | {
      readonly form: 'text';
      readonly min: number;
      readonly max: number;
      /** It is a number or a code: the signs of any keyboard are read as those of ASCII. */
      readonly isCode?: true;
    }
  | { readonly form: 'choice'; readonly of: readonly string[] }
  | { readonly form: 'file'; readonly kind: VerificationKind }
  | { readonly form: 'birth' | 'formation' | 'phone' | 'website' | 'country' | 'region' }
  | { readonly form: 'tax_id' | 'cnpj' | 'email' }
  /** Not typed: each has a page. */
  | { readonly form: 'owners' | 'terms' };

const text = (max: number, min = 1) => ({ form: 'text', min, max }) as const;
const code = (max: number) => ({ form: 'text', min: 1, max, isCode: true }) as const;
const file = (kind: VerificationKind) => ({ form: 'file', kind }) as const;

/** Lengths are those of the API, in characters. */
export const formFields = {
  firstName: text(100),
  lastName: text(100),
  dateOfBirth: { form: 'birth' },
  phone: { form: 'phone' },
  taxId: { form: 'tax_id' },
  taxType: { form: 'choice', of: ['SSN', 'ITIN'] },
  idDocType: { form: 'choice', of: idDocTypes },
  idDocCountry: { form: 'country' },
  idDocNumber: code(64),
  legalName: text(200),
  cnpj: { form: 'cnpj' },
  email: { form: 'email' },
  formationDate: { form: 'formation' },
  website: { form: 'website' },
  country: { form: 'country' },
  addressLine1: text(200),
  addressLine2: text(200),
  city: text(120),
  stateProvinceRegion: { form: 'region' },
  postalCode: code(32),
  role: { form: 'choice', of: ownerRoles },
  proofOfAddressDocType: { form: 'choice', of: proofOfAddressDocTypes },
  selfieFile: file('selfie'),
  idDocFrontFile: file('id_doc_front'),
  idDocBackFile: file('id_doc_back'),
  proofOfAddressDocFile: file('proof_of_address'),
  incorporationDocFile: file('incorporation_doc'),
  proofOfOwnershipDocFile: file('proof_of_ownership_doc'),
  owners: { form: 'owners' },
  tosId: { form: 'terms' },
} as const satisfies Readonly<Record<FormField, Form>>;

export type FileField = {
  [F in FormField]: (typeof formFields)[F] extends { readonly form: 'file' } ? F : never;
}[FormField];

export const fileFields = Object.keys(formFields).filter(
  (field) => formFields[field as FormField].form === 'file',
) as readonly FileField[];

export function fileFieldOf(kind: VerificationKind): FileField {
  return fileFields.find((field) => formFields[field].kind === kind) as FileField;
}

/** Why a typed value is not taken. */
export type FieldProblem =
  | 'missing'
  | 'too_short'
  | 'too_long'
  | 'control_characters'
  | 'not_offered'
  | 'no_such_date'
  | 'too_young'
  | 'too_old'
  | 'in_the_future'
  | 'not_a_phone'
  | 'not_a_website'
  | 'not_a_state'
  | 'not_a_cnpj'
  | EmailProblem;

export type Checked = { readonly value: string | null } | { readonly problem: FieldProblem };

const TAX_ID_MAX = 64;
const REGION_MAX = 120;
const WEBSITE_MAX = 200;
const PHONE_MAX = 32;
const PHONE_DIGITS_MIN = 8;
/** ITU-T E.164. */
const PHONE_DIGITS_MAX = 15;
const AGE_MIN = 18;
const AGE_MAX = 120;
/** The offset of the time zone in which a day begins first: a later date is in the future. */
const EARLIEST_ZONE_MS = 14 * HOUR_MS;

/** Text of the form by the names of its inputs. A date has three: name, and Year, Month or Day. */
export type Typed = Readonly<Record<string, string | undefined>>;

const dateParts = ['Year', 'Month', 'Day'] as const;

/** The value of one field; null if it was left blank. */
export function checkField(field: FormField, typed: Typed, nowMs: number): Checked {
  const rule: Form = formFields[field];
  if (rule.form === 'birth' || rule.form === 'formation') {
    const parts = dateParts.map((part) => plainSigns(typed[`${field}${part}`] ?? '').trim());
    if (parts.every((part) => part === '')) return { value: null };
    return checkDate(rule.form, parts, nowMs);
  }
  const given = typed[field] ?? '';
  const value = (isCode(rule) ? plainSigns(given) : given).trim();
  if (value === '') return { value: null };
  if (isMisleading(value)) return { problem: 'control_characters' };
  switch (rule.form) {
    case 'text':
      return sized(value, rule.max, rule.min);
    case 'tax_id':
      return sized(value, TAX_ID_MAX);
    case 'cnpj':
      return read(readCnpj(value), 'not_a_cnpj');
    case 'email':
      return read(readEmail(value), emailProblem(value) ?? 'not_an_address');
    case 'choice':
      return offered(value, rule.of);
    case 'country':
      return offered(value, countries);
    case 'region':
      return typed.country === 'US' ? checkState(value) : sized(value, REGION_MAX);
    case 'phone':
      return checkPhone(value);
    case 'website':
      return checkWebsite(value);
    case 'file':
    case 'owners':
    case 'terms':
      return { problem: 'not_offered' };
  }
}

const codeForms: readonly string[] = ['tax_id', 'cnpj', 'phone'];

function isCode(rule: Form): boolean {
  return codeForms.includes(rule.form) || (rule.form === 'text' && rule.isCode === true);
}

function read(value: string | null, problem: FieldProblem): Checked {
  return value === null ? { problem } : { value };
}

function sized(value: string, max: number, min = 1): Checked {
  const { length } = [...value];
  if (length > max) return { problem: 'too_long' };
  return length < min ? { problem: 'too_short' } : { value };
}

function offered(value: string, options: readonly string[]): Checked {
  return options.includes(value) ? { value } : { problem: 'not_offered' };
}

function checkState(value: string): Checked {
  const state = value.toUpperCase();
  return usStates.includes(state) ? { value: state } : { problem: 'not_a_state' };
}

/** With the code of the country, so that it can be called from everywhere. */
function checkPhone(value: string): Checked {
  const phone = value.replace(/^00(?=[1-9])/, '+');
  const { length } = phone.replace(/[^0-9]/g, '');
  const isLong = length >= PHONE_DIGITS_MIN && length <= PHONE_DIGITS_MAX;
  const isPhone = /^\+[0-9 ()./-]+$/.test(phone) && isLong;
  return isPhone ? sized(phone, PHONE_MAX) : { problem: 'not_a_phone' };
}

function checkWebsite(value: string): Checked {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `https://${value}`;
  const url = URL.parse(address);
  const isPublic =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    /^[^.]+(\.[^.]+)*\.[a-z][a-z\d-]+$/i.test(url.hostname);
  return isPublic ? sized(address, WEBSITE_MAX) : { problem: 'not_a_website' };
}

function checkDate(
  form: 'birth' | 'formation',
  [year = '', month = '', day = '']: readonly string[],
  nowMs: number,
): Checked {
  const isWhole = /^\d{4}$/.test(year) && [month, day].every((part) => /^\d{1,2}$/.test(part));
  const value = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const atMs = isWhole ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(atMs) || dayOf(atMs) !== value) return { problem: 'no_such_date' };
  const today = dayOf(nowMs + EARLIEST_ZONE_MS);
  if (value > today) return { problem: 'in_the_future' };
  if (form === 'formation') return { value };
  if (value > yearsBefore(today, AGE_MIN)) return { problem: 'too_young' };
  return value < yearsBefore(today, AGE_MAX) ? { problem: 'too_old' } : { value };
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

function yearsBefore(day: string, years: number): string {
  return `${Number.parseInt(day.slice(0, 4), 10) - years}${day.slice(4)}`;
}

/** The back of a passport shows nothing. */
export function hasBack({ idDocType }: Pick<Owner, 'idDocType'>): boolean {
  return idDocType === 'ID_CARD' || idDocType === 'DRIVERS';
}

/** A field and whose data it is: the party's, or that of the owner with this number. */
export interface FieldPlace {
  readonly field: FormField;
  readonly owner: number | null;
}

/** As partners write them: `owners[0].idDocFrontFile`, `owners.0.id_doc_front_file`. */
const pathForm = /^(?:owners\W+(\d+)\W+)?([A-Za-z]\w*)$/;

/**
 * The field that a partner names in a correction or a refusal; `owner` is the position in the
 * dossier. Null for a name that the form does not have, and for the address: it names the party.
 */
export function fieldNamed(
  path: string,
): { readonly field: FormField; readonly position: number | null } | null {
  const [, position, name = ''] = pathForm.exec(path.trim()) ?? [];
  const plain = name.replaceAll('_', '').toLowerCase();
  const field = Object.keys(formFields).find((one) => namesOf(one as FormField).includes(plain));
  if (field === undefined || field === 'email') return null;
  return {
    field: field as FormField,
    position: position === undefined ? null : Number.parseInt(position, 10),
  };
}

function namesOf(field: FormField): readonly string[] {
  const rule: Form = formFields[field];
  const names = [field, ...(rule.form === 'file' ? [rule.kind, field.slice(0, -4)] : [])];
  return names.map((name) => name.replaceAll('_', '').toLowerCase());
}
