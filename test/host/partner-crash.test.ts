// A real host is killed between what the partner did and its record of it, again and again, and the
// partner refuses what it is asked twice. Each command is carried out once all the same.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { runCommand } from '../support/servers/command.js';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const PAYMENTS = 4;
/** The partner's commands at which the host dies: pay-ins and payouts. */
const KILLS = [2, 5];
const PATIENCE_MS = 60_000;

const folder = temporaryFolder();
const books = join(folder, 'partner');
const env = {
  PONTE_DATA_DIR: join(folder, 'data'),
  PONTE_FAKE_PARTNER_DELAY_MS: '20',
  REFUSING_PARTNER_FOLDER: books,
  REFUSING_PARTNER_KILLS: KILLS.join(','),
} as const;

let host: HostProcess;
let deaths = 0;
const suite = suiteEnd();
suite.after(() => host?.kill());

test('a command whose record a crash prevented is looked up: the partner does it once', async () => {
  const start = () =>
    startHostProcess(env, {
      preload: './test/support/partners/refusing-partner.ts',
      replacesSources: true,
    });
  host = await start();
  const key = host.key ?? '';
  const call = async (method: string, path: string, body: object | null = null) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const sent = { method, headers, body: body === null ? null : JSON.stringify(body) };
    const response = await fetch(`${host.url}${path}`, sent);
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };
  /** What is safe to repeat, until a host answers. */
  const surely = async (method: string, path: string, body: object | null = null) => {
    for (const endsAtMs = performance.now() + PATIENCE_MS; ; ) {
      try {
        return await call(method, path, body);
      } catch (error) {
        if (!(error instanceof TypeError) || performance.now() > endsAtMs) throw error;
        if (host.ended()) {
          host = await start();
          deaths += 1;
        } else await wait(10);
      }
    }
  };
  const names = Array.from({ length: PAYMENTS }, (_, index) => `order-${index}`);
  for (const externalId of names) {
    const buyer = { email: `${externalId}@example.com` };
    await surely('POST', '/v1/payment-intents', { externalId, amount: '100.00', buyer });
    await surely('POST', `/v1/test-helpers/payments/ext_${externalId}/advance`, {});
  }
  for (const name of names) {
    for (const endsAtMs = performance.now() + PATIENCE_MS; ; ) {
      const { status, funds } = await surely('GET', `/v1/payments/ext_${name}`);
      assert.ok(performance.now() < endsAtMs, `${name} is ${status}\n${host.log()}`);
      assert.notEqual(status, 'failed');
      if (status !== 'settled') {
        await wait(100);
        continue;
      }
      assert.equal((funds as Readonly<Record<string, unknown>>)['received'], '100.00');
      break;
    }
  }
  assert.equal(deaths, KILLS.length);
  const done = readdirSync(books);
  const counted = (kind: string) => done.filter((name) => name.startsWith(`${kind}.`)).length;
  assert.deepEqual(
    [counted('payin'), counted('payout'), counted('refund')],
    [PAYMENTS, PAYMENTS, 0],
  );
  assert.equal(counted('repeat'), 0, 'nothing is asked of the partner twice');
  assert.equal((await runCommand(env, ['ledger', 'verify', '--json'])).status, 0);
});
