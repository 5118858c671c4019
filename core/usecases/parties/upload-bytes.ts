// The bytes of an upload while they are stored: of the declared type, not too many, not none.
import { DOCUMENT_BYTES_MAX, type Document } from '../../domain/parties/document.js';
import { FILE_HEAD_BYTES, isOfType } from '../../domain/parties/file-type.js';
import { PonteError } from '../../errors.js';

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
  { contentType, mode }: Document,
  bytes: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const refuseOther = (head: Uint8Array) => {
    if (isOfType(contentType, head, mode)) return;
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
  if (count.sizeBytes === 0) throw new PonteError('ValidationError', 'body: send the document.');
}
