// Real local servers that play an integrator's webhook receiver, well or badly behaved, and a
// certificate for the name receiver.test.
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Answering = (response: ServerResponse, request: ReceivedRequest) => void;

export interface LocalReceiver {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** All connections that were ever made. */
  readonly connections: readonly Socket[];
  close(): Promise<void>;
}

/** Calls `answering` with each complete request. */
export function startReceiver(
  answering: Answering,
  scheme: 'http' | 'https' = 'http',
): Promise<LocalReceiver> {
  const requests: ReceivedRequest[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: Buffer.concat(chunks) };
    requests.push(received);
    answering(response, received);
  };
  const server = scheme === 'http' ? createHttpServer(listener) : createHttpsServer(tls, listener);
  return listen(server, scheme, requests);
}

/** Calls `talk` with each connection, for answers that no HTTP library gives. */
export function startRawReceiver(talk: (socket: Socket) => void): Promise<LocalReceiver> {
  const server = createTcpServer((socket) => {
    talk(socket);
    // What is not read is never seen to end.
    socket.resume();
  });
  return listen(server, 'http', []);
}

/** Resolves when a connection has ended, cleanly or not. */
export async function ended(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise<void>((done) => socket.once('close', () => done()));
}

async function listen(
  server: Server,
  scheme: string,
  requests: readonly ReceivedRequest[],
): Promise<LocalReceiver> {
  const connections: Socket[] = [];
  server.on('connection', (socket) => {
    connections.push(socket);
    // Receivers are cut off in these tests; the other side's error is what counts.
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}/webhooks`,
    requests,
    connections,
    close: async () => {
      server.close();
      for (const socket of connections) socket.destroy();
      if (server.listening) await once(server, 'close');
    },
  };
}

/** Self-signed, for tests alone, from 2020 to 2120. */
export const tls = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUm0wISjpQ5WyzccG
D9H1ltEb4lGpcSZQuJBNGTGhOz6hRANCAAQ0ghvOOai9uwNw8e9lQXPjHXol4FWL
FF8GzNr9xX1C6Qw/aGuclJQ3w9MH9af58kONrm/18kw1bKwUi1D0aOeY
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBazCCARCgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1yZWNlaXZl
ci50ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA1yZWNlaXZlci50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAENIIb
zjmovbsDcPHvZUFz4x16JeBVixRfBsza/cV9QukMP2hrnJSUN8PTB/Wn+fJDja5v
9fJMNWysFItQ9GjnmKNJMEcwGAYDVR0RBBEwD4INcmVjZWl2ZXIudGVzdDAMBgNV
HRMBAf8EAjAAMB0GA1UdDgQWBBSt/hpj+qDF54XVZHc7Q24xlXjTFzAKBggqhkjO
PQQDAgNJADBGAiEAk98zwwHornL4Y+mKT8kwXo/WodWe+AB+qeJ3Dq+Nj7sCIQDd
3/1wSeOhlE/el7FP52C6FqGaje9Mi1F9xXTXtsrfQg==
-----END CERTIFICATE-----`,
} as const;
