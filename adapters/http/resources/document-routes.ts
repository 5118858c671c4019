// Documents of parties: the URL to upload one, and the two URLs of its content.
import { z } from 'zod';
import { formatInstant } from '../../../core/domain/base/instant.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import {
  contentTypes,
  type DocumentOwner,
  FILE_NAME_MAX,
  OWNER_INDEX_MAX,
  UPLOADS_MAX,
  verificationKinds,
} from '../../../core/domain/parties/document.js';
import type { Deps } from '../../../core/ports/deps.js';
import {
  createUpload,
  readDocument,
  receiveUpload,
  type Upload,
  type UploadInput,
} from '../../../core/usecases/parties/documents.js';
import { representation } from '../protocol/representation.js';
import {
  type Call,
  Content,
  type HandlerContext,
  type Reply,
  reply,
  route,
} from '../protocol/route-row.js';
import {
  instant,
  keysOf,
  optional,
  pathText,
  receivedResponse,
  requestSchemas,
  text,
} from '../protocol/schemas.js';

export const uploadUrlBody = z.object({
  kind: z.enum(keysOf(verificationKinds)),
  contentType: z.enum(contentTypes).meta({
    description:
      'The type that you will send. A selfie must be an image. The bytes must be of this type; ' +
      'test mode also accepts placeholders of no known type.',
  }),
  ownerIndex: optional(
    z
      .int(`send a whole number from 0 to ${OWNER_INDEX_MAX}`)
      .min(0, `send a whole number from 0 to ${OWNER_INDEX_MAX}`)
      .max(OWNER_INDEX_MAX, `send a whole number from 0 to ${OWNER_INDEX_MAX}`)
      .meta({ description: 'The index of the beneficial owner it belongs to, from zero.' }),
  ),
});

const documentParams = z.object({ id: pathText('`doc_…`') });
const signatureQuery = z.object({
  signature: z
    .string('send it once')
    .meta({ description: 'As in the URL.' })
    .optional()
    .transform((signature) => signature ?? ''),
});

export const attachmentBody = z.object({
  contentType: z.enum(contentTypes).meta({
    description: 'The type that you will send. The bytes must be of this type.',
  }),
  fileName: text(
    1,
    FILE_NAME_MAX,
    'The name under which the buyer downloads it. It gets the ending of its type.',
  ),
});

requestSchemas
  .add(uploadUrlBody, { id: 'CreateUploadUrl' })
  .add(attachmentBody, { id: 'CreateAttachmentUrl' });

export const uploadUrl = z
  .string()
  .meta({ format: 'uri', description: 'Send the bytes to this URL, unchanged.' });

export const sending = {
  uploadHeaders: z.record(z.string(), z.string()).meta({ description: 'Send these headers.' }),
  uploadMethod: z.literal('PUT'),
  expiresAt: [
    instant.meta({
      description: `At most ${UPLOADS_MAX} uploads before this time; the last one counts.`,
    }),
    ({ expiresAtMs }: Upload) => formatInstant(expiresAtMs),
  ],
} as const;

export const upload = representation<Upload>()('UploadUrl', {
  uploadUrl,
  publicUrl: z.string().meta({
    format: 'uri',
    description:
      'Use it in the dossier. Anyone with the URL can read the document until it is purged.',
  }),
  ...sending,
});

export const attachmentUpload = representation<Upload>()('AttachmentUploadUrl', {
  documentId: z.string().meta({
    description: 'Send it as `attachmentDocumentId` of an invoice once the bytes are uploaded.',
  }),
  uploadUrl,
  ...sending,
});

export const documentRoutes = [
  route({
    method: 'PUT',
    operations: { uploadDocument: '/v1/documents/{id}/content' },
    summary: 'The target of an uploadUrl: send the bytes of the document, at most 10 MiB',
    access: { auth: 'signature', scope: 'none', modes: 'both', rateLimit: 'stored' },
    params: documentParams,
    query: signatureQuery,
    body: 'stream',
    responses: { 200: receivedResponse },
    errors: ['UploadUrlExpired', 'UnsupportedMediaType', 'KycStorageDisabled', 'UploadsPaused'],
    handler: receiveDocument,
  }),
  route({
    method: 'GET',
    operations: { readDocument: '/v1/documents/{id}/content' },
    summary: 'The target of a publicUrl, for the settlement partner, until the document is purged',
    access: { auth: 'signature', scope: 'none', modes: 'both', rateLimit: 'none' },
    params: documentParams,
    query: signatureQuery,
    responses: { 200: contentTypes },
    errors: ['KycStorageDisabled'],
    handler: sendDocument,
  }),
];

export async function uploadReply(
  deps: Deps,
  tenant: Tenant,
  owner: DocumentOwner,
  body: Omit<UploadInput, 'owner'>,
): Promise<Reply> {
  return reply(200, upload.show(await createUpload(deps, tenant, { owner, ...body })));
}

type DocumentCall = Call<'signature', { id: string }, { signature: string }, unknown>;

async function receiveDocument(
  { deps }: HandlerContext,
  { params, query, headers, stream }: DocumentCall,
): Promise<Reply> {
  const length = headers['content-length'];
  await receiveUpload(deps, {
    documentId: params.id,
    signature: query.signature,
    contentType: headers['content-type'] ?? null,
    sizeBytes: length === undefined ? null : Number(length),
    bytes: stream,
  });
  return reply(200, { received: true });
}

async function sendDocument(
  { deps }: HandlerContext,
  { params, query }: DocumentCall,
): Promise<Reply> {
  const { contentType, ...content } = await readDocument(deps, params.id, query.signature);
  const body = new Content({ type: contentType, ...content });
  // Uploaded content never renders as a page of this origin.
  return { status: 200, body, headers: { 'content-disposition': 'attachment' } };
}
