// `ponte secrets` beside a real host: what the tests of each database and of sessions share.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { verifyWebhook } from '../../adapters/client/verify.js';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import type { Tenant } from '../../core/domain/base/tenant.js';
import { addMember } from '../../core/usecases/access/members.js';
import { createSession } from '../../core/usecases/access/sessions.js';
import { createAccount } from '../../core/usecases/parties/accounts.js';
import { createUpload } from '../../core/usecases/parties/documents.js';
import { listOrganizations } from '../../core/usecases/parties/organizations.js';
import {
  createSubscription,
  rotateSecret,
  testSubscription,
} from '../../core/usecases/webhooks/subscriptions.js';
import { readConfig } from '../../host/config.js';
import { type Host, startHost } from '../../host/main.js';
import { columnsHolding } from '../support/databases/texts-in-database.js';
import { aSubscription } from '../support/samples/domain-samples.js';
import { allColumns, sealEverything } from '../support/scenes/sealed-scene.js';
import { runCommand } from '../support/servers/command.js';
import type { Json } from '../support/servers/json-call.js';
import { startReceiver } from '../support/servers/local-receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/wait.js';

const oldKey = newSecretKey('old');
export const newKey = newSecretKey('new');
const both = `${newKey},${oldKey}`;
export const folder = temporaryFolder();

export async function sqliteDatabase(): Promise<string> {
  return `sqlite:${join(mkdtempSync(join(folder, 'data-')), 'ponte.db')}`;
}

export function service(database: string) {
  const dataDir = mkdtempSync(join(folder, 'place-'));
  const env = (keys: string) => ({
    PONTE_DATABASE_URL: database,
    PONTE_DATA_DIR: dataDir,
    PONTE_PORT: '0',
    PONTE_SECRET_KEYS: keys,
    PONTE_FAKE_PARTNER_DELAY_MS: '0',
    PONTE_LOG_LEVEL: 'silent',
    // No mail server: mails stay pending, so their tokens stay sealed.
    PONTE_SMTP_URL: 'smtp://127.0.0.1:1',
    PONTE_MAIL_FROM: 'pay@ponte.example',
  });
  const command = (keys: string, words: string) => runCommand(env(keys), words.split(' '));
  const withoutMail = (keys: string, words: string) =>
    runCommand({ ...env(keys), PONTE_SMTP_URL: '' }, words.split(' '));
  return {
    withoutMail,
    start: (keys: string): Promise<Host> => startHost(readConfig(env(keys))),
    command,
    async json(keys: string, words: string): Promise<Json> {
      const { status, stdout, stderr } = await command(keys, `${words} --json`);
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout) as Json;
    },
    holding: (part: string) => columnsHolding(database, part),
  };
}

/** A secret key is replaced and retired, on a new database each time. */
export function testRetirement(name: string, newDatabase: () => Promise<string>): void {
  describe(`a secret key is retired on ${name}`, () => {
    test('every text is re-sealed, what was handed out stays valid, a start without it works', async (t) =>
      keepsEverything(t, service(await newDatabase())));
    test('a text that does not open is reported with exit code 8, and its key stays required', async (t) =>
      reportsTheUnreadable(t, service(await newDatabase())));
    test('a process that still seals under a retired key makes it required again', async (t) =>
      isRequiredAgain(t, service(await newDatabase())));
  });
}

async function keepsEverything(
  t: TestContext,
  { start, command, json, holding }: ReturnType<typeof service>,
): Promise<void> {
  const receiver = await startReceiver((response) => response.writeHead(204).end());
  t.after(() => receiver.close());
  let host = await start(oldKey);
  t.after(() => host.stop());
  const given = await giveOut(host, receiver.url);
  const sealed = [...allColumns, 'key_check_values.sealed'].sort();
  assert.deepEqual(await holding('s1.old.'), sealed, 'the table lists every sealed column');

  const early = await command(both, 'secrets reseal');
  assert.deepEqual([early.status, early.stdout], [7, '']);
  assert.match(early.stderr, /PONTE_SECRET_KEYS: no host was started with "new"/);
  assert.deepEqual(await holding('s1.new.'), []);

  await host.stop();
  host = await start(both);
  const before = await json(both, 'secrets reseal --dry-run');
  assert.deepEqual(before['requiredKeys'], ['old']);
  assert.deepEqual(await holding('s1.old.'), sealed);
  const done = await json(both, 'secrets reseal');
  assert.deepEqual(
    [done['retiredKeys'], done['requiredKeys'], done['keysInUse']],
    [['old'], [], []],
  );
  const [counted, resealed] = [before, done].map(({ columns }) => columns as readonly Json[]);
  for (const [index, { table, column, remaining }] of (counted ?? []).entries()) {
    const found = resealed?.[index];
    // The host may drop a mail in between, and its token with it.
    const isFewer = table === 'mails' && Number(found?.['resealed']) < Number(remaining);
    const count = isFewer ? found?.['resealed'] : remaining;
    assert.deepEqual(found, { table, column, resealed: count, remaining: 0 });
    assert.ok(Number(remaining) > 0, `${table}.${column}`);
  }
  assert.deepEqual(await holding('s1.old.'), []);
  assert.deepEqual(await holding('s1.new.'), sealed);
  await stillGood(host, given);

  await host.stop();
  host = await start(newKey);
  await stillGood(host, given);
  const doctor = await command(newKey, 'doctor --json');
  const { checks } = JSON.parse(doctor.stdout) as { readonly checks: readonly Json[] };
  const ofKeys = checks.find((check) => check['name'] === 'secret keys');
  assert.deepEqual([ofKeys?.['ok'], ofKeys?.['detail']], [true, 'of this database']);
  const delivery = await testSubscription(host.deps, given.tenant, given.subscriptionId);
  const received = await until(() =>
    receiver.requests.find(({ headers }) => headers['x-service-delivery-id'] === delivery.id),
  );
  const header = String(received.headers['x-service-signature']);
  const { secret } = given;
  assert.equal(verifyWebhook({ secret, header, body: received.body }).valid, true);
  const again = await command(newKey, 'secrets reseal');
  assert.equal(again.status, 0);
  assert.match(again.stdout, /Everything is sealed under "new"\.\n$/);
  const steps = again.stderr.split('\n').filter((line) => /^(re-sealing|counting) /.test(line));
  assert.equal(new Set(steps).size, 2 * allColumns.length);
  assert.equal(steps.length, 2 * allColumns.length, 'each step is printed once');
}

async function reportsTheUnreadable(
  t: TestContext,
  { start, command, holding }: ReturnType<typeof service>,
): Promise<void> {
  const host = await start(both);
  t.after(() => host.stop());
  const lost = aSubscription({ secretSealed: 's1.ghost.AAAA' });
  await host.deps.store.run(async (tx) => tx.subscriptions.insert(lost));
  const { status, stdout } = await command(both, 'secrets reseal');
  assert.equal(status, 8);
  assert.match(stdout, /subscriptions +secret_sealed +0 +1\n/);
  assert.match(stdout, /Texts under "ghost" remain: /);
  assert.deepEqual(await holding('s1.ghost.'), ['subscriptions.secret_sealed']);
}

async function isRequiredAgain(
  t: TestContext,
  { start, command, json, withoutMail }: ReturnType<typeof service>,
): Promise<void> {
  await (await start(both)).stop();
  // Started with the keys in the wrong order.
  const host = await start(`${oldKey},${newKey}`);
  t.after(() => host.stop());
  const tenant = await demoTenant(host);
  const { subscription } = await createSubscription(host.deps, tenant, {
    url: 'https://receiver.example/webhooks',
    eventTypes: ['*'],
  });
  assert.deepEqual((await json(both, 'secrets reseal'))['retiredKeys'], ['old']);
  assert.equal((await withoutMail(newKey, 'doctor')).status, 0);
  await rotateSecret(host.deps, tenant, subscription.id);
  const doctor = await command(newKey, 'doctor');
  assert.equal(doctor.status, 8);
  assert.match(doctor.stdout, /under the key "old" does not open/);
  const report = await command(both, 'doctor');
  assert.match(
    report.stdout,
    /secret keys +ok +of this database; to retire "old", run: ponte secrets/,
  );
}

export async function demoTenant({ deps }: Host): Promise<Tenant> {
  const [organization] = await listOrganizations(deps);
  return { orgId: organization?.id ?? '', mode: 'test' };
}

export async function statusOf(host: Host, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${host.url}/v1/onboarding/status`, { headers })).status;
}

interface Given {
  readonly tenant: Tenant;
  readonly subscriptionId: string;
  readonly secret: string;
  readonly token: string;
  readonly key: string;
  readonly publicPath: string;
}

/** Fills every sealed column, and hands out one of everything that must stay valid. */
async function giveOut(host: Host, url: string): Promise<Given> {
  const { deps } = host;
  const tenant = await demoTenant(host);
  await sealEverything(deps, tenant);
  const made = await createSubscription(deps, tenant, { url, eventTypes: ['webhook.test'] });
  const email = 'ana@acme.example';
  await addMember(deps, { ...tenant, email, role: 'owner' });
  const { token } = await createSession(deps, { ...tenant, email });
  const { account } = await createAccount(deps, tenant, {
    role: 'seller',
    entityType: 'business',
    externalId: 'with-document',
    email: null,
    legalName: null,
    displayName: null,
    country: null,
    taxId: null,
  });
  const upload = await createUpload(deps, tenant, {
    owner: { party: 'account', id: account.id },
    kind: 'incorporation_doc',
    contentType: 'application/pdf',
    ownerIndex: null,
  });
  const { uploadMethod: method, uploadHeaders: headers } = upload;
  assert.equal((await fetch(upload.uploadUrl, { method, headers, body: 'deed' })).status, 200);
  return {
    tenant,
    token,
    key: host.demo?.secret ?? '',
    secret: made.secret,
    subscriptionId: made.subscription.id,
    publicPath: new URL(upload.publicUrl).pathname + new URL(upload.publicUrl).search,
  };
}

async function stillGood(host: Host, { token, key, publicPath }: Given): Promise<void> {
  assert.equal(await statusOf(host, token), 200);
  const asked = await fetch(`${host.url}/v1/events`, { headers: { 'x-api-key': key } });
  assert.equal(asked.status, 200);
  assert.equal(await (await fetch(host.url + publicPath)).text(), 'deed');
}
