// Documents as objects of an S3-compatible service: `<document>/<upload>` in one bucket, which
// holds nothing else. An upload is one signed PUT, so an object is whole or absent. All requests
// can be repeated: each upload has a different name.
import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { SECOND_MS } from '../../core/domain/base/instant.js';
import { DOCUMENT_BYTES_MAX } from '../../core/domain/parties/document.js';
import { assert, PonteError } from '../../core/errors.js';
import { type ByteSource, type DocumentStorage, USER_AGENT } from '../../core/ports/outside.js';

export interface S3Place {
  /** The address of the bucket, `https://<host>/<bucket>`. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Shorter in tests. */
export interface S3Limits {
  /** Until the answer begins, of each attempt. An upload is sent in this time. */
  readonly answerMs: number;
  /** Between two pieces of a document that is read. */
  readonly idleMs: number;
  /** Waits before the second and later attempts. */
  readonly retryDelaysMs: readonly number[];
}

const usualLimits: S3Limits = {
  answerMs: 20 * SECOND_MS,
  idleMs: 20 * SECOND_MS,
  retryDelaysMs: [100, 500],
};

/** Wrong credentials, bucket, region or clock: an operator must act. */
export class S3Refusal extends Error {
  override readonly name = 'S3Refusal';
}

const documentIdForm = /^doc_[0-9a-z]{1,64}$/;
const fingerprintForm = /^database-[0-9a-f]{1,64}$/;
const nameForm = /^[0-9a-f]{1,64}$/;
/** The most keys that a list returns. */
const PAGE = 1_000;
/** Sorts directly after the `/` that ends a document's id in a key. */
const AFTER_SLASH = '0';

export function createS3Documents(place: S3Place, limits: S3Limits = usualLimits): DocumentStorage {
  const bucket = bucketOf(place, limits);
  const keyOf = (documentId: string, name: string): string => {
    assert(nameForm.test(name), 'an upload is named in hex');
    return `${prefixOf(documentId)}${name}`;
  };
  const fingerprintKey = (fingerprint: string): string => {
    assert(fingerprintForm.test(fingerprint), 'a fingerprint names its kind and is hex');
    return fingerprint;
  };
  return {
    place: place.url,
    recordFingerprint: (fingerprint) => bucket.put(fingerprintKey(fingerprint), new Uint8Array()),
    async hasFingerprint(fingerprint) {
      const bytes = await bucket.get(fingerprintKey(fingerprint));
      await bytes?.close();
      return bytes !== null;
    },
    async put(documentId, name, bytes) {
      const key = keyOf(documentId, name);
      // S3 requires the length and the hash before the first byte.
      await bucket.put(key, await wholeOf(bytes));
    },
    get: async (documentId, name) => bucket.get(keyOf(documentId, name)),
    remove: async (documentId, name) => bucket.remove(keyOf(documentId, name)),
    async purge(documentId, keptName) {
      const kept = keptName === null ? null : keyOf(documentId, keptName);
      const query = { prefix: prefixOf(documentId), 'max-keys': `${PAGE}` };
      for await (const { keys } of bucket.pages(query)) {
        for (const key of keys.filter((one) => one !== kept)) await bucket.remove(key);
      }
    },
    async list({ afterId, limit }) {
      const query: Query = {
        prefix: 'doc_',
        delimiter: '/',
        'max-keys': `${Math.min(limit, PAGE)}`,
        ...(afterId !== null && { 'start-after': `${afterId}${AFTER_SLASH}` }),
      };
      const ids: string[] = [];
      for await (const { prefixes } of bucket.pages(query)) {
        const found = prefixes.map((prefix) => prefix.slice(0, -1));
        ids.push(...found.filter((id) => documentIdForm.test(id)));
        if (ids.length >= limit) break;
      }
      return ids.slice(0, limit);
    },
  };
}

function prefixOf(documentId: string): string {
  assert(documentIdForm.test(documentId), 'a document is named by its id');
  return `${documentId}/`;
}

async function wholeOf(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    assert(size <= DOCUMENT_BYTES_MAX, 'the use case bounds an upload');
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

type Query = Readonly<Record<string, string>>;

interface S3Page {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
}

interface Bucket {
  put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Null if there is no such key. */
  get(key: string): Promise<ByteSource | null>;
  /** Deletes the key, if it exists. */
  remove(key: string): Promise<void>;
  /** All pages of a list (ListObjectsV2). */
  pages(query: Query): AsyncIterable<S3Page>;
}

function bucketOf(place: S3Place, limits: S3Limits): Bucket {
  const { url, region, accessKeyId, secretAccessKey } = place;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' });
  const send = (method: Method, path: string, bytes: Uint8Array<ArrayBuffer> | null = null) =>
    repeated(limits, method, async () => {
      const signed = await client.sign(`${url}${path}`, {
        method,
        headers: { 'x-amz-content-sha256': hash('sha256', bytes ?? ''), 'user-agent': USER_AGENT },
        ...(bytes === null ? {} : { body: bytes }),
      });
      return begun(signed, limits);
    });
  return {
    async put(key, bytes) {
      await ended(await send('PUT', `/${key}`, bytes), 'PUT', [200]);
    },
    async get(key) {
      const answer = await send('GET', `/${key}`);
      if (answer.response.status === 200) return bytesOf(answer, limits.idleMs);
      const code = await ended(answer, 'GET', [404]);
      // Another 404 is about the bucket.
      if (code === 'NoSuchKey') return null;
      throw refused('GET', 404, code);
    },
    async remove(key) {
      await ended(await send('DELETE', `/${key}`), 'DELETE', [200, 204]);
    },
    async *pages(query) {
      for (let token: string | null = null; ; ) {
        const search = new URLSearchParams({ 'list-type': '2', ...query });
        if (token !== null) search.set('continuation-token', token);
        // The signature covers blanks as %20.
        const answer = await send('GET', `?${`${search}`.replaceAll('+', '%20')}`);
        const xml = await textOf(answer, limits.idleMs);
        if (answer.response.status !== 200) {
          throw refused('GET', answer.response.status, errorCode(xml));
        }
        yield {
          keys: textsIn(xml, 'Key'),
          prefixes: textsIn(xml, 'Prefix').filter((prefix) => prefix !== query['prefix']),
        };
        token = textsIn(xml, 'NextContinuationToken')[0] ?? null;
        if (token === null) return;
      }
    },
  };
}

type Method = 'GET' | 'PUT' | 'DELETE';

/** An answer whose body may be unread. */
interface Begun {
  readonly response: Response;
  readonly timeout: AbortController;
}

async function begun(signed: Request, { answerMs }: S3Limits): Promise<Begun> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), answerMs);
  try {
    const response = await fetch(signed, { signal: timeout.signal, redirect: 'manual' });
    return { response, timeout };
  } finally {
    clearTimeout(timer);
  }
}

/** Repeats what may succeed later; then StoreUnavailable. */
async function repeated(
  { retryDelaysMs }: S3Limits,
  method: Method,
  attempt: () => Promise<Begun>,
): Promise<Begun> {
  for (let tries = 0; ; tries += 1) {
    let cause: unknown;
    try {
      const answer = await attempt();
      const { status } = answer.response;
      if (status < 500 && status !== 429) return answer;
      answer.timeout.abort();
      cause = new Error(`the S3 service answers ${status} to ${method}`);
    } catch (error) {
      cause = error;
    }
    const delayMs = retryDelaysMs[tries];
    if (delayMs === undefined) throw unavailable(cause);
    await wait(delayMs);
  }
}

/** Reads an answer without a document to its end: its error code, null if there is none. */
async function ended(
  answer: Begun,
  method: Method,
  expected: readonly number[],
): Promise<string | null> {
  const { status } = answer.response;
  const code = errorCode(await textOf(answer, usualLimits.idleMs));
  if (!expected.includes(status)) throw refused(method, status, code);
  return code;
}

async function textOf(answer: Begun, idleMs: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytesOf(answer, idleMs)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function bytesOf({ response: { body }, timeout }: Begun, idleMs: number): ByteSource {
  const reader = body?.getReader() ?? null;
  const close = async () => timeout.abort();
  const next = async () => {
    const timer = setTimeout(close, idleMs);
    try {
      return (await reader?.read()) ?? { done: true as const, value: undefined };
    } catch (cause) {
      throw unavailable(cause);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const { done, value } = await next();
          if (done) return;
          yield value;
        }
      } finally {
        await close();
      }
    },
    close,
  };
}

/** Keys and tokens of S3 need only these. */
const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};

function textsIn(xml: string, element: string): readonly string[] {
  const found = xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'));
  return [...found].map(([, text = '']) =>
    text.replace(/&(amp|lt|gt|quot|apos);/g, (entity) => entities[entity] ?? entity),
  );
}

/** The rest of an error names the access key. */
function errorCode(xml: string): string | null {
  return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(xml)?.[1] ?? null;
}

function refused(method: Method, status: number, code: string | null): S3Refusal {
  return new S3Refusal(`the S3 service answers ${status} (${code ?? 'no code'}) to ${method}`);
}

function unavailable(cause: unknown): PonteError {
  const message = 'The storage of documents does not answer. Repeat the request later.';
  return new PonteError('StoreUnavailable', message, { cause });
}
