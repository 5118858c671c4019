// The KYC of buyers, and the uploads of their documents.
import { z } from 'zod';
import { formatInstant, instantOrNull } from '../../../core/domain/base/instant.js';
import {
  awaitsDossier,
  type KycSubmission,
  kycStatuses,
} from '../../../core/domain/parties/buyer-kyc.js';
import { entityTypes } from '../../../core/domain/parties/connected-account.js';
import { ownerRequirements } from '../../../core/domain/parties/dossier.js';
import { readBuyerKyc, startBuyerKyc } from '../../../core/usecases/parties/kyc.js';
import { representation } from '../protocol/representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from '../protocol/route-row.js';
import {
  anyText,
  instant,
  optional,
  pathText,
  requestSchemas,
  someText,
  text,
} from '../protocol/schemas.js';
import { upload, uploadReply, uploadUrlBody } from './document-routes.js';
import {
  answers,
  country,
  dossierFields,
  email,
  owner,
  ownerFields,
  ownersField,
} from './dossier-fields.js';
import { requirements, requirementsOf } from './requirements-answer.js';

type RequiredOwner = { readonly [K in (typeof ownerRequirements)[number]]: (typeof owner)[K] };

const requiredOwnerFields = Object.fromEntries(
  ownerRequirements.map((name) => [name, owner[name]]),
) as unknown as RequiredOwner;

const buyerOwner = z.strictObject({ ...ownerFields, ...requiredOwnerFields });

/** The interface closes this body. */
export const startBuyerKycBody = z.strictObject({
  entityType: optional(
    z.enum(entityTypes).meta({
      description:
        'Without it nothing is submitted until the buyer fills in the hosted form, or a later ' +
        'call with it sends the dossier.',
    }),
  ),
  buyerEmail: email,
  buyerName: optional(text(1, 200, 'Pre-fills the hosted form.')),
  buyerCountry: optional(country),
  invoiceId: optional(someText('A payment of yours that this KYC is for.')),
  ...dossierFields,
  dateOfBirth: optional(anyText('Preferably YYYY-MM-DD. The settlement partner validates it.')),
  owners: ownersField(buyerOwner),
  answers,
});

const buyerParams = z.object({ buyerId: pathText('`byr_…`') });

requestSchemas
  .add(startBuyerKycBody, { id: 'StartBuyerKyc' })
  .add(buyerOwner, { id: 'BuyerBeneficialOwner' });

/** A submission, and the base URL of the pages for buyers. */
interface KycSource extends KycSubmission {
  readonly payUrl: string;
}

export const kyc = representation<KycSource>()('BuyerKyc', {
  id: z.string(),
  buyerId: z.string(),
  receiverId: z.string(),
  status: z.enum(kycStatuses).meta({
    description:
      '`verifying` from the start, including the wait for the dossier. A rejected buyer may ' +
      'start again.',
  }),
  hostedFlowUrl: [
    z.string().nullable().meta({
      format: 'uri',
      description: 'The hosted form; null once a dossier is submitted.',
    }),
    (source) =>
      awaitsDossier(source) && source.flowId !== null
        ? `${source.payUrl}/kyc/${source.flowId}`
        : null,
  ],
  submittedAt: [instant, ({ submittedAtMs }) => formatInstant(submittedAtMs)],
  approvedAt: [instant.nullable(), ({ approvedAtMs }) => instantOrNull(approvedAtMs)],
  rejectedAt: [instant.nullable(), ({ rejectedAtMs }) => instantOrNull(rejectedAtMs)],
});

/** For integrators that onboard clients and for those that collect payments. */
const scope = { anyOf: ['connected_accounts:write', 'payment_intents:write'] } as const;

export const buyerKycRoutes = [
  route({
    method: 'POST',
    operations: { startBuyerKyc: '/v1/buyer-kyc' },
    summary: 'Submit the dossier of a buyer, or without entityType start its hosted form',
    access: { auth: 'either', scope, modes: 'both', rateLimit: 'stored', proof: 'session' },
    body: startBuyerKycBody,
    responses: { 201: kyc.schema },
    errors: ['TosIdMismatch', 'NotFound', 'PartnerUnavailable'],
    handler: startKyc,
  }),
  route({
    method: 'GET',
    // The interface closes the answer of the start.
    operations: { readBuyerRequirements: '/v1/buyer-kyc/{buyerId}/requirements' },
    summary: 'Read what the settlement partner wants of the buyer; a start with it answers',
    access: { auth: 'either', scope, modes: 'both', rateLimit: 'none', proof: 'session' },
    params: buyerParams,
    responses: { 200: requirements },
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, requirementsOf(await readBuyerKyc(deps, tenant, params.buyerId))),
  }),
  route({
    method: 'POST',
    operations: { createBuyerUpload: '/v1/buyer-kyc/{buyerId}/upload-url' },
    summary: 'Create an upload URL for a document of the buyer; purged after the decision',
    access: { auth: 'either', scope, modes: 'both', rateLimit: 'stored', proof: 'session' },
    params: buyerParams,
    body: uploadUrlBody,
    responses: { 200: upload.schema },
    errors: ['KycStorageDisabled'],
    handler: async ({ deps }, { tenant, params, body }) =>
      uploadReply(deps, tenant, { party: 'buyer', id: params.buyerId }, body),
  }),
];

async function startKyc(
  { deps }: HandlerContext,
  { tenant, body }: Call<'either', unknown, unknown, z.infer<typeof startBuyerKycBody>>,
): Promise<Reply> {
  const { buyerEmail: email, buyerName: name, buyerCountry: country, ...rest } = body;
  const { entityType, invoiceId: paymentId, ...fields } = rest;
  const start = { email, name, entityType, paymentId, dossier: { ...fields, country } };
  const { payUrl } = deps.settings;
  return reply(201, kyc.show({ ...(await startBuyerKyc(deps, tenant, start)), payUrl }));
}
