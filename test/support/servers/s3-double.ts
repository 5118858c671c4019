// An S3 service in memory that checks each signature (AWS Signature Version 4) and each hash as
// strictly as the real ones, and that can fail on demand.
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const s3Credentials = { accessKeyId: 'AKDOUBLE', secretAccessKey: 'not/so+secret' } as const;

/** What happens to a request instead of its answer. */
export type S3Fault =
  | '500'
  | '503'
  /** The connection ends before the answer, without an effect. */
  | 'dropped'
  /** The connection ends before the answer, with its effect. */
  | 'answer dropped'
  /** Half of the body, then the connection ends. */
  | 'broken body'
  /** No answer. */
  | 'silent'
  /** Half of the body, then nothing. */
  | 'stalled body';

export interface S3Double {
  readonly url: string;
  readonly region: string;
  readonly objects: Map<string, Buffer>;
  /** Method and key or query of each request, in order. */
  readonly requests: string[];
  /** Faults of the next requests, in order. */
  readonly faults: S3Fault[];
  /** A request was read and gets no answer. */
  onSilent: () => void;
  /** Keys per page, if fewer than are requested. */
  pageMax: number;
  close(): Promise<void>;
}

const BUCKET = 'papers';
const CLOCK_SKEW_MS = 15 * 60_000;

export async function startS3(region = 'eu-test-1'): Promise<S3Double> {
  const server = createServer((request, response) => {
    void serve(double, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const double: S3Double = {
    url: `http://127.0.0.1:${port}/${BUCKET}`,
    region,
    objects: new Map(),
    requests: [],
    faults: [],
    onSilent: () => undefined,
    pageMax: 1_000,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return double;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

async function serve(double: S3Double, request: IncomingMessage, response: ServerResponse) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const url = new URL(request.url ?? '', 'http://double');
  const fault = double.faults.shift();
  const key = url.pathname.slice(`/${BUCKET}/`.length);
  double.requests.push(`${request.method} ${key === '' ? url.search : key}`);
  if (fault === 'dropped') return response.destroy();
  if (fault === 'silent') return double.onSilent();
  const { status, body: bytes } =
    fault === '500' || fault === '503'
      ? failure(Number(fault), fault === '503' ? 'SlowDown' : 'InternalError')
      : (refusal(double, request, url, body) ?? answer(double, request.method, url, body));
  if (fault === 'answer dropped') return response.destroy();
  response.writeHead(status, status === 204 ? {} : { 'content-length': bytes.length });
  if (fault !== 'broken body' && fault !== 'stalled body') return response.end(bytes);
  response.write(bytes.subarray(0, bytes.length / 2), () => {
    if (fault === 'broken body') response.destroy();
  });
  return undefined;
}

function answer(double: S3Double, method = '', { pathname, searchParams }: URL, body: Buffer) {
  const { objects } = double;
  const [, bucket, ...rest] = pathname.split('/');
  const key = rest.join('/');
  if (bucket !== BUCKET) return failure(404, 'NoSuchBucket');
  if (key === '') return method === 'GET' ? page(double, searchParams) : failure(405, 'Method');
  if (method === 'PUT') objects.set(key, body);
  if (method === 'DELETE') objects.delete(key);
  if (method === 'PUT') return { status: 200, body: Buffer.alloc(0) };
  if (method === 'DELETE') return { status: 204, body: Buffer.alloc(0) };
  const found = objects.get(key);
  return found === undefined ? failure(404, 'NoSuchKey') : { status: 200, body: found };
}

/** ListObjectsV2: keys, or what they have before the delimiter, in the order of their bytes. */
function page({ objects, pageMax }: S3Double, query: URLSearchParams): Answer {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter');
  const token = query.get('continuation-token');
  const after = token === null ? query.get('start-after') : fromToken(token);
  const limit = Math.min(Number(query.get('max-keys') ?? 1_000), pageMax);
  if (query.get('list-type') !== '2') return failure(400, 'InvalidArgument');
  const items = new Map<string, 'Key' | 'Prefix'>();
  for (const key of [...objects.keys()].filter((one) => one.startsWith(prefix)).toSorted()) {
    if (after !== null && (key <= after || (after.endsWith('/') && key.startsWith(after))))
      continue;
    const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
    if (end === -1) items.set(key, 'Key');
    else items.set(key.slice(0, end + 1), 'Prefix');
  }
  const shown = [...items].slice(0, limit);
  const last = shown.at(-1)?.[0] ?? '';
  const isTruncated = items.size > shown.length;
  const xml = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<ListBucketResult><Name>${BUCKET}</Name><Prefix>${prefix}</Prefix>`,
    `<IsTruncated>${isTruncated}</IsTruncated>`,
    isTruncated ? `<NextContinuationToken>${toToken(last)}</NextContinuationToken>` : '',
    ...shown.map(([text, kind]) =>
      kind === 'Key'
        ? `<Contents><Key>${text}</Key><Size>1</Size></Contents>`
        : `<CommonPrefixes><Prefix>${text}</Prefix></CommonPrefixes>`,
    ),
    '</ListBucketResult>',
  ].join('');
  return { status: 200, body: Buffer.from(xml) };
}

/** With characters that XML and URLs escape. */
function toToken(key: string): string {
  return `&amp;+/=${Buffer.from(key).toString('base64')}`;
}

function fromToken(token: string): string {
  if (!token.startsWith('&+/=')) return '\uffff';
  return Buffer.from(token.slice('&+/='.length), 'base64').toString();
}

const headForm = new RegExp(
  [
    '^AWS4-HMAC-SHA256 Credential=([^/,]+)/(\\d{8})/([^/,]+)/s3/aws4_request',
    'SignedHeaders=([a-z0-9;-]+)',
    'Signature=([0-9a-f]{64})$',
  ].join(', '),
);

/** Why the request is not answered; null if it is signed for this service and unchanged. */
function refusal(double: S3Double, request: IncomingMessage, url: URL, body: Buffer) {
  const { headers, method = '' } = request;
  const head = headForm.exec(headers.authorization ?? '');
  if (head === null) return failure(403, 'AccessDenied');
  const [, keyId, date = '', region, names = '', signature] = head;
  if (keyId !== s3Credentials.accessKeyId) return failure(403, 'InvalidAccessKeyId');
  if (region !== double.region) return failure(400, 'AuthorizationHeaderMalformed');
  const at = String(headers['x-amz-date']);
  if (!at.startsWith(date) || Math.abs(timeOf(at) - Date.now()) > CLOCK_SKEW_MS) {
    return failure(403, 'RequestTimeTooSkewed');
  }
  const signed = names.split(';');
  const required = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (required.some((name) => !signed.includes(name))) return failure(403, 'AccessDenied');
  const digest = String(headers['x-amz-content-sha256']);
  if (digest !== sha256(body)) return failure(400, 'XAmzContentSHA256Mismatch');
  const query = [...url.searchParams]
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');
  const path = url.pathname.split('/').map((part) => encoded(decodeURIComponent(part)));
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, path.join('/'), query, lines.join(''), names, digest].join('\n');
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n');
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${s3Credentials.secretAccessKey}`,
  );
  const expected = createHmac('sha256', key).update(text).digest('hex');
  return signature === expected ? null : failure(403, 'SignatureDoesNotMatch');
}

function timeOf(text: string): number {
  return Date.parse(
    text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
}

function encoded(text: string): string {
  const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, escaped);
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function failure(status: number, code: string): Answer {
  const { accessKeyId } = s3Credentials;
  const rest = `<Message>no</Message><AWSAccessKeyId>${accessKeyId}</AWSAccessKeyId>`;
  return { status, body: Buffer.from(`<Error><Code>${code}</Code>${rest}</Error>`) };
}
