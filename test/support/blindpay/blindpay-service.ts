// The simulated BlindPay as a service in real time: its objects change by themselves, its messages
// go to the webhook endpoints of the instance, and people accept its terms in its app.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { newId, type WebhookEndpoint } from './blindpay-objects.js';
import { type BlindPayServer, startBlindPay } from './blindpay-server.js';
import type { BlindPayState, Message } from './blindpay-state.js';

/** In tests, the 30 seconds of a pay-in become 300 ms. */
const TEST_PACE = 0.01;
const TICK_MS = 5;
/** Svix waits for seconds, then for hours. */
const SEND_AGAIN_MS = 100;
const ATTEMPTS_MAX = 50;

export interface BlindPayService extends BlindPayServer {
  /** The answers of webhook endpoints; null: no answer. */
  readonly sent: readonly { readonly messageId: string; readonly status: number | null }[];
}

export async function startBlindPayService({
  port = 0,
  pace = TEST_PACE,
  idsFrom = 0,
} = {}): Promise<BlindPayService> {
  const api = await startBlindPay({ nowMs: Date.now, port, idsFrom });
  const { state } = api;
  state.pace = pace;
  const app = await startApp(state);
  const post = new Post(state);
  const timer = setInterval(() => {
    state.tick();
    post.sendNew();
  }, TICK_MS);
  return {
    ...api,
    sent: post.sent,
    async close() {
      clearInterval(timer);
      post.isClosed = true;
      app.closeAllConnections();
      app.close();
      await Promise.all([once(app, 'close'), api.close()]);
    },
  };
}

/** Sends each message to each endpoint that wants its event, until the endpoint accepts it. */
class Post {
  readonly sent: { readonly messageId: string; readonly status: number | null }[] = [];
  isClosed = false;
  readonly #state: BlindPayState;
  #taken = 0;

  constructor(state: BlindPayState) {
    this.#state = state;
  }

  sendNew(): void {
    const { messages, webhookEndpoints } = this.#state;
    for (const message of messages.slice(this.#taken)) {
      for (const endpoint of webhookEndpoints) {
        if (isWanted(endpoint, message)) void this.#send(endpoint, message);
      }
    }
    this.#taken = messages.length;
  }

  async #send({ url, secret }: WebhookEndpoint, message: Message): Promise<void> {
    for (let attempts = 0; attempts < ATTEMPTS_MAX && !this.isClosed; attempts += 1) {
      const { headers, body } = this.#state.sign(message, secret, Date.now());
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
      }).catch(() => null);
      await answer?.arrayBuffer().catch(() => null);
      this.sent.push({ messageId: message.id, status: answer?.status ?? null });
      if (answer?.ok) return;
      await wait(SEND_AGAIN_MS, null, { ref: false });
    }
  }
}

function isWanted({ events }: WebhookEndpoint, { text }: Message): boolean {
  const { webhook_event: event } = JSON.parse(text) as { readonly webhook_event: string };
  return events.length === 0 || events.includes(event);
}

/** The page of the terms: a button accepts them, and the browser goes back. */
async function startApp(state: BlindPayState): Promise<Server> {
  let accepted = 0;
  const app = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', state.appUrl);
    if (pathname !== '/e/terms-of-service') response.writeHead(404).end();
    else if (request.method === 'GET') {
      const form = '<form method="post"><button>I accept</button></form>';
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>Terms</h1>${form}`);
    } else {
      const back = new URL(searchParams.get('redirect_url') ?? '');
      const sessionKey = searchParams.get('idempotency_key') ?? '';
      accepted += 1;
      const tosId = newId('to', accepted);
      back.searchParams.set('tos_id', tosId);
      state.compliance.accept(tosId, sessionKey, searchParams.get('customer_id'));
      response.writeHead(302, { location: back.href }).end();
    }
  });
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  state.appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  return app;
}

/** What a person does on the page of a terms session; where the browser goes next. */
export async function acceptTerms(sessionUrl: string): Promise<URL> {
  const page = await fetch(sessionUrl);
  if (!(await page.text()).includes('<button>I accept')) throw new Error('a page with a button');
  const accepted = await fetch(sessionUrl, { method: 'POST', redirect: 'manual' });
  return new URL(accepted.headers.get('location') ?? '');
}
