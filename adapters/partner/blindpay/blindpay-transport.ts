// One HTTP request to BlindPay and its answer: by undici here, in the process for tests.
import { Agent, type FormData, request } from 'undici';
import { USER_AGENT } from '../../../core/ports/outside.js';

const BODY_BYTES_MAX = 16 * 1_024 * 1_024;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | null;
}

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  /** The header `Date`; null if there is none. */
  readonly date?: string | null;
  readonly text: string;
}

/** Rejects with an error whose `code` or `name` says why there is no whole answer. */
export type Transport = (request: HttpRequest) => Promise<HttpAnswer>;

/** Follows no redirect and repeats nothing. */
export function undiciTransport(timeoutMs: number): Transport {
  const connect = { timeout: timeoutMs };
  const dispatcher = new Agent({ connect, maxResponseSize: BODY_BYTES_MAX });
  return async ({ url, ...sent }) => {
    const { statusCode, headers, body } = await request(url, {
      ...sent,
      headers: { ...sent.headers, 'user-agent': USER_AGENT },
      dispatcher,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const headerOf = (name: string) => {
      const value = headers[name];
      return typeof value === 'string' ? value : null;
    };
    const [retryAfter, date] = [headerOf('retry-after'), headerOf('date')];
    return { status: statusCode, retryAfter, date, text: await body.text() };
  };
}
