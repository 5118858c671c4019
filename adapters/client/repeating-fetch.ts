// A fetch that retries safe requests a bounded number of times, with the same bytes and headers.
// The method, the Idempotency-Key and the answer decide whether a request is safe to retry.

const ATTEMPTS_MAX = 4;
/** Longer than the longest wait for events (30 s). */
const TIMEOUT_MS = 40_000;
/** An answer that requests a longer wait is returned. */
const WAIT_SECONDS_MAX = 60;
const FIRST_WAIT_MS = 250;

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'PUT', 'DELETE'];

export interface RepeatOptions {
  /** The platform's fetch by default. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Attempts in all, 1 or more; 4 by default. */
  readonly attemptsMax: number;
  /** The time limit of one attempt; 40 s by default. */
  readonly timeoutMs: number;
  /** Waits between attempts; rejects when the signal is aborted. */
  readonly wait: (waitMs: number, signal: AbortSignal) => Promise<void>;
}

/** No attempt was answered. The request may have been executed: repeat it with the same key. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly attempts: number;

  constructor({ method, url }: Request, attempts: number, cause: unknown) {
    const { origin, pathname } = new URL(url);
    const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
    super(`${method} ${pathname}: no answer of ${origin} in ${tries}: ${reasonOf(cause)}`, {
      cause,
    });
    this.attempts = attempts;
  }
}

/** fetch hides what happened in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'none came in time';
  const { cause } = error;
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  const detail = inner instanceof Error ? inner.message : '';
  return detail === '' ? error.message : `${error.message} (${detail})`;
}

export function repeatingFetch(options: Partial<RepeatOptions>): RepeatOptions['fetch'] {
  const { attemptsMax = ATTEMPTS_MAX, timeoutMs = TIMEOUT_MS, wait = waitFor } = options;
  const send = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  return async (request) => {
    const safe = SAFE_METHODS.includes(request.method) || request.headers.has('idempotency-key');
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt >= attemptsMax;
      const copy = new Request(last ? request : request.clone(), {
        signal: AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]),
      });
      const answer = await wholeAnswer(send, copy).catch((error: unknown) => {
        if (request.signal.aborted) throw error;
        if (last || !safe) throw new NoAnswerError(request, attempt, error);
        return null;
      });
      const waitMs = answer === null ? backoffMs(attempt) : waitAfter(answer, safe, attempt);
      if (answer !== null && (last || waitMs === null)) {
        return new Response(answer.text === '' ? null : answer.text, answer);
      }
      await wait(waitMs ?? 0, request.signal);
    }
  };
}

interface WholeAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly text: string;
}

/** Rejects if the body is incomplete, empty for a 200, or the page of a proxy. */
async function wholeAnswer(send: RepeatOptions['fetch'], request: Request): Promise<WholeAnswer> {
  const response = await send(request);
  const { status, statusText, headers, ok } = response;
  if (ok && headers.get('content-type')?.startsWith('text/html')) {
    throw new TypeError('the answer is a web page: is baseUrl the service?');
  }
  const text = await response.text();
  if (status === 200 && text === '' && request.method !== 'HEAD') {
    throw new TypeError('the answer is empty: is baseUrl the service?');
  }
  return { status, statusText, headers, text };
}

/** The wait before the next attempt; null if this answer is final. */
function waitAfter(answer: WholeAnswer, safe: boolean, attempt: number): number | null {
  if (answer.status !== 429 && answer.status < 500) return null;
  // The service sends retryAfter only if it changed nothing. The header may be a proxy's.
  const ofBody = bodyRetryAfter(answer.text);
  const mayUseHeader = safe || answer.status === 429;
  const seconds = ofBody ?? (mayUseHeader ? headerRetryAfter(answer.headers) : null);
  if (seconds !== null) return seconds > WAIT_SECONDS_MAX ? null : seconds * 1_000;
  return safe ? backoffMs(attempt) : null;
}

function bodyRetryAfter(text: string): number | null {
  try {
    const { retryAfter } = JSON.parse(text) as { readonly retryAfter?: unknown };
    return typeof retryAfter === 'number' && retryAfter >= 0 ? retryAfter : null;
  } catch {
    // A proxy answered.
    return null;
  }
}

function headerRetryAfter(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? '';
  return /^[0-9]{1,9}$/.test(text) ? Number.parseInt(text, 10) : null;
}

/** Exponential, with jitter. */
function backoffMs(attempt: number): number {
  return FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}

function waitFor(waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, waitMs);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
