// The fields of a dossier, which the bodies that submit a party are made of. Which of them are
// required is in core/domain/parties/dossier.ts.
import { z } from 'zod';
import {
  idDocTypes,
  ownerRoles,
  proofOfAddressDocTypes,
} from '../../../core/domain/parties/dossier.js';
import { readCnpj } from '../../../core/domain/parties/tax-id.js';
import {
  anyText,
  emailText,
  isHttpUri,
  isUri,
  optional,
  readText,
  someText,
  text,
} from '../protocol/schemas.js';

const OWNERS_MAX = 10;

/** The interface checks the form only. The partner checks that the day exists. */
const date = z
  .string('send a date as YYYY-MM-DD')
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, 'send a date as YYYY-MM-DD')
  .meta({ description: 'YYYY-MM-DD.' });

const file = (of: string) =>
  z
    .string('send an https URL')
    .refine(isHttpUri, 'send an https URL')
    .meta({
      format: 'uri',
      description: `${of}: an https URL, or the publicUrl of an upload. The partner reads it.`,
    });

export const email = emailText('The address of the party itself.');

export const country = text(2, 2, 'Two letters, ISO 3166-1.');
const taxId = text(1, 64, 'Stored encrypted and never returned.');
const legalName = text(1, 200, 'As registered.');

const cnpj = readText(readCnpj, 'send a Brazilian company number with right check digits', {
  description: 'CNPJ, with or without punctuation, in digits or in the alphanumeric form of 2026.',
  examples: ['11.222.333/0001-81'],
});

/** Fields of a person and of an owner. */
const person = {
  firstName: text(1, 100, 'As on the identity document.'),
  lastName: text(1, 100, 'As on the identity document. The first name again for one name only.'),
  dateOfBirth: date,
  taxId,
  addressLine1: text(1, 200, 'Street and number.'),
  addressLine2: text(0, 200, 'Second line of the address.'),
  city: text(1, 120, 'City.'),
  stateProvinceRegion: text(
    1,
    120,
    'State, province or region. Not required in a country without any.',
  ),
  postalCode: text(1, 32, 'Postal code. Not required in a country without any.'),
  phone: text(3, 32, 'Phone number.'),
  idDocCountry: text(2, 2, 'The country that issued the identity document, ISO 3166-1.'),
  idDocType: z.enum(idDocTypes),
  idDocNumber: text(1, 64, 'Number of the identity document.'),
  selfieFile: file('Photograph of the person'),
  idDocFrontFile: file('Front of the identity document'),
  idDocBackFile: file('Back of the identity document'),
  proofOfAddressDocType: z.enum(proofOfAddressDocTypes),
  proofOfAddressDocFile: file('Proof of the address'),
} as const;

export const owner = {
  role: z.enum(ownerRoles),
  ...person,
  country,
  taxType: z.enum(['SSN', 'ITIN']),
} as const;

/** Absent and null are the same. Every field is optional here; dossier.ts requires some. */
export const ownerFields = allOptional(owner);

/** All but the e-mail address and the country, whose names differ between bodies. */
export const dossierFields = {
  tosId: optional(someText('The `tos_id` of the terms page.')),
  kycTier: optional(
    z
      .enum(['standard', 'enhanced'])
      .meta({ default: 'standard', description: '`enhanced` is for individuals.' }),
  ),
  ...allOptional(person),
  legalName: optional(legalName),
  formationDate: optional(anyText('The date on which the business was formed.')),
  website: optional(
    z
      .string('send a URI')
      .refine(isUri, 'send a URI')
      .meta({ format: 'uri', description: 'The website of the business.' }),
  ),
  incorporationDocFile: optional(file('Proof of incorporation')),
  proofOfOwnershipDocFile: optional(file('Proof of ownership')),
} as const;

const ANSWERS_MAX = 50;

export const answers = optional(
  z
    .record(text(1, 100, 'The key of a question.'), text(1, 5_000, 'A text, or the URL of a file.'))
    .refine((given) => Object.keys(given).length <= ANSWERS_MAX, `send at most ${ANSWERS_MAX}`)
    .meta({
      description:
        'Answers to questions of the partner, by the `field` of `requirements.due`: a text, or ' +
        'the publicUrl of an upload.',
    }),
);

/** Brazilian sellers have one. */
export const cnpjField = { cnpj: optional(cnpj) } as const;

export function ownersField<T extends z.ZodType>(owner: T) {
  return optional(
    z
      .array(owner)
      .min(1, 'send at least one owner')
      .max(OWNERS_MAX, `send at most ${OWNERS_MAX} owners`)
      .meta({ description: 'Beneficial owners of a business.' }),
  );
}

type Optional<T extends z.ZodType> = ReturnType<typeof optional<T>>;

function allOptional<T extends Readonly<Record<string, z.ZodType>>>(
  fields: T,
): { readonly [K in keyof T]: Optional<T[K]> } {
  const entries = Object.entries(fields).map(([name, field]) => [name, optional(field)]);
  return Object.fromEntries(entries) as { readonly [K in keyof T]: Optional<T[K]> };
}
