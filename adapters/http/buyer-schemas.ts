// The shapes of a buyer's KYC and of document uploads, for buyers and connected accounts alike.
import { z } from 'zod';
import { kycMoves } from '../../core/domain/buyer-kyc.js';
import { entityTypes } from '../../core/domain/connected-account.js';
import {
  contentTypes,
  documentKinds,
  OWNER_INDEX_MAX,
  UPLOADS_MAX,
} from '../../core/domain/document.js';
import { ownerRequirements } from '../../core/domain/dossier.js';
import { country, dossierFields, email, owner, ownerFields, ownersOf } from './dossier-schemas.js';
import {
  anyText,
  instant,
  keysOf,
  optional,
  pathText,
  requestSchemas,
  responseSchemas,
  someText,
  text,
} from './schemas.js';

/** The fields that every owner must bring; the others may be left out. */
type RequiredOwner = { readonly [K in (typeof ownerRequirements)[number]]: (typeof owner)[K] };

const requiredOwnerFields = Object.fromEntries(
  ownerRequirements.map((name) => [name, owner[name]]),
) as unknown as RequiredOwner;

const buyerOwner = z.strictObject({ ...ownerFields, ...requiredOwnerFields });

/** The interface takes no other properties here. */
export const startBuyerKycBody = z.strictObject({
  entityType: optional(
    z.enum(entityTypes).meta({
      description:
        'Without it nothing is forwarded until the buyer fills in the hosted form, or a later ' +
        'call with it brings the dossier.',
    }),
  ),
  buyerEmail: email,
  buyerName: optional(text(1, 200, 'Pre-fills the hosted form.')),
  buyerCountry: optional(country),
  invoiceId: optional(someText('A payment of yours for which this is done.')),
  ...dossierFields,
  dateOfBirth: optional(anyText('Best as YYYY-MM-DD; the settlement partner checks it.')),
  owners: ownersOf(buyerOwner),
});

export const uploadUrlBody = z.object({
  kind: z.enum(keysOf(documentKinds)),
  contentType: z.enum(contentTypes).meta({
    description: 'What will be sent. A selfie is no PDF.',
  }),
  ownerIndex: optional(
    z
      .int(`send a whole number from 0 to ${OWNER_INDEX_MAX}`)
      .min(0, `send a whole number from 0 to ${OWNER_INDEX_MAX}`)
      .max(OWNER_INDEX_MAX, `send a whole number from 0 to ${OWNER_INDEX_MAX}`)
      .meta({ description: 'Which beneficial owner of a business it is of, from zero.' }),
  ),
});

export const buyerParams = z.object({ buyerId: pathText('`byr_…`') });
export const documentParams = z.object({ id: pathText('`doc_…`') });
export const signatureQuery = z.object({
  signature: z
    .string('send it once')
    .meta({ description: 'As in the URL that was given out.' })
    .optional()
    .transform((signature) => signature ?? ''),
});

requestSchemas
  .add(startBuyerKycBody, { id: 'StartBuyerKyc' })
  .add(buyerOwner, { id: 'BuyerBeneficialOwner' })
  .add(uploadUrlBody, { id: 'CreateUploadUrl' });

export const kycResponse = z.strictObject({
  id: z.string(),
  buyerId: z.string(),
  receiverId: z.string(),
  status: z.enum(keysOf(kycMoves)).meta({
    description:
      '`verifying` from the start on, also while the dossier is awaited; a rejected buyer may ' +
      'start again.',
  }),
  hostedFlowUrl: z.string().nullable().meta({
    format: 'uri',
    description: 'The hosted form, until a dossier was forwarded; null then.',
  }),
  submittedAt: instant,
  approvedAt: instant.nullable(),
  rejectedAt: instant.nullable(),
});

export const uploadResponse = z.strictObject({
  uploadUrl: z.string().meta({ format: 'uri', description: 'Send the bytes there, unchanged.' }),
  publicUrl: z.string().meta({
    format: 'uri',
    description:
      'Put it into the dossier. Whoever holds it can read the document until it is purged.',
  }),
  uploadHeaders: z.record(z.string(), z.string()).meta({ description: 'Send these headers.' }),
  uploadMethod: z.literal('PUT'),
  expiresAt: instant.meta({
    description: `Until then ${UPLOADS_MAX} uploads are taken; the last one counts.`,
  }),
});

responseSchemas.add(kycResponse, { id: 'BuyerKyc' }).add(uploadResponse, { id: 'UploadUrl' });
