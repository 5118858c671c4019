// The catalogues of the KYC form, by language, and names that are the same in every language.
import { countries } from '../../../core/domain/base/countries.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import type { EntityType } from '../../../core/domain/parties/connected-account.js';
import { formatOf } from '../kit/format.js';
import { type KycTexts, kycEn } from './texts/kyc-en.js';
import { kycEs } from './texts/kyc-es.js';
import { kycPtBr } from './texts/kyc-pt-br.js';

export const kycCatalogues: Readonly<Record<Locale, KycTexts>> = {
  en: kycEn,
  'pt-BR': kycPtBr,
  es: kycEs,
};

/** What authorities call the tax number of a company and of a person. */
const taxNames: Readonly<Record<string, Readonly<Record<EntityType, string>>>> = {
  BR: { business: 'CNPJ', individual: 'CPF' },
  CA: { business: 'BN', individual: 'SIN' },
  CH: { business: 'UID', individual: 'AHV' },
  CN: { business: 'USCC', individual: 'RIN' },
  ES: { business: 'NIF', individual: 'NIF' },
  GB: { business: 'UTR', individual: 'UTR' },
  IN: { business: 'PAN', individual: 'PAN' },
  MX: { business: 'RFC', individual: 'RFC' },
  PT: { business: 'NIPC', individual: 'NIF' },
  US: { business: 'EIN', individual: 'SSN, ITIN' },
};

/** Null: the country is not known, or its numbers have no short name here. */
export function taxNameOf(country: string | null, type: EntityType): string | null {
  return country === null ? null : (taxNames[country]?.[type] ?? null);
}

export type CountryName = Readonly<{ value: string; label: string }>;

const countryLists = new Map<Locale, readonly CountryName[]>();

/** In the order of the language. */
export function countryNames(locale: Locale): readonly CountryName[] {
  const known = countryLists.get(locale) ?? createList(locale);
  countryLists.set(locale, known);
  return known;
}

function createList(locale: Locale): readonly CountryName[] {
  const { country } = formatOf(locale);
  const { compare } = new Intl.Collator(locale);
  return countries
    .map((value) => ({ value, label: country(value) ?? value }))
    .sort((left, right) => compare(left.label, right.label));
}
