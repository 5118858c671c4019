// An older copy of a SQLite file is restored while the partner remembers what it did since: 30
// payments were paid out after the copy. Under the gate, read back and released, none is paid
// again, and the running host goes on by itself.
import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { memoryInFile } from '../../../adapters/partner/fake-memory.js';
import type { PaymentStatus } from '../../../core/domain/payments/payment.js';
import { quarantineRestored } from '../../../core/usecases/service/epochs.js';
import { readConfig } from '../../../host/config.js';
import { type Host, startHost } from '../../../host/main.js';
import { openForOperator } from '../../../host/operator-access.js';
import { checkBooks } from '../../support/scenes/after-faults.js';
import { runCommand } from '../../support/servers/command.js';
import { jsonCall } from '../../support/servers/json-call.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/wait.js';

const PAYMENTS = 30;
const HOUR_MS = 3_600_000;

const folder = temporaryFolder();
const database = join(folder, 'data', 'ponte.db');
const memory = memoryInFile(join(folder, 'partner.jsonl'));

function environment(delayMs: number) {
  return {
    PONTE_PORT: '0',
    PONTE_DATA_DIR: join(folder, 'data'),
    PONTE_FAKE_PARTNER_FILE: join(folder, 'partner.jsonl'),
    PONTE_FAKE_PARTNER_DELAY_MS: `${delayMs}`,
    PONTE_RATE_LIMIT_PER_MINUTE: '0',
    PONTE_LOG_LEVEL: 'silent',
  };
}

const env = environment(0);
let key = '';
const ids: string[] = [];

async function ponte(words: string) {
  const { status, stdout } = await runCommand(env, [...words.split(' '), '--json']);
  return { status, json: JSON.parse(stdout) as Record<string, unknown> };
}

function taken(kind: 'payin' | 'payout' | 'refund'): number {
  return memory.all().filter((transaction) => transaction.kind === kind).length;
}

/** How many payments are at this status. */
async function countAt({ deps }: Host, status: PaymentStatus): Promise<number> {
  const filter = { status, orgId: null, beforeId: null, limit: 100 };
  return (await deps.store.run((tx) => tx.payments.list(filter))).length;
}

/** The buyers are known and have quotes; then their pay-ins are ordered, and none completes. */
async function backup(): Promise<void> {
  const first = await startHost(readConfig(env));
  key = first.demo?.secret ?? '';
  const created = Array.from({ length: PAYMENTS }, async (_, count) => {
    const buyer = { email: `buyer-${count}@example.com` };
    const intent = { externalId: `order-${count}`, amount: '100.00', buyer };
    const { status, body } = await jsonCall(first, key, '/v1/payment-intents', intent);
    assert.equal(status, 201, JSON.stringify(body));
    ids.push(String(body['id']));
  });
  await Promise.all(created);
  await advanced(first, 'fx_quoted');
  await first.stop();
  const host = await startHost(readConfig(environment(HOUR_MS)));
  await advanced(host, 'on_ramp_pending');
  await until(() => taken('payin') === PAYMENTS);
  await host.stop();
  copyFileSync(database, join(folder, 'backup.db'));
}

async function advanced(host: Host, to: PaymentStatus): Promise<void> {
  for (const id of ids) {
    await jsonCall(host, key, `/v1/test-helpers/payments/${id}/advance`, { to });
  }
  await until(async () => (await countAt(host, to)) === PAYMENTS);
}

async function goOn(): Promise<void> {
  const host = await startHost(readConfig(env));
  await until(async () => (await countAt(host, 'settled')) === PAYMENTS);
  await host.stop();
  assert.equal(taken('payout'), PAYMENTS);
}

async function restore(): Promise<void> {
  for (const end of ['-wal', '-shm']) rmSync(`${database}${end}`, { force: true });
  copyFileSync(join(folder, 'backup.db'), database);
  const operator = await openForOperator(env);
  await quarantineRestored(operator.deps);
  await operator.close();
}

test('30 payments paid out after a backup are paid once after its restore', async (t) => {
  await backup();
  await goOn();
  await restore();
  const host = await startHost(readConfig(env));
  t.after(() => host.stop());
  assert.equal(await countAt(host, 'on_ramp_pending'), PAYMENTS);
  const ready = await jsonCall(host, key, '/readyz');
  assert.deepEqual([ready.status, ready.body['status']], [200, 'quarantine']);
  const created = await jsonCall(host, key, '/v1/payment-intents', {
    externalId: 'late',
    amount: '100.00',
    buyer: { email: 'late@example.com' },
  });
  assert.deepEqual([created.status, created.body['error']], [503, 'InQuarantine']);
  const early = await ponte('release');
  assert.deepEqual([early.status, early.json['error']], [4, 'CheckIncomplete']);

  const { status, stdout, stderr } = await runCommand(env, ['restore', '--check']);
  assert.equal(status, 0, stderr);
  const counts = stdout.match(
    /^payments +(\d+)\nlearned +(\d+)\ndiffering +(\d+)\nmissed +(\d+)\n/,
  );
  assert.deepEqual(counts?.slice(1).map(Number), [PAYMENTS, PAYMENTS, 0, 0], stdout);
  assert.match(stdout, /The check is complete\. Release the database with ponte release\./);
  const all = `${stdout}${stderr}`;
  for (const id of ids) assert.equal(all.split(id).length - 1, 1, `${id} is printed once`);
  assert.equal(await countAt(host, 'settled'), PAYMENTS);
  const released = await ponte('release');
  assert.deepEqual([released.json['state'], released.json['releasedBy']], ['open', 'development']);

  const buyer = { email: 'next@example.com' };
  const next = { externalId: 'next', amount: '100.00', buyer };
  const { body } = await jsonCall(host, key, '/v1/payment-intents', next);
  await jsonCall(host, key, `/v1/test-helpers/payments/${body['id']}/advance`, {});
  await until(async () => (await countAt(host, 'settled')) === PAYMENTS + 1);
  assert.deepEqual(
    [taken('payin'), taken('payout'), taken('refund')],
    [PAYMENTS + 1, PAYMENTS + 1, 0],
  );
  await checkBooks(host.deps.store, ids);
});

test('a check with a fake partner that stores nothing says how a rehearsal ends', async () => {
  const { PONTE_FAKE_PARTNER_FILE: _, ...rest } = env;
  const plain = { ...rest, PONTE_DATA_DIR: join(folder, 'plain') };
  const host = await startHost(readConfig(plain));
  const secret = host.demo?.secret ?? '';
  const buyer = { email: 'ana@buyer.example' };
  const intent = { externalId: 'order-1', amount: '100.00', buyer };
  const { body } = await jsonCall(host, secret, '/v1/payment-intents', intent);
  const to = 'on_ramp_pending';
  await jsonCall(host, secret, `/v1/test-helpers/payments/${body['id']}/advance`, { to });
  await until(async () => (await countAt(host, to)) === 1);
  await host.stop();
  const operator = await openForOperator(plain);
  await quarantineRestored(operator.deps);
  await operator.close();
  const checked = await runCommand(plain, ['restore', '--check']);
  assert.equal(checked.status, 8, checked.stderr);
  assert.match(checked.stdout, /no repeat completes the check.*ponte release --force rehearsal/s);
  const refused = await runCommand(plain, ['release']);
  assert.match(refused.stderr, /give --force <reason>/);
  const released = await runCommand(plain, ['release', '--force', 'rehearsal']);
  assert.equal(released.status, 0, released.stderr);
});
