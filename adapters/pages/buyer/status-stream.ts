// Server-sent events of an open page: "changed" after each change of its payment. The browser then
// loads the page again, so nothing is rendered twice.
import { MINUTE_MS, SECOND_MS } from '../../../core/domain/base/instant.js';
import { tenantOf } from '../../../core/domain/base/tenant.js';
import { assert } from '../../../core/errors.js';
import type { PageAnswer, PageCall, PageContext } from '../kit/page-route.js';

/** Shorter than the idle limit of proxies, usually 60 s. */
const HEARTBEAT_MS = 25 * SECOND_MS;
/** The browser connects again, and its session is checked again. */
const STREAM_LIFE_MS = 10 * MINUTE_MS;

export async function statusStream(
  { watch }: PageContext,
  { query, session, gone }: PageCall<'buyer', unknown>,
): Promise<PageAnswer> {
  const { paymentId } = session;
  assert(paymentId !== null, 'the session is of the payment in the path');
  const ended = AbortSignal.any([gone, AbortSignal.timeout(STREAM_LIFE_MS)]);
  const signals = newSignals(ended);
  const shown = query.get('version') ?? '';
  const page = { sessionId: session.id, shown, onChange: signals.change };
  const watched = watch.watch({ ...tenantOf(session), id: paymentId }, page, ended);
  return {
    // 204 ends the reconnects of an EventSource.
    status: watched ? 200 : 204,
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    cookies: [],
    body: watched ? messages(signals) : '',
  };
}

interface Signals {
  readonly change: () => void;
  /** The next message; null at the end. */
  readonly next: () => Promise<string | null>;
}

async function* messages({ next }: Signals): AsyncGenerator<string> {
  yield ': open\n\n';
  for (;;) {
    const text = await next();
    if (text === null) return;
    yield text;
  }
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
