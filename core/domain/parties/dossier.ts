// The data that the verification of a party requires: one table by role and entity type, and one
// for each beneficial owner. The partner may require more.
import { readEmail } from '../base/email-address.js';
import type { EntityType, Role } from './connected-account.js';
import { lacksPart, wholeAddress } from './postal-address.js';

const individual = [
  'email',
  'firstName',
  'lastName',
  'dateOfBirth',
  'idDocCountry',
  'idDocType',
  'selfieFile',
  'idDocFrontFile',
] as const;

/** Required fields of a submission. `owners` means at least one, each with `ownerRequirements`. */
export const requirements = {
  seller: {
    business: ['email', 'legalName', 'cnpj'],
    individual,
  },
  buyer: {
    business: [
      'legalName',
      'formationDate',
      'taxId',
      'website',
      'country',
      'addressLine1',
      'city',
      'stateProvinceRegion',
      'postalCode',
      'incorporationDocFile',
      'proofOfOwnershipDocFile',
      'owners',
    ],
    individual,
  },
} as const satisfies Record<Role, Record<EntityType, readonly (keyof Dossier)[]>>;

/** Required fields of each beneficial owner of a business. */
export const ownerRequirements = [
  'role',
  'firstName',
  'lastName',
  'dateOfBirth',
  'taxId',
  'addressLine1',
  'city',
  'stateProvinceRegion',
  'postalCode',
  'country',
  'idDocCountry',
  'idDocType',
  'selfieFile',
  'idDocFrontFile',
  'proofOfAddressDocType',
  'proofOfAddressDocFile',
] as const satisfies readonly (keyof Owner)[];

/** Fields that hold the URL of a document. */
const fileFields = [
  'selfieFile',
  'idDocFrontFile',
  'idDocBackFile',
  'incorporationDocFile',
  'proofOfOwnershipDocFile',
  'proofOfAddressDocFile',
] as const;

export const idDocTypes = ['PASSPORT', 'ID_CARD', 'DRIVERS'] as const;
export const proofOfAddressDocTypes = [
  'UTILITY_BILL',
  'BANK_STATEMENT',
  'RENTAL_AGREEMENT',
  'TAX_DOCUMENT',
  'GOVERNMENT_CORRESPONDENCE',
] as const;
export const ownerRoles = [
  'beneficial_controlling',
  'beneficial_owner',
  'controlling_person',
] as const;

type Text = string | null;

interface Person {
  readonly firstName?: Text;
  readonly lastName?: Text;
  /** YYYY-MM-DD of an owner and of an account; any text of a buyer, which the partner checks. */
  readonly dateOfBirth?: Text;
  readonly taxId?: Text;
  readonly addressLine1?: Text;
  readonly addressLine2?: Text;
  readonly city?: Text;
  readonly stateProvinceRegion?: Text;
  readonly postalCode?: Text;
  /** Two letters, ISO 3166-1. */
  readonly country?: Text;
  readonly phone?: Text;
  readonly idDocCountry?: Text;
  readonly idDocType?: (typeof idDocTypes)[number] | null;
  readonly idDocNumber?: Text;
  readonly selfieFile?: Text;
  readonly idDocFrontFile?: Text;
  readonly idDocBackFile?: Text;
  readonly proofOfAddressDocType?: (typeof proofOfAddressDocTypes)[number] | null;
  readonly proofOfAddressDocFile?: Text;
}

export interface Owner extends Person {
  readonly role?: (typeof ownerRoles)[number] | null;
  readonly taxType?: 'SSN' | 'ITIN' | null;
}

/** Absent and null are the same. */
export interface Dossier extends Person {
  /** The partner's id of the accepted terms. */
  readonly tosId?: Text;
  readonly email?: Text;
  readonly legalName?: Text;
  /** Brazilian company number, see readCnpj. */
  readonly cnpj?: Text;
  readonly formationDate?: Text;
  readonly website?: Text;
  readonly incorporationDocFile?: Text;
  readonly proofOfOwnershipDocFile?: Text;
  readonly kycTier?: 'standard' | 'enhanced' | null;
  readonly owners?: readonly Owner[] | null;
  /** Answers to questions of the partner, by its keys: a text, or the URL of a document. */
  readonly answers?: Readonly<Record<string, string>> | null;
}

/** The name of the party: of a company as registered, of a person all its names. */
export function nameIn(
  entityType: EntityType,
  { legalName = null, firstName, lastName }: Dossier,
): string | null {
  if (entityType === 'business') return legalName;
  return [firstName, lastName].filter(Boolean).join(' ') || legalName;
}

/** Missing paths, such as `legalName` or `owners[1].taxId`. `extra`: the partner's requirements. */
export function missingFields(
  role: Role,
  entityType: EntityType,
  dossier: Dossier,
  extra: readonly (keyof Dossier)[] = [],
): readonly string[] {
  const required = new Set<keyof Dossier>([...requirements[role][entityType], ...extra]);
  const missing: string[] = [...required].filter((field) => isMissing(dossier, field));
  if (!required.has('owners')) return missing;
  const ofOwners = (dossier.owners ?? []).flatMap((owner, index) =>
    ownerRequirements
      .filter((field) => isMissing(owner, field))
      .map((field) => `owners[${index}].${field}`),
  );
  return [...missing, ...ofOwners];
}

/** An account may be created with any text in these fields; its submission requires these forms. */
const forms = {
  email: { fits: (text) => readEmail(text) !== null, words: 'send an e-mail address' },
  legalName: { fits: (text) => lengthOf(text) <= 200, words: 'send text of 1 to 200 characters' },
  country: { fits: (text) => lengthOf(text) === 2, words: 'send text of exactly 2 characters' },
  taxId: { fits: (text) => lengthOf(text) <= 64, words: 'send text of 1 to 64 characters' },
} as const satisfies Partial<
  Record<keyof Dossier, { readonly fits: (text: string) => boolean; readonly words: string }>
>;

export function malformedFields(dossier: Dossier): readonly string[] {
  return Object.entries(forms).flatMap(([field, { fits, words }]) => {
    const text = dossier[field as keyof typeof forms] ?? null;
    return text === null || fits(text) ? [] : [`${field}: ${words}`];
  });
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** Only individuals have the enhanced tier. */
export function isTierAllowed(entityType: EntityType, { kycTier }: Dossier): boolean {
  return entityType === 'individual' || kycTier !== 'enhanced';
}

/** Every document URL in the dossier and its owners, with its path. */
export function fileLinks(
  dossier: Dossier,
): readonly { readonly path: string; readonly url: string }[] {
  const answers = Object.entries(dossier.answers ?? {}).flatMap(([key, url]) =>
    // Any other text is no document.
    /^https:\/\/\S+$/i.test(url) ? [{ path: `answers.${key}`, url }] : [],
  );
  const parties: readonly (readonly [string, Dossier])[] = [
    ['', dossier],
    ...(dossier.owners ?? []).map((owner, index) => [`owners[${index}].`, owner] as const),
  ];
  const files = parties.flatMap(([prefix, party]) =>
    fileFields.flatMap((field) => {
      const url = party[field];
      return typeof url === 'string' ? [{ path: `${prefix}${field}`, url }] : [];
    }),
  );
  return [...files, ...answers];
}

/** A part that addresses of the country do not have is not missed. */
function isMissing<P extends Dossier | Owner>(party: P, field: keyof P & string): boolean {
  return isAbsent(party[field]) && !lacksPart(field, party.country);
}

/** As the partner gets it: with a value for each part that the addresses lack. */
export function partnerDossier(dossier: Dossier): Dossier {
  const { owners = null } = dossier;
  const whole = wholeAddress(dossier);
  return owners === null ? whole : { ...whole, owners: owners.map(wholeAddress) };
}

/** Blank text counts as absent. */
function isAbsent(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
