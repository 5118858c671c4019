// The attachment of an invoice: the seller's own invoice, which the buyer downloads. It is uploaded
// first, and the create of the invoice names it (payments.ts).
import type { Tenant } from '../../domain/base/tenant.js';
import {
  type ContentType,
  DOCUMENT_BYTES_MAX,
  type Document,
  fileNameOf,
  isAttachable,
} from '../../domain/parties/document.js';
import { fileTypeOf } from '../../domain/parties/file-type.js';
import type { Payment } from '../../domain/payments/payment.js';
import { assert, isCode, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { takeUploadSlot } from '../service/rate-limits.js';
import {
  contentOf,
  createUpload,
  type DocumentContent,
  storeUpload,
  type Upload,
  type UploadInput,
} from './documents.js';
import { isUploadLimit, limitedBytes, peeked } from './upload-bytes.js';

/** What a page says about an attachment. */
export interface Attachment {
  readonly documentId: string;
  readonly fileName: string;
  readonly contentType: ContentType;
  readonly sizeBytes: number;
}

/** Why a file is not taken; the pages have the words. */
export type AttachmentRefusal = 'empty' | 'unknown_type' | 'too_large' | 'too_many';

interface NewAttachment {
  readonly contentType: ContentType;
  readonly fileName: string;
}

/** The URL to upload an attachment. KycStorageDisabled, ValidationError (too many unused). */
export async function createAttachmentUpload(
  deps: Deps,
  tenant: Tenant,
  made: NewAttachment,
): Promise<Upload> {
  return createUpload(deps, tenant, inputOf(tenant, made));
}

function inputOf({ orgId }: Tenant, { contentType, fileName }: NewAttachment): UploadInput {
  const named = { contentType, fileName: fileNameOf(fileName, contentType) };
  return {
    owner: { party: 'organization', id: orgId },
    kind: 'attachment',
    ownerIndex: null,
    ...named,
  };
}

/** Stores the file of a form. KycStorageDisabled. */
export async function storeAttachment(
  deps: Deps,
  tenant: Tenant,
  { memberId, ...file }: NamedBytes & { readonly memberId: string },
): Promise<Attachment | AttachmentRefusal> {
  const { fileName } = file;
  const made = await storeNamedFile(deps, tenant, memberId, file, (contentType) =>
    inputOf(tenant, { contentType, fileName }),
  );
  if (typeof made === 'string') return made;
  const stored = await readAttachable(deps, tenant, made.documentId);
  assert(stored !== null, 'what was stored can be attached');
  return stored;
}

interface NamedBytes {
  readonly fileName: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The type of the file is what its bytes say. KycStorageDisabled. */
export async function storeNamedFile(
  deps: Deps,
  tenant: Tenant,
  uploaderId: string,
  file: NamedBytes,
  input: (contentType: ContentType) => UploadInput,
): Promise<{ readonly documentId: string } | AttachmentRefusal> {
  try {
    await takeUploadSlot(deps, uploaderId);
    const { head, bytes } = await peeked(file.bytes);
    const contentType = fileTypeOf(head);
    if (head.length === 0) return 'empty';
    if (contentType === null || contentType === 'heic') return 'unknown_type';
    const sent = limitedBytes(deps, uploaderId, bytes, DOCUMENT_BYTES_MAX);
    return await storeUpload(deps, tenant, input(contentType), sent);
  } catch (error) {
    if (isCode(error, 'PayloadTooLarge')) return 'too_large';
    if (isUploadLimit(error) || isCode(error, 'ValidationError')) return 'too_many';
    throw error;
  }
}

/** An uploaded attachment that no invoice has; null if there is none with this id. */
export async function readAttachable(
  deps: Deps,
  tenant: Tenant,
  documentId: string,
): Promise<Attachment | null> {
  const document = await deps.store.run((tx) => tx.documents.find(documentId));
  return document !== null && isAttachable(document, tenant) ? shownOf(document) : null;
}

/** Null if the payment has none. */
export async function attachmentOf(
  tx: Tx,
  { attachmentDocumentId: id }: Payment,
): Promise<Attachment | null> {
  const document = id === null ? null : await tx.documents.find(id);
  return document === null ? null : shownOf(document);
}

/** The caller closes `bytes` unless it reads them to their end. NotFound. */
export async function readAttachment(
  deps: Deps,
  { attachmentDocumentId: id }: Payment,
): Promise<Attachment & DocumentContent> {
  const document = id === null ? null : await deps.store.run((tx) => tx.documents.find(id));
  const shown = document === null ? null : shownOf(document);
  const content = document === null ? null : await contentOf(deps, document);
  if (shown === null || content === null) throw new PonteError('NotFound');
  return { ...shown, ...content };
}

/** Null once it cannot be read. */
function shownOf({ id, fileName, contentType, sizeBytes }: Document): Attachment | null {
  if (fileName === null || sizeBytes === null) return null;
  return { documentId: id, fileName, contentType, sizeBytes };
}
