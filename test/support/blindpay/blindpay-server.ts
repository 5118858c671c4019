// BlindPay's paths, key, idempotency, pages and rate limit, and the faults that a test asks for: as
// a function from a call to its answer, and as a real HTTP server over it. Signed messages go to
// the test, which may repeat or reorder them.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DAY_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import {
  type Answer,
  errorAnswer,
  found,
  keyMismatch,
  ok,
  Refusal,
  without,
} from './blindpay-answers.js';
import { addEndpoint, listEndpoints, listKeys, rails, secretOf } from './blindpay-instance.js';
import { type Fields, hexOf } from './blindpay-objects.js';
import { BlindPayState } from './blindpay-state.js';

export const apiKey = 'bp_test_key_that_no_log_shows';
export const instanceId = 'in_000000000001';
export const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

const page = '<!DOCTYPE html><html><title>Attention Required! | Cloudflare</title></html>';

interface FaultRow {
  /** The call takes effect. */
  readonly effect: boolean;
  /** It takes effect once the test runs the late calls. */
  readonly late?: true;
  /** Null: none; `cut`: the connection ends within it. */
  readonly answer: Answer | 'cut' | null;
}

const json = { 'content-type': 'application/json' };

/** `before` and `after` the effect of the call. */
const faultRows = {
  'time-out before': { effect: false, answer: null },
  late: { effect: false, late: true, answer: 'cut' },
  '504 late': { effect: false, late: true, answer: { status: 504, body: page } },
  'time-out after': { effect: true, answer: null },
  'cut before': { effect: false, answer: 'cut' },
  'cut after': { effect: true, answer: 'cut' },
  '500 before': { effect: false, answer: errorAnswer(500, 'INTERNAL_ERROR') },
  '500 after': { effect: true, answer: errorAnswer(500, 'INTERNAL_ERROR') },
  '500 late': { effect: false, late: true, answer: errorAnswer(500, 'INTERNAL_ERROR') },
  '502 page after': { effect: true, answer: { status: 502, body: page } },
  '503 page': {
    effect: false,
    answer: { status: 503, body: page, headers: { 'retry-after': '5' } },
  },
  'empty after': { effect: true, answer: { status: 200, body: '' } },
  'truncated after': { effect: true, answer: { status: 200, body: '{"id":"pi_', headers: json } },
  'text after': { effect: true, answer: { status: 200, body: 'OK' } },
  'other form after': { effect: true, answer: { status: 200, body: { success: true } } },
  '403 page': { effect: false, answer: { status: 403, body: page } },
  '429': {
    effect: false,
    answer: { ...errorAnswer(429, 'AUTH_RATE_LIMITED'), headers: { 'retry-after': '7' } },
  },
  '429 bare': { effect: false, answer: errorAnswer(429, 'AUTH_RATE_LIMITED') },
  'in flight': {
    effect: false,
    answer: { ...errorAnswer(409, 'idempotency_key_in_flight'), headers: { 'retry-after': '1' } },
  },
  mismatch: { effect: false, answer: keyMismatch },
  'other key': { effect: false, answer: errorAnswer(401, 'AUTH_UNAUTHORIZED') },
} as const satisfies Readonly<Record<string, FaultRow>>;

export type Fault = keyof typeof faultRows;
export const faults: Readonly<Record<Fault, FaultRow>> = faultRows;

export interface Call {
  readonly method: string;
  /** Without `/v1` and the instance. */
  readonly path: string;
  readonly query: string;
  readonly key: string | null;
  readonly text: string;
  readonly answer: Answer | null;
}

export interface BlindPayServer {
  readonly url: string;
  readonly state: BlindPayState;
  readonly calls: readonly Call[];
  /** Answers have the header `Date`. */
  sendsDate: boolean;
  /** What the instance refuses from now on. */
  refusal: (sent: Sent) => Answer | null;
  /** A call was read and gets no answer. */
  onSilent: () => void;
  /** What leaves the instance in place of its answer. */
  change: (sent: Sent, answer: Answer) => Answer;
  /** The next call of this method and path, as `POST /payins/evm`, has this fault. */
  failNext(call: string, fault: Fault): void;
  /** The calls with the fault `late` take effect, if they still may. */
  runLate(): void;
  close(): Promise<void>;
}

type Handler = (state: BlindPayState, call: Given) => Answer;
interface Given {
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Fields;
}

const customer = '/customers/([^/]+)';

/** Paths of the OpenAPI description, after `/v1` and `/instances/{id}`. */
const routes: readonly (readonly [call: string, handler: Handler])[] = [
  ['POST /upload', (state) => state.upload()],
  ['POST /e/tos', (state, { body }) => state.compliance.startTos(body)],
  ['GET /available/rails', () => rails],
  ['GET /api-keys', () => listKeys()],
  ['GET /webhook-endpoints', (state) => listEndpoints(state)],
  ['POST /webhook-endpoints', (state, { body }) => addEndpoint(state, body)],
  ['GET /webhook-endpoints/([^/]+)/secret', (state, { ids }) => secretOf(state, ids[0] ?? '')],
  ['GET /customers', (state, { query }) => list(state, state.customers, query)],
  ['POST /customers', (state, { body }) => state.createCustomer(body)],
  [`GET ${customer}`, (state, { ids }) => one(state.customers, ids, 'CUSTOMERS_NOT_FOUND')],
  [`GET ${customer}/rfi`, (state, { ids }) => ok(state.compliance.open(ids[0] ?? ''))],
  [`POST ${customer}/rfi`, (state, { ids, body }) => state.compliance.answer(ids[0] ?? '', body)],
  [`GET ${customer}/bank-accounts`, (state, call) => owned(state, state.bankAccounts, call)],
  [
    `POST ${customer}/bank-accounts`,
    (state, { ids, body }) => state.createBankAccount(ids[0] ?? '', body),
  ],
  [`GET ${customer}/wallets`, (state, call) => owned(state, state.wallets, call)],
  [`POST ${customer}/wallets`, (state, { ids, body }) => state.createWallet(ids[0] ?? '', body)],
  [
    `GET ${customer}/wallets/([^/]+)`,
    (state, { ids }) => one(state.wallets, ids.slice(1), 'WALLETS_NOT_FOUND'),
  ],
  [
    `GET ${customer}/wallets/([^/]+)/balance`,
    (state, { ids }) => {
      const [, id = ''] = ids;
      const wallet = state.wallets.find((its) => its.id === id) ?? {};
      const amount = state.balanceOf(wallet) / 100;
      return ok({ USDB: { address: '0x0', id, symbol: 'USDB', amount } });
    },
  ],
  [`GET ${customer}/virtual-accounts`, (state, call) => owned(state, state.virtualAccounts, call)],
  [
    `POST ${customer}/virtual-accounts`,
    (state, { ids, body }) => state.createVirtualAccount(ids[0] ?? '', body),
  ],
  ['GET /limits/customers/([^/]+)', limitsLeft],
  ['POST /payin-quotes', (state, { body }) => state.createPayinQuote(body)],
  ['POST /quotes/fx', (state, { body }) => state.fx(body)],
  ['POST /quotes', (state, { body }) => state.createQuote(body)],
  ['GET /payins', (state, { query }) => list(state, state.payins, query)],
  ['POST /payins/evm', (state, { body }) => state.createPayin(body)],
  ['GET /payins/([^/]+)', (state, { ids }) => one(state.payins, ids, 'PAYINS_NOT_FOUND')],
  ['GET /payouts', (state, { query }) => list(state, state.payouts, query)],
  ['POST /payouts/evm', (state, { body }) => state.createPayout(body)],
  ['GET /payouts/([^/]+)', (state, { ids }) => one(state.payouts, ids, 'PAYOUTS_NOT_FOUND')],
];

export interface DeskOptions {
  readonly nowMs: () => number;
  /** A development instance has 100; 0: no limit. */
  readonly callsPerMinute?: number;
  /** The first ids of the instance are above it. */
  readonly idsFrom?: number;
  /** What the instance refuses for good, although it is valid; null: nothing. */
  readonly refusal?: (sent: Sent) => Answer | null;
  readonly change?: BlindPayServer['change'];
}

/** As it arrives at the instance. */
export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** The instance without HTTP. */
export interface BlindPayDesk {
  readonly state: BlindPayState;
  readonly calls: readonly Call[];
  /** `later` gets the effect of a call that is late. */
  receive(
    call: HttpCall,
    fault: Fault | null,
    later: (effect: () => void) => void,
  ): FaultRow['answer'];
}

export interface Sent extends Omit<Call, 'answer'> {
  readonly authorization: string;
}

export function blindPayDesk(options: DeskOptions): BlindPayDesk {
  const state = new BlindPayState(options.nowMs, options.idsFrom);
  const calls: Call[] = [];
  const respond = responder(state, options, calls);
  return {
    state,
    calls,
    receive(call, fault, later) {
      const sent = sentOf(call);
      if (fault === null) return respond(sent);
      const { effect, late = false, answer } = faults[fault];
      if (late) later(() => void respond(sent));
      if (effect) respond(sent);
      else calls.push({ ...sent, answer: answer === 'cut' ? null : answer });
      return answer;
    },
  };
}

/** `POST /payins/evm`: without `/v1` and the instance. */
export function sentOf({ method, url, headers, text }: HttpCall): Sent {
  const { pathname, search } = new URL(url, 'http://localhost');
  const path = pathname
    .replace(/^\/v1\/e\/instances\/[^/]+/, '/e')
    .replace(/^\/v1(\/instances\/[^/]+)?/, '');
  const key = headers['idempotency-key'];
  return {
    method,
    path,
    query: search,
    text,
    key: typeof key === 'string' ? key : null,
    authorization: `${headers['authorization'] ?? ''}`,
  };
}

export async function startBlindPay(
  options: DeskOptions & { readonly port?: number },
): Promise<BlindPayServer> {
  const refusal = (sent: Sent) => opened.refusal(sent);
  const change: BlindPayServer['change'] = (sent, answer) => opened.change(sent, answer);
  const desk = blindPayDesk({ ...options, refusal, change });
  const late: (() => void)[] = [];
  const planned: { readonly call: string; readonly fault: Fault }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '/', headers } = request;
      const call = { method, url, headers, text: await textOf(request) };
      const { path } = sentOf(call);
      const at = planned.findIndex((one) => one.call === `${method} ${path}`);
      const fault = planned.splice(at, at < 0 ? 0 : 1)[0]?.fault ?? null;
      response.sendDate = false;
      if (opened.sendsDate) response.setHeader('date', new Date(options.nowMs()).toUTCString());
      const answer = desk.receive(call, fault, (effect) => void late.push(effect));
      if (answer === 'cut') cut(response);
      else if (answer === null) opened.onSilent();
      else write(response, answer);
    })();
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const opened: BlindPayServer = {
    sendsDate: true,
    onSilent: () => undefined,
    refusal: options.refusal ?? (() => null),
    change: (_, answer) => answer,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    state: desk.state,
    calls: desk.calls,
    failNext: (call, fault) => void planned.push({ call, fault }),
    runLate: () => {
      for (const run of late.splice(0)) run();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return opened;
}

function responder(
  state: BlindPayState,
  { nowMs, callsPerMinute = 0, refusal, change }: DeskOptions,
  calls: Call[],
) {
  let recent: number[] = [];
  const keys = new Map<string, { readonly digest: string; answer: Answer; atMs: number }>();
  const answerTo = (sent: Sent): Answer => {
    if (callsPerMinute > 0)
      recent = [...recent.filter((atMs) => atMs > nowMs() - MINUTE_MS), nowMs()];
    if (recent.length > callsPerMinute) {
      const answer = errorAnswer(429, 'development_instance_rate_limit_exceeded');
      return { ...answer, headers: { 'retry-after': '60' } };
    }
    if (sent.authorization !== `Bearer ${apiKey}`) return errorAnswer(401, 'AUTH_UNAUTHORIZED');
    const digest = createHash('sha256').update(`${sent.path}\n${sent.text}`).digest('hex');
    // The terms have their own key, uploads have none.
    const key = /^\/(e|upload)\b/.test(sent.path) ? null : sent.key;
    const kept = key === null ? undefined : keys.get(key);
    if (kept !== undefined && kept.atMs > nowMs() - DAY_MS) {
      return kept.digest === digest ? kept.answer : keyMismatch;
    }
    const answer = refusal?.(sent) ?? handled(state, sent);
    if (key !== null && answer.status < 500) keys.set(key, { digest, answer, atMs: nowMs() });
    return answer;
  };
  return (sent: Sent): Answer => {
    state.tick();
    const answer = answerTo(sent);
    // As it was then: objects change.
    calls.push({ ...sent, answer: { ...answer, body: structuredClone(answer.body) } });
    return change?.(sent, answer) ?? answer;
  };
}

const patterns = routes.map(([call, handler]) => [new RegExp(`^${call}$`), handler] as const);

function handled(state: BlindPayState, sent: Sent): Answer {
  const query = new URLSearchParams(sent.query);
  try {
    for (const [call, handler] of patterns) {
      const match = call.exec(`${sent.method} ${sent.path}`);
      if (match === null) continue;
      const isJson = sent.text !== '' && sent.path !== '/upload';
      const body = isJson ? (JSON.parse(sent.text) as Fields) : {};
      return handler(state, { ids: match.slice(1), query, body });
    }
    return errorAnswer(404, 'NOT_FOUND');
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function limitsLeft({ customers, limits }: BlindPayState, { ids }: Given): Answer {
  found(customers, ids[0] ?? '', 'CUSTOMERS_NOT_FOUND');
  if (limits === null) throw new Refusal(404, 'NOT_FOUND');
  return ok({ limits: structuredClone(limits) });
}

function one(all: readonly { readonly id: string }[], ids: readonly string[], code: string) {
  return ok(without(found(all, ids[0] ?? '', code), 'quote'));
}

interface Item {
  readonly id: string;
}

/** `mixed`: an order without a meaning, which is the same each time. */
const orders: Readonly<
  Record<BlindPayState['listOrder'], <T extends Item>(items: readonly T[]) => readonly T[]>
> = {
  'newest first': (items) => items.toReversed(),
  'oldest first': (items) => items,
  mixed: (items) => items.toSorted((left, right) => (hexOf(left.id) < hexOf(right.id) ? -1 : 1)),
};

/** Page by page; without a limit, all of them and no pages. */
function list(
  { listOrder, pageMax }: BlindPayState,
  all: readonly { readonly id: string; readonly customer_id?: unknown }[],
  query: URLSearchParams,
): Answer {
  const of = query.get('customer_id');
  const fits = orders[listOrder](all.filter((item) => of === null || item.customer_id === of));
  const limit = query.get('limit');
  if (limit === null) return ok(fits);
  if (!['10', '50', '100', '200', '500', '1000'].includes(limit)) {
    return errorAnswer(400, 'VALIDATION_FAILED');
  }
  const after = query.get('starting_after');
  const start = after === null ? 0 : fits.findIndex(({ id }) => id === after) + 1;
  const data = fits.slice(start, start + Math.min(Number(limit), pageMax));
  const hasMore = start + data.length < fits.length;
  const pagination = { has_more: hasMore, next_page: data.at(-1)?.id ?? null, prev_page: null };
  return ok({ data, pagination });
}

function owned(
  state: BlindPayState,
  all: readonly { readonly id: string; readonly customer_id: string }[],
  { ids }: Given,
): Answer {
  found(state.customers, ids[0] ?? '', 'CUSTOMERS_NOT_FOUND');
  return ok(all.filter(({ customer_id }) => customer_id === ids[0]));
}

function write(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  const isText = typeof body === 'string';
  const type = isText ? 'text/html' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

/** Half an answer, then the connection ends. */
function cut(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"id":"pi_');
  setImmediate(() => response.destroy());
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
