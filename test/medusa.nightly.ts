// A shop of Medusa, from npm, with the provider: no order is captured without a settled payment,
// and each settled one is captured once, although both programs are killed.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openCertifier } from '../cli/certify/certify.js';
import { faultNames } from '../cli/certify/certify-faults.js';
import { freePort, localPostgres, newDatabase } from './support/databases/local-postgres.js';
import { type HostProcess, startHostProcess } from './support/servers/host-process.js';
import {
  type MedusaShop,
  openShop,
  type PlacedOrder,
  type StoredOrder,
} from './support/servers/medusa-shop.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { until } from './support/wait.js';

const ORDERS = 50;
/** How an order ends. */
const plans = ['short', 'short', 'cancelled', 'expired', 'paid'] as const;
type Plan = (typeof plans)[number];
const counts: Readonly<Record<Plan, number>> = { short: 10, cancelled: 5, expired: 5, paid: 30 };

const postgres = localPostgres({ durable: true, own: true });

test(`${ORDERS} orders, 20 of them unpaid, and kill -9 of both sides twice`, async (t) => {
  const ponte = await startPonte(t);
  const shop = await shopOn(t, ponte);
  const orders: (PlacedOrder & { readonly plan: Plan })[] = [];
  for (const plan of planned()) {
    const at = orders.length;
    const expires_at = new Date(Date.now() + 30_000).toISOString();
    const data = plan === 'expired' ? { expires_at } : {};
    orders.push({ ...(await shop.order(`buyer${at}@shop.example`, data)), plan });
  }
  assert.equal(new Set(orders.map(({ paymentId }) => paymentId)).size, ORDERS);
  for (const [at, { paymentId, plan }] of orders.entries()) {
    // A quarter of the payments happens while the shop is down, and Ponte dies between them.
    if (at === 12 || at === 37) await shop.kill();
    if (at === 20 || at === 44) await ponte.killAndStart();
    if (at === 25 || at === 49) await shop.start();
    await ponte.play(paymentId, plan);
  }
  await until(async () => (await ponte.running(orders)) === 0);
  const settled = await ponte.settled(orders);
  assert.equal(settled.size, counts.paid);
  // The job of the shop runs each minute.
  await until(async () => {
    const booked = (await shop.orders()).filter((one) => one.transactions > 0);
    return booked.length >= settled.size;
  });
  const stored = await shop.orders();
  assert.equal(stored.length, ORDERS);
  for (const { paymentId, isCaptured, payments, captures, transactions } of stored) {
    const one = settled.has(paymentId) ? 1 : 0;
    assert.deepEqual(
      { isCaptured, payments, captures, transactions },
      { isCaptured: one === 1, payments: one, captures: one, transactions: one },
      paymentId,
    );
  }
  const [paid] = orders.filter(({ paymentId }) => settled.has(paymentId));
  const refund = await shop.refund(paid?.orderId ?? '');
  assert.equal(refund.status, 400);
  assert.match(refund.message, /Ponte has paid the seller in BRL/);
});

test('a shop passes the faults of ponte certify', async (t) => {
  const certifier = await openCertifier(0);
  t.after(() => certifier.close());
  const { url: ponteUrl, apiKey: ponteKey, secret: webhookSecret } = certifier.address;
  const port = await freePort();
  const databaseUrl = await newDatabase(await postgres.url());
  const shop = await openShop({ databaseUrl, port, ponteUrl, ponteKey, webhookSecret });
  t.after(() => shop.close());
  await shop.start();
  const probe = await probeOf(t, shop);
  const receiver = `http://127.0.0.1:${port}/hooks/payment/ponte_ponte`;
  const subject = { receiver, probe, answerWithinMs: 10_000 };
  const asked = { named: faultNames, seed: 'shop', patienceMs: 60_000 };
  const run = await certifier.run(subject, asked);
  assert.ok(run.outcome === 'played', run.outcome === 'not_ready' ? run.reason : '');
  const others = run.results.filter(({ verdict }) => verdict !== 'ok');
  assert.deepEqual(others, []);
});

/** Medusa handles a webhook five seconds after its answer. */
const HANDLED_MS = 6_000;

/** What an order shows its merchant. */
const stateOf = ({ isCaptured, situation }: StoredOrder) =>
  situation === 'payout_returned' || situation === 'with_operator'
    ? 'review'
    : isCaptured
      ? 'paid'
      : situation === null
        ? 'open'
        : 'ended';

async function probeOf(t: TestContext, shop: MedusaShop): Promise<string> {
  const sessions = new Map<string, string>();
  const steps: Readonly<Record<string, (asked: Record<string, string>) => Promise<object>>> = {
    create: async ({ order = '', email = '' }) => {
      const { sessionId } = await shop.order(email);
      sessions.set(order, sessionId);
      return { externalId: `${sessionId}.250.00.USD` };
    },
    'catch-up': async () => {
      await shop.catchUp();
      return {};
    },
    // As its operator does.
    secret: async ({ secret }) => {
      await shop.kill();
      await shop.start(secret);
      return {};
    },
    look: async ({ order = '' }) => {
      await wait(HANDLED_MS);
      const stored = await shop.orders();
      const found = stored.find(({ sessionId }) => sessionId === sessions.get(order));
      if (found === undefined) return { effects: 0, state: 'open', settled: null };
      return { effects: found.captures, state: stateOf(found), settled: found.settled };
    },
  };
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('');
    const order = new URL(request.url ?? '', 'http://probe').searchParams.get('order') ?? '';
    const asked = request.method === 'GET' ? { do: 'look', order } : JSON.parse(text);
    const answer = await steps[asked.do]?.(asked).catch((error) => ({ error: `${error}` }));
    const isDone = answer !== undefined && !('error' in answer);
    response.writeHead(isDone ? 200 : 500).end(JSON.stringify(answer));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function planned(): readonly Plan[] {
  const all = plans.flatMap((plan, at) =>
    plans.indexOf(plan) === at ? Array.from({ length: counts[plan] }, () => plan) : [],
  );
  // Mixed, the same each time: 7 and 50 have no common factor.
  return all.map((_, at) => all[(at * 7) % all.length] ?? 'paid');
}

/** Closed before the server of its database stops. */
async function shopOn(
  t: TestContext,
  ponte: { readonly url: string; readonly key: string; subscribe: Subscribe },
) {
  const port = await freePort();
  const hook = `http://127.0.0.1:${port}/hooks/payment/ponte_ponte`;
  const webhookSecret = await ponte.subscribe(hook);
  const databaseUrl = await newDatabase(await postgres.url());
  const shop: MedusaShop = await openShop({
    databaseUrl,
    port,
    ponteUrl: ponte.url,
    ponteKey: ponte.key,
    webhookSecret,
  });
  t.after(() => shop.close());
  await shop.start();
  return shop;
}

type Subscribe = (url: string) => Promise<string>;

async function startPonte(t: TestContext) {
  const env = {
    PONTE_DATA_DIR: temporaryFolder(),
    PONTE_PORT: `${await freePort()}`,
    PONTE_FAKE_PARTNER_DELAY_MS: '50',
  };
  let host: HostProcess = await startHostProcess(env);
  t.after(() => host.kill());
  const { url, key } = host;
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'x-api-key': key ?? '', 'content-type': 'application/json' };
    const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}/v1/${path}`, sent);
    const answer = await response.json();
    assert.ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const statusOf = async (id: string): Promise<string> =>
    (await call('GET', `payments/${id}`)).status;
  const lastOf: Readonly<Record<Plan, string>> = {
    short: 'on_ramp_pending',
    cancelled: 'cancelled',
    expired: 'expired',
    paid: 'settled',
  };
  return {
    url,
    key: key ?? '',
    subscribe: async (hook: string): Promise<string> => {
      const body = { url: hook, eventTypes: ['payment_intent.*'] };
      return (await call('POST', 'webhook-subscriptions', body)).secret;
    },
    async killAndStart() {
      await host.kill();
      host = await startHostProcess(env);
    },
    async play(id: string, plan: Plan) {
      if (plan === 'paid') await call('POST', `test-helpers/payments/${id}/advance`, {});
      if (plan === 'cancelled') {
        await call('POST', `payment-intents/${id}/cancel`, { reason: 'by the seller' });
      }
      if (plan === 'short') {
        const to = { to: 'on_ramp_pending' };
        await call('POST', `test-helpers/payments/${id}/advance`, to);
        await until(async () => (await statusOf(id)) === 'on_ramp_pending');
        await until(() =>
          call('POST', `test-helpers/payments/${id}/simulate`, { event: 'money_short' }).then(
            () => true,
            () => false,
          ),
        );
      }
    },
    /** How many are not yet where their plan ends. */
    async running(orders: readonly { readonly paymentId: string; readonly plan: Plan }[]) {
      const ends = await Promise.all(
        orders.map(async ({ paymentId, plan }) => (await statusOf(paymentId)) === lastOf[plan]),
      );
      return ends.filter((isThere) => !isThere).length;
    },
    async settled(orders: readonly { readonly paymentId: string }[]) {
      const found = await Promise.all(
        orders.map(async ({ paymentId }) => [paymentId, await statusOf(paymentId)] as const),
      );
      return new Set(found.flatMap(([id, status]) => (status === 'settled' ? [id] : [])));
    },
  };
}
