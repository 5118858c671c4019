// `ponte`: the whole service inside a developer's tests. API, use cases, store, workers, fake
// partner and webhooks of a host, with a database in memory, a clock that only moves on request,
// and ids that follow from a seed. No server, no port, no sleep.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { duplexPair } from 'node:stream';
import {
  type VerifiedWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
} from '../adapters/client/verify.js';
import { createIds, seededBytes } from '../adapters/crypto/ids.js';
import { newSecretKey, parseSecretKeys } from '../adapters/crypto/secret-box.js';
import { createMemoryDocuments } from '../adapters/documents/memory.js';
import { createHttpServer, type HttpServer } from '../adapters/http/server.js';
import { createMemoryMailer } from '../adapters/mail/memory-mail.js';
import type { PartnerSetup, RunningPartner } from '../adapters/partner/running-partner.js';
import { developmentOperator } from '../core/domain/base/actor.js';
import { SECOND_MS } from '../core/domain/base/instant.js';
import type { Tenant } from '../core/domain/base/tenant.js';
import { webhookHeaders } from '../core/domain/webhooks/signature.js';
import { assert, catalogue, type ErrorCode, PonteError } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import type { Log, OutgoingMail, WebhookRequest, WebhookSender } from '../core/ports/outside.js';
import { createKey, unlimitedKey } from '../core/usecases/access/keys.js';
import { createOrganization } from '../core/usecases/parties/organizations.js';
import { readConfig } from './config.js';
import { createContainer, hostUrl, tokens } from './container.js';
import { advanceTime, runUntilIdle, workOf } from './played-time.js';
import { productVersion } from './product-version.js';

/** 2026-01-01T00:00:00.000Z. */
const START_MS = 1_767_225_600_000;
const BASE_URL = 'http://ponte.test';

export type { PartnerSetup, RunningPartner };

export interface PonteOptions {
  /** The same seed and the same calls give the same ids and keys. */
  readonly seed?: string;
  /** The initial time; 2026-01-01T00:00:00Z by default. */
  readonly nowMs?: number;
  /** How long the fake partner takes for each decision, up to one hour; 0 by default. */
  readonly partnerDelayMs?: number;
  /** Whether pay-ins wait until the buyer is simulated, as on a served host; `wait` by default. */
  readonly payins?: 'wait' | 'arrive';
  /** Creates the settlement partner of test mode; the fake partner by default. */
  readonly partner?: (setup: PartnerSetup) => RunningPartner;
  /** The receiver: returns a status (204 by default), or throws to be unreachable. */
  readonly onWebhook?: (webhook: ReceivedWebhook) => number | Promise<number>;
  /** Replaces the receiver; `webhooks` then stays empty. */
  readonly sender?: WebhookSender;
  /** Silent by default. */
  readonly log?: Log;
}

export interface ReceivedWebhook {
  readonly url: string;
  readonly deliveryId: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact text that was signed. */
  readonly body: string;
}

export interface Ponte {
  /** A test key of an organization that can collect. */
  readonly apiKey: string;
  readonly tenant: Tenant;
  /** The ports behind the service, to read its store in a test. */
  readonly deps: Deps;
  /** All sent webhooks, oldest first. */
  readonly webhooks: readonly ReceivedWebhook[];
  /** All sent mails, oldest first; their links sign buyers in. */
  readonly mails: readonly OutgoingMail[];
  /** The API under any host name, for the client under test; adds the key if there is none. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** `fetch` with JSON: returns the parsed answer, or throws a PonteError with its code. */
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Runs all due work and what follows from it; long waits need `advanceTime`. */
  runUntilIdle(): Promise<void>;
  /** Moves the clock and runs what falls due, each at its time. */
  advanceTime(durationMs: number): Promise<void>;
  nowMs(): number;
  /**
   * Serves the API and the hosted pages on a free port of 127.0.0.1, for browser tests, and returns
   * the URL. Links that are made from then on lead there. Due work runs after each change.
   */
  listen(): Promise<string>;
  /** `verifyWebhook` of `ponte-payments/webhooks`, by this clock, which signed the webhook. */
  verifyWebhook(options: VerifyWebhookOptions): VerifiedWebhook;
  close(): Promise<void>;
}

export type Answer = Readonly<Record<string, unknown>>;

export async function createPonte(options: PonteOptions = {}): Promise<Ponte> {
  const { seed = 'ponte', partner } = options;
  const time = { nowMs: options.nowMs ?? START_MS };
  const webhooks: ReceivedWebhook[] = [];
  const mailer = createMemoryMailer();
  const config = {
    ...readConfig({
      PONTE_BASE_URL: BASE_URL,
      PONTE_RATE_LIMIT_PER_MINUTE: '0',
      PONTE_FAKE_PARTNER_DELAY_MS: `${options.partnerDelayMs ?? 0}`,
      PONTE_FAKE_PARTNER_PAYINS: options.payins ?? 'wait',
    }),
    database: { kind: 'sqlite', file: ':memory:' } as const,
    logLevel: 'silent' as const,
  };
  const keys = parseSecretKeys(newSecretKey('embed', seededBytes(`${seed} secret keys`)));
  assert(keys.valid, 'a new secret key is valid');
  const container = await createContainer(config, keys.keys, {
    clock: { nowMs: () => time.nowMs },
    documents: createMemoryDocuments(),
    mailer,
    ids: createIds(seededBytes(seed)),
    sender: options.sender ?? collector(webhooks, options.onWebhook ?? (() => 204)),
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(partner === undefined ? {} : { partners: { test: partner } }),
  });
  const [store, deps] = [container.get(tokens.store), container.get(tokens.deps)];
  await store.migrate();
  const { organization } = await createOrganization(deps, { name: 'Test', sandboxKyb: true });
  const tenant: Tenant = { orgId: organization.id, mode: 'test' };
  const { secret: apiKey } = await createKey(deps, {
    ...tenant,
    createdBy: developmentOperator.id,
    name: 'test',
    ...unlimitedKey,
  });
  const http = createHttpServer(deps, {
    corsOrigins: [],
    feedReaders: container.get(tokens.feedReaders),
    pages: container.get(tokens.pages),
    readiness: async () => ({
      ...(await store.health()),
      worker: true,
      clock: true,
      serving: true,
      version: productVersion,
    }),
  });
  const api = apiOver(http, apiKey);
  const work = workOf(container, time);
  const turns = inTurn(() => runUntilIdle(work, Number.POSITIVE_INFINITY));
  return {
    apiKey,
    tenant,
    deps,
    webhooks,
    mails: mailer.mails,
    ...api,
    runUntilIdle: () => turns.run(),
    advanceTime: (durationMs) => turns.instead(() => advanceTime(work, durationMs)),
    nowMs: () => time.nowMs,
    listen: async () => {
      const { address: host, port } = await http.listen('127.0.0.1', 0);
      const url = hostUrl(host, port);
      container.get(tokens.address).baseUrl = url;
      container.get(tokens.signals).listen(turns.wake);
      return url;
    },
    verifyWebhook: (given) =>
      verifyWebhook({ nowSeconds: Math.floor(time.nowMs / SECOND_MS), ...given }),
    close: async () => {
      await http.close(0);
      await turns.end();
      await deps.sender.close();
      await store.close();
    },
  };
}

interface Turns {
  /** Calls `run`; calls during a run are one more run. */
  wake(): void;
  /** As `wake`, and resolves when nothing runs: two at a time would miss what the other has. */
  run(): Promise<void>;
  /** Runs other work in a turn alone; what is woken during it begins after it. */
  instead(other: () => Promise<void>): Promise<void>;
  /** Resolves after the last run. */
  end(): Promise<void>;
}

function inTurn(run: () => Promise<void>): Turns {
  let running: Promise<void> | null = null;
  let again = false;
  let ended = false;
  const repeat = async () => {
    try {
      // After the batch is stored and answered.
      await new Promise((resolve) => setImmediate(resolve));
      while (again && !ended) {
        again = false;
        await run();
      }
    } finally {
      running = null;
    }
  };
  const wake = () => {
    again = true;
    if (!ended) running ??= repeat();
  };
  const idle = async () => {
    while (running !== null) await running;
  };
  return {
    wake,
    run() {
      wake();
      return idle();
    },
    async instead(other) {
      while (running !== null) await running;
      const turn = other().finally(() => {
        running = null;
        if (again) wake();
      });
      running = turn;
      await turn;
      await idle();
    },
    end() {
      ended = true;
      return idle();
    },
  };
}

/** The receiver of all webhooks: stores each and returns the result of `answer`. */
function collector(
  webhooks: ReceivedWebhook[],
  answer: (webhook: ReceivedWebhook) => number | Promise<number>,
): WebhookSender {
  return {
    async send({ url, headers, body }: WebhookRequest) {
      const { event, data } = JSON.parse(body) as Pick<ReceivedWebhook, 'event' | 'data'>;
      const deliveryId = headers[webhookHeaders.deliveryId] ?? '';
      const webhook = { url, deliveryId, event, data, headers, body };
      webhooks.push(webhook);
      const nothing = { responseBody: null, durationMs: 0 };
      try {
        return { ...nothing, responseStatus: await answer(webhook), error: null };
      } catch (error) {
        return { ...nothing, responseStatus: null, error: String(error) };
      }
    },
    refusal: async () => null,
    close: async () => undefined,
  };
}

/** HTTP over a pair of streams in memory, through the same pipeline as over a socket. */
function apiOver(
  http: HttpServer,
  apiKey: string,
): Pick<Ponte, 'fetch' | 'get' | 'post' | 'delete'> {
  const fetchApi = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const target = input instanceof Request ? input : new URL(input, BASE_URL);
    const request = new Request(target, init);
    if (!request.headers.has('x-api-key')) request.headers.set('x-api-key', apiKey);
    return exchange(http, request, Buffer.from(await request.arrayBuffer()));
  };
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetchApi(path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer;
    if (response.ok) return answer;
    const code = String(answer['error']);
    assert(Object.hasOwn(catalogue, code), `${code} is in the catalogue`);
    throw new PonteError(code as ErrorCode, String(answer['message']));
  };
  return {
    fetch: fetchApi,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    delete: (path) => call('DELETE', path),
  };
}

function exchange(http: HttpServer, request: Request, body: Buffer): Promise<Response> {
  const [near, far] = duplexPair();
  http.accept(far);
  const { pathname, search, host } = new URL(request.url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      createConnection: () => near,
      method: request.method,
      path: `${pathname}${search}`,
      headers: {
        ...Object.fromEntries(request.headers),
        host,
        connection: 'close',
        'content-length': body.length,
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      wholeResponse(response).then(resolve, reject);
    });
    sent.end(body);
  });
}

async function wholeResponse(response: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  const status = response.statusCode ?? 500;
  const headers = Object.entries(response.headers).map(([name, value]) => [name, `${value}`]);
  const empty = chunks.length === 0 || status === 204 || status === 304;
  return new Response(empty ? null : Buffer.concat(chunks), {
    status,
    headers: headers as [string, string][],
  });
}
