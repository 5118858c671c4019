// The cost of a fault to clients: creates at a steady rate, each sent once and timed. Afterwards
// each is retried under its key, as by a client, and acknowledged payments are looked up.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { orderOf } from './payment-load.js';

/** Longer than any promise of the service: what takes longer has failed. */
const REQUEST_TIMEOUT_MS = 20_000;
const RETRY_MS = 100;
const PAID_EVERY = 5;

export interface Asked {
  readonly index: number;
  readonly sentAtMs: number;
  readonly tookMs: number;
  /** 0 when the connection ended without an answer. */
  readonly status: number;
  readonly id: string | null;
}

export interface SteadyLoad {
  readonly asked: readonly Asked[];
  /** Ends when the last request is answered. */
  stop(): Promise<void>;
}

interface Options {
  readonly hosts: () => readonly string[];
  readonly apiKey: string;
  readonly perSecond: number;
}

export function startSteadyLoad({ hosts, apiKey, perSecond }: Options): SteadyLoad {
  const asked: Asked[] = [];
  const running = new Set<Promise<void>>();
  let index = 0;
  const timer = setInterval(() => {
    const urls = hosts();
    const own = index;
    index += 1;
    const url = urls[own % urls.length] as string;
    const request = createOnce(url, apiKey, own).then(async (one) => {
      asked.push(one);
      if (isPaid(one)) await advance(url, apiKey, one.id);
      running.delete(request);
    });
    running.add(request);
  }, 1_000 / perSecond);
  return {
    asked,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}

/** One create, asked once. */
export async function createOnce(url: string, apiKey: string, index: number): Promise<Asked> {
  const order = orderOf(index);
  const sentAtMs = performance.now();
  const ended = (status: number, id: string | null): Asked => {
    return { index, sentAtMs, tookMs: performance.now() - sentAtMs, status, id };
  };
  try {
    const response = await fetch(`${url}/v1/payment-intents`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': apiKey,
        'idempotency-key': order.externalId,
      },
      body: JSON.stringify(order),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const body = (await response.json()) as { readonly id?: string };
    if (response.status === 503) assert.ok(response.headers.get('retry-after'), 'a time to repeat');
    return ended(response.status, response.status < 300 ? (body.id ?? null) : null);
  } catch {
    return ended(0, null);
  }
}

/** Those of the load that are played to the end, so that commands are under way in a fault. */
function isPaid(one: Asked): one is Asked & { readonly id: string } {
  return one.id !== null && one.index % PAID_EVERY === 0;
}

/** Whether it was answered; one that is settled needs no more. */
async function advance(url: string, apiKey: string, id: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/test-helpers/payments/${id}/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: '{}',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }).catch(() => null);
  await response?.arrayBuffer().catch(() => undefined);
  return response !== null && response.status < 500;
}

/** Those that were played to the end, once they are settled. */
export async function settledIds(
  asked: readonly Asked[],
  { hosts, apiKey }: Pick<Options, 'hosts' | 'apiKey'>,
): Promise<readonly string[]> {
  const ids = asked.filter(isPaid).map(({ id }) => id);
  const headers = { 'x-api-key': apiKey };
  for (const id of ids) {
    const url = hosts()[0] as string;
    while (!(await advance(url, apiKey, id))) await wait(RETRY_MS);
    for (;;) {
      const response = await fetch(`${url}/v1/payments/${id}`, { headers });
      const { status } = (await response.json()) as { readonly status?: string };
      if (status === 'settled') break;
      await wait(RETRY_MS);
    }
  }
  return ids;
}

export interface LoadCounts {
  readonly created: number;
  readonly refused: number;
  readonly unanswered: number;
  readonly worstMs: number;
  /** What was acknowledged and is another payment, or none, when it is asked for again. */
  readonly lost: number;
  /** Payments that two externalIds share, or that one has twice. */
  readonly doubled: number;
}

/** Asks for each again until it is answered, and compares. */
export async function settleLoad(
  asked: readonly Asked[],
  { hosts, apiKey }: Pick<Options, 'hosts' | 'apiKey'>,
): Promise<LoadCounts> {
  const ids = new Map<number, string>();
  for (const { index } of asked) {
    for (;;) {
      const { status, id } = await createOnce(hosts()[0] as string, apiKey, index);
      if (id !== null) ids.set(index, id);
      if (id !== null) break;
      assert.ok([0, 503].includes(status), `a repeat was answered ${status}`);
      await wait(RETRY_MS);
    }
  }
  const acknowledged = asked.filter(({ id }) => id !== null);
  return {
    created: acknowledged.length,
    refused: asked.filter(({ status }) => status === 503).length,
    unanswered: asked.filter(({ status }) => status === 0).length,
    worstMs: Math.round(Math.max(...asked.map(({ tookMs }) => tookMs))),
    lost: acknowledged.filter(({ index, id }) => ids.get(index) !== id).length,
    doubled: asked.length - new Set(ids.values()).size,
  };
}

/** How long after this moment the first create of those sent later was acknowledged. */
export function backAfterMs(asked: readonly Asked[], momentMs: number): number {
  const ends = asked
    .filter(({ id, sentAtMs, tookMs }) => id !== null && sentAtMs + tookMs > momentMs)
    .map(({ sentAtMs, tookMs }) => sentAtMs + tookMs - momentMs);
  return ends.length === 0 ? Number.POSITIVE_INFINITY : Math.round(Math.min(...ends));
}
