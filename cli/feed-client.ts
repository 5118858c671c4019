// The event feed as a client of the API reads it: one page after the other by long-poll, each event
// with the bytes it came in. Whatever may pass is tried again after growing waits. It knows the API
// and nothing of the inside.
import { setTimeout as wait } from 'node:timers/promises';
import { RawJson, sliceItems, sliceTopLevel, writeJson } from '../core/domain/raw-json.js';
import { signWebhook, webhookHeaders } from '../core/domain/signature.js';
import { catalogue, type ErrorCode, PonteError } from '../core/errors.js';

/** Waits between tries; the last one repeats. */
const RETRY_WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;
/** How long the server may hold a request back. */
const LONG_POLL_SECONDS = 30;
/** Beyond that a server that says nothing is gone. */
const ANSWER_GRACE_MS = 15_000;
const FORWARD_TIMEOUT_MS = 10_000;
/** Of what a receiver says when it does not take an event: enough to know the fault by. */
const SAID_CHARACTERS = 200;
const PAGE = 100;

/** An event of the feed; `text` is the JSON it came as, `data` the one of its data. */
export interface FedEvent {
  readonly sequence: number;
  readonly id: string;
  readonly event: string;
  readonly createdAt: string;
  readonly data: string;
  readonly text: string;
}

/** What was seen of the feed: the last sequence, and the epoch, null where it is unknown. */
export interface FeedPlace {
  readonly after: number;
  readonly epoch: number | null;
}

export interface FeedSource {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string;
}

/** It did not work now; the same may work later. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';
  /** What the server asks for, at least. */
  readonly waitMs: number;

  constructor(message: string, waitMs: number = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

/**
 * The events after a sequence, once there are some or the server has waited long enough. TryAgain
 * when that may help, else the refusal.
 */
export async function readFeed(
  source: FeedSource,
  place: FeedPlace,
  over: AbortSignal,
): Promise<{ readonly events: readonly FedEvent[]; readonly epoch: number }> {
  const text = await askFeed(source, { ...place, waitSeconds: LONG_POLL_SECONDS }, over);
  const { epoch } = JSON.parse(text) as { readonly epoch: number };
  const events = sliceItems(sliceTopLevel(text, ['data']).get('data') ?? '[]').map(readEvent);
  return { events, epoch };
}

/** Behind the latest event; TryAgain or the refusal as above. */
export async function latestPlace(source: FeedSource, over: AbortSignal): Promise<FeedPlace> {
  const text = await askFeed(source, { after: 'latest', epoch: null, waitSeconds: 0 }, over);
  const { nextAfter: after, epoch } = JSON.parse(text) as {
    readonly nextAfter: number;
    readonly epoch: number;
  };
  return { after, epoch };
}

async function askFeed(
  { url, key }: FeedSource,
  asked: Omit<FeedPlace, 'after'> & {
    readonly after: number | 'latest';
    readonly waitSeconds: number;
  },
  over: AbortSignal,
): Promise<string> {
  const { after, epoch, waitSeconds } = asked;
  const ofEpoch = epoch === null ? '' : `&epoch=${epoch}`;
  const query = `after=${after}${ofEpoch}&limit=${PAGE}&wait=${waitSeconds}`;
  const timeoutMs = waitSeconds * 1_000 + ANSWER_GRACE_MS;
  const { status, text } = await call(over, timeoutMs, `${url}/v1/events?${query}`, {
    headers: { 'X-API-Key': key },
  });
  if (status !== 200) throw refusalOf(url, status, text);
  return text;
}

/** Sends an event as a webhook is sent; TryAgain unless the answer is 2xx. */
export async function forwardEvent(
  event: FedEvent,
  target: { readonly url: string; readonly secret: string },
  over: AbortSignal,
): Promise<number> {
  const body = writeJson({ event: event.event, data: new RawJson(event.data) });
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const { status, text } = await call(over, FORWARD_TIMEOUT_MS, target.url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'Content-Type': 'application/json',
      [webhookHeaders.signature]: signWebhook({ secret: target.secret, timestampSeconds, body }),
      // There is no delivery; an event has an id of its own.
      [webhookHeaders.deliveryId]: event.id,
      [webhookHeaders.eventType]: event.event,
    },
    body,
  });
  if (status < 200 || status > 299) {
    const said = text.replace(/\s+/g, ' ').trim().slice(0, SAID_CHARACTERS);
    const why = said === '' ? '' : `: ${said}`;
    throw new TryAgain(`${target.url} answered ${status}${why}`);
  }
  return status;
}

/** Tries until it works, or `over` is aborted: then null. `tell` hears why it waits. */
export async function persistently<T>(
  over: AbortSignal,
  tell: (problem: string) => void,
  attempt: () => Promise<T>,
): Promise<T | null> {
  for (let tries = 0; !over.aborted; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (over.aborted) return null;
      if (!(error instanceof TryAgain)) throw error;
      const ownMs = RETRY_WAITS_MS[tries] ?? RETRY_WAITS_MS[RETRY_WAITS_MS.length - 1] ?? 0;
      const waitMs = Math.max(ownMs, error.waitMs);
      tell(`${error.message}; trying again in ${waitMs / 1_000} s`);
      await wait(waitMs, undefined, { signal: over }).catch(() => undefined);
    }
  }
  return null;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function call(
  over: AbortSignal,
  timeoutMs: number,
  url: string,
  request: RequestInit,
): Promise<Answered> {
  const signal = AbortSignal.any([over, AbortSignal.timeout(timeoutMs)]);
  try {
    const response = await fetch(url, { ...request, signal });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    throw Object.assign(new TryAgain(`${new URL(url).origin} does not answer`), { cause });
  }
}

function refusalOf(url: string, status: number, text: string): Error {
  const { error, message, retryAfter, oldestSequence, epoch, lastSequence } = envelopeOf(text);
  const told = typeof message === 'string' ? message : `${url} answered ${status}`;
  if (status >= 500 || status === 429 || status === 408) {
    return new TryAgain(told, typeof retryAfter === 'number' ? retryAfter * 1_000 : 0);
  }
  const known = typeof error === 'string' && Object.hasOwn(catalogue, error);
  const code = known ? (error as ErrorCode) : 'InternalError';
  const oldest = typeof oldestSequence === 'number' ? { oldestSequence } : {};
  const isReset = typeof epoch === 'number' && typeof lastSequence === 'number';
  const feed = isReset ? { feed: { epoch, lastSequence } } : {};
  return new PonteError(code, told, { ...oldest, ...feed });
}

/** What stands between us and the service may answer with anything. */
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
