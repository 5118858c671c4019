// The HTTP server: it listens, passes every request to the pipeline, answers bytes that node cannot
// parse, and stops without interrupting running requests.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { UPLOAD_TIME_MAX_MS } from '../../core/domain/parties/document.js';
import { type ErrorCode, PonteError } from '../../core/errors.js';
import type { Deps } from '../../core/ports/deps.js';
import type { Log } from '../../core/ports/outside.js';
import type { PartnerNotes } from '../../core/ports/partner.js';
import type { FeedReaders } from '../../core/usecases/webhooks/feed-readers.js';
import { describeRoutes } from './docs/openapi.js';
import { clientAddressOver } from './protocol/client-address.js';
import { type Pipeline, serve } from './protocol/pipeline.js';
import { hasForeignHost, hostsIn, readBytes, requestIdOf } from './protocol/request-input.js';
import { refusalReply, sendRaw, transportHeaders } from './protocol/response-output.js';
import type { HandlerContext, PageFile, Readiness } from './protocol/route-row.js';
import { createRouter } from './protocol/router.js';
import { withStoreTimeout } from './protocol/store-timeout.js';
import { type TurnOf, tenantTurns } from './protocol/tenant-turns.js';
import { routes } from './routes.js';

const BODY_BYTES_MAX = 256 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
/** A whole request with 256 KiB of body at a slow 70 kbit/s. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Uploads may take longer. They end before the purge of documents relies on it. */
const UPLOAD_TIMEOUT_MS = UPLOAD_TIME_MAX_MS - 60_000;
/** Divisors of the request timeout: for the headers alone, and for the check interval. */
const HEADERS_SHARE = 2;
const CHECK_SHARE = 6;
/** Longer than the balancers that keep idle connections for a quarter of an hour. */
const KEEP_ALIVE_SECONDS = 930;
const STOP_GRACE_MS = 8_000;
/** Requests of a connection that wait for the answer before theirs; with one more it is closed. */
const PIPELINED_MAX = 64;

/** The rows of a process without an API. */
const healthRoutes = routes.filter(({ operations }) =>
  Object.keys(operations).every((id) => id === 'healthz' || id === 'readyz'),
);

/** Errors that node reports before it has a request. Any other one means malformed HTTP. */
const connectionErrors: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HeadersTooLarge',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PayloadTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'RequestTimeout',
};

export interface HttpOptions {
  /** Web origins (`https://app.example.com`) that browsers may call from. */
  readonly corsOrigins: readonly string[];
  /** Addresses and networks whose X-Forwarded-For is trusted; none by default. */
  readonly trustedProxies?: readonly string[];
  /** The readers of this process that wait for events. */
  readonly feedReaders: FeedReaders;
  /** The pages for buyers; none by default. */
  readonly pages?: Pages;
  /**
   * Host names of this server besides those of the loopback interface; any other one is refused.
   * Null, the default: any name, for servers that others reach.
   */
  readonly hostNames?: readonly string[] | null;
  /** `health`: the probes only; 'all' by default. */
  readonly surface?: 'all' | 'health';
  readonly readiness: () => Promise<Readiness>;
  /** Called when a request has arrived, before anything is read for it. */
  readonly onArrival?: () => void;
  /** The time limit of a complete request except uploads; 30 s by default. */
  readonly requestTimeoutMs?: number;
  /** How long an idle connection is kept; 930 s by default. */
  readonly keepAliveSeconds?: number;
}

export interface Pages {
  /** Whether the path of this request is that of a page. */
  owns(request: IncomingMessage): boolean;
  /** Answers the request. */
  serve(
    deps: Deps,
    request: IncomingMessage,
    response: ServerResponse,
    about: {
      readonly requestId: string;
      readonly client: string | null;
      readonly stopping: AbortSignal;
      /** The time limit of a request, of an upload until its file begins. */
      readonly timeoutMs: number;
      readonly turnOf: TurnOf;
      /** Each with a new time limit on the store. */
      readonly freshDeps: () => Deps;
      /** PayloadTooLarge, RequestTimeout; rejects also when the client disconnects. */
      readonly readBody: (bytesMax: number) => Promise<Uint8Array>;
    },
  ): Promise<void>;
  /**
   * A page of /docs, or a file that it loads; `json` is the text of /docs-json. Without it there is
   * no documentation.
   */
  document?(path: string, json: string): Promise<PageFile | null>;
  /** What a browser is shown at an address that the server does not have. */
  missingPage?(url: string, json: string): Promise<PageFile | null>;
}

export interface HttpServer {
  /** Port 0 takes a free port. Returns the bound address. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Serves a connection that is not a socket: embedding uses HTTP without a port. */
  accept(connection: Duplex): void;
  /** Closes each connection after its next answer. New connections are still served. */
  drain(): void;
  /** Stops accepting, gives running requests `graceMs`, then closes every connection. */
  close(graceMs?: number): Promise<void>;
}

export function createHttpServer(deps: Deps, options: HttpOptions): HttpServer {
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS, keepAliveSeconds = KEEP_ALIVE_SECONDS } = options;
  const stopping = new AbortController();
  let draining = false;
  let described: ReturnType<HandlerContext['description']> | null = null;
  // Built on first use: a start does not wait for it.
  const description = () => {
    described ??= describeRoutes(routes, notesOf(deps), deps.settings.baseUrl);
    return described;
  };
  const pipeline: Pipeline = {
    context: {
      deps,
      feedReaders: options.feedReaders,
      readiness: options.readiness,
      description,
      document: async (path) => options.pages?.document?.(path, description().body.text) ?? null,
      missingPage: async (url) =>
        options.pages?.missingPage?.(url, description().body.text) ?? null,
    },
    turnOf: tenantTurns(),
    router: createRouter(options.surface === 'health' ? healthRoutes : routes),
    hostNames: options.hostNames ?? null,
    limits: { bytesMax: BODY_BYTES_MAX, timeoutMs: requestTimeoutMs },
    corsOrigins: new Set(options.corsOrigins),
    clientAddress: clientAddressOver(options.trustedProxies ?? []),
    stopping: stopping.signal,
    isLastAnswer: () => draining,
  };
  /** The newest exchange of each connection, which decides if a malformed rest gets an answer. */
  const exchanges = new WeakMap<Socket, Exchange>();
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    options.onArrival?.();
    inTurn(exchanges, request, response, () => {
      const answered = answer(pipeline, options.pages ?? null, request, response);
      answered.then(
        () => endLateBody(request, requestTimeoutMs),
        (error: unknown) => {
          deps.log.error('an answer could not be written', { err: error });
          failAnswer(deps, request, response);
        },
      );
    });
  };
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      requestTimeout: UPLOAD_TIMEOUT_MS,
      headersTimeout: requestTimeoutMs / HEADERS_SHARE,
      connectionsCheckingInterval: requestTimeoutMs / CHECK_SHARE,
      keepAliveTimeout: keepAliveSeconds * 1_000,
      // The pipeline checks Host, to answer with an error body.
      requireHostHeader: false,
    },
    onRequest,
  );
  const connections = connectionsOf(server);
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseConnection(deps, error, socket as Socket, exchanges.get(socket as Socket));
  });
  return {
    listen: (host, port) => listening(server, host, port, deps.log),
    accept: (connection) => {
      server.emit('connection', connection);
    },
    drain: () => {
      draining = true;
    },
    close: (graceMs = STOP_GRACE_MS) => {
      draining = true;
      // Requests that wait for events are answered.
      stopping.abort();
      return closed(server, connections, graceMs);
    },
  };
}

function answer(
  pipeline: Pipeline,
  pages: Pages | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // The pipeline refuses a request of several hosts, and of a foreign one.
  if (!pages?.owns(request) || !isForHost(pipeline, request)) {
    return serve(pipeline, request, response);
  }
  const { context, clientAddress, limits, stopping, turnOf } = pipeline;
  const ofEveryPage = Object.entries(transportHeaders(context.deps.settings.payUrl));
  for (const [name, value] of ofEveryPage) response.setHeader(name, value);
  return pages.serve(withStoreTimeout(context.deps), request, response, {
    requestId: requestIdOf(request),
    client: clientAddress(request),
    stopping,
    timeoutMs: limits.timeoutMs,
    turnOf,
    freshDeps: () => withStoreTimeout(context.deps),
    readBody: (bytesMax) => readBytes(request, response, { ...limits, bytesMax }),
  });
}

function isForHost({ hostNames }: Pipeline, request: IncomingMessage): boolean {
  if (hostsIn(request) > 1) return false;
  return hostNames === null || !hasForeignHost(request, hostNames);
}

/** InternalError on a connection that ends with it, unless a part of an answer was sent. */
function failAnswer({ settings }: Deps, request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  if (response.headersSent || !socket.writable) {
    response.destroy();
    return;
  }
  response.detachSocket(socket);
  const reply = refusalReply(new PonteError('InternalError'));
  sendRaw(socket, reply, { requestId: requestIdOf(request), publicUrl: settings.baseUrl });
}

/** A client has so long for the rest of a body that nothing reads any more. */
function endLateBody(request: IncomingMessage, timeoutMs: number): void {
  if (request.complete || request.closed) return;
  const timer = setTimeout(() => request.socket.destroy(), timeoutMs);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}

/** The sandbox's notes come first: its values are what an integrator tries. */
function notesOf({ partners: { test, live } }: Deps): PartnerNotes {
  return (test ?? live)?.notes ?? { signatureHeader: 'signature', testValues: [] };
}

function closed(server: Server, open: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
    // Closes idle connections now, the others after their answer (Connection: close).
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    // Node does not count a connection without any bytes as idle.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

function connectionsOf(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

function listening(server: Server, host: string, port: number, log: Log): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      // Accepting can fail for lack of memory. Without a listener that ends the process.
      server.on('error', (error) => log.error('a connection could not be accepted', { error }));
      resolve(server.address() as AddressInfo);
    });
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The answer before this one on the connection: clients may pipeline requests. */
  readonly before: ServerResponse | null;
  /** The answers of the connection that have not ended, shared by its exchanges. */
  readonly line: { open: number };
}

/**
 * Begins an answer when the one before it on its connection is written: a client that does not read
 * makes the service hold one answer, however many it asks for. After the answer that closes the
 * connection nothing begins: its answer could not be sent.
 */
function inTurn(
  exchanges: WeakMap<Socket, Exchange>,
  request: IncomingMessage,
  response: ServerResponse,
  begin: () => void,
): void {
  const { socket } = request;
  const last = exchanges.get(socket);
  const before = last?.response ?? null;
  const line = last?.line ?? { open: 0 };
  line.open += 1;
  response.once('close', () => {
    line.open -= 1;
  });
  exchanges.set(socket, { request, response, before, line });
  if (before === null || before.writableFinished) {
    if (socket.writable) begin();
  } else if (line.open > PIPELINED_MAX + 1) {
    socket.destroy();
  } else {
    before.once('close', () => {
      if (socket.writable) begin();
    });
  }
}

/** Answers with an error body, unless an earlier answer is pending or the peer is gone. */
function refuseConnection(
  deps: Deps,
  error: NodeJS.ErrnoException,
  socket: Socket,
  exchange: Exchange | undefined,
): void {
  // Bytes after a request with Connection: close are dropped. Its answer closes the connection.
  if (error.code === 'HPE_CLOSED_CONNECTION') return;
  const open = exchange?.response.writableFinished === false ? exchange : null;
  if (!socket.writable || error.code === 'ECONNRESET' || (open !== null && !isUnread(open))) {
    socket.destroy();
    return;
  }
  const code = connectionErrors[error.code ?? ''] ?? 'ValidationError';
  const refusal =
    code === 'ValidationError'
      ? new PonteError(code, 'The request is not valid HTTP/1.1. Check its framing and headers.')
      : new PonteError(code);
  const requestId = randomUUID();
  deps.log.info('refused', { requestId, operation: null, status: refusal.status, code });
  deps.metrics?.answered(null, { status: refusal.status, createMs: null });
  // The pipeline can no longer answer the broken request.
  open?.response.detachSocket(socket);
  const { baseUrl: publicUrl } = deps.settings;
  sendRaw(socket, refusalReply(refusal), { requestId, publicUrl });
}

/** Whether the request is the only one without an answer, and still being read. */
function isUnread({ request, response, before }: Exchange): boolean {
  const alone = before === null || before.writableFinished;
  return alone && !request.complete && !response.headersSent;
}
