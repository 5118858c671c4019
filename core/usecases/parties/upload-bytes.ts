// The bytes of an upload while they are stored: of the declared type, not too many, not none; of
// pages also their first bytes and the limits of uploads.
import type { Tenant } from '../../domain/base/tenant.js';
import { DOCUMENT_BYTES_MAX, type Document } from '../../domain/parties/document.js';
import { FILE_HEAD_BYTES, fileTypeOf, isOfType } from '../../domain/parties/file-type.js';
import { invalid, isCode, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { takeStored, takeUploadedMebibyte } from '../service/rate-limits.js';

const MEBIBYTE = 1_024 * 1_024;

/** Adds to `count`. UnsupportedMediaType, PayloadTooLarge, ValidationError (no bytes). */
export function acceptedBytes(
  document: Document,
  bytes: AsyncIterable<Uint8Array>,
  count: { sizeBytes: number },
): AsyncIterable<Uint8Array> {
  return counted(ofType(document, bytes), count);
}

export function refuseTooLarge(sizeBytes: number): void {
  if (sizeBytes <= DOCUMENT_BYTES_MAX) return;
  const mebibytes = DOCUMENT_BYTES_MAX / 1_024 / 1_024;
  throw new PonteError('PayloadTooLarge', `A document has ${mebibytes} MiB at most.`);
}

/** UnsupportedMediaType unless the first bytes are of the type of the document. */
async function* ofType(
  { kind, contentType, mode }: Document,
  bytes: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const refuseOther = (head: Uint8Array) => {
    // A buyer opens an attachment: it is never a placeholder.
    const isExact = kind === 'attachment';
    if (isExact ? fileTypeOf(head) === contentType : isOfType(contentType, head, mode)) return;
    throw new PonteError('UnsupportedMediaType', `The bytes are not of type ${contentType}.`);
  };
  let head = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (head.length >= FILE_HEAD_BYTES) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < FILE_HEAD_BYTES) continue;
    refuseOther(head);
    yield head;
  }
  if (head.length === 0 || head.length >= FILE_HEAD_BYTES) return;
  refuseOther(head);
  yield head;
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  count: { sizeBytes: number },
): AsyncIterable<Uint8Array> {
  for await (const chunk of bytes) {
    count.sizeBytes += chunk.length;
    refuseTooLarge(count.sizeBytes);
    yield chunk;
  }
  if (count.sizeBytes === 0) throw invalid('body: send the document.');
}

/** The first bytes, and all bytes with them. */
export async function peeked(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < FILE_HEAD_BYTES) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  async function* all(): AsyncIterable<Uint8Array> {
    yield head;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  return { head, bytes: all() };
}

/**
 * Takes bytes from the budget of the tenant before they are stored, so that uploads at the same
 * time count too: what has begun of a step, each as large as those before it. UploadsPaused,
 * StorageLimitExceeded.
 */
export async function* budgetedBytes(
  deps: Deps,
  tenant: Tenant,
  bytes: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  let sizeBytes = 0;
  let takenBytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    if (sizeBytes > takenBytes) {
      if ((await deps.documents?.hasRoom?.()) === false) throw new PonteError('UploadsPaused');
      const stepBytes = Math.max(sizeBytes - takenBytes, Math.min(takenBytes, MEBIBYTE));
      await takeStored(deps, tenant, 'uploads', { rows: 0, bytes: stepBytes });
      takenBytes += stepBytes;
    }
    yield chunk;
  }
}

/** Throws PayloadTooLarge and RateLimitExceeded. */
export async function* limitedBytes(
  deps: Deps,
  partyId: string,
  bytes: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncIterable<Uint8Array> {
  let sizeBytes = 0;
  let mebibytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw new PonteError('PayloadTooLarge');
    for (; mebibytes * MEBIBYTE < sizeBytes; mebibytes += 1) {
      await takeUploadedMebibyte(deps, partyId);
    }
    yield chunk;
  }
}

/** A later upload may be taken. */
export function isUploadLimit(error: unknown): boolean {
  const codes = ['RateLimitExceeded', 'StorageLimitExceeded', 'UploadsPaused'] as const;
  return codes.some((code) => isCode(error, code));
}
