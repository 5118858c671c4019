// A client of the event feed: reads page after page by long polling and keeps the bytes of each
// event. Transient failures are retried with backoff.
import { setTimeout as wait } from 'node:timers/promises';
import { RawJson, sliceItems, sliceTopLevel, writeJson } from '../core/domain/base/raw-json.js';
import { backoffMs } from '../core/domain/base/schedules.js';
import { signedHeaders, signingKeys } from '../core/domain/webhooks/signature.js';
import { catalogue, type ErrorCode, PonteError } from '../core/errors.js';

const LONG_POLL_SECONDS = 30;
/** Added to the long poll: the time limit of a request. */
const ANSWER_GRACE_MS = 15_000;
const FORWARD_TIMEOUT_MS = 10_000;
/** Length of a receiver's answer in the message of a failure. */
const ANSWER_CHARACTERS = 200;
const PAGE = 100;

/** An event of the feed; `text` is its JSON as received, `data` the JSON of its data. */
export interface FedEvent {
  readonly sequence: number;
  readonly id: string;
  readonly event: string;
  readonly createdAt: string;
  readonly data: string;
  readonly text: string;
}

/** The last sequence that was read, and its epoch; null if unknown. */
export interface ReaderPosition {
  readonly after: number;
  readonly epoch: number | null;
}

export interface FeedSource {
  readonly url: string;
  readonly key: string;
}

/** A transient failure. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';
  /** The minimum wait that the server requests. */
  readonly waitMs: number;

  constructor(message: string, waitMs: number = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

/**
 * The events after a position, once there are some or the long poll ends. Throws TryAgain after a
 * transient failure, else the refusal.
 */
export async function readFeed(
  source: FeedSource,
  place: ReaderPosition,
  stopped: AbortSignal,
): Promise<{ readonly events: readonly FedEvent[]; readonly epoch: number }> {
  const text = await requestFeed(source, { ...place, waitSeconds: LONG_POLL_SECONDS }, stopped);
  const { epoch } = JSON.parse(text) as { readonly epoch: number };
  const events = sliceItems(sliceTopLevel(text, ['data']).get('data') ?? '[]').map(readEvent);
  return { events, epoch };
}

/** The position after the latest event; throws like `readFeed`. */
export async function latestPosition(
  source: FeedSource,
  stopped: AbortSignal,
): Promise<ReaderPosition> {
  const text = await requestFeed(source, { after: 'latest', epoch: null, waitSeconds: 0 }, stopped);
  const { nextAfter: after, epoch } = JSON.parse(text) as {
    readonly nextAfter: number;
    readonly epoch: number;
  };
  return { after, epoch };
}

async function requestFeed(
  { url, key }: FeedSource,
  query: Omit<ReaderPosition, 'after'> & {
    readonly after: number | 'latest';
    readonly waitSeconds: number;
  },
  stopped: AbortSignal,
): Promise<string> {
  const { after, epoch, waitSeconds } = query;
  const ofEpoch = epoch === null ? '' : `&epoch=${epoch}`;
  const search = `after=${after}${ofEpoch}&limit=${PAGE}&wait=${waitSeconds}`;
  const timeoutMs = waitSeconds * 1_000 + ANSWER_GRACE_MS;
  const { status, text } = await call(stopped, timeoutMs, `${url}/v1/events?${search}`, {
    headers: { 'X-API-Key': key },
  });
  if (status !== 200) throw refusalOf(url, status, text);
  return text;
}

/** Sends an event like a webhook; TryAgain unless the answer is 2xx. */
export async function forwardEvent(
  event: FedEvent,
  target: { readonly url: string; readonly secret: string },
  stopped: AbortSignal,
): Promise<number> {
  const body = writeJson({ event: event.event, data: new RawJson(event.data) });
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const { status, text } = await call(stopped, FORWARD_TIMEOUT_MS, target.url, {
    method: 'POST',
    redirect: 'manual',
    headers: signedHeaders({
      keys: signingKeys(target.secret),
      timestampSeconds,
      body,
      // There is no delivery: the id of the event replaces its id.
      deliveryId: event.id,
      eventType: event.event,
    }),
    body,
  });
  if (status < 200 || status > 299) {
    const answer = text.replace(/\s+/g, ' ').trim().slice(0, ANSWER_CHARACTERS);
    const why = answer === '' ? '' : `: ${answer}`;
    throw new TryAgain(`${target.url} answered ${status}${why}`);
  }
  return status;
}

/**
 * Repeats `attempt` while it throws TryAgain, and reports each wait. Null once `over` is aborted.
 */
export async function persistently<T>(
  stopped: AbortSignal,
  onRetry: (problem: string) => void,
  attempt: () => Promise<T>,
): Promise<T | null> {
  for (let tries = 0; !stopped.aborted; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (stopped.aborted) return null;
      if (!(error instanceof TryAgain)) throw error;
      const waitMs = Math.max(backoffMs('feedRequest', tries), error.waitMs);
      onRetry(`${error.message}; trying again in ${waitMs / 1_000} s`);
      await wait(waitMs, undefined, { signal: stopped }).catch(() => undefined);
    }
  }
  return null;
}

async function call(stopped: AbortSignal, timeoutMs: number, url: string, request: RequestInit) {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
  try {
    const response = await fetch(url, { ...request, signal });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    throw Object.assign(new TryAgain(`${new URL(url).origin} does not answer`), { cause });
  }
}

function refusalOf(url: string, status: number, text: string): Error {
  const { error, message, retryAfter, oldestSequence, epoch, lastSequence } = envelopeOf(text);
  const reason = typeof message === 'string' ? message : `${url} answered ${status}`;
  if (status >= 500 || status === 429 || status === 408) {
    return new TryAgain(reason, typeof retryAfter === 'number' ? retryAfter * 1_000 : 0);
  }
  const known = typeof error === 'string' && Object.hasOwn(catalogue, error);
  const code = known ? (error as ErrorCode) : 'InternalError';
  const oldest = typeof oldestSequence === 'number' ? { oldestSequence } : {};
  const isReset = typeof epoch === 'number' && typeof lastSequence === 'number';
  const feed = isReset ? { feed: { epoch, lastSequence } } : {};
  return new PonteError(code, reason, { ...oldest, ...feed });
}

/** A proxy may answer with any body. */
function envelopeOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function readEvent(text: string): FedEvent {
  const { sequence, id, event, createdAt } = JSON.parse(text) as FedEvent;
  return {
    sequence,
    id,
    event,
    createdAt,
    data: sliceTopLevel(text, ['data']).get('data') ?? '{}',
    text,
  };
}
