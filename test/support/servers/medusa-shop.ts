// A Medusa shop from npm with the provider of test/examples/medusa: one region, one product, and
// one database. Medusa is installed once, beside the caches of this clone, and never bundled.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import pg from 'pg';
import { npmPackages } from '../npm-packages.js';
import { projectRoot } from '../source-tree.js';
import { until } from '../wait.js';

const VERSION = '2.21.2';
const folder = join(projectRoot, `node_modules/.cache/medusa-${VERSION}`);
const provider = join(projectRoot, 'test/examples/medusa');
const medusa = join(folder, 'node_modules/.bin/medusa');

const run = promisify(execFile);

interface ShopSettings {
  readonly databaseUrl: string;
  readonly port: number;
  readonly ponteUrl: string;
  readonly ponteKey: string;
  readonly webhookSecret: string;
}

export interface PlacedOrder {
  readonly orderId: string;
  readonly sessionId: string;
  /** Of Ponte. */
  readonly paymentId: string;
}

export interface StoredOrder extends PlacedOrder {
  readonly isCaptured: boolean;
  /** Payments of the session, captures of these, and transactions of the order. */
  readonly payments: number;
  readonly captures: number;
  readonly transactions: number;
  /** BRL that the payment was settled with; null: none. */
  readonly settled: string | null;
  /** What the order says of its payment; null: nothing. */
  readonly situation: string | null;
}

export interface MedusaShop {
  /** With another secret of webhooks, if it is given. */
  start(webhookSecret?: string): Promise<void>;
  /** As by `kill -9`. */
  kill(): Promise<void>;
  /** An order that waits for its bank transfer. */
  order(email: string, data?: object): Promise<PlacedOrder>;
  orders(): Promise<readonly StoredOrder[]>;
  /** Runs the job that runs each minute. */
  catchUp(): Promise<void>;
  refund(orderId: string): Promise<{ readonly status: number; readonly message: string }>;
  close(): Promise<void>;
}

/** Installs Medusa if it is missing, and fills the database, which is empty. */
export async function openShop(settings: ShopSettings): Promise<MedusaShop> {
  await installMedusa();
  await writeProject();
  const env = {
    ...process.env,
    DATABASE_URL: settings.databaseUrl,
    MEDUSA_DISABLE_TELEMETRY: 'true',
    PONTE_URL: settings.ponteUrl,
    PONTE_KEY: settings.ponteKey,
    PONTE_WEBHOOK_SECRET: settings.webhookSecret,
  };
  await run(medusa, ['db:migrate'], { cwd: folder, env });
  const { stdout } = await run(medusa, ['exec', './src/scripts/seed.js'], { cwd: folder, env });
  const seeded = JSON.parse(/SEEDED (.*)/.exec(stdout)?.[1] ?? assert.fail(stdout)) as Seeded;
  const base = `http://127.0.0.1:${settings.port}`;
  const database = new pg.Pool({ connectionString: settings.databaseUrl, max: 1 });
  let server: ChildProcess | null = null;
  const store = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-publishable-api-key': seeded.key };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${base}/store/${path}`, sent);
    const answer = await response.json();
    assert.ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    async start(webhookSecret = settings.webhookSecret) {
      env.PONTE_WEBHOOK_SECRET = webhookSecret;
      const words = ['start', '--port', `${settings.port}`];
      server = spawn(medusa, words, {
        cwd: folder,
        env,
        stdio: 'ignore',
        detached: true,
      });
      await until(() =>
        fetch(`${base}/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
    },
    kill: async () => killGroup(server),
    async order(email, data = {}) {
      const items = [{ variant_id: seeded.variant, quantity: 1 }];
      const { cart } = await store('carts', { region_id: seeded.region, email, items });
      const made = await store('payment-collections', { cart_id: cart.id });
      const collection = made.payment_collection.id;
      const session = { provider_id: 'pp_ponte_ponte', data: { email, ...data } };
      const path = `payment-collections/${collection}/payment-sessions`;
      const { payment_collection } = await store(path, session);
      const [{ id: sessionId, data: of }] = payment_collection.payment_sessions;
      const { order, ...rest } = await store(`carts/${cart.id}/complete`, {});
      assert.ok(order, JSON.stringify(rest));
      return { orderId: order.id, sessionId, paymentId: of.id };
    },
    async catchUp() {
      const response = await fetch(`${base}/catch-up`, { method: 'POST' });
      assert.ok(response.ok, await response.text());
    },
    async orders() {
      const { rows } = await database.query(ordersSql);
      return rows;
    },
    async refund(orderId) {
      const { rows } = await database.query(paymentSql, [orderId]);
      const authorization = `Basic ${Buffer.from(`${seeded.admin}:`).toString('base64')}`;
      const path = `${base}/admin/payments/${rows[0]?.id}/refund`;
      const headers = { authorization, 'content-type': 'application/json' };
      const response = await fetch(path, { method: 'POST', headers, body: '{}' });
      const { message } = (await response.json()) as { readonly message: string };
      return { status: response.status, message };
    },
    async close() {
      await killGroup(server);
      await database.end();
    },
  };
}

interface Seeded {
  readonly region: string;
  readonly variant: string;
  readonly key: string;
  readonly admin: string;
}

const ordersSql = `
select o.order_id as "orderId", s.id as "sessionId", s.data ->> 'id' as "paymentId",
  exists (select 1 from payment p where p.payment_session_id = s.id
    and p.captured_at is not null) as "isCaptured",
  (select count(*)::int from payment p where p.payment_session_id = s.id) as payments,
  (select count(*)::int from capture c join payment p on p.id = c.payment_id
    where p.payment_session_id = s.id) as captures,
  (select count(*)::int from order_transaction t where t.order_id = o.order_id) as transactions,
  (select max(p.data ->> 'brlSettledAmount') from payment p
    where p.payment_session_id = s.id) as settled,
  (select r.metadata -> 'ponte' ->> 'situation' from "order" r
    where r.id = o.order_id) as situation
from payment_session s
join cart_payment_collection c on c.payment_collection_id = s.payment_collection_id
join order_cart o on o.cart_id = c.cart_id`;

const paymentSql = `
select p.id from payment p
join order_payment_collection o on o.payment_collection_id = p.payment_collection_id
where o.order_id = $1`;

function installMedusa(): Promise<string> {
  const names = ['medusa', 'framework', 'cli', 'admin-sdk'];
  const dependencies = Object.fromEntries(names.map((name) => [`@medusajs/${name}`, VERSION]));
  return npmPackages(`medusa-${VERSION}`, dependencies);
}

/** The provider as an integrator has it, but with the client of this clone. */
async function writeProject(): Promise<void> {
  await build({
    entryPoints: ['medusa-module', 'job', 'subscriber', 'verified'].map((name) =>
      join(provider, `${name}.ts`),
    ),
    outdir: join(folder, 'src/modules/ponte'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    external: ['@medusajs/*'],
    alias: {
      'ponte-payments/client': join(projectRoot, 'adapters/client/ponte-client.ts'),
      'ponte-payments/webhooks': join(projectRoot, 'adapters/client/verify.ts'),
    },
  });
  const files = {
    'medusa-config.js': configText(),
    'src/jobs/ponte.js': "module.exports = require('../modules/ponte/job.js');\n",
    'src/subscribers/ponte.js': "module.exports = require('../modules/ponte/subscriber.js');\n",
    'src/api/catch-up/route.js': catchUpText,
    'src/api/middlewares.js': middlewaresText,
    'src/scripts/seed.js': seedText,
  };
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
}

/** With the ten lines of the provider's README. */
function configText(): string {
  const readme = readFileSync(join(provider, 'README.md'), 'utf8');
  const [, quickstart = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  return `const { defineConfig } = require('@medusajs/framework/utils');
const payment = ${quickstart.trim().replace(/,$/, '')};
module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    http: { storeCors: '*', adminCors: '*', authCors: '*', jwtSecret: 's', cookieSecret: 's' },
  },
  modules: [payment],
});
`;
}

const middlewaresText = `const { defineMiddlewares } = require('@medusajs/framework/http');
const { verified } = require('../modules/ponte/verified.js');
module.exports.default = defineMiddlewares({ routes: [verified] });
`;

const catchUpText = `const { default: job } = require('../../modules/ponte/job.js');
module.exports.POST = async ({ scope }, response) => {
  await job(scope);
  response.sendStatus(204);
};
`;

const seedText = `const { Modules } = require('@medusajs/framework/utils');
const flows = require('@medusajs/medusa/core-flows');
module.exports.default = async function seed({ container }) {
  const run = async (flow, input) => (await flow(container).run({ input })).result;
  const [store] = await container.resolve(Modules.STORE).listStores();
  const [channel] = await run(flows.createSalesChannelsWorkflow, {
    salesChannelsData: [{ name: 'Web' }],
  });
  const currency = { currency_code: 'usd', is_default: true };
  await run(flows.updateStoresWorkflow, {
    selector: { id: store.id },
    update: { supported_currencies: [currency], default_sales_channel_id: channel.id },
  });
  const us = { name: 'US', currency_code: 'usd', countries: ['us'] };
  const [region] = await run(flows.createRegionsWorkflow, {
    regions: [{ ...us, payment_providers: ['pp_ponte_ponte'] }],
  });
  const [key, admin] = await run(flows.createApiKeysWorkflow, {
    api_keys: ['publishable', 'secret'].map((type) => ({ title: type, type, created_by: '' })),
  });
  await run(flows.linkSalesChannelsToApiKeyWorkflow, { id: key.id, add: [channel.id] });
  const variant = { title: '1', options: { Size: '1' }, manage_inventory: false };
  const [product] = await run(flows.createProductsWorkflow, {
    products: [
      {
        title: 'Coffee',
        status: 'published',
        options: [{ title: 'Size', values: ['1'] }],
        sales_channels: [{ id: channel.id }],
        variants: [{ ...variant, prices: [{ amount: 250, currency_code: 'usd' }] }],
      },
    ],
  });
  const seeded = { region: region.id, variant: product.variants[0].id };
  console.log('SEEDED ' + JSON.stringify({ ...seeded, key: key.token, admin: admin.token }));
};
`;

/** Medusa's command starts other processes. */
async function killGroup(server: ChildProcess | null): Promise<void> {
  if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  process.kill(-server.pid, 'SIGKILL');
  await ended;
}
