// The buyer's page on two hosts over one PostgreSQL: a balancer may send each request of a buyer to
// another host, and every host shows the same.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { readConfig } from '../../../host/config.js';
import { startHost } from '../../../host/main.js';
import { Visitor } from '../../adapters/pages/visitor.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { jsonCall } from '../../support/servers/json-call.js';
import { suiteEnd } from '../../support/suite-end.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/wait.js';

const suite = suiteEnd();

// The server ends after its hosts.
const postgres = localPostgres();
let key = '';
let orders = 0;

const config = readConfig({
  PONTE_DATABASE_URL: await postgres.migrated(),
  PONTE_PORT: '0',
  PONTE_DATA_DIR: temporaryFolder(),
  PONTE_SECRET_KEYS: `a:${randomBytes(32).toString('base64')}`,
  PONTE_FAKE_PARTNER_DELAY_MS: '0',
  PONTE_LOG_LEVEL: 'silent',
});
// One after the other: the first one makes the tables, and the key.
const here = await startHost(config);
suite.after(() => here.stop());
const there = await startHost(config);
suite.after(() => there.stop());
key = here.demo?.secret ?? '';

interface Buyer {
  readonly id: string;
  readonly path: string;
  /** The same browser at each host. */
  readonly tabHere: Visitor;
  readonly tabThere: Visitor;
}

/** Requests the link at one host and opens it there. */
async function signedIn(): Promise<Buyer> {
  orders += 1;
  const email = `buyer-${orders}@buyer.example`;
  const made = await jsonCall(here, key, '/v1/payment-intents', {
    externalId: `order-${orders}`,
    amount: '250.00',
    buyer: { email },
  });
  const path = new URL(String(made.body['hostedPaymentUrl'])).pathname;
  const tabHere = new Visitor(here.url);
  await tabHere.open(path);
  await tabHere.send('/link');
  await tabHere.open(await until(() => linkOf(path)));
  await tabHere.send('/enter');
  return { id: String(made.body['id']), path, tabHere, tabThere: tabHere.at(there.url) };
}

/** In the mail that either host has sent. */
async function linkOf(path: string): Promise<string | undefined> {
  const mails = await (await fetch(there.mailboxUrl ?? '')).text();
  return [...mails.matchAll(/href="([^"]+\?token=[\w-]+)"/g)]
    .map(([, link = '']) => link)
    .find((link) => link.includes(path));
}

/** A buyer who needs no form, and may ask for a price. */
async function identified(): Promise<Buyer> {
  const buyer = await signedIn();
  await buyer.tabHere.send('/simulate', { event: 'identity_sent' });
  await until(async () => (await statusOf(buyer)) === 'buyer_kyc_approved');
  return buyer;
}

async function statusOf({ id }: Buyer): Promise<unknown> {
  return (await jsonCall(here, key, `/v1/payments/${id}`)).body['status'];
}

test('a session that began at one host is valid at the other', async () => {
  const { path, tabHere, tabThere } = await signedIn();
  const shown = await tabThere.open(path);
  assert.equal(shown.heading, 'Tell us who is paying');
  assert.equal(shown.heading, tabHere.shown?.heading);
});

test('a browser may load a hundred pages at both hosts concurrently', async () => {
  const { path, tabHere, tabThere } = await signedIn();
  const tabs = Array.from({ length: 50 }, () => [tabHere, tabThere]).flat();
  const shown = await Promise.all(tabs.map((tab) => tab.request('GET', path)));
  assert.deepEqual(new Set(shown.map(({ status }) => status)), new Set([200]));
});

test('a form of one host is taken by the other', async () => {
  const buyer = await identified();
  await buyer.tabHere.open(buyer.path);
  buyer.tabThere.shown = buyer.tabHere.shown;
  await buyer.tabThere.send('/quote');
  assert.equal(await statusOf(buyer), 'fx_quoted');
});

test('a sign-out at one host ends the session at the other', async () => {
  const { path, tabHere, tabThere } = await signedIn();
  // The cookie alone opens nothing: a browser that kept it is signed out too.
  const kept = tabHere.copy();
  await tabThere.open(path);
  await tabThere.send('/sign-out');
  for (const tab of [tabHere, kept]) {
    assert.match((await tab.open(path)).heading, /asks you to pay/);
  }
});

test('an open page at one host learns of a change that was made at the other', async () => {
  const { path, tabHere, tabThere } = await identified();
  await tabHere.open(path);
  await tabHere.send('/quote');
  await tabHere.send('/confirm');
  const { text } = await tabThere.open(path);
  const live = /data-live="([^"]+)"/.exec(text)?.[1] ?? assert.fail('the page is live');
  const { body } = await tabThere.request('GET', live);
  const stream = body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await stream?.read())?.value, ': open\n\n');
  await tabHere.open(path);
  await tabHere.send('/simulate', { event: 'money_arrives' });
  assert.equal((await stream?.read())?.value, 'data: changed\n\n');
  await stream?.cancel();
});

test('bank details that were requested at one host are shown by the other', async () => {
  const { path, tabHere, tabThere } = await identified();
  await tabHere.open(path);
  await tabHere.send('/quote');
  await tabHere.send('/confirm');
  const details = await until(async () => exactOf(await tabThere.open(path)));
  assert.match(details, /USD\s250\.00/);
  assert.equal(exactOf(await tabHere.open(path)), details);
});

/** What the buyer must copy exactly, once it is there. */
function exactOf({ text }: { readonly text: string }): string | undefined {
  return /<dl class="exact">.*?<\/dl>/s.exec(text)?.[0];
}
