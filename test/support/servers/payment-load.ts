// Clients that create payments and have them played to the end while hosts and databases come and
// go: each retries on any host, with the same key, until it is answered. Answers are recorded, to
// be checked afterwards.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';

const ASK_AGAIN_MS = 20;
/** Longer than any outage in these tests: what is not answered by then never will be. */
const PATIENCE_MS = 60_000;

export interface PaymentLoad {
  /** Id of every payment whose creation was answered, by externalId. */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** Resolves when so many payments were created and advanced, each answered. */
  reached(count: number): Promise<void>;
  /** Resolves when all were. */
  readonly done: Promise<void>;
}

export interface LoadOptions {
  /** The hosts, dead ones included; read before each request. */
  readonly hosts: () => readonly string[];
  readonly apiKey: string;
  readonly payments: number;
  readonly clients: number;
  /** A whole number below this one. */
  readonly below: (end: number) => number;
}

type Body = Readonly<Record<string, unknown>>;

/** The request for one of these payments, which must be found again. */
export function orderOf(index: number) {
  return {
    externalId: `order-${index}`,
    amount: `${100 + index}.00`,
    buyer: { email: `buyer-${index}@example.com` },
    metadata: { index },
  };
}

export function startLoad(options: LoadOptions): PaymentLoad {
  const { payments, clients } = options;
  const acknowledged = new Map<string, string>();
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let advanced = 0;
  let next = 0;
  const client = async () => {
    while (next < payments) {
      const order = orderOf(next);
      next += 1;
      const id = await created(options, order);
      acknowledged.set(order.externalId, id);
      await answered(options, `/v1/test-helpers/payments/${id}/advance`, {});
      advanced += 1;
      for (const { count, resolve } of waiting) if (advanced >= count) resolve();
    }
  };
  const done = Promise.all(Array.from({ length: clients }, client)).then(() => undefined);
  return {
    acknowledged,
    done,
    // A client that fails ends the wait.
    reached: (count) =>
      Promise.race([done, new Promise<void>((resolve) => waiting.push({ count, resolve }))]),
  };
}

/** Retries under one key until the payment is created; returns its id. */
export async function created(
  options: Pick<LoadOptions, 'hosts' | 'apiKey' | 'below'>,
  order: ReturnType<typeof orderOf>,
): Promise<string> {
  const body = await answered(options, '/v1/payment-intents', order);
  assert.deepEqual([body['externalId'], body['amount']], [order.externalId, order.amount]);
  return String(body['id']);
}

/** Retries only a 503 and a missing answer; anything else fails. */
async function answered(
  { hosts, apiKey, below }: Pick<LoadOptions, 'hosts' | 'apiKey' | 'below'>,
  path: string,
  body: Body,
): Promise<Body> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  const headers = {
    'content-type': 'application/json',
    'x-api-key': apiKey,
    ...(body['externalId'] === undefined ? {} : { 'idempotency-key': `${body['externalId']}` }),
  };
  for (;;) {
    const asked = hosts();
    const host = asked[below(asked.length)];
    const answer = await ask(`${host}${path}`, { method: 'POST', headers, body });
    if (answer !== null && answer.status !== 503) {
      assert.ok([200, 201].includes(answer.status), `${path}: ${answer.status} ${answer.text}`);
      return JSON.parse(answer.text) as Body;
    }
    assert.ok(performance.now() < endsAtMs, `nobody answers ${path}`);
    await wait(ASK_AGAIN_MS);
  }
}

/** Null when the host is gone, before its answer or within it. */
async function ask(
  url: string,
  {
    body,
    ...request
  }: { readonly method: string; readonly headers: Record<string, string>; body: Body },
): Promise<{ readonly status: number; readonly text: string } | null> {
  try {
    const response = await fetch(url, { ...request, body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    assert.ok(error instanceof TypeError, String(error));
    return null;
  }
}

/** Whole numbers below an end, from random bytes. */
export function numbersOf(bytes: (length: number) => Uint8Array): (end: number) => number {
  return (end) => Buffer.from(bytes(4)).readUInt32BE() % end;
}
