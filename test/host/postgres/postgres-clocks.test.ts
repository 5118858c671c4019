// Hosts on one PostgreSQL of which one machine's clock is an hour off: limits, leases and webhooks
// go by the clock of the database, and the host that is off takes no work and says so.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig } from '../../../host/config.js';
import { type Host, startHost } from '../../../host/main.js';
import { allOk } from '../../adapters/http/checked-site.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import {
  type HostProcess,
  runCommand,
  startHostProcess,
} from '../../support/servers/host-process.js';
import { jsonCall } from '../../support/servers/json-call.js';
import { startReceiver } from '../../support/servers/local-receiver.js';
import { projectRoot } from '../../support/source-tree.js';
import { type SuiteEnd, suiteEnd } from '../../support/suite-end.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const HOUR_MS = 3_600_000;
const folder = temporaryFolder();
const preload = join(projectRoot, 'test/support/servers/set-clock.ts');
const postgres = localPostgres();

const settings = {
  PONTE_DATA_DIR: folder,
  PONTE_SECRET_KEYS: `a:${randomBytes(32).toString('base64')}`,
  PONTE_FAKE_PARTNER_DELAY_MS: '0',
  PONTE_RATE_LIMIT_PER_MINUTE: '1',
  PONTE_RATE_LIMIT_BURST: '5',
};

interface Served {
  readonly url: string;
}

function create(host: Served, key: string, externalId: string) {
  const buyer = { email: 'ana@buyer.example' };
  return jsonCall(host, key, '/v1/payment-intents', { externalId, amount: '250.00', buyer });
}

async function startRight(url: string, t: SuiteEnd): Promise<Host> {
  const env = { ...settings, PONTE_DATABASE_URL: url, PONTE_PORT: '0', PONTE_LOG_LEVEL: 'silent' };
  const host = await startHost(readConfig(env));
  t.after(() => host.stop());
  return host;
}

async function startWrong(url: string, aheadMs: number, t: SuiteEnd): Promise<HostProcess> {
  const env = { ...settings, PONTE_DATABASE_URL: url, TEST_CLOCK_AHEAD_MS: `${aheadMs}` };
  const host = await startHostProcess(env, { preload });
  t.after(() => host.kill());
  return host;
}

for (const [which, aheadMs] of [
  ['an hour ahead', HOUR_MS],
  ['an hour behind', -HOUR_MS],
] as const) {
  describe(`a host that is ${which}`, () => {
    const suite = suiteEnd();
    let url: string;
    let wrong: HostProcess;
    let right: Host;
    let key: string;

    before(async () => {
      url = await postgres.migrated();
      wrong = await startWrong(url, aheadMs, suite);
      key = wrong.key ?? '';
    });

    test('is unready and says why; it takes no work, another host does', async () => {
      const readiness = await jsonCall(wrong, key, '/readyz');
      assert.deepEqual(
        [readiness.status, readiness.body['checks']],
        [503, { ...allOk, clock: 'wrong' }],
      );
      while (!wrong.log().includes('the clocks of this machine and the database differ'))
        await wait(10);
      const created = await create(wrong, key, 'order-1');
      assert.equal(created.status, 201, 'a request is served');
      const path = `/v1/payments/${created.body['id']}`;
      const advance = `/v1/test-helpers/payments/${created.body['id']}/advance`;
      assert.equal((await jsonCall(wrong, key, advance, {})).status, 200);
      const after = (await jsonCall(wrong, key, '/v1/events')).body['nextAfter'];
      // A host that works goes on within milliseconds.
      const quiet = await jsonCall(wrong, key, `/v1/events?after=${after}&wait=1`);
      assert.deepEqual(quiet.body['data'], []);
      right = await startRight(url, suite);
      while ((await jsonCall(right, key, path)).body['status'] !== 'settled') await wait(100);
    });

    test('what is created there is due immediately, stamped and signed with the right time', async (t) => {
      const receiver = await startReceiver((response) => response.writeHead(204).end());
      t.after(() => receiver.close());
      const hook = { url: receiver.url, eventTypes: ['*'] };
      assert.equal((await jsonCall(right, key, '/v1/webhook-subscriptions', hook)).status, 201);
      const { body } = await create(wrong, key, 'order-2');
      const ageMs = Date.now() - Date.parse(String(body['createdAt']));
      assert.ok(Math.abs(ageMs) < HOUR_MS / 2, `${ageMs}`);
      while (receiver.requests.length === 0) await wait(10);
      for (const { headers } of receiver.requests) {
        const seconds = Number(/t=(\d+)/.exec(String(headers['x-service-signature']))?.[1]);
        assert.ok(Math.abs(Date.now() / 1_000 - seconds) < 300, `${seconds}`);
      }
    });

    test('leaves the limits of the others as they are', async () => {
      for (let made = 0; made < 5; made += 1) await create(wrong, key, `limited-${made}`);
      const refused = await create(right, key, 'limited-5');
      assert.equal(refused.status, 429);
      const waitSeconds = Number(refused.headers.get('retry-after'));
      assert.ok(waitSeconds >= 1 && waitSeconds <= 60, `${waitSeconds}`);
    });
  });
}

test('a leader whose clock jumps gives the lead to another host', async (t) => {
  const url = await postgres.migrated();
  const jumping = await startRight(url, t);
  const key = jumping.demo?.secret ?? '';
  await create(jumping, key, 'order-1');
  await jsonCall(jumping, key, '/v1/events?wait=30');
  const other = await startWrong(url, 0, t);
  const { now } = Date;
  t.mock.method(Date, 'now', () => now() + HOUR_MS);
  assert.equal((await jsonCall(jumping, key, '/readyz')).status, 503);
  await create(other, key, 'order-2');
  const events = await jsonCall(other, key, '/v1/events?after=2&wait=30');
  assert.ok(Number(events.body['nextAfter']) > 2);
});

test('doctor on a machine that is off says by how much, and metrics do', async (t) => {
  const url = await postgres.migrated();
  const env = { ...settings, PONTE_DATABASE_URL: url, PONTE_METRICS_PORT: '0' };
  const skewed = { ...env, TEST_CLOCK_AHEAD_MS: `${HOUR_MS}` };
  const host = await startHostProcess(skewed, { preload });
  t.after(() => host.kill());
  const metricsUrl = /^Metrics: (\S+)$/m.exec(host.startText)?.[1] ?? '';
  const skew = /^ponte_clock_skew_seconds (\S+)$/m.exec(await (await fetch(metricsUrl)).text());
  assert.ok(Math.abs(Number(skew?.[1]) - 3_600) < 5, String(skew));
  const node = { NODE_OPTIONS: `--import ${preload}` };
  const checked = await runCommand({ ...skewed, ...node }, ['doctor', '--json']);
  const { checks } = JSON.parse(checked.stdout) as {
    checks: readonly { readonly name: string; readonly detail: string; readonly ok: boolean }[];
  };
  const clock = checks.find(({ name }) => name === 'clock');
  assert.equal(clock?.ok, false);
  assert.match(clock?.detail ?? '', /this machine is 3[56]\d\d\.\d s ahead of the database/);
});
