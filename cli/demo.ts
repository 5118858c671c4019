// `ponte demo`: one payment from create to settled over HTTP, on a temporary server or a running
// one, with a real receiver that verifies every webhook. It is an integrator's code: it knows the
// API and nothing of the inside.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { verifyWebhook } from '../adapters/client/verify.js';
import { trialFacts } from '../core/domain/payments/payer-relation.js';
import { catalogue, type ErrorCode, invalid, PonteError } from '../core/errors.js';
import { addCommand, type Outcome, type Shell } from './operator.js';
import { flag, value } from './options.js';

/** The steps of a payment of a new buyer; each has an event in both namespaces. */
const steps = [
  'created',
  'buyer_kyc_pending',
  'buyer_kyc_approved',
  'fx_quoted',
  'on_ramp_pending',
  'on_chain_confirmed',
  'offramp_pending',
  'settled',
] as const;
const namespaces = ['payment_intent', 'invoice'] as const;

/** The demo gives up after this time without an event. */
const PATIENCE_MS = 20_000;
const READ_EVERY_MS = 20;

interface Received {
  readonly event: string;
  readonly deliveryId: string;
  readonly verified: boolean;
  readonly atMs: number;
}

export function addDemoCommand(shell: Shell, program: Command): void {
  addCommand(shell, program, {
    name: 'demo',
    authority: 'none',
    description: 'settle one test payment and verify its webhooks',
    options: {
      url: value('<url>', 'a running server; by default the demo starts one'),
      key: value('<api-key>', 'a test key of that server'),
      restore: flag('show the restore of a backup instead'),
    },
    run: async ({ url, key, restore, json }) => {
      const say = (line: string) => {
        if (!json) shell.stdout.write(`${line}\n`);
      };
      if (restore) {
        const { restoreDemo } = await import('./restore-demo.js');
        return restoreDemo(shell, say);
      }
      if (url !== null && key !== null) return collect({ url, key, say });
      if (url === null && key === null)
        return withOwnServer(shell.env, (own) => collect({ ...own, say }));
      throw invalid('Give --url and --key together, or neither.');
    },
  });
}

/** A server on a free port with temporary data. */
async function withOwnServer(
  env: Shell['env'],
  work: (own: { readonly url: string; readonly key: string }) => Promise<Outcome>,
): Promise<Outcome> {
  const [{ readConfig }, { startHost }] = await Promise.all([
    import('../host/config.js'),
    import('../host/main.js'),
  ]);
  const dataDir = await mkdtemp(join(tmpdir(), 'ponte-demo-'));
  try {
    const { PONTE_FAKE_PARTNER_DELAY_MS, PONTE_LOG_LEVEL } = env;
    const host = await startHost(
      readConfig({
        PONTE_DATA_DIR: dataDir,
        PONTE_PORT: '0',
        PONTE_FAKE_PARTNER_DELAY_MS,
        PONTE_LOG_LEVEL: PONTE_LOG_LEVEL ?? 'error',
      }),
    );
    try {
      return await work({ url: host.url, key: host.demo?.secret ?? '' });
    } finally {
      await host.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

async function collect(input: {
  readonly url: string;
  readonly key: string;
  readonly say: (line: string) => void;
}): Promise<Outcome> {
  const { url, say } = input;
  const startedMs = performance.now();
  const elapsed = () => Math.round(performance.now() - startedMs);
  const call = client(url, input.key);
  const received: Received[] = [];
  const secret = Promise.withResolvers<string>();
  const receiver = await listen(async (request) => {
    const one = await read(request, await secret.promise, elapsed());
    received.push(one);
    say(`${`${one.atMs}`.padStart(6)} ms  ${one.verified ? 'verified' : 'FORGED  '}  ${one.event}`);
  });
  try {
    const subscription = await call('POST', '/v1/webhook-subscriptions', {
      url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`,
      eventTypes: ['payment_intent.*', 'invoice.*'],
    });
    secret.resolve(String(subscription['secret']));
    const externalId = `demo-${randomUUID()}`;
    const created = await call('POST', '/v1/payment-intents', {
      externalId,
      amount: '250.00',
      ...trialFacts,
      buyer: { email: `${externalId}@example.com`, name: 'Demo Buyer' },
    });
    say(`Payment ${created['id']} at ${url}: ${created['amount']} ${created['currency']}`);
    await call('POST', `/v1/test-helpers/payments/${created['id']}/advance`, {});
    const missing = await waitForEvents(received, () => missingOf(received));
    const payment = await call('GET', `/v1/payments/${created['id']}`);
    await call('DELETE', `/v1/webhook-subscriptions/${subscription['id']}`);
    const complete =
      missing.length === 0 &&
      payment['status'] === 'settled' &&
      received.every(({ verified }) => verified);
    const total = elapsed();
    say(
      complete
        ? `Settled: ${payment['brlSettledAmount']} BRL at ${payment['fxRateAtSettlement']}, ` +
            `${received.length} webhooks verified, ${total} ms.`
        : `Not complete: the payment is ${payment['status']}, ` +
            `missing ${missing.join(', ') || 'nothing'}.`,
    );
    return {
      json: { complete, durationMs: total, payment, received, missing },
      text: '',
      exit: complete ? 'done' : 'checkFailed',
    };
  } finally {
    receiver.close();
    receiver.closeAllConnections();
  }
}

function missingOf(received: readonly Received[]): readonly string[] {
  const seen = new Set(received.filter(({ verified }) => verified).map(({ event }) => event));
  return namespaces
    .flatMap((namespace) => steps.map((step) => `${namespace}.${step}`))
    .filter((event) => !seen.has(event));
}

/** Waits for all events; returns the missing ones when none has arrived for a while. */
async function waitForEvents(
  received: readonly Received[],
  missing: () => readonly string[],
): Promise<readonly string[]> {
  let [count, changedAtMs] = [received.length, performance.now()];
  while (missing().length > 0 && performance.now() - changedAtMs < PATIENCE_MS) {
    await wait(READ_EVERY_MS);
    if (received.length !== count) [count, changedAtMs] = [received.length, performance.now()];
  }
  return missing();
}

function client(url: string, key: string) {
  return async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    }).catch((cause: unknown) => {
      throw new PonteError('InternalError', `${url} does not answer.`, { cause });
    });
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    if (response.ok) return answer;
    const code = String(answer['error']);
    throw new PonteError(
      Object.hasOwn(catalogue, code) ? (code as ErrorCode) : 'InternalError',
      `${method} ${path}: ${answer['message']}`,
    );
  };
}

async function listen(take: (request: IncomingMessage) => Promise<void>): Promise<Server> {
  const server = createServer((request, response) => {
    take(request).then(
      () => response.writeHead(204).end(),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return server;
}

async function read(request: IncomingMessage, secret: string, atMs: number): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const body = Buffer.concat(chunks);
  const header = request.headers['x-service-signature'];
  const { valid } = verifyWebhook({ secret, header, body });
  const { event } = JSON.parse(body.toString('utf8')) as { readonly event: string };
  return {
    event,
    deliveryId: String(request.headers['x-service-delivery-id']),
    verified: valid,
    atMs,
  };
}
