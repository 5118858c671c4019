// Writes answers: the headers of every answer, JSON and content bodies, and the end of a connection
// whose request was not read completely.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { readsGzip } from '../../../core/domain/base/accept-encoding.js';
import { writeJson } from '../../../core/domain/base/raw-json.js';
import type { ErrorCode, PonteError } from '../../../core/errors.js';
import type { CreateQuota } from '../../../core/usecases/service/rate-limits.js';
import { errorBody } from './error-body.js';
import { PackedJson } from './packed-json.js';
import { Content, type Reply } from './route-row.js';

/** Answers are for programs: a browser must not frame, sniff, cache or refer to them. */
const everyAnswer = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** A year. Browsers then use https only, also for links that say http. */
const strictTransport = { 'strict-transport-security': 'max-age=31536000' } as const;

/** The headers of every answer under this public address. */
export function transportHeaders(publicUrl: string): Reply['headers'] {
  return publicUrl.startsWith('https:') ? strictTransport : {};
}

/** After a refusal, at most so much of an unread body is read and discarded. */
const LINGER_BYTES_MAX = 4 * 1024 * 1024;
const LINGER_MS = 2_000;

/** Error codes of a stream whose connection closed before the answer ended. */
const clientGone = /^ERR_STREAM_(PREMATURE_CLOSE|DESTROYED)$/;

/** The rest of the body may be long or never arrive: no other request follows it. */
const unreadable: ReadonlySet<ErrorCode> = new Set(['PayloadTooLarge', 'RequestTimeout']);

export function refusalReply(error: PonteError): Reply {
  const retryAfter = error.retryAfterSeconds;
  return {
    status: error.status,
    body: errorBody.show(error),
    headers: {
      ...(retryAfter === null ? {} : { 'retry-after': `${retryAfter}` }),
      ...(unreadable.has(error.code) ? { connection: 'close' } : {}),
    },
  };
}

let turn: Promise<void> | null = null;

/**
 * Resolves when every request of this turn of the event loop has started. Their answers are then
 * written together: waking a sleeping client is the most expensive part of an answer, and the first
 * one does it for all.
 */
export function endOfTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = null;
      resolve();
    });
  });
  return turn;
}

export interface Ending {
  readonly requestId: string;
  /** The limit that the request counted against, if any. */
  readonly quota: CreateQuota | null;
  /** The public address, and the headers for the web origin of the request. */
  readonly baseUrl: string;
  readonly origin: Reply['headers'];
  /** Bytes of unread body that the connection survives. */
  readonly bytesMax: number;
  /** The server stops: the connection closes after this answer. */
  readonly last: boolean;
}

/** Null: everything is written. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  ending: Ending,
): Promise<void> | null {
  if (response.destroyed) return null;
  const { bytesMax, last } = ending;
  if (reply.body instanceof Content) {
    return sendContent(request, response, reply, reply.body, ending);
  }
  const shared = reply.body instanceof PackedJson ? reply.body.bytesFor(request) : null;
  const text = reply.body === null || shared !== null ? '' : writeJson(reply.body);
  const unread = isOverlong(request, bytesMax);
  const headers: Record<string, string | number> = headersOf(reply, ending);
  if (last || unread) headers['connection'] = 'close';
  if (shared?.isPacked) headers['content-encoding'] = 'gzip';
  const bytes = shared?.bytes.length ?? Buffer.byteLength(text);
  if (bytes === 0) {
    delete headers['content-type'];
    if (reply.status !== 204 && reply.status !== 304) headers['content-length'] = 0;
  } else {
    headers['content-length'] = bytes;
  }
  // ASCII needs no encoding.
  const encoding = bytes === text.length ? 'latin1' : 'utf8';
  response.writeHead(reply.status, headers);
  if (!unread) {
    response.end(shared?.bytes ?? text, encoding);
    return null;
  }
  response.write(shared?.bytes ?? text, encoding);
  linger(request, () => response.end());
  return null;
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10, as structured fields (RFC 9651). */
function quotaHeaders(quota: CreateQuota): Reply['headers'] {
  const { countedBy, quota: requests, windowSeconds, remaining, resetSeconds } = quota;
  return {
    'ratelimit-policy': `"${countedBy}";q=${requests};w=${windowSeconds}`,
    ratelimit: `"${countedBy}";r=${remaining};t=${resetSeconds}`,
  };
}

function headersOf(
  { headers }: Reply,
  { requestId, quota, baseUrl, origin }: Ending,
): Reply['headers'] {
  const varying =
    origin['vary'] === undefined
      ? ''
      : [headers, origin].flatMap(({ vary }) => vary ?? []).join(', ');
  return {
    ...everyAnswer,
    'x-request-id': requestId,
    ...(quota === null ? {} : quotaHeaders(quota)),
    ...transportHeaders(baseUrl),
    ...headers,
    ...origin,
    ...(varying === '' ? {} : { vary: varying }),
  };
}

/** Streams the bytes. A client that disconnects is no error. */
async function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  { type, sizeBytes, bytes }: Content,
  ending: Ending,
): Promise<void> {
  const { last } = ending;
  const { 'content-encoding': coding, ...plain } = reply.headers;
  const isUnpacked = coding === 'gzip' && !readsGzip(`${request.headers['accept-encoding'] ?? ''}`);
  const headers = { 'content-type': type, ...(isUnpacked ? plain : reply.headers) };
  response.writeHead(reply.status, {
    ...headersOf({ ...reply, headers }, ending),
    ...(isUnpacked ? {} : { 'content-length': sizeBytes }),
    ...(last ? { connection: 'close' } : {}),
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const sent = isUnpacked ? pipeline(bytes, createGunzip(), response) : pipeline(bytes, response);
  await sent.catch((error: NodeJS.ErrnoException) => {
    if (!clientGone.test(error.code ?? '')) throw error;
  });
}

/** The answer to an unreadable request. The connection closes. */
export function sendRaw(
  socket: Socket,
  reply: Reply,
  { requestId, publicUrl }: { readonly requestId: string; readonly publicUrl: string },
): void {
  const text = writeJson(reply.body);
  const headers = {
    ...everyAnswer,
    ...transportHeaders(publicUrl),
    'x-request-id': requestId,
    'content-length': `${Buffer.byteLength(text)}`,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n`;
  socket.end(`${status}${lines.join('')}\r\n${text}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Whether more may arrive than node discards after the answer. */
function isOverlong(request: IncomingMessage, bytesMax: number): boolean {
  if (request.complete) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > bytesMax;
}

/**
 * A client reads its answer after it has sent its body. A socket that is closed with unread bytes
 * is reset, which can destroy the answer. So the rest of the body is discarded, within limits.
 */
function linger(request: IncomingMessage, end: () => void): void {
  let size = 0;
  const stop = () => {
    clearTimeout(timer);
    request.off('data', count).off('end', stop).off('close', stop).off('error', stop);
    request.pause();
    end();
  };
  const count = (chunk: Buffer) => {
    size += chunk.length;
    if (size > LINGER_BYTES_MAX) stop();
  };
  const timer = setTimeout(stop, LINGER_MS);
  request.on('data', count).on('end', stop).on('close', stop).on('error', stop);
}
