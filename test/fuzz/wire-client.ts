// An HTTP client for raw bytes: it sends exactly what it is given to a local server and parses the
// answers strictly. Requests may be malformed; an answer that is not well-formed HTTP/1.1 fails.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import type { Answer } from '../adapters/http/checked-site.js';

/** Much longer than any answer takes on a loaded machine: after it, the server hangs. */
const ANSWER_TIMEOUT_MS = 60_000;
const lineEnd = Buffer.from('\r\n');
const headEnd = Buffer.from('\r\n\r\n');
const statusLine = /^HTTP\/1\.1 ([1-5][0-9]{2}) [\x20-\x7e]*$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;

export interface WireClient {
  /**
   * Sends requests in one write, one method each, and reads their answers. An answer with
   * Connection: close is the last one.
   */
  exchange(bytes: Uint8Array, methods: readonly string[]): Promise<readonly Answer[]>;
  /**
   * Sends a possibly malformed request on a new connection and half-closes it. Resolves with null
   * if the server closes the connection without an answer.
   */
  sendMalformed(bytes: Uint8Array, method: string): Promise<Answer | null>;
  /** Sends a request and closes the connection without reading the answer. */
  sendAndDisconnect(bytes: Uint8Array): Promise<void>;
  /** The next request opens a new connection. */
  disconnect(): void;
}

export function wireClient(port: number): WireClient {
  let current: Connection | null = null;
  const disconnect = () => {
    current?.socket.destroy();
    current = null;
  };
  return {
    disconnect,
    async exchange(bytes, methods) {
      const connection = current?.ended === false ? current : await openConnection(port);
      current = connection;
      assert.equal(connection.received.length, 0, 'the server sent an answer to no request');
      connection.socket.write(bytes);
      const answers: Answer[] = [];
      for (const method of methods) {
        const answer = await readAnswer(connection, method);
        assert.ok(answer !== null, 'the connection was closed without an answer');
        answers.push(answer);
        if (answer.headers['connection'] !== 'close') continue;
        disconnect();
        break;
      }
      return answers;
    },
    async sendMalformed(bytes, method) {
      disconnect();
      const connection = await openConnection(port);
      connection.socket.end(bytes);
      const answer = await readAnswer(connection, method);
      connection.socket.destroy();
      return answer;
    },
    async sendAndDisconnect(bytes) {
      disconnect();
      const { socket } = await openConnection(port);
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.write(bytes, () => socket.destroySoon());
        socket.resume();
      });
    },
  };
}

interface Connection {
  readonly socket: Socket;
  received: Buffer;
  ended: boolean;
  /** Called when more bytes arrive or the connection ends. */
  onChange: () => void;
}

function openConnection(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const connection: Connection = {
      socket,
      received: Buffer.alloc(0),
      ended: false,
      onChange: () => undefined,
    };
    const end = () => {
      connection.ended = true;
      connection.onChange();
    };
    socket.setNoDelay(true);
    socket.once('connect', () => resolve(connection));
    socket.on('data', (chunk: Buffer) => {
      connection.received = Buffer.concat([connection.received, chunk]);
      connection.onChange();
    });
    socket.on('error', (error) => {
      end();
      reject(error);
    });
    socket.on('end', end).on('close', end);
  });
}

/** Null if the connection ended before the first byte of the answer. */
async function readAnswer(connection: Connection, method: string): Promise<Answer | null> {
  for (;;) {
    const head = await take(connection, through(headEnd));
    if (head === null) return null;
    const { status, headers } = parseHead(head.toString('latin1').slice(0, -headEnd.length));
    // An interim answer, for example 100 Continue.
    if (status < 200) continue;
    const text = (await readBody(connection, method, status, headers)).toString();
    const isJson = headers['content-type'] === 'application/json' && text !== '';
    return { status, headers, text, body: isJson ? JSON.parse(text) : {} };
  }
}

function parseHead(head: string): Pick<Answer, 'status' | 'headers'> {
  const [first = '', ...lines] = head.split('\r\n');
  const status = statusLine.exec(first)?.[1];
  assert.ok(status !== undefined, `not a status line: ${JSON.stringify(first)}`);
  const headers: Record<string, string> = {};
  for (const text of lines) {
    const [, name = '', value = ''] = headerLine.exec(text) ?? [];
    assert.notEqual(name, '', `not a header line: ${JSON.stringify(text)}`);
    assert.ok(!Object.hasOwn(headers, name.toLowerCase()), `${name} is sent twice`);
    headers[name.toLowerCase()] = value;
  }
  return { status: Number(status), headers };
}

async function readBody(
  connection: Connection,
  method: string,
  status: number,
  headers: Answer['headers'],
): Promise<Buffer> {
  if (method === 'HEAD' || status === 204 || status === 304) return Buffer.alloc(0);
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding === undefined) {
    assert.match(length ?? '', /^[0-9]+$/, 'an answer has a length');
    const body = await take(connection, () => Number(length));
    return body ?? assert.fail('the answer is cut off');
  }
  assert.equal(encoding, 'chunked');
  assert.equal(length, undefined, 'an answer is chunked or has a length, not both');
  const chunks: Buffer[] = [];
  for (;;) {
    const size = Number.parseInt(`${await take(connection, through(lineEnd))}`, 16);
    const chunk = await take(connection, () => size + lineEnd.length);
    assert.ok(chunk !== null, 'the answer is cut off');
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, size));
  }
}

/** The number of bytes to take from those received; null while it is not known. */
type Measure = (received: Buffer) => number | null;

function through(end: Buffer): Measure {
  return (received) => {
    const at = received.indexOf(end);
    return at === -1 ? null : at + end.length;
  };
}

/** Null if the connection ended and nothing was received. */
async function take(connection: Connection, measure: Measure): Promise<Buffer | null> {
  const startedMs = performance.now();
  for (;;) {
    const { received, ended } = connection;
    const length = measure(received);
    if (length !== null && length <= received.length) {
      connection.received = received.subarray(length);
      return received.subarray(0, length);
    }
    if (ended) {
      assert.equal(received.length, 0, `the answer is cut off: ${received.subarray(0, 200)}`);
      return null;
    }
    const leftMs = startedMs + ANSWER_TIMEOUT_MS - performance.now();
    assert.ok(leftMs > 0, 'no answer: the server hangs');
    await change(connection, leftMs);
  }
}

function change(connection: Connection, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    connection.onChange = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
