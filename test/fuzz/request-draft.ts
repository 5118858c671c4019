// A request before it is sent. Its parts can be changed one by one, and each change adds a note. It
// owns how the parts become bytes.
import { writeJson } from '../../core/domain/base/raw-json.js';
import type { Operation } from './described-operations.js';
import type { Client } from './fuzz-scene.js';

export interface Draft {
  readonly operation: Operation;
  /** Null if the credential may belong to another organization or mode. */
  client: Client | null;
  method: string;
  /** Percent-encoded, without the query. */
  path: string;
  /** Percent-encoded, in order. */
  query: [name: string, value: string][];
  headers: [name: string, value: string][];
  /** Bytes are sent as they are, anything else as JSON; undefined: no body. */
  body: unknown;
  framing: 'length' | 'chunked';
  /** Changes the bytes of the whole request. */
  rewrite: ((request: Buffer) => Buffer) | null;
  /** The client closes the connection before it reads an answer. */
  disconnects: boolean;
  /** Sent twice in one write. */
  twice: boolean;
  /** Why no answer to it may be a success; null if one may. */
  mustFail: string | null;
  /** What it is, and how it differs from a valid request. */
  readonly notes: string[];
}

const TARGET_SHOWN_MAX = 120;

/** One line for traces and failures. */
export function titleOf({ operation, method, path, query, notes }: Draft): string {
  const target = targetOf(path, query);
  const shown = target.length > TARGET_SHOWN_MAX ? `${target.slice(0, TARGET_SHOWN_MAX)}…` : target;
  return `${operation.operationId}: ${method} ${shown} [${notes.join('; ')}]`;
}

/** Replaces every header of this name; null removes them. */
export function setHeader(draft: Draft, name: string, value: string | null): void {
  const others = draft.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  draft.headers = value === null ? others : [...others, [name, value]];
}

export function bodyBytes({ body }: Pick<Draft, 'body'>): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(writeJson(body));
}

/** Path and headers are written as latin1: one character is one byte. */
export function requestBytes(draft: Draft, requestId: string): Buffer {
  const { method, path, query, framing, rewrite } = draft;
  const body = bodyBytes(draft);
  const isChunked = framing === 'chunked';
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const lines = [
    `${method} ${targetOf(path, query)} HTTP/1.1`,
    `X-Request-Id: ${requestId}`,
    ...draft.headers.map(([name, value]) => `${name}: ${value}`),
    ...(draft.body === undefined ? [] : [length]),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const framed = draft.body !== undefined && isChunked ? chunked(body) : body;
  const request = Buffer.concat([head, framed]);
  return rewrite === null ? request : rewrite(request);
}

function targetOf(path: string, query: Draft['query']): string {
  if (query.length === 0) return path;
  return `${path}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/** Two chunks, then the empty last one. */
function chunked(body: Buffer): Buffer {
  const half = Math.ceil(body.length / 2);
  const parts = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0);
  const chunks = parts.map((part) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
  );
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}
