// Sends one webhook over HTTP/1.1 and returns the result. It follows no redirect, has a time limit,
// reads only as much of the answer as the log stores, and never throws. egress.ts decides where it
// may connect.
import { Agent, type Dispatcher } from 'undici';
import { type SendFailure, sendFailures } from '../../core/domain/webhooks/send-failure.js';
import { assert } from '../../core/errors.js';
import {
  USER_AGENT,
  type WebhookRequest,
  type WebhookResult,
  type WebhookSender,
} from '../../core/ports/outside.js';
import { SEND_TIMEOUT_MS } from '../../core/usecases/webhooks/delivery-attempts.js';
import { ANSWER_TOO_LONG, withBoundedAnswers, withoutContinue } from './announcements.js';
import { egressGuard, type Resolve } from './egress.js';

/** What a failure is for the integrator, by error code. The first match counts. */
const failureCodes: readonly (readonly [code: RegExp, failure: SendFailure])[] = [
  [/^PONTE_FORBIDDEN_ADDRESS$/, 'not_public'],
  [/^(ENOTFOUND|ENODATA)$/, 'no_host'],
  [/^(EAI_\w+|ETIMEOUT|ESERVFAIL|EREFUSED|EBADRESP)$/, 'not_resolved'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection_closed'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'unreachable'],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'connection_slow'],
  [/^(CERT_|ERR_TLS_CERT|DEPTH_|SELF_SIGNED|UNABLE_TO_)/, 'certificate'],
  [/^(EPROTO$|ERR_SSL_|ERR_TLS_)/, 'handshake'],
  [new RegExp(`^(UND_ERR_HEADERS_OVERFLOW|${ANSWER_TOO_LONG})$`), 'headers_large'],
  [/^(HPE_|HTTPParserError$|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$)/, 'not_http'],
  [/^UND_ERR_(CLOSED|DESTROYED|ABORTED)$/, 'stopped'],
];

/** Length of a logged answer, in bytes; the connection is closed instead of reading more. */
const RESPONSE_BODY_BYTES_MAX = 4_096;

/** The longest idle time of a kept-alive connection. */
const KEEP_ALIVE_MAX_MS = 60_000;

/** Codes of a connection that the receiver closed. */
const CLOSED_BY_RECEIVER: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export interface SenderOptions {
  /** Allows http and private addresses: development only. */
  readonly allowPrivate: boolean;
  /** For connect, headers and body together; 10 s by default and at most. */
  readonly timeoutMs?: number;
  /** Certificate authorities instead of the machine's, PEM. */
  readonly ca?: string;
  /** By default DNS, or the system's look-up with `allowPrivate`. */
  readonly resolve?: Resolve;
}

export function webhookSender(options: SenderOptions): WebhookSender {
  const timeoutMs = options.timeoutMs ?? SEND_TIMEOUT_MS;
  assert(timeoutMs > 0 && timeoutMs <= SEND_TIMEOUT_MS, 'leases are made for SEND_TIMEOUT_MS');
  const { timeoutMs: _, ...egress } = options;
  const guard = egressGuard({ ...egress, connectTimeoutMs: timeoutMs });
  let connects = 0;
  const usual: Agent.Options = {
    connect: (target, callback) => {
      connects += 1;
      guard.connector(target, (...[error, socket]) => {
        if (error === null) callback(null, withBoundedAnswers(withoutContinue(socket)));
        else callback(error, null);
      });
    },
    // delivery-window.ts alone limits them: tenants may have receivers at the same origin.
    connections: null,
    allowH2: false,
    // `timeoutMs` covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const agents: Agents = {
    keptAlive: new Agent({ ...usual, pipelining: 1, keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS }),
    fresh: new Agent({ ...usual, pipelining: 0 }),
    connects: () => connects,
  };

  return {
    send: async (request) => {
      const startedAtMs = performance.now();
      const problem = guard.problem(request.url);
      const answer =
        problem === null
          ? await exchange(agents, request, timeoutMs)
          : { ...unanswered, error: problem };
      return { ...answer, durationMs: Math.round(performance.now() - startedAtMs) };
    },
    refusal: (url) => guard.refusal(url),
    close: async () => {
      await Promise.all([agents.keptAlive.destroy(), agents.fresh.destroy()]);
    },
  };
}

type Answer = Omit<WebhookResult, 'durationMs'>;

const unanswered = { responseStatus: null, responseBody: null } as const;

interface Agents {
  readonly keptAlive: Agent;
  /** One connection for each request. */
  readonly fresh: Agent;
  /** How many connections were begun. */
  readonly connects: () => number;
}

/**
 * The status decides: after it, an incomplete, long or slow body does not make a failure. undici
 * has no time limit for a request that waits for a connection, so the timer is here.
 *
 * A receiver may close an idle connection at any time. A request that was written to a kept-alive
 * connection and got no byte of an answer is therefore repeated once, on a fresh connection, within
 * the same limit (RFC 9112, section 9.3.1). Receivers drop a duplicate by its delivery id.
 */
function exchange(agents: Agents, request: WebhookRequest, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null;
    let responseStatus: number | null = null;
    let isAnswered = false;
    let isOnKeptConnection = false;
    let ended = false;
    const chunks: Buffer[] = [];
    let bytes = 0;

    const end = (error: string): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      resolve(
        responseStatus === null
          ? { ...unanswered, error }
          : { responseStatus, responseBody: bodyText(chunks), error: null },
      );
    };
    const abort = (error: string): void => {
      end(error);
      controller?.abort(new Error(error));
    };
    const timer = setTimeout(abort, timeoutMs, `${sendFailures.no_answer} ${timeoutMs / 1_000} s`);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started;
        if (ended) started.abort(new Error('the limit was reached before a connection was made'));
      },
      onResponseStart: (_, status) => {
        isAnswered = true;
        // 1xx is not the final answer.
        if (status >= 200) responseStatus = status;
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk.subarray(0, RESPONSE_BODY_BYTES_MAX - bytes));
        bytes += chunk.length;
        if (bytes >= RESPONSE_BODY_BYTES_MAX) abort('');
      },
      onResponseEnd: () => end(''),
      onResponseError: (_, error) => {
        if (ended || isAnswered || !isOnKeptConnection || !CLOSED_BY_RECEIVER.has(codeOf(error))) {
          end(errorText(error));
          return;
        }
        isOnKeptConnection = false;
        dispatch(agents.fresh);
      },
    };
    const dispatch = (agent: Agent): void => {
      try {
        const { origin, pathname, search } = new URL(request.url);
        const headers = { ...request.headers, 'User-Agent': USER_AGENT };
        const { body } = request;
        agent.dispatch(
          { origin, path: `${pathname}${search}`, method: 'POST', headers, body },
          handler,
        );
      } catch (error) {
        end(errorText(error));
      }
    };
    const connectsBefore = agents.connects();
    dispatch(agents.keptAlive);
    // A request that needs a new connection begins it at once.
    isOnKeptConnection = agents.connects() === connectsBefore;
  });
}

/** Storable in any database: no NUL, no partial character at the end. */
function bodyText(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return '';
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(Buffer.concat(chunks), { stream: true }).replaceAll('\0', '\u{fffd}');
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function errorText(error: unknown): string {
  const { failed } = sendFailures;
  if (!(error instanceof Error)) return failed;
  const code = codeOf(error);
  const known = failureCodes.find(([pattern]) => pattern.test(code))?.[1];
  if (known !== undefined) return sendFailures[known];
  return /^\w{1,60}$/.test(code) ? `${failed} (${code})` : failed;
}
