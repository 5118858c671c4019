// Reads the one file of a multipart form. The token of the form comes before the file; without it
// the file is not read.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { DOCUMENT_BYTES_MAX } from '../../../core/domain/parties/document.js';
import { PonteError } from '../../../core/errors.js';
import { isCsrfToken } from './csrf-token.js';
import type { PageAuth, PageCall } from './page-route.js';

/** Files that a form may bring in all, so that a refused one can be read to its end. */
const BODY_BYTES_MAX = 3 * DOCUMENT_BYTES_MAX;
const TOKEN_LENGTH_MAX = 200;

type UploadCall = Pick<PageCall<PageAuth, unknown>, 'body' | 'contentType' | 'csrf' | 'timeoutMs'>;

export interface UploadedFile {
  readonly declaredType: string;
  /** The short fields before the file. */
  readonly fields: ReadonlyMap<string, string>;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Calls `store` with the file, and reads the rest of a file that it does not read, so that the
 * browser sees the answer. PaymentStateConflict for a form without the token of the session,
 * UnsupportedMediaType, ValidationError for a form without a file, RequestTimeout if the file does
 * not begin in time.
 */
export async function readFile<T>(
  { body, contentType, csrf, timeoutMs }: UploadCall,
  store: (file: UploadedFile) => Promise<T>,
): Promise<T> {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) throw new PonteError('UnsupportedMediaType');
  const parser = parserOf(contentType);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new PonteError('RequestTimeout')), timeoutMs);
  const fields = new Map<string, string>();
  const isTokenRight = () => isCsrfToken(fields.get('csrf') ?? '', csrf);
  let stored: Promise<T> | null = null;
  const read: Readable[] = [];
  parser.on('field', (name, value) => fields.set(name, value));
  parser.on('file', (_, bytes, __, ___, declaredType) => {
    // The parser only emits this when the form is cut off. Without a listener it ends the process.
    bytes.on('error', (error) => bytes.destroy(error));
    if (stored !== null || !isTokenRight()) {
      bytes.resume();
      return;
    }
    clearTimeout(timer);
    read.push(bytes);
    stored = storeWhole(bytes[Symbol.asyncIterator](), (all) =>
      store({ declaredType, fields, bytes: all }),
    );
    // It is awaited below; until then a refusal is not an unhandled one.
    stored.catch(() => undefined);
  });
  try {
    await Promise.race([pipeline(Readable.from(bounded(body)), parser), late.promise]);
  } catch (error) {
    // The parser that fails neither ends nor fails the file that it was giving out.
    for (const file of read) file.destroy(error as Error);
    await (stored as Promise<T> | null)?.catch(() => undefined);
    if (error instanceof PonteError) throw error;
    throw new PonteError('ValidationError', 'The form was cut off.', { cause: error });
  } finally {
    clearTimeout(timer);
  }
  if (stored !== null) return stored;
  throw new PonteError(isTokenRight() ? 'ValidationError' : 'PaymentStateConflict');
}

/** Reads what `store` leaves, or the parser waits: a stream with an iterator does not flow. */
async function storeWhole<T>(
  chunks: AsyncIterator<Uint8Array>,
  store: (bytes: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  try {
    // Without `return`, a reader that stops early does not end the stream.
    return await store({ [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) });
  } finally {
    while (!(await chunks.next()).done);
  }
}

function parserOf(contentType: string): InstanceType<typeof Busboy> {
  const headers: BusboyHeaders = { 'content-type': contentType };
  const limits = { files: 2, fields: 8, fieldSize: TOKEN_LENGTH_MAX, parts: 10, headerPairs: 20 };
  try {
    return new Busboy({ headers, limits });
  } catch {
    throw new PonteError('UnsupportedMediaType');
  }
}

async function* bounded(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_BYTES_MAX) throw new PonteError('PayloadTooLarge');
    yield chunk;
  }
}
