// Reads a multipart form with one file. The token of the form comes before the file; without it the
// file is not read.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { tenantKey } from '../../../../core/domain/base/tenant.js';
import { DOCUMENT_BYTES_MAX } from '../../../../core/domain/parties/document.js';
import { PonteError } from '../../../../core/errors.js';
import { isCsrfToken } from '../csrf-token.js';
import type { PageAuth, PageCall, PageContext } from '../page-route.js';

/** Files that a form may bring in all, so that a refused one can be read to its end. */
const BODY_BYTES_MAX = 3 * DOCUMENT_BYTES_MAX;
/** A browser sends one at a time; a person may use several tabs. */
const UPLOADS_PER_SESSION = 4;
const UPLOADS_PER_TENANT = 64;

/** What a form has beside its file. */
export type FormLimits = Readonly<{ fields: number; fieldBytesMax: number }>;
/** A token, and what says where the file belongs. */
const shortFields: FormLimits = { fields: 8, fieldBytesMax: 200 };

type UploadCall = Pick<PageCall<PageAuth, unknown>, 'body' | 'contentType' | 'csrf' | 'timeoutMs'>;

export interface UploadedFile {
  readonly declaredType: string;
  /** As the browser names it, without folders; may be empty. */
  readonly fileName: string;
  /** The short fields before the file. */
  readonly fields: ReadonlyMap<string, string>;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface FileForm<T> {
  readonly fields: ReadonlyMap<string, string>;
  /** What `store` returned; null without a file. */
  readonly file: { readonly stored: T } | null;
}

/** The file of a form that must have one: ValidationError without it. */
export async function readFile<T>(
  call: UploadCall,
  store: (file: UploadedFile) => Promise<T>,
): Promise<T> {
  const { file } = await readFileForm(call, shortFields, store, false);
  if (file === null) throw new PonteError('ValidationError');
  return file.stored;
}

/**
 * Calls `store` with the file, if one was chosen, and reads the rest of a file that it does not
 * read, so that the browser sees the answer. PaymentStateConflict for a form without the token of
 * the session, UnsupportedMediaType, ValidationError for a form that was cut off, RequestTimeout if
 * the file does not begin in time.
 */
export async function readFileForm<T>(
  { body, contentType, csrf, timeoutMs }: UploadCall,
  limits: FormLimits,
  store: (file: UploadedFile) => Promise<T>,
  /** A browser sends a part without a name where no file was chosen. */
  isOptional = true,
): Promise<FileForm<T>> {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) throw new PonteError('UnsupportedMediaType');
  const parser = parserOf(contentType, limits);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new PonteError('RequestTimeout')), timeoutMs);
  const fields = new Map<string, string>();
  const isTokenRight = () => isCsrfToken(fields.get('csrf') ?? '', csrf);
  let stored: Promise<T> | null = null;
  const read: Readable[] = [];
  parser.on('field', (name, value) => fields.set(name, value));
  parser.on('file', (_, bytes, name, __, declaredType) => {
    const fileName = name ?? '';
    // The parser only emits this when the form is cut off. Without a listener it ends the process.
    bytes.on('error', (error) => bytes.destroy(error));
    const isChosen = !isOptional || fileName !== '';
    if (stored !== null || !isChosen || !isTokenRight()) {
      bytes.resume();
      return;
    }
    clearTimeout(timer);
    read.push(bytes);
    stored = storeWhole(bytes[Symbol.asyncIterator](), (all) =>
      store({ declaredType, fileName, fields, bytes: all }),
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
  if (!isTokenRight()) throw new PonteError('PaymentStateConflict');
  return { fields, file: stored === null ? null : { stored: await stored } };
}

/** Ends one chunk above the maximum: the rest is not kept. */
export async function bytesOf(
  { bytes }: Pick<UploadedFile, 'bytes'>,
  bytesMax: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) break;
  }
  return Buffer.concat(chunks);
}

/**
 * RateLimitExceeded while too many uploads of the session or the tenant run: each may take minutes.
 * The pipeline holds a slot for every multipart row.
 */
export async function inUploadSlot<T>(
  { uploads }: Pick<PageContext, 'uploads'>,
  { session, visit }: Pick<PageCall<'none', unknown>, 'session' | 'visit'>,
  upload: () => Promise<T>,
): Promise<T> {
  const id = session?.id ?? visit?.signedIn.session.id ?? '';
  const tenant = session ?? visit?.actor ?? null;
  const groups = tenant === null ? [id] : [id, tenantKey(tenant)];
  const isFull = groups.some((group) => uploads.reserved(group) >= UPLOADS_PER_TENANT);
  if (isFull || uploads.reserved(id) >= UPLOADS_PER_SESSION) {
    throw new PonteError('RateLimitExceeded');
  }
  uploads.reserve(groups, 1);
  try {
    return await upload();
  } finally {
    uploads.release(groups, 1);
  }
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

function parserOf(
  contentType: string,
  { fields, fieldBytesMax: fieldSize }: FormLimits,
): InstanceType<typeof Busboy> {
  const headers: BusboyHeaders = { 'content-type': contentType };
  const limits = { files: 2, fields, fieldSize, parts: fields + 2, headerPairs: 20 };
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
