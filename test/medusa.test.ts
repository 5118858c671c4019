// The payment provider for Medusa without Medusa: what each of its methods does at a service, and
// the catch-up by the feed. The nightly run has a real shop.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { createPonte, type Ponte } from '../host/embed.js';
import { projectRoot } from './support/source-tree.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = join(projectRoot, 'test/examples/medusa');

/** As far as the tests use it. */
interface Provider {
  initiatePayment(input: object): Promise<Answered & { readonly id: string }>;
  updatePayment(input: object): Promise<Answered>;
  authorizePayment(input: object): Promise<Answered>;
  capturePayment(input: object): Promise<Answered>;
  cancelPayment(input: object): Promise<Answered>;
  refundPayment(input: object): Promise<Answered>;
  getWebhookActionAndData(hook: object): Promise<Action>;
}
interface Answered {
  readonly status?: string;
  readonly data: Readonly<Record<string, unknown>>;
}
interface Action {
  readonly action: string;
  readonly data?: { readonly session_id: string; readonly amount: number };
}
interface Modules {
  readonly PonteProvider: new (container: object, options: object) => Provider;
  readonly clientOf: (options: object) => object;
  readonly catchUp: (ponte: object, shop: object) => Promise<void>;
  readonly verified: {
    readonly middlewares: readonly ((request: object, response: object, next: Next) => void)[];
  };
}
type Next = () => void;

const loaded = load();

async function load(): Promise<Modules> {
  const { outputFiles } = await build({
    stdin: {
      contents: ['provider', 'catch-up', 'verified']
        .map((name) => `export * from './${name}';`)
        .join(''),
      resolveDir: folder,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    alias: {
      'ponte-payments/client': join(projectRoot, 'adapters/client/ponte-client.ts'),
      'ponte-payments/webhooks': join(projectRoot, 'adapters/client/verify.ts'),
    },
  });
  const file = join(temporaryFolder(), 'medusa.mjs');
  writeFileSync(file, outputFiles[0]?.text ?? '');
  return import(pathToFileURL(file).href);
}

async function opened(t: TestContext) {
  const ponte = await createPonte({ nowMs: Date.now() });
  t.after(() => ponte.close());
  const hook = { url: 'https://shop.example/', eventTypes: ['payment_intent.*'] };
  const { secret: webhookSecret } = await ponte.post('/v1/webhook-subscriptions', hook);
  const options = { baseUrl: await ponte.listen(), apiKey: ponte.apiKey, webhookSecret };
  const { PonteProvider, clientOf, catchUp } = await loaded;
  const warnings: string[] = [];
  const logger = { warn: (text: string) => warnings.push(text) };
  const provider = new PonteProvider({ logger }, options);
  return { ponte, provider, options, warnings, client: clientOf(options), catchUp };
}

function sessionOf(id: string, amount: unknown = 250) {
  const data = { session_id: id, email: 'ana@buyer.example' };
  return { amount, currency_code: 'usd', data };
}

async function settle(ponte: Ponte, id: unknown): Promise<void> {
  await ponte.post(`/v1/test-helpers/payments/${id}/advance`, {});
  await ponte.runUntilIdle();
}

test('a session is a payment that waits, and is captured when it is settled', async (t) => {
  const { ponte, provider } = await opened(t);
  const { id, status, data } = await provider.initiatePayment(sessionOf('payses_1'));
  assert.equal(status, 'pending');
  assert.match(String(data['hostedPaymentUrl']), /\/r\//);
  assert.equal((await provider.authorizePayment({ data })).status, 'pending_authorization');
  await assert.rejects(provider.capturePayment({ data }), /it is captured when it is settled/);
  await settle(ponte, id);
  assert.equal((await provider.authorizePayment({ data })).status, 'captured');
  assert.equal((await provider.capturePayment({ data })).data['status'], 'settled');
});

test('a payment says what orders are for, if the shop does', async (t) => {
  const { ponte, options } = await opened(t);
  const { PonteProvider } = await loaded;
  const facts = { purpose: 'goods', payerRelation: 'unrelated' };
  const provider = new PonteProvider({}, { ...options, facts });
  const { id } = await provider.initiatePayment(sessionOf('payses_1'));
  const { purpose, payerRelation } = await ponte.get(`/v1/payments/${id}`);
  assert.deepEqual({ purpose, payerRelation }, facts);
});

test('a repeated session is the same payment; another amount is another one', async (t) => {
  const { ponte, provider } = await opened(t);
  const first = await provider.initiatePayment(sessionOf('payses_1'));
  const again = await provider.initiatePayment(sessionOf('payses_1', { numeric: 250 }));
  assert.equal(again.id, first.id);
  const { data } = first;
  const same = await provider.updatePayment({ ...sessionOf('payses_1', '250.00'), data });
  assert.equal(same.data['id'], first.id);
  const other = await provider.updatePayment({ ...sessionOf('payses_1', 99.5), data });
  assert.notEqual(other.data['id'], first.id);
  assert.equal((await ponte.get(`/v1/payments/${first.id}`))['status'], 'cancelled');
  assert.equal((await ponte.get(`/v1/payments/${other.data['id']}`))['amount'], '99.50');
});

test('what Medusa cannot do is refused with a reason that it shows', async (t) => {
  const { ponte, provider } = await opened(t);
  const { id, data } = await provider.initiatePayment(sessionOf('payses_1'));
  await settle(ponte, id);
  const refused = { type: 'not_allowed', __isMedusaError: true };
  const none = { data: { ...data, id: 'pi_none' } };
  const calls = [
    [() => provider.refundPayment({ data, amount: 1 }), /Ponte has paid the seller in BRL/],
    [() => provider.cancelPayment({ data }), /does not cancel/],
    [() => provider.capturePayment(none), /has no payment pi_none/],
    [() => provider.initiatePayment(sessionOf('payses_2', '1.005')), /1\.005 is no amount/],
    [() => provider.initiatePayment(sessionOf('payses_2', 5)), /makes no payment/],
    [() => provider.initiatePayment({ ...sessionOf('p'), data: {} }), /address of the buyer/],
  ] as const;
  for (const [call, message] of calls) await assert.rejects(call(), { ...refused, message });
});

test('a cancel ends the payment, and a second one changes nothing', async (t) => {
  const { provider } = await opened(t);
  const { data } = await provider.initiatePayment(sessionOf('payses_1'));
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await provider.cancelPayment({ data })).data['status'], 'cancelled');
  }
  assert.equal((await provider.authorizePayment({ data })).status, 'canceled');
});

test('each webhook names its session; a forged one is dropped, with a line in the log', async (t) => {
  const { ponte, provider, warnings } = await opened(t);
  const { id } = await provider.initiatePayment(sessionOf('payses_1'));
  await settle(ponte, id);
  for (const { event, body, headers } of ponte.webhooks) {
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const hook = { rawData: Buffer.from(body), headers: Object.fromEntries(lower) };
    const { action, data } = await provider.getWebhookActionAndData(hook);
    assert.equal(action, event === 'payment_intent.settled' ? 'captured' : 'not_supported', event);
    assert.deepEqual(data, { session_id: 'payses_1', amount: 250 });
    const forged = { ...hook, rawData: `${body} ` };
    assert.deepEqual(await provider.getWebhookActionAndData(forged), { action: 'not_supported' });
  }
  assert.equal(warnings.length, ponte.webhooks.length);
  assert.match(warnings[0] ?? '', /signature mismatch/);
});

test('a forged webhook is answered 401 before the hook route of Medusa has it', async (t) => {
  const { ponte, provider, options } = await opened(t);
  await provider.initiatePayment(sessionOf('payses_1'));
  await ponte.runUntilIdle();
  process.env['PONTE_WEBHOOK_SECRET'] = String(options.webhookSecret);
  t.after(() => delete process.env['PONTE_WEBHOOK_SECRET']);
  const { verified } = await loaded;
  const answerTo = (rawBody: string, headers: object) => {
    let answer = 0;
    const response = {
      status(code: number) {
        answer = code;
        return { send: () => undefined };
      },
    };
    for (const look of verified.middlewares)
      look({ rawBody, headers }, response, () => {
        answer = 200;
      });
    return answer;
  };
  const [webhook] = ponte.webhooks;
  const { body, headers } = webhook ?? assert.fail('no webhook');
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const sent = Object.fromEntries(lower);
  assert.deepEqual(
    [answerTo(body, sent), answerTo(`${body} `, sent), answerTo(body, {})],
    [200, 401, 401],
  );
});

/** A shop that notes what is captured. */
function aShop(sessions: readonly { readonly id: string; readonly paymentId: string }[]) {
  const captured: string[] = [];
  const notes = new Map<string, string>();
  let place: object | null = null;
  return {
    captured,
    notes,
    place: () => place,
    readPlace: async () => place,
    storePlace: async (next: object) => {
      place = next;
    },
    openSessions: async () => sessions,
    isBooked: async (id: string) => captured.includes(id),
    process: async ({ data }: Action) => void captured.push(data?.session_id ?? ''),
    note: async (session: string, payment: string, { situation }: { situation: string }) =>
      void notes.set(`${session} ${payment}`, situation),
  };
}

test('the catch-up captures what was settled since its place, each once', async (t) => {
  const { ponte, provider, client, catchUp } = await opened(t);
  const shop = aShop([]);
  for (const session of ['payses_1', 'payses_2']) {
    await settle(ponte, (await provider.initiatePayment(sessionOf(session))).id);
    await catchUp(client, shop);
    await catchUp(client, shop);
  }
  await provider.initiatePayment(sessionOf('payses_3'));
  await catchUp(client, shop);
  assert.deepEqual(shop.captured, ['payses_1', 'payses_2']);
});

test('an order has a note of how its payment ended, as the payment is now', async (t) => {
  const { ponte, provider, client, catchUp } = await opened(t);
  const shop = aShop([]);
  const first = await provider.initiatePayment(sessionOf('payses_1'));
  const other = await provider.initiatePayment(sessionOf('payses_2'));
  await provider.cancelPayment(other);
  await settle(ponte, first.id);
  await ponte.post(`/v1/test-helpers/payments/${first.id}/simulate`, { event: 'payout_returns' });
  await ponte.runUntilIdle();
  await catchUp(client, shop);
  assert.deepEqual(Object.fromEntries(shop.notes), {
    [`payses_1 ${first.id}`]: 'with_operator',
    [`payses_2 ${other.id}`]: 'not_paid',
  });
});

test('after a reset of the feed the open payments are asked for', async (t) => {
  const { ponte, provider, client, catchUp } = await opened(t);
  const made = await provider.initiatePayment(sessionOf('payses_1'));
  const open = await provider.initiatePayment(sessionOf('payses_2'));
  await settle(ponte, made.id);
  const shop = aShop([
    { id: 'payses_1', paymentId: made.id },
    { id: 'payses_2', paymentId: open.id },
  ]);
  // An epoch that the service does not have.
  await shop.storePlace({ after: 1, epoch: 7 });
  await catchUp(client, shop);
  assert.deepEqual(shop.captured, ['payses_1']);
  assert.deepEqual([...shop.notes], [[`payses_1 ${made.id}`, 'paid']]);
  assert.notDeepEqual(shop.place(), { after: 1, epoch: 7 });
});

test('the provider has at most 250 lines, and its quickstart ten', () => {
  const lines = (name: string) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
  assert.ok(lines('provider.ts').length <= 250);
  const readme = lines('README.md').join('\n');
  const [, quickstart = ''] = /```ts\n([\s\S]*?)\n```/.exec(readme) ?? [];
  assert.equal(quickstart.split('\n').length, 10);
});
