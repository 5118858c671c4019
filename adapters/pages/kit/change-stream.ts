// Server-sent events of an open page: "changed" after each change of what it shows. The browser
// then loads the page again, so nothing is rendered twice.
import { MINUTE_MS, SECOND_MS } from '../../../core/domain/base/instant.js';
import type { OpenPage, PageWatch, Watched } from '../../../core/usecases/hosted/page-watch.js';
import type { PageAnswer } from './page-route.js';

/** Shorter than the idle limit of proxies, usually 60 s. */
const HEARTBEAT_MS = 25 * SECOND_MS;
/** The browser connects again. */
const STREAM_LIFE_MS = 10 * MINUTE_MS;

interface Stream extends Omit<OpenPage, 'onChange'> {
  readonly watched: Watched;
  /** Asked before each message: a stream ends with its session. */
  readonly isOpen: () => Promise<boolean>;
}

/** `gone` is the end of the client or of the server. */
export function changeStream(
  watch: PageWatch,
  gone: AbortSignal,
  { watched, isOpen, ...page }: Stream,
): PageAnswer {
  const over = new AbortController();
  const ended = AbortSignal.any([gone, over.signal, AbortSignal.timeout(STREAM_LIFE_MS)]);
  const signals = newSignals(ended);
  const isWatched = watch.watch(watched, { ...page, onChange: signals.change }, ended);
  return {
    // 204 ends the reconnects of an EventSource.
    status: isWatched ? 200 : 204,
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    cookies: [],
    body: isWatched ? messages(signals, isOpen, over) : '',
  };
}

async function* messages(
  { next }: Signals,
  isOpen: Stream['isOpen'],
  over: AbortController,
): AsyncGenerator<string> {
  try {
    yield ': open\n\n';
    for (;;) {
      const text = await next();
      // After a failure the browser connects again.
      if (text === null || !(await isOpen().catch(() => false))) return;
      yield text;
    }
  } finally {
    over.abort();
  }
}

interface Signals {
  readonly change: () => void;
  /** The next message; null at the end. */
  readonly next: () => Promise<string | null>;
}

function newSignals(ended: AbortSignal): Signals {
  let isChanged = false;
  let wakeUp: (() => void) | null = null;
  const wake = () => wakeUp?.();
  ended.addEventListener('abort', wake, { once: true });
  return {
    change() {
      isChanged = true;
      wake();
    },
    async next() {
      if (!isChanged && !ended.aborted)
        await waitAtMost(HEARTBEAT_MS, (resolve) => (wakeUp = resolve));
      wakeUp = null;
      if (ended.aborted) return null;
      if (!isChanged) return ': still open\n\n';
      isChanged = false;
      return 'data: changed\n\n';
    },
  };
}

function waitAtMost(durationMs: number, start: (resolve: () => void) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, durationMs);
  start(resolve);
  return promise.finally(() => clearTimeout(timer));
}
