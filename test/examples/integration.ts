// A whole integration: it creates payments, receives webhooks and catches up by the event feed.
// `ponte certify` plays 24 faults against it, and sets PONTE_URL, PONTE_KEY, WEBHOOK_SECRET, PORT.
import { createServer } from 'node:http';
import { createPonteClient } from 'ponte-payments/client';
import { constructEvent, PonteError } from 'ponte-payments/webhooks';

const { PONTE_URL: baseUrl = '', PONTE_KEY: apiKey = '' } = process.env;
const ponte = createPonteClient({ baseUrl, apiKey });

/** A real shop has these in its database: an event is stored in the transaction of its effect. */
const orders = new Map<string, Order>();
const seen = new Set<string>();
let place: { after: number; epoch?: number } = { after: 0 };
/** Two for the time of a rotation. */
let secrets = [process.env.WEBHOOK_SECRET ?? ''];

interface Order {
  state: 'open' | 'paid' | 'ended' | 'review';
  /** How often the goods left. */
  effects: number;
  settled: string | null;
}

interface Happened {
  readonly id: string;
  readonly type: string;
  readonly order: string;
}

/** What may change an order is done one after the other. */
let work: Promise<void> = Promise.resolve();
function inTurn(step: () => Promise<void>): Promise<void> {
  const done = work.then(step);
  work = done.catch((error) => console.error(error));
  return done;
}

/** Webhooks are answered first. */
function queue(event: Happened): void {
  inTurn(() => handle(event)).catch(() => undefined);
}

async function handle({ id, type, order: name }: Happened): Promise<void> {
  if (seen.has(id)) return;
  const order = orderOf(name);
  if (type === 'payment_intent.settled') await settle(name);
  if (/\.(failed|cancelled|expired)$/.test(type) && order.state === 'open') order.state = 'ended';
  // The seller does not have the money: a person decides.
  if (type === 'payment_intent.payout_returned') order.state = 'review';
  seen.add(id);
}

/** The payment says what was settled, not an event or an older quote. */
async function settle(name: string): Promise<void> {
  const order = orderOf(name);
  const path = { id: `ext_${name}` };
  const { data, error } = await ponte.GET('/v1/payments/{id}', { params: { path } });
  // Its create failed.
  if (error?.error === 'NotFound') return;
  if (error) throw new Error(error.message);
  if (data.status !== 'settled' || order.state === 'review') return;
  // Read again after a reset, it may have counted before its event comes.
  if (order.state === 'paid') return;
  Object.assign(order, { state: 'paid', settled: data.brlSettledAmount });
  order.effects += 1;
}

async function settleIfOpen(name: string): Promise<void> {
  if (orderOf(name).state === 'open') await settle(name);
}

async function create(name: string, amount: string, email: string): Promise<void> {
  orderOf(name);
  // The client repeats it with the same key.
  const { error } = await ponte.POST('/v1/payment-intents', {
    headers: { 'Idempotency-Key': name },
    body: { externalId: name, amount, buyer: { email } },
  });
  if (error) throw new Error(error.message);
}

async function catchUp(): Promise<void> {
  for (;;) {
    const { data, error } = await ponte.GET('/v1/events', { params: { query: place } });
    if (error?.error === 'EventsPruned') place.after = (error.oldestSequence ?? 1) - 1;
    else if (error?.error === 'FeedReset') {
      // Events of the old feed may be missing: the payments themselves are read again.
      for (const name of orders.keys()) await inTurn(() => settleIfOpen(name));
      place = { after: error.lastSequence ?? 0, epoch: error.epoch ?? 1 };
    } else if (error) throw new Error(error.message);
    else {
      for (const { id, event, data: about } of data.data) {
        if ('externalId' in about) queue({ id, type: event, order: String(about.externalId) });
      }
      place = { after: data.nextAfter, epoch: data.epoch };
      if (data.data.length === 0) return;
    }
  }
}

function orderOf(name: string): Order {
  const order = orders.get(name) ?? { state: 'open', effects: 0, settled: null };
  orders.set(name, order);
  return order;
}

function receive(headers: NodeJS.Dict<string | string[]>, body: Buffer): void {
  const header = headers['x-service-signature'];
  const [webhook] = secrets.flatMap((secret) => {
    try {
      return [constructEvent({ secret, header, body })];
    } catch (error) {
      if (error instanceof PonteError) return [];
      throw error;
    }
  });
  if (webhook === undefined) throw new Refused();
  const data: { externalId?: unknown; externalEventId?: unknown } = webhook.data;
  // webhook.test is about no payment.
  if (data.externalId === undefined) return;
  // The feed has the same event: its id counts, not that of the delivery.
  queue({
    id: String(data.externalEventId),
    type: webhook.event,
    order: String(data.externalId),
  });
}

class Refused extends Error {}

/** Test mode only: `ponte certify` asks for these, and looks at an order. */
const probe: Readonly<Record<string, (asked: Readonly<Record<string, string>>) => unknown>> = {
  create: ({ order = '', amount = '', email = '' }) => create(order, amount, email),
  'catch-up': () => catchUp(),
  secret: ({ secret = '' }) => {
    secrets = [secret];
  },
};

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  try {
    if (pathname === '/webhooks') {
      receive(request.headers, body);
      response.writeHead(204).end();
      return;
    }
    if (request.method === 'POST') {
      const asked = JSON.parse(body.toString());
      await probe[asked.do]?.(asked);
    }
    await work;
    const order = searchParams.get('order');
    response.end(JSON.stringify(order === null ? {} : orderOf(order)));
  } catch (error) {
    response.writeHead(error instanceof Refused ? 400 : 500).end(`${error}`);
  }
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
