// A shop of Medusa, from npm, with the provider: no order is captured without a settled payment,
// and each settled one is captured once, although both programs are killed.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { freePort, localPostgres } from './support/databases/local-postgres.js';
import { type HostProcess, startHostProcess } from './support/servers/host-process.js';
import { type MedusaShop, openShop, type PlacedOrder } from './support/servers/medusa-shop.js';
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
  const databaseUrl = await postgres.url();
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
