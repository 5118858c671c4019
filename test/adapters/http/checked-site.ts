// A listening server over the small world, and a client that checks with every answer what all
// answers must keep: the headers, and that it is what /docs-json says (described-answers.ts). What
// a test is about, it checks itself.
import assert from 'node:assert/strict';
import { Agent, type OutgoingHttpHeaders, request as startRequest } from 'node:http';
import { before } from 'node:test';
import type { Readiness } from '../../../adapters/http/protocol/route-row.js';
import { readinessBody } from '../../../adapters/http/resources/service-routes.js';
import { createHttpServer, type HttpOptions } from '../../../adapters/http/server.js';
import {
  type Documentation,
  documentation,
} from '../../../adapters/pages/documentation/documentation.js';
import type { Settings } from '../../../core/ports/deps.js';
import { openWorld, type World } from '../../support/scenes/test-world.js';
import { type SuiteEnd, suiteEnd } from '../../support/suite-end.js';
import { checkDescribed, checkDescribedWebhook } from './docs/described-answers.js';

/** What /readyz is asked of a process with nothing to complain about, and what it says then. */
export const allWell: Readiness = {
  version: '1.0.0+development',
  database: true,
  migrations: true,
  worker: true,
  clock: true,
  serving: true,
};
export const allOk = readinessBody.show(allWell).checks;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The JSON of the answer; {} when there is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly key?: string;
  readonly session?: string;
  /** An object is sent as JSON, text and bytes as they are; content type JSON with any of them. */
  readonly body?: unknown;
  /** null removes a header that would be sent. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
}

export interface CheckedSite {
  readonly world: World;
  readonly port: number;
  readonly server: ReturnType<typeof createHttpServer>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

/** Closed at the end of the test, or of the suite that shares it. */
export async function checkedSite(
  t: SuiteEnd,
  ...options: Parameters<typeof openSite>
): Promise<CheckedSite> {
  const site = await openSite(...options);
  t.after(() => site.close());
  return site;
}

/** Opened and prepared before the tests of the file that calls this, and closed after them. */
export function sharedSite(
  prepare: () => Promise<unknown> = async () => undefined,
  settings?: Partial<Settings>,
): CheckedSite {
  const site = {} as CheckedSite;
  const suite = suiteEnd();
  before(async () => {
    Object.assign(site, await openSite(settings));
    suite.after(() => site.close());
    await prepare();
  });
  return site;
}

export async function openSite(
  settings: Partial<Settings> = { rateLimitPerMinute: 0 },
  options: Partial<HttpOptions> = {},
  cell = 0,
): Promise<CheckedSite> {
  const made = await openWorld({ settings, cell });
  const server = createHttpServer(made.deps, {
    corsOrigins: [],
    feedReaders: made.feedReaders,
    readiness: async () => allWell,
    pages: documentsOf(made.deps.settings),
    ...options,
  });
  const { port } = await server.listen('127.0.0.1', 0);
  const agent = new Agent({ keepAlive: true });
  return {
    world: made,
    port,
    server,
    async call(method, path, callOptions = {}) {
      const answer = await exchange(agent, port, method, path, callOptions);
      checkAnswer(method, path, answer);
      return answer;
    },
    async close() {
      agent.destroy();
      await server.close(0);
      await made.close();
      for (const webhook of made.sent) checkDescribedWebhook(webhook);
    },
  };
}

/** Of the pages only the documentation. */
function documentsOf({ baseUrl, payUrl }: Settings): HttpOptions['pages'] {
  let opened: Promise<Documentation> | null = null;
  const documents = (json: string) => {
    opened ??= documentation({ json, baseUrl, payUrl });
    return opened;
  };
  return {
    owns: () => false,
    serve: async () => undefined,
    document: async (path, json) => (await documents(json)).read(path),
    missingPage: async (url, json) => (await documents(json)).missingPage(url),
  };
}

/** The refusal that an answer is, in one line: `400 ValidationError`. */
export function refusalOf(answer: Answer): string {
  return `${answer.status} ${String(answer.body['error'] ?? '-')}`;
}

export function checkAnswer(method: string, path: string, answer: Answer): void {
  const context = `${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`;
  assert.match(answer.headers['x-request-id'] ?? '', /^[A-Za-z0-9_.-]{1,128}$/, context);
  assert.equal(answer.headers['x-content-type-options'], 'nosniff', context);
  // The public address of the small world is https.
  assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000', context);
  checkDescribed(method, path, answer, context);
  // The path of an asset names its version.
  const isAsset = path.startsWith('/docs/assets/') && answer.status === 200;
  if (answer.headers['content-type'] === 'application/json' && !isAsset) {
    assert.match(answer.headers['cache-control'] ?? '', /^no-(store|cache)$/, context);
  }
  if (answer.text !== '' && answer.status >= 400) {
    const { statusCode, retryAfter } = answer.body;
    // The probe's answer is no refusal.
    if (statusCode !== undefined) assert.equal(statusCode, answer.status, context);
    assert.equal(answer.headers['retry-after'], retryAfter?.toString(), context);
    if (statusCode === 413) assert.equal(answer.headers['connection'], 'close', context);
  }
}

function exchange(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  { key, session, body, headers = {} }: CallOptions,
): Promise<Answer> {
  const sent: OutgoingHttpHeaders = {
    ...(key === undefined ? {} : { 'x-api-key': key }),
    ...(session === undefined ? {} : { authorization: `Bearer ${session}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) delete sent[name];
    else sent[name] = typeof value === 'string' ? value : [...value];
  }
  const plain = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const bytes = plain ? (body ?? '') : JSON.stringify(body);
  sent['content-length'] ??= Buffer.byteLength(bytes);
  return new Promise((resolve, reject) => {
    const setHost = headers['host'] !== null;
    const where = { agent, host: '127.0.0.1', port, setHost };
    const request = startRequest({ ...where, method, path, headers: sent });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode: status = 0 } = response;
        const received = response.headers as Readonly<Record<string, string | undefined>>;
        const json = received['content-type'] === 'application/json' && text !== '';
        resolve({ status, headers: received, text, body: json ? JSON.parse(text) : {} });
      });
    });
    request.end(bytes);
  });
}
